// Views and slices: Conway's Game of Life, where a generation is one statement over shifted views.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

using namespace weft;

template <class Device>
using Board = Tensor<std::uint8_t, Device>;

/// One generation, in place; the cells at the border stay dead.
template <class Device>
void step(Board<Device>& board) {
  const auto rows = board.size(0);
  const auto columns = board.size(1);
  // The board without its border, moved by (down, right): a view, no element is copied.
  const auto moved = [&](int down, int right) {
    return board(slice(1 + down, rows - 1 + down), slice(1 + right, columns - 1 + right));
  };
  auto cells = moved(0, 0);
  auto neighbours = moved(-1, -1) + moved(-1, 0) + moved(-1, 1) + moved(0, -1) + moved(0, 1) +
                    moved(1, -1) + moved(1, 0) + moved(1, 1);

  // The views read the board that is being written. weft notices and uses a temporary.
  moved(0, 0) = cast<std::uint8_t>(neighbours == 3 || (neighbours == 2 && cells == 1));
}

template <class Device>
void show(const char* title, const Board<Device>& board) {
  const auto cells = board.to(Cpu{});
  std::cout << title << "\n";
  for (int i = 0; i < cells.size(0); ++i) {
    for (int j = 0; j < cells.size(1); ++j) std::cout << (cells.at(i, j) != 0 ? " #" : " .");
    std::cout << "\n";
  }
}

template <class Device>
int run(Device device) {
  auto board = zeros<std::uint8_t>({10, 20}, device);
  auto glider = tensor<std::uint8_t>({{0, 1, 0}, {0, 0, 1}, {1, 1, 1}}, device);

  // Assigning to a slice writes into the tensor that it is a view of.
  board(slice(1, 4), slice(1, 4)) = glider;
  board(slice(1, 4), slice(-4, -1)) = glider.flip(1);  // its mirror image
  show("generation 0", board);
  for (int generation = 0; generation < 16; ++generation) step(board);
  show("generation 16", board);

  // A glider moves one cell down and across in four generations, so here four cells.
  bool right = example::check("the glider has moved by four cells",
                              equal(board(slice(5, 8), slice(5, 8)), glider));
  right &= example::check("so has its mirror image",
                          equal(board(slice(5, 8), slice(12, 15)), glider.flip(1)));

  // Transposing, flipping and reshaping only change how the same elements are walked.
  auto turned = board.t().flip(0);  // (20, 10), a quarter turn to the left
  right &= example::check("a view shares the elements: it sees what is written later", [&] {
    board(1, 19) = 1;
    return turned(0, 1).item() == 1 && turned.storage() == board.storage();
  }());
  auto copy = board.clone();
  board.fill(0);
  right &= example::check("a clone has its own", copy(1, 19).item() == 1);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}
