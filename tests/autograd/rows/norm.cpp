#include "weft/autograd/rows/norm.hpp"

#include "gradients.hpp"
#include "weft/autograd/rows/compose.hpp"

using namespace weft;

namespace {

/// The gradients of a norm by their formulas, in double.
struct Wanted {
  std::vector<double> x, weight, bias;
};

template <class Xs>
Wanted gradients(const Xs& x, const Xs& weight, const Xs& g, int64_t columns, bool centred,
                 double epsilon) {
  const auto n = static_cast<std::size_t>(columns);
  const std::size_t rows = x.size() / n;
  Wanted out{std::vector<double>(x.size()), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t r = 0; r < rows; ++r) {
    const auto at = [&](const Xs& v, std::size_t c) { return static_cast<double>(v[r * n + c]); };
    double mean = 0;
    double square = 0;
    for (std::size_t c = 0; c < n; ++c) mean += at(x, c) / static_cast<double>(n);
    if (!centred) mean = 0;
    for (std::size_t c = 0; c < n; ++c) {
      square += (at(x, c) - mean) * (at(x, c) - mean) / static_cast<double>(n);
    }
    const double scale = 1 / std::sqrt(square + epsilon);
    double along = 0;
    double level = 0;
    for (std::size_t c = 0; c < n; ++c) {
      const double h = (at(x, c) - mean) * scale;
      const double k = at(g, c) * static_cast<double>(weight[c]);
      along += k * h / static_cast<double>(n);
      level += k / static_cast<double>(n);
      out.weight[c] += at(g, c) * h;
      out.bias[c] += at(g, c);
    }
    for (std::size_t c = 0; c < n; ++c) {
      const double h = (at(x, c) - mean) * scale;
      const double k = at(g, c) * static_cast<double>(weight[c]);
      out.x[r * n + c] = scale * (k - (centred ? level : 0) - h * along);
    }
  }
  return out;
}

template <class Found>
double worst(const Found& found, const std::vector<double>& wanted, double times) {
  REQUIRE(found.size() == wanted.size());
  double most = 0;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double w = wanted[i] * times;
    const double off = std::abs(static_cast<double>(found[i]) - w) / std::max(1.0, std::abs(w));
    most = off <= 1e30 ? std::max(most, off) : 1e30;
  }
  return most;
}

template <class T, class D>
Tensor<T, D> values(const Shape& shape, double phase) {
  return cast<T>(sin(cast<float>(arange<int64_t>(shape.size(), D{})) * 1.7F + phase) + 0.25F)
      .eval()
      .reshape(shape);
}

template <class T, class D>
void compare(const Shape& shape, double tolerance) {
  CAPTURE(shape);
  const int64_t columns = shape[shape.rank() - 1];
  const Var x = parameter(values<T, D>(shape, 0));
  const Var w = parameter(values<T, D>({columns}, 1));
  const Var b = parameter(values<T, D>({columns}, 2));
  const Tensor<T, D> g = values<T, D>(shape, 3);
  const auto xs = x.detach().to_vector();
  const auto ws = w.detach().to_vector();
  const auto gs = g.to_vector();
  for (const bool centred : {true, false}) {
    CAPTURE(centred);
    const Wanted wanted = gradients(xs, ws, gs, columns, centred, 1e-5);
    x.zero_grad();
    w.zero_grad();
    b.zero_grad();
    for (const int times : {1, 2}) {  // the second pass adds to the first one's
      const Var y = centred ? Var(layer_norm(x, w, b, 1e-5)) : Var(rms_norm(x, w, 1e-5));
      y.backward(g);
      CHECK(worst(x.grad().to_vector(), wanted.x, times) <= tolerance);
      CHECK(worst(w.grad().to_vector(), wanted.weight, times) <= tolerance);
      if (centred) CHECK(worst(b.grad().to_vector(), wanted.bias, times) <= tolerance);
    }
  }
}

/// The greatest difference of two tensors' elements, beside 1 and the second one's.
template <class T, class D>
double apart(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  const auto wanted = b.to_vector();
  std::vector<double> values;
  for (std::size_t i = 0; i < wanted.size(); ++i) values.push_back(static_cast<double>(wanted[i]));
  return worst(a.to_vector(), values, 1);
}

