#include "weft/cuda/elementwise/for_each.hpp"

#include <cmath>

#include "cuda/graph_nodes.hpp"
#include "test.hpp"

using weft::all;
using weft::Cpu;
using weft::Cuda;
using weft::Shape;
using weft::slice;
using weft::Tensor;

namespace {

Tensor<float> ramp(const Shape& shape) {
  const weft::int64_t n = shape.size();
  Tensor<float> x = weft::arange<float>(static_cast<float>(n)).reshape(shape);
  return sin(x * 0.37f);
}

/// Evaluates f on CPU copies and on the GPU; the results agree to a few ulp.
template <class F, class... Xs>
void agree(const F& f, const Xs&... xs) {
  const Tensor<float> expected = f(xs...);
  const Tensor<float, Cuda> found = f(xs.to(Cuda{})...);
  const auto a = expected.to_vector();
  const auto b = found.to_vector();
  REQUIRE(found.shape() == expected.shape());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(double{a[i]} - b[i]) / (1 + std::abs(double{a[i]})));
  }
  CHECK(worst < 1e-6);
}

}  // namespace

TEST_CASE("one statement is one kernel, whatever the operands [gpu]") {
  auto x = ramp({64, 96}).to(Cuda{});
  auto y = ramp({64, 96}).to(Cuda{});
  auto row = ramp({96}).to(Cuda{});
  auto column = ramp({64, 1}).to(Cuda{});
  auto scalar = ramp({}).to(Cuda{});
  auto wide = ramp({96, 128}).to(Cuda{});
  Tensor z = x + y;
  auto one = [&](auto&& statement) {
    const GraphNodes n = captured(statement);
    CHECK(n.kernels == 1);
    CHECK(n.memsets == 0);
    CHECK(n.copies == 0);
    CHECK(n.allocations == 0);
  };
  one([&] { z.assign(tanh(x * y + row) * exp(-x * x) + 0.5f); });
  one([&] { z.assign((x - row) * column + scalar); });
  one([&] { z.assign(x + wide(all, slice(0, weft::none, 2)).t()); });
  one([&] { z(slice(1, weft::none), all) = y(slice(0, -1), all) * 2; });
  one([&] { z += where(x > 0, x, 0) / 3; });
  one([&] { z.fill(4); });
  one([&] { z.assign(column); });
}

TEST_CASE("a loop that rebinds neither allocates nor copies [gpu]") {
  auto x = ramp({1000}).to(Cuda{});
  Tensor z = x * 2;
  const float* buffer = z.data();
  const auto before = weft::cuda::memory_allocated();
  for (int i = 0; i < 5; ++i) z = z * 0.5f + x;
  CHECK(z.data() == buffer);
  CHECK(weft::cuda::memory_allocated() == before);
}

TEST_CASE("lengths, offsets and strides around the vector width [gpu] [sanitize]") {
  for (int n : {1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 1025, 4099}) {
    CAPTURE(n);
    const auto x = ramp({n + 3});
    const auto y = ramp({n + 3});
    for (int a = 0; a < 4; ++a) {
      for (int b : {0, 1, 3}) {
        agree([&](auto p, auto q) { return p(slice(a, a + n)) * q(slice(b, b + n)) + 1.0f; }, x, y);
        auto target = x.to(Cuda{});
        target(slice(a, a + n)) = y.to(Cuda{})(slice(b, b + n)) * 2;
        Tensor<float> expected = x.clone();
        expected(slice(a, a + n)) = y(slice(b, b + n)) * 2;
        CHECK(target.to_vector() == expected.to_vector());
      }
    }
  }
}

