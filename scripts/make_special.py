#!/usr/bin/env python3
"""Prints the constants of include/weft/core/math/special/*.hpp; a name picks one table.

Polynomials interpolate their function at the Chebyshev nodes of its interval, in 50 digits, in the
variable that is given; series are computed in rational numbers. Needs mpmath (Debian: python3-mpmath).
"""
import sys
from fractions import Fraction

from mpmath import (bernoulli, besseli, cos, diff, digamma, erfc, erfinv, exp, factorial, findroot, gamma, legendre,
                    log, lu_solve, matrix, mp, mpf, pi, sqrt, zeta)

mp.dps = 50


def interpolated(f, degree):
    """The polynomial through f at the Chebyshev nodes of [-1, 1], lowest power first."""
    nodes = [cos(pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    system = matrix(degree + 1, degree + 1)
    for i, v in enumerate(nodes):
        for j in range(degree + 1):
            system[i, j] = v**j
    return list(lu_solve(system, matrix([f(v) for v in nodes])))


def worst(f, coefficients):
    points = [mpf(2 * i - 200) / 201 for i in range(201)]
    return max(abs(sum(c * v**k for k, c in enumerate(coefficients)) - f(v)) / abs(f(v)) for v in points)


def erfcinv(q):
    """From the asymptotic start by Newton's method in the logarithm."""
    y = sqrt(-log(q * sqrt(pi) * sqrt(-log(q)))) if q < mpf("1e-3") else erfinv(1 - q)
    for _ in range(12):
        r = log(erfc(y) / q)
        y += r * erfc(y) / (2 / sqrt(pi) * exp(-y * y))
    return y


def complement(w):
    """q in (0, 1) with w = -log(q (2 - q))."""
    e = exp(-w)
    return e / (1 + sqrt(1 - e))


def centre(v):
    w = mpf("3.125") * (v + 1)
    x = sqrt(1 - exp(-w))
    return erfinv(x) / x if x > 0 else sqrt(pi) / 2


def middle(v):  # s = sqrt(w) from 2.5 to 6
    s = mpf("4.25") + mpf("1.75") * v
    return erfcinv(complement(s * s))


def far(v):  # from 6 to 28
    s = 17 + 11 * v
    return erfcinv(complement(s * s))


def scaled_i(n):
    """sqrt(x) exp(-x) I_n(x) for v = 16 / x - 1."""
    return lambda v: sqrt(16 / (v + 1)) * exp(-16 / (v + 1)) * besseli(n, 16 / (v + 1))


ROOT = findroot(digamma, mpf("1.46"))

POLYNOMIALS = {
    "digamma: digamma(x) / (x - root) for x = 3 / 2 + v / 2": (
        lambda v: digamma((3 + v) / 2) / ((3 + v) / 2 - ROOT), 24),
    "gamma: gamma(3 / 2 + v / 2)": (lambda v: gamma((3 + v) / 2), 23),
    "erfinv: erfinv(x) / x for w = -log(1 - x^2), v = w / 3.125 - 1": (centre, 12),
    "erfinv: y for sqrt(w) = 4.25 + 1.75 v": (middle, 12),
    "erfinv: y for sqrt(w) = 17 + 11 v": (far, 14),
    "bessel: sqrt(x) exp(-x) I0(x) for 16 / x = 1 + v": (scaled_i(0), 24),
    "bessel: sqrt(x) exp(-x) I1(x) for 16 / x = 1 + v": (scaled_i(1), 24),
}


def multiply(a, b, n):
    out = [Fraction(0)] * n
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            if i + j < n:
                out[i + j] += x * y
    return out


def temme(orders=6, degree=18):
    """The coefficients of eta^n in c_k of Temme's uniform expansion (DLMF 8.12.10 and 8.12.11)."""
    n = degree + 2 * orders + 4
    # mu = eta + a2 eta^2 + ... with eta^2 / 2 = mu - log(1 + mu): mu' (mu) = eta (1 + mu)
    mu = [Fraction(0), Fraction(1)]
    for k in range(2, n):
        # coefficient of eta^k: sum_{i + j = k + 1} j mu_j mu_i = [k = 1] + mu_{k - 1}
        known = sum(j * mu[j] * mu[k + 1 - j] for j in range(2, k))
        mu.append((mu[k - 1] - known) / (k + 1))
    # 1 / mu = 1 / eta * 1 / (mu / eta)
    ratio = mu[1:]
    inverse = [Fraction(1)]
    for k in range(1, len(ratio)):
        inverse.append(-sum(ratio[j] * inverse[k - j] for j in range(1, k + 1)))
    # Stirling's series g_k of gamma, from the logarithm's
    logs = [Fraction(0)] * (orders + 2)
    for m in range(1, orders + 2):
        if m % 2:
            b = Fraction(int(bernoulli(m + 1) * 2730 * 6 + (mpf("0.5") if bernoulli(m + 1) > 0 else mpf("-0.5"))), 2730 * 6)
            logs[m] = b / (m * (m + 1))
    g = [Fraction(1)]
    for m in range(1, orders + 2):
        g.append(sum(j * logs[j] * g[m - j] for j in range(1, m + 1)) / m)
    # c_0 = 1 / mu - 1 / eta; each series below starts at eta^0
    c = [inverse[1:]]
    for k in range(1, orders):
        previous = c[-1]
        slope = [j * previous[j] for j in range(1, len(previous))]  # its term eta^j stands at j
        over = slope  # divided by eta: starts at eta^-1
        sign = (-1)**k
        total = [over[0] + sign * g[k] * inverse[0]]
        assert total[0] == 0, (k, total)
        c.append([over[j + 1] + sign * g[k] * inverse[j + 1] for j in range(len(over) - 1)])
    return c


def literal(value):
    text = float(value).hex()
    mantissa, exponent = text.split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def main():
    wanted = sys.argv[1:]
    for name, (f, degree) in POLYNOMIALS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        coefficients = interpolated(f, degree)
        print(f"// {name}, relative error {float(worst(f, coefficients)):.1e}")
        print("    " + ", ".join(literal(c) for c in coefficients))
    if not wanted or "bessel" in wanted:
        print("// 1 / k!^2 and 1 / (k! (k + 1)!)")
        for n in (0, 1):
            print("    " + ", ".join(literal(1 / (factorial(k) * factorial(k + n))) for k in range(24)))
    if not wanted or "lgamma1p" in wanted:
        print("// (-1)^k (zeta(k) - 1) / k from k = 2")
        print("    " + ", ".join(literal((-1)**k * (zeta(k) - 1) / k) for k in range(2, 20)))
    if not wanted or "temme" in wanted:
        for k, series in enumerate(temme()):
            print(f"// Temme's c_{k}")
            kept = [c for n, c in enumerate(series) if abs(c) * Fraction(35, 100)**n > Fraction(1, 10**17) * 200**k]
            print("    " + ", ".join(literal(mpf(c.numerator) / c.denominator) for c in kept))
    if not wanted or "roots" in wanted:
        print("// roots of digamma: high and low part")
        for n in range(0, 20):
            r = findroot(digamma, mpf("1.46") if n == 0 else (-n + 1 / log(mpf(n) + 2) * mpf("0.55"), -n + mpf("0.3")), solver="secant")
            high = float(r)
            print(f"    {{{literal(high)}, {literal(r - mpf(high))}}},  // {float(r)}")
    if not wanted or "gauss" in wanted:
        print("// Gauss' nodes and weights, 7 points")
        p = lambda x: legendre(7, x)
        for guess in (0, 0.4, 0.74, 0.95):
            x = findroot(p, guess) if guess else mpf(0)
            print("    ", literal(x), literal(2 / ((1 - x * x) * diff(p, x)**2)))
    if not wanted or "bernoulli" in wanted:
        print("// B_2k / (2 k)!")
        print("    " + ", ".join(literal(bernoulli(2 * k) / factorial(2 * k)) for k in range(1, 13)))
        print("// B_2k / (2 k (2 k - 1))")
        print("    " + ", ".join(literal(bernoulli(2 * k) / (2 * k * (2 * k - 1))) for k in range(1, 11)))


if __name__ == "__main__":
    main()
