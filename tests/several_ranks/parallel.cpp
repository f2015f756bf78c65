// Optimizers and layers that are split over ranks give what one rank gives.
#include "ranks.hpp"

#include "weft/nn.hpp"
#include "weft/optim.hpp"
#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/matmul.hpp"
#endif

using namespace weft;

namespace {
template <class T, class D>
void check_near(const Tensor<T, D>& x, const Tensor<T, D>& expected, double limit = 1e-5) {
  REQUIRE(x.shape() == expected.shape());
  CHECK(max(abs(x - expected)).eval().item() <= static_cast<T>(limit));
}

template <class D>
auto network() {
  manual_seed(7);
  return nn::Sequential{nn::Linear<D>(10, 33), nn::Tanh{}, nn::Linear<D>(33, 3)};
}

/// One step's gradients, of a loss over this rank's rows.
template <class D>
void gradients(auto& net, int step, int rank, int ranks) {
  Generator generator(static_cast<std::uint64_t>(step));
  const Tensor<float, D> x = randn({24, 10}, Cpu{}, generator).to(D{});
  const int64_t rows = 24 / ranks;
  const Var<float, D> y = net(Var<float, D>(x.narrow(0, rows * rank, rows)));
  const Var<float, D> loss = mean(square(y)) * 10.0F;
  nn::zero_grad(net);
  loss.backward();
}
}  // namespace

TEST_CASE_TEMPLATE("a sharded optimizer makes the steps of the whole one", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const int n = g.size();
  for (const bool clipped : {false, true}) {
    auto alone = network<D>();
    auto net = network<D>();
    nn::flatten_parameters(alone);
    optim::AdamW whole(nn::parameters(alone), {.lr = 0.01, .weight_decay = 0.1});
    auto part = dist::sharded<optim::AdamW>(net, g, {.lr = 0.01, .weight_decay = 0.1},
                                            {.max_norm = clipped ? 0.5 : 0});
    const auto go = [&](auto& optimizer, int from, int to) {
      for (int i = from; i < to; ++i) {
        gradients<D>(net, i, g.rank(), n);
        optimizer.step();
        gradients<D>(alone, i, 0, 1);
        if (clipped) optim::clip_grad_norm(whole.parameters(), 0.5);
        whole.step();
      }
      const auto a = nn::parameters(net), b = nn::parameters(alone);
      for (std::size_t i = 0; i < a.size(); ++i) check_near(a[i].value(), b[i].value());
    };
    go(part, 0, 10);
    constexpr int64_t elements =
        12 * 64;  // with what lies between them: 384 + 64 + 128 + 64 and the like
    CHECK(part.state_elements() <= elements / n + 64 * n);
    // A checkpoint goes on in another split: here on a rank alone, which has everything.
    const StateDict saved = part.state_dict();
    auto again = dist::sharded<optim::AdamW>(net, g, {.lr = 0.5});
    again.load_state_dict(saved);
    CHECK(again.lr() == 0.01);
    CHECK(again.inner().steps() == 10);
    if (!clipped) go(again, 10, 15);
    auto single = dist::sharded<optim::AdamW>(net, dist::Group(), {.lr = 0.5});
    single.load_state_dict(saved);
    CHECK(single.state_elements() >= part.state_elements());
    CHECK(equal(single.state_dict().template get<float, D>("state.exp_avg"),
                saved.template get<float, D>("state.exp_avg")));
  }
}

TEST_CASE_TEMPLATE("SyncBatchNorm is BatchNorm1d of all samples", D, TEST_DEVICES) {
  const auto& g = *test::world();
  Generator generator(2);
  const int64_t each = 6;
  const Tensor<float, D> all =
      (randn({each * g.size(), 4, 3}, Cpu{}, generator) * 3.0F + 5.0F).eval().to(D{});
  const Tensor<float, D> mine = all.narrow(0, each * g.rank(), each).clone();
  nn::BatchNorm1d<D> one(4);
  dist::SyncBatchNorm<D> many(4, g);
  const Var<float, D> x = parameter(all.clone());
  const Var<float, D> y = parameter(mine);
  const Var<float, D> a = one(x);
  const Var<float, D> b = many(y);
  check_near(b.value(), a.value().narrow(0, each * g.rank(), each).clone());
  const Tensor<float, D> weights = cos(all);
  Var<float, D>(sum(a * weights)).backward();
  Var<float, D>(sum(b * weights.narrow(0, each * g.rank(), each))).backward();
  check_near(y.grad(), x.grad().narrow(0, each * g.rank(), each).clone(), 1e-4);
  check_near(*many.running_mean, *one.running_mean);
  check_near(*many.running_var, *one.running_var, 1e-4);
  nn::eval(many);
  nn::eval(one);
  check_near(many(Var<float, D>(mine)).value(), one(Var<float, D>(mine)).value());
}