TEST_CASE("rows, columns, transposes, negative strides and ranks to eight [gpu] [sanitize]") {
  const auto x = ramp({17, 33});
  const auto square = ramp({33, 17});
  agree([](auto p, auto q) { return p + q.t(); }, x, square);
  agree([](auto p) { return p(all, slice(weft::none, weft::none, -1)) * 2; }, x);
  agree([](auto p) { return p(slice(weft::none, weft::none, -3), slice(1, weft::none, 2)) + 1; },
        x);
  agree([](auto p) { return p(all, slice(0, 1)) - p(slice(0, 1), all); }, x);
  agree([](auto p) { return p.unsqueeze(1) * p.unsqueeze(0); }, ramp({19, 5}));
  const auto deep = ramp({2, 3, 2, 3, 2, 3, 2, 5});
  agree([](auto p) { return p.permute({7, 5, 3, 1, 0, 2, 4, 6}) + 1; }, deep);
  agree(
      [](auto p) {
        return p.permute({0, 2, 1, 3, 4, 6, 5, 7}) * p.permute({0, 2, 1, 3, 4, 6, 5, 7});
      },
      deep);
  agree([](auto p) { return p(weft::ellipsis, slice(0, 3)) - 2; }, deep);
  agree([](auto p) { return p + 0; }, ramp({5, 0, 3}));
}

TEST_CASE("writes to strided and reversed views [gpu] [sanitize]") {
  const auto source = ramp({16, 24});
  auto target = weft::zeros({24, 16}, Cuda{});
  target.t() = source.to(Cuda{});
  CHECK(target.to_vector() == Tensor<float>(source.t() + 0.f).to_vector());
  auto line = weft::zeros({10}, Cuda{});
  line(slice(weft::none, weft::none, -2)) = weft::arange<float>(5, Cuda{});
  CHECK(line.to_vector() == std::vector<float>{0, 4, 0, 3, 0, 2, 0, 1, 0, 0});
}

TEST_CASE_TEMPLATE("every element type moves at every width [gpu]", T, bool, std::int8_t,
                   std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t,
                   std::uint32_t, std::uint64_t, weft::half, weft::bfloat16, float, double,
                   weft::complex<float>, weft::complex<double>) {
  std::vector<T> values;
  for (int i = 0; i < 133; ++i)
    values.push_back(static_cast<T>(static_cast<float>(i % 2 == 0 ? i % 7 : 1)));
  Tensor<T> x = weft::empty<T>({133});
  for (int i = 0; i < 133; ++i) x.data()[i] = values[static_cast<std::size_t>(i)];
  const Tensor<T, Cuda> y = x.to(Cuda{})(slice(1, weft::none)).clone();
  const auto back = y.to_vector();
  for (int i = 0; i < 132; ++i) CHECK(back[static_cast<std::size_t>(i)] == x.data()[i + 1]);
}

TEST_CASE("work of more than 2^30 elements is cut into several launches [gpu]") {
  const weft::int64_t n = (weft::int64_t{1} << 31) + 5;
  auto one = weft::full({1}, std::int8_t{3}, Cuda{});
  Tensor<std::int8_t, Cuda> big = one.expand({n}) + one;
  CHECK(big(0).item() == 6);
  CHECK(big(-1).item() == 6);
  CHECK(big((weft::int64_t{1} << 30)).item() == 6);
  auto numbers =
      weft::arange<std::int64_t>(weft::int64_t{1} << 40, (weft::int64_t{1} << 40) + 10, 1, Cuda{});
  CHECK(numbers(9).item() == (weft::int64_t{1} << 40) + 9);
}

TEST_CASE("operands on one device only, WEFT_SYNC names the failing expression [gpu]") {
  auto x = weft::ones({4}, Cuda{});
  weft::detail::sync_flag() = true;
  Tensor y = x + 1;
  weft::detail::sync_flag() = false;
  CHECK(y(3).item() == 2);
}

TEST_CASE("without a GPU evaluation says so [nogpu]") {
  CHECK_SAYS("no CUDA device is available", weft::ones({4}, Cuda{}));
  CHECK_SAYS("no CUDA device is available", weft::ones({4}).to(Cuda{}));
}

