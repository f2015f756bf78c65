#!/usr/bin/env python3
"""Writes tests/core/math/special/vectors.inc: special functions by mpmath in 40 digits.

A row is {"name", x, y, z, value}; arguments that a function has not are 0. The arguments are floats, so
that both element types are tested by the same rows. Needs mpmath (Debian: python3-mpmath).
"""
import random
import struct
from pathlib import Path

from mpmath import (besseli, besselj, besselk, bessely, beta, betainc, digamma, erfc, erfinv, exp, findroot, gamma,
                    gammainc, isinf, log, log1p, mp, mpf, ncdf, nstr, pi, polygamma, power, sin, sqrt, zeta)

mp.dps = 60
PAGE = Path(__file__).resolve().parent.parent / "tests" / "core" / "math" / "special" / "vectors.inc"
random.seed(1)


def single(x):
    return struct.unpack("f", struct.pack("f", float(x)))[0]


def spread(low, high, n):
    """n floats from low to high, evenly in the logarithm where both are positive."""
    if low > 0:
        return [single(low * (high / low)**random.random()) for _ in range(n)]
    return [single(random.uniform(low, high)) for _ in range(n)]


def erfcinv(q):
    if q > 1:
        return -erfcinv(2 - q)
    y = erfinv(1 - q) if q > mpf("1e-5") else sqrt(-log(q * sqrt(pi) * sqrt(-log(q))))
    for _ in range(14):
        r = log(erfc(y) / q)
        y += r * erfc(y) / (2 / sqrt(pi) * exp(-y * y))
    return y


def lower(a, x):
    return gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return gammainc(a, x, regularized=True)


def incomplete_beta(a, b, x):
    return betainc(a, b, 0, x, regularized=True)


positive = spread(1e-6, 1, 10) + spread(1, 30, 16) + spread(30, 600, 6)
line = [-x for x in spread(0.1, 40, 14)] + spread(0.01, 40, 14)
probabilities = spread(1e-6, 0.5, 14) + [single(x) for x in (0.25, 0.5, 0.75, 0.9, 0.99, 0.9999, 0.3, 0.6)]
tiny = [single(x) for x in (1e-10, 1e-20, 1e-30, 1e-37)]
shapes = list(zip(spread(0.01, 5, 14), spread(0.01, 10, 14))) + list(zip(spread(1, 60, 12), spread(1, 60, 12)))
near = [(a, single(a * random.uniform(0.75, 1.3))) for a in (0.5, 3, 12, 40, 150, 250, 1000, 20000, 1e6)]
pairs = list(zip(spread(0.05, 8, 12), spread(0.05, 8, 12))) + list(zip(spread(8, 100, 8), spread(8, 100, 8)))

