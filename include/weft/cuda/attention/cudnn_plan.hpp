// Attention and its gradients as cuDNN's graph interface takes them, and plans kept by shape.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(WEFT_CUDNN)

#include "weft/cuda/linalg/cudnn_graph.hpp"
#include "weft/ops/linalg/attention.hpp"

namespace weft::on_cuda::detail {

/// An attention, compared as bytes: all numbers of 64 bits. Strides are along batch, head and row.
struct CudnnAttentionProblem {
  enum Array : int { q, k, v, y, gradient, dq, dk, dv, arrays };
  int64_t backward = 0;
  int64_t type = 0;
  int64_t batches = 0;
  int64_t heads = 0;
  int64_t key_heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t width = 0;
  int64_t value_width = 0;
  int64_t causal = 0;
  int64_t shifted = 0;  // by keys that came before
  int64_t dropped = 0;  // as in AttentionPlan
  int64_t biased = 0;
  int64_t bias_size[4] = {};
  int64_t bias_stride[4] = {};
  int64_t stride[arrays][3] = {};

  int64_t heads_of(int array) const {
    return array == k || array == v || array == dk || array == dv ? key_heads : heads;
  }
  int64_t rows_of(int array) const {
    return array == k || array == v || array == dk || array == dv ? keys : queries;
  }
  int64_t columns_of(int array) const {
    return array == v || array == y || array == gradient || array == dv ? value_width : width;
  }
};

/// A plan, and the tensors of its arguments; those without a descriptor are not asked for.
struct CudnnAttentionPlan {
  CudnnAttentionProblem problem;
  CudnnGraph graph;
  bool found = false;
  CudnnTensor array[CudnnAttentionProblem::arrays];
  CudnnTensor logs;  // (batch, head, query, 1)
  CudnnTensor bias;
  CudnnTensor scale;
  CudnnTensor never;  // -infinity
  CudnnTensor past;   // int32
  CudnnTensor seed;
  CudnnTensor offset;
  CudnnTensor kept_factor;  // 1 / (1 - p)
  CudnnTensor kept_share;   // 1 - p
  CudnnTensor along;        // memory to work in: the rows' products of value and gradient
  CudnnTensor sums;         // and the gradient of the queries in float
};

/// Builds the operations, in the order in which cuDNN knows them as attention.
struct CudnnAttentionGraph {
  using P = CudnnAttentionProblem;
  CudnnAttentionPlan& plan;
  const P& p = plan.problem;
  CudnnGraph& g = plan.graph;
  cudnnDataType_t type = static_cast<cudnnDataType_t>(p.type);

