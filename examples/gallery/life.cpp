// Conway's Game of Life on a torus: a glider comes back to where it was.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

/// The board moved by (rows, columns), around the edges.
Tensor<int> rolled(const Tensor<int>& x, int rows, int columns) {
  auto turn = [](const Tensor<int>& y, int by, int along) {
    const auto n = y.size(along);
    return take(y, (arange(n) + n - by) % n, axis(along)).eval();
  };
  return turn(turn(x, rows, 0), columns, 1);
}

int main() {
  Tensor board = zeros<int>(8, 8);
  board(slice(0, 3), slice(0, 3)) = tensor({{0, 1, 0}, {0, 0, 1}, {1, 1, 1}});
  const Tensor start = board.clone();

  for (int step = 0; step < 32; ++step) {
    Tensor neighbours = zeros<int>(8, 8);
    for (int i = -1; i <= 1; ++i) {
      for (int j = -1; j <= 1; ++j) {
        if (i != 0 || j != 0) neighbours += rolled(board, i, j);
      }
    }
    board = cast<int>(neighbours == 3 || (board == 1 && neighbours == 2));
    if (step == 3) std::cout << "after 4 steps:\n" << board << "\n";
  }
  // A glider moves by one cell in four steps.
  return equal(board, start) && sum(board) == 5 ? 0 : 1;
}
