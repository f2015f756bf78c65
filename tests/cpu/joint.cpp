#include "weft/cpu/joint.hpp"

#include "test.hpp"

using namespace weft;

namespace {
/// The operand's double and its square.
struct Both {
  using values = detail::TypeList<float, double>;
  Stores stores;
  template <class Inputs>
  Pack<float, double> operator()(const Inputs& inputs) const {
    const float x = inputs.template get<1>();
    return {2 * x, {double{x} * double{x}, {}}};
  }
};
}  // namespace

TEST_CASE("targets are stored, added to or left alone, with their strides") {
  float x[cpu::block_size];
  for (int i = 0; i < cpu::block_size; ++i) x[i] = static_cast<float>(i);
  cpu::Block<detail::TypeList<float>> block;
  char* rows[] = {nullptr, reinterpret_cast<char*>(x)};
  const std::int64_t strides[] = {1, 1};
  for (const int n : {1, 100, cpu::block_size}) {
    block.load(rows, strides, n);
    for (const unsigned wanted : {1U, 2U, 3U}) {
      float first[2 * cpu::block_size] = {};
      double second[cpu::block_size];
      for (double& value : second) value = 10;
      char* targets[] = {reinterpret_cast<char*>(first), reinterpret_cast<char*>(second)};
      const std::int64_t steps[] = {2, 1};
      cpu::write_joint<detail::TypeList<float, double>>(block, Both{{wanted, 2, 0}}, targets, steps,
                                                        n);
      const int last = n - 1;
      const double value = last;
      CHECK(double{first[2 * last]} == (wanted == 2 ? 0 : 2 * value));
      CHECK(second[last] == (wanted == 1 ? 10 : 10 + value * value));
    }
  }
}
