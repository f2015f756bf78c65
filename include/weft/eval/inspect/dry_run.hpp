// DryRun<D>: a device that plans what D would launch, notes it, and runs nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/inspect/element_cost.hpp"
#include "weft/eval/inspect/placeholder_storage.hpp"

namespace weft {

/// What device D would launch, specialised where its loops live (cpu/inspect/explain.hpp,
/// cuda/inspect/explain.hpp). Each fills in a Kernel whose operands are known, and may add further
/// kernels:
///   static void describe(D, Explanation&);   // name and bandwidth
///   template <class Out, class Types, class Program>
///   static void for_each(Explanation&, D, const Name&, const Shape&, Operand*, const Program&);
///   template <class Out, class Types, class R, class Program>
///   static void reduce(Explanation&, D, const Name&, const Shape& kept, const Shape& reduced,
///                      Operand*);
///   template <class Outs, class Types, class Program>
///   static void rows(Explanation&, D, const Name&, const RowTask&, Operand*);
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

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, IndexOperand>) {
    return nullptr;
  } else {
    return name(dtype_of<typename Canonical<T>::type>);
  }
}

/// Adds the bytes that a kernel moves of an operand with these strides along `sizes`.
WEFT_OUTLINED inline void add_operand(std::vector<Explanation::Operand>& list, const Operand& x,
                                      const char* type, const Shape& sizes, const char* note) {
  if (type == nullptr && x.gathered == 0) return;  // positions have no memory
  Explanation::Operand found;
  found.bytes = x.gathered != 0 ? x.gathered : x.itemsize;
  for (int i = 0; i < sizes.rank(); ++i) {
    if (x.stride[i] != 0 || x.gathered != 0) found.bytes *= sizes[i];
  }
  if (x.gathered != 0) {  // at most what there is
    type = "gathered";
    if (x.reached_bytes < found.bytes) found.bytes = x.reached_bytes;
  }
  for (int i = 0; i < x.rank; ++i) found.shape.push_back(x.size[i]);
  const char* const address = x.gathered != 0 ? x.reached : x.data;
  for (Explanation::Operand& known : list) {
    if (known.address == address && known.shape == found.shape && known.bytes == found.bytes &&
        known.type == type) {
      ++known.occurrences;
      return;
    }
  }
  found.type = type;
  found.address = address;
  found.note = is_temporary(x) ? "temporary" : note;
  list.push_back(static_cast<Explanation::Operand&&>(found));
}

/// The dimensions of both lists.
inline Shape joined(const Shape& a, const Shape& b) {
  Shape out = a;
  for (int64_t size : b) out.push_back(size);
  return out;
}

/// The targets' types of a for_each of Out.
template <class Out>
struct Targets {
  using types = TypeList<Out>;
};
template <class... Outs>
struct Targets<TypeList<Outs...>> {
  using types = TypeList<Outs...>;
};

/// Adds a kernel over operands, targets first.
template <class... Outs, class... Ts>
Explanation::Kernel& add_kernel(Explanation& out, const char* kind, Text work, const Shape& sizes,
                                const Operand* operands, TypeList<Outs...>, TypeList<Ts...>) {
  out.kernels.emplace_back();
  Explanation::Kernel& kernel = out.kernels.back();
  kernel.kind = kind;
  kernel.work = static_cast<Text&&>(work);
  int i = 0;
  (add_operand(kernel.writes, operands[i++], type_name<Outs>(), sizes, "result"), ...);
  (add_operand(kernel.reads, operands[i++], type_name<Ts>(), sizes, ""), ...);
  return kernel;
}

/// Adds what a kernel reads, but for the operands in `left_out`: bit i for operand i, the target
/// being operand 0.
template <class... Ts>
void add_reads(Explanation::Kernel& kernel, const Shape& sizes, const Operand* operands,
               std::uint64_t left_out, TypeList<Ts...>) {
  int i = 0;
  const auto add = [&](const char* type) {
    ++i;
    if ((left_out >> i & 1U) == 0) add_operand(kernel.reads, operands[i], type, sizes, "");
  };
  (add(type_name<Ts>()), ...);
}

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

/// The names of a row program's reductions, and the types of their values.
template <class Program>
struct RowNames;
template <class... Rs, class Outputs>
struct RowNames<RowProgram<Pack<Rs...>, Outputs>> {
  template <class R, class P, class V>
  static constexpr const char* name_of(const RowReduction<R, P, V>*) {
    return R::text;
  }
  static constexpr const char* names[] = {name_of(static_cast<const Rs*>(nullptr))...};
  static constexpr const char* types[] = {type_name<typename Rs::value>()...};
};

/// The operands that each reduction of a row program reads; in the last entry, those that the
/// outputs read.
template <class Program>
struct RowUses;
template <class... Rs, class... Ps>
struct RowUses<RowProgram<Pack<Rs...>, Pack<Ps...>>> {
  static constexpr std::uint64_t value[] = {uses_of<decltype(Rs::program)>..., (uses_of<Ps> | ...)};
};

