// Linear algebra: a least squares fit, principal directions, batches of matrices, a gradient.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/autograd.hpp>
#include <weft/io.hpp>
#include <weft/linalg.hpp>

using namespace weft;

template <class D>
int run(D device) {
  manual_seed(1);
  bool right = true;

  // A parabola through noisy points: the coefficients that minimise |A c - y|^2.
  const Tensor<double, D> t = linspace<double>(-1, 1, 200, device);
  const Tensor<double, D> y = 2.0 - 3.0 * t + 0.5 * t * t + 0.01 * randn<double>({200}, device);
  const auto fit = lstsq(vander(t, 3), y);  // (200, 3) and (200,)
  std::cout << "coefficients " << fit.solution.to(Cpu{}) << ", rank " << fit.rank.item() << "\n";
  right &=
      example::check("the fit finds them",
                     allclose(fit.solution, tensor<double>({2, -3, 0.5}, device), {.atol = 0.02}));

  // Principal components: the directions in which the images of digits differ most.
  const auto images = load_npy<std::uint8_t>("examples/data/digits_images.npy").to(device);
  const Tensor<float, D> pixels = cast<float>(images.reshape({-1, 64}));  // (image, pixel)
  const Tensor<float, D> centred = pixels - mean(pixels, axis(0));
  const auto [u, s, vh] = svd(centred);  // (image, 64), (64,), (64, pixel)
  const Tensor<float, D> share = cumsum(square(s) / sum(square(s)), axis(0));
  const Tensor<float, D> ten = matmul(centred, vh(slice(0, 10)).t());  // (image, 10)
  std::cout << "10 of 64 directions hold " << 100 * share(9).item() << " % of the variance\n";
  right &= example::check("its numbers are those of the singular values",
                          allclose(norm(ten, axis(0)), s(slice(0, 10)), {.rtol = 1e-3}));

  // 10,000 rotations at once, each inverted by one thread: the inverse is the transpose.
  const Tensor<float, D> random = randn({10000, 3, 3}, device);
  const Tensor<float, D> turns = qr(random).q;
  right &= example::check("inverses of 10,000 rotations",
                          allclose(inv(turns), turns.transpose(1, 2), {.atol = 1e-5}));
  right &= example::check("whose determinants are 1 or -1",
                          allclose(abs(det(turns)), 1, {.atol = 1e-5}));

  // Three springs in a row pulled by one newton: how stiff are they, if they give by 1, 2 and 4 mm?
  // The gradient goes through the solution of the equations.
  const auto goal = tensor<double>({1, 2, 4}, device);
  const auto force = tensor<double>({0, 0, 1}, device);
  const auto joints = tensor<double>({{1, 0, 0}, {-1, 1, 0}, {0, -1, 1}}, device);
  Var stiffness = parameter(ones<double>({3}, device));
  for (int step = 0; step < 2000; ++step) {
    const Var matrix = matmul(joints.t() * exp(stiffness), joints);  // (3, 3)
    const Var error = sum(square(solve(matrix, force) - goal));
    stiffness.zero_grad();
    error.backward();
    const NoGrad guard;
    stiffness -= 0.02 * stiffness.grad();
  }
  const Tensor<double, D> found = exp(stiffness.detach());
  std::cout << "stiffness in N/mm " << found.to(Cpu{}) << "\n";
  right &= example::check("each carries the whole force: 1, 1 and 0.5 N/mm",
                          allclose(found, tensor<double>({1, 1, 0.5}, device), {.atol = 1e-3}));

  // An equation without a solution throws, and says which one it is.
  try {
    const auto flat = tensor({{1, 2}, {2, 4}}, device);
    std::cout << inv(cast<float>(flat).eval()).to(Cpu{}) << "\n";
  } catch (const Error& error) {
    std::cout << error.what() << "\n";
    right &= example::check("a singular matrix is an error", true);
    return right ? 0 : 1;
  }
  return 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
