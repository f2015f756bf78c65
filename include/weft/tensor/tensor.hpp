// Tensor<T, D>: a handle to elements of type T on device D, with shape and strides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Long because a tensor has many small members.

#include <vector>

#include "weft/core/broadcast.hpp"
#include "weft/tensor/iterator.hpp"
#include "weft/tensor/members.hpp"
#include "weft/tensor/rules.hpp"
#include "weft/tensor/slice.hpp"
#include "weft/tensor/storage.hpp"
#include "weft/tensor/view.hpp"

namespace weft {

/// How x.to(device) copies.
struct CopyOptions {
  bool non_blocking = false;  ///< return before the copy is done; needs pinned memory on the CPU
};

namespace detail {
// Defined in eval/assign.hpp and eval/transfer.hpp.
template <class T, class D, class E>
Tensor<T, D> materialize(E&& e);
// Inlined: a statement's type seldom occurs twice, and a function for each is a twentieth of a
// file's object.
template <class T, class D, class E>
WEFT_INLINE void rebind(Tensor<T, D>& target, E&& e);
template <class T, class D, class E>
void write(const Tensor<T, D>& target, const E& e, const char* operation);
template <class T, class D, class To>
Tensor<T, To> transfer(const Tensor<T, D>& x, To device, CopyOptions options);
struct Access;
}  // namespace detail

/// A shared handle to storage, with shape and strides (row-major when new); const is shallow.
/// Copying shares the elements, clone() copies them. `z = expression` on a named tensor rebinds z
/// to the result (reusing its buffer if nothing else can see it); on an unnamed view, as in `z(0,
/// all) = e`, and with +=, -=, *=, /= and assign() it writes in place. Tensor<const T> is
/// read-only.
template <class T, Device D = Cpu>
class Tensor : public Members<Tensor<T, D>> {
 public:
  using value_type = typename detail::ElementType<std::remove_const_t<T>>::type;
  using device_type = D;
  static constexpr bool is_expression = true;
  /// No elements: shape (0,), no storage.
  Tensor() : shape_(Shape{0}), strides_(Strides{1}) {}
  // Out of line, since an expression copies and moves many: a quarter of its code and compile time.
  [[gnu::noinline]] Tensor(const Tensor&) = default;
  /// Leaves the other tensor in the default-constructed state.
  [[gnu::noinline]] Tensor(Tensor&&) noexcept = default;
  ~Tensor() = default;

  /// The value of an expression, in new storage.
  template <ExpressionLike E>
    requires(!TensorLike<E>)
  Tensor(E&& e) {
    if constexpr (detail::can_become<T, D, std::remove_cvref_t<E>>()) {
      if constexpr (TensorLike<detail::node_t<E>>) {
        *this = e.node();
      } else {
        *this = detail::materialize<value_type, D>(detail::node(static_cast<E&&>(e)));
      }
    }
  }
  /// The same elements, read-only or on a device type that can hold them: CudaAt<N> and Cuda share.
  template <class U, Device Other>
    requires(!std::is_same_v<Tensor<U, Other>, Tensor>)
  Tensor(const Tensor<U, Other>& x) {
    if constexpr (detail::can_become<T, D, Tensor<U, Other>>() && detail::can_share<T, U>()) {
      if constexpr (is_cuda<D> && !std::is_same_v<D, Cuda>) check_ordinal(x.storage());
      storage_ = x.storage_;
      data_ = x.data();
      shape_ = x.shape_;
      strides_ = x.strides_;
      version_ = x.version_;
    }
  }
  /// Not a constructor: the error says what to write instead.
  template <class X = Shape>
    requires(MistakenOperand<X> || NumberLike<X>)
  explicit Tensor(const X&) { detail::is_value<std::conditional_t<NumberLike<X>, Shape, X>>(); }

  // All of these are explicit: with others, f({1, 2}) would be ambiguous for a function that takes
  // a Shape or a Tensor, and c ? x(0) : 0.0F for a conversion of the number.
  template <NumberLike A, NumberLike B, NumberLike... Rest>
  explicit Tensor(A, B, Rest...) {
    detail::is_value<std::conditional_t<NumberLike<A>, Shape, A>>();
  }
  template <NumberLike N>
  explicit Tensor(std::initializer_list<N>) {
    detail::is_value<std::conditional_t<NumberLike<N>, Shape, N>>();
  }
  template <NumberLike N>
  explicit Tensor(std::initializer_list<std::initializer_list<N>>) {
    detail::is_value<std::conditional_t<NumberLike<N>, Shape, N>>();
  }

