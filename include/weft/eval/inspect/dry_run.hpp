// DryRun<D>: a device that plans what D would launch, notes it, and runs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/row_kernel.hpp"

namespace weft {

/// What device D would launch, specialised where its loops live (cpu/inspect/explain.hpp,
/// cuda/inspect/explain.hpp). Each fills in a Kernel whose operands are known, and may add further
/// kernels:
///   static void describe(D, Explanation&);   // name and bandwidth
///   template <class Out, class Types, class Program>
///   static void for_each(Explanation&, D, const Name&, const Shape&, Operand*, const Program&);
///   template <class Out, class Types, class R, class Program>
///   static void reduce(Explanation&, D, const Name&, const Shape& kept, const Shape& reduced,
///                      Operand*, const Program&);
///   template <class Outs, class Types, class Program>
///   static int rows(Explanation&, D, const Name&, const RowTask&, Operand*);
/// and where D joins parts at once, or scans with what reads the scan, false where not these:
///   template <class E>
///   static bool join(Explanation&, const E& joined);
///   template <class Out, class L>
///   static bool scan(D, L& lowered, Operand*, const Shape&, Explanation::Kernel&);
template <class D>
struct Explainer;

namespace detail {

/// A device that plans D's loops and runs nothing.
template <class D>
struct DryRun {
  D device;
  Explanation* out;
  std::vector<int>* kernel_of;  // for each reduction
};

template <class Out, class L, class D>
bool explain_scan(L& lowered, Operand* operands, std::uint64_t values, const Shape& shape,
                  const D& dry) {
  using Runs = std::remove_cvref_t<decltype(dry.device)>;
  if constexpr (!requires(Explanation::Kernel & kernel) {
                  Explainer<Runs>::template scan<Out>(dry.device, lowered, operands, shape, kernel);
                }) {
    return false;
  } else {
    using Types = typename Join<typename L::types, typename L::scanned_types>::type;
    Text work = join(
        {L::Node::text, " along axis ", lowered.scan.axis(), " of ", shape, ", and what reads it"});
    Explanation::Kernel& kernel = add_kernel(*dry.out, "scan", static_cast<Text&&>(work), shape,
                                             operands, TypeList<Out>{}, TypeList<>{});
    add_reads(kernel, shape, operands, values, Types{});
    kernel.cost = element_cost<decltype(lowered.program)>;
    kernel.cost += element_cost<decltype(lowered.scanned)>;
    kernel.elements = shape.size();
    if (Explainer<Runs>::template scan<Out>(dry.device, lowered, operands, shape, kernel)) {
      return true;
    }
    dry.out->kernels.pop_back();
    return false;
  }
}

}  // namespace detail

template <class D>
struct Memory<detail::DryRun<D>> {
  static Storage* allocate(const detail::DryRun<D>& dry, int64_t bytes) {
    return detail::allocate_placeholder(*dry.out, bytes);
  }
};

template <class D>
struct Executor<detail::DryRun<D>> {
  template <class Out, class Types, class Program>
  static void for_each(const detail::Name& name, const detail::DryRun<D>& dry, const Shape& shape,
                       detail::Operand* operands, const Program& program) {
    using Outs = typename detail::Targets<Out>::types;
    constexpr int n = detail::count(Outs{}) + detail::count(Types{});
    bool gathers = false;
    for (int i = detail::count(Outs{}); i < n; ++i) gathers |= operands[i].gathered != 0;
    Explanation::Kernel& kernel =
        detail::add_kernel(*dry.out, gathers ? "gather" : "element-wise",
                           detail::join({"over ", shape}), shape, operands, Outs{}, Types{});
    kernel.cost = element_cost<Program>;
    kernel.elements = shape.size();
    Explainer<D>::template for_each<Out, Types, Program>(*dry.out, dry.device, name, shape,
                                                         operands, program);
  }
};

template <class D>
struct Reducer<detail::DryRun<D>> {
  template <class Out, class Types, class R, class Program>
  static void reduce(const detail::Name& name, const R&, const detail::DryRun<D>& dry,
                     const Shape& kept, const Shape& reduced, detail::Operand* operands,
                     const Program& program) {
    Text work = detail::join({R::text, " of ", detail::counted(kept.size(), "result"), " from ",
                              reduced.size(), " each"});
    Explanation::Kernel& kernel = detail::add_kernel(
        *dry.out, "reduction", static_cast<Text&&>(work), detail::joined(kept, reduced), operands,
        detail::TypeList<Out>{}, Types{});
    kernel.reductions = 1;
    kernel.cost = element_cost<Program>;
    kernel.cost += add_cost<typename R::template State<typename Program::type>>;
    kernel.elements = kept.size() * reduced.size();
    Explainer<D>::template reduce<Out, Types, R>(*dry.out, dry.device, name, kept, reduced,
                                                 operands, program);
  }
};

template <class D>
struct RowExecutor<detail::DryRun<D>> {
  static bool fuses(int64_t rows, int64_t length) { return RowExecutor<D>::fuses(rows, length); }
  static bool fuses_columns(int64_t rows, int64_t length) requires detail::PlansColumns<D> {
    return RowExecutor<D>::fuses_columns(rows, length);
  }
  static constexpr bool divides_rows = RowExecutor<D>::divides_rows;
  template <class Op>
    requires requires { RowExecutor<D>::template stores_before<Op>; }
  static constexpr bool stores_before = RowExecutor<D>::template stores_before<Op>;

  template <class Outs, class Types, class Program>
  static void run(const detail::Name& name, const detail::DryRun<D>& dry,
                  const detail::RowTask& task, detail::Operand* operands, const Program&) {
    add(Outs{}, Types{}, static_cast<const Program*>(nullptr), dry, task, operands);
    const int at = static_cast<int>(dry.out->kernels.size()) - 1;
    const int before = Explainer<D>::template rows<Outs, Types, Program>(*dry.out, dry.device, name,
                                                                         task, operands);
    for (int& kernel : *dry.kernel_of) kernel += kernel == at ? before : 0;
  }

 private:
  template <class... Outs, class... Ts, class Program>
  static void add(detail::TypeList<Outs...>, detail::TypeList<Ts...>, const Program*,
                  const detail::DryRun<D>& dry, const detail::RowTask& task,
                  const detail::Operand* operands) {
    using Names = detail::RowNames<Program>;
    static constexpr const char* outs[] = {detail::type_name<Outs>()...};
    static constexpr const char* leaves[] = {detail::type_name<Ts>()..., nullptr};
    const detail::RowTaskView view{task,
                                   operands,
                                   outs,
                                   static_cast<int>(sizeof...(Outs)),
                                   leaves,
                                   static_cast<int>(sizeof...(Ts)),
                                   Names::names,
                                   Names::types,
                                   static_cast<int>(std::size(Names::names)),
                                   detail::RowUses<Program>::value,
                                   detail::RowCosts<Program>::table.of};
    view.add_to(*dry.out, *dry.kernel_of);
  }
};

}  // namespace weft
