// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/transpose.hpp>

#include <vector>

#include "test.hpp"

namespace {
template <class T, int Sizes = sizeof(T)>
std::int64_t wrong_places(int rows, int columns) {
  const int stride = rows + 3;
  const int pitch = columns + 5;
  std::vector<T> from(static_cast<std::size_t>(stride * columns));
  std::vector<T> to(static_cast<std::size_t>(pitch * rows));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 7 + 1);
  weft::cpu::detail::transpose_tile<Sizes>(reinterpret_cast<const char*>(from.data()), stride,
                                           reinterpret_cast<char*>(to.data()), pitch, rows, columns,
                                           sizeof(T));
  std::int64_t wrong = 0;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < pitch; ++j) {
      const T expected = j < columns ? from[static_cast<std::size_t>(i + j * stride)] : T(0);
      wrong += to[static_cast<std::size_t>(i * pitch + j)] != expected;
    }
  }
  return wrong;
}
}  // namespace

TEST_CASE("tiles of every size are transposed, and nothing beside them is written") {
  for (int rows : {1, 3, 4, 8, 9, 17, 64}) {
    for (int columns : {1, 4, 7, 8, 12, 31, 64}) {
      CHECK(wrong_places<std::uint8_t>(rows, columns) == 0);
      CHECK(wrong_places<std::uint16_t>(rows, columns) == 0);
      CHECK(wrong_places<std::uint32_t>(rows, columns) == 0);
      CHECK(wrong_places<std::uint64_t>(rows, columns) == 0);
      CHECK(wrong_places<std::uint32_t, 2 | 8>(rows, columns) == 0);  // by no loop of its own
    }
  }
  CHECK(weft::cpu::detail::can_transpose(16));
  CHECK(!weft::cpu::detail::can_transpose(12));
}
