// The looping row kernel: reductions pass by pass, all those of a pass together, then the outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/tma.hpp"
#include "weft/cuda/rows/reductions.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

template <class Outs, class Types, int V, class Program, template <int, class, int, class> class>
class RowThread;

/// One thread of the kernels that loop.
template <class... Outs, class... Ts, int V, class... Rs, class... Ps,
          template <int, class, int, class> class WalkOf>
class RowThread<TypeList<Outs...>, TypeList<Ts...>, V, RowProgram<Pack<Rs...>, Pack<Ps...>>, WalkOf>
    : public RowReductions<TypeList<Outs...>, TypeList<Ts...>, V,
                           RowProgram<Pack<Rs...>, Pack<Ps...>>, WalkOf> {
  using Base = RowReductions<TypeList<Outs...>, TypeList<Ts...>, V,
                             RowProgram<Pack<Rs...>, Pack<Ps...>>, WalkOf>;

 public:
  using Walk = typename Base::Walk;
  using Base::Base;

  __device__ __forceinline__ void run() {
    if constexpr (!Walk::tiled) {
      fetch();
      __syncwarp();  // a cluster's barriers take whole warps
    }
    this->reduce_all();
    if (grid_.target < 0 && (Walk::tiled || grid_.stage != RowLoops::partial)) {
      store_outputs(std::make_index_sequence<outputs>{});
    }
  }

 private:
  using Base::program_;
  using Walk::grid_;
  using Walk::leaves;
  using Walk::outputs;
  using Walk::place_;
  using Walk::values_;
  using Registers = typename Walk::template Registers<V>;
  using Lane = typename Walk::template Lane<V>;
  using Values = typename Walk::Values;

  /// Prefetches this block's part of the row into L2.
  __device__ __forceinline__ void fetch() const {
#if __CUDA_ARCH__ >= 900
    if (grid_.fetched == 0 || threadIdx.x >= outputs + leaves) return;
    if ((grid_.fetched >> threadIdx.x & 1U) == 0) return;
    const RowOperand& x = grid_.operand[threadIdx.x];
    const unsigned parts = grid_.parts.divisor;
    const unsigned all = grid_.inner * static_cast<unsigned>(x.itemsize);
    const unsigned each = (all / 16 + parts - 1) / parts * 16;
    const unsigned first = place_.part * each;
    if (first >= all) return;
    fetch_to_l2(row_start(grid_, x, place_) + first, all - first < each ? all - first : each);
#endif
  }

  template <std::size_t... K>
  __device__ __forceinline__ void store_outputs(std::index_sequence<K...>) {
    const auto programs = pack_of(
        hoist(weft::get<static_cast<int>(K)>(program_.outputs), RowScalars<Values>{values_})...);
    constexpr std::uint64_t uses = (uses_of<Ps> | ...);
    const auto store_item = [&](char** at, const RowItem& item) {
      Registers registers{};
      this->template load<uses>(registers, at, item, Base::Shared::table.count == 0);
      Pack<Vector<Outs, V>...> results;
      typename Base::Kept kept{};
      (compute(weft::get<static_cast<int>(K)>(results), weft::get<static_cast<int>(K)>(programs),
               registers, item, kept),
       ...);
      (store<static_cast<int>(K)>(weft::get<static_cast<int>(K)>(results), at[K], item), ...);
    };
    this->template walk<uses | ((std::uint64_t{1} << outputs) - 1)>(
        store_item, [] {}, !grid_.any_along_row);
  }
  template <class Out, class P>
  __device__ __forceinline__ void compute(Vector<Out, V>& out, const P& program,
                                          const Registers& registers, const RowItem& item,
                                          typename Base::Kept& kept) const {
    const auto lane = [&](int j) { return Lane{registers, values_, j}; };
    if constexpr (has_shared<typename Base::Shared, P>) {
      typename P::type x[V];
      Evaluation(grid_.shared, kept, lane, grid_.constants).run(program, x);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has_effects<P> || j < item.n) out.lane[j] = stored_value<Out>(program, lane(j));
      }
    }
  }
  template <int K, class Out>
  __device__ __forceinline__ void store(const Vector<Out, V>& in, char*& at,
                                        const RowItem& item) const {
    const RowOperand& x = grid_.operand[K];
    if ((grid_.along_row >> K & 1U) == 0) {
      if (item.position == 0) *reinterpret_cast<Out*>(this->template place<K>(at)) = in.lane[0];
      return;
    }
    if ((!Walk::tiled || sizeof(Out) <= 4) && (grid_.vectors >> K & 1U) != 0 && item.n == V) {
      *reinterpret_cast<Vector<Out, V>*>(at) = in;
    } else {
      char* to = at;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j < item.n) *reinterpret_cast<Out*>(to) = in.lane[j];
        to += x.hop;
      }
    }
    at += x.step;
  }
};

}  // namespace detail

/// Runs a task of a row program.
template <class Outs, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(row_loop_block, detail::row_loop_blocks<Types, Program>)
    row_kernel(const __grid_constant__ RowGrid<N> grid, const __grid_constant__ Program program,
               char* partials) {
  extern __shared__ __align__(128) char weft_row_shared[];
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  detail::RowThread<Outs, Types, V, Program, detail::RowWalk>(grid, program, partials,
                                                              weft_row_shared)
      .run();
}

}  // namespace weft::on_cuda

#endif
