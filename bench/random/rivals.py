"""PyTorch, eager and compiled, and the reference in double: a process that answers lines of JSON.

Where there is no PyTorch, NumPy gives the reference and there is nothing to time. See serve() for the
commands. What a library prints goes to stderr, so that it does not mix with the answers.
"""
import json
import math
import os
import statistics
import sys
import time

SAMPLES = 4096
WARM_UPS, LEAST_RUNS, MOST_RUNS = 3, 9, 30


class TorchSide:
    def __init__(self, device, threads, milliseconds):
        import torch
        self.torch, self.device, self.milliseconds = torch, device, milliseconds
        if device == "cpu" and threads:
            torch.set_num_threads(threads)
        if device == "cuda" and not torch.cuda.is_available():
            raise ImportError("PyTorch sees no CUDA device")
        functional = torch.nn.functional

        def rms_norm(x, w):
            if hasattr(functional, "rms_norm"):
                return functional.rms_norm(x, w.shape, w, 1e-6)
            return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1e-6) * w

        self.names = {"torch": torch, "F": functional, "rms_norm": rms_norm}
        self.version = torch.__version__
        self.compiled = {}
        self.threads = torch.get_num_threads()

    def share(self, parts):
        """Leaves the CPU's cores to other processes, as long as nothing is compiled or timed."""
        if self.device == "cpu":
            self.torch.set_num_threads(max(1, self.threads // parts))

    def hashes(self, seed, begin, end):
        """32 random bits for each position, in 64; the same as hash() in driver.cpp."""
        torch, mask = self.torch, 0xFFFFFFFF
        h = torch.arange(begin, end, device=self.device, dtype=torch.int64)
        h.mul_(0x9E3779B9).add_(seed * 0x85EBCA6B & mask).bitwise_and_(mask)
        h = (h ^ (h >> 16)).mul_(0x7FEB352D).bitwise_and_(mask)
        h = (h ^ (h >> 15)).mul_(0x846CA68B).bitwise_and_(mask)
        return h ^ (h >> 16)

    def part(self, x, seed, begin, end):
        torch, kind = self.torch, x["kind"]
        if kind == "order":
            return torch.arange(begin, end, device=self.device)
        h = self.hashes(seed, begin, end)
        if kind == "mask":
            return (h >> 24) < 205
        if kind == "index":
            return h * x["bound"] >> 32
        if kind == "bits":
            return (h >> 24) - (0 if x["type"] in ("uint8", "bool") else 128)
        if x["type"] in ("float16", "bfloat16"):
            if kind == "positive":
                return (128 + (h >> 25)).float() / 256
            unit = (h >> 24).float() / 256
        else:
            unit = (h >> 8).float() * 2.0 ** -24
        return unit if kind == "unit" else 2 * unit - 1 if kind == "centred" else 0.5 + 0.5 * unit

    def operand(self, x, seed):
        n = math.prod(x["shape"])
        out = self.torch.empty(n, dtype=getattr(self.torch, x["type"]), device=self.device)
        for begin in range(0, n, 1 << 24):
            end = min(n, begin + (1 << 24))
            out[begin:end] = self.part(x, seed, begin, end)
        return out.reshape(x["shape"])

    def operands(self, s, set, wide=False):
        """One set of buffers; with gradients the result's comes last."""
        made = []
        for k, x in enumerate(s["operands"]):
            t = self.operand(x, 64 * set + k)
            t = t.double() if wide and t.is_floating_point() else t
            made.append(t.requires_grad_() if x["name"] in s["learned"] else t)
        if s["backward"]:
            t = self.operand({"shape": s["gradient"], "type": s["type"], "kind": "centred"}, 64 * set + len(made))
            made.append(t.double() if wide else t)
        return made

    def function(self, s, text, compile=False):
        names = dict(self.names)
        exec(compile_text(text, s["case"]), names)
        f = names["statement"]
        if compile:
            # All statements go through one function of PyTorch's own, which it would compile 8 times
            # and from then on run as it is.
            config = self.torch._dynamo.config
            config.recompile_limit = config.accumulated_recompile_limit = 1 << 20
            f = self.torch.compile(f, dynamic=False)
        if not s["backward"]:
            return f
        places = [k for k, x in enumerate(s["operands"]) if x["name"] in s["learned"]]

        def both(*operands):
            result = f(*operands[:-1])[0]
            learned = [operands[k] for k in places]
            return (result, *map(stored, self.torch.autograd.grad(result, learned, operands[-1])))

        def stored(gradient):
            """As backward() stores it in x.grad: with memory of its own for each element."""
            overlaps = any(step == 0 and n > 1 for step, n in zip(gradient.stride(), gradient.shape))
            return gradient.contiguous() if overlaps else gradient
        return both

    def look(self, results):
        """Samples of each result, its sum, and the sum of absolute values."""
        looks = []
        for x in results:
            x = x.detach().reshape(-1)
            n = x.numel()
            k = self.torch.arange(min(n, SAMPLES), device=self.device)
            if n > SAMPLES:
                k = (self.hashes(97, 0, SAMPLES) << 31 | self.hashes(98, 0, SAMPLES) >> 1) % n
            total = sum(c.double().sum() for c in x.split(1 << 26))
            size = sum(c.double().abs().sum() for c in x.split(1 << 26))
            looks.append(x[k].double().tolist() + [float(total), float(size)])
        return looks

    def wait(self):
        if self.device == "cuda":
            self.torch.cuda.synchronize()

    def release(self):
        if self.device == "cuda":
            self.torch.cuda.empty_cache()

    def reference(self, s):
        self.torch.set_grad_enabled(s["backward"])
        self.share(8)
        try:
            return self.look(self.function(s, s["wide"])(*self.operands(s, 0, wide=True)))
        finally:
            self.share(1)

    def prepare(self, s):
        self.torch.set_grad_enabled(s["backward"])
        f = self.compiled[s["case"]] = self.function(s, s["torch"], compile=True)
        self.share(8)
        operands = self.operands(s, 0)
        self.share(1)  # the compiler writes their number into its code
        f(*operands)
        self.wait()

    def measure(self, s, who):
        """Milliseconds, and the results of the first run."""
        self.torch.set_grad_enabled(s["backward"])
        f = self.function(s, s["torch"]) if who == "eager" else self.compiled[s["case"]]
        sets = [self.operands(s, k) for k in range(3)]
        looked = self.look(f(*sets[0]))
        self.release()
        return self.run_time(f, sets), looked

    def run_time(self, f, sets):
        torch = self.torch
        for r in range(WARM_UPS):
            self.wait()
            begin = time.perf_counter()
            f(*sets[r % 3])
            self.wait()
            trial = 1e3 * (time.perf_counter() - begin)
        runs = max(LEAST_RUNS, min(MOST_RUNS, int(self.milliseconds / trial)))
        if self.device == "cpu":
            times = []
            for r in range(runs):
                begin = time.perf_counter()
                f(*sets[r % 3])
                times.append(1e3 * (time.perf_counter() - begin))
            return min(times)  # a CPU's neighbours disturb it
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
        for r in range(-2, runs):  # two more warm-ups, so that the host is ahead of the GPU
            if r >= 0:
                events[r][0].record()
            f(*sets[r % 3])
            if r >= 0:
                events[r][1].record()
        self.wait()
        return statistics.median(a.elapsed_time(b) for a, b in events)


class NumpySide:
    """References alone."""

    def __init__(self):
        import numpy as np
        self.np, self.version = np, np.__version__
        erf = np.vectorize(math.erf, otypes=[float])

        def sigmoid(x):
            return 1 / (1 + np.exp(-x))

        def softmax(x, axis):
            e = np.exp(x - np.max(x, axis, keepdims=True))
            return e / e.sum(axis, keepdims=True)

        def layer_norm(x, w, b):
            return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5) * w + b

        def cosine(x, y, axis):
            return (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))

        self.names = {
            "np": np, "erf": erf, "sigmoid": sigmoid, "softmax": softmax, "layer_norm": layer_norm,
            "cosine": cosine, "silu": lambda x: x * sigmoid(x), "gelu": lambda x: x * (1 + erf(x / 2 ** 0.5)) / 2,
            "gelu_tanh": lambda x: x * sigmoid(2 * (2 / math.pi) ** 0.5 * (x + 0.044715 * x ** 3)),
            "rms_norm": lambda x, w: x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6) * w,
            "normalize": lambda x, axis: x / np.sqrt((x * x).sum(axis, keepdims=True)),
            "cross_entropy": lambda x, t: -np.log(softmax(x, -1))[np.arange(len(t)), t].mean(),
            "cast": lambda x, type: x.astype("float64" if "float" in type else type)}

    def hashes(self, seed, n):
        u = self.np.uint32
        h = self.np.arange(n, dtype=u) * u(0x9E3779B9) + u(seed * 0x85EBCA6B & 0xFFFFFFFF)
        h = (h ^ (h >> u(16))) * u(0x7FEB352D)
        h = (h ^ (h >> u(15))) * u(0x846CA68B)
        return (h ^ (h >> u(16))).astype(self.np.int64)

    def operand(self, x, seed):
        n, kind = math.prod(x["shape"]), x["kind"]
        h = self.hashes(seed, n)
        short = x["type"] in ("float16", "bfloat16")
        unit = (h >> 24) / 256 if short else (h >> 8) * 2.0 ** -24
        made = {"order": lambda: self.np.arange(n), "mask": lambda: (h >> 24) < 205,
                "index": lambda: h * x["bound"] >> 32, "unit": lambda: unit, "centred": lambda: 2 * unit - 1,
                "bits": lambda: (h >> 24) - (0 if x["type"] == "uint8" else 128),
                "positive": lambda: (128 + (h >> 25)) / 256 if short else 0.5 + 0.5 * unit}[kind]()
        return made.reshape(x["shape"])

    def reference(self, s):
        if s["backward"]:
            raise ValueError("gradients are checked with PyTorch only")
        names = dict(self.names)
        exec(compile_text(s["numpy"], s["case"]), names)
        looks = []
        for x in names["statement"](*[self.operand(x, k) for k, x in enumerate(s["operands"])]):
            x = self.np.asarray(x).reshape(-1).astype(float)
            k = self.np.arange(len(x))
            if len(x) > SAMPLES:
                k = (self.hashes(97, SAMPLES) << 31 | self.hashes(98, SAMPLES) >> 1) % len(x)
            looks.append([*x[k].tolist(), float(x.sum()), float(abs(x).sum())])
        return looks

    def release(self):
        pass


