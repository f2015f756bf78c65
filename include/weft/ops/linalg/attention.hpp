// scaled_dot_product_attention: softmax(scale q k^T + mask) v, without the matrix in between.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "weft/core/random/generator.hpp"
#include "weft/ops/linalg/matmul.hpp"

namespace weft {

/// Which keys a query attends to: a bool tensor in which true means that the key takes part, or one
/// of the queries' element type that is added to the scores. Its shape broadcasts to (batch, heads,
/// queries, keys). It is treated as a constant, without a gradient.
template <class T, class D>
struct AttentionMask {
  std::optional<Tensor<bool, D>> allowed;
  std::optional<Tensor<T, D>> added;

  AttentionMask() = default;
  AttentionMask(const Tensor<bool, D>& mask) : allowed(mask) {}
  AttentionMask(const Tensor<T, D>& mask) : added(mask) {}
};

template <class T, class D>
struct AttentionOptions {
  AttentionMask<T, D> mask = {};
  bool causal = false;  ///< query i attends to the keys up to number past + i
  double dropout = 0;   ///< probability of setting a weight to 0; others are scaled by 1 / (1-p)
  std::optional<double> scale = {};  ///< 1 / sqrt(width) unless given
  bool enable_gqa = false;           ///< lets neighbouring query heads share a head of keys
  int64_t past = 0;                  ///< the keys that came before the first query, as in a cache
};

/// The strides of an attention's operand: elements are addressed by batch, head, row and their
/// place in the row, which is contiguous.
template <class T>
struct AttentionRows {
  T* data = nullptr;
  int64_t batch = 0;
  int64_t head = 0;
  int64_t row = 0;

  WEFT_HD T* at(int64_t b, int64_t h, int64_t i) const {
    return data + b * batch + h * head + i * row;
  }
};

/// The sizes of an attention and what is done to its scores. Element types are left to the
/// executor.
struct AttentionPlan {
  int64_t batches = 0;
  int64_t heads = 0;
  int64_t key_heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t width = 0;        // of a query and a key
  int64_t value_width = 0;  // of a value
  double scale = 1;
  bool causal = false;
  int64_t past = 0;
  const bool* allowed = nullptr;
  const void* added = nullptr;
  int64_t mask_strides[4] = {};  // along batch, head, query, key
  std::uint32_t dropped = 0;     // bits below it make a weight 0
  float kept_factor = 1;
  Draw draw;
  bool by_library = false;  // set by forward() for backward()

