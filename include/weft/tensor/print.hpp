// to_string(x) and stream << x: tensors and expressions as text, laid out as NumPy does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/tensor/access.hpp"
#include "weft/tensor/number_text.hpp"

namespace weft {

struct PrintOptions {
  int precision = 4;         ///< the most digits behind the decimal point
  int64_t threshold = 1000;  ///< tensors of more elements are summarised
  int64_t edge_items = 3;    ///< what a summary shows at both ends of an axis
  int line_width = 80;
};

namespace detail {

/// Brackets, commas and line breaks around the texts of a tensor's shown elements.
class BracketText {
 public:
  BracketText(const std::vector<Text>& texts, const Shape& shown, const Shape& shape,
              const PrintOptions& options)
      : texts_(texts), shown_(shown), shape_(shape), options_(options) {}

  /// The text, its lines after the first indented by `indent`.
  Text run(int indent) {
    if (shape_.rank() == 0) return texts_[0];
    if (shape_.size() == 0) return "[]";
    axis(0, indent);
    return static_cast<Text&&>(out_);
  }

 private:
  void axis(int depth, int indent) {
    const bool innermost = depth + 1 == shape_.rank();
    const auto margin = static_cast<std::size_t>(indent + 1);
    std::size_t column = margin;
    out_ += '[';
    for (int64_t i = 0; i < shown_[depth]; ++i) {
      if (!innermost) {
        if (i > 0) new_block(depth, margin);
        if (is_gap(depth, i)) {
          out_ += "...";
          new_block(depth, margin);
        }
        axis(depth + 1, indent + 1);
      } else {
        if (is_gap(depth, i)) word("...", false, column, margin);
        word(texts_[next_++], i + 1 == shown_[depth], column, margin);
      }
    }
    out_ += ']';
  }

  bool is_gap(int depth, int64_t i) const {
    return shown_[depth] != shape_[depth] && i == options_.edge_items;
  }
  /// A comma, and a line break for each axis below this one.
  void new_block(int depth, std::size_t margin) {
    out_ += ',';
    out_.append(static_cast<std::size_t>(shape_.rank() - depth - 1), '\n').append(margin, ' ');
  }
  void word(const Text& text, bool last, std::size_t& column, std::size_t margin) {
    const std::size_t length = text.size() + 1;
    if (column > margin && column + length > static_cast<std::size_t>(options_.line_width)) {
      out_.pop_back();
      out_.append(1, '\n').append(margin, ' ');
      column = margin;
    }
    out_ += text;
    if (!last) out_ += ", ";
    column += length + 1;
  }

  const std::vector<Text>& texts_;
  const Shape& shown_;
  const Shape& shape_;
  const PrintOptions& options_;
  std::size_t next_ = 0;
  Text out_;
};

/// The elements of x that are printed, on the CPU: all of them, or the corners of a long tensor,
/// so that a summary copies no more from a GPU than it shows.
template <class T, class D>
Tensor<T, Cpu> shown_elements(const Tensor<T, D>& x, const PrintOptions& options) {
  if (x.size() == 0) return Tensor<T, Cpu>();
  if (x.size() <= options.threshold) return x.to(Cpu{}).contiguous();
  const int64_t edge = options.edge_items;
  Shape shape = x.shape();
  for (int64_t& size : shape) size = size > 2 * edge ? 2 * edge : size;
  const auto shown = Access::allocate<T>(shape, Cpu{});
  for (unsigned corner = 0; corner < 1U << x.rank(); ++corner) {
    Tensor<T, D> from = x;
    Tensor<T, Cpu> to = shown;
    bool exists = edge > 0;
    for (int axis = 0; axis < x.rank(); ++axis) {
      const bool upper = (corner >> axis & 1U) != 0;
      if (x.shape()[axis] <= 2 * edge) {
        exists = exists && !upper;
      } else {
        from = from.narrow(axis, upper ? x.shape()[axis] - edge : 0, edge);
        to = to.narrow(axis, upper ? edge : 0, edge);
      }
    }
    if (exists) to.assign(from.to(Cpu{}));
  }
  return shown;
}

}  // namespace detail

/// `tensor([[1., 2.], [3., 4.]], float32, cpu)` with one row per line; expressions are evaluated.
/// The Text becomes a std::string where one is wanted.
template <ExpressionLike E>
Text to_string(const E& e, const PrintOptions& options = {}) {
  using T = typename E::value_type;
  if constexpr (detail::has_var<E>) {
    const auto x = e.eval();
    Text out = to_string(x.value(), options);
    if (x.requires_grad()) {
      out.pop_back();
      out += ", requires_grad)";
    }
    return out;
  } else if constexpr (!TensorLike<E>) {
    return to_string(decltype(Tensor(e))(e), options);
  } else {
    const Tensor<T, typename E::device_type> x = detail::Access::unconst(e);
    const bool summary = x.size() > options.threshold;
    const Tensor<T, Cpu> shown = detail::shown_elements(x, options);
    const auto texts =
        detail::number_texts(shown.data(), shown.size(), options.precision, x.rank() > 0);
    const Shape shown_shape = summary ? shown.shape() : x.shape();
    Text out = "tensor(" + detail::BracketText(texts, shown_shape, x.shape(), options).run(7);
    if (summary || (x.size() == 0 && x.rank() > 1)) out += ", shape " + detail::text(x.shape());
    return out + ", " + name(dtype_of<T>) + ", " + text(x.device()) + ")";
  }
}

/// Anything that prints C strings: std::cout, a string stream, a log of your own.
template <class S>
concept TextStream =
    !ExpressionLike<S> && !NumberLike<S> && requires(S & stream, const char* text) {
  stream << text;
};

/// Prints to_string(e) to a stream.
template <class S, ExpressionLike E>
requires TextStream<S> S& operator<<(S& stream, const E& e) {
  stream << to_string(e).c_str();
  return stream;
}
/// What describes a tensor: sizes, an element type, a device.
template <class X>
concept Description =
    std::same_as<X, Shape> || std::same_as<X, Strides> || std::same_as<X, Dtype> || Device<X>;

/// Prints a shape as (2, 3), an element type as float32, a device as cuda:0.
template <class S, Description X>
requires TextStream<S> S& operator<<(S& stream, const X& x) {
  using detail::text;
  const Text printed = text(x);
  stream << printed.c_str();
  return stream;
}

}  // namespace weft
