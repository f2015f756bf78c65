// Tensors to files and back: NumPy's .npy, and safetensors with several of them.
// SPDX-License-Identifier: Apache-2.0
#include <weft/io.hpp>
#include <weft/weft.hpp>

#include <filesystem>
#include <iostream>

using namespace weft;

int main() {
  const auto folder = std::filesystem::temp_directory_path() / "weft_gallery_files";
  std::filesystem::create_directories(folder);
  Tensor x = rand(3, 4);

  save_npy(folder / "x.npy", x * 2);
  auto y = load_npy<float>(folder / "x.npy");

  save_safetensors(folder / "model.safetensors",
                   {{"weight", x}, {"small", cast<bfloat16>(x)}, {"steps", arange(10)}});
  auto state = load_safetensors(folder / "model.safetensors");
  for (const auto& [name, tensor] : state) {
    std::cout << name << ": " << tensor.dtype() << " " << tensor.shape() << "\n";
  }
  auto weight = state["weight"].get<float>();
  auto small = state["small"].get<bfloat16>();

  std::filesystem::remove_all(folder);
  return equal(y, x * 2) && equal(weight, x) && allclose(cast<float>(small), x, {.rtol = 0.01}) ? 0
                                                                                                : 1;
}