  WEFT_HD int64_t mask_at(int64_t b, int64_t h, int64_t i, int64_t j) const {
    return b * mask_strides[0] + h * mask_strides[1] + i * mask_strides[2] + j * mask_strides[3];
  }
  /// How many keys query i may attend to; they are the first ones.
  WEFT_HD int64_t visible(int64_t i) const {
    if (!causal) return keys;
    const int64_t end = past + i + 1;
    return end < 0 ? 0 : end < keys ? end : keys;
  }
  WEFT_HD bool drops() const { return dropped > 0; }
  /// The dropout factor of the weight of key j for query i.
  WEFT_HD float kept(const Draw& from, int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t at = ((b * heads + h) * queries + i) * keys + j;
    return from.bits32(static_cast<std::uint64_t>(at)) < dropped ? 0 : kept_factor;
  }
};

/// The attention of device D (cpu/attention.hpp, cuda/attention/attention.hpp). All tensors have
/// four axes, (batch, head, row, column), and columns without gaps; `logs` gets, and gives to the
/// backward pass, the logarithm of each query's sum of exponentials, of shape (batch, head, query).
///   template <class T, class D>
///   static void forward(AttentionPlan&, const Tensor<T, D>& q, k, v, const Tensor<T, D>& y,
///                       const Tensor<compute_t<T>, D>& logs);
///   template <class T, class D>
///   static void backward(const AttentionPlan&, const Tensor<T, D>& q, k, v, y,
///                        const Tensor<compute_t<T>, D>& logs, const Tensor<T, D>& gradient,
///                        const Tensor<T, D>& dq, dk, dv);
/// The last three are written where they have elements.
template <class D>
struct AttentionKernels;

namespace detail {
/// Checks shapes and options; throws ShapeError or ValueError.
WEFT_OUTLINED inline AttentionPlan plan_attention(const Shape& q, const Shape& k, const Shape& v,
                                                  double dropout, std::optional<double> scale,
                                                  bool grouped) {
  constexpr const char* name = "scaled_dot_product_attention";
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4) {
    fail<ShapeError>(name, "shapes ", q, ", ", k, " and ", v,
                     ", expected (batch, heads, length, width)");
  }
  const bool fits = q[0] == k[0] && k[0] == v[0] && k[1] == v[1] && k[2] == v[2] && q[3] == k[3];
  if (!fits || (!grouped && q[1] != k[1])) {
    fail<ShapeError>(name, "queries ", q, ", keys ", k, " and values ", v,
                     ", expected equal batches, equally many heads, keys as wide as queries, "
                     "and as many values as keys");
  }
  if (q[1] != k[1] && (k[1] == 0 || q[1] % k[1] != 0)) {
    fail<ShapeError>(name, q[1], " query heads for ", k[1],
                     " key heads, expected a multiple with enable_gqa");
  }
  if (!(dropout >= 0 && dropout <= 1)) {
    fail<ValueError>(name, "dropout ", dropout, ", expected 0 to 1");
  }
  AttentionPlan plan;
  plan.batches = q[0];
  plan.heads = q[1];
  plan.key_heads = k[1];
  plan.queries = q[2];
  plan.keys = k[2];
  plan.width = q[3];
  plan.value_width = v[3];
  plan.scale = scale ? *scale : q[3] > 0 ? 1 / std::sqrt(static_cast<double>(q[3])) : 1;
  plan.dropped = dropout < 1 ? static_cast<std::uint32_t>(dropout * 0x1p32) : UINT32_MAX;
  plan.kept_factor = dropout < 1 ? static_cast<float>(1 / (1 - dropout)) : 0;
  return plan;
}

/// Whether the header with D's attention is included; if not, one compile error that names it.
template <class D>
constexpr bool can_attend() {
  constexpr bool here = requires { sizeof(AttentionKernels<D>); };
  static_assert(here || !is_cuda<D>,
                "weft: for attention on Cuda include <weft/cuda/attention.hpp>");
  static_assert(here || is_cuda<D>, "weft: for attention on Cpu include <weft/weft.hpp>");
  return here;
}

/// A tensor with contiguous columns: x itself, or a copy.
template <class T, class D>
Tensor<T, D> with_dense_rows(const Tensor<T, D>& x) {
  const bool dense = x.size(3) <= 1 || x.strides()[3] == 1;
  bool forwards = true;
  for (int i = 0; i < 3; ++i) forwards = forwards && (x.strides()[i] >= 0 || x.size(i) <= 1);
  const bool apart = x.size(2) <= 1 || x.strides()[2] >= x.size(3);
  return dense && forwards && apart ? x : x.clone();
}

template <class T, class D>
AttentionRows<T> rows_of(const Tensor<T, D>& x) {
  const auto step = [&](int i) { return x.size(i) > 1 ? x.strides()[i] : 0; };
  return {x.data(), step(0), step(1), x.size(2) > 1 ? x.strides()[2] : x.size(3)};
}

/// New memory for a result whose axes are laid out in the order of the queries' axes, as they come
/// from one projection and go into the next.
template <class T, class D>
Tensor<T, D> attention_memory(const Tensor<T, D>& like, const Shape& shape) {
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; ++i) {
    for (int j = 2; j > i; --j) {
      const int left = order[j - 1];
      if (like.strides()[left] >= like.strides()[order[j]]) continue;
      order[j - 1] = order[j];
      order[j] = left;
    }
  }
  Shape lying;
  Shape back{0, 0, 0, 3};
  for (int i = 0; i < 3; ++i) {
    lying.push_back(shape[order[i]]);
    back[order[i]] = i;
  }
  lying.push_back(shape[3]);
  return Access::allocate<T, D>(lying, like.device()).permute(back);
}

