// The row kernel for rows of full, aligned vectors: what is read several times stays in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because all that one thread does is one class.

#include "weft/cuda/primitive/reduce_state.hpp"
#include "weft/cuda/primitive/tma.hpp"
#include "weft/cuda/rows/hoist.hpp"
#include "weft/cuda/rows/merge.hpp"
#include "weft/cuda/rows/registers.hpp"
#include "weft/cuda/rows/shared.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// For threads that keep an operand.
struct NothingComputed {};

template <class Outs, class Types, int V, class Program, class Part, int Slots>
class RegisterThread;

/// One thread of the kernel; Part is the program whose values it keeps, or NothingComputed. It has
/// registers for `Slots` operands.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps, class Part, int Slots>
class RegisterThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>,
                     Part, Slots>
    : RowRegisters<RegisterLayout<TypeList<Outs...>, TypeList<Ts...>, V,
                                  RowProgram<Pack<Rs...>, Pack<Ps...>>,
                                  !std::is_same_v<Part, NothingComputed>, Slots>,
                   TypeList<Ts...>, V, sizeof...(Outs) + sizeof...(Ts) + sizeof...(Rs)> {
 public:
  using Program = RowProgram<Pack<Rs...>, Pack<Ps...>>;
  using Layout = RegisterLayout<TypeList<Outs...>, TypeList<Ts...>, V, Program,
                                !std::is_same_v<Part, NothingComputed>, Slots>;
  using Base =
      RowRegisters<Layout, TypeList<Ts...>, V, sizeof...(Outs) + sizeof...(Ts) + sizeof...(Rs)>;
  using Values = Pack<typename Rs::value...>;

  __device__ __forceinline__ RegisterThread(const typename Base::Grid& grid, const Program& program,
                                            const Part& part, char* shared)
      : Base(grid), program_(program), part_(part), shared_(shared) {}

  __device__ __forceinline__ void run() {
    using Reductions = std::make_index_sequence<reductions>;
    if (grid_.cluster) {
      Exchange::begin(static_cast<unsigned>(__cvta_generic_to_shared(shared_)), grid_.scratch);
    }
    keep(0);
    fetch_ahead();
    if constexpr (Layout::independent) {
      accumulate_all(Reductions{});
#pragma unroll 1
      for (unsigned k = Base::vectors; k < grid_.chunk; k += Base::vectors) {
        keep(k);
        accumulate_all(Reductions{});
      }
    }
    if (grid_.cluster) Exchange::wait_for_cluster();
    reduce_all(Reductions{});
    if (grid_.target < 0) store_all(std::make_index_sequence<outputs>{});
  }

 private:
  using Base::grid_;
  using Base::outputs;
  using Base::place_;
  using typename Base::Registers;
  static constexpr int leaves = sizeof...(Ts);
  static constexpr int reductions = sizeof...(Rs);
  using RowMode = weft::detail::RowMode;

  /// The inputs of a program at lane j of vector k: leaves, reductions, and the value that the last
  /// one left.
  struct Lane {
    const RegisterThread& thread;
    const Registers& registers;
    int k;
    int j;
    template <int I>
    __device__ __forceinline__ auto get() const {
      return load_element(weft::get<I - outputs>(registers).lane(j));
    }
    template <int I>
    __device__ __forceinline__ auto reduced() const {
      return weft::get<I>(thread.values_);
    }
    __device__ __forceinline__ float left() const { return thread.left_[k][j]; }
    __device__ __forceinline__ float kept() const { return thread.kept_value(k, j); }
  };

  __device__ __forceinline__ void keep(unsigned begin) {
    if constexpr (Layout::computed) {
      using Shared = PartShared<Part>;
      this->template keep_values<uses_of<Part>>(
          begin, [&](const Registers& registers, float(&x)[V]) {
            KeptValues<Shared, V> kept{};
            const auto lane = [&](int j) { return Lane{*this, registers, 0, j}; };
            Evaluation(grid_.shared, kept, lane, grid_.constants).run(part_, x);
          });
    } else {
      Base::keep(begin);
    }
  }

  /// Prefetches a later row into L2: the kept operand, or those that the kept values are computed
  /// from.
  __device__ __forceinline__ void fetch_ahead() const {
#if __CUDA_ARCH__ >= 900
    if (grid_.ahead == 0) return;
    const unsigned row = place_.row + grid_.ahead;
    const int s = static_cast<int>(threadIdx.x);
    if (s >= grid_.sources || row >= grid_.rows) return;
    const RowOperand& x = grid_.operand[grid_.source[s]];
    fetch_to_l2(x.data + row * x.kept_stride[0],
                static_cast<unsigned>(grid_.count) * static_cast<unsigned>(x.itemsize));
#endif
  }

  template <std::size_t... I>
  __device__ __forceinline__ void accumulate_all(std::index_sequence<I...>) {
    (accumulate<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(program_.reductions)), ...);
  }
  template <int I, class Reduction>
  __device__ __forceinline__ void accumulate(const Reduction& reduction) {
    if (grid_.mode[I] != RowMode::compute) return;
    reduction.reducer.merge(weft::get<I>(states_), state_of<I>(reduction));
  }

  template <std::size_t... I>
  __device__ __forceinline__ void reduce_all(std::index_sequence<I...>) {
    (reduce<static_cast<int>(I)>(weft::get<static_cast<int>(I)>(program_.reductions)), ...);
  }
  template <int I, class Reduction>
  __device__ __forceinline__ void reduce(const Reduction& reduction) {
    using T = typename Reduction::value;
    T value{};
    const RowMode mode = grid_.mode[I];
    if (mode == RowMode::compute) {
      typename Reduction::state state{};
      if constexpr (Layout::independent) {
        state = weft::get<I>(states_);
      } else {
        state = state_of<I>(reduction);
      }
      merge(reduction.reducer, state);
      value = static_cast<T>(reduction.reducer.finish(state, grid_.count));
    } else if (mode == RowMode::same) {
      take_same<I>(value, std::make_index_sequence<I>{});
    }
    if (mode == RowMode::load || grid_.target == I) {
      char* const at = kept_row_start(grid_, grid_.operand[outputs + leaves + I], place_);
      if (mode == RowMode::load && place_.active) value = *reinterpret_cast<const T*>(at);
      if (grid_.target == I && place_.active && place_.lane == 0) *reinterpret_cast<T*>(at) = value;
    }
    weft::get<I>(values_) = value;
  }
  /// Merges the state with those of the other threads of the row.
  template <class R, class State>
  __device__ __forceinline__ void merge(const R& reducer, State& state) {
    const unsigned turn = turn_++;
    if constexpr (merges_alike<R, State>) {
      if (!grid_.cluster && grid_.group == 32) return merge_warp(reducer, state);
      if (!grid_.cluster && grid_.group < 32) {
        return merge_opposites(reducer, state, 1, grid_.group);
      }
    }
    const RowTeam team{grid_.group,   grid_.warps, grid_.parts.divisor, false, grid_.cluster,
                       grid_.scratch, turn};
    state = merge_team(pack_of(reducer), pack_of(state), 1, team, shared_).head;
  }
  template <int I, class T, std::size_t... J>
  __device__ __forceinline__ void take_same(T& value, std::index_sequence<J...>) const {
    (take_if_same<I, static_cast<int>(J)>(value), ...);
  }
  template <int I, int J, class T>
  __device__ __forceinline__ void take_if_same(T& value) const {
    using Other = std::remove_cvref_t<decltype(weft::get<J>(values_))>;
    if constexpr (std::is_same_v<T, Other>) {
      if (grid_.same[I] == J) value = weft::get<J>(values_);
    }
  }

  /// Reduces the kept vectors.
  template <int I, class Reduction>
  __device__ __forceinline__ typename Reduction::state state_of(const Reduction& reduction) {
    typename Reduction::state total{};
    const auto program = hoist(reduction.program, RowScalars<Values>{values_});
    using C = typename decltype(program)::type;
    constexpr std::uint64_t uses = uses_of<decltype(reduction.program)>;
    constexpr int n = Base::vectors * V;
    using R = std::remove_cvref_t<decltype(reduction.reducer)>;
    if constexpr (takes_first<R, typename Reduction::state, C, n>) {
      C x[n] = {};
      this->template for_each_vector<uses>([&](const Registers& registers, int k) {
#pragma unroll
        for (int j = 0; j < V; ++j) x[k * V + j] = program(Lane{*this, registers, k, j});
      });
      reduction.reducer.template add_first<V>(total, x, this->count_ * V, this->begin(),
                                              this->end());
    } else {
      this->template for_each_vector<uses>([&](const Registers& registers, int k) {
        C x[V];
#pragma unroll
        for (int j = 0; j < V; ++j) x[j] = program(Lane{*this, registers, k, j});
        if constexpr (Layout::reuses && I == Layout::Reused::last) {
#pragma unroll
          for (int j = 0; j < V; ++j) left_[k][j] = x[j];
        }
        add(reduction.reducer, total, x, k);
      });
    }
    return total;
  }

  /// Adds the values of vector k.
  template <class R, class State, class C>
  __device__ __forceinline__ void add(const R& reducer, State& total, const C (&x)[V],
                                      int k) const {
    if (!this->has(k)) return;
    const long long position = this->position(k);
    if (!this->is_edge(k)) return add_all<1>(reducer, total, x, position, 1);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j >= this->begin() && j < this->end()) reducer.add(total, x[j], position + j);
    }
  }

  template <std::size_t... K>
  __device__ __forceinline__ void store_all(std::index_sequence<K...>) {
    const RowScalars<Values> row{values_};
    (store_of_row<static_cast<int>(K), Outs>(hoist(output<static_cast<int>(K)>(), row)), ...);
    if constexpr (!Layout::effects) {
      if (!grid_.any_along_row) return;
      constexpr std::uint64_t uses = Layout::reuses ? Layout::Reused::uses : (uses_of<Ps> | ...);
      const auto programs = pack_of(hoist(output<static_cast<int>(K)>(), row)...);
      char* at[] = {this->template start<static_cast<int>(K), Outs>()...};
      this->template for_each_vector<uses>([&](const Registers& registers, int k) {
        (store_along<static_cast<int>(K), Outs, Ps>(weft::get<static_cast<int>(K)>(programs),
                                                    registers, k, at[K]),
         ...);
      });
    }
  }
  template <int K>
  __device__ __forceinline__ auto output() const {
    if constexpr (Layout::reuses) {
      return with_leaf<Reused, Layout::Reused::number>(weft::get<K>(program_.outputs));
    } else {
      return weft::get<K>(program_.outputs);
    }
  }
  /// The elements of an output along the row, unless it depends on reductions only; `at` moves on
  /// to the next vector's.
  template <int K, class Out, class Original, class P>
  __device__ __forceinline__ void store_along(const P& program, const Registers& registers, int k,
                                              char*& at) const {
    if constexpr (uses_of<Original> != 0) {
      store<K, Out>(program, registers, k, at);
      at += this->template step<Out>();
    }
  }
  template <int K, class Out, class P>
  __device__ __forceinline__ void store(const P& program, const Registers& registers, int k,
                                        char* at) const {
    Vector<Out, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = stored_value<Out>(program, Lane{*this, registers, k, j});
    }
    RowWords<Out, V> words;
    words.join(out);
    if ((grid_.along_row >> K & 1U) == 0) return;
    const RowOperand& x = grid_.operand[K];
    int begin = this->begin();
    int end = this->end();
    if (k == 0 && x.adjoining) this->join_rows(words, begin, end);
    if (!this->has(k)) return;
    if (k == 0) at += this->template wrapped<Out>();
    const bool whole = k > 0 || end - begin >= V;
    if (whole && x.access == RowOperand::whole_vector) return words.store(at);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (k > 0 || (j >= begin && j < end)) reinterpret_cast<Out*>(at)[j] = words.lane(j);
    }
  }
  /// An output with one element per row, none of whose operands varies along the row.
  template <int K, class Out, class P>
  __device__ __forceinline__ void store_of_row(const P& program) const {
    if constexpr ((uses_of<P> & (uses_of<Reused<float>> | uses_of<Kept<float>>)) == 0) {
      if ((grid_.along_row >> K & 1U) != 0 || place_.lane != 0 || !place_.active) return;
      const Registers registers = this->template of_row<uses_of<P>>();
      char* const to = kept_row_start(grid_, grid_.operand[K], place_);
      *reinterpret_cast<Out*>(to) = store_element<Out>(program(Lane{*this, registers, 0, 0}));
    }
  }

  const Program& program_;
  const Part& part_;
  char* shared_;
  float left_[Layout::reuses ? Base::vectors : 1][V];
  Pack<typename Rs::state...> states_{};
  Values values_;
  unsigned turn_ = 0;
};

}  // namespace detail

/// Runs the outputs of a row program whose rows a block, or a cluster of blocks, keeps. Threads
/// that compute what they keep wait for divisions and exponentials, which more warps hide; fewer
/// threads, which keep two operands, spend less on what each does once for a row.
template <class Outs, class Types, int V, int N, class Program, int Slots>
__global__ void __launch_bounds__(row_block,
                                  (V == 8 || weft::detail::KeptPart<Program>::possible ? 4 : 3) -
                                      (Slots - 1))
    row_register_kernel(const __grid_constant__ RowGrid<N> grid,
                        const __grid_constant__ Program program) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  using Part = weft::detail::KeptPart<Program>;
  if constexpr (Part::possible) {
    const auto less = Part::without(program);
    const auto& part = Part::of(program);
    detail::RegisterThread<Outs, Types, V, std::remove_const_t<decltype(less)>,
                           std::remove_cvref_t<decltype(part)>, 1>(grid, less, part,
                                                                   weft_row_shared)
        .run();
  } else {
    using Nothing = detail::NothingComputed;
    detail::RegisterThread<Outs, Types, V, Program, Nothing, Slots>(grid, program, Nothing{},
                                                                    weft_row_shared)
        .run();
  }
}

}  // namespace weft::on_cuda

#endif
