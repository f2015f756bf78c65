#include "weft/cuda/reduce/vector_layout.hpp"

#include "test.hpp"

using weft::int64_t;
namespace detail = weft::detail;

namespace {

/// Two operands of a reduction along the last axis of (rows, columns), by vectors of 4.
struct Pair {
  detail::Operand operands[3]{};
  detail::Operand inside[3]{};
  int64_t rows;
  int64_t columns;

  Pair(int64_t r, int64_t c) : rows(r), columns(c) {
    for (int i = 0; i < 3; ++i) put(i, c, 1, 4);
    operands[0].stride[0] = 1;
    inside[0].stride[0] = 0;
  }
  Pair& put(int i, int64_t pitch, int64_t step, int itemsize, std::uintptr_t address = 4096) {
    operands[i].itemsize = inside[i].itemsize = itemsize;
    operands[i].data = reinterpret_cast<char*>(address);
    operands[i].stride[0] = pitch;
    inside[i].stride[0] = step;
    return *this;
  }
  weft::cuda::detail::VectorLayout layout() const {
    return weft::cuda::detail::vector_layout(detail::loops_over({rows}), operands,
                                             detail::loops_over({columns}), inside, 3, 4, 1);
  }
};

}  // namespace

TEST_CASE("operands that are alike have one layout") {
  const auto aligned = Pair(100, 64).layout();
  CHECK(aligned.possible);
  CHECK(aligned.aligned);
  CHECK(aligned.apart == 0);
  const auto ragged = Pair(100, 63).layout();
  CHECK(ragged.possible);
  CHECK_FALSE(ragged.aligned);
  CHECK(ragged.lead == 1);
  CHECK(ragged.apart == 0);
  CHECK_FALSE(Pair(100, 64).put(2, 128, 2, 4).layout().possible);
  const auto one = Pair(100, 64).put(2, 1, 0, 4).layout();  // one element for each row
  CHECK(one.possible);
  CHECK(one.apart == 0);
}

TEST_CASE("the largest operand leads, or one that is aligned and not much smaller") {
  const auto second = Pair(100, 64).put(1, 65, 1, 4).layout();
  CHECK(second.lead == 2);
  CHECK(second.aligned);
  CHECK(second.apart == 0b010);
  const auto half = Pair(100, 64).put(1, 65, 1, 4).put(2, 64, 1, 2).layout();
  CHECK(half.lead == 2);
  CHECK(half.apart == 0b010);
  const auto bytes = Pair(100, 64).put(1, 65, 1, 4).put(2, 64, 1, 1).layout();
  CHECK(bytes.lead == 1);
  CHECK(bytes.apart == 0b100);
  const auto bias = Pair(100000, 257).put(2, 0, 1, 4).layout();  // small, though aligned
  CHECK(bias.lead == 1);
  CHECK_FALSE(bias.aligned);
  CHECK(bias.apart == 0b100);
}

TEST_CASE("positions have no memory and do not lead") {
  const auto origin = static_cast<std::uintptr_t>(weft::IndexOperand::origin);
  const auto layout = Pair(100, 257).put(1, 0, 1, 1, origin).put(2, 257, 1, 4).layout();
  CHECK(layout.possible);
  CHECK(layout.lead == 2);
  CHECK(layout.apart == 0b010);
}
