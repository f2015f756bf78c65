// let(e, f): a formula in which a value is bound, so that it is computed once for each element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/rows/pattern.hpp"
#include "weft/eval/rows/program.hpp"

namespace weft {

namespace detail {

/// What let(e, f) passes to f: it has e's element type, device and shape, and no elements.
template <class F, class T, class D>
class Placeholder : public Members<Placeholder<F, T, D>> {
 public:
  using value_type = T;
  using device_type = D;
  static constexpr bool is_expression = true;
  static constexpr const char* text = "bound";

  explicit Placeholder(const Shape& shape) : shape_(shape) {}
  using Members<Placeholder>::shape;
  const Shape& shape() const { return shape_; }
  int rank() const { return shape_.rank(); }
  int64_t size() const { return shape_.size(); }

 private:
  Shape shape_;
};

template <class F, class T, class D>
struct Lowering<Placeholder<F, T, D>> {
  static_assert(sizeof(F) == 0,
                "weft: the function of let makes a formula of what it is given, which has no "
                "elements yet: evaluate outside of it");
  using types = TypeList<T>;
  template <int B>
  static Arg<B, T> lower(const Placeholder<F, T, D>&, Operand*) {
    return {};
  }
};

/// Whether the bound value B is in an expression.
template <class B, class E>
inline constexpr bool reads_bound = [] {
  if constexpr (std::is_same_v<B, E>) {
    return true;
  } else if constexpr (is_tensor<E>) {
    return false;
  } else if constexpr (requires(const E& e) { e.args(); }) {
    return reads_bound<B, std::remove_cvref_t<decltype(std::declval<const E&>().args())>>;
  } else if constexpr (requires(const E& e) { e.operand(); }) {
    return reads_bound<B, std::remove_cvref_t<decltype(std::declval<const E&>().operand())>>;
  }
  return false;
}();
template <class B, class... Es>
inline constexpr bool reads_bound<B, Pack<Es...>> = (reads_bound<B, Es> || ...);

/// Whether B is used only by element-wise operations without side effects.
template <class B, class E>
inline constexpr bool is_formula_of = std::is_same_v<B, E> || !reads_bound<B, E>;
template <class B, class T, class Op, class... Args>
inline constexpr bool is_formula_of<B, Map<T, Op, Args...>> = (Effects::of<Op>() &
                                                               ~Effects::calls) == 0 &&
                                                              (is_formula_of<B, Args> && ...);

template <int...>
struct Sources {};

/// A part of a formula: its program, the source of each operand (0: the bound value, otherwise an
/// argument), and the argument expressions.
template <class Program, class From, class Arguments>
struct FormulaPart {
  Program program;
  Arguments arguments;
};

/// Lowers a formula whose operands begin at number N and arguments at A.
template <class B, int N, int A, class E>
auto lower_formula(const E& e);

template <class B, int N, int A, class Op, class... Ps, int... S, class... Xs, class... Args>
auto lower_operation(const Op& op, FormulaPart<Pack<Ps...>, Sources<S...>, Pack<Xs...>> done,
                     const Pack<Args...>& rest) {
  if constexpr (sizeof...(Args) == 0) {
    return FormulaPart<Apply<Op, Ps...>, Sources<S...>, Pack<Xs...>>{{op, done.program},
                                                                     done.arguments};
  } else {
    const auto next =
        lower_formula<B, N + static_cast<int>(sizeof...(S)), A + static_cast<int>(sizeof...(Xs))>(
            rest.head);
    return lower_operation<B, N, A>(op, joined_parts(done, next), rest.tail);
  }
}
template <class... Ps, int... S, class... Xs, class P, int... S2, class... Xs2>
auto joined_parts(const FormulaPart<Pack<Ps...>, Sources<S...>, Pack<Xs...>>& done,
                  const FormulaPart<P, Sources<S2...>, Pack<Xs2...>>& next) {
  return FormulaPart<Pack<Ps..., P>, Sources<S..., S2...>, Pack<Xs..., Xs2...>>{
      joined(done.program, Pack<P>{next.program, {}}), joined(done.arguments, next.arguments)};
}

template <class B, int N, int A, class E>
auto lower_formula(const E& e) {
  if constexpr (std::is_same_v<E, B>) {
    return FormulaPart<Arg<N, typename B::value_type>, Sources<0>, Pack<>>{};
  } else if constexpr (is_scalar<E>) {
    return FormulaPart<Constant<typename E::number>, Sources<>, Pack<>>{{e.value}, {}};
  } else if constexpr (!reads_bound<B, E>) {
    return FormulaPart<Arg<N, typename E::value_type>, Sources<A>, Pack<const E*>>{{}, {&e, {}}};
  } else {
    return lower_operation<B, N, A>(e.op(), FormulaPart<Pack<>, Sources<>, Pack<>>{}, e.args());
  }
}

/// The values of a formula's operands.
template <class Values, int... S>
struct FormulaInputs {
  Values values;
  template <int I>
  WEFT_HD WEFT_INLINE auto get() const {
    constexpr int sources[] = {S...};
    constexpr int source = sources[I];
    return weft::get<source>(values);
  }
};

}  // namespace detail

namespace op {
/// Whether gradients pass from a formula to its argument I; in autograd/expression/let.hpp.
template <int I, class Let>
inline constexpr bool formula_passes = false;

/// A formula whose first argument is the bound value; its value has type Result.
template <class Result, class Program, int... S>
struct let {
  using domain = Any;
  using result_type = Result;
  static constexpr const char* text = "let";
  static constexpr bool mixes_types = true;
  static constexpr bool calls_user = weft::calls_user<Program>;
  Program program;