  CudnnTensor scores(cudnnDataType_t of = CUDNN_DATA_FLOAT) {
    return g.between(p.batches, p.heads, p.queries, p.keys, of);
  }
  CudnnTensor column() { return g.between(p.batches, p.heads, p.queries, 1); }
  CudnnTensor place(int i, bool transposed) {
    const int64_t size[4] = {p.batches, p.heads_of(i), p.rows_of(i), p.columns_of(i)};
    const int64_t stride[4] = {p.stride[i][0], p.stride[i][1], p.stride[i][2], 1};
    if (transposed) return g.transposed(type, size, stride);
    return g.tensor(type, {size[0], size[1], size[2], size[3]},
                    {stride[0], stride[1], stride[2], stride[3]});
  }
  CudnnTensor binary(cudnnPointwiseMode_t mode, const CudnnTensor& a, const CudnnTensor& b) {
    const CudnnTensor to = g.like(a, a.type == CUDNN_DATA_INT32 ? a.type : CUDNN_DATA_FLOAT);
    g.binary(mode, a, b, to);
    return to;
  }
  CudnnTensor dropping() {
    const auto one = [&] { return g.tensor(CUDNN_DATA_INT64, {1, 1, 1, 1}, {1, 1, 1, 1}); };
    plan.seed = one();
    plan.offset = one();
    const CudnnTensor kept = scores();
    g.bernoulli(1 - static_cast<double>(p.dropped) * 0x1p-32, plan.seed, plan.offset, kept);
    return kept;
  }
  void operands() {
    for (int i = 0; i < (p.backward != 0 ? P::arrays : P::gradient); ++i) {
      plan.array[i] = place(i, i == P::k || (i == P::v && p.backward != 0));
    }
    plan.logs = g.tensor(CUDNN_DATA_FLOAT, {p.batches, p.heads, p.queries, 1},
                         {p.heads * p.queries, p.queries, 1, 1});
    plan.scale = g.scalar();
    if (p.biased != 0) {
      const auto& s = p.bias_size;
      const auto& t = p.bias_stride;
      plan.bias = g.tensor(type, {s[0], s[1], s[2], s[3]}, {t[0], t[1], t[2], t[3]});
    }
    if (p.causal != 0) plan.never = g.scalar();
    if (p.dropped != 0) plan.kept_factor = g.scalar();
  }
  /// scale q k^T + bias
  CudnnTensor products() {
    const CudnnTensor product = scores();
    g.matmul(plan.array[P::q], plan.array[P::k], product);
    const CudnnTensor scaled = binary(CUDNN_POINTWISE_MUL, product, plan.scale);
    return p.biased != 0 ? binary(CUDNN_POINTWISE_ADD, scaled, plan.bias) : scaled;
  }
  CudnnTensor masked(const CudnnTensor& x) {
    if (p.causal == 0) return x;
    CudnnTensor row = scores(CUDNN_DATA_INT32);
    const CudnnTensor column = scores(CUDNN_DATA_INT32);
    const CudnnTensor visible = scores(CUDNN_DATA_BOOLEAN);
    const CudnnTensor to = scores();
    g.index(x, 2, row);
    g.index(x, 3, column);
    if (p.shifted != 0) {
      plan.past = g.scalar(CUDNN_DATA_INT32);
      row = binary(CUDNN_POINTWISE_ADD, row, plan.past);
    }
    g.binary(CUDNN_POINTWISE_CMP_GE, row, column, visible);
    g.select(visible, x, plan.never, to);
    return to;
  }

  void forward() {
    operands();
    const CudnnTensor s = masked(products());
    const CudnnTensor most = column();
    g.reduce(CUDNN_REDUCE_TENSOR_MAX, s, most);
    const CudnnTensor below = binary(CUDNN_POINTWISE_SUB, s, most);
    const CudnnTensor power = scores();
    g.unary(CUDNN_POINTWISE_EXP, below, power);
    const CudnnTensor sum = column();
    g.reduce(CUDNN_REDUCE_TENSOR_ADD, power, sum);
    const CudnnTensor log = column();
    g.unary(CUDNN_POINTWISE_LOG, sum, log);
    g.binary(CUDNN_POINTWISE_ADD, most, log, plan.logs);
    CudnnTensor weights = scores(p.dropped != 0 ? CUDNN_DATA_FLOAT : type);
    g.binary(CUDNN_POINTWISE_DIV, power, sum, weights);
    if (p.dropped != 0) {
      const CudnnTensor kept = binary(CUDNN_POINTWISE_MUL, weights, dropping());
      weights = scores(type);
      g.binary(CUDNN_POINTWISE_MUL, kept, plan.kept_factor, weights);
    }
    g.matmul(weights, plan.array[P::v], plan.array[P::y]);
  }

  /// A gradient of keys or values: x^T times rows, summed over the heads that share one.
  void shared(const CudnnTensor& x, const CudnnTensor& rows, const CudnnTensor& to) {
    const CudnnTensor transposed =
        g.tensor(type, {p.batches, p.heads, p.keys, p.queries},
                 {p.heads * p.queries * p.keys, p.queries * p.keys, 1, p.keys},
                 CudnnGraph::Kind::virtual_value);
    g.reshape(x, transposed);
    if (p.heads == p.key_heads) {
      g.matmul(transposed, rows, to);
      return;
    }
    const CudnnTensor each = g.between(p.batches, p.heads, p.keys, rows.size[3], type);
    g.matmul(transposed, rows, each);
    g.reduce(CUDNN_REDUCE_TENSOR_ADD, each, to);
  }

