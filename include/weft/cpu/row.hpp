// The CPU's row programs: each row is reduced and written while it is in the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/reduce.hpp"
#include "weft/eval/rows.hpp"

namespace weft {

namespace cpu::detail {

/// One block of a row's operands at unit stride, with the row's reductions, as programs read it.
template <int First, class Pointers, class Values>
struct RowAt {
  const Pointers& pointers;
  const Values& values;
  int i;
  template <int I>
  WEFT_HD auto get() const {
    return load_element(weft::get<I - First>(pointers)[i]);
  }
  template <int I>
  WEFT_HD auto reduced() const {
    return weft::get<I>(values).at(i);
  }
};

/// A reduction's value: one for the row, or one for each of its elements.
template <class T>
struct RowValue {
  T value{};
  WEFT_HD T at(int) const { return value; }
};
template <class T>
struct RowValues {
  T value{};
  Buffer<T> buffer;
  WEFT_HD T at(int i) const { return buffer.data[i]; }
};

template <bool Varies, class Outs, class Types, class Program>
class RowLoop;

/// Runs a task on some rows. `Varies`: a reduction's value, loaded, is not the same along the row.
template <bool Varies, class... Outs, class... Ts, class... Rs, class... Ps>
class RowLoop<Varies, weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>,
              RowProgram<Pack<Rs...>, Pack<Ps...>>> {
 public:
  static constexpr int outputs = sizeof...(Outs);
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Rs);
  static constexpr int n = outputs + leaves + reductions;
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;

  RowLoop(const weft::detail::RowTask& task, const Program& program,
          const weft::detail::Loops& inner, const weft::detail::Operand* inside)
      : task_(task), program_(program), inner_(inner), inside_(inside) {}

  /// The reductions of the row whose operands begin at row[0] and onwards.
  void reduce(char* const* row) { reduce_all(row, std::make_index_sequence<reductions>{}); }
  /// The outputs of the row.
  void store(char* const* row) {
    if (inner_.count() == 0) return store_of_none(row, std::make_index_sequence<outputs>{});
    walk(row, [&](char* const* at, int64_t, int length) {
      load<(weft::detail::uses_of<Ps> | ...)>(at, length);
      store_block(at, length, std::make_index_sequence<outputs>{});
    });
  }

 private:
  template <class T>
  using Value = std::conditional_t<Varies, RowValues<T>, RowValue<T>>;
  using Pointers = Pack<const typename Stored<Ts>::type*...>;
  using Values = Pack<Value<typename Rs::value>...>;
  using At = RowAt<outputs, Pointers, Values>;

  /// f(addresses, position, length) for the blocks of a row.
  template <class F>
  void walk(char* const* row, const F& f) {
    const int depth = inner_.rank - 1;
    char* at[n];
    for (int i = 0; i < n; ++i) at[i] = row[i];
    weft::detail::Cursor cursor;
    const int64_t size = inner_.size[depth];
    const int64_t length = inner_.count();
    for (int64_t start = 0; start < length; start += size) {
      for (int64_t j = 0; j < size; j += block_size) {
        const int64_t left = size - j;
        char* from[n];
        for (int i = 0; i < n; ++i) {
          from[i] = at[i] + j * inside_[i].stride[depth] * inside_[i].itemsize;
        }
        f(from, start + j, static_cast<int>(left < block_size ? left : block_size));
      }
      cursor.next(inner_, depth, inside_, n, at);
    }
  }

  int64_t stride(int operand) const { return inside_[operand].stride[inner_.rank - 1]; }

  template <std::uint64_t Uses>
  void load(char* const* at, int length) {
    load_leaves<Uses>(at, length, std::make_index_sequence<leaves>{});
    if constexpr (Varies) load_values(at, length, std::make_index_sequence<reductions>{});
  }
  template <std::uint64_t Uses, std::size_t... I>
  void load_leaves(char* const* at, int length, std::index_sequence<I...>) {
    (load_leaf<static_cast<int>(I), (Uses >> (outputs + I) & 1U) != 0>(at, length), ...);
    pointers_ = make_pack(weft::get<static_cast<int>(I)>(buffers_).data...);
  }
  template <int I, bool Used>
  void load_leaf(char* const* at, int length) {
    constexpr int k = outputs + I;
    if constexpr (Used) weft::get<I>(buffers_).load(at[k], stride(k), length);
  }
  template <std::size_t... I>
  void load_values(char* const* at, int length, std::index_sequence<I...>) {
    (load_value<static_cast<int>(I)>(at, length), ...);
  }
  template <int I>
  void load_value(char* const* at, int length) {
    auto& value = weft::get<I>(values_);
    constexpr int k = outputs + leaves + I;
    if (task_.mode[I] == weft::detail::RowMode::load) {
      value.buffer.load(at[k], stride(k), length);
    } else {
      value.buffer.load(reinterpret_cast<const char*>(&value.value), 0, length);
    }
  }

