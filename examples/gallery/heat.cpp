// A stencil: heat spreads in a plate whose left edge is hot, until nothing changes.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

int main() {
  const int n = 24;
  Tensor u = zeros(n, n);
  u(all, 0) = ones(n);
  auto inside = u(slice(1, -1), slice(1, -1));

  float change = 1;
  int steps = 0;
  while (change > 1e-5) {
    Tensor next = 0.25 * (u(slice(0, -2), slice(1, -1)) + u(slice(2, none), slice(1, -1)) +
                          u(slice(1, -1), slice(0, -2)) + u(slice(1, -1), slice(2, none)));
    change = max(abs(next - inside));
    inside.assign(next);
    ++steps;
  }

  std::cout << "after " << steps << " steps, middle row: " << u(n / 2) << "\n";
  // Near the middle of the hot edge it is almost hot, by symmetry the same above and below.
  bool symmetric = allclose(u, u.flip(0), {.atol = 1e-3});
  return symmetric && u.at(n / 2, 1) > 0.9F && u.at(n / 2, n - 2) < 0.02F ? 0 : 1;
}
