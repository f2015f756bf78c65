// permutation(n): the integers below n in random order, each computed from its position alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/generator.hpp"
#include "weft/ops/elementwise/generate.hpp"

namespace weft {

namespace op {
/// A keyed bijection of the integers below n: a Feistel network over the next power of two (256 at
/// least, where its permutations are many enough), walked until it comes back below n.
struct permutation {
  using result_type = std::int64_t;
  static constexpr const char* text = "permutation";
  static constexpr int rounds = 12;

  std::uint64_t n;
  int left_bits = 4;
  int right_bits = 4;
  std::uint32_t keys[rounds];
  Draw source;

  permutation(std::int64_t size, const Draw& from)
      : n(static_cast<std::uint64_t>(size)), source(from) {
    while (left_bits + right_bits < 63 && n >> (left_bits + right_bits) != 0) {
      (right_bits == left_bits ? right_bits : left_bits) += 1;
    }
    draw_keys();
  }

  void settle() { source = source.settled(); }

  WEFT_HD std::int64_t value(long long i) const {
#if defined(__CUDA_ARCH__)
    if (source.origin != nullptr) {  // in a graph the keys are known when it is replayed
      permutation now = *this;
      now.draw_keys();
      return now.walk(i);
    }
#endif
    return walk(i);
  }

 private:
  WEFT_HD void draw_keys() {
    for (int i = 0; i < rounds; ++i) keys[i] = source.bits32(static_cast<std::uint64_t>(i));
  }
  WEFT_HD std::int64_t walk(long long i) const {
    auto x = static_cast<std::uint64_t>(i);
    if (x >= n) return 0;  // a lane of a kernel beyond the last element, which might walk forever
    do {
      x = shuffle(x);
    } while (x >= n);
    return static_cast<std::int64_t>(x);
  }

  /// The halves alternately are mixed with a function of the other: a bijection whatever the
  /// function.
  WEFT_HD std::uint64_t shuffle(std::uint64_t x) const {
    const auto left_mask = static_cast<std::uint32_t>((std::uint64_t{1} << left_bits) - 1);
    const auto right_mask = static_cast<std::uint32_t>((std::uint64_t{1} << right_bits) - 1);
    auto left = static_cast<std::uint32_t>(x >> right_bits);
    auto right = static_cast<std::uint32_t>(x) & right_mask;
    for (int round = 0; round < rounds; round += 2) {
      left ^= mix(right ^ keys[round]) & left_mask;
      right ^= mix(left ^ keys[round + 1]) & right_mask;
    }
    return std::uint64_t{left} << right_bits | right;
  }
  /// MurmurHash3's last step, by which each bit of x reaches every bit.
  WEFT_HD static std::uint32_t mix(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x85EBCA6BU;
    x = (x ^ x >> 13) * 0xC2B2AE35U;
    return x ^ x >> 16;
  }
};
}  // namespace op

/// The expression of the integers 0 to n - 1 in random order. It makes a draw when it is built, as
/// the draws of ops/random/random.hpp do.
inline auto shuffled(std::int64_t n, Generator& generator = default_generator()) {
  if (n < 0) fail<ValueError>("permutation", n, " elements, expected at least 0");
  return generated({n}, op::permutation(n, generator.draw()));
}

/// The integers 0 to n - 1 in random order, all orders equally likely.
template <Device D = Cpu>
Tensor<std::int64_t, D> permutation(std::int64_t n, D device = {},
                                    Generator& generator = default_generator()) {
  return detail::on<std::int64_t>(shuffled(n, generator), device);
}

}  // namespace weft
