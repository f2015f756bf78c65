// Depthwise convolutions on the CPU by blocks of channels, which contiguous images are turned into.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/conv/depthwise_loops.hpp"
#include "weft/cpu/elementwise/transpose.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/conv/run.hpp"

namespace weft::cpu {

namespace detail {

/// Room for numbers, uninitialised.
template <class T>
class Room {
 public:
  explicit Room(int64_t count)
      : storage_(Memory<Cpu>::allocate(Cpu{}, count * static_cast<int64_t>(sizeof(T)))) {}
  T* data() const { return static_cast<T*>(storage_->data); }

 private:
  StorageHandle storage_;
};

/// Copies rows of a block's channels between images and lines of whole vectors.
template <class T>
struct BlockCopy {
  conv::Planes<T> images;
  int depth;
  int width;

  /// Whether the block's channels can be used where they are.
  bool is_direct(const ChannelBlock& b) const {
    return images.are_channels_adjacent() && b.count == b.vectors * side_by_side<T>;
  }
  ChannelLines<T> direct(int64_t n, const ChannelBlock& b) const {
    return {images.at(n, b.first, 0, 0, 0), images.z, images.y, images.x, 0};
  }
  /// The lines of rows [first, past), in `room`.
  ChannelLines<T> lines(const ChannelBlock& b, int first, int past, T* room) const {
    const int64_t place = b.vectors * side_by_side<T>;
    return {room, (past - first) * width * place, width * place, place, first};
  }
  static int64_t room(const ChannelBlock& b, int64_t places) {
    return b.vectors * side_by_side<T> * places;
  }
  void read(int64_t n, const ChannelBlock& b, int rows, const ChannelLines<T>& to) const {
    const int64_t pad = to.place - b.count;
    for (int z = 0; z < depth; ++z) {
      const T* const from = images.at(n, b.first, z, to.y0, 0);
      T* const line = to.at(z, to.y0, 0);
      const int places = rows * width;
      for (int i = 0; pad > 0 && i < places; ++i) {
        T* const at = line + i * to.place + b.count;
        for (int64_t c = 0; c < pad; ++c) at[c] = T(0);
      }
      if (images.are_channels_adjacent()) {
        for (int i = 0; i < places; ++i) {
          __builtin_memcpy(line + i * to.place, from + i * images.x, bytes(b));
        }
      } else {
        transpose(from, images.c, line, to.place, places, static_cast<int>(b.count));
      }
    }
  }
  void write(int64_t n, const ChannelBlock& b, int rows, const ChannelLines<T>& from) const {
    for (int z = 0; z < depth; ++z) {
      T* const to = images.at(n, b.first, z, from.y0, 0);
      const T* const line = from.at(z, from.y0, 0);
      const int places = rows * width;
      if (images.are_channels_adjacent()) {
        for (int i = 0; i < places; ++i) {
          __builtin_memcpy(to + i * images.x, line + i * from.place, bytes(b));
        }
      } else {
        transpose(line, from.place, to, images.c, static_cast<int>(b.count), places);
      }
    }
  }

 private:
  static std::size_t bytes(const ChannelBlock& b) {
    return static_cast<std::size_t>(b.count) * sizeof(T);
  }
  static void transpose(const T* from, int64_t stride, T* to, int64_t pitch, int rows,
                        int columns) {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    transpose_elements<Bits>(reinterpret_cast<const char*>(from), stride,
                             reinterpret_cast<char*>(to), pitch, rows, columns);
  }
};

}  // namespace detail

/// The three parts of a depthwise convolution with one filter a channel, of floats or doubles; all
/// images of a call contiguous or channels last.
template <class T>
class DepthwiseBlocks {
  using Planes = conv::Planes<T>;
  using Copy = detail::BlockCopy<T>;

 public:
  /// Whether it computes a problem.
  static bool takes(const conv::Problem& p) { return !is_half<T> && p.filters == p.channels; }

  explicit DepthwiseBlocks(const conv::Problem& p)
      : window_(p), images_(p.images), blocks_(p.channels) {}

