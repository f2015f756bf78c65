#!/usr/bin/env python3
"""Writes, of torchvision's models, the names and shapes of their state (tests/nn/models/names.txt) and,
for thin variants, weights, an input and its logits (tests/nn/data/models.safetensors). Needs PyTorch
and torchvision (2.15 and 0.29 have made the files), no GPU.
"""
from pathlib import Path

import torch
import torchvision.models as models
from torchvision.models import resnet, vgg

import make_training_vectors as training

TESTS = Path(__file__).resolve().parent.parent / "tests" / "nn"
put = training.put


def names():
    lines = []
    for name in ["resnet18", "resnet34", "resnet50", "vgg11", "mobilenet_v3_small",
                 "mobilenet_v3_large"]:
        for key, value in getattr(models, name)().state_dict().items():
            lines.append(" ".join([name, key, *map(str, value.shape)]))
    (TESTS / "models").mkdir(exist_ok=True)
    (TESTS / "models" / "names.txt").write_text("\n".join(lines) + "\n")


class Thin(resnet.ResNet):
    """torchvision's ResNet with 4 channels where it has 64."""
    def __init__(self, block, layers):
        super().__init__(block, layers, num_classes=5)
        self.inplanes = 4
        self.conv1 = torch.nn.Conv2d(3, 4, 7, 2, 3, bias=False)
        self.bn1 = torch.nn.BatchNorm2d(4)
        self.layer1 = self._make_layer(block, 4, layers[0])
        self.layer2 = self._make_layer(block, 8, layers[1], stride=2)
        self.layer3 = self._make_layer(block, 16, layers[2], stride=2)
        self.layer4 = self._make_layer(block, 32, layers[3], stride=2)
        self.fc = torch.nn.Linear(32 * block.expansion, 5)


def logits(name, net, size, input_name=None):
    for module in net.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            torch.nn.init.uniform_(module.weight, 0.5, 1.5)
            torch.nn.init.normal_(module.bias, std=0.2)
            torch.nn.init.normal_(module.running_mean, std=0.2)
            torch.nn.init.uniform_(module.running_var, 0.5, 1.5)
    x = torch.randn(2, 3, size, size)
    net.eval()
    put(name + ".x", x)
    put(name + ".y", net(x))
    for key, value in net.state_dict().items():
        put(f"{name}.state.{key}", value)


def thin_vgg():
    """torchvision's VGG-11 with 2 channels where it has 64."""
    sizes = [2, "M", 4, "M", 8, 8, "M", 16, 16, "M", 16, 16, "M"]
    net = vgg.VGG(vgg.make_layers(sizes), num_classes=5)
    hidden = [torch.nn.Linear(16 * 49, 8), torch.nn.Linear(8, 8), torch.nn.Linear(8, 5)]
    for place, layer in zip([0, 3, 6], hidden):
        net.classifier[place] = layer
    return net


def thin():
    logits("resnet18", Thin(resnet.BasicBlock, [1, 1, 1, 1]), 32)
    logits("resnet50", Thin(resnet.Bottleneck, [1, 1, 1, 1]), 32)
    logits("mobilenet_v3_small", models.mobilenet_v3_small(num_classes=5, width_mult=0.1), 40)
    logits("resnet34", Thin(resnet.BasicBlock, [1, 2, 1, 2]), 32)
    logits("mobilenet_v3_large", models.mobilenet_v3_large(num_classes=5, width_mult=0.1), 40)
    logits("vgg11", thin_vgg(), 40)


if __name__ == "__main__":
    torch.manual_seed(0)
    names()
    thin()
    training.OUT = TESTS / "data" / "models.safetensors"
    training.save()
