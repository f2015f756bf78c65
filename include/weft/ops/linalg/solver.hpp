// MatrixSolver<D>: what a device provides for linear algebra, and how functions reach it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/linalg/matrices.hpp"
#include "weft/ops/linalg/small_matrix.hpp"

namespace weft {

/// The factorisations of device D (cpu/linalg/solver.hpp, cuda/linalg/solver.hpp), each of all
/// matrices of a batch, which have elements. A failure names the matrix and the pivot.
///   static constexpr bool is_compiled;  // false in files that nvcc does not compile
///   static constexpr bool complete;  // false where only small_ functions are there, see below
///   static constexpr bool has_eig;
///   cholesky(operation, a)                   the lower triangle of a becomes L
///   lu(operation, a, pivots)                 a becomes L and U; row i was exchanged with pivots(i)
///   check_pivots(operation, a)               fails where the diagonal of a has a 0
///   lu_solve(operation, lu, pivots, b, transposed)    b becomes A^-1 b, or A^-H b
///   inverse(operation, lu, pivots)           lu becomes A^-1; only where it is faster than
///   lu_solve triangular_solve(operation, a, b, Triangle)       b becomes a^-1 b qr(operation, a,
///   tau)                    a becomes R and Householder's vectors householder_q(operation, a, tau)
///   those vectors become Q, of as many columns as a eigh(operation, a, w, vectors)           a,
///   its lower triangle read, becomes eigenvectors svd(operation, a, s, u, vh)              a is
///   lost; u and vh without columns are not computed eig(operation, a, w, v) complex; a is lost
/// And of dense row-major (matrix, n, n), n at most linalg::small_size:
///   small_det(x, out)  small_inv(operation, x, out)  small_cholesky(operation, x, out)
///   small_solve(operation, a, b, out)        b and out: (matrix, n, k)
template <class D>
struct MatrixSolver;

namespace linalg {

/// Which half of a matrix is read, and how.
struct Triangle {
  bool upper = false;
  bool transposed = false;  ///< A^H x = b; of real matrices A^T x = b
  bool unit = false;        ///< the diagonal counts as ones
};

template <class D>
using solver_of = MatrixSolver<std::conditional_t<is_cuda<D>, Cuda, D>>;

/// Whether linear algebra takes operands of these types; if not, one compile error that says why.
template <class X, class... Xs>
constexpr bool takes() {
  using T = typename std::remove_cvref_t<X>::value_type;
  using D = weft::detail::common_device_of<std::remove_cvref_t<X>, std::remove_cvref_t<Xs>...>;
  constexpr bool field = is_field<T>;
  static_assert(field,
                "weft: linear algebra takes elements of type float, double or complex: write "
                "cast<float>(x)");
  constexpr bool same = (std::is_same_v<typename std::remove_cvref_t<Xs>::value_type, T> && ...);
  static_assert(same, "weft: element types do not convert silently: write cast<T>(x)");
  constexpr bool mixes = !std::is_same_v<D, NoDevice>;
  static_assert(mixes,
                "weft: one operand is on Cpu and another on Cuda; an operation runs on one "
                "device: write x.to(Cuda{}) or x.to(Cpu{})");
  constexpr bool here = requires { sizeof(solver_of<D>); }
  || !mixes;
  static_assert(here || !is_cuda<D>,
                "weft: for linear algebra on Cuda include <weft/cuda/linalg.hpp>");
  static_assert(here || is_cuda<D>, "weft: for linear algebra include <weft/linalg.hpp>");
  if constexpr (field && same && mixes && here) {
    constexpr bool runs = solver_of<D>::is_compiled;
    static_assert(runs,
                  "weft: linear algebra on Cuda needs nvcc: move this "
                  "statement to a .cu file");
    return runs;
  }
  return false;
}

/// Computes K of tensors; of Vars too, recorded, where weft/autograd.hpp is included. K has
///   text                                            what it is called
///   Tensor value(tensors...)
///   void backward(gradient, y, pulls, tensors...)   passes gradients to the pulls
template <class K, class... Xs>
auto run(const K& k, const Xs&... xs) {
  if constexpr ((weft::detail::has_var<Xs> || ...)) {
    return recorded(k, xs...);
  } else {
    return k.value(xs...);
  }
}

/// The tensor of a Tensor or Var.
template <class X>
decltype(auto) value_of(const X& x) {
  if constexpr (weft::detail::is_var<X>) {
    return x.value();
  } else {
    return x;
  }
}

template <class T, class D>
Tensor<T, Cpu> on_cpu(const Tensor<T, D>& x) {
  return x.to(Cpu{});
}
template <class T, class D>
Columns<T, Cpu> on_cpu(const Columns<T, D>& x) {
  return {x.memory.to(Cpu{})};
}
template <class T, class D>
void copy_back(const Tensor<T, D>& to, const Tensor<T, Cpu>& from) {
  to.assign(from.to(to.device()));
}
template <class T, class D>
void copy_back(const Columns<T, D>& to, const Columns<T, Cpu>& from) {
  copy_back(to.memory, from.memory);
}

/// f(solver, arguments...) for columns and tensors on D: there, or, where no library for D is
/// linked, on the CPU, from where all are copied back.
template <class D, bool Here = solver_of<D>::complete, class Host = Cpu, class F, class... Xs>
void solve_on(const F& f, const Xs&... arguments) {
  if constexpr (Here) {
    f(solver_of<D>{}, arguments...);
  } else {
    const auto there = [&](const auto&... local) {
      f(MatrixSolver<Host>{}, local...);
      (copy_back(arguments, local), ...);
    };
    there(on_cpu(arguments)...);
  }
}

}  // namespace linalg
}  // namespace weft