  template <std::size_t... I>
  void reduce_all(char* const* row, std::index_sequence<I...>) {
    (reduce_one<static_cast<int>(I)>(row), ...);
  }
  template <int I>
  void reduce_one(char* const* row) {
    using weft::detail::RowMode;
    const auto& reduction = weft::get<I>(program_.reductions);
    using Reduction = std::remove_cvref_t<decltype(reduction)>;
    using V = typename Reduction::value;
    V& value = weft::get<I>(values_).value;
    constexpr int k = outputs + leaves + I;
    if (task_.mode[I] == RowMode::load) {
      value = *reinterpret_cast<const V*>(row[k]);
    } else if (task_.mode[I] == RowMode::compute) {
      using State = typename Reduction::state;
      using C = typename decltype(reduction.program)::type;
      Tree<decltype(reduction.reducer), State, 1> tree(reduction.reducer);
      walk(row, [&](char* const* at, int64_t position, int length) {
        load<weft::detail::uses_of<decltype(reduction.program)>>(at, length);
        C results[block_size];
        run(reduction.program, results, length);
        State part = reduce_block<State>(reduction.reducer, results, length, position);
        tree.push(&part, 1);
      });
      State total{};
      tree.total(&total, 1);
      value = static_cast<V>(reduction.reducer.finish(total, inner_.count()));
    } else if (task_.mode[I] == RowMode::same) {
      copy_same<I>(value, std::make_index_sequence<I>{});
    }
    if (task_.target == I) *reinterpret_cast<V*>(row[k]) = value;
  }
  /// Takes over the value of the equal reduction, which is an earlier one of the same type.
  template <int I, class V, std::size_t... J>
  void copy_same(V& value, std::index_sequence<J...>) {
    (copy_if_same<I, static_cast<int>(J)>(value), ...);
  }
  template <int I, int J, class V>
  void copy_if_same(V& value) {
    const auto& earlier = weft::get<J>(values_).value;
    if constexpr (std::is_same_v<V, std::remove_cvref_t<decltype(earlier)>>) {
      if (task_.same[I] == J) value = earlier;
    }
  }

  template <class P, class Out>
  void run(const P& program, Out* out, int length) const {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int i = 0; i < length; ++i) {
      out[i] = store_element<Out>(program(At{pointers_, values_, i}));
    }
  }

  template <std::size_t... K>
  void store_block(char* const* at, int length, std::index_sequence<K...>) {
    // All outputs see the operands as they were.
    Pack<Buffer<Outs>...> results;
    (run(weft::get<static_cast<int>(K)>(program_.outputs),
         reinterpret_cast<Outs*>(weft::get<static_cast<int>(K)>(results).bytes),
         task_.along_row[K] ? length : 1),
     ...);
    (copy_out<Outs>(at[K], stride(K), weft::get<static_cast<int>(K)>(results).bytes,
                    task_.along_row[K] ? length : 1),
     ...);
  }
  /// The outputs of a row without elements that do not run along it.
  template <std::size_t... K>
  void store_of_none(char* const* row, std::index_sequence<K...>) {
    (store_one<static_cast<int>(K), Outs>(row), ...);
  }
  template <int K, class Out>
  void store_one(char* const* row) {
    if (task_.along_row[K]) return;
    const auto& program = weft::get<K>(program_.outputs);
    load<weft::detail::uses_of<std::remove_cvref_t<decltype(program)>>>(row, 1);
    run(program, reinterpret_cast<Out*>(row[K]), 1);
  }
  template <class Out>
  static void copy_out(char* at, int64_t stride, const char* bytes, int length) {
    auto* out = reinterpret_cast<Out*>(at);
    const auto* values = reinterpret_cast<const Out*>(bytes);
    if (stride == 1) {
      for (int i = 0; i < length; ++i) out[i] = values[i];
    } else {
      for (int i = 0; i < length; ++i) out[i * stride] = values[i];
    }
  }

  const weft::detail::RowTask& task_;
  const Program& program_;
  const weft::detail::Loops& inner_;
  const weft::detail::Operand* inside_;
  Pack<Buffer<Ts>...> buffers_;
  Pointers pointers_;
  Values values_;
};

}  // namespace cpu::detail

template <>
struct RowExecutor<Cpu> {
  /// A row is one thread's work.
  static bool fuses(int64_t rows, int64_t length) {
#if defined(_OPENMP)
    return rows >= omp_get_max_threads() || rows * length < cpu::parallel_threshold;
#else
    static_cast<void>(rows + length);
    return true;
#endif
  }

  template <class Outs, class Types, class Program>
  static void run(const detail::Name&, Cpu, const detail::RowTask& task, detail::Operand* operands,
                  const Program& program) {
    using Loop = cpu::detail::RowLoop<false, Outs, Types, Program>;
    constexpr int n = Loop::n;
    detail::Operand inside[n];
    detail::Loops outer = detail::loops_over(task.geometry.kept);
    detail::Loops inner = detail::loops_over(task.geometry.reduced);
    detail::inner_operands(operands, n, outer.rank, inner.rank, inside);
    detail::simplify(outer, operands, n);
    detail::simplify(inner, inside, n, true);
    cpu::detail::pad(outer, operands, n);
    cpu::detail::pad(inner, inside, n);
    if (detail::varies_along_row(task, inside + n - Loop::reductions, Loop::reductions,
                                 inner.rank)) {
      run_rows<true, Outs, Types>(task, outer, operands, inner, inside, program);
    } else {
      run_rows<false, Outs, Types>(task, outer, operands, inner, inside, program);
    }
  }

 private:
  template <bool Varies, class Outs, class Types, class Program>
  static void run_rows(const detail::RowTask& task, const detail::Loops& outer,
                       const detail::Operand* operands, const detail::Loops& inner,
                       const detail::Operand* inside, const Program& program) {
    using Loop = cpu::detail::RowLoop<Varies, Outs, Types, Program>;
    const int64_t rows = outer.count();
    cpu::parallel(rows, rows * inner.count(), [&](int64_t first, int64_t last) {
      Loop loop(task, program, inner, inside);
      detail::Cursor cursor;
      char* row[Loop::n];
      for (int i = 0; i < Loop::n; ++i) row[i] = operands[i].data;
      cursor.seek(outer, outer.rank, operands, Loop::n, row, first);
      for (int64_t k = first; k < last; ++k) {
        loop.reduce(row);
        if (task.target < 0) loop.store(row);
        cursor.next(outer, outer.rank, operands, Loop::n, row);
      }
    });
  }
};

}  // namespace weft
