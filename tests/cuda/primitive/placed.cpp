#include "weft/cuda/primitive/placed.hpp"

#include "test.hpp"
#include "weft/ops/shape/repeat.hpp"
#include "weft/ops/shape/roll.hpp"

using namespace weft;

namespace {
/// Whether f of a tensor on the GPU has the elements of f on the CPU.
template <class T, class F>
bool same_on_both(const Tensor<T, Cpu>& x, const F& f) {
  return f(x.to(Cuda{})).eval().to_vector() == f(x).eval().to_vector();
}

/// The same for all that reads elements at other places, of widths around a thread's vectors.
template <class T>
int differences(std::int64_t rows, std::int64_t columns) {
  const Tensor<T, Cpu> all_of_it = cast<T>(arange<int>(static_cast<int>(rows * (columns + 3))));
  const Tensor<T, Cpu> x = all_of_it.reshape(rows, columns + 3)(weft::all, slice(1, columns + 1));
  int wrong = 0;
  const auto check = [&](const auto& f) { wrong += same_on_both<T>(x, f) ? 0 : 1; };
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate,
                             PadMode::circular, PadMode::symmetric}) {
    for (const std::int64_t by : {1, 2, 4}) {
      check([&](const auto& v) { return pad(v, {by, 3, 1, by}, mode); });
      check([&](const auto& v) { return pad(v + v, {by, 0, 0, by}, mode) - T(1); });
    }
  }
  for (const std::int64_t by : {1, 4, 5}) {
    check([&](const auto& v) { return v - roll(v, {by, -by}, axis(0, 1)); });
    check([&](const auto& v) { return roll(v.t(), by, axis(1)); });
    check([&](const auto& v) { return v * shift(v, by) + roll(v, by, 0); });
    check([&](const auto& v) { return tile(v, {2, by}); });
    check([&](const auto& v) { return repeat_interleave(v, by, 1); });
  }
  check([](const auto& v) { return v - cat(v + v, v, axis(1))(weft::all, slice(0, v.size(1))); });
  return wrong;
}
}  // namespace

TEST_CASE("[gpu] neighbours at computed places") {
  for (const std::int64_t columns : {5, 8, 31, 64, 257}) {
    CHECK(differences<float>(7, columns) == 0);
  }
  for (const std::int64_t columns : {5, 6, 9, 13}) {  // vectors cross from row to row
    CHECK(differences<float>(16, columns) == 0);
    CHECK(differences<std::int8_t>(16, columns) == 0);
  }
  CHECK(differences<std::int8_t>(5, 16) == 0);
  CHECK(differences<std::int8_t>(5, 23) == 0);
}