  template <class... Xs>
  WEFT_HD WEFT_INLINE auto value(Xs... xs) const {
    return program(inputs(xs...));
  }
  template <int I, class G, class... Xs>
  requires formula_passes<I, let> WEFT_HD auto vjp(G g, Xs... xs_and_y) const {
    return formula_gradient<I>(*this, g, inputs(xs_and_y...));
  }

 private:
  template <class... Xs>
  WEFT_HD WEFT_INLINE static weft::detail::FormulaInputs<Pack<Xs...>, S...> inputs(Xs... xs) {
    return {pack_of(xs...)};
  }
};
}  // namespace op

namespace detail {

template <class Result, class Program, int... S>
inline constexpr int op_weight<op::let<Result, Program, S...>> = program_weight<Program>;

template <class Result, class E, class Program, int... S, class... Xs, std::size_t... I>
auto make_let(E&& e, const FormulaPart<Program, Sources<S...>, Pack<Xs...>>& part,
              std::index_sequence<I...>) {
  using Op = op::let<Result, Program, S...>;
  return make_node<Result>(Op{part.program}, static_cast<E&&>(e),
                           *weft::get<static_cast<int>(I)>(part.arguments)...);
}
template <class Result, class E, class Program, class From, class... Xs>
auto make_let(E&& e, const FormulaPart<Program, From, Pack<Xs...>>& part) {
  return make_let<Result>(static_cast<E&&>(e), part, std::index_sequence_for<Xs...>{});
}

}  // namespace detail

/// f(e) with e bound to one value: f, such as a generic lambda, returns an expression of its
/// argument. If f uses it only element-wise, e is read and computed once per element, and its
/// gradient too, however often the formula mentions it. Otherwise (f reduces or gathers it) the
/// result is plain f(e), and a row program finds the equal parts when it runs.
template <ExpressionLike E, class F>
auto let(E&& e, const F& f) {
  using X = detail::node_t<E>;
  using B = detail::Placeholder<F, typename X::value_type, typename X::device_type>;
  using Body = std::remove_cvref_t<decltype(f(std::declval<const B&>()))>;
  if constexpr (detail::reads_bound<B, Body> && detail::is_formula_of<B, Body> &&
                !std::is_same_v<B, Body>) {
    const B bound(e.shape());
    const auto body = f(bound);
    return detail::make_let<typename Body::value_type>(static_cast<E&&>(e),
                                                       detail::lower_formula<B, 0, 1>(body));
  } else {
    return f(static_cast<E&&>(e));
  }
}

}  // namespace weft
