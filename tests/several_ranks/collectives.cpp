// Every collective against what it must give, written down from the ranks' own numbers.
#include "ranks.hpp"

using namespace weft;

namespace {
template <class T>
T number(int64_t i) {
  if constexpr (is_bool<T>) return i % 2 == 1;
  if constexpr (is_complex<T>) return T(static_cast<real_t<T>>(i), static_cast<real_t<T>>(-i));
  if constexpr (!is_bool<T> && !is_complex<T>) return static_cast<T>(static_cast<float>(i));
}
/// Elements first, first + 1, ...
template <class T, class D>
Tensor<T, D> counted(int64_t first, int64_t n) {
  Tensor<T> out = empty<T>({n});
  for (int64_t i = 0; i < n; ++i) out.at(i) = number<T>(first + i);
  return out.to(D{});
}
template <class T, class D>
void check_equal(const Tensor<T, D>& x, const std::vector<T>& expected) {
  const std::vector<T> found = x.to_vector();
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == expected[i]);
  }
}

template <class T, class D>
void check_moves() {
  const auto& g = *test::world();
  const int n = g.size(), me = g.rank();
  const auto mine = counted<T, D>(2 * me, 2);
  std::vector<T> all;
  for (int64_t i = 0; i < 2 * n; ++i) all.push_back(number<T>(i));

  const auto b = mine.clone();
  g.broadcast(b, n - 1);
  check_equal(b, {number<T>(2 * n - 2), number<T>(2 * n - 1)});

  check_equal(Tensor<T, D>(g.all_gather(mine)), all);
  const auto place = empty<T>({2 * n}, D{});  // in place: this rank's part is there already
  place.narrow(0, 2 * me, 2).assign(mine);
  g.all_gather(place, place.narrow(0, 2 * me, 2));
  check_equal(place, all);

  const auto there = zeros<T>({2 * n}, D{});
  g.gather(there, mine, 1 % n);
  if (me == 1 % n) check_equal(there, all);

  const auto part = zeros<T>({2}, D{});
  g.scatter(part, counted<T, D>(me == 0 ? 10 : 0, 2 * n), 0);
  check_equal(part, {number<T>(10 + 2 * me), number<T>(11 + 2 * me)});

  const auto sent = counted<T, D>(n * me, n);
  const auto got = zeros<T>({n}, D{});
  g.all_to_all(got, sent);
  std::vector<T> from;
  for (int64_t r = 0; r < n; ++r) from.push_back(number<T>(n * r + me));
  check_equal(got, from);

  const auto left = zeros<T>({2}, D{});
  g.batch([&] {  // around the ring
    g.send(mine, (me + 1) % n);
    g.recv(left, (me + n - 1) % n);
  });
  const int64_t before = (me + n - 1) % n;
  check_equal(left, {number<T>(2 * before), number<T>(2 * before + 1)});
}

template <class T, class D>
void check_reductions() {
  const auto& g = *test::world();
  const int n = g.size(), me = g.rank();
  int64_t rank_sum = 0;
  for (int r = 0; r < n; ++r) rank_sum += r;

  auto x = counted<T, D>(me, 3);
  g.all_reduce(x);
  std::vector<T> sums;
  for (int64_t i = 0; i < 3; ++i) {
    sums.push_back(is_bool<T> ? number<T>(n > 1 || i % 2 == 1) : number<T>(rank_sum + n * i));
  }
  check_equal(x, sums);

  x = counted<T, D>(me, 3);
  g.reduce(x, n - 1);
  if (me == n - 1) check_equal(x, sums);

  const auto all = counted<T, D>(me, 2 * n);
  const auto part = zeros<T>({2}, D{});
  g.reduce_scatter(part, all);
  std::vector<T> mine;
  for (int64_t i = 2 * me; i < 2 * me + 2; ++i) {
    mine.push_back(is_bool<T> ? number<T>(n > 1 || i % 2 == 1) : number<T>(rank_sum + n * i));
  }
  check_equal(part, mine);
  g.reduce_scatter(all.narrow(0, 2 * me, 2), all);  // in place
  check_equal(all.narrow(0, 2 * me, 2), mine);

  if constexpr (!is_complex<T>) {
    x = counted<T, D>(me, 2);
    g.all_reduce(x, dist::Reduce::minimum);
    check_equal(x, {number<T>(0), is_bool<T> ? number<T>(n == 1) : number<T>(1)});
    x = counted<T, D>(me, 2);
    g.all_reduce(x, dist::Reduce::maximum);
    check_equal(x, {is_bool<T> ? number<T>(n > 1) : number<T>(n - 1),
                    is_bool<T> ? number<T>(1) : number<T>(n)});
    x = counted<T, D>(me, 2);
    g.all_reduce(x, dist::Reduce::product);
    int64_t factorial = 1;
    for (int64_t i = 1; i <= n; ++i) factorial *= i;
    check_equal(x, {number<T>(0), is_bool<T> ? number<T>(n == 1) : number<T>(factorial)});
  }
  if constexpr (is_floating<T> || is_complex<T>) {
    x = counted<T, D>(2 * me, 2);
    g.all_reduce(x, dist::Reduce::average);
    check_equal(x, {number<T>(n - 1), number<T>(n)});
  }
}
}  // namespace

TEST_CASE_TEMPLATE("elements of every type go from rank to rank", D, TEST_DEVICES) {
  [&]<class... Ts>(weft::detail::TypeList<Ts...>) {
    (check_moves<Ts, D>(), ...);
  }(weft::detail::ElementTypes{});
}