def compile_text(text, case):
    return compile(text, f"case {case}", "exec")


def first_line(error):
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:200]


def serve(answers):
    """Commands: {"do": "start"}, then for each statement "prepare" (the reference, and compiling),
    then "time" for a case that was prepared."""
    statements, side, rivals = {}, None, []
    for line in sys.stdin:
        command = json.loads(line)
        answer = {"case": command.get("case"), "failed": {}}
        if command["do"] == "start":
            rivals = command["rivals"]
            try:
                side = TorchSide(command["device"], command["threads"], command["milliseconds"])
                answer["version"] = f"torch {side.version}"
            except ImportError as error:
                rivals = []
                answer["failed"]["torch"] = first_line(error)
                try:
                    side = NumpySide()
                    answer["version"] = f"numpy {side.version}"
                except ImportError as error:
                    answer["failed"]["numpy"] = first_line(error)
            answer["rivals"] = rivals
        elif command["do"] == "prepare":
            s = statements[command["case"]] = command
            for what in ["reference"] * command["check"] + ["compile"] * ("compile" in rivals):
                try:
                    if what == "compile":
                        side.prepare(s)
                    elif side:
                        answer["reference"] = side.reference(s)
                except Exception as error:  # one statement must not end the others
                    answer["failed"][what] = first_line(error)
        else:
            answer["ms"], answer["results"] = {}, {}
            for who in rivals:
                try:
                    answer["ms"][who], answer["results"][who] = side.measure(statements[command["case"]], who)
                except Exception as error:
                    answer["failed"][who] = first_line(error)
        if side:
            side.release()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    sys.path.pop(0)  # the modules beside this one are none of PyTorch's business
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    serve(answers)