  void backward() {
    operands();
    CudnnTensor kept;
    if (p.dropped != 0) kept = dropping();
    const CudnnTensor product = g.like(plan.array[P::y]);
    g.binary(CUDNN_POINTWISE_MUL, plan.array[P::gradient], plan.array[P::y], product);
    const CudnnTensor sum = column();
    g.reduce(CUDNN_REDUCE_TENSOR_ADD, product, sum);
    plan.kept_share = g.scalar();
    plan.along = g.tensor(CUDNN_DATA_FLOAT, {p.batches, p.heads, p.queries, 1},
                          {p.heads * p.queries, p.queries, 1, 1});
    g.binary(CUDNN_POINTWISE_MUL, sum, plan.kept_share, plan.along);

    const CudnnTensor below = masked(binary(CUDNN_POINTWISE_SUB, products(), plan.logs));
    const CudnnTensor weights = scores();
    g.unary(CUDNN_POINTWISE_EXP, below, weights);
    CudnnTensor used = weights;
    if (p.dropped != 0) {
      used = binary(CUDNN_POINTWISE_MUL, used, kept);
      used = binary(CUDNN_POINTWISE_MUL, used, plan.kept_factor);
    }
    shared(used, plan.array[P::gradient], plan.array[P::dv]);

    CudnnTensor change = scores();
    g.matmul(plan.array[P::gradient], plan.array[P::v], change);
    if (p.dropped != 0) change = binary(CUDNN_POINTWISE_MUL, change, kept);
    change = binary(CUDNN_POINTWISE_SUB, change, plan.along);
    change = binary(CUDNN_POINTWISE_MUL, change, weights);
    if (p.dropped != 0) change = binary(CUDNN_POINTWISE_MUL, change, plan.kept_factor);
    change = binary(CUDNN_POINTWISE_MUL, change, plan.scale);
    shared(change, plan.array[P::q], plan.array[P::dk]);

    const CudnnTensor& k = plan.array[P::k];
    const CudnnTensor keys = g.tensor(
        CUDNN_DATA_FLOAT, {k.size[0], k.size[1], k.size[3], k.size[2]},
        {k.stride[0], k.stride[1], k.stride[3], k.stride[2]}, CudnnGraph::Kind::virtual_value);
    g.reshape(k, keys);
    plan.sums = g.tensor(CUDNN_DATA_FLOAT, {p.batches, p.heads, p.queries, p.width},
                         {p.heads * p.queries * p.width, p.queries * p.width, p.width, 1});
    g.matmul(change, keys, plan.sums);
    g.unary(CUDNN_POINTWISE_IDENTITY, plan.sums, plan.array[P::dq]);
  }
};

/// Plans of a GPU, never destroyed.
struct CudnnAttentionPlans {
  Mutex mutex;
  std::vector<const CudnnAttentionPlan*>* all = nullptr;
};
[[gnu::visibility("default")]] inline CudnnAttentionPlans cudnn_attention_plans[max_devices];

/// The plan for a problem, cached or new; it says whether cuDNN takes the problem.
[[gnu::noinline]] inline const CudnnAttentionPlan& plan_cudnn_attention(
    cudnnHandle_t handle, const CudnnAttentionProblem& p, int ordinal) {
  CudnnAttentionPlans& known = cudnn_attention_plans[ordinal];
  const Lock lock(known.mutex);
  if (known.all == nullptr) known.all = new std::vector<const CudnnAttentionPlan*>;
  for (const CudnnAttentionPlan* plan : *known.all) {
    if (__builtin_memcmp(&plan->problem, &p, sizeof(p)) == 0) return *plan;
  }
  auto* const plan = new CudnnAttentionPlan;
  plan->problem = p;
  CudnnAttentionGraph graph{*plan};
  if (p.backward != 0) {
    graph.backward();
  } else {
    graph.forward();
  }
  plan->found = plan->graph.find_plan(handle);
  if (!plan->found) plan->graph.drop();
  known.all->push_back(plan);
  return *plan;
}

}  // namespace weft::on_cuda::detail

#endif