  [[gnu::noinline]] Tensor& operator=(const Tensor&) & = default;
  [[gnu::noinline]] Tensor& operator=(Tensor&&) & noexcept = default;
  /// Rebinds to the value of the expression.
  template <ExpressionLike E>
    requires(!TensorLike<E>)
  Tensor& operator=(E&& e) & {
    if constexpr (detail::can_become<T, D, std::remove_cvref_t<E>>()) {
      if constexpr (detail::can_write<T, E>()) {
        if constexpr (TensorLike<detail::node_t<E>>) {
          *this = e.node();
        } else {
          detail::rebind(*this, detail::node(static_cast<E&&>(e)));
        }
      }
    }
    return *this;
  }
  template <OperandOrMistake X>
    requires(!ExpressionLike<X>)
  Tensor& operator=(const X&) & {
    detail::is_value<X>();
    return *this;
  }

  /// Writes into the elements of a view: z(0, all) = e.
  const Tensor& operator=(const Tensor& other) && { return assign(other); }
  template <OperandOrMistake X>
  const Tensor& operator=(X&& x) && {
    return assign(static_cast<X&&>(x));
  }

  /// Not an assignment: a view of an expression's value cannot be written to.
  template <OperandOrMistake X>
  void operator=(X&&) const&& {
    detail::is_target<X>();
  }

  /// Writes an expression or a number into the elements, broadcast to this shape.
  template <OperandOrMistake X>
  const Tensor& assign(X&& x) const {
    if constexpr (detail::can_write<T, X>()) detail::write(*this, detail::node(x), "assign");
    return *this;
  }
  /// Sets every element to a number.
  template <NumberLike N = value_type>
  const Tensor& fill(N value) const {
    return assign(value);
  }

  // With something that is no number: says so.
  template <MistakenOperand X>
  const Tensor& fill(const X&) const {
    detail::can_write<T, X>();
    return *this;
  }

  /// Adds an expression or a number to the elements, in place.
  template <class X>
  const Tensor& operator+=(X&& x) const {
    return assign(*this + static_cast<X&&>(x));
  }
  /// Subtracts an expression or a number from the elements, in place.
  template <class X>
  const Tensor& operator-=(X&& x) const {
    return assign(*this - static_cast<X&&>(x));
  }
  /// Multiplies the elements by an expression or a number, in place.
  template <class X>
  const Tensor& operator*=(X&& x) const {
    return assign(*this * static_cast<X&&>(x));
  }
  /// Divides the elements by an expression or a number, in place.
  template <class X>
  const Tensor& operator/=(X&& x) const {
    return assign(*this / static_cast<X&&>(x));
  }

  using Members<Tensor>::shape;
  /// The sizes of the axes.
  const Shape& shape() const { return shape_; }
  /// The distance between neighbours along each axis, in elements; 0 where an axis is broadcast.
  const Strides& strides() const { return strides_; }
  /// The number of axes, 0 to 8.
  int rank() const { return shape_.rank(); }
  /// The number of elements.
  int64_t size() const { return shape_.size(); }
  /// The size of one axis; negative ones count from the end.
  int64_t size(int64_t axis) const { return shape_[normalize_axis("size", axis, rank())]; }
  /// Whether the elements are adjacent in memory in row-major order.
  bool is_contiguous() const { return Layout::are_contiguous(shape_, strides_); }
  /// The element type as a value: Dtype::float32.
  static constexpr Dtype dtype() { return dtype_of<value_type>; }
  /// The device, with the ordinal of the GPU that holds the elements.
  D device() const {
    D device{};
    if constexpr (std::is_same_v<D, Cuda>) device.ordinal = storage_ ? storage_->ordinal : -1;
    return device;
  }

  /// The first element's address, on the tensor's device.
  T* data() const { return data_; }
  /// Pointer, shape and strides, for your own loops and kernels.
  View<T> view() const { return {data_, shape_, strides_}; }
  /// The memory that this tensor shares with its views and copies; null if it has none.
  Storage* storage() const { return storage_.get(); }
  /// Shape and strides, with offset 0.
  Layout layout() const { return {shape_, strides_, 0}; }

