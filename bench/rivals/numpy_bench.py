"""NumPy on the cases of the CPU's benchmark, one thread: a line of JSON each, the least of some runs."""
import json
import sys
import time

import numpy as np


def operands(rows, width):
    n = rows * width
    wave = lambda count, step, scale: (np.sin(np.arange(count, dtype=np.float32) * np.float32(step))
                                       * np.float32(scale)).astype(np.float32)
    shape = (width,) if rows == 1 else (rows, width)
    return {"x": wave(n, .37, 2).reshape(shape), "y": wave(n, .11, 1).reshape(shape),
            "mean": wave(width, .05, 1), "deviation": wave(width, .07, .3) + np.float32(1),
            "bias": wave(width, .03, 1), "out": np.ones(shape, np.float32)}


def softmax(o):
    e = np.exp(o["x"] - o["x"].max(-1, keepdims=True))
    e /= e.sum(-1, keepdims=True)


def layernorm(o):
    c = o["x"] - o["x"].mean(-1, keepdims=True)
    return c / np.sqrt((c * c).mean(-1, keepdims=True) + np.float32(1e-5)) * o["deviation"] + o["bias"]


CASES = {  # name: rows, width and the work
    "chain": (1, 1 << 25, lambda o: np.tanh(o["x"] * o["y"] + np.float32(.3)) * np.exp(-o["x"] * o["x"])
              + np.float32(.5)),
    "axpy": (1, 1 << 25, lambda o: np.add(np.float32(.75) * o["x"], o["out"], out=o["out"])),
    "softmax": (4096, 1024, softmax),
    "layernorm": (4096, 1024, layernorm),
    "sumexp": (1, 1 << 25, lambda o: np.exp(o["x"]).sum()),
    "sum": (1, 1 << 25, lambda o: o["x"].sum()),
    "rowsum": (4096, 4096, lambda o: o["x"].sum(1)),
    "colsum": (4096, 4096, lambda o: o["x"].sum(0)),
    "bnorm": (32768, 1024, lambda o: np.multiply(o["x"] - o["mean"], o["deviation"], out=o["out"])),
    "transpose_add": (4096, 4096, lambda o: np.add(o["x"].T, o["y"], out=o["out"])),
    "argmax": (1, 1 << 25, lambda o: o["x"].argmax()),
}


def main():
    wanted = sys.argv[1].split(",") if len(sys.argv) > 1 else CASES
    for name in wanted:
        rows, width, work = CASES[name]
        for small in (False, True):
            sizes = (rows, width) if not small else (1, 1024) if rows == 1 else (32, 32)
            o = operands(*sizes)
            calls = 200 if small else 1
            least = 1e9
            for _ in range(20 if small else 5):
                start = time.perf_counter()
                for _ in range(calls):
                    work(o)
                least = min(least, (time.perf_counter() - start) / calls)
            print(json.dumps({"case": name + ("_1024" if small else ""), "threads": 1, "who": "NumPy",
                              "uses": 1, "ms": least * 1e3, "checked": True}), flush=True)


if __name__ == "__main__":
    main()