TEST_CASE_TEMPLATE("a Linear split by columns and one split by rows", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const int64_t wide = 4 * g.size();
  manual_seed(1);
  const nn::Linear<D> first(6, wide);
  manual_seed(2);
  const nn::Linear<D> second(wide, 5);
  manual_seed(1);
  const dist::ColumnLinear<D> columns(6, wide, g);
  manual_seed(2);
  const dist::RowLinear<D> rows(wide, 5, g);
  Generator generator(3);
  const Tensor<float, D> data = randn({7, 6}, Cpu{}, generator).to(D{});
  const Var<float, D> x = parameter(data.clone());
  const Var<float, D> y = parameter(data.clone());
  const Var<float, D> a = second(Var<float, D>(relu(first(x))));
  const Var<float, D> b = rows(Var<float, D>(relu(columns(y))));
  check_near(b.value(), a.value());
  Var<float, D>(sum(sin(a))).backward();
  Var<float, D>(sum(sin(b))).backward();
  check_near(y.grad(), x.grad());
  check_near(rows.bias.grad(), second.bias->grad());
  check_near(columns.part.weight.grad(), first.weight.grad().narrow(0, 4 * g.rank(), 4).clone());
  CHECK_SAYS("[ColumnLinear] 7 features on", dist::ColumnLinear<D>(6, 7, g));
}

TEST_CASE_TEMPLATE("an Embedding split by rows", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const int64_t rows = 5 * g.size();
  manual_seed(1);
  const nn::Embedding<D> whole(rows, 3, {.padding_index = 2});
  manual_seed(1);
  const dist::ParallelEmbedding<D> parts(rows, 3, g, {.padding_index = 2});
  Generator generator(3);
  const Tensor<int64_t, D> index = randint(0, rows, {4, 6}, Cpu{}, generator).to(D{});
  index(0, 0).fill(2);
  const Var<float, D> a = whole(index);
  const Var<float, D> b = parts(index);
  check_near(b.value(), a.value());
  Var<float, D>(sum(sin(a))).backward();
  Var<float, D>(sum(sin(b))).backward();
  check_near(parts.part.weight.grad(), whole.weight.grad().narrow(0, parts.first, 5).clone());
  CHECK_SAYS("[ParallelEmbedding] ", dist::ParallelEmbedding<D>(rows + 1, 3, g));
  if constexpr (!is_cuda<D>) {
    for (const int64_t bad : {rows, int64_t{-1}}) {
      CHECK_SAYS("take", parts(full<int64_t>({1}, bad)));
    }
  }
}

TEST_CASE_TEMPLATE("attention split by heads", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const int64_t heads = 2 * g.size(), width = 4 * heads;
  for (const bool batch_first : {false, true}) {
    manual_seed(1);
    const nn::MultiheadAttention<D> whole(width, heads, {.batch_first = batch_first});
    manual_seed(1);
    const dist::ParallelAttention<D> parts(width, heads, g, {.batch_first = batch_first});
    Generator generator(3);
    const auto data = [&](int64_t length) {
      const Shape shape = batch_first ? Shape{2, length, width} : Shape{length, 2, width};
      return Tensor<float, D>(randn(shape, Cpu{}, generator).to(D{}));
    };
    const Tensor<float, D> of_x = data(5), of_y = data(7);
    const Tensor<bool, D> padding = (arange<int64_t>(14, D{}).reshape({2, 7}) % int64_t{7}) > 4;
    const Tensor<float, D> added = randn({2 * heads, 5, 7}, Cpu{}, generator).to(D{});
    for (const bool self : {true, false}) {
      const auto run = [&](const auto& module, const Var<float, D>& x, const Var<float, D>& y) {
        if (self) return module(x, x, x, {.is_causal = true});
        return module(x, y, y, {.key_padding_mask = padding, .attn_mask = added});
      };
      const Var<float, D> x = parameter(of_x.clone()), y = parameter(of_y.clone());
      const Var<float, D> u = parameter(of_x.clone()), v = parameter(of_y.clone());
      const Var<float, D> a = run(whole, x, y);
      const Var<float, D> b = run(parts, u, v);
      check_near(b.value(), a.value());
      nn::zero_grad(whole);
      nn::zero_grad(parts);
      Var<float, D>(sum(sin(a))).backward();
      Var<float, D>(sum(sin(b))).backward();
      check_near(u.grad(), x.grad(), 1e-4);
      if (!self) check_near(v.grad(), y.grad(), 1e-4);
      const int64_t each = width / g.size();
      for (int64_t k = 0; k < 3; ++k) {
        const auto mine = [&](const Tensor<float, D>& all) {
          return all.narrow(0, k * width + each * g.rank(), each).clone();
        };
        check_near(parts.in_proj_weight.grad().narrow(0, k * each, each).clone(),
                   mine(whole.in_proj_weight->grad()), 1e-4);
        check_near(parts.in_proj_bias->grad().narrow(0, k * each, each).clone(),
                   mine(whole.in_proj_bias->grad()), 1e-4);
      }
      check_near(parts.out_proj.weight.grad(),
                 whole.out_proj.weight.grad().narrow(1, each * g.rank(), each).clone(), 1e-4);
      check_near(parts.out_bias->grad(), whole.out_proj.bias->grad(), 1e-4);
    }
    CHECK_SAYS("expected ", parts(Var<float, D>(of_x), Var<float, D>(of_x.narrow(2, 0, 3).clone()),
                                  Var<float, D>(of_x)));
  }
}
