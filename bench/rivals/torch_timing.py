"""Times cases of PyTorch's: the best of eager, torch.compile and one CUDA graph, a line of JSON each."""
import json
import sys

import torch


def milliseconds(step, runs=50):
    for _ in range(5):
        step()
    times = []
    for _ in range(runs):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        step()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end))
    return sorted(times)[len(times) // 2]


def graphed(step):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    return graph.replay


def time_cases(cases):
    """Those that the command line names, else all; a case gives a step in eager form, and one compiled or None."""
    for case in sys.argv[1:] or cases:
        eager, compiled = cases[case]()
        ways = {"torch": lambda: eager, "torch graph": lambda: graphed(eager)}
        if compiled is not None:
            ways["torch.compile"] = lambda: compiled
        for who, make in ways.items():
            try:
                print(json.dumps({"case": case, "who": who, "ms": milliseconds(make())}), flush=True)
            except RuntimeError as error:
                print(json.dumps({"case": case, "who": who, "failed": str(error)[:200]}), flush=True)
