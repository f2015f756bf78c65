// Planning joins of short pieces: each row of the target is a piece of every part, in order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/launch.hpp"

namespace weft::on_cuda {

/// A part of what is joined: rows of `width` contiguous elements, `pitch` elements apart.
struct JoinSource {
  const char* data = nullptr;
  int64_t width = 0;
  int64_t pitch = 0;
};

/// Rows joined from pieces, all counted in words, which a thread moves one by one, or as 16 bytes
/// that lie in one piece.
struct JoinedRows {
  static constexpr int most_parts = 64;
  /// A part, and where its piece begins in a row of the target.
  struct Part {
    const char* data = nullptr;
    int64_t pitch = 0;
    unsigned begin = 0;
  };
  char* to = nullptr;
  unsigned count = 0;  // words of the target
  int head = 0;        // words from 16 bytes to the first one
  int parts = 0;
  FastDivmod width;           // of a row of the target
  FastDivmod each;            // of a piece, where all are of one width;
  bool even = false;          // whether they are
  Part part[most_parts + 1];  // the last one begins where a row ends
};

/// How a join is launched.
struct JoinLaunch {
  int word = 0;         // bytes
  bool merges = false;  // pieces of one word, of 2, 4 or 8 parts without gaps: see merge_words
  unsigned blocks = 0;
};

namespace detail {

/// Pieces from this many bytes on are copied part by part.
inline constexpr int64_t long_piece = 512;

/// What a kernel joins at a time, in words.
inline constexpr int64_t most_joined = int64_t{1} << 30;

/// Whether a tensor consists of contiguous rows, its axes from `axis` on, evenly spaced by `pitch`.
WEFT_OUTLINED inline bool find_rows(const Shape& shape, const Strides& strides, int axis,
                                    JoinSource& out) {
  out.width = 1;
  for (int d = shape.rank() - 1; d >= axis; --d) {
    if (shape[d] != 1 && strides[d] != out.width) return false;
    out.width *= shape[d];
  }
  out.pitch = out.width;
  int64_t rows = 1;
  for (int d = axis - 1; d >= 0; --d) {
    if (shape[d] == 1) continue;
    if (rows == 1) out.pitch = strides[d];
    if (strides[d] != out.pitch * rows) return false;
    rows *= shape[d];
  }
  return true;
}

/// Whether parts are joined in one pass: if none has long pieces or is empty.
WEFT_OUTLINED inline bool has_short_pieces(const JoinSource* parts, int n, int itemsize) {
  if (itemsize > 16 || (itemsize & (itemsize - 1)) != 0) return false;
  if (n < 2 || n > JoinedRows::most_parts) return false;
  for (int k = 0; k < n; ++k) {
    if (parts[k].width * itemsize >= long_piece) return false;
  }
  return true;
}

/// Plans a join of up to `rows` rows, as many as a kernel counts, to contiguous memory; returns how
/// many they are.
WEFT_OUTLINED inline int64_t plan_join(char* to, int64_t rows, const JoinSource* parts, int n,
                                       int itemsize, JoinedRows& out, JoinLaunch& launch) {
  const auto address = [](const char* p) { return reinterpret_cast<std::uintptr_t>(p); };
  const auto bytes = [&](int64_t x) { return static_cast<std::uintptr_t>(x * itemsize); };
  std::uintptr_t bits = address(to);
  for (int k = 0; k < n; ++k) {
    bits |= address(parts[k].data) | bytes(parts[k].width) | bytes(parts[k].pitch);
  }
  const int least = itemsize < 8 ? itemsize : 8;
  launch.word = itemsize < 4 && bits % 4 == 0 ? 4 : least;
  out.to = to;
  out.parts = n;
  out.even = true;
  unsigned width = 0;
  unsigned chunks = 0;  // where vectors of the parts would begin
  bool single = true;
  for (int k = 0; k < n; ++k) {
    const int64_t words = parts[k].width * itemsize / launch.word;
    const int64_t pitch = parts[k].pitch * itemsize / launch.word;
    out.part[k] = {parts[k].data, pitch, width};
    width += static_cast<unsigned>(words);
    out.even = out.even && parts[k].width == parts[0].width;
    single = single && words == 1 && pitch == 1;
    chunks |= static_cast<unsigned>(address(parts[k].data) % 16);
  }
  out.part[n] = {nullptr, 0, width};
  out.width = FastDivmod(width);
  out.each = FastDivmod(width / static_cast<unsigned>(n));
  if (rows > most_joined / width) rows = most_joined / width / 16 * 16;
  out.count = static_cast<unsigned>(rows) * width;
  const int lanes = 16 / launch.word;
  out.head = static_cast<int>(address(to) % 16) / launch.word;
  launch.merges = single && launch.word == least && (n == 2 || n == 4 || n == 8) && n <= lanes &&
                  out.head == 0 && chunks % (16U / static_cast<unsigned>(n)) == 0;
  const auto last = out.count + static_cast<unsigned>(out.head);
  launch.blocks = (last + static_cast<unsigned>(lanes * block_threads) - 1) /
                  static_cast<unsigned>(lanes * block_threads);
  return rows;
}

}  // namespace detail

}  // namespace weft::on_cuda
