#!/usr/bin/env python3
"""Prints the polynomial coefficients of include/weft/core/math/*.hpp, lowest power first.

Each polynomial interpolates its function at the Chebyshev nodes of its interval, in 60 digits, which is
within a small factor of the best one; its coefficients are then rounded to the element type. Needs
mpmath (Debian: python3-mpmath). What rounding then costs is measured by the tests, not here.
"""
import struct
import sys

from mpmath import cos, erfc, exp, factorial, log, log1p, lu_solve, matrix, mp, mpf, pi, sqrt, tan

mp.dps = 60


def series(coefficient, start, step=1):
    """The power series sum of coefficient(n) x^n without its first terms, over x^start, in x^step."""
    terms = [coefficient(n) for n in range(start, start + 80 * step, step)]
    return lambda u: sum(c * u**i for i, c in enumerate(terms))


def sign(n, step=2):
    return (-1)**(n // step)


def tail(q):
    """(t + 5/4) log(sqrt(2 pi) t exp(t^2 / 2) Phi(-t)) for q = (t - 5/4) / (t + 5/4)"""
    t = mpf("1.25") * (1 + q) / (1 - q)
    return (t + mpf("1.25")) * log(t * exp(t * t / 2) * erfc(t / sqrt(mpf(2))) * sqrt(pi / 2))


HALF_LN2 = log(2) / 2 * mpf("1.0001")
LOG_LOW, LOG_HIGH = sqrt(mpf(1) / 2) - 1, sqrt(mpf(2)) - 1
QUARTER = (pi / 4 * mpf("1.0001"))**2
EIGHTH = tan(pi / 8)**2 * mpf("1.0001")


def log_rest(f):
    return (log1p(f) - f + f * f / 2) / f**3 if abs(f) > mpf("1e-12") else mpf(1) / 3 - f / 4


# name: (function, low, high, degree for float, degree for double)
POLYNOMIALS = {
    "exp: (e^r - 1 - r) / r^2": (
        series(lambda n: 1 / factorial(n), 2), -HALF_LN2, HALF_LN2, 4, 10),
    "exp in the float's pow: (e^r - 1 - r) / r^2": (
        series(lambda n: 1 / factorial(n), 2), -HALF_LN2, HALF_LN2, None, 5),
    "exp2: (2^r - 1) / r": (
        series(lambda n: log(2)**n / factorial(n), 1), mpf("-.5001"), mpf(".5001"), 5, 11),
    "log: (log(1 + f) - f + f^2 / 2) / f^3": (log_rest, LOG_LOW, LOG_HIGH, 7, None),
    "log: (log((1 + s) / (1 - s)) - 2 s) / s^3 in s^2": (
        series(lambda n: mpf(2) / n, 3, 2), mpf(0), mpf("0.02944") * mpf("1.001"), 3, 6),
    "pow: (3 atanh(s) - 3 s - s^3) / s^5 in s^2": (
        series(lambda n: mpf(3) / n, 5, 2), mpf(0), mpf("0.02944") * mpf("1.001"), None, 7),
    "sin: (sin r - r) / r^3 in r^2": (
        series(lambda n: sign(n) / factorial(n), 3, 2), mpf(0), QUARTER, 2, 5),
    "cos: (cos r - 1 + r^2 / 2) / r^4 in r^2": (
        series(lambda n: sign(n) / factorial(n), 4, 2), mpf(0), QUARTER, 2, 5),
    "sinh: (sinh r - r) / r^3 in r^2": (
        series(lambda n: 1 / factorial(n), 3, 2), mpf(0), HALF_LN2**2, 2, 4),
    "cosh: (cosh r - 1) / r^2 in r^2": (
        series(lambda n: 1 / factorial(n), 2, 2), mpf(0), HALF_LN2**2, 2, 5),
    "erf: erf(x) / x - 1 in x^2": (
        series(lambda n: 2 / sqrt(pi) * sign(n) / (n * factorial(n // 2)) - (n == 1), 1, 2), mpf(0),
        mpf("1.0001"), 6, 13),
    "Phi: (Phi(x) - 1/2) / x in x^2": (
        series(lambda n: sign(n) / (sqrt(2 * pi) * 2**(n // 2) * factorial(n // 2) * n), 1, 2),
        mpf(0), mpf(".4226"), 4, 10),
    "tail of Phi, float": (tail, mpf("-0.6") / mpf("1.9"), mpf("13.25") / mpf("15.75"), 11, None),
    "tail of Phi, double": (tail, mpf("-0.6") / mpf("1.9"), mpf("37.75") / mpf("40.25"), None, 28),
    "atan: (atan t - t) / t^3 in t^2": (
        series(lambda n: mpf(sign(n)) / n, 3, 2), mpf(0), EIGHTH, 4, 10),
}


def chebyshev(f, low, high, degree):
    """The polynomial through f at the Chebyshev nodes, coefficients lowest first."""
    middle, half = (low + high) / 2, (high - low) / 2
    nodes = [middle + half * cos(pi * (2 * k + 1) / (2 * degree + 2)) for k in range(degree + 1)]
    system = matrix(degree + 1, degree + 1)
    for i, x in enumerate(nodes):
        for j in range(degree + 1):
            system[i, j] = x**j
    return list(lu_solve(system, matrix([f(x) for x in nodes])))


def worst(f, coefficients, low, high):
    points = [low + (high - low) * mpf(i) / 301 for i in range(302)]
    return max(abs(sum(c * x**k for k, c in enumerate(coefficients)) / f(x) - 1) for x in points)


def literal(value, single):
    if single:
        return float(struct.unpack("f", struct.pack("f", float(value)))[0]).hex()
    return float(value).hex()


def main():
    wanted = sys.argv[1:]
    for name, (f, low, high, *degrees) in POLYNOMIALS.items():
        if wanted and not any(word in name for word in wanted):
            continue
        for single, degree in zip((True, False), degrees):
            if degree is None:
                continue
            coefficients = chebyshev(f, low, high, degree)
            error = worst(f, coefficients, low, high)
            print(f"// {name}, {'float' if single else 'double'}, relative error {float(error):.1e}")
            for c in coefficients:
                text = literal(c, single)
                mantissa, exponent = text.split("p")
                print(f"    {mantissa.rstrip('0').rstrip('.')}p{exponent}{'F' if single else ''},")


if __name__ == "__main__":
    main()