TEST_CASE_TEMPLATE("reductions", D, TEST_DEVICES) {
  [&]<class... Ts>(weft::detail::TypeList<Ts...>) {
    const auto check = [&]<class T>(T*) {
      if constexpr (is_cuda<D> &&
                    (std::is_same_v<T, std::int16_t> || std::is_same_v<T, std::uint16_t>)) {
        CHECK_SAYS("NCCL does not reduce ", test::world()->all_reduce(zeros<T>({2}, D{})));
      } else {
        check_reductions<T, D>();
      }
    };
    (check(static_cast<Ts*>(nullptr)), ...);
  }(weft::detail::ElementTypes{});
}

TEST_CASE_TEMPLATE("NaN comes through minimum and maximum", D, Cpu) {
  const auto& g = *test::world();
  const Tensor<float> x = full({1}, g.rank() == g.size() - 1 ? std::nanf("") : 1.0F);
  const Tensor<float> y = x.clone();
  g.all_reduce(x, dist::Reduce::maximum);
  g.all_reduce(y, dist::Reduce::minimum);
  CHECK(std::isnan(x.item()));
  CHECK(std::isnan(y.item()));
}

TEST_CASE_TEMPLATE("views are read and written as they lie", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const auto n = static_cast<float>(g.size());
  const Tensor<float, D> x = ones({3, 4}, D{});
  g.all_reduce(x(all, slice(0, 4, 2)));
  check_equal(x, {n, 1, n, 1, n, 1, n, 1, n, 1, n, 1});
  const Tensor<float, D> grid = zeros({2, g.size()}, D{});
  g.all_gather(grid.t(), Tensor<float, D>(full({2}, static_cast<float>(g.rank()), D{})));
  std::vector<float> rows;
  for (int k = 0; k < 2; ++k) {
    for (int r = 0; r < g.size(); ++r) rows.push_back(static_cast<float>(r));
  }
  check_equal(grid, rows);
  const Tensor<float, D> column = full({2, 2}, static_cast<float>(g.rank()), D{});
  g.broadcast(column(all, 1), 0);
  const auto me = static_cast<float>(g.rank());
  check_equal(column, {me, 0, me, 0});
}

TEST_CASE_TEMPLATE("calls run beside other work", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const auto n = static_cast<float>(g.size());
  std::vector<Tensor<float, D>> xs;
  std::vector<dist::Work> works;
  for (int i = 0; i < 5; ++i) {
    xs.push_back(full({100000}, static_cast<float>(i + 1), D{}));
    works.push_back(g.all_reduce(xs.back(), dist::async));
  }
  const Tensor<float, D> beside = ones({1000}, D{}) * 2.0F;
  const Tensor<float, D> ten = full({10}, static_cast<float>(g.rank()), D{});
  const auto view = g.all_reduce(ten.reshape({2, 5}).t(), dist::Reduce::average, dist::async);
  view.wait();
  check_equal(ten, std::vector<float>(10, (n - 1) / 2));
  for (int i = 0; i < 5; ++i) {
    works[static_cast<std::size_t>(i)].wait();
    const Tensor<float, D> sum = xs[static_cast<std::size_t>(i)] * 1.0F;
    CHECK(sum.to(Cpu{}).at(99999) == n * static_cast<float>(i + 1));
    CHECK(works[static_cast<std::size_t>(i)].is_done());
  }
  CHECK(beside.to(Cpu{}).at(0) == 2);
  { const dist::Work dropped = g.all_reduce(xs[1], dist::async); }
  CHECK(xs[1].to(Cpu{}).at(5) == n * n * 2);
}

TEST_CASE_TEMPLATE("groups within groups", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const dist::Group half = g.split(g.rank() % 2, -g.rank());  // the last rank first
  CHECK(half.size() == (g.size() + (g.rank() % 2 == 0)) / 2);
  const Tensor<float, D> x = full({2}, static_cast<float>(g.rank()), D{});
  half.all_reduce(x);
  float sum = 0;
  for (int r = g.rank() % 2; r < g.size(); r += 2) sum += static_cast<float>(r);
  check_equal(x, {sum, sum});
  const Tensor<float, D> first = full({1}, static_cast<float>(g.rank()), D{});
  half.broadcast(first, 0);
  const int last = g.size() - 1;
  CHECK(first.item() == static_cast<float>(last - (last - g.rank() % 2) % 2));
  g.barrier(D{});
}

TEST_CASE_TEMPLATE("what does not fit is said", D, TEST_DEVICES) {
  const auto& g = *test::world();
  const Tensor<float, D> x = zeros({4}, D{});
  CHECK_SAYS("[all_gather] shape (4,) for ", g.all_gather(x, x.narrow(0, 0, 3)));
  CHECK_SAYS("[broadcast] rank 99 of ", g.broadcast(x, 99));
  CHECK_SAYS("is this one, expected another", g.send(x, g.rank()));
  CHECK_SAYS("the average of int64", g.all_reduce(zeros<int64_t>({1}, D{}), dist::Reduce::average));
}

TEST_CASE("WEFT_CHECK finds calls that differ between ranks") {
  const auto& g = *test::world();
  if (g.size() == 1) return;
  weft::detail::check_flag() = true;
  const Tensor<float> x = zeros({2, 6});
  const bool odd = g.rank() == 1;
  g.all_reduce(x);
  CHECK_SAYS("differs between ranks", g.all_reduce(odd ? x.t() : x));
  CHECK_SAYS(odd ? "rank 0 calls all_reduce (sum) of float32 (2, 6)"
                 : "rank 1 calls all_reduce (sum) of float64 (2, 6)",
             odd ? g.all_reduce(zeros<double>({2, 6})) : g.all_reduce(x));
  CHECK_SAYS(odd ? "rank 0 calls all_reduce (maximum)" : "rank 1 calls broadcast with root 0",
             odd ? g.broadcast(x, 0) : g.all_reduce(x, dist::Reduce::maximum));
  g.all_reduce(x);
  weft::detail::check_flag() = false;
}