/// An attention's operands in the form that the executor takes, and what its backward pass needs.
template <class T, class D>
struct BegunAttention {
  AttentionPlan plan;
  Tensor<T, D> q;
  Tensor<T, D> k;
  Tensor<T, D> v;
  AttentionMask<T, D> mask;  // expanded, kept for its memory
  Tensor<T, D> y;
  Tensor<compute_t<T>, D> logs;
};

template <class T, class D>
BegunAttention<T, D> attend(const Tensor<T, D>& q, const Tensor<T, D>& k, const Tensor<T, D>& v,
                            const AttentionOptions<T, D>& options) {
  BegunAttention<T, D> a;
  AttentionPlan& plan = a.plan;
  plan = plan_attention(q.shape(), k.shape(), v.shape(), options.dropout, options.scale,
                        options.enable_gqa);
  if (options.past < 0) {
    fail<ValueError>("scaled_dot_product_attention", "past ", options.past,
                     ", expected at least 0");
  }
  plan.causal = options.causal;
  plan.past = options.past;
  const Shape scores{plan.batches, plan.heads, plan.queries, plan.keys};
  const auto place = [&](const auto& mask) {
    if (!broadcasts_to(mask.shape(), scores)) {
      fail<ShapeError>("scaled_dot_product_attention", "a mask of shape ", mask.shape(),
                       ", expected one that broadcasts to (batch, heads, queries, keys), ", scores);
    }
    const auto whole = mask.expand(scores);
    for (int i = 0; i < 4; ++i) plan.mask_strides[i] = whole.strides()[i];
    return whole;
  };
  if (options.mask.allowed) {
    a.mask.allowed = place(*options.mask.allowed);
    plan.allowed = a.mask.allowed->data();
  } else if (options.mask.added) {
    a.mask.added = place(*options.mask.added);
    plan.added = a.mask.added->data();
  }
  if (plan.drops()) plan.draw = default_generator().draw().settled();
  a.q = with_dense_rows(q);
  a.k = with_dense_rows(k);
  a.v = with_dense_rows(v);
  a.y = attention_memory(a.q, {plan.batches, plan.heads, plan.queries, plan.value_width});
  a.logs = Access::allocate<compute_t<T>, D>({plan.batches, plan.heads, plan.queries}, q.device());
  if (a.y.size() == 0) return a;
  using Runner = std::conditional_t<is_cuda<D>, Cuda, D>;
  if constexpr (can_attend<Runner>())
    AttentionKernels<Runner>::forward(plan, a.q, a.k, a.v, a.y, a.logs);
  return a;
}
}  // namespace detail

/// softmax(scale q k^T + mask) v for each batch and head (Vaswani et al. 2017), as PyTorch's
/// function of this name: queries of shape (batch, heads, n, width), keys (batch, heads, m, width)
/// and values (batch, heads, m, value_width) give (batch, heads, n, value_width). The n by m scores
/// are never stored as a whole (Dao et al. 2022). A query that may attend to nothing gets 0. Half
/// types are computed in float. Throws ShapeError for shapes that do not fit.
template <ExpressionLike Q, ExpressionLike K, ExpressionLike V>
auto scaled_dot_product_attention(
    const Q& q, const K& k, const V& v,
    const AttentionOptions<typename Q::value_type, typename Q::device_type>& options = {}) {
  using T = typename Q::value_type;
  static_assert(is_floating<T> && std::is_same_v<T, typename K::value_type> &&
                    std::is_same_v<T, typename V::value_type>,
                "weft: attention takes queries, keys and values of one floating-point type");
  return detail::attend<T, typename Q::device_type>(detail::as_tensor(q), detail::as_tensor(k),
                                                    detail::as_tensor(v), options)
      .y;
}

}  // namespace weft
