// grid_sample, affine_grid: images sampled at a grid of coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/conv/grid_window.hpp"
#include "weft/ops/conv/visit.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// How grid_sample reads an image, with PyTorch's defaults.
struct GridSampleOptions {
  Interpolation mode = Interpolation::linear;
  GridPadding padding = GridPadding::zeros;
  bool align_corners = false;  ///< -1 and 1 are the outermost elements' middles, not their edges
  bool deterministic = false;  ///< the image's gradient on CUDA has the same bits in each run
};

namespace sampling {

/// grid_sample of Vars, in autograd/conv/grid_sample.hpp; V is one of their types.
template <class V>
struct Recorded;

struct Kind {
  using domain = op::Floating;
  static constexpr const char* text = "grid_sample";
};

template <class C>
Window<C> plan(const Shape& x, const Shape& grid, const GridSampleOptions& o) {
  const int axes = x.rank() - 2;
  if ((axes != 2 && axes != 3) || grid.rank() != x.rank() || grid[x.rank() - 1] != axes ||
      grid[0] != x[0]) {
    fail<ShapeError>("grid_sample", "an input of shape ", x, " and a grid of shape ", grid,
                     ", expected (batch, channel, row, column) and (batch, row, column, 2), or "
                     "the same with three spatial axes");
  }
  if (o.mode == Interpolation::cubic && axes == 3) {
    fail<ValueError>("grid_sample", "cubic interpolation of an input of shape ", x,
                     ", expected two spatial axes");
  }
  Window<C> w;
  w.axes = axes;
  w.kind = o.mode;
  w.padding = o.padding;
  w.align_corners = o.align_corners;
  for (int i = 0; i < axes; ++i) {
    const int at = 3 - axes + i;
    if (x[2 + i] < 1) {
      fail<ShapeError>("grid_sample", "an input of shape ", x, ", expected elements to read");
    }
    w.in[at] = static_cast<int>(x[2 + i]);
    w.out[at] = static_cast<int>(grid[1 + i]);
  }
  return w;
}

template <class T, class D>
Tensor<T, D> values(const GridSampleOptions& o, const Tensor<T, D>& images,
                    const Tensor<T, D>& coordinates) {
  using namespace weft::detail;
  const auto w = plan<compute_t<T>>(images.shape(), coordinates.shape(), o);
  const Tensor<T, D> x = in_any_format(images);
  const Tensor<T, D> grid = coordinates.contiguous();
  Shape shape = x.shape();
  for (int i = 2; i < x.rank(); ++i) shape[i] = grid.shape()[i - 1];
  const Tensor<T, D> y = allocate_format<T>(shape, x.device(), is_channels_last(x));
  conv::Volume v = conv::volume_of(y);
  // A thread of a GPU looks up where to read once for some channels, a CPU's loop for all.
  const auto channels = static_cast<int>(v.channels);
  const int step = !is_cuda<D> ? channels : v.last ? 1 : 8;
  if (channels > 0) v.channels = (channels + step - 1) / step;
  const Values<T> f{w, Planes<const T>(x), grid.data(), Planes<T>(y), channels, step};
  conv::visit("grid_sample", x.device(), v, f, {x.storage(), grid.storage()}, {y.storage()});
  return y;
}

/// -1 to 1 over n places: their middles, or from the first place's to the last's.
inline double coordinate(int64_t i, int64_t n, bool align_corners) {
  if (n <= 1) return 0;
  const auto count = static_cast<double>(n);
  const double whole = 2 * static_cast<double>(i) / (count - 1) - 1;
  return align_corners ? whole : whole * (count - 1) / count;
}

}  // namespace sampling

/// Images (batch, channel, row, column) sampled at the coordinates (x, y) of a grid (batch, row,
/// column, 2), from -1 at the left and top edges of an image to 1: (batch, channel, row and column
/// of the grid). With three spatial axes the grid is (batch, z, y, x, 3) with coordinates (x, y,
/// z). PyTorch's grid_sample; Jaderberg et al. 2015. Evaluated at the call, in the memory format of
/// x.
template <ExpressionLike X, ExpressionLike G>
auto grid_sample(const X& images, const G& grid, const GridSampleOptions& options = {}) {
  using Check = detail::OperandCheck<sampling::Kind, X, G>;
  constexpr bool dual = is_dual<typename X::value_type> || is_dual<typename G::value_type>;
  static_assert(!dual, "weft: grid_sample has gradients, but no Hessian-vector products");
  if constexpr (!dual && Check::report()) {
    const auto x = detail::as_tensor(images);
    const auto at = detail::as_tensor(grid);
    using V = std::remove_cvref_t<decltype(x)>;
    using W = std::remove_cvref_t<decltype(at)>;
    if constexpr (detail::is_var<V> || detail::is_var<W>) {
      return sampling::Recorded<Var<typename V::value_type, detail::common_device_of<V, W>>>::run(
          options, x, at);
    } else {
      return sampling::values(options, x, at);
    }
  } else {
    return typename Check::first{};
  }
}

/// The grid for grid_sample whose coordinates are the positions of the result, transformed by
/// affine matrices theta: (batch, 2, 3) for a result of shape (batch, channel, row, column),
/// (batch, 3, 4) for one with three spatial axes. PyTorch's affine_grid.
template <ExpressionLike X>
auto affine_grid(const X& e, const Shape& size, bool align_corners = false) {
  const auto theta = detail::as_tensor(e);
  using T = typename std::remove_cvref_t<decltype(theta)>::value_type;
  const int axes = size.rank() - 2;
  const Shape& given = theta.shape();
  if ((axes != 2 && axes != 3) || given.rank() != 3 || given[0] != size[0] || given[1] != axes ||
      given[2] != axes + 1) {
    fail<ShapeError>("affine_grid", "matrices of shape ", given, " for a result of shape ", size,
                     ", expected (batch, 2, 3) and (batch, channel, row, column), or (batch, 3, 4) "
                     "with three spatial axes");
  }
  int64_t places = 1;
  Shape shape{size[0]};
  for (int i = 0; i < axes; ++i) {
    places *= size[2 + i];
    shape.push_back(size[2 + i]);
  }
  shape.push_back(axes);
  const Tensor<T> plain = detail::Access::allocate<T>({places, axes + 1}, Cpu{});
  for (int64_t i = 0; i < places; ++i) {
    T* const row = plain.data() + i * (axes + 1);
    int64_t rest = i;
    for (int k = 0; k < axes; ++k) {
      const int64_t n = size[1 + axes - k];
      row[k] = static_cast<T>(
          static_cast<compute_t<T>>(sampling::coordinate(rest % n, n, align_corners)));
      rest /= n;
    }
    row[axes] = static_cast<T>(compute_t<T>(1));
  }
  const auto base = plain.to(theta.device());
  return matmul(base, theta.transpose(1, 2)).eval().reshape(shape);
}

}  // namespace weft
