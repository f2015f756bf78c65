// Var<T, D>: a tensor whose statements are recorded, so that gradients can be computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because a Var has the members of a Tensor.

#include "weft/autograd/expression/caster.hpp"
#include "weft/autograd/expression/differentiable.hpp"
#include "weft/autograd/expression/hoist_opaque.hpp"
#include "weft/autograd/expression/large.hpp"
#include "weft/autograd/expression/row_backward.hpp"
#include "weft/autograd/expression/statement.hpp"
#include "weft/autograd/gradient_members.hpp"
#include "weft/eval/transfer.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

template <class T>
struct detail::DefaultDevice<T, void> {
  using type = Cpu;
};

namespace autograd {
template <class T, class D>
Tensor<T, D> values(const Tensor<Dual<T>, D>& x);  // in autograd/linalg/dual.hpp
}  // namespace autograd

/// A tensor that knows how it was computed. `Var y = expression` with a Var in it evaluates the
/// expression as for a Tensor and records it; y.backward() then computes the gradients of all Vars
/// that require one, which x.grad() gives. Copies are handles to the same values and gradient.
template <class T, Device D>
class Var : public Members<Var<T, D>>, public autograd::GradientMembers<T, D> {
  using Gradients = autograd::GradientMembers<T, D>;

 public:
  using value_type = T;
  using device_type = D;
  static constexpr bool is_expression = true;
  static_assert(is_floating<T> || is_complex<T> || is_small<T>,
                "weft: a Var has elements of a floating-point or complex type: use a Tensor for "
                "others");

  Var() = default;
  /// Shares the values of a tensor. It gets a gradient only if `requires_grad`.
  Var(const Tensor<T, D>& value, bool requires_grad = false) : Gradients(value) {
    if (requires_grad) this->requires_grad(true);
  }
  /// The value of an expression, recorded where a Var in it requires a gradient.
  template <ExpressionLike E>
    requires(!TensorLike<E> && !std::is_same_v<std::remove_cvref_t<E>, Var>)
  Var(E&& e, const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    if constexpr (detail::is_var<detail::node_t<E>>) {
      check_kind<detail::node_t<E>>();
      if constexpr (std::is_same_v<detail::node_t<E>, Var>) *this = Var(detail::node(e));
    } else {
      record(detail::node(e), file, line);
    }
  }
  /// For nodes: a value, and the variable it was computed by, or null.
  Var(const Tensor<T, D>& value, autograd::Ref<autograd::VariableOf<T, D>> variable)
      : Gradients(value, static_cast<decltype(variable)&&>(variable)) {}

  Var(const Var&) = default;
  Var(Var&&) noexcept = default;
  Var& operator=(const Var&) = default;
  Var& operator=(Var&&) noexcept = default;
  ~Var() = default;

  /// The values, as a tensor that shares them; statements on it are not recorded.
  const Tensor<T, D>& value() const { return value_; }
  /// The same; inside hvp, where elements are Duals, it gives plain numbers, which are constants.
  std::conditional_t<is_dual<T>, Tensor<undual_t<T>, D>, const Tensor<T, D>&> detach() const {
    if constexpr (is_dual<T>) {
      return autograd::values(value_).clone();
    } else {
      return value_;
    }
  }

  /// Conversions to numbers and assignments of numbers do not exist; these say what to write
  /// instead.
  template <NumberLike N>
  operator N() const {
    static_assert(
        detail::always_false<N>,
        "weft: a Var becomes a number by x.item(), which throws unless it has one element");
    return {};
  }
  template <OperandOrMistake X>
    requires(!ExpressionLike<X>)
  Var& operator=(const X&) {
    static_assert(
        detail::always_false<X>,
        "weft: the elements of a Var are written through its tensor, which records nothing: "
        "write x.value().fill(v), x.value()(i, j) = v, or x = expression for a new Var");
    return *this;
  }

