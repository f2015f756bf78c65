#!/usr/bin/env python3
"""Writes tests/nn/data/breadth.safetensors: what PyTorch computes of further losses, CTC, Bilinear, optimizers
and schedules, for the tests in tests/nn and tests/optim. Needs PyTorch (1.13 has made the file), no GPU.
"""
import sys

import torch
from torch import nn
from torch.nn import functional as F

import make_training_vectors as base
from make_training_vectors import put

base.OUT = base.OUT.with_name("breadth.safetensors")
double = torch.float64


def with_gradients(name, f, *inputs):
    """The value f(*inputs, reduction) and the gradients of the sum of its squares, per reduction."""
    for reduction in ["mean", "none"]:
        leaves = [x.clone().requires_grad_() for x in inputs]
        value = f(*leaves, reduction)
        (value * value).sum().backward()
        put(f"{name}.{reduction}", value)
        for i, leaf in enumerate(leaves):
            put(f"{name}.{reduction}.grad{i}", leaf.grad)


def losses():
    x, z = 2 * torch.randn(5, 4, dtype=double), torch.randn(5, 4, dtype=double)
    n = torch.randn(5, 4, dtype=double)
    signs = torch.where(torch.rand(5, 4) < 0.5, -1.0, 1.0).double()
    row_signs = torch.tensor([1, -1, -1, 1, -1], dtype=double)
    counts = torch.tensor([[0, 1, 2, 5], [3, 0, 0, 1], [7, 2, 1, 0], [4, 4, 1, 1], [0, 0, 9, 2]], dtype=double)
    variance = torch.rand(5, 4, dtype=double) + 0.1
    variance[0, 0] = 1e-9
    classes = torch.tensor([2, 0, 3, 3, 1])
    labels = torch.tensor([[3, 0, -1, 1], [0, -1, 2, 2], [-1, 0, 1, 2], [0, 1, 2, 3], [1, 2, -1, -1]])
    zero_one = (signs > 0).double()
    probabilities = torch.randn(5, 4, dtype=double).softmax(-1)
    weight = torch.rand(4, dtype=double) + 0.5
    for name, value in dict(x=x, z=z, n=n, signs=signs, row_signs=row_signs, counts=counts, variance=variance,
                            classes=classes, labels=labels, zero_one=zero_one,
                            probabilities=probabilities, weight=weight).items():
        put("more." + name, value)
    cases = {
        "ranking": (lambda a, b, r: F.margin_ranking_loss(a, b, signs, margin=0.3, reduction=r), x, z),
        "hinge": (lambda a, r: F.hinge_embedding_loss(a, signs, margin=0.7, reduction=r), x),
        "soft_margin": (lambda a, r: F.soft_margin_loss(a, signs, reduction=r), x),
        "multilabel_soft": (lambda a, r: F.multilabel_soft_margin_loss(a, zero_one, weight, reduction=r), x),
        "multi_margin": (lambda a, r: F.multi_margin_loss(a, classes, reduction=r), x),
        "multi_margin2": (lambda a, r: F.multi_margin_loss(a, classes, p=2, margin=0.5, weight=weight,
                                                           reduction=r), x),
        "multilabel": (lambda a, r: F.multilabel_margin_loss(a, labels, reduction=r), x),
        "triplet": (lambda a, p, q, r: F.triplet_margin_loss(a, p, q, reduction=r), x, z, n),
        "triplet_swap": (lambda a, p, q, r: F.triplet_margin_loss(a, p, q, margin=3, p=3, swap=True,
                                                                  reduction=r), x, z, n),
        "cosine": (lambda a, b, r: F.cosine_embedding_loss(a, b, row_signs, margin=-0.2, reduction=r), x, z),
        "gaussian": (lambda a, v, r: F.gaussian_nll_loss(a, z, v, full=True, reduction=r), x, variance),
        "poisson": (lambda a, r: F.poisson_nll_loss(a, counts, full=True, reduction=r), z),
        "poisson_mean": (lambda a, r: F.poisson_nll_loss(a, counts, log_input=False, reduction=r), variance),
        "probabilities": (lambda a, r: F.cross_entropy(a, probabilities, weight, reduction=r,
                                                       label_smoothing=0.2), x),
    }
    for name, (f, *inputs) in cases.items():
        with_gradients("more." + name, f, *inputs)
    logs = x.log_softmax(-1)
    put("more.logs", logs)
    put("more.kl", F.kl_div(logs, probabilities, reduction="batchmean"))


