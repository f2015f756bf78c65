#!/usr/bin/env python3
"""Writes tests/nn/data/images.safetensors: what PyTorch computes of convolutions, pooling, resampling,
padding and norms of images, forward and backward. Needs PyTorch (1.13 has made the file), no GPU.
"""
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

import make_training_vectors as training

tensors, put = training.tensors, training.put


def run(name, f, x, module=None):
    x = x.clone().requires_grad_()
    y = f(x)
    (y * y * torch.arange(1, y.numel() + 1).reshape(y.shape) / y.numel()).sum().backward()
    put(f"{name}.x", x)
    put(f"{name}.y", y)
    put(f"{name}.dx", x.grad)
    if module is not None:
        for key, p in module.named_parameters():
            put(f"{name}.grad.{key}", p.grad)


def layer(name, module, *shape):
    module = module.double()
    for p in module.parameters():
        torch.nn.init.normal_(p)
    for key, value in module.state_dict().items():
        put(f"{name}.before.{key}", value)
    x = torch.randn(shape, dtype=torch.float64)
    run(name, module, x, module)
    for key, value in module.named_buffers():
        put(f"{name}.after.{key}", value)
    if list(module.buffers()):
        module.eval()
        put(f"{name}.eval", module(x))


def layers():
    layer("conv1d", nn.Conv1d(3, 4, 3, stride=2, padding=1), 2, 3, 9)
    layer("conv2d", nn.Conv2d(4, 6, 3, stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2),
          2, 4, 7, 8)
    layer("conv2d_same", nn.Conv2d(2, 3, (3, 4), padding="same", bias=False), 2, 2, 5, 6)
    for mode in ["reflect", "replicate", "circular"]:
        layer("conv2d_" + mode, nn.Conv2d(2, 3, 3, padding=(1, 2), padding_mode=mode), 2, 2, 5, 6)
    layer("conv2d_depthwise", nn.Conv2d(3, 6, 5, stride=2, padding=2, groups=3), 2, 3, 8, 9)
    layer("conv2d_pointwise", nn.Conv2d(3, 5, 1), 2, 3, 4, 5)
    layer("conv3d", nn.Conv3d(2, 3, (2, 3, 3), stride=(1, 2, 1), padding=(0, 1, 1)), 2, 2, 4, 5, 6)
    layer("conv_transpose1d", nn.ConvTranspose1d(3, 2, 3, stride=2, output_padding=1), 2, 3, 5)
    layer("conv_transpose2d", nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1,
                                                 groups=2, dilation=2), 2, 4, 4, 5)
    layer("conv_transpose3d", nn.ConvTranspose3d(2, 3, 2, stride=2, bias=False), 2, 2, 3, 2, 3)
    layer("batch_norm2d", nn.BatchNorm2d(3), 2, 3, 4, 5)
    layer("batch_norm3d", nn.BatchNorm3d(2, momentum=None), 2, 2, 3, 2, 3)
    layer("group_norm", nn.GroupNorm(2, 6), 2, 6, 3, 4)
    layer("instance_norm1d", nn.InstanceNorm1d(3), 2, 3, 7)
    layer("instance_norm2d", nn.InstanceNorm2d(3, affine=True, track_running_stats=True),
          2, 3, 4, 5)
    layer("local_response_norm", nn.LocalResponseNorm(3, alpha=0.3), 2, 5, 3, 4)


def functions():
    def image(*shape):
        return torch.randn(shape, dtype=torch.float64)

    cases = {
        "max_pool1d": (lambda x: F.max_pool1d(x, 3, 2, 1), image(2, 3, 9)),
        "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), image(2, 3, 7, 8)),
        "max_pool2d_dilated": (lambda x: F.max_pool2d(x, 2, 1, 1, 2), image(2, 2, 6, 7)),
        "max_pool2d_ceil": (lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True), image(2, 2, 6, 8)),
        "max_pool3d": (lambda x: F.max_pool3d(x, 2), image(2, 2, 4, 5, 6)),
        "avg_pool1d": (lambda x: F.avg_pool1d(x, 4, 2, 1), image(2, 3, 9)),
        "avg_pool2d": (lambda x: F.avg_pool2d(x, 3, 2, 1), image(2, 3, 7, 8)),
        "avg_pool2d_inside": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True,
                                                     count_include_pad=False), image(2, 2, 6, 8)),
        "avg_pool2d_ceil": (lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), image(2, 2, 6, 8)),
        "avg_pool2d_divisor": (lambda x: F.avg_pool2d(x, (2, 3), divisor_override=5),
                               image(2, 2, 6, 8)),
        "avg_pool3d": (lambda x: F.avg_pool3d(x, 2, 1), image(2, 2, 3, 4, 5)),
        "adaptive_avg_pool1d": (lambda x: F.adaptive_avg_pool1d(x, 4), image(2, 3, 9)),
        "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (3, 5)), image(2, 3, 7, 3)),
        "adaptive_avg_pool3d": (lambda x: F.adaptive_avg_pool3d(x, (1, 2, 2)), image(2, 2, 3, 4, 5)),
        "adaptive_max_pool2d": (lambda x: F.adaptive_max_pool2d(x, (3, 5)), image(2, 3, 7, 9)),
        "nearest": (lambda x: F.interpolate(x, size=(9, 5)), image(2, 2, 4, 7)),
        "nearest_scale": (lambda x: F.interpolate(x, scale_factor=2.5), image(2, 2, 4, 5)),
        "linear": (lambda x: F.interpolate(x, size=11, mode="linear"), image(2, 2, 5)),
        "bilinear": (lambda x: F.interpolate(x, size=(7, 3), mode="bilinear"), image(2, 2, 4, 5)),
        "bilinear_corners": (lambda x: F.interpolate(x, size=(7, 3), mode="bilinear",
                                                     align_corners=True), image(2, 2, 4, 5)),
        "trilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="trilinear"),
                      image(1, 2, 2, 3, 4)),
        "bicubic": (lambda x: F.interpolate(x, size=(9, 3), mode="bicubic"), image(2, 2, 4, 5)),
        "bicubic_corners": (lambda x: F.interpolate(x, size=(9, 3), mode="bicubic",
                                                    align_corners=True), image(2, 2, 4, 5)),
        "pad": (lambda x: F.pad(x, (1, 2, 0, 3), value=1.5), image(2, 2, 4, 5)),
        "pad_reflect": (lambda x: F.pad(x, (1, 2, 3, 0), mode="reflect"), image(2, 2, 4, 5)),
        "pad_replicate": (lambda x: F.pad(x, (1, 2, 3, 0), mode="replicate"), image(2, 2, 4, 5)),
        "pad_circular": (lambda x: F.pad(x, (1, 2, 3, 0), mode="circular"), image(2, 2, 4, 5)),
        "unfold": (lambda x: F.unfold(x, (3, 2), (1, 2), (1, 0), (2, 1)), image(2, 2, 5, 6)),
        "fold": (lambda x: F.fold(x, (5, 6), (3, 2), (1, 2), (1, 0), (2, 1)), image(2, 12, 12)),
        "pixel_shuffle": (lambda x: F.pixel_shuffle(x, 2), image(2, 8, 2, 3)),
        "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), image(2, 2, 4, 6)),
    }
    for name, (f, x) in cases.items():
        run(name, f, x)
    powers()
    grids()
    _, indices = F.max_pool2d(tensors["max_pool2d.x"], 3, 2, 1, return_indices=True)
    put("max_pool2d.indices", indices)


