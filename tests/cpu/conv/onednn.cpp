#include "weft/cpu/conv/onednn.hpp"

#include "images.hpp"
#include "weft/autograd.hpp"

using namespace weft;

TEST_CASE("convolutions of floats are those of double, which no library computes") {
  struct Case {
    Shape x;
    Shape w;
    ConvOptions o;
  };
  const Case cases[] = {{{2, 3, 9, 8}, {5, 3, 3, 3}, {.padding = 1}},
                        {{2, 4, 10, 7}, {6, 2, 3, 2}, {{2, 1}, {1, 2}, {1, 2}, 2}},
                        {{1, 16, 8, 8}, {32, 16, 1, 1}, {}},
                        {{2, 16, 9, 9}, {16, 1, 5, 5}, {.stride = 2, .padding = 2, .groups = 16}},
                        {{2, 3, 8, 8}, {4, 3, 2, 2}, {.stride = 3}},
                        {{2, 3, 7, 7}, {4, 3, 2, 2}, {.padding = Padding::same}}};
  for (const Case& c : cases) {
    CAPTURE(c.x);
    CAPTURE(c.w);
    const auto x = test::image<float, Cpu>(c.x);
    const auto w = test::image<float, Cpu>(c.w, 1);
    const auto b = test::image<float, Cpu>({c.w[0]}, 2);
    const Var wide_x = parameter(cast<double>(x).eval());
    const Var wide_w = parameter(cast<double>(w).eval());
    const Var wanted = conv2d(wide_x, wide_w, cast<double>(b).eval(), c.o);
    const auto g = test::image<float, Cpu>(wanted.shape(), 3);
    wanted.backward(cast<double>(g).eval());
    for (const bool last : {false, true}) {
      CAPTURE(last);
      const Var in = parameter(last ? channels_last(x) : x);
      const Var filters = parameter(w);
      const Var y = conv2d(in, filters, b, c.o);
      y.backward(g);
      const auto same = [](const auto& found, const Tensor<double>& right) {
        return allclose(cast<double>(found).eval(), right, {1e-4, 1e-4});
      };
      CHECK(is_channels_last(y) == last);
      CHECK(same(y.value(), wanted.value()));
      CHECK(same(relu(conv2d(in.detach(), w, b, c.o)).eval(), relu(wanted.value()).eval()));
      CHECK(same(in.grad(), wide_x.grad()));
      CHECK(same(filters.grad(), wide_w.grad()));
    }
  }
  const auto line = test::image<float, Cpu>({2, 3, 11});
  const auto taps = test::image<float, Cpu>({4, 3, 3});
  CHECK(allclose(cast<double>(Tensor(conv1d(line, taps))).eval(),
                 Tensor(conv1d(cast<double>(line).eval(), cast<double>(taps).eval())),
                 {1e-5, 1e-5}));
  const auto volume = test::image<float, Cpu>({1, 2, 4, 5, 6});
  const auto cube = test::image<float, Cpu>({3, 2, 2, 3, 3});
  CHECK(allclose(cast<double>(Tensor(conv3d(volume, cube))).eval(),
                 Tensor(conv3d(cast<double>(volume).eval(), cast<double>(cube).eval())),
                 {1e-5, 1e-5}));
}

TEST_CASE("images that threads share give the same bits for any number of them") {
  const auto x = test::image<float, Cpu>({7, 16, 32, 32});  // two slices, of 4 and of 3 images
  const auto w = test::image<float, Cpu>({32, 16, 3, 3}, 1);
  const auto g = test::image<float, Cpu>({7, 32, 32, 32}, 2);
  const auto all_of = [&](const auto& images) {
    const Var in = parameter(images);
    const Var filters = parameter(w);
    const Var y = conv2d(in, filters, {.padding = 1});
    y.backward(g);
    return std::vector{y.value(), in.grad(), filters.grad()};
  };
  for (const bool last : {false, true}) {
    const auto images = last ? channels_last(x) : x;
    set_num_threads(1);
    const auto one = all_of(images);
    set_num_threads(3);
    const auto three = all_of(images);
    set_num_threads(0);
    for (std::size_t i = 0; i < one.size(); ++i) CHECK(equal(one[i], three[i]));
    const auto single = conv2d(x(5), w, {.padding = 1}).eval();
    CHECK(allclose(one[0](5), single, {1e-4, 1e-4}));
    Tensor<float> sum = zeros(w.shape());
    for (int64_t i = 0; i < 7; ++i) {
      const Var filters = parameter(w);
      conv2d(x.narrow(0, i, 1), filters, {.padding = 1}).backward(g.narrow(0, i, 1));
      sum += filters.grad();
    }
    CHECK(allclose(one[2], sum, {1e-3, 1e-3}));
  }
}

#if defined(WEFT_ONEDNN)
TEST_CASE("what is not a number stays so, and double is left alone") {
  const auto p = conv::plan("f", {1, 2, 4, 4}, {3, 2, 1, 1}, 2, {});
  const auto x = test::image<double, Cpu>({1, 2, 4, 4});
  const auto w = test::image<double, Cpu>({3, 2, 1, 1});
  CHECK(!ConvLibrary<Cpu>::results("f", p, x, w, zeros<double>({1, 3, 4, 4})));
  Tensor<float> y = zeros({1, 3, 4, 4});
  const Tensor<float> weights = cast<float>(w);
  CHECK(ConvLibrary<Cpu>::results("f", p, Tensor(cast<float>(x)), weights, y));
  const Tensor<float> undefined = full<float>({1, 2, 4, 4}, std::nanf(""));
  const Tensor cut = relu(conv2d(undefined, weights, zeros({3})));
  CHECK(cut.at(0, 0, 1, 1) != cut.at(0, 0, 1, 1));
}

TEST_CASE("threads that did not make a primitive compute the same") {
  for (const int64_t channels : {16, 40, 88, 96, 120}) {
    CAPTURE(channels);
    const auto w = test::image<float, Cpu>({2 * channels, channels, 3, 3}, 1);
    const auto point = test::image<float, Cpu>({channels, 2 * channels, 1, 1}, 2);
    const auto x = channels_last(test::image<float, Cpu>({100, channels, 8, 8}));
    const auto both = [&](int threads) {
      set_num_threads(threads);
      const Tensor<float> inner = conv2d(x, w, {.stride = 2, .padding = 1});
      return conv2d(inner, point).eval();
    };
    const auto shared = both(4);
    CHECK(equal(shared, both(1)));
  }
  set_num_threads(0);
}
#endif
