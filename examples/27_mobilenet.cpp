// Depthwise convolutions: MobileNetV3-small learns CIFAR-10 or Fashion-MNIST, else the digits.
// SPDX-License-Identifier: Apache-2.0
#include "pictures.hpp"

#include <weft/nn/models/mobilenet.hpp>

using namespace weft;

int main(int argc, char** argv) {
  const std::string folder = example::path_of(argc, argv, "");
  return example::main(argc, argv, [&](auto device) {
    manual_seed(1);
    const example::Pictures pictures = example::read_pictures(folder);
    auto net = nn::models::mobilenet_v3_small({.classes = 10,
                                               .channels = pictures.channels(),
                                               .width = pictures.real ? 1 : 0.25,
                                               .first_stride = 1,
                                               .momentum = pictures.real ? 0.01 : 0.1},
                                              device);
    std::cout << "MobileNetV3-small, " << nn::count(net) << " parameters\n";
    const example::Plan plan =
        pictures.real ? example::Plan{12, 4e-3, 0.91} : example::Plan{20, 1e-2, 0.9};
    return example::learn("mobilenet", std::move(net), pictures, plan, device);
  });
}
