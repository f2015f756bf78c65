#include "weft/dist/replicas.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

TEST_CASE("what a module gives is a Var, or a tuple of them") {
  const Var<float> x = parameter(ones({2}));
  const auto one = dist::detail::settled(x * 2.0F);
  static_assert(std::is_same_v<decltype(one), const Var<float>>);
  const auto two = dist::detail::settled(std::tuple(x, x + one));
  std::unordered_set<const autograd::Variable*> found;
  int outputs = 0;
  dist::detail::for_each_output(two, [&](const auto& y) {
    ++outputs;
    dist::detail::collect(y.variable().get(), found);
  });
  CHECK(outputs == 2);
  CHECK(found.contains(x.variable().get()));
  CHECK(found.contains(one.variable().get()));
  CHECK(!dist::detail::recomputes(found));
  const auto again = checkpoint([&](const Var<float>& v) { return x * v; }, one);
  dist::detail::collect(again.variable().get(), found);
  CHECK(dist::detail::recomputes(found));
}

namespace {
struct Norm {
  Var<float> weight = parameter(ones({3}));
  Tensor<float> mean = zeros({3});
  bool training = true;
  auto fields() { return nn::fields("weight", weight, "mean", mean); }
};
}  // namespace

TEST_CASE("modules of one rank are alike; names are listed") {
  Norm norm;
  const dist::Group alone;
  dist::detail::check_alike("test", alone, nn::named_parameters(norm));
  dist::detail::broadcast_buffers(alone, norm);
  CHECK(dist::detail::is_training(norm));
  nn::eval(norm);
  CHECK(!dist::detail::is_training(norm));
  CHECK(dist::detail::listed(std::vector<std::string>(10, "a")) ==
        "a, a, a, a, a, a, a, a and 2 more");
}