/// Compares the gradients of a norm of f(x, r) with a norm of its value, whose gradient is passed
/// on.
template <class T, class D, bool Centred, class F>
void compare_of(const Shape& shape, const Shape& other, double tolerance, const F& f) {
  CAPTURE(shape);
  CAPTURE(other);
  const int64_t columns = shape[shape.rank() - 1];
  const Var x = parameter(values<T, D>(shape, 0));
  const Var r = parameter(values<T, D>(other, 4));
  const Var w = parameter(values<T, D>({columns}, 1));
  const Var b = parameter(values<T, D>({columns}, 2));
  const Tensor<T, D> g = values<T, D>(shape, 3);
  const auto norm = [&](const auto& h) {
    if constexpr (Centred) {
      return Var(layer_norm(h, w, b));
    } else {
      return Var(rms_norm(h, w));
    }
  };
  Tensor<T, D> found[4];
  for (const bool stored : {false, true}) {
    for (const auto& v : {x, r, w, b}) v.zero_grad();
    for (int times = 0; times < 2; ++times) {  // the second pass adds to the first one's
      const Var y = stored ? norm(Var(f(x, r))) : norm(f(x, r));
      y.backward(g);
    }
    int i = 0;
    for (const auto& v : {x, r, w, b}) {
      const Tensor<T, D> grad = v.has_grad() ? v.grad() : Tensor<T, D>(zeros<T>(v.shape(), D{}));
      if (stored) CHECK(apart(found[i], grad) <= tolerance);
      found[i++] = grad.clone();
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE("[sanitize] norms of what is computed from Vars", D, TEST_DEVICES) {
  const auto sum = [](const auto& x, const auto& r) { return x + r; };
  const auto product = [](const auto& x, const auto& r) { return x * r; };
  const auto twice = [](const auto& x, const auto& r) { return x * r + square(x); };
  const auto logarithm = [](const auto& x, const auto&) { return log(abs(x)); };  // none of 0
  for (const int64_t columns : {1, 7, 17, 33, 34, 64, 130, 481, 1536}) {
    compare_of<float, D, true>({2, 19, columns}, {2, 19, columns}, 2e-4, twice);
    compare_of<float, D, false>({301, columns}, {1}, 1e-3, logarithm);
    compare_of<double, D, true>({19, columns}, {columns}, 1e-10, product);
    compare_of<double, D, true>({19, columns}, {19, 1}, 1e-10, product);
    compare_of<double, D, true>({2, 3, columns}, {3, 1}, 1e-10, product);
    compare_of<double, D, true>({5, columns}, {1}, 1e-10, product);
    compare_of<bfloat16, D, true>({37, columns}, {37, columns}, 0.1, sum);
  }
  compare_of<double, D, true>({70, 16384}, {70, 1}, 1e-10, product);
}

TEST_CASE_TEMPLATE("a norm of what is made of its own weight, of numbers, and of one of two Vars",
                   D, TEST_DEVICES) {
  const Var x = parameter(values<double, D>({6, 9}, 0));
  const Var w = parameter(values<double, D>({9}, 1));
  const Var b = parameter(values<double, D>({9}, 2));
  CHECK(
      gradcheck([](const auto& u, const auto& v, const auto& c) { return layer_norm(u * v, v, c); },
                x, w, b));
  const Tensor<double, D> fixed = values<double, D>({6, 9}, 5);
  CHECK(gradcheck([&](const auto& u, const auto& v,
                      const auto& c) { return layer_norm(fixed * u - 2.0, v, c); },
                  x, w, b));
  const Var still{fixed};
  CHECK(gradcheck(
      [&](const auto& u, const auto& v, const auto& c) { return layer_norm(still * u, v, c); }, x,
      w, b));
}

TEST_CASE_TEMPLATE("[sanitize] the gradients of norms, whatever the rows' length", D,
                   TEST_DEVICES) {
  for (const int64_t columns : {1, 4, 6, 20, 64, 132, 512, 516, 1000}) {
    compare<float, D>({5, columns}, 1e-4);
    compare<double, D>({3, 3, columns}, 1e-11);
  }
  compare<float, D>({1, 8}, 2e-5);
  compare<float, D>({301, 12}, 1e-4);
  compare<float, D>({3, 8192}, 1e-4);
  compare<float, D>({2, 8196}, 1e-4);
  compare<float, D>({301, 16384}, 2e-4);
  compare<float, D>({5, 50257}, 2e-4);
  compare<bfloat16, D>({3, 65536}, 0.1);
  compare<double, D>({2, 4096}, 1e-11);
  compare<double, D>({2, 4098}, 1e-11);
  compare<float, D>({301, 127}, 1e-4);
  compare<float, D>({40, 257}, 1e-4);
  compare<float, D>({3, 4099}, 1e-4);
  compare<bfloat16, D>({7, 64}, 0.05);
  compare<bfloat16, D>({2050, 17}, 0.05);
  compare<weft::half, D>({9, 776}, 0.02);
}

TEST_CASE_TEMPLATE("a norm whose weight is its bias, and of what has no gradient", D,
                   TEST_DEVICES) {
  const Tensor<double, D> x0 = values<double, D>({4, 8}, 0);
  const Var x = parameter(x0);
  const Var w = parameter(values<double, D>({8}, 1));
  CHECK(gradcheck([](const auto& u, const auto& v) { return layer_norm(u, v, v); }, x, w));
  const Var b = parameter(values<double, D>({8}, 2));
  CHECK(gradcheck([&](const auto& u, const auto& v) { return layer_norm(x0, u, v); }, w, b));
  const auto transposed = [](const auto& u, const auto&... v) { return layer_norm(u.t(), v...); };
  const Var narrow = parameter(values<double, D>({4}, 2));
  CHECK(gradcheck(transposed, x, narrow, narrow));
  CHECK(gradcheck([](const auto& u, const auto&... v) { return layer_norm(u * 2.0, v...); }, x, w,
                  b));
}