  /// to = the results of `from`, or with `back` the images' gradient for that of results, `from`.
  /// Filters are (channel, tap); bias may be null.
  void gather(bool back, const Planes& from, const T* filters, const T* bias,
              const Planes& to) const {
    const int* const size = back ? window_.in : window_.out;
    const int* const source = back ? window_.out : window_.in;
    const Copy in{from, source[0], source[2]};
    const Copy out{to, size[0], size[2]};
    const int64_t pitch = blocks_.padded();
    const detail::Room<T> turned((window_.taps + 1) * pitch);
    turn(filters, bias, turned.data());
    const detail::Room<detail::Reach> reaches(size[2]);
    for (int x = 0; x < size[2]; ++x) {
      reaches.data()[x] = detail::reach_of(window_, 2, x, back);
    }
    const bool last = to.are_channels_adjacent();
    const int rows = rows_at_once(last ? pitch : 4 * detail::side_by_side<T>, size);
    const int64_t strips = (size[1] + rows - 1) / rows;
    const int64_t units = images_ * strips * blocks_.count();
    const int64_t work = images_ * size[0] * size[1] * size[2] * pitch * window_.taps;
    parallel(units, work, [&](int64_t first, int64_t past) {
      const int64_t reading = from_rows(back, rows) < source[1] ? from_rows(back, rows) : source[1];
      const int64_t most = 4 * detail::side_by_side<T>;
      const detail::Room<T> room(
          most * (source[0] * source[2] * reading + int64_t{size[0]} * size[2] * rows));
      T* const room_to = room.data() + most * source[0] * source[2] * reading;
      for (int64_t unit = first; unit < past; ++unit) {
        const int64_t inner = last ? blocks_.count() : strips;
        const int64_t i = unit % inner;
        const int64_t j = unit / inner;
        const int64_t outer = last ? strips : blocks_.count();
        const detail::ChannelBlock block = blocks_.at(last ? i : j % outer);
        const int64_t n = j / outer;
        const auto y0 = static_cast<int>((last ? j % outer : i) * rows);
        const int y1 = y0 + rows < size[1] ? y0 + rows : size[1];
        int from0 = source[1];
        int from1 = 0;
        for (int y = y0; y < y1; ++y) {
          const detail::Reach r = detail::reach_of(window_, 1, y, back);
          if (r.count == 0) continue;
          const int end = r.source + (r.count - 1) * detail::ReachSteps(window_, 1, back).source;
          const int low = r.source < end ? r.source : end;
          const int high = r.source < end ? end : r.source;
          if (low < from0) from0 = low;
          if (high + 1 > from1) from1 = high + 1;
        }
        if (from0 > from1) from0 = from1;
        const bool direct = in.is_direct(block);
        detail::ChannelLines<T> read =
            direct ? in.direct(n, block) : in.lines(block, from0, from1, room.data());
        if (!direct) in.read(n, block, from1 - from0, read);
        const detail::ChannelLines<T> written =
            direct ? out.direct(n, block) : out.lines(block, y0, y1, room_to);
        detail::DepthwiseRow<T> row{};
        row.from = {read.data, read.plane, read.row, read.place, read.y0};
        row.filters = turned.data() + block.first;
        row.pitch = pitch;
        row.start = turned.data() + window_.taps * pitch + block.first;
        row.kernel = window_.kernel;
        row.x = reaches.data();
        row.count = size[2];
        row.place = written.place;
        for (int axis = 0; axis < 3; ++axis) {
          row.step[axis] = detail::ReachSteps(window_, axis, back);
        }
        for (int z = 0; z < size[0]; ++z) {
          row.z = detail::reach_of(window_, 0, z, back);
          for (int y = y0; y < y1; ++y) {
            row.y = detail::reach_of(window_, 1, y, back);
            row.to = written.at(z, y, 0);
            detail::run_block(row, block.vectors);
          }
        }
        if (!direct) out.write(n, block, y1 - y0, written);
      }
    });
  }