  using Gradients::is_leaf;
  using Members<Var>::shape;
  const Shape& shape() const { return value_.shape(); }
  const Strides& strides() const { return value_.strides(); }
  static constexpr Dtype dtype() { return dtype_of<T>; }
  bool is_contiguous() const { return value_.is_contiguous(); }
  int rank() const { return value_.rank(); }
  int64_t size() const { return value_.size(); }
  int64_t size(int64_t axis) const { return value_.size(axis); }
  D device() const { return value_.device(); }
  /// The value of a Var with one element.
  T item() const { return value_.item(); }
  /// A copy of the elements in row-major order.
  auto to_vector() const { return value_.to_vector(); }
  Var eval() const { return *this; }

  using Gradients::requires_grad;
  /// Turns the gradient of a leaf on or off; throws if a statement computed this Var.
  Var& requires_grad(bool wanted) {
    if (!is_leaf()) {
      fail<ValueError>(
          "requires_grad", "a Var of shape ", shape(),
          " was computed by a statement, expected a leaf: write Var(x.detach(), true)");
    }
    if (!variable_ && wanted) variable_ = autograd::Ref(new autograd::VariableOf<T, D>);
    if (variable_) variable_->requires_grad = wanted;
    return *this;
  }

  /// Writes into the elements. A Var that requires a gradient can only be written inside a NoGrad.
  template <OperandOrMistake X>
  const Var& assign(X&& x) const {
    check_writable("assign");
    if constexpr (autograd::has_var<std::remove_cvref_t<X>>) {
      value_.assign(autograd::without_vars(x));
    } else {
      value_.assign(static_cast<X&&>(x));
    }
    return *this;
  }
  /// In place inside a NoGrad, or if no gradient is required; otherwise a new value: x = x + e.
  template <class X>
  Var& operator+=(X&& x) {
    return update(*this + static_cast<X&&>(x));
  }
  template <class X>
  Var& operator-=(X&& x) {
    return update(*this - static_cast<X&&>(x));
  }
  template <class X>
  Var& operator*=(X&& x) {
    return update(*this * static_cast<X&&>(x));
  }
  template <class X>
  Var& operator/=(X&& x) {
    return update(*this / static_cast<X&&>(x));
  }
  template <class X>
  Var& operator%=(X&& x) {
    return update(*this % static_cast<X&&>(x));
  }

  // Views share the values, like a Tensor's views, and keep what they view alive. Defined in
  // autograd/shape/movement.hpp.
  Var operator()(Slice a = Slice::absent, Slice b = Slice::absent, Slice c = Slice::absent,
                 Slice d = Slice::absent, Slice e = Slice::absent, Slice f = Slice::absent,
                 Slice g = Slice::absent, Slice h = Slice::absent) const;
  /// The slices of the first axis at integer indices: take(x, indices, axis(0)).
  template <ExpressionLike I>
  auto operator()(const I& index) const {
    return detail::member::free_at_indices(*this, index);
  }
  template <class I>
  auto operator[](const I& index) const {
    if constexpr (ExpressionLike<I>) {
      return detail::member::free_at_indices(*this, index);
    } else {
      if constexpr (detail::is_index<I>()) return (*this)(Slice(index));
      return *this;
    }
  }
  /// The views along the first axis: `for (auto row : x)`.
  RowIterator<Var> begin() const {
    if (rank() == 0) fail<ShapeError>("begin", "a Var of rank 0 has no axis to iterate over");
    return {*this, 0};
  }
  RowIterator<Var> end() const { return {*this, size(0)}; }
  using Members<Var>::expand;
  using Members<Var>::permute;
  using Members<Var>::reshape;
  using Members<Var>::view;
  Var permute(const Shape& axes) const;
  using Members<Var>::transpose;
  Var transpose(int64_t a, int64_t b) const;
  Var t() const;
  Var reshape(const Shape& shape) const;
  Var view(const Shape& shape) const;
  Var flatten() const;
  /// The axes from `first` to `last` as one.
  Var flatten(int64_t first, int64_t last = -1) const;
  Var squeeze() const;
  Var squeeze(int64_t axis) const;
  Var unsqueeze(int64_t axis) const;
  Var expand(const Shape& shape) const;
  Var flip(int64_t axis) const;
  Var diagonal(int64_t k = 0, int64_t axis1 = -2, int64_t axis2 = -1) const;
  Var narrow(int64_t axis, int64_t start, int64_t length) const;
  std::vector<Var> split(int64_t length, int64_t axis = 0) const;
  std::vector<Var> chunk(int64_t count, int64_t axis = 0) const;
  /// A copy in storage of its own; the gradient flows back through it.
  Var clone() const;
  Var contiguous() const { return is_contiguous() ? *this : clone(); }
  using Members<Var>::to;
  /// A copy on another device; this Var itself if it is already there.
  template <class To>
  Var<T, To> to(To device) const;

