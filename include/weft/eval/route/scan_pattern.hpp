// Which element-wise expressions CUDA computes in the kernel of a scan that they read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/order/scan.hpp"

namespace weft {

namespace detail {

/// The first scan in an expression: `type` is its node, or void if there is none.
template <class E>
struct FirstScan {
  using type = void;
};
template <class S, class X>
struct FirstScan<Scan<S, X>> {
  using type = Scan<S, X>;
  static const type& in(const type& e) { return e; }
};
template <class... Args>
struct FirstScan<Pack<Args...>> {
  using type = void;
};
template <class Head, class... Tail>
struct FirstScan<Pack<Head, Tail...>> {
  static constexpr bool here = !std::is_void_v<typename FirstScan<Head>::type>;
  using Found = std::conditional_t<here, FirstScan<Head>, FirstScan<Pack<Tail...>>>;
  using type = typename Found::type;
  static const auto& in(const Pack<Head, Tail...>& args) {
    if constexpr (here) {
      return Found::in(args.head);
    } else {
      return Found::in(args.tail);
    }
  }
};
template <class T, class Op, class... Args>
struct FirstScan<Map<T, Op, Args...>> {
  using Found = FirstScan<Pack<Args...>>;
  using type = typename Found::type;
  static const auto& in(const Map<T, Op, Args...>& e) { return Found::in(e.args()); }
};

template <class Node>
inline constexpr bool scans_inside = false;
template <class S, class X>
inline constexpr bool scans_inside<Scan<S, X>> = is_scanned_inside<X>;

/// Whether Small are among the values of E.
template <class E>
inline constexpr bool reads_small = is_small<typename E::value_type>;
template <class T, class Op, class... Args>
inline constexpr bool reads_small<Map<T, Op, Args...>> = is_small<T> || (reads_small<Args> || ...);

/// Whether E is element-wise but for scans, of which CUDA computes the first in E's own kernel.
template <class E>
inline constexpr bool finishes_scan = false;
template <class T, class Op, class... Args>
  requires((contents_of<Map<T, Op, Args...>> & Contents::scans) != 0)
inline constexpr bool finishes_scan<Map<T, Op, Args...>> =
    is_cuda<typename Map<T, Op, Args...>::device_type> && leaf_count<Map<T, Op, Args...>> <= 16 &&
    is_made_of<Map<T, Op, Args...>, Contents::tensors | Contents::numbers | Contents::scans |
                                        Effects::places | Effects::calls> &&
    !reads_small<Map<T, Op, Args...>> &&
    scans_inside<typename FirstScan<Map<T, Op, Args...>>::type>;

}  // namespace detail
}  // namespace weft