/// What one task of a row program reads and writes.
struct RowTaskView {
  const RowTask& task;
  const Operand* operands;
  const char* const* out_types;
  int outputs;
  const char* const* leaf_types;
  int leaves;
  const char* const* names;
  const char* const* value_types;
  int reductions;
  const std::uint64_t* uses;
  const ElementCost* costs;

  bool runs(int r) const {
    return r < reductions ? task.mode[r] == RowMode::compute : task.target < 0;
  }
  bool reads(int operand) const {
    for (int r = 0; r <= reductions; ++r) {
      if (runs(r) && (uses[r] >> operand & 1U) != 0) return true;
    }
    return false;
  }
  /// Whether an output has an element for each of the row.
  bool has_output_along_row() const {
    for (int k = 0; k < outputs; ++k) {
      if (task.along_row[k]) return true;
    }
    return false;
  }

  [[gnu::noinline]] void add_to(Explanation& out, std::vector<int>& kernel_of) const {
    const int index = static_cast<int>(out.kernels.size());
    out.kernels.emplace_back();
    Explanation::Kernel& kernel = out.kernels.back();
    const Shape sizes = joined(task.geometry.kept, task.geometry.reduced);
    kernel.kind = task.target < 0 ? "row program" : "reduction of rows";
    kernel.work = join(
        {"over ", counted(task.geometry.kept.size(), "row"), " of ", task.geometry.reduced.size()});
    const char* separator = ": ";
    kernel.elements = sizes.size();
    for (int r = 0; r <= reductions; ++r) {
      if (runs(r) && (r < reductions || has_output_along_row())) kernel.cost += costs[r];
    }
    for (int r = 0; r < reductions; ++r) {
      if (task.mode[r] == RowMode::compute) {
        kernel.work += join({separator, names[r]});
        separator = ", ";
        ++kernel.reductions;
        const int same = r == task.target ? r : task.same[r];
        out.repeated += kernel_of[static_cast<std::size_t>(same)] >= 0;
        kernel_of[static_cast<std::size_t>(r)] = index;
      } else if (task.mode[r] == RowMode::same) {
        ++kernel.equal;
        kernel_of[static_cast<std::size_t>(r)] = index;
      }
    }
    if (kernel.equal > 0) {
      kernel.work +=
          join({"; ", kernel.equal, kernel.equal == 1 ? " equals" : " equal", " one of these and ",
                kernel.equal == 1 ? "is" : "are", " not computed"});
    }
    for (int k = 0; k < outputs && task.target < 0; ++k) {
      add_operand(kernel.writes, operands[k], out_types[k], sizes, "result");
    }
    for (int i = outputs; i < outputs + leaves; ++i) {
      if (reads(i)) add_operand(kernel.reads, operands[i], leaf_types[i - outputs], sizes, "");
    }
    for (int r = 0; r < reductions; ++r) {
      auto& list = r == task.target ? kernel.writes : kernel.reads;
      if (r == task.target || task.mode[r] == RowMode::load) {
        add_operand(list, operands[outputs + leaves + r], value_types[r], sizes, "temporary");
      }
    }
  }
};

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
                     const Program&) {
    Text work = detail::join({R::text, " of ", detail::counted(kept.size(), "result"), " from ",
                              reduced.size(), " each"});
    Explanation::Kernel& kernel = detail::add_kernel(
        *dry.out, "reduction", static_cast<Text&&>(work), detail::joined(kept, reduced), operands,
        detail::TypeList<Out>{}, Types{});
    kernel.reductions = 1;
    kernel.cost = element_cost<Program>;
    kernel.cost += add_cost<typename R::template State<typename Program::type>>;
    kernel.elements = kept.size() * reduced.size();
    Explainer<D>::template reduce<Out, Types, R, Program>(*dry.out, dry.device, name, kept, reduced,
                                                          operands);
  }
};

template <class D>
struct RowExecutor<detail::DryRun<D>> {
  static bool fuses(int64_t rows, int64_t length) { return RowExecutor<D>::fuses(rows, length); }
  static bool fuses_columns(int64_t rows, int64_t length) requires detail::PlansColumns<D> {
    return RowExecutor<D>::fuses_columns(rows, length);
  }
  template <class Op>
    requires requires { RowExecutor<D>::template stores_before<Op>; }
  static constexpr bool stores_before = RowExecutor<D>::template stores_before<Op>;

  template <class Outs, class Types, class Program>
  static void run(const detail::Name& name, const detail::DryRun<D>& dry,
                  const detail::RowTask& task, detail::Operand* operands, const Program&) {
    add(Outs{}, Types{}, static_cast<const Program*>(nullptr), dry, task, operands);
    Explainer<D>::template rows<Outs, Types, Program>(*dry.out, dry.device, name, task, operands);
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