TEST_CASE("the kernel for aligned operands [gpu] [sanitize]") {
  const auto x = ramp({32, 64});
  const auto row = ramp({64});
  const auto column = ramp({32, 1});
  agree([](auto p, auto q, auto r) { return (p - q) * rsqrt(square(q) + 1) * r + q * p; }, x, row,
        column);
  const auto halves = [](const auto& p, const auto& q) {
    return cast<float>(cast<weft::half>(p) * cast<weft::half>(q) + cast<weft::half>(p));
  };
  agree(halves, x, row);
  auto h = cast<weft::half>(x).eval().to(Cuda{});
  h = h * h + h;
  const auto expected = cast<weft::half>(x).eval();
  CHECK(h.to_vector()[77] == (expected * expected + expected).eval().to_vector()[77]);
}

TEST_CASE("several outputs are one kernel, also where they change places [gpu]") {
  auto p = ramp({64, 96}).to(Cuda{});
  auto m = ramp({64, 96}).to(Cuda{});
  auto v = square(ramp({64, 96})).eval().to(Cuda{});
  const auto g = ramp({64, 96}).to(Cuda{});
  const auto step = [&] {
    const auto first = 0.9f * m + 0.1f * g;
    const auto second = 0.99f * v + 0.01f * square(g);
    tie(p, m, v) = fuse(p - 0.1f * first / (sqrt(second) + 1e-3f), first, second);
  };
  step();
  auto nodes = captured(step);
  CHECK((nodes.kernels == 1 && nodes.memsets + nodes.copies + nodes.allocations == 0));
  nodes = captured([&] { tie(p, m) = fuse(m, p); });
  CHECK((nodes.kernels == 1 && nodes.allocations == 0));
  nodes = captured([&] { tie(p(0), p(2)) = fuse(p(2), p(0)); });
  CHECK((nodes.kernels == 1 && nodes.allocations == 0));
  nodes = captured([&] { tie(p(all, 0), p(all, 1)) = fuse(p(all, 1), p(all, 0)); });
  CHECK((nodes.kernels == 1 && nodes.allocations == 0));
  nodes = captured([&] { auto [s, c] = fuse(sin(g), cos(g)); });
  CHECK((nodes.kernels == 1 && nodes.allocations == 2));
  nodes = captured(
      [&] { tie(p(slice(1, 64)), m(slice(0, 63))) = fuse(p(slice(0, 63)), g(slice(0, 63))); });
  CHECK((nodes.kernels == 2 && nodes.allocations == 1));
}

TEST_CASE(
    "several rows for each thread, operands read element by element, slices of odd rows [gpu]") {
  const auto x = ramp({4096});
  const auto y = ramp({1024});
  agree([](const auto& a, const auto& b) { return (a(all, weft::newaxis) * b).eval(); }, x, y);
  const auto wide = ramp({3, 2048, 513});
  agree([](const auto& a,
           const auto& b) { return (a(all, all, slice(1, 513)) + b(slice(0, 512))).eval(); },
        wide, y);
  agree([](const auto& a) { return (a(all, all, slice(1, 513)).flip(-1) * 2.F).eval(); }, wide);
  for (const std::int64_t n : {1, 5, 33, 64}) {
    CAPTURE(n);
    const auto table = ramp({20, n});
    agree(
        [](const auto& t) {
          const auto ids =
              weft::arange<std::int64_t>(60, t.device()) * std::int64_t{7} % std::int64_t{20};
          return (cast<float>(take(cast<weft::half>(t).eval(), ids.eval(), weft::axis(0))) * 15.F)
              .eval();
        },
        table);
  }
}

