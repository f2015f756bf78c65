#!/usr/bin/env python3
"""Writes tests/nn/data/training.safetensors: what PyTorch computes of losses, layers, optimizers and
schedules, for the tests in tests/nn and tests/optim. Needs PyTorch (1.13 has made the file), no GPU.
"""
import json
import struct
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

OUT = Path(__file__).resolve().parent.parent / "tests" / "nn" / "data" / "training.safetensors"
tensors = {}
TYPES = {torch.float32: "F32", torch.float64: "F64", torch.int64: "I64"}


def put(name, x):
    tensors[name] = x.detach().contiguous().clone()


def save():
    header, data = {}, b""
    order = sorted(tensors.items(), key=lambda item: (-item[1].element_size(), item[0]))
    for name, x in order:
        raw = x.numpy().tobytes()
        header[name] = {"dtype": TYPES[x.dtype], "shape": list(x.shape),
                        "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_bytes(struct.pack("<Q", len(text)) + text + data)


def losses():
    x = 2 * torch.randn(6, 5, dtype=torch.float64)
    y = torch.randn(6, 5, dtype=torch.float64)
    p, q = x.sigmoid(), y.sigmoid()
    logs, others = x.log_softmax(-1), y.softmax(-1)
    classes = torch.tensor([0, 3, -100, 4, 2, 3])
    weight = torch.rand(5, dtype=torch.float64) + 0.5
    for name, value in dict(x=x, y=y, p=p, q=q, logs=logs, others=others, classes=classes,
                            weight=weight).items():
        put("loss." + name, value)
    cases = {
        "mse": (x, lambda v, r: F.mse_loss(v, y, reduction=r)),
        "l1": (x, lambda v, r: F.l1_loss(v, y, reduction=r)),
        "smooth_l1": (x, lambda v, r: F.smooth_l1_loss(v, y, reduction=r, beta=0.7)),
        "huber": (x, lambda v, r: F.huber_loss(v, y, reduction=r, delta=0.7)),
        "bce": (p, lambda v, r: F.binary_cross_entropy(v, q, reduction=r)),
        "bce_logits": (x, lambda v, r: F.binary_cross_entropy_with_logits(v, q, reduction=r)),
        "bce_weighted": (x, lambda v, r: F.binary_cross_entropy_with_logits(
            v, q, reduction=r, pos_weight=weight)),
        "kl": (logs, lambda v, r: F.kl_div(v, others, reduction=r)),
        "kl_log": (logs, lambda v, r: F.kl_div(v, others.log(), reduction=r, log_target=True)),
        "nll": (logs, lambda v, r: F.nll_loss(v, classes, weight=weight, reduction=r)),
        "ce": (x, lambda v, r: F.cross_entropy(v, classes, reduction=r)),
        "ce_weighted": (x, lambda v, r: F.cross_entropy(v, classes, weight=weight, reduction=r)),
        "ce_smooth": (x, lambda v, r: F.cross_entropy(v, classes, weight=weight, reduction=r,
                                                      label_smoothing=0.1)),
    }
    for name, (start, f) in cases.items():
        for reduction in ["mean", "sum", "none"]:
            v = start.clone().requires_grad_()
            value = f(v, reduction)
            (value * value).sum().backward()
            put(f"loss.{name}.{reduction}", value)
            put(f"loss.{name}.{reduction}.grad", v.grad)


def layers():
    def run(name, module, *inputs):
        for key, value in module.state_dict().items():
            put(f"layer.{name}.before.{key}", value)
        x = inputs[0].clone()
        if x.is_floating_point():
            x.requires_grad_()
        y = module(x)
        (y * y * torch.arange(1, y.numel() + 1).reshape(y.shape)).sum().backward()
        put(f"layer.{name}.x", x)
        put(f"layer.{name}.y", y)
        if x.is_floating_point():
            put(f"layer.{name}.dx", x.grad)
        for key, value in module.named_parameters():
            put(f"layer.{name}.grad.{key}", value.grad)
        for key, value in module.named_buffers():
            put(f"layer.{name}.after.{key}", value)
        module.eval()
        if name.startswith("batch"):
            put(f"layer.{name}.eval", module(inputs[0]))

    def shaken(module):
        for p in module.parameters():
            p.data += 0.3 * torch.randn_like(p)
        return module.double()

    run("linear", shaken(nn.Linear(5, 3)), torch.randn(4, 5).double())
    run("embedding", shaken(nn.Embedding(6, 3, padding_idx=2)), torch.tensor([[0, 2], [5, 0]]))
    run("layer_norm", shaken(nn.LayerNorm([2, 3])), torch.randn(4, 2, 3).double())
    run("batch_norm", shaken(nn.BatchNorm1d(3)), torch.randn(5, 3).double())
    run("batch_norm_long", shaken(nn.BatchNorm1d(3, momentum=None)), torch.randn(4, 3, 2).double())


def training():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    x = torch.randn(5, 16, 8)
    classes = torch.randint(0, 4, (5, 16))
    put("train.x", x)
    put("train.classes", classes)
    start = {key: value.clone() for key, value in model.state_dict().items()}
    for key, value in start.items():
        put("train.model." + key, value)
    optim = torch.optim
    cases = {
        "sgd": lambda p: optim.SGD(p, lr=0.1),
        "momentum": lambda p: optim.SGD(p, lr=0.1, momentum=0.9, dampening=0.2, weight_decay=0.01),
        "nesterov": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True),
        "adam": lambda p: optim.Adam(p, lr=0.01, weight_decay=0.01),
        "adamw": lambda p: optim.AdamW(p, lr=0.01, weight_decay=0.1),
        "rmsprop": lambda p: optim.RMSprop(p, lr=0.002),
        "centered": lambda p: optim.RMSprop(p, lr=0.002, centered=True, momentum=0.5,
                                            weight_decay=0.01),
        "adagrad": lambda p: optim.Adagrad(p, lr=0.05, lr_decay=0.01, weight_decay=0.01),
        "clipped": lambda p: optim.SGD(p, lr=0.5),
    }
    for name, make in cases.items():
        model.load_state_dict(start)
        optimizer = make(model.parameters())
        history = []
        for step in range(50):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[step % 5]), classes[step % 5])
            loss.backward()
            if name == "clipped":
                nn.utils.clip_grad_norm_(model.parameters(), 0.3)
            optimizer.step()
            history.append(loss.item())
        put(f"train.{name}.losses", torch.tensor(history, dtype=torch.float64))
        for key, value in model.state_dict().items():
            put(f"train.{name}.{key}", value)


