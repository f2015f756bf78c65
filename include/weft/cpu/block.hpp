// Block: a short run of elements, operands brought to unit stride, that one vector loop computes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/plan.hpp"
#include "weft/eval/program.hpp"

namespace weft::cpu {

/// The elements that are computed between two looks at strides.
inline constexpr int block_size = 256;

namespace detail {
/// Position operands hold no elements; their block is computed.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<Position> {
  using type = long long;
};

template <class T>
typename Stored<T>::type element_at(const char* row, int64_t offset) {
  if constexpr (std::is_same_v<T, Position>) {
    return reinterpret_cast<long long>(row) - Position::origin + offset;
  } else {
    return reinterpret_cast<const T*>(row)[offset];
  }
}

template <class T>
struct Buffer {
  using type = typename Stored<T>::type;
  alignas(64) char bytes[block_size * sizeof(type)];
  const type* data = nullptr;

  void load(const char* row, int64_t stride, int n) {
    if constexpr (!std::is_same_v<T, Position>) {
      if (stride == 1) {
        data = reinterpret_cast<const type*>(row);
        return;
      }
    }
    auto* filled = reinterpret_cast<type*>(bytes);
    if (stride == 0) {
      const type value = element_at<T>(row, 0);
      for (int i = 0; i < n; ++i) filled[i] = value;
    } else {
      for (int i = 0; i < n; ++i) filled[i] = element_at<T>(row, i * stride);
    }
    data = filled;
  }
};
}  // namespace detail

/// The operands of one run; Types lists their element types, operand 0 being the target.
template <class Types>
class Block;

template <class... Ts>
class Block<weft::detail::TypeList<Ts...>> {
 public:
  static constexpr int operands = sizeof...(Ts);

  /// Takes n elements of each operand k, at row[k] and onwards with stride[k], k from 1.
  void load(char* const* row, const int64_t* stride, int n) {
    load_from<1>(row, stride, n, buffers_);
  }

  /// out[i] = program at element i, for i < n.
  template <class Out, class Program>
  void run(const Program& program, Out* out, int n) const {
    const Pointers pointers = pointers_of(std::make_index_sequence<sizeof...(Ts)>{});
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int i = 0; i < n; ++i) out[i] = store_element<Out>(program(At{pointers, i}));
  }

  /// f(i, program at element i) for i < n, in any order.
  template <class Program, class F>
  void each(const Program& program, int n, const F& f) const {
    const Pointers pointers = pointers_of(std::make_index_sequence<sizeof...(Ts)>{});
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (int i = 0; i < n; ++i) f(i, program(At{pointers, i}));
  }

  /// The program at element i, for each i < n in order, for what it does.
  template <class Program>
  void visit(const Program& program, int n) const {
    const Pointers pointers = pointers_of(std::make_index_sequence<sizeof...(Ts)>{});
    for (int i = 0; i < n; ++i) program(At{pointers, i});
  }

 private:
  using Pointers = Pack<const typename detail::Stored<Ts>::type*...>;
  struct At {
    const Pointers& pointers;
    int i;
    template <int I>
    WEFT_HD auto get() const {
      return load_element(weft::get<I - 1>(pointers)[i]);
    }
  };

  template <int K, class Head, class... Tail>
  static void load_from(char* const* row, const int64_t* stride, int n,
                        Pack<Head, Tail...>& buffers) {
    buffers.head.load(row[K], stride[K], n);
    if constexpr (sizeof...(Tail) > 0) load_from<K + 1>(row, stride, n, buffers.tail);
  }
  template <int>
  static void load_from(char* const*, const int64_t*, int, Pack<>&) {}

  template <std::size_t... I>
  Pointers pointers_of(std::index_sequence<I...>) const {
    return make_pack(weft::get<static_cast<int>(I)>(buffers_).data...);
  }

  Pack<detail::Buffer<Ts>...> buffers_;
};

}  // namespace weft::cpu