  /// A view by up to eight integers, slice(start, stop, step), all, newaxis and ellipsis.
  Tensor operator()(Slice a = Slice::absent, Slice b = Slice::absent, Slice c = Slice::absent,
                    Slice d = Slice::absent, Slice e = Slice::absent, Slice f = Slice::absent,
                    Slice g = Slice::absent, Slice h = Slice::absent) const {
    const Slice entries[] = {a, b, c, d, e, f, g, h};
    int count = 0;
    while (count < 8 && entries[count].kind != Slice::absent) ++count;
    return with(layout::index(layout(), entries, count));
  }
  /// The elements selected by a mask or by indices along the first axis, as in x[i].
  template <ExpressionLike I>
  auto operator()(const I& index) const {
    return detail::member::free_at_indices(*this, index);
  }
  /// The view at one index of the first axis; with a bool tensor the elements where it is true,
  /// with an integer tensor the slices at those indices. `x[mask] = e` writes to them.
  template <class I>
  auto operator[](const I& index) const {
    if constexpr (ExpressionLike<I>) {
      return detail::member::free_at_indices(*this, index);
    } else {
      if constexpr (detail::is_index<I>()) return (*this)(Slice(index));
      return *this;
    }
  }

  /// The views along the first axis: `for (auto&& row : x) row.assign(e);`
  RowIterator<Tensor> begin() const {
    if (rank() == 0) fail<ShapeError>("begin", "a tensor of rank 0 has no axis to iterate over");
    return {*this, 0};
  }
  /// The end of these views.
  RowIterator<Tensor> end() const { return {*this, size(0)}; }

  /// The element at the coordinates, bounds-checked; CPU only.
  template <std::integral... I>
  T& at(I... index) const {
    static_cast<void>(detail::is_reachable<D>());
    const Tensor element = (*this)(index...);
    if (element.rank() != 0)
      fail<IndexError>("at", sizeof...(I), " indices for shape ", shape_,
                       ", expected one for each axis");
    return *element.data_;
  }
  /// The value of a tensor with one element.
  value_type item() const {
    if (size() != 1)
      fail<ShapeError>("item", "a tensor of shape ", shape_, ", expected one element");
    if constexpr (std::is_same_v<D, Cpu>) {
      if (data_ == nullptr) fail<ValueError>("item", "a tensor without storage");
      return *data_;
    } else {
      return detail::transfer(Tensor<value_type, D>(unconst()), Cpu{}, {}).item();
    }
  }
  operator value_type() const {
    if constexpr (detail::is_reachable<D>()) return item();
    return {};
  }

  // Members that take a shape also take sizes, as in x.reshape(4, 3); these are in the base class.
  using Members<Tensor>::expand;
  using Members<Tensor>::permute;
  using Members<Tensor>::reshape;
  using Members<Tensor>::transpose;
  using Members<Tensor>::view;
  /// A view with the axes in the given order: axis i of the result is axes[i] of this.
  Tensor permute(const Shape& axes) const { return with(layout::permute(layout(), axes)); }
  /// A view with two axes swapped.
  Tensor transpose(int64_t a, int64_t b) const { return with(layout::transpose(layout(), a, b)); }
  /// The transposed matrix; a tensor of rank 0 or 1 is returned unchanged.
  Tensor t() const {
    if (rank() > 2)
      fail<ShapeError>("t", "shape ", shape_, ", expected at most 2 axes: write transpose(a, b)");
    return rank() < 2 ? *this : transpose(0, 1);
  }
  /// The same elements with another shape, one size of which may be -1; shares storage if the
  /// strides allow it, otherwise copies.
  Tensor reshape(const Shape& shape) const {
    Layout out;
    const Shape full = layout::infer("reshape", shape, size(), shape_);
    return layout::reshape(layout(), full, out) ? with(out) : Tensor(clone().reshape(full));
  }
  /// A reshape that never copies; throws ShapeError if the strides do not allow it.
  Tensor view(const Shape& shape) const {
    Layout out;
    if (!layout::reshape(layout(), layout::infer("view", shape, size(), shape_), out)) {
      fail<ShapeError>("view", "shape ", shape_, " with strides ", strides_,
                       " has no view of shape ", shape, ": write reshape(...)");
    }
    return with(out);
  }
  /// All elements as a vector in row-major order; a view if contiguous, otherwise a copy.
  Tensor flatten() const { return reshape({-1}); }
  /// A view without the axes of size 1.
  Tensor squeeze() const { return with(layout::squeeze(layout())); }
  /// A view without this axis, whose size must be 1.
  Tensor squeeze(int64_t axis) const { return with(layout::squeeze(layout(), axis)); }
  /// A view with a new axis of size 1 at this position.
  Tensor unsqueeze(int64_t axis) const { return with(layout::unsqueeze(layout(), axis)); }
  /// A view broadcast to a shape: repeated elements share their memory; a size of -1 is kept.
  Tensor expand(const Shape& shape) const { return with(layout::expand(layout(), shape)); }
  /// A view with one axis reversed.
  Tensor flip(int64_t axis) const { return with(layout::flip(layout(), axis)); }
  /// A view of the k-th diagonal of two axes, which becomes the last axis.
  Tensor diagonal(int64_t k = 0, int64_t axis1 = -2, int64_t axis2 = -1) const {
    return with(layout::diagonal(layout(), k, axis1, axis2));
  }
  /// A view of `length` elements along `axis`, from `start` on.
  Tensor narrow(int64_t axis, int64_t start, int64_t length) const {
    return with(layout::narrow(layout(), axis, start, length));
  }
  /// Views of `length` elements along `axis`; the last one may be shorter.
  std::vector<Tensor> split(int64_t length, int64_t axis = 0) const;
  /// At most `count` views of equal length along `axis`; the last one may be shorter.
  std::vector<Tensor> chunk(int64_t count, int64_t axis = 0) const;

