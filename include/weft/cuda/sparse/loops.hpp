// CUDA's loops over sparse matrices: weft's kernels, and cuSPARSE's for rows of unequal lengths.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/copy.hpp"
#include "weft/cuda/sparse/cusparse.hpp"
#include "weft/cuda/sparse/kernels.hpp"
#include "weft/cuda/sparse/sample.hpp"
#include "weft/tensor/from_values.hpp"

namespace weft {

namespace on_cuda {

/// Who computes a product that both can: automatic, except in benchmarks and tests.
enum class SparseChoice : unsigned char { automatic, kernels, library };
[[gnu::visibility("default")]] inline SparseChoice sparse_choice = SparseChoice::automatic;

namespace detail {
/// Whether all would wait for the block with the fullest row; cuSPARSE splits it. On an H200 a
/// block takes as long for a row with 1/400 of all elements as the others for the rest. Unknown for
/// a pattern that was not inspected, whose longest row is -1.
inline bool is_uneven(int64_t count, int64_t longest) {
  return longest > 4096 && longest > count / 400;
}
inline bool takes_library(int64_t count, int64_t longest) {
  if (sparse_choice != SparseChoice::automatic) return sparse_choice == SparseChoice::library;
  return is_uneven(count, longest);
}

/// Blocks of `a_group` of 2^shift threads for each of `items`.
inline unsigned sparse_blocks(const char* operation, int64_t items, int shift, int threads) {
  const int64_t blocks = ((items << shift) + threads - 1) / threads;
  if (blocks > INT32_MAX) {
    fail<ShapeError>(operation, items, " rows or elements, expected fewer than ",
                     (int64_t{INT32_MAX} * threads) >> shift);
  }
  return static_cast<unsigned>(blocks);
}

/// Whether all rows of n elements, `step` apart, are of whole vectors of N.
template <int N, class T>
bool has_vectors(const T* x, int64_t n, int64_t step) {
  return n % N == 0 && step % N == 0 && reinterpret_cast<std::uintptr_t>(x) % (sizeof(T) * N) == 0;
}
}  // namespace detail
}  // namespace on_cuda

template <>
struct SparseLoops<Cuda> {
  /// What a capture computes exists only after a replay.
  template <class D>
  static bool may_keep(D d) {
    return !on_cuda::is_capturing(on_cuda::current_stream(Cuda(d)));
  }

#if defined(__CUDACC__)
  template <class D>
  static sparse::Facts inspect(const sparse::Pattern<D>& p) {
    if (p.rows == 0) return {};
    const Cuda device{p.crow.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    const Tensor<int, Cuda> found = tensor({INT32_MAX, 0}).to(device);
    read(stream, p.crow, p.col);
    on_cuda::order_write(found.storage(), stream);
    on_cuda::InspectTask task{p.crow.data(), p.col.data(), p.rows,          p.columns,
                              p.count(),     found.data(), found.data() + 1};
    void* arguments[] = {&task};
    on_cuda::detail::launch(
        {"csr"}, Shape{p.rows, p.columns},
        reinterpret_cast<const void*>(on_cuda::inspect_rows<on_cuda::InspectTask>),
        on_cuda::detail::sparse_blocks("csr", p.rows, 5, threads), threads, arguments, stream);
    const Tensor<int, Cpu> here = found.to(Cpu{});
    const int bad = here.data()[0];
    return {bad == INT32_MAX ? -1 : bad, here.data()[1]};
  }

  template <class T, class Out, class D, class C>
  static void multiply(const char* operation, const sparse::Pattern<D>& p,
                       const Tensor<T, D>& values, const Tensor<T, D>& x,
                       const Tensor<Out, D>& target, const Epilogue<T, C>& epilogue) {
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    read(stream, p.crow, p.col, values, x);
    on_cuda::SparseTask<T, Out> t{};
    if (epilogue.addend != nullptr) {
      read(stream, *epilogue.addend);
      const Layout b = layout::expand(epilogue.addend->layout(), target.shape());
      t.addend = epilogue.addend->data();
      t.addend_row = b.strides[0];
      t.addend_column = target.rank() > 1 ? b.strides[1] : 0;
    }
    on_cuda::order_write(target.storage(), stream);
    t.crow = p.crow.data();
    t.col = p.col.data();
    t.values = values.data();
    t.x = x.data();
    t.out = target.data();
    t.rows = p.rows;
    t.step = sparse::row_step(x);
    t.n = static_cast<int>(x.rank() == 1 ? 1 : x.shape()[1]);
    t.activation = epilogue.activation;
    t.alpha = static_cast<sparse::sum_t<T>>(epilogue.alpha);
    t.beta = static_cast<sparse::sum_t<T>>(epilogue.beta);
#if defined(WEFT_CUSPARSE)
    if constexpr (std::is_same_v<T, Out> && on_cuda::detail::is_in_cusparse<T>) {
      const bool plain = t.addend == nullptr && t.activation == Activation::identity;
      const bool adds_itself =
          t.addend != nullptr && epilogue.addend->storage() == target.storage();
      if (p.count() > 0 && !adds_itself && on_cuda::detail::takes_library(p.count(), p.longest)) {
        const T zero(0);
        const on_cuda::detail::CusparseProduct product{p.rows,
                                                       p.columns,
                                                       p.count(),
                                                       t.crow,
                                                       t.col,
                                                       t.values,
                                                       t.x,
                                                       t.out,
                                                       t.n,
                                                       t.step,
                                                       on_cuda::detail::cusparse_type<T>,
                                                       &t.alpha,
                                                       &zero};
        on_cuda::detail::run_cusparse(operation, product, device, stream);
        if (plain) return;
        t.alpha = T(1);
        void* rest[] = {&t};
        return on_cuda::detail::launch(
            {operation}, target.shape(),
            reinterpret_cast<const void*>(on_cuda::finish_product<T, Out>),
            on_cuda::detail::sparse_blocks(operation, target.size(), 0, threads), threads, rest,
            stream);
      }
    }
#endif
    void* arguments[] = {&t};
    if (t.n == 1) {
      t.shift = on_cuda::detail::group_shift((p.count() / p.rows + 1) / 2);
      return on_cuda::detail::launch(
          {operation}, target.shape(),
          reinterpret_cast<const void*>(on_cuda::sparse_times_vector<T, Out>),
          on_cuda::detail::sparse_blocks(operation, p.rows, t.shift, threads), threads, arguments,
          stream);
    }
    constexpr int n = 16 / static_cast<int>(sizeof(T) > sizeof(Out) ? sizeof(T) : sizeof(Out));
    const bool wide = on_cuda::detail::has_vectors<n>(t.x, t.n, t.step) &&
                      on_cuda::detail::has_vectors<n>(t.out, t.n, t.n);
    const int lanes = wide ? t.n / n : t.n;
    t.shift = on_cuda::detail::group_shift(lanes);
    const auto tiles = static_cast<unsigned>(((lanes - 1) >> t.shift) + 1);
    const void* const kernel =
        wide ? reinterpret_cast<const void*>(on_cuda::sparse_times_matrix<n, T, Out>)
             : reinterpret_cast<const void*>(on_cuda::sparse_times_matrix<1, T, Out>);
    if (tiles > 65535) {
      fail<ShapeError>(operation, t.n, " columns on CUDA, expected at most 2^21");
    }
    on_cuda::detail::launch(
        {operation}, target.shape(), kernel,
        dim3(on_cuda::detail::sparse_blocks(operation, p.rows, t.shift, threads), tiles), threads,
        arguments, stream);
  }

  template <class T, class Out, class D>
  static void sample(const char* operation, const sparse::Pattern<D>& p, const Tensor<T, D>& a,
                     const Tensor<T, D>& b, const Tensor<Out, D>& target) {
    const Cuda device{target.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    read(stream, p.crow, p.col, a, b);
    on_cuda::order_write(target.storage(), stream);
    on_cuda::SampleTask<T, Out> t{p.crow.data(),
                                  p.col.data(),
                                  a.data(),
                                  b.data(),
                                  target.data(),
                                  p.rows,
                                  p.count(),
                                  sparse::row_step(a),
                                  sparse::row_step(b),
                                  static_cast<int>(a.shape()[1]),
                                  0};
    constexpr int n = 16 / static_cast<int>(sizeof(T));
    const bool wide = on_cuda::detail::has_vectors<n>(t.a, t.n, t.a_step) &&
                      on_cuda::detail::has_vectors<n>(t.b, t.n, t.b_step);
    t.shift = on_cuda::detail::group_shift(wide ? t.n / n : t.n);
    void* arguments[] = {&t};
    const auto run = [&](const void* of_vectors, const void* of_elements, int64_t groups) {
      on_cuda::detail::launch({operation}, target.shape(), wide ? of_vectors : of_elements,
                              on_cuda::detail::sparse_blocks(operation, groups, t.shift, threads),
                              threads, arguments, stream);
    };
    if (on_cuda::detail::is_uneven(p.count(), p.longest)) {
      run(reinterpret_cast<const void*>(on_cuda::sample_by_elements<n, T, Out>),
          reinterpret_cast<const void*>(on_cuda::sample_by_elements<1, T, Out>),
          (p.count() + 3) / 4);
    } else {
      run(reinterpret_cast<const void*>(on_cuda::sample_product<n, T, Out>),
          reinterpret_cast<const void*>(on_cuda::sample_product<1, T, Out>), p.rows);
    }
  }

 private:
  static constexpr int threads = on_cuda::sparse_threads;

  template <class... Xs>
  static void read(const on_cuda::Stream& stream, const Xs&... xs) {
    ((xs.storage() != nullptr ? on_cuda::order_read(xs.storage(), stream) : void()), ...);
  }
#else
  template <class D>
  static sparse::Facts inspect(const sparse::Pattern<D>&) {
    return refuse<D>();
  }
  template <class T, class Out, class D, class C>
  static void multiply(const char*, const sparse::Pattern<D>&, const Tensor<T, D>&,
                       const Tensor<T, D>&, const Tensor<Out, D>&, const Epilogue<T, C>&) {
    refuse<T>();
  }
  template <class T, class Out, class D>
  static void sample(const char*, const sparse::Pattern<D>&, const Tensor<T, D>&,
                     const Tensor<T, D>&, const Tensor<Out, D>&) {
    refuse<T>();
  }

 private:
  template <class T>
  static sparse::Facts refuse() {
    static_assert(detail::always_false<T>,
                  "weft: a sparse matrix on Cuda is used in a file that nvcc compiles: move this "
                  "statement to a .cu file");
    return {};
  }
#endif
};

WEFT_MODEL(SparseDevice<Cuda>);

}  // namespace weft