 private:
  /// Evaluates a statement and records it. Not inline: weft::lib holds it for common statements.
  template <class E>
  void record(const E& e, const char* file, unsigned line);

  /// Checks that values of E become values of this Var without a conversion.
  template <class E>
  static constexpr void check_kind() {
    static_assert(std::is_same_v<typename E::value_type, T>,
                  "weft: element types do not convert silently: write cast<T>(x)");
    static_assert(std::is_same_v<common_device_t<typename E::device_type, D>, D>,
                  "weft: this expression is on another device than the Var: write x.to(device)");
  }
  void check_writable(const char* operation) const {
    if (requires_grad() && is_grad_enabled()) {
      fail<ValueError>(operation, "a Var of shape ", shape(),
                       " that requires a gradient is not written in place: write inside a NoGrad, "
                       "or x = e for a new value");
    }
  }
  template <class E>
  Var& update(const E& e) {
    if (is_grad_enabled() && (requires_grad() || autograd::any_requires_grad(e))) {
      if (variable_ && is_leaf()) check_writable("update");
      *this = Var(e);
    } else {
      value_.assign(autograd::without_vars(e));
    }
    return *this;
  }

  using Gradients::value_;
  using Gradients::variable_;
};

template <class T, Device D>
template <class E>
void Var<T, D>::record(const E& e, const char* file, unsigned line) {
  check_kind<E>();
  if constexpr (autograd::is_var<E>) {
    value_ = e.value();
  } else if constexpr (!autograd::has_var<E>) {
    value_ = Tensor<T, D>(e);
  } else if constexpr (autograd::HoistInside<E>::changes) {
    record(autograd::HoistInside<E>::of(e), file, line);
  } else if constexpr (autograd::can_differentiate<E>()) {
    if constexpr (std::is_same_v<T, float> && autograd::CastStatement<E>::possible) {
      if (const auto* cast = autograd::caster<T, D>()) {
        *this = autograd::CastStatement<E>::run(*cast, e);
        return;
      }
    }
    auto plain = autograd::without_vars(e);
    if constexpr (!autograd::has_var<decltype(plain)>) {  // else it has said why
      autograd::KeptValue<E, D> kept;
      if constexpr (autograd::keeps_value<E>) {
        value_ = autograd::evaluate_and_keep<T, D>(plain, kept);
      } else {
        value_ = detail::materialize<T, D>(plain);
      }
      auto variable = autograd::record_statement<T, D>(e, static_cast<decltype(plain)&&>(plain),
                                                       file, line, kept);
      if (variable) *this = Var(value_, static_cast<decltype(variable)&&>(variable));
    }
  }
}

template <class T, class D>
Var(const Tensor<T, D>&) -> Var<T, D>;
template <class T, class D>
Var(const Tensor<T, D>&, bool) -> Var<T, D>;
template <Expression E>
Var(const E&) -> Var<typename E::value_type, typename detail::Evaluated<E>::device>;

/// A leaf that requires a gradient: something to be learned. It shares the tensor's elements.
template <ExpressionLike X>
auto parameter(const X& x) {
  return Var(x.eval(), true);
}
/// Not of numbers, which could be elements or sizes: says so.
template <NumberLike N>
Var<float> parameter(std::initializer_list<N>) {
  static_assert(detail::always_false<N>,
                "weft: a parameter is made from a tensor: write parameter(tensor({1.0F, 2.0F})), "
                "parameter(zeros({3, 4}))");
  return {};
}
template <NumberLike N>
Var<float> parameter(N) {
  static_assert(detail::always_false<N>,
                "weft: a parameter is made from a tensor: write parameter(tensor(v))");
  return {};
}

}  // namespace weft
