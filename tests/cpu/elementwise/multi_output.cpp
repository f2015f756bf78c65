#include "weft/cpu/elementwise/multi_output.hpp"

#include <vector>

#include "test.hpp"
#include "weft/weft.hpp"

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

TEST_CASE("targets are stored, added to or left alone") {
  using Kernel = cpu::detail::MultiOutputKernel<detail::TypeList<float, double>,
                                                detail::TypeList<float>, Both>;
  constexpr int most = 2 * cpu::block_size + 3;
  std::vector<float> x(most);
  for (int i = 0; i < most; ++i) x[static_cast<std::size_t>(i)] = static_cast<float>(i);
  for (const int n : {1, 100, cpu::block_size, most}) {
    for (const unsigned wanted : {1U, 2U, 3U}) {
      std::vector<float> first(most);
      std::vector<double> second(most, 10);
      char* at[] = {reinterpret_cast<char*>(first.data()), reinterpret_cast<char*>(second.data()),
                    reinterpret_cast<char*>(x.data())};
      const std::int64_t steps[] = {1, 1, 1};
      const Both program{{wanted, 2, 0}};
      Kernel::run(&program, at, steps, steps, 1, n);
      for (int i = 0; i < most; ++i) {
        const double value = i;
        const auto k = static_cast<std::size_t>(i);
        CHECK(double{first[k]} == (wanted == 2 || i >= n ? 0 : 2 * value));
        CHECK(second[k] == (wanted == 1 || i >= n ? 10 : 10 + value * value));
      }
    }
  }
}

TEST_CASE("targets with strides are added to where they are") {
  auto first = zeros({7, 5});
  auto second = full({5, 7}, 10.0).t();
  const auto x = arange<float>(35).reshape({7, 5});
  detail::Operand operands[3];
  operands[0].set(first.data(), 4, first.shape(), first.strides(), nullptr);
  operands[1].set(second.data(), 8, second.shape(), second.strides(), nullptr);
  operands[2].set(x.data(), 4, x.shape(), x.strides(), nullptr);
  for (auto& o : operands) o.storage = nullptr;
  const Both program{{2, 2, 0}};
  Executor<Cpu>::for_each<detail::TypeList<float, double>, detail::TypeList<float>>(
      detail::Name{}, Cpu{}, x.shape(), operands, program);
  for (int i = 0; i < 7; ++i) {
    for (int j = 0; j < 5; ++j) {
      const double value = 5 * i + j;
      CHECK(first(i, j).item() == 0);
      CHECK(second(i, j).item() == 10 + value * value);
    }
  }
}
