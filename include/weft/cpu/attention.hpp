// Attention on the CPU: each thread takes one block of queries at a time, with all of its keys.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include "weft/cpu/linalg/blas.hpp"
#include "weft/cpu/linalg/scores.hpp"
#include "weft/ops/compose.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/linalg/attention.hpp"
#include "weft/tensor/borrow.hpp"

namespace weft {

namespace cpu::detail {

/// Rows per product, few enough that its scores stay in the cache.
inline constexpr int64_t attention_rows = 64;

/// c = alpha a b, or c += alpha a b, for matrices given by rows, columns, and the strides between
/// rows and between columns.
template <class C>
struct AttentionMatrix {
  C* data;
  int64_t row;
  int64_t column = 1;
};
template <class C>
void attention_product(int64_t m, int64_t n, int64_t k, AttentionMatrix<const C> a,
                       AttentionMatrix<const C> b, AttentionMatrix<C> c, C alpha, bool adds) {
  if (k == 0) return;
  weft::detail::ProductPlan plan;
  plan.m = m;
  plan.n = n;
  plan.k = k;
  plan.a.row = a.row;
  plan.a.column = a.column;
  plan.b.row = b.row;
  plan.b.column = b.column;
  plan.c.row = c.row;
  plan.c.column = c.column;
  multiply<C>({plan, a.data, b.data, c.data, alpha, adds});
}

template <class C>
void drop_weights(const AttentionPlan& plan, const AttentionBlock& block, C* weights) {
  if (!plan.drops()) return;
  for (int64_t r = 0; r < block.rows; ++r) {
    for (int64_t j = 0; j < block.keys; ++j) {
      weights[r * block.keys + j] *=
          static_cast<C>(plan.kept(plan.draw, block.b, block.h, block.first + r, j));
    }
  }
}

}  // namespace cpu::detail

template <>
struct AttentionKernels<Cpu> {
  template <class T>
  static void forward(const AttentionPlan& plan, const Tensor<T, Cpu>& q, const Tensor<T, Cpu>& k,
                      const Tensor<T, Cpu>& v, const Tensor<T, Cpu>& y,
                      const Tensor<compute_t<T>, Cpu>& logs) {
    using C = compute_t<T>;
    if constexpr (!std::is_same_v<T, C>) {
      const Tensor<C, Cpu> wide(empty<C>(y.shape()));
      const Widened<T> mask(plan);
      forward(mask.plan, wider(q), wider(k), wider(v), wide, logs);
      y.assign(cast<T>(wide));
    } else {
      const auto qs = detail::rows_of(q);
      const auto ks = detail::rows_of(k);
      const auto vs = detail::rows_of(v);
      const auto ys = detail::rows_of(y);
      C* const sums = logs.data();
      const int64_t group = plan.heads / plan.key_heads;
      each_block<C>(
          plan, true, [&](const cpu::detail::AttentionBlock& block, std::vector<C>& scratch) {
            const auto [b, h, first, rows, keys] = block;
            scratch.resize(static_cast<std::size_t>(rows * keys));
            C* const s = scratch.data();
            cpu::detail::attention_product<C>(rows, keys, plan.width, {qs.at(b, h, first), qs.row},
                                              {ks.at(b, h / group, 0), 1, ks.row}, {s, keys},
                                              static_cast<C>(plan.scale), false);
            cpu::detail::mask_scores(plan, block, s);
            for (int64_t r = 0; r < rows; ++r) {
              C* const row = s + r * keys;
              const C most = cpu::detail::largest_score(row, keys);
              const C sum = cpu::detail::sum_of_weights(row, keys, most);
              const C share = sum > 0 || sum != sum ? 1 / sum : C(0);
              for (int64_t j = 0; j < keys; ++j) row[j] *= share;
              sums[(b * plan.heads + h) * plan.queries + first + r] = most + std::log(sum);
            }
            cpu::detail::drop_weights(plan, block, s);
            C* const out = ys.at(b, h, first);
            if (keys == 0) {
              for (int64_t r = 0; r < rows; ++r) fill_zero(out + r * ys.row, plan.value_width);
            }
            cpu::detail::attention_product<C>(rows, plan.value_width, keys, {s, keys},
                                              {vs.at(b, h / group, 0), vs.row}, {out, ys.row}, C(1),
                                              false);
          });
    }
  }

