// Writes a run of each kind of data into the folder given, for check.py to read with TensorBoard.
// SPDX-License-Identifier: Apache-2.0
#include <weft/track.hpp>

using namespace weft;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  track::EventWriter writer(argv[1]);
  for (int step = 0; step < 10; ++step) writer.add_scalar("loss", 1.0 / (1 + step), step);
  writer.add_scalar("negative", -1, -1);
  const Tensor x = arange<float>(100).reshape({4, 25});
  writer.add_histogram("weights", x - 50.0F, 3, 10);
  const Tensor picture =
      arange<std::uint8_t>(2 * 3 * 3).reshape({3, 2, 3});  // (channel, row, column)
  writer.add_image("picture", picture, 4);
  writer.add_image("grey", tensor({{0.0F, 0.5F, 1.0F}}), 4);
  writer.add_text("notes", "**bold** \xc3\xa9", 5);
  writer.add_hparams({{"lr", 0.001}, {"layers", 3}, {"optimizer", "adamw"}, {"fused", true}},
                     {{"accuracy", 0.97}}, 10);
}