def ctc():
    logits = torch.randn(7, 4, 5, dtype=double)
    targets = torch.tensor([[1, 2, 3], [2, 2, 0], [4, 0, 0], [3, 1, 3]])
    inputs, lengths = torch.tensor([7, 5, 4, 6]), torch.tensor([3, 2, 0, 3])
    for name, value in dict(logits=logits, targets=targets, inputs=inputs, lengths=lengths).items():
        put("ctc." + name, value)
    with_gradients("ctc.plain", lambda x, r: F.ctc_loss(x.log_softmax(-1), targets, inputs, lengths,
                                                       reduction=r), logits)
    short = torch.tensor([7, 2, 4, 6])  # the second sample repeats a label and cannot be aligned
    put("ctc.short", short)
    with_gradients("ctc.zero", lambda x, r: F.ctc_loss(x.log_softmax(-1), targets, short, lengths,
                                                      zero_infinity=True, reduction=r), logits)


def bilinear():
    layer = nn.Bilinear(3, 2, 4).double()
    for key, value in layer.state_dict().items():
        put("bilinear.before." + key, value)
    a, b = torch.randn(5, 3, dtype=double).requires_grad_(), torch.randn(5, 2, dtype=double).requires_grad_()
    y = layer(a, b)
    (y * y).sum().backward()
    for name, value in dict(a=a, b=b, y=y, da=a.grad, db=b.grad).items():
        put("bilinear." + name, value)
    for key, value in layer.named_parameters():
        put("bilinear.grad." + key, value.grad)


def model_and_data():
    torch.manual_seed(2)
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    return model, torch.randn(5, 16, 8), torch.randint(0, 4, (5, 16))


def nadam(params, grads, exp_avgs, exp_avg_sqs, mu_products, steps, *, beta1, beta2, lr, weight_decay,
          momentum_decay, eps):
    """NAdam as PyTorch has it from 2.0 on: 1.13 has the momentum of a step twice in the next one's product."""
    for p, g, m, v, product, step in zip(params, grads, exp_avgs, exp_avg_sqs, mu_products, steps):
        step += 1
        t = step.item()
        g = g + weight_decay * p
        mu, following = (beta1 * (1 - 0.5 * 0.96 ** (s * momentum_decay)) for s in (t, t + 1))
        product *= mu
        m.mul_(beta1).add_((1 - beta1) * g)
        v.mul_(beta2).add_((1 - beta2) * g * g)
        root = (v / (1 - beta2 ** t)).sqrt() + eps
        p -= lr * (1 - mu) / (1 - product.item()) * g / root
        p -= lr * following / (1 - product.item() * following) * m / root


