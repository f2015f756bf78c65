"""Checks of the generator that need no compiler and no GPU: `python3 bench/random.py --self-test`."""
import ast
import math
import sys

import results
import weft_side
from draw import LEAST, MOST, SCALES, Draw
from expressions import along, apply, cast, index, operand, permute, reduce, say, where
from families import FAMILIES, family_of, statement
from process import Died, Process
from statements import Statement


def wording():
    """One description, three languages."""
    x, q = operand("x", (4, 6)), operand("q", (4, 6), "int8", "bits")
    e = (x + 1.5) * apply("tanh", cast(q, "float32"))
    assert say(e, "weft") == "(x + 1.5F) * tanh(cast<float>(q))"
    assert say(e, "torch") == "(x + 1.5) * torch.tanh(q.to(torch.float32))"
    assert say(e, "torch", wide=True) == "(x + 1.5) * torch.tanh(q.to(torch.float64))"
    r = reduce("sum", where(x > 0.5, x, 0.0), [-1], keep=True)
    assert r.shape == (4, 1)
    assert say(r, "weft") == "sum(where(x > 0.5F, x, 0.0F), axis(-1), keepdims)"
    assert say(r, "torch") == "torch.sum(torch.where(x > 0.5, x, 0.0), dim=(-1,), keepdim=True)"
    v = index(permute(x, (1, 0)), slice(1, None), None)
    assert v.shape == (5, 1, 4)
    assert say(v, "weft") == "x.permute({1, 0})(slice(1, none), newaxis)"
    assert say(v, "torch") == "x.permute(1, 0)[1:, None]"
    assert along("cat", x, x, axis=1).shape == (4, 12)
    try:
        x + operand("h", (4, 6), "float16")
        raise AssertionError("two element types were added")
    except ValueError:
        pass


def bytes_moved():
    """Views and gathers are counted by what they touch, everything else once."""
    x, y = operand("x", (100, 11)), operand("y", (10,), "float16")
    s = Statement("", [x, y], [("z", index(x, slice(None), slice(1, None)) + cast(y, "float32"))])
    assert s.bytes() == 4 * 1000 + 2 * 10 + 4 * 1000, s.bytes()
    s = Statement("", [x], [("z", x * x)])
    assert s.bytes() == 2 * 4 * 1100
    table, ids = operand("table", (1000, 8)), operand("ids", (10,), "int64", "index", 1000)
    s = Statement("", [table, ids], [("z", along("take", table, ids, axis=0))])
    assert s.bytes() == 4 * 80 + 8 * 10 + 4 * 80, s.bytes()
    s = Statement("", [x], [("z", x * x)]).with_gradients()
    assert s.bytes() == 4 * 1100 * 5  # x, z; x again, the gradients of z and x


def drawing():
    """The same seed gives the same statements, all families come, sizes stay within their bounds."""
    first = [statement(11, k) for k in range(48)]
    again = statement(11, 17)
    assert again.text() == first[17].text() and again.shapes() == first[17].shapes()
    assert {s.family for s in first} == {name for name, (cards, _) in FAMILIES.items() if cards}
    assert [family_of(11, k) for k in range(48)] != [family_of(12, k) for k in range(48)]
    sizes = [s.bytes() for s in first]
    assert sum(0.9 * LEAST <= n <= 1.1 * MOST for n in sizes) >= 46, sorted(sizes)
    assert len({s.key() for s in first}) == 48
    for family, (_, draw) in FAMILIES.items():  # no form leaves a function's domain
        for k in range(150):
            draw(Draw(13, f"{family} {k}"))
    for seed in range(4):
        for k in range(48):
            for s in (statement(seed, k, SCALES["tiny"]), statement(seed, k, backward=True, only=("row programs",))):
                for text in (s.torch_source(), s.torch_source(True), s.numpy_source()):
                    ast.parse(text)
                assert not {name for name, _ in s.lets} & set(s.names), s.text()
                text = weft_side.source(s, k, seed, "cuda")
                assert text.count("{") == text.count("}") and text.count("(") == text.count(")")


def judging():
    assert results.error([1, 2, 3, 6, 6], [1, 2, 3, 6, 6], "float32") == 0
    assert math.isclose(results.error([1, 2, 4, 7, 7], [1, 2, 3, 6, 6], "float32"), 1 / 3)
    assert results.error([1, 2, 3, 9, 9], [1, 2, 3, 6, 6], "float32") == 0.5  # what was not sampled
    assert results.error([math.nan, 0, 0], [1, 1, 1], "float32") == math.inf
    assert results.error([1, 0, 0, 0], [1, 1, 0, 0], "int64") == 0.5
    s = statement(1, 0)
    o = results.Outcome(1, 0, s)
    good = [[1.0, 2.0, 3.0, 3.0]] * len(s.results)
    o.weft_ms, o.weft, o.reference = 2.0, [[1.0, 9.0, 10.0, 10.0]] * len(s.results), good
    o.rivals = {"eager": (1.0, good), "compile": (0.5, [[7.0, 7.0, 14.0, 14.0]] * len(s.results))}
    o.judge()
    assert o.wrong and o.best == "eager" and o.ratio == 2.0 and o.remarks  # the faster rival is wrong
    o.weft = good
    o.judge()
    assert not o.wrong and o.max_error == 0
    assert "2.000" in results.summary([o], 1e12, [o], {0: "one kernel"})


def kernels():
    """Kernels of one name are told apart by their place in a run; what warms up or looks does not count."""
    event = {"ph": "X", "pid": 1}
    first = ["a", "b", "b", "look"]
    names, durations = first + ["a", "b", "b"] * 6, [9, 9, 9, 9] + [9, 9, 9] * 3 + [1, 2, 3, 3, 4, 5, 2, 3, 4]
    trace = {"traceEvents": [{"ph": "M"}] + [{**event, "name": n, "dur": 1e3 * d, "ts": k}
                                             for k, (n, d) in enumerate(zip(names, durations))]}
    assert results.kernel_lines(trace, 3, 7) == ["2.0000 ms  a", "3.0000 ms  b", "4.0000 ms  b"]
    assert results.kernel_lines({"traceEvents": []}, 3, 7) == ["no kernels of weft's own"]


def restarting():
    """A program that dies, or hangs, costs one answer."""
    text = ("import sys, time\n"
            "for line in sys.stdin:\n"
            "    sys.exit(3) if line == 'die\\n' else time.sleep(9 * (line == 'hang\\n'))\n"
            "    print('{\"said\": 1}', flush=True)\n")
    program = Process([sys.executable, "-c", text], None)
    for line, seconds, why in (("die", 20, "the program ended with code 3"), ("hang", 0.5, "no answer")):
        assert program.ask("go", 20) == {"said": 1}
        try:
            program.ask(line, seconds)
            raise AssertionError(f"{line} was answered")
        except Died as died:
            assert why in str(died), died
    assert program.ask("go", 20) == {"said": 1}
    assert program.close() == 0


def main():
    for check in (wording, bytes_moved, drawing, judging, kernels, restarting):
        check()
        print(f"{check.__name__}: ok")
    return 0
