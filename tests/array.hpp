// Array, the reference for views, broadcasting and reductions: values in row-major order and loops.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "reference.hpp"
#include "test.hpp"

namespace test {

using Index = std::vector<std::int64_t>;

/// f(index) at every coordinate of the shape, in row-major order.
template <class F>
void each_index(const weft::Shape& shape, F f) {
  Index index(static_cast<std::size_t>(shape.rank()));
  for (std::int64_t left = shape.size(); left > 0; --left) {
    f(index);
    for (int d = shape.rank() - 1; d >= 0 && ++index[d] == shape[d]; --d) index[d] = 0;
  }
}

/// Every shape with `least` to 4 axes of size 0, 1 or 3, at least one of them 0.
inline std::vector<weft::Shape> empty_shapes(int least = 1) {
  std::vector<weft::Shape> shapes;
  int codes = 1;
  for (int rank = 0; rank <= 4; ++rank, codes *= 3) {
    for (int code = 0; code < codes && rank >= least; ++code) {
      weft::Shape shape;
      for (int d = 0, left = code; d < rank; ++d, left /= 3) {
        shape.push_back(left % 3 == 2 ? 3 : left % 3);
      }
      if (rank > 0 && shape.size() == 0) shapes.push_back(shape);
    }
  }
  return shapes;
}

/// Zeros of a shape, as they are and with the strides of the axes in the other order.
template <class T, class D>
std::vector<weft::Tensor<T, D>> empty_tensors(const weft::Shape& shape, D device) {
  weft::Shape turned;
  weft::Shape back;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    turned.push_back(shape[d]);
    back.push_back(d);
  }
  return {weft::zeros<T>(shape, device), weft::zeros<T>(turned, device).permute(back)};
}

/// Whether an expression has this shape and all its elements are `value`.
template <class E, class V>
bool is_full(const E& e, const weft::Shape& shape, V value) {
  const auto x = e.eval();
  if (!(x.shape() == shape)) return false;
  for (const auto v : x.to_vector()) {
    if (!(v == value || (v != v && value != value))) return false;
  }
  return true;
}
/// Whether it has this shape and no elements.
template <class E>
bool is_empty(const E& e, const weft::Shape& shape) {
  const auto x = e.eval();
  return shape.size() == 0 && x.shape() == shape && x.to_vector().empty();
}

template <class T>
struct Array {
  weft::Shape shape;
  std::vector<T> values;

  /// The element at coordinates of a shape that this one broadcasts to.
  T at(const Index& index) const {
    const int shift = static_cast<int>(index.size()) - shape.rank();
    std::int64_t k = 0;
    for (int d = 0; d < shape.rank(); ++d) {
      k = k * shape[d] + (shape[d] == 1 ? 0 : index[d + shift]);
    }
    return values[static_cast<std::size_t>(k)];
  }
  /// The array of shape `to` whose element at i is this one's at source(i).
  template <class F>
  Array pick(const weft::Shape& to, F source) const {
    Array out{to, {}};
    each_index(to, [&](const Index& i) { out.values.push_back(at(source(i))); });
    return out;
  }
  template <class D>
  weft::Tensor<T, D> on(D device) const {
    return weft::tensor(values, shape, device);
  }
};

/// What a tensor holds.
template <class T, class D>
Array<T> array(const weft::Tensor<T, D>& x) {
  return {x.shape(), x.to_vector()};
}

template <weft::Expression E, class T>
bool same(const E& e, const Array<T>& expected) {
  const auto x = e.eval();
  return x.shape() == expected.shape && x.to_vector() == expected.values;
}

/// The positions that Python's range(size)[start:stop:step] holds; weft::Slice::unset is None.
inline Index sliced(std::int64_t size, std::int64_t start, std::int64_t stop, std::int64_t step) {
  constexpr auto unset = weft::Slice::unset;
  const bool forwards = step > 0;
  std::int64_t at = start == unset ? (forwards ? 0 : size - 1) : start < 0 ? start + size : start;
  std::int64_t end = stop == unset ? (forwards ? size : -1) : stop < 0 ? stop + size : stop;
  at = forwards ? std::max<std::int64_t>(at, 0) : std::min(at, size - 1);
  Index positions;
  for (; forwards ? at < std::min(end, size) : at > std::max<std::int64_t>(end, -1); at += step) {
    positions.push_back(at);
  }
  return positions;
}

struct Random : Numbers {
  explicit Random(std::uint64_t seed) { state += seed * 0x9E3779B97F4A7C15U; }

  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(high - low + 1));
  }
  weft::Shape shape(int most_axes, std::int64_t most, std::int64_t least = 1) {
    weft::Shape s;
    for (std::int64_t rank = between(0, most_axes); rank > 0; --rank)
      s.push_back(between(least, most));
    return s;
  }
  /// Small integers, which every type and order of summation holds exactly.
  template <class T>
  Array<T> array(const weft::Shape& shape) {
    Array<T> a{shape, {}};
    for (std::int64_t n = shape.size(); n > 0; --n)
      a.values.push_back(static_cast<T>(between(0, 9)));
    return a;
  }
  /// A shape that broadcasts to the given one: axes set to 1, leading ones left out.
  weft::Shape shrunk(const weft::Shape& to) {
    weft::Shape s;
    for (int d = static_cast<int>(between(0, to.rank())); d < to.rank(); ++d) {
      s.push_back(between(0, 2) == 0 ? 1 : to[d]);
    }
    return s;
  }

  /// One view at random of a tensor of rank 1 or more, and of the array that models it.
  template <class T, class D>
  void vary(weft::Tensor<T, D>& x, Array<T>& a) {
    const auto rank = static_cast<int>(a.shape.rank());
    const auto axis = static_cast<int>(between(0, rank - 1));
    weft::Shape shape = a.shape;
    switch (between(0, rank < 4 ? 4 : 3)) {
      case 0: {
        const auto other = static_cast<int>(between(0, rank - 1));
        std::swap(shape[axis], shape[other]);
        a = a.pick(shape, [&](Index i) { return std::swap(i[axis], i[other]), i; });
        x = x.transpose(axis, other);
        break;
      }
      case 1:
        a = a.pick(shape, [&](Index i) { return i[axis] = shape[axis] - 1 - i[axis], i; });
        x = x.flip(axis - rank);
        break;
      case 2: {
        const std::int64_t step = between(0, 1) == 0 ? between(1, 3) : between(-3, -1);
        const auto n = shape[0];
        const Index at = sliced(n, between(-n, n), weft::Slice::unset, step);
        if (at.empty()) break;
        shape[0] = static_cast<std::int64_t>(at.size());
        a = a.pick(shape, [&](Index i) { return i[0] = at[static_cast<std::size_t>(i[0])], i; });
        x = x(weft::slice(at[0], weft::none, step));
        break;
      }
      case 3: {
        const auto start = between(0, shape[axis] - 1);
        shape[axis] = between(1, shape[axis] - start);
        a = a.pick(shape, [&](Index i) { return i[axis] += start, i; });
        x = x.narrow(axis, start, shape[axis]);
        break;
      }
      case 4:
        shape.insert(axis, 3);
        a = a.pick(shape, [&](Index i) { return i.erase(i.begin() + axis), i; });
        x = x.unsqueeze(axis).expand(shape);
        break;
    }
  }
};

}  // namespace test