def optimizers():
    """As in make_training_vectors.py, whose network, data and first values these are."""
    model, x, classes = model_and_data()
    start = {key: value.clone() for key, value in model.state_dict().items()}
    optim = torch.optim
    if torch.__version__.startswith("1."):
        sys.modules["torch.optim.nadam"]._single_tensor_nadam = nadam
    cases = {
        "amsgrad": lambda p: optim.Adam(p, lr=0.01, weight_decay=0.01, amsgrad=True),
        "amsgradw": lambda p: optim.AdamW(p, lr=0.01, weight_decay=0.1, amsgrad=True),
        "adadelta": lambda p: optim.Adadelta(p, lr=0.7, rho=0.8, weight_decay=0.01),
        "adamax": lambda p: optim.Adamax(p, lr=0.02, weight_decay=0.01),
        "nadam": lambda p: optim.NAdam(p, lr=0.01, weight_decay=0.01),
        "radam": lambda p: optim.RAdam(p, lr=0.02, betas=(0.8, 0.9), weight_decay=0.01),
        "rprop": lambda p: optim.Rprop(p, lr=0.002, etas=(0.4, 1.3), step_sizes=(1e-5, 0.1)),
        "asgd": lambda p: optim.ASGD(p, lr=0.2, lambd=0.01, alpha=0.6, t0=10, weight_decay=0.01),
    }
    for name, make in cases.items():
        model.load_state_dict(start)
        optimizer = make(model.parameters())
        history = []
        for step in range(50):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(x[step % 5]), classes[step % 5])
            loss.backward()
            optimizer.step()
            history.append(loss.item())
        put(f"train.{name}.losses", torch.tensor(history, dtype=double))
        for key, value in model.state_dict().items():
            put(f"train.{name}.{key}", value)
        if name == "asgd":
            put("train.asgd.ax", optimizer.state[model[2].weight]["ax"])


def lbfgs():
    """Losses of steps of L-BFGS from one start, in double; Rosenbrock's function and a small network."""
    start = torch.tensor([-1.5, 2.0, 0.5, -0.5], dtype=double)

    def rosenbrock(x):
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    put("lbfgs.start", start)
    for name, options in {"plain": dict(lr=1e-3, max_iter=5, history_size=3),
                          "wolfe": dict(lr=1, max_iter=4, history_size=3, line_search_fn="strong_wolfe")}.items():
        x = start.clone().requires_grad_()
        optimizer = torch.optim.LBFGS([x], **options)
        history = []

        def closure():
            optimizer.zero_grad()
            loss = rosenbrock(x)
            loss.backward()
            return loss

        for _ in range(20):
            history.append(optimizer.step(closure).item())
        put(f"lbfgs.{name}.losses", torch.tensor(history, dtype=double))
        put(f"lbfgs.{name}.x", x)


def schedules():
    s = torch.optim.lr_scheduler
    cases = {
        "multi_step": lambda o: s.MultiStepLR(o, [3, 8, 9], 0.5),
        "exponential": lambda o: s.ExponentialLR(o, 0.9),
        "lambda": lambda o: s.LambdaLR(o, lambda step: 1 / (1 + step)),
        "linear_lr": lambda o: s.LinearLR(o, 0.25, 0.75, 6),
        "constant": lambda o: s.ConstantLR(o, 0.25, 4),
        "polynomial": lambda o: s.PolynomialLR(o, 12, 2),
        "triangular": lambda o: s.CyclicLR(o, 0.1, 0.9, 3, 5, cycle_momentum=False),
        "triangular2": lambda o: s.CyclicLR(o, 0.1, 0.9, 4, mode="triangular2", cycle_momentum=False),
        "exp_range": lambda o: s.CyclicLR(o, 0.1, 0.9, 4, mode="exp_range", gamma=0.9, cycle_momentum=False),
        "restarts": lambda o: s.CosineAnnealingWarmRestarts(o, 4, 2, 0.01),
        "restarts1": lambda o: s.CosineAnnealingWarmRestarts(o, 5),
        "chained": lambda o: s.ChainedScheduler([s.ExponentialLR(o, 0.9), s.ConstantLR(o, 0.5, 4)]),
        "sequential": lambda o: s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9),
                                                   s.StepLR(o, 2, 0.5)], [3, 10]),
    }
    for name, make in cases.items():
        optimizer = torch.optim.SGD([torch.zeros(1)], lr=0.1)
        schedule, rates = make(optimizer), []
        for _ in range(19):
            rates.append(optimizer.param_groups[0]["lr"])
            optimizer.step()
            schedule.step()
        put("rate." + name, torch.tensor(rates, dtype=double))


if __name__ == "__main__":
    torch.manual_seed(3)
    losses()
    ctc()
    bilinear()
    optimizers()
    lbfgs()
    schedules()
    base.save()