def schedules():
    s = torch.optim.lr_scheduler
    cases = {
        "step": lambda o: s.StepLR(o, 3, 0.5),
        "cosine": lambda o: s.CosineAnnealingLR(o, 10, 0.01),
        "one_cycle": lambda o: s.OneCycleLR(o, 0.5, total_steps=20, cycle_momentum=False),
        "linear": lambda o: s.SequentialLR(o, [s.LinearLR(o, 0.25, 1, 4),
                                               s.CosineAnnealingLR(o, 10)], [4]),
    }
    for name, make in cases.items():
        optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        schedule, rates = make(optimizer), []
        for _ in range(19):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        put("rate." + name, torch.tensor(rates, dtype=torch.float64))
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
    schedule = s.ReduceLROnPlateau(optimizer, factor=0.5, patience=2, cooldown=1)
    measures, rates = [5, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 2.9999, 2.9999, 3, 3, 3, 1], []
    for measure in measures:
        schedule.step(measure)
        rates.append(optimizer.param_groups[0]["lr"])
    put("rate.measures", torch.tensor(measures, dtype=torch.float64))
    put("rate.plateau", torch.tensor(rates, dtype=torch.float64))


if __name__ == "__main__":
    torch.manual_seed(1)
    losses()
    layers()
    training()
    schedules()
    save()
