#include "weft/autograd/shape/rearrange.hpp"

#include "gradients.hpp"
#include "weft/arrays.hpp"
#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("borders of every kind", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const auto y = numbers<D>({4, 8}, 1);
  for (const PadMode mode : {PadMode::constant, PadMode::reflect, PadMode::replicate,
                             PadMode::circular, PadMode::symmetric}) {
    CHECK(gradcheck([&](const auto& v) { return Var(pad(v * v, {3, 1, 0, 1}, mode) * y); }, x));
  }
  for (const PadMode mode : {PadMode::reflect, PadMode::replicate, PadMode::symmetric}) {
    CHECK(gradcheck(
        [&](const auto& v) {
          return Var(pad(v * v, {-2, 3, 2, -1}, mode) * y(all, slice(0, 5)));
        },
        x));
  }
  x.zero_grad();
  const Var cut = pad(x, {-1, -2, 1, 0});
  cut.backward(weft::ones<double>({4, 1}, D{}));
  CHECK(x.grad().to_vector() == std::vector<double>{0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0});
}

TEST_CASE_TEMPLATE("what moves and what is repeated", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const auto check = [&](const auto& f) { return gradcheck(f, x); };
  CHECK(check([](const auto& v) { return Var(v * roll(v, {1, -1}, axis(0, 1))); }));
  CHECK(check([](const auto& v) { return Var(shift(v, 2) * v); }));
  CHECK(check([](const auto& v) { return Var(square(tile(v, {2, 3}))); }));
  CHECK(check([](const auto& v) { return Var(square(repeat_interleave(v, 3, 1))); }));
}

TEST_CASE_TEMPLATE("what is chosen by where it stands", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const auto check = [&](const auto& f) { return gradcheck(f, x); };
  CHECK(check([](const auto& v) { return Var(tril(v, 1) * triu(v) * v); }));
  CHECK(check([](const auto& v) { return Var(square(diag_embed(v, -1))); }));
  CHECK(check([](const auto& v) { return block_diag(v, v * v, v(0)); }));
  CHECK(check([](const auto& v) { return windows(v * v, 1, 3); }));
  CHECK(check([](const auto& v) { return insert(v, {0, 2}, v(weft::all, slice(0, 2)), axis(1)); }));
  CHECK(check([](const auto& v) { return erase(flip(rot90(v)), 1, axis(0)); }));
}

TEST_CASE_TEMPLATE("elements that are chosen", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const auto i = tensor<std::int64_t>({2, 0, 2}, D{});
  const auto j = tensor<std::int64_t>({1, 3, 1}, D{});
  const auto pairs = tensor<std::int64_t>({{2, 1}, {0, 0}}, D{});
  const Tensor mask = numbers<D>({3, 4}, 0.25) > 0.0;
  const auto check = [&](const auto& f) { return gradcheck(f, x); };
  CHECK(check([&](const auto& v) { return Var(square(at_indices(v, i, j))); }));
  CHECK(check([&](const auto& v) { return Var(square(gather_nd(v, pairs))); }));
  CHECK(check([&](const auto& v) { return Var(masked_scatter(v, mask, v * v)); }));
  CHECK(check([&](const auto& v) { return Var(masked_fill(v * v, mask, 1.0)); }));
  CHECK(check([&](const auto& v) { return Var(select(mask, v * v, v)); }));
  CHECK(check([&](const auto& v) { return Var(square(gather(v, pairs, axis(0)))); }));
  CHECK(check([](const auto& v) { return Var(v * roll(v, 5)); }));
}