  /// A copy of the elements in new, contiguous storage.
  Tensor<value_type, D> clone() const { return detail::materialize<value_type, D>(*this); }
  /// This tensor if its elements are contiguous in row-major order, otherwise a clone.
  Tensor contiguous() const { return is_contiguous() ? *this : Tensor(clone()); }
  /// This tensor: a Tensor already is a value.
  Tensor eval() const { return *this; }
  using Members<Tensor>::to;
  /// The elements on another device; this tensor itself if they are already there.
  template <class To>
  auto to(To device, CopyOptions options = {}) const {
    if constexpr (detail::is_device<To>()) {
      auto there = detail::transfer(unconst(), device, options);
      // Read-only elements do not become writable by staying where they are.
      return std::is_const_v<T> && there.storage() == storage() ? there.clone() : there;
    } else {
      return *this;
    }
  }
  /// The elements in row-major order.
  std::vector<value_type> to_vector() const;

 private:
  template <class U, Device Other>
  friend class Tensor;
  friend struct detail::Access;

  Tensor with(const Layout& l) const {
    return {storage_, data_ == nullptr ? nullptr : data_ + l.offset, l.shape, l.strides, version_};
  }
  Tensor(StorageHandle storage, T* data, const Shape& shape, const Strides& strides,
         unsigned long version = 0) noexcept
      : storage_(static_cast<StorageHandle&&>(storage)),
        data_(data),
        shape_(shape),
        strides_(strides),
        version_(version) {}
  Tensor<value_type, D> unconst() const {
    return {storage_, const_cast<value_type*>(data()), shape_, strides_};
  }
  static void check_ordinal(const Storage* storage) {
    if (storage != nullptr && storage->ordinal != D::ordinal) {
      fail<DeviceError>("assign", "a tensor on cuda:", storage->ordinal, ", expected ", D{});
    }
  }

  StorageHandle storage_;
  detail::HeldPointer<T> data_;
  detail::HeldShape shape_;
  detail::HeldStrides strides_;
  unsigned long version_ = 0;  // the storage's, when this handle became an operand
};

template <Expression E>
Tensor(const E&) -> Tensor<typename E::value_type,
                           std::conditional_t<std::is_same_v<typename E::device_type, AnyDevice>,
                                              Cpu, typename E::device_type>>;
// For the constructors from braces, which say what to write.
template <NumberLike N>
Tensor(std::initializer_list<N>) -> Tensor<float>;
template <NumberLike N>
Tensor(std::initializer_list<std::initializer_list<N>>) -> Tensor<float>;
// Of `Tensor x = 3` and `Tensor x = vector`, for which these constructors are not considered.
template <class X>
Tensor(const X&) -> Tensor<decltype(detail::element_of_mistake<X>())>;

/// Swaps the elements of two views: swap(x[0], x[2]). Named tensors swap their handles.
template <class T, class D>
void swap(Tensor<T, D>&& a, Tensor<T, D>&& b) {
  const auto before = a.clone();
  a.assign(b);
  b.assign(before);
}

}  // namespace weft