TEST_CASE("vectors that cross from one row into the next [gpu] [sanitize]") {
  const auto formula = [](const auto& p, const auto& q, const auto& r) {
    return ((p - q) * r + weft::cast<float>(weft::arange<std::int64_t>(p.size(-1), p.device())))
        .eval();
  };
  for (const Shape& shape : {Shape{8, 5}, Shape{4, 197}, Shape{16, 49}, Shape{12, 6}, Shape{7, 4},
                             Shape{4, 3}, Shape{3, 4, 49}, Shape{2, 3, 4, 33}}) {
    CAPTURE(shape);
    const auto columns = shape[shape.rank() - 1];
    const auto p = ramp(shape);
    const auto q = ramp({columns});
    const auto r = ramp({shape[shape.rank() - 2], 1});
    agree(formula, p, q, r);
    agree(formula, p, ramp({shape[0], columns}).reshape([&] {
      Shape outer = shape;
      for (int d = 1; d + 1 < shape.rank(); ++d) outer[d] = 1;
      return outer;
    }()),
          r);
    Shape wider = shape;
    ++wider[shape.rank() - 1];
    const auto wide = ramp(wider);
    agree(
        [](const auto& w, const auto& b) {
          const auto n = w.size(-1);
          return (w(weft::ellipsis, slice(1, n)) * b - w(weft::ellipsis, slice(0, n - 1))).eval();
        },
        wide, r);
    const auto doubles = [](const auto& a, const auto& b) {
      return cast<float>((cast<double>(a) * cast<double>(b)).eval()).eval();
    };
    agree(doubles, p, q);
    agree(
        [](const auto& a, const auto& b) {
          auto [sum, product] = fuse(a + b, a * b);
          return (sum - product).eval();
        },
        p, r);
  }
}

TEST_CASE_TEMPLATE("vectors that cross several rows [gpu]", T, float, double, weft::half,
                   weft::bfloat16) {
  const auto formula = [](const auto& p, const auto& q, const auto& r) {
    return cast<float>((maximum(p, q) - r).eval()).eval();
  };
  const auto sliced = [](const auto& w) { return (w(all, slice(1, w.size(-1))) * T(2.0F)).eval(); };
  const auto as_floats = [](const auto& e) { return cast<float>(e).eval(); };
  for (int columns : {2, 3, 5, 6, 7, 9, 35}) {
    CAPTURE(columns);
    const auto p = cast<T>(ramp({64, columns})).eval();
    agree(formula, p, cast<T>(ramp({columns})).eval(), cast<T>(ramp({64, 1})).eval());
    const auto deep = cast<T>(ramp({3, 16, columns})).eval();
    agree(formula, deep, cast<T>(ramp({3, 1, columns})).eval(), cast<T>(ramp({16, 1})).eval());
    agree([&](const auto& w) { return as_floats(sliced(w)); },
          cast<T>(ramp({48, columns + 1})).eval());
    agree([&](const auto& w) { return as_floats((flip(w, 1) + w).eval()); }, p);
  }
}

TEST_CASE_TEMPLATE("numbers of rows and planes where vectors cross rows [gpu]", T, float, double,
                   weft::half, std::int8_t) {
  const auto numbers = [](const Shape& shape) {
    return weft::generated(shape, weft::op::affine<std::int64_t>{0, 1});
  };
  const auto lower = [&](const auto& x) {
    return where(numbers({x.size(-2), 1}) > numbers({x.size(-1)}), x, T(0)).eval();
  };
  const auto planes = [&](const auto& x) {
    const auto plane = numbers({x.size(0), 1, 1});
    return where(plane % 2 == numbers({x.size(1), 1}) % 2, x, T(0)).eval();
  };
  for (const int columns : {1, 2, 3, 5, 6, 7, 9, 12, 35}) {
    CAPTURE(columns);
    const auto x = cast<T>(ramp({16, columns}) * 8.0F + 1.0F).eval();
    CHECK(lower(x.to(Cuda{})).to_vector() == lower(x).to_vector());
    const auto deep = cast<T>(ramp({5, 16, columns}) * 8.0F + 1.0F).eval();
    CHECK(lower(deep.to(Cuda{})).to_vector() == lower(deep).to_vector());
    CHECK(planes(deep.to(Cuda{})).to_vector() == planes(deep).to_vector());
  }
}