  template <class T>
  static void backward(const AttentionPlan& plan, const Tensor<T, Cpu>& q, const Tensor<T, Cpu>& k,
                       const Tensor<T, Cpu>& v, const Tensor<T, Cpu>& y,
                       const Tensor<compute_t<T>, Cpu>& logs, const Tensor<T, Cpu>& gradient,
                       const Tensor<T, Cpu>& dq, const Tensor<T, Cpu>& dk,
                       const Tensor<T, Cpu>& dv) {
    using C = compute_t<T>;
    if constexpr (!std::is_same_v<T, C>) {
      const Widened<T> mask(plan);
      const Tensor<C, Cpu> to[] = {empty<C>(dq.shape()), empty<C>(dk.shape()),
                                   empty<C>(dv.shape())};
      backward(mask.plan, wider(q), wider(k), wider(v), wider(y), logs, wider(gradient), to[0],
               to[1], to[2]);
      dq.assign(cast<T>(to[0]));
      dk.assign(cast<T>(to[1]));
      dv.assign(cast<T>(to[2]));
    } else {
      const auto qs = detail::rows_of(q);
      const auto ks = detail::rows_of(k);
      const auto vs = detail::rows_of(v);
      const auto gs = detail::rows_of(gradient);
      const auto dqs = detail::rows_of(dq);
      const auto dks = detail::rows_of(dk);
      const auto dvs = detail::rows_of(dv);
      const Tensor<C, Cpu> along = sum(gradient * y, axis(-1));  // (batch, head, query)
      dk.fill(C(0));
      dv.fill(C(0));
      const auto scale = static_cast<C>(plan.scale);
      const int64_t group = plan.heads / plan.key_heads;
      each_block<C>(
          plan, false, [&](const cpu::detail::AttentionBlock& block, std::vector<C>& scratch) {
            const auto [b, h, first, rows, keys] = block;
            const int64_t kh = h / group;
            scratch.resize(static_cast<std::size_t>(2 * rows * keys));
            C* const p = scratch.data();
            C* const ds = p + rows * keys;
            cpu::detail::attention_product<C>(rows, keys, plan.width, {qs.at(b, h, first), qs.row},
                                              {ks.at(b, kh, 0), 1, ks.row}, {p, keys}, scale,
                                              false);
            cpu::detail::mask_scores(plan, block, p);
            cpu::detail::attention_product<C>(
                rows, keys, plan.value_width, {gs.at(b, h, first), gs.row},
                {vs.at(b, kh, 0), 1, vs.row}, {ds, keys}, C(1), false);
            for (int64_t r = 0; r < rows; ++r) {
              const int64_t i = (b * plan.heads + h) * plan.queries + first + r;
              const C log = logs.data()[i];
              const bool unseen = log == -std::numeric_limits<C>::infinity();
              C* const weights = p + r * keys;
              C* const to = ds + r * keys;
              cpu::detail::exp_shifted(weights, keys, unseen ? C(0) : log);
              const C all = along.data()[i];
              for (int64_t j = 0; j < keys; ++j) {
                const C kept =
                    plan.drops() ? static_cast<C>(plan.kept(plan.draw, b, h, first + r, j)) : C(1);
                to[j] = weights[j] * (to[j] * kept - all);
                weights[j] *= kept;
              }
            }
            if (keys == 0) {
              for (int64_t r = 0; r < rows; ++r) {
                fill_zero(dqs.at(b, h, first + r), plan.width);
              }
            }
            cpu::detail::attention_product<C>(keys, plan.value_width, rows, {p, 1, keys},
                                              {gs.at(b, h, first), gs.row},
                                              {dvs.at(b, kh, 0), dvs.row}, C(1), true);
            cpu::detail::attention_product<C>(keys, plan.width, rows, {ds, 1, keys},
                                              {qs.at(b, h, first), qs.row},
                                              {dks.at(b, kh, 0), dks.row}, scale, true);
            cpu::detail::attention_product<C>(rows, plan.width, keys, {ds, keys},
                                              {ks.at(b, kh, 0), ks.row},
                                              {dqs.at(b, h, first), dqs.row}, scale, false);
          });
    }
  }

 private:
  template <class C>
  static void fill_zero(C* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) x[i] = 0;
  }
  template <class T>
  static Tensor<compute_t<T>, Cpu> wider(const Tensor<T, Cpu>& x) {
    return cast<compute_t<T>>(x);
  }
  /// A plan whose mask has half types' compute type.
  template <class T>
  struct Widened {
    AttentionPlan plan;
    Tensor<compute_t<T>, Cpu> mask;

    explicit Widened(const AttentionPlan& narrow) : plan(narrow) {
      if (plan.added == nullptr) return;
      const int64_t* const s = plan.mask_strides;
      const auto* const data = static_cast<const T*>(plan.added);
      mask = cast<compute_t<T>>(borrow(data, {plan.batches, plan.heads, plan.queries, plan.keys},
                                       Strides{s[0], s[1], s[2], s[3]}));
      plan.added = mask.data();
      for (int i = 0; i < 4; ++i) plan.mask_strides[i] = mask.strides()[i];
    }
  };

  /// f(block, room) for all blocks of queries: in any order, or blocks that share keys in order on
  /// one thread.
  template <class C, class F>
  static void each_block(const AttentionPlan& plan, bool apart, const F& f) {
    const int64_t step = cpu::detail::attention_rows;
    const int64_t blocks = (plan.queries + step - 1) / step;
    const int64_t group = plan.heads / plan.key_heads;
    const int64_t each = apart ? 1 : group * blocks;
    const int64_t items = plan.batches * plan.heads * blocks / each;
    const int64_t work = plan.batches * plan.heads * plan.queries * plan.keys;
    cpu::parallel(items, work, [&](int64_t from, int64_t to) {
      std::vector<C> scratch;
      for (int64_t n = from * each; n < to * each; ++n) {
        const int64_t first = n % blocks * step;
        const int64_t rows = plan.queries - first < step ? plan.queries - first : step;
        f(cpu::detail::AttentionBlock{n / blocks / plan.heads, n / blocks % plan.heads, first, rows,
                                      plan.visible(first + rows - 1)},
          scratch);
      }
    });
  }
};

}  // namespace weft
