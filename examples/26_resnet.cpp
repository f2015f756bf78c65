// Residual networks: ResNet-18 learns CIFAR-10 or Fashion-MNIST from a folder, else the digits.
// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <weft/nn/models/resnet.hpp>

using namespace weft;

int main(int argc, char** argv) {
  const std::string folder = example::path_of(argc, argv, "");
  return example::main(argc, argv, [&](auto device) {
    manual_seed(1);
    const example::Pictures pictures = example::read_pictures(folder);
    // On a CPU, with a quarter of the channels, which takes a sixteenth of the time.
    const int64_t width = !pictures.real ? 4 : is_cuda<decltype(device)> ? 64 : 16;
    auto net = nn::models::resnet18(
        {.classes = 10, .channels = pictures.channels(), .width = width, .small_images = true},
        device);
    std::cout << "ResNet-18, " << nn::count(net) << " parameters\n";
    const example::Plan plan =
        pictures.real ? example::Plan{8, 2e-3, 0.91} : example::Plan{15, 1e-2, 0.94};
    return example::learn("resnet", std::move(net), pictures, plan, device);
  });
}
