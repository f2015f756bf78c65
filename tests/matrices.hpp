// What the tests of matrix products share: a naive reference, and operands in every kind of layout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "array.hpp"

#ifdef __CUDACC__
#include "weft/cuda/matmul.hpp"
#endif

namespace test {

/// The type that the reference computes in.
template <class T>
struct Exact {
  using type = double;
};
template <class T>
struct Exact<weft::complex<T>> {
  using type = weft::complex<double>;
};
template <class T>
using exact_t = typename Exact<T>::type;

/// A value rounded once to T; integers wrap.
template <class T>
T rounded(exact_t<T> x) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<std::uint64_t>(static_cast<std::int64_t>(x)));
  } else {
    return static_cast<T>(x);
  }
}

/// matmul(a, b) by its definition, one sum for each element.
template <class T>
Array<exact_t<T>> product(const Array<T>& a, const Array<T>& b) {
  Array<T> left = a;
  Array<T> right = b;
  if (a.shape.rank() == 1) left.shape.insert(0, 1);
  if (b.shape.rank() == 1) right.shape.insert(1, 1);
  Array<exact_t<T>> out{weft::detail::product_shape("test", a.shape, b.shape), {}};
  each_index(weft::detail::product_shape("test", left.shape, right.shape), [&](Index i) {
    Index at_left = i;
    Index at_right = i;
    exact_t<T> sum(0);
    for (std::int64_t k = 0; k < a.shape[a.shape.rank() - 1]; ++k) {
      at_left.back() = k;
      at_right[at_right.size() - 2] = k;
      sum +=
          static_cast<exact_t<T>>(left.at(at_left)) * static_cast<exact_t<T>>(right.at(at_right));
    }
    out.values.push_back(sum);
  });
  return out;
}

/// The elements rounded to T.
template <class T>
Array<T> rounded(const Array<exact_t<T>>& x) {
  Array<T> out{x.shape, {}};
  for (const auto& value : x.values) out.values.push_back(rounded<T>(value));
  return out;
}

/// Small numbers, so that float holds every sum exactly.
template <class T>
Array<T> small_numbers(Random& r, const weft::Shape& shape) {
  Array<T> out{shape, {}};
  for (std::int64_t n = shape.size(); n > 0; --n) {
    const auto x = static_cast<double>(r.between(std::is_unsigned_v<T> ? 0 : -4, 5));
    if constexpr (weft::is_complex<T>) {
      out.values.push_back(T(weft::complex<double>(x, static_cast<double>(r.between(-3, 3)))));
    } else {
      out.values.push_back(static_cast<T>(x));
    }
  }
  return out;
}

/// How the elements of a tensor may lie in memory.
inline constexpr int layouts = 6;

/// The array as a tensor of layout number `how`: dense, transposed, rows or columns of a larger
/// matrix, every second element, backwards.
template <class T, class D>
weft::Tensor<T, D> laid_out(const Array<T>& a, D device, int how) {
  using weft::slice;
  const int rank = a.shape.rank();
  const auto x = a.on(device);
  const int axis = how == 3 && rank > 1 ? rank - 2 : rank - 1;
  if (how == 0 || rank == 0) return x;
  if (how == 1) {
    if (rank < 2) return x;
    return x.transpose(rank - 1, rank - 2).clone().transpose(rank - 1, rank - 2);
  }
  if (how == 5) return x.flip(axis).clone().flip(axis);
  weft::Shape wide = a.shape;
  const std::int64_t step = how == 4 ? 2 : 1;
  wide[axis] = wide[axis] * step + 3;
  const auto room = weft::full<T>(wide, weft::compute_t<T>(7), device);
  auto part = room.narrow(axis, 1, a.shape[axis] * step);
  if (step == 2) {
    part = axis == rank - 1 ? part(weft::ellipsis, slice(weft::none, weft::none, 2)) : part;
  }
  part.assign(x);
  return part;
}

}  // namespace test
