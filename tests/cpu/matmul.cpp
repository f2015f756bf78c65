// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/matmul.hpp>

#include <thread>
#include <vector>

#include "matrices.hpp"

using weft::Cpu;
using weft::Tensor;
using Library = weft::Multiplier<Cpu>;

TEST_CASE("what is done in the call") {
  CHECK(Library::fuses(weft::Activation::identity, weft::Dtype::float32));
  CHECK(!Library::fuses(weft::Activation::relu, weft::Dtype::float32));
  CHECK(!Library::fuses(weft::Activation::gelu_tanh, weft::Dtype::float32));
}

TEST_CASE("alpha and an addend, which may be the target") {
  test::Random r(1);
  const auto a = test::small_numbers<float>(r, {9, 8});
  const auto b = test::small_numbers<float>(r, {8, 7});
  const auto p = test::product(a, b);
  const auto c = test::small_numbers<float>(r, {9, 7});
  const Tensor<float> z = c.on(Cpu{});
  weft::Epilogue<float, Cpu> e;
  e.alpha = 0.5F;
  e.beta = 1;
  e.addend = &z;
  CHECK(Library::multiply("test", a.on(Cpu{}), b.on(Cpu{}), z, e));
  const Tensor<float> other = c.on(Cpu{});
  const Tensor<float> y = weft::empty({9, 7});
  e.beta = 3;
  e.addend = &other;
  CHECK(Library::multiply("test", a.on(Cpu{}), b.on(Cpu{}), y, e));
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    const auto product = static_cast<float>(p.values[i]) / 2;
    CHECK(z.data()[i] == product + c.values[i]);
    CHECK(y.data()[i] == product + 3 * c.values[i]);
  }
}

TEST_CASE("half types may be given sums in float") {
  const auto x = weft::full({1, 300}, weft::half(16.F));
  const Tensor<float> sums = weft::empty({1, 1});
  Library::multiply("test", x, x.t(), sums);
  CHECK(sums.item() == 76800);
}

TEST_CASE("no memory is left behind, and none is taken for rows and columns") {
  const auto x = weft::ones({64, 64});
  const auto z = weft::empty({64, 64});
  const auto before = weft::cpu::memory_allocated();
  z.assign(matmul(x, x.t()));
  CHECK(weft::cpu::memory_allocated() == before);
}

TEST_CASE("the same bits for any number of threads") {
  const auto x = weft::rand({700, 333});
  const auto y = weft::rand({333, 520});
  const auto v = weft::rand({333});
  const auto results = [&] {
    std::vector<float> all;
    for (const auto& z : {matmul(x, y).eval(), matmul(x.reshape({7, 100, 333}), y).eval(),
                          matmul(x(weft::slice(0, 50)), y).eval(), matmul(x, v).eval(),
                          matmul(x.reshape({2, 350, 333}), y.expand({2, 333, 520})).eval()}) {
      const auto values = z.to_vector();
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  weft::set_num_threads(1);
  const auto one = results();
  for (const int threads : {2, 3, 16}) {
    weft::set_num_threads(threads);
    CHECK(results() == one);
  }
  weft::set_num_threads(0);
}

TEST_CASE("several threads of the program's own") {
  const auto x = weft::rand({100, 100});
  const auto expected = matmul(x, x).eval();
  const auto e = matmul(x, x);
  Tensor<float> got[2];
  std::thread first([&] { got[0] = e; });
  std::thread second([&] { got[1] = e; });
  first.join();
  second.join();
  CHECK(allclose(got[0], expected));
  CHECK(allclose(got[1], expected));
}

TEST_CASE_TEMPLATE("a bias of each column is added to all products, and may be the target", T,
                   float, double, int) {
  using namespace weft;
  const auto numbers = [](const Shape& shape) {
    return Tensor<T>(cast<T>(arange<int64_t>(shape.size()) * int64_t{7} % int64_t{5}))
        .reshape(shape);
  };
  const auto w = numbers({70, 90});
  const auto b = numbers({90});
  for (const Shape& shape : {Shape{70}, Shape{1, 70}, Shape{30, 70}, Shape{2, 3, 40, 70}}) {
    CAPTURE(shape);
    const auto x = numbers(shape);
    const Tensor<T> plain = matmul(x, w);
    const Tensor<T> wanted = plain + b;
    CHECK(equal(Tensor<T>(matmul(x, w) + b), wanted));
    CHECK(equal(Tensor<T>(b + matmul(x, w.t().clone().t())), wanted));
    if (shape.rank() == 2) {
      const Tensor<T> turned = empty<T>({90, shape[0]});
      turned.t().assign(matmul(x, w) + b);
      CHECK(equal(turned.t().clone(), wanted));
    }
  }
  const auto x = numbers({70});
  const Tensor<T> into = b.clone();
  const Tensor<T> wanted = matmul(x, w) + b;
  into.assign(matmul(x, w) + into);
  CHECK(equal(into, wanted));
  const Tensor<T> row = b.clone();
  row.reshape({1, 90}).assign(matmul(x.reshape({1, 70}), w) + row);
  CHECK(equal(row, wanted));
}
