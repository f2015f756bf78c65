#include "weft/autograd/arena.hpp"

#include "gradients.hpp"

using namespace weft;
using autograd::follows;
using autograd::move_into_arena;

namespace {
template <class D>
struct Leaves {
  Var<float, D> a = parameter(linspace(0, 1, 3, D{}));
  Var<float, D> b = parameter(ones({2, 40}, D{}));
  Var<float, D> c = parameter(full({}, 3.0F, D{}));
  void move() { move_into_arena(std::vector{&a, &b, &c}); }
};
}  // namespace

TEST_CASE_TEMPLATE("leaves in an arena are the same leaves", D, TEST_DEVICES) {
  Leaves<D> x;
  const auto* const before = x.a.variable().get();
  x.c.set_grad(full({}, 7.0F, D{}));
  x.move();
  CHECK(x.a.variable().get() == before);
  CHECK(x.a.is_leaf());
  CHECK(equal(x.a.detach().to(Cpu{}), linspace(0, 1, 3)));
  CHECK(equal(x.b.detach(), ones({2, 40}, D{})));
  CHECK(x.c.item() == 3);
  CHECK(x.c.grad().item() == 7);
  CHECK(follows(x.a, x.b));
  CHECK(follows(x.b, x.c));
  CHECK_FALSE(follows(x.a, x.c));
  CHECK_FALSE(follows(x.b, x.a));
  CHECK_FALSE(follows(x.a, parameter(ones({3}, D{}))));
  CHECK_FALSE(follows(x.a, Var<float, D>(ones({3}, D{}))));
  for (const auto* v : {&x.a, &x.b, &x.c}) {
    CHECK(reinterpret_cast<std::uintptr_t>(v->detach().data()) % 64 == 0);
  }
  Leaves<D> y;
  y.move();
  CHECK_FALSE(follows(x.a, y.b));
  x.move();  // once more
  CHECK(x.c.item() == 3);
  CHECK(x.c.grad().item() == 7);
  move_into_arena(std::vector<Var<float, D>*>{});
}

TEST_CASE_TEMPLATE("gradients are put into the arena", D, TEST_DEVICES) {
  Leaves<D> x;
  x.move();
  const auto pass = [&] { Var(sum(x.a) * 2.0F + sum(x.b * x.c)).backward(); };
  pass();
  const auto* const place = x.a.grad().data();
  CHECK(x.b.grad().data() - place == x.b.detach().data() - x.a.detach().data());
  CHECK(all(x.a.grad() == 2.0F).item());
  CHECK(all(x.b.grad() == 3.0F).item());
  CHECK(x.c.grad().item() == 80);
  pass();  // adds
  CHECK(all(x.b.grad() == 6.0F).item());
  x.b.zero_grad();
  CHECK_FALSE(x.b.has_grad());
  pass();
  CHECK(x.a.grad().data() == place);
  CHECK(all(x.a.grad() == 6.0F).item());
  CHECK(all(x.b.grad() == 3.0F).item());

  const auto value = grad(Var(sum(x.a * x.a)), x.a);
  CHECK(value.data() != place);
  CHECK(all(x.a.grad() == 6.0F).item());
  const Tensor mine = full({3}, 5.0F, D{});
  x.a.set_grad(mine);
  CHECK(x.a.grad().data() == place);
  CHECK(equal(x.a.grad(), mine));
}

TEST_CASE_TEMPLATE("hooks and checkpoints put gradients there too", D, TEST_DEVICES) {
  Leaves<D> x;
  x.move();
  const auto* const place = x.b.detach().data();
  x.b.register_hook([](const auto& g) { return Tensor<float, D>(g * 10.0F); });
  const auto f = [&](const Var<float, D>& v) { return Var(x.b * v); };
  const Var h = x.c * 1.0F;
  Var(sum(checkpoint(f, h))).backward();
  CHECK(all(x.b.grad() == 30.0F).item());
  CHECK(x.c.grad().item() == 80);
  CHECK(x.c.grad().data() - x.b.grad().data() == x.c.detach().data() - place);
  const Var given = checkpoint([](const Var<float, D>& v) { return Var(v * 2.0F); }, x.a);
  Var(sum(given)).backward();
  CHECK(x.b.grad().data() - x.a.grad().data() == place - x.a.detach().data());
  CHECK(all(x.a.grad() == 2.0F).item());
}

TEST_CASE_TEMPLATE("runs and what they cover", D, TEST_DEVICES) {
  Leaves<D> x;
  x.move();
  const std::vector parameters{x.a, x.b, parameter(ones({2}, D{})), x.c, x.a, x.b, x.c};
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  const auto note = [&](std::size_t i, std::size_t n) { runs.emplace_back(i, n); };
  autograd::for_each_run(
      parameters, [](const auto&) { return true; }, note);
  CHECK(runs == decltype(runs){{0, 2}, {2, 1}, {3, 1}, {4, 3}});
  runs.clear();
  autograd::for_each_run(
      parameters, [](const auto& v) { return v.rank() == 1; }, note);
  CHECK(runs == decltype(runs){{0, 1}, {2, 1}, {4, 1}});
  const auto value = [&](std::size_t i) -> const auto& { return parameters[i].detach(); };
  CHECK(autograd::joined(parameters, 2, 1, value).shape() == Shape{2});
  const auto both = autograd::joined(parameters, 0, 2, value);
  CHECK(both.shape() == Shape{64 + 80});
  CHECK(sum(both).item() == doctest::Approx(1.5 + 80));  // 0 between the two
}

TEST_CASE_TEMPLATE("a write to one leaf of an arena is one to all of them", D, TEST_DEVICES) {
  Leaves<D> x;
  x.move();
  const Var y = sum(x.a * x.a);
  {
    const NoGrad guard;
    x.b.assign(2.0F * x.b.detach());
  }
  CHECK_SAYS("was written in place after the statement read it", y.backward());
}
