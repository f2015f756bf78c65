// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/register_layout.hpp"

#include "test.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::bfloat16;
using weft::Cuda;
using weft::keepdims;
using weft::Tensor;

namespace {

template <class E>
using LayoutOf =
    typename weft::cuda::detail::RowKernelOf<weft::detail::TypeList<typename E::value_type>,
                                             typename weft::detail::Rows<E>::types,
                                             decltype(weft::detail::Rows<E>::program)>::Layout;

template <class T>
using X = Tensor<T, Cuda>;
template <class T>
using Softmax = decltype(softmax(std::declval<X<T>>()));
template <class T>
auto weighted(const X<T>& x, const X<T>& y) {
  return x * y / sum(x * y, axis(-1), keepdims);
}

template <class T>
auto entropy(const X<T>& x) {
  return sum(softmax(x) * log_softmax(x), axis(-1)) * 1.F;
}

/// out[j] = lane j of elements from 1 on; out[8 + j] = lane j of 5 in each.
template <class T>
__global__ void lanes(T* out, const T* in) {
  weft::cuda::detail::RowWords<T, 8> words;
  words.load(reinterpret_cast<const char*>(in));
  for (int j = 0; j < 8; ++j) out[j] = words.lane(j);
  words.fill(in[4]);
  for (int j = 0; j < 8; ++j) out[8 + j] = words.lane(j);
}

}  // namespace

TEST_CASE("what a thread keeps fits its registers") {
  static_assert(LayoutOf<Softmax<float>>::possible);
  static_assert(LayoutOf<Softmax<float>>::vectors == 8);
  static_assert(LayoutOf<Softmax<bfloat16>>::vectors == 4);
  static_assert(LayoutOf<Softmax<double>>::vectors == 4);
  static_assert(LayoutOf<Softmax<bfloat16>>::reuses);
  static_assert(!LayoutOf<Softmax<float>>::reuses);  // whose sum has terms of its own
  static_assert(!LayoutOf<Softmax<float>>::independent);
  using Weighted = decltype(weighted<float>(std::declval<X<float>>(), std::declval<X<float>>()));
  static_assert(LayoutOf<Weighted>::computed);  // x * y, in place of its operands
  static_assert(LayoutOf<Weighted>::possible);
  static_assert(LayoutOf<Weighted>::vectors == 8);
  static_assert(LayoutOf<Weighted>::independent);
  static_assert(LayoutOf<Weighted>::always_kept == 0);
}

TEST_CASE("there is a kernel that keeps two operands where reductions may read two") {
  using TwoSoftmaxes = decltype(std::declval<Softmax<float>>() - std::declval<Softmax<float>>());
  static_assert(!LayoutOf<Softmax<float>>::may_have_two);
  static_assert(!LayoutOf<decltype(standardize(std::declval<X<float>>()))>::may_have_two);
  static_assert(LayoutOf<TwoSoftmaxes>::may_have_two);
  static_assert(LayoutOf<TwoSoftmaxes>::possible);
  static_assert(LayoutOf<TwoSoftmaxes>::vectors == 8);
  static_assert(LayoutOf<decltype(entropy<float>(std::declval<X<float>>()))>::may_have_two);
}

TEST_CASE("a reduction and the outputs both read two operands") {
  const auto gradient = []<class A>(const A& y, const A& g) {  // of softmax
    return y * (g - sum(g * y, axis(-1), keepdims));
  };
  using Gradient = decltype(gradient(std::declval<X<float>>(), std::declval<X<float>>()));
  static_assert(LayoutOf<Gradient>::possible);
  static_assert(LayoutOf<Gradient>::keeps_two);
  static_assert(LayoutOf<Gradient>::may_have_two);
  static_assert(!LayoutOf<Gradient>::independent);
  using Similarity =
      decltype(cosine_similarity(std::declval<X<float>>(), std::declval<X<float>>()));
  static_assert(!LayoutOf<Similarity>::keeps_two);
}

TEST_CASE("what reductions that need each other read is taken for one operand, or two") {
  using Entropy = decltype(entropy<float>(std::declval<X<float>>()));
  static_assert(LayoutOf<Entropy>::most_operands == 2);
  static_assert(!LayoutOf<Entropy>::independent);
  static_assert(LayoutOf<Entropy>::possible);
  static_assert(LayoutOf<Entropy>::always_kept != 0);
}

TEST_CASE_TEMPLATE("words hold elements of any size [gpu]", T, std::int8_t, weft::half, float,
                   double, weft::complex<double>) {
  Tensor<T> x = weft::empty<T>({8});
  for (int i = 0; i < 8; ++i) x(i) = static_cast<T>(static_cast<float>(i + 1));
  const auto in = x.to(Cuda{});
  const auto out = weft::empty<T>({16}, Cuda{});
  lanes<<<1, 1, 0, weft::cuda::current_stream().handle()>>>(out.data(), in.data());
  const auto found = out.to_vector();
  for (std::size_t j = 0; j < 8; ++j) {
    CHECK(found[j] == static_cast<T>(static_cast<float>(j + 1)));
    CHECK(found[8 + j] == static_cast<T>(5.F));
  }
}
