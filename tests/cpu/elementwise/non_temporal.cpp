// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/non_temporal.hpp>

#include "array.hpp"

using std::int64_t;
using test::Index;
using weft::all;
using weft::Shape;
using weft::slice;
using weft::Tensor;
using weft::cpu::detail::find_streamed;
using weft::cpu::detail::PastCaches;
using weft::cpu::detail::stream_bytes;
using weft::cpu::detail::stream_fence;
using weft::cpu::detail::stream_limit;
using weft::cpu::detail::stream_limit_set;
using weft::detail::Operand;

namespace {
/// While it lives, results of that many bytes go past the caches.
struct Limit {
  explicit Limit(int64_t bytes) { stream_limit_set = bytes; }
  ~Limit() { stream_limit_set = 0; }
};

template <class T, class D>
Operand operand(const Tensor<T, D>& x) {
  Operand out;
  out.set(x.data(), sizeof(T), x.shape(), x.strides(), x.storage());
  return out;
}

/// A view of the shape that starts `offset` elements into its memory, which holds 9 around it.
template <class T>
Tensor<T> view_at(int64_t offset, const Shape& shape) {
  const Tensor<T> memory = weft::full({offset + shape.size() + 100}, static_cast<T>(9));
  return memory(slice(offset, offset + shape.size())).reshape(shape);
}
/// Whether all elements of the memory of such a view but the view's hold 9.
template <class T>
bool rest_is_nine(const Tensor<T>& view, int64_t offset) {
  const T* const first = view.data() - offset;
  bool nine = true;
  for (int64_t i = 0; i < offset; ++i) nine = nine && first[i] == static_cast<T>(9);
  for (int64_t i = 0; i < 100; ++i)
    nine = nine && view.data()[view.size() + i] == static_cast<T>(9);
  return nine;
}

/// Numbers that differ from their neighbours.
template <class T>
Tensor<T> numbers(const Shape& shape, std::uint64_t seed) {
  test::Random r(seed);
  std::vector<T> values(static_cast<std::size_t>(shape.size()));
  for (T& v : values) v = static_cast<T>(static_cast<float>(r.between(-100, 100)));
  return weft::tensor(values, shape);
}

/// f(limit on), f(limit off): the same bits.
template <class F>
bool same_both_ways(const F& f) {
  const auto past = [&] {
    const Limit limit(1);
    return f();
  }();
  const Limit limit(int64_t{1} << 60);
  const auto plain = f();
  return past.shape() == plain.shape() &&
         __builtin_memcmp(past.data(), plain.data(),
                          static_cast<std::size_t>(past.size()) * sizeof(*past.data())) == 0;
}
}  // namespace

TEST_CASE("bytes from any place to any place, and none beside them") {
  alignas(64) char from[400];
  alignas(64) char to[400];
  for (int i = 0; i < 400; ++i) from[i] = static_cast<char>(i * 7 + 1);
  int wrong = 0;
  for (int start : {0, 1, 8, 15, 16, 33, 63, 64}) {
    for (int source : {0, 1, 16, 31}) {
      for (int n = 0; n <= 300; n += n < 140 ? 1 : 13) {
        for (char& c : to) c = 0;
        stream_bytes(to + start, from + source, n);
        stream_fence();
        for (int i = 0; i < 400; ++i) {
          const bool inside = i >= start && i < start + n;
          wrong += to[i] != (inside ? from[source + i - start] : 0);
        }
      }
    }
  }
  CHECK(wrong == 0);
}

TEST_CASE("the limit is the size of a cache, unless set") {
  CHECK(stream_limit() >= int64_t{1} << 23);
  CHECK(stream_limit() <= int64_t{1} << 25);
  const Limit limit(1000);
  CHECK(stream_limit() == 1000);
}

#if defined(__x86_64__)
TEST_CASE("results that are large, not read, and not in fresh memory go past the caches") {
  const Limit limit(4000);
  const auto x = weft::full({1000}, 1.F);
  const auto y = weft::full({1000}, 1.F);
  const Operand two[] = {operand(y), operand(x)};
  CHECK(find_streamed(1000, two, 2, 1) == 1);
  CHECK(find_streamed(999, two, 2, 1) == 0);
  CHECK(find_streamed(1000, two, 2, 2) == 0b11);
  const Operand in_place[] = {operand(y), operand(x), operand(y)};
  CHECK(find_streamed(1000, in_place, 3, 1) == 0);
  CHECK(find_streamed(1000, in_place, 3, 2) == 0b10);
  y.storage()->fresh = true;
  CHECK(find_streamed(1000, two, 2, 1) == 0);
  CHECK(find_streamed(1000, two, 2, 1) == 1);  // it was written
  CHECK(find_streamed(1000, two, 1, 1) == 1);
}
#endif

