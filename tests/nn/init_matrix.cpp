#include "weft/nn/init_matrix.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("eye and dirac pass on what comes in", D, TEST_DEVICES) {
  const Var x = parameter(ones({3, 5}, D{}));
  nn::init::eye(x);
  CHECK(equal(x.detach().to(Cpu{}),
              tensor<float>({{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}})));
  const Var w = parameter(ones({4, 2, 3, 3}, D{}));
  nn::init::dirac(w, 2);
  CHECK(sum(w.detach()).item() == 4);
  const auto at = w.detach().to(Cpu{});
  for (int64_t i = 0; i < 4; ++i) CHECK(at.at(i, i % 2, 1, 1) == 1);
  CHECK_SAYS("[eye] a weight of shape (4, 2, 3, 3)", nn::init::eye(w));
  CHECK_SAYS("[dirac] a weight of shape (3, 5) in 1 groups", nn::init::dirac(x));
  CHECK_SAYS("in 3 groups", nn::init::dirac(w, 3));
}

TEST_CASE_TEMPLATE("orthogonal rows or columns, uniform", D, TEST_DEVICES) {
  manual_seed(5);
  for (const Shape& shape :
       {Shape{4, 7}, Shape{7, 4}, Shape{5, 5}, Shape{3, 2, 2, 2}, Shape{1, 3}}) {
    CAPTURE(shape);
    const Var x = parameter(zeros<double>(shape, D{}));
    nn::init::orthogonal(x, 2);
    const Tensor<double> a = x.detach().to(Cpu{}).reshape({shape[0], -1});
    const Tensor<double> product =
        a.size(0) <= a.size(1) ? matmul(a, a.t()).eval() : matmul(a.t(), a).eval();
    CHECK(allclose(product, 4.0 * weft::eye<double>(product.size(0)), {1e-12, 1e-12}));
  }
  // Of uniform rotations each element has mean 0 and mean square 1 / n.
  double sum_of = 0, square_of = 0;
  for (int i = 0; i < 400; ++i) {
    const Var x = parameter(zeros<double>({3, 3}, D{}));
    nn::init::orthogonal(x);
    const double first = x.detach().to(Cpu{}).at(0, 0);
    sum_of += first / 400;
    square_of += first * first / 400;
  }
  CHECK(std::abs(sum_of) < 0.1);
  CHECK(square_of == doctest::Approx(1.0 / 3).epsilon(0.15));
  CHECK_SAYS("[orthogonal] a weight of shape (3,)",
             nn::init::orthogonal(parameter(zeros<double>({3}, D{}))));
}

TEST_CASE_TEMPLATE("sparse has as many zeros in each column", D, TEST_DEVICES) {
  manual_seed(5);
  const Var x = parameter(ones({10, 50}, D{}));
  nn::init::sparse(x, 0.25, 2);
  const Tensor<int64_t, D> zero = count_nonzero(x.detach() == 0.0F, axis(0));
  CHECK(all(zero == int64_t{3}).item());
  CHECK(weft::std(x.detach()).item() == doctest::Approx(2 * std::sqrt(0.7)).epsilon(0.2));
  CHECK_SAYS("[sparse] sparsity 2", nn::init::sparse(x, 2));
  CHECK_SAYS("[sparse] a weight of shape (3,)", nn::init::sparse(parameter(ones({3}, D{})), 0.5));
}