ROWS = {
    "gamma": (gamma, [(x,) for x in positive + spread(-8, 0, 10) + spread(30, 170, 8) if x < 171]),
    "beta": (beta, pairs + [(single(0.3), 1000.0), (150.0, 160.0)]),
    "lbeta": (lambda a, b: log(beta(a, b)), pairs + [(single(0.3), 1000.0), (500.0, 1600.0), (20.0, 1e5)]),
    "gammainc": (lower, shapes + near),
    "gammaincc": (upper, shapes + near + [(single(0.001), single(0.2)), (single(1e-5), single(0.01))]),
    "betainc": (incomplete_beta, [(a, b, p) for (a, b), p in zip(pairs, spread(0, 1, 20))] +
                [(50.0, 60.0, single(0.45)), (300.0, 200.0, single(0.6)), (2.0, 300.0, single(0.01))]),
    "erfinv": (erfinv, [(x,) for x in spread(-1, 1, 14) + [single(x) for x in (1e-20, 1e-5, 0.5, 0.51, 0.999, 0.99999)]]),
    "erfcinv": (erfcinv, [(x,) for x in probabilities + tiny + spread(1, 2, 6)]),
    "erfcx": (lambda x: exp(x * x) * erfc(x), [(x,) for x in line + [100.0, 1e6, 26.5] if x > -20]),
    "ndtr": (ncdf, [(x,) for x in line if x > -12]),
    "log_ndtr": (lambda x: log(erfc(-x / sqrt(mpf(2))) / 2), [(x,) for x in line + [-300.0, -20.0, 8.0] if x < 12]),
    "ndtri": (lambda p: -sqrt(mpf(2)) * erfcinv(2 * p), [(x,) for x in probabilities + tiny]),
    "j0": (lambda x: besselj(0, x), [(x,) for x in line + positive]),
    "j1": (lambda x: besselj(1, x), [(x,) for x in line + positive]),
    "y0": (lambda x: bessely(0, x), [(x,) for x in positive]),
    "y1": (lambda x: bessely(1, x), [(x,) for x in positive]),
    "i0": (lambda x: besseli(0, x), [(x,) for x in line + spread(5, 80, 10)]),
    "i0e": (lambda x: besseli(0, x) * exp(-abs(x)), [(x,) for x in line + [200.0, 9000.0]]),
    "i1": (lambda x: besseli(1, x), [(x,) for x in line + spread(5, 80, 10)]),
    "i1e": (lambda x: besseli(1, x) * exp(-abs(x)), [(x,) for x in line + [200.0, 9000.0]]),
    "k0": (lambda x: besselk(0, x), [(x,) for x in positive if x < 80]),
    "k0e": (lambda x: besselk(0, x) * exp(x), [(x,) for x in positive]),
    "k1": (lambda x: besselk(1, x), [(x,) for x in positive if x < 80]),
    "k1e": (lambda x: besselk(1, x) * exp(x), [(x,) for x in positive]),
    "zeta": (zeta, [(single(1 + x), q) for x, q in zip(spread(0.01, 20, 24), spread(0.1, 50, 24))] + [(2.0, 1.0), (3.0, -2.25), (4.0, -0.25)]),
    "polygamma": (polygamma, [(float(n), x) for n in (1, 2, 5) for x in spread(0.1, 30, 6) + spread(-6, 0, 2)]),
    "digamma": (digamma, [(x,) for x in spread(1, 3, 6) + spread(0.001, 1, 6) + spread(3, 1000, 6) + spread(-9, 0, 12) +
                [single(x) for x in (1.4616321, 1.4616322, 1.47, -0.504083, -0.5041, -1.5734985, -2.6107209, -9.702672, -15.730989)]]),
    "sinc": (lambda x: sin(pi * x) / (pi * x), [(x,) for x in line + [0.5, 1.5, 1000.25]]),
    "entr": (lambda x: -x * log(x), [(x,) for x in positive]),
    "rel_entr": (lambda x, y: x * log(mpf(x) / y), pairs + [(1.0, single(1.0001)), (single(2.001), 2.0)]),
    "kl_div": (lambda x, y: x * log(mpf(x) / y) - mpf(x) + y, pairs + [(1.0, single(1.0001)), (single(2.001), 2.0), (3.0, 4.0)]),
    "logit": (lambda p: log(mpf(p) / (1 - mpf(p))), [(x,) for x in probabilities + [single(0.5001)] if x < 1]),
    "logaddexp": (lambda x, y: log(exp(mpf(x)) + exp(mpf(y))), list(zip(line[3:20], line[5:22]))),
    "logaddexp2": (lambda x, y: log(power(2, x) + power(2, y), 2), list(zip(line[3:20], line[5:22]))),
    "logsubexp": (lambda x, y: log(exp(mpf(x)) - exp(mpf(y))), [(max(a, b), min(a, b)) for a, b in zip(line[3:20], line[5:22])]),
    "xlog1py": (lambda x, y: x * log1p(mpf(y)), pairs),
    "hypot3": (lambda x, y, z: sqrt(mpf(x)**2 + mpf(y)**2 + mpf(z)**2), [(a, b, a + 1) for a, b in pairs[:8]]),
}


def main():
    lines = ["// Special functions by mpmath: made by scripts/make_special_vectors.py."]
    for name, (f, arguments) in ROWS.items():
        for xs in arguments:
            xs = [single(x) for x in xs]
            value = f(*(mpf(x) for x in xs)) if name != "polygamma" else f(int(xs[0]), mpf(xs[1]))
            if isinf(value) or value.imag != 0 or abs(value) < mpf("1e-300"):
                continue
            shown = [float(x).hex() for x in (*xs, 0.0, 0.0)[:3]]
            shown = [f"{m.rstrip('0').rstrip('.')}p{e}" for m, e in (x.split("p") for x in shown)]
            lines.append(f'{{"{name}", {", ".join(shown)}, {nstr(value.real, 22, min_fixed=0, max_fixed=0)}L}},')
    PAGE.write_text("\n".join(lines) + "\n")
    print(f"{PAGE.name}: {len(lines) - 1} rows")


if __name__ == "__main__":
    main()