TEST_CASE("loops that compute nothing are known, and do what the others do") {
  using weft::Arg;
  using weft::Constant;
  using weft::make_pack;
  using weft::detail::TypeList;
  constexpr auto known = [](auto out, auto program) {
    return requires { PastCaches::of(out, make_pack(program)); };
  };
  CHECK(known(TypeList<float>{}, Arg<1, float>{}));
  CHECK(known(TypeList<weft::half>{}, Constant<float>{}));
  CHECK_FALSE(known(TypeList<double>{}, Arg<1, float>{}));
  CHECK_FALSE(known(TypeList<weft::half>{}, Arg<1, weft::half>{}));
  std::vector<double> x(300);
  std::vector<double> y(400, -1);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  char* const at[] = {reinterpret_cast<char*>(y.data() + 1), reinterpret_cast<char*>(x.data())};
  const int64_t step[] = {1, 1};
  const int64_t skip[] = {120 * 8, 100 * 8};
  const PastCaches copies = PastCaches::of(TypeList<double>{}, make_pack(Arg<1, double>{}));
  copies.loop(&copies, at, step, skip, 3, 99);
  int wrong = 0;
  for (int i = 0; i < 400; ++i) {
    const int r = (i - 1) / 120;
    const int j = (i - 1) % 120;
    wrong += y[static_cast<std::size_t>(i)] != (i > 0 && r < 3 && j < 99 ? r * 100 + j : -1);
  }
  CHECK(wrong == 0);
  const PastCaches fills = PastCaches::of(TypeList<double>{}, make_pack(Constant<double>{2.5}));
  fills.loop(&fills, at, step, skip, 2, 50);
  CHECK(y[0] == -1);
  CHECK(y[1] == 2.5);
  CHECK(y[50] == 2.5);
  CHECK(y[51] == 50);
  CHECK(y[170] == 2.5);
  CHECK(y[171] == 150);
}

TEST_CASE_TEMPLATE("fills of every size of element", T, std::int8_t, std::int16_t, weft::half,
                   float, double, weft::complex<double>) {
  const Limit limit(1);
  for (int64_t offset : {0, 1, 3, 16, 37}) {
    for (int64_t n : {1, 17, 63, 64, 65, 1000, 40001}) {
      const auto x = view_at<T>(offset, {n});
      x.fill(static_cast<T>(1));
      int64_t wrong = 0;
      for (int64_t i = 0; i < n; ++i) wrong += !(x.data()[i] == static_cast<T>(1));
      CHECK(wrong == 0);
      CHECK(rest_is_nine(x, offset));
    }
  }
  const auto wide = weft::full({70, 300}, static_cast<T>(9));
  wide(all, slice(5, 290)).fill(static_cast<T>(1));
  int64_t ones = 0;
  for (int64_t i = 0; i < wide.size(); ++i) ones += wide.data()[i] == static_cast<T>(1);
  CHECK(wide.at(69, 5) == static_cast<T>(1));
  CHECK(wide.at(69, 289) == static_cast<T>(1));
  CHECK(ones == 70 * 285);
}

TEST_CASE_TEMPLATE("copies of any layout", T, std::int8_t, weft::bfloat16, float, double) {
  const Limit limit(1);
  test::Random r(5);
  for (int n = 0; n < 60; ++n) {
    auto a = r.array<T>({r.between(1, 90), r.between(1, 700)});
    auto x = a.on(weft::Cpu{});
    r.vary(x, a);
    const int64_t offset = r.between(0, 40);
    const auto y = view_at<T>(offset, a.shape);
    y.assign(x);
    CHECK(test::same(y, a));
    CHECK(rest_is_nine(y, offset));
    if (a.shape.rank() != 2) continue;
    const auto transposed = view_at<T>(offset, {a.shape[1], a.shape[0]}).t();
    transposed.assign(x);
    CHECK(test::same(transposed, a));
    Shape wide = a.shape;
    wide[1] += 3;
    const auto part = view_at<T>(offset, wide)(all, slice(1, -2));
    part.assign(x);
    CHECK(test::same(part, a));
  }
}

TEST_CASE("tiles of whole lines and of others, several targets, and in place") {
  for (int64_t rows : {63, 64, 200}) {
    for (int64_t columns : {64, 65, 80, 257, 272}) {
      for (int64_t offset : {0, 1, 16, 19}) {
        const auto x = numbers<float>({columns, rows}, 1);
        const auto y = numbers<float>({rows, columns}, 2);
        CHECK(same_both_ways([&] {
          const auto z = view_at<float>(offset, {rows, columns});
          z.assign(x.t() * 0.1F + y);
          CHECK(rest_is_nine(z, offset));
          return z;
        }));
        CHECK(same_both_ways([&] {
          const auto z = view_at<float>(offset, {rows, columns});
          z.assign(x.t());
          CHECK(rest_is_nine(z, offset));
          return z;
        }));
        CHECK(same_both_ways([&] {
          const auto z = y.clone();
          z += x.t();
          return z;
        }));
        CHECK(same_both_ways([&] {
          const auto both = weft::empty<float>({2, rows, columns});
          auto first = both(0);
          auto second = both(1);
          weft::tie(first, second) = weft::fuse(x.t() - y, x.t() * y);
          return both;
        }));
      }
    }
  }
  const auto x = numbers<weft::half>({128, 192}, 3);
  const auto y = numbers<float>({192, 128}, 4);
  CHECK(same_both_ways([&] { return Tensor<weft::half>(x.t() + cast<weft::half>(y)); }));
  CHECK(same_both_ways([&] { return Tensor<double>(cast<double>(x.t())); }));
}

TEST_CASE("several threads") {
  weft::set_num_threads(3);
  const auto x = numbers<float>({401, 300}, 6);
  const auto y = numbers<float>({304, 512}, 7);
  CHECK(same_both_ways([&] { return x.clone(); }));
  CHECK(same_both_ways([&] { return x(all, slice(1, -3)).clone(); }));
  CHECK(same_both_ways([&] { return Tensor<float>(y.t() - numbers<float>({512, 304}, 8)); }));
  CHECK(same_both_ways([&] { return weft::full({123457}, 1.25); }));
  weft::set_num_threads(0);
}