TEST_CASE("a thread has a vector in each part of the rows that vectors cross [gpu]") {
  const auto p = ramp({43692, 197});
  agree([](const auto& a, const auto& b, const auto& c) { return ((a - b) * c).eval(); }, p,
        ramp({197}), ramp({43692, 1}));
  agree([](const auto& a, const auto& b) { return (a - b).eval(); }, ramp({3, 14564, 197}),
        ramp({14564, 1}));
  agree([](const auto& a, const auto& b) { return (a - b).eval(); }, ramp({20000, 2, 214}),
        ramp({2, 1}));
}

TEST_CASE("several rows of a thread, of numbers of them that no thread's rows divide [gpu]") {
  const auto plane = [](const auto& a, const auto& b) { return (a * b - 0.5F * b).eval(); };
  agree(plane, ramp({16387, 1}), ramp({256}));
  agree(plane, ramp({131075, 1}), ramp({32}));  // others' rows lie between a thread's
  agree([](const auto& a, const auto& b, const auto& c) { return (c * (a - b)).eval(); },
        ramp({1029, 1}), ramp({256}), ramp({17, 1, 1}));
}

TEST_CASE_TEMPLATE("vectors of 2 bytes: neighbours, one element, and both [gpu]", T, weft::half,
                   weft::bfloat16) {
  const auto x = cast<T>(ramp({70, 64})).eval();
  const auto row = cast<T>(ramp({64})).eval();
  const auto column = cast<T>(ramp({70, 1})).eval();
  const auto number = cast<T>(ramp({})).eval();
  const auto same = [&](const auto& f) {
    const Tensor<T> expected = f(x, row, column, number);
    const Tensor<T, Cuda> found =
        f(x.to(Cuda{}), row.to(Cuda{}), column.to(Cuda{}), number.to(Cuda{}));
    const auto a = expected.to_vector();
    const auto b = found.to_vector();
    REQUIRE(a.size() == b.size());
    CHECK(std::equal(a.begin(), a.end(), b.begin(), [](T p, T q) { return p.bits == q.bits; }));
  };
  same([](const auto& a, const auto&, const auto&, const auto&) { return (a * 2 + a).eval(); });
  same([](const auto&, const auto& r, const auto& c, const auto&) { return (c * r).eval(); });
  same([](const auto& a, const auto& r, const auto& c, const auto& n) {
    return ((a - r) * (c + n)).eval();
  });
}

TEST_CASE("costly parts of an operand that neighbours share are computed once [gpu]") {
  const auto gated = [](const auto& x, const auto& b) {
    const auto t = silu(x);
    const auto t2 = silu(b);
    return (x * sigmoid(b) + where(t < t2, t, t2 * 0.8F)).eval();
  };
  for (const Shape& shape : {Shape{70, 64}, Shape{68, 63}, Shape{5, 7}, Shape{3, 20, 32}}) {
    CAPTURE(weft::detail::text(shape));
    const auto x = ramp(shape);
    Shape column = shape;
    column[shape.rank() - 1] = 1;
    agree(gated, x, ramp({}));
    agree(gated, x, ramp(column));
    agree(gated, x, ramp({shape[shape.rank() - 1]}));
    agree(gated, x, ramp(shape));
  }
}

TEST_CASE("the last elements, if they fill no vector, are a second launch [gpu]") {
  const auto sum = [](const auto& a, const auto& b) { return (a + b).eval(); };
  const weft::int64_t n = (1 << 23) + 3;
  agree(sum, ramp({n}), ramp({n}));
  agree(sum, ramp({43691, 197}), ramp({197}));
  const auto x = ramp({n}).to(Cuda{});
  Tensor z = x * 2;
  CHECK(captured([&] { z.assign(z + x); }).kernels == 2);
  CHECK(captured([&] { z(slice(3, weft::none)).assign(z(slice(3, weft::none)) + 1); }).kernels ==
        1);
}