def powers():
    """Lp pooling: PyTorch has one and two axes, three are its formula."""
    def pool3d(x, p, kernel, stride):
        return (F.avg_pool3d(x ** p, kernel, stride) * kernel ** 3) ** (1 / p)

    x = torch.rand(2, 2, 6, 7, dtype=torch.float64) + 0.1
    run("lp_pool1d", lambda v: F.lp_pool1d(v, 3, 3, 2), x[:, :, 0])
    run("lp_pool2d", lambda v: F.lp_pool2d(v, 2, (3, 2), 2), x - 0.5)
    run("lp_pool2d_ceil", lambda v: F.lp_pool2d(v, 1.5, 3, 2, ceil_mode=True), x)
    run("lp_pool3d", lambda v: pool3d(v, 3, 2, 1), x.reshape(1, 2, 2, 6, 7))


def grids():
    """grid_sample and affine_grid, the gradients of both operands; grids reach outside."""
    def sampled(name, x, grid, **options):
        x, grid = x.clone().requires_grad_(), grid.clone().requires_grad_()
        y = F.grid_sample(x, grid, **options)
        (y * y * torch.arange(1, y.numel() + 1).reshape(y.shape) / y.numel()).sum().backward()
        put(f"{name}.y", y)
        put(f"{name}.dx", x.grad)
        put(f"{name}.dgrid", grid.grad)

    x = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    grid = 3 * torch.rand(2, 3, 6, 2, dtype=torch.float64) - 1.5
    put("grid_sample.x", x)
    put("grid_sample.grid", grid)
    for mode in ["nearest", "bilinear", "bicubic"]:
        for padding in ["zeros", "border", "reflection"]:
            for corners in [False, True]:
                sampled(f"grid_sample.{mode}.{padding}.{int(corners)}", x, grid, mode=mode,
                        padding_mode=padding, align_corners=corners)
    x = torch.randn(1, 2, 3, 4, 5, dtype=torch.float64)
    grid = 3 * torch.rand(1, 2, 3, 4, 3, dtype=torch.float64) - 1.5
    put("grid_sample3.x", x)
    put("grid_sample3.grid", grid)
    for mode in ["nearest", "bilinear"]:
        sampled(f"grid_sample3.{mode}", x, grid, mode=mode, padding_mode="reflection",
                align_corners=False)
    theta = torch.randn(2, 2, 3, dtype=torch.float64)
    theta3 = torch.randn(1, 3, 4, dtype=torch.float64)
    for corners in [False, True]:
        run(f"affine_grid.{int(corners)}", lambda v: F.affine_grid(v, (2, 3, 4, 1), corners), theta)
        run(f"affine_grid3.{int(corners)}", lambda v: F.affine_grid(v, (1, 2, 2, 3, 4), corners),
            theta3)
    run("max_unpool2d", lambda v: F.max_unpool2d(*F.max_pool2d(v, 2, return_indices=True), 2),
        torch.randn(2, 3, 4, 6, dtype=torch.float64))
    run("max_unpool1d", lambda v: F.max_unpool1d(*F.max_pool1d(v, 3, 2, return_indices=True), 3, 2,
                                                 output_size=(8,)),
        torch.randn(2, 3, 8, dtype=torch.float64))


if __name__ == "__main__":
    torch.manual_seed(0)
    training.OUT = Path(__file__).resolve().parent.parent / "tests" / "nn" / "data" / "images.safetensors"
    layers()
    functions()
    training.save()