  /// dw (channel, tap) = the filters' gradient: sums of groups of images, so that the bits depend
  /// on the shape alone.
  void weights(const Planes& x, const Planes& g, T* dw) const {
    const Copy in{x, window_.in[0], window_.in[2]};
    const Copy up{g, window_.out[0], window_.out[2]};
    const int64_t pitch = blocks_.padded();
    const int64_t fitting = 64 / blocks_.count() + 1;
    const int64_t each = (images_ + fitting - 1) / fitting;
    const int64_t groups = (images_ + each - 1) / each;
    const detail::Room<T> parts(groups * window_.taps * pitch);
    const int rows = rows_at_once(4 * detail::side_by_side<T>, window_.out);
    const int64_t work = images_ * window_.out[0] * window_.out[1] * window_.out[2] * pitch;
    parallel(groups * blocks_.count(), work * window_.taps, [&](int64_t first, int64_t past) {
      const int64_t reading =
          from_rows(false, rows) < window_.in[1] ? from_rows(false, rows) : window_.in[1];
      const int64_t most = 4 * detail::side_by_side<T>;
      const int64_t image_room = most * window_.in[0] * window_.in[2] * reading;
      const detail::Room<T> room(image_room + most * window_.out[0] * window_.out[2] * rows);
      for (int64_t unit = first; unit < past; ++unit) {
        const detail::ChannelBlock block = blocks_.at(unit % blocks_.count());
        const int64_t group = unit / blocks_.count();
        detail::DepthwiseFilters<T> sums{};
        sums.window = &window_;
        sums.to = parts.data() + group * window_.taps * pitch + block.first;
        sums.pitch = pitch;
        for (int tap = 0; tap < window_.taps; ++tap) {
          for (int c = 0; c < block.vectors * detail::side_by_side<T>; ++c)
            sums.to[tap * pitch + c] = T(0);
        }
        const int64_t end = (group + 1) * each < images_ ? (group + 1) * each : images_;
        for (int64_t n = group * each; n < end; ++n) {
          for (int y0 = 0; y0 < window_.out[1]; y0 += rows) {
            const int y1 = y0 + rows < window_.out[1] ? y0 + rows : window_.out[1];
            int from0 = window_.source(1, y0, 0);
            int from1 = window_.source(1, y1 - 1, window_.kernel[1] - 1) + 1;
            if (from0 < 0) from0 = 0;
            if (from1 > window_.in[1]) from1 = window_.in[1];
            if (from0 >= from1) continue;
            const bool direct = in.is_direct(block);
            const auto images =
                direct ? in.direct(n, block) : in.lines(block, from0, from1, room.data());
            const auto results =
                direct ? up.direct(n, block) : up.lines(block, y0, y1, room.data() + image_room);
            if (!direct) {
              in.read(n, block, from1 - from0, images);
              up.read(n, block, y1 - y0, results);
            }
            sums.images = {images.data, images.plane, images.row, images.place, images.y0};
            sums.results = {results.data, results.plane, results.row, results.place, results.y0};
            sums.first = y0;
            sums.past = y1;
            detail::run_block(sums, block.vectors);
          }
        }
      }
    });
    for (int64_t c = 0; c < blocks_.channels; ++c) {
      for (int tap = 0; tap < window_.taps; ++tap) {
        T sum(0);
        for (int64_t i = 0; i < groups; ++i) {
          sum += parts.data()[(i * window_.taps + tap) * pitch + c];
        }
        dw[c * window_.taps + tap] = sum;
      }
    }
  }

 private:
  /// (channel, tap) as (tap, channel), and behind it the bias or zeros.
  void turn(const T* filters, const T* bias, T* to) const {
    const int64_t pitch = blocks_.padded();
    for (int tap = 0; tap <= window_.taps; ++tap) {
      T* const row = to + tap * pitch;
      for (int64_t c = 0; c < pitch; ++c) {
        const bool exists = c < blocks_.channels;
        row[c] = tap < window_.taps          ? (exists ? filters[c * window_.taps + tap] : T(0))
                 : exists && bias != nullptr ? bias[c]
                                             : T(0);
      }
    }
  }
  /// How many rows of results are computed at a time, so that they stay in a core's caches.
  static int rows_at_once(int64_t channels, const int* size) {
    const int64_t row = channels * size[2] * size[0] * static_cast<int64_t>(sizeof(T));
    const int64_t fitting = (int64_t{1} << 16) / row;
    return fitting < 1 ? 1 : fitting < size[1] ? static_cast<int>(fitting) : size[1];
  }
  /// At most how many rows are read for `rows` of them.
  int64_t from_rows(bool back, int64_t rows) const {
    const int64_t reach = int64_t{window_.dilation[1]} * (window_.kernel[1] - 1);
    return back ? (rows + reach) / window_.stride[1] + 2
                : (rows - 1) * window_.stride[1] + reach + 1;
  }

  conv::Window window_;
  int64_t images_;
  detail::ChannelBlocks<T> blocks_;
};

}  // namespace weft::cpu
