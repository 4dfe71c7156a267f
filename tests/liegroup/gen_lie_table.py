#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference values for the Lie group tests, by mpmath.

  python3 tests/liegroup/gen_lie_table.py > tests/liegroup/lie_table.h    values to 60 digits, rounded to double
  python3 tests/liegroup/gen_lie_table.py --series                        the power series of include/torsor/lie/coefficients.h

Inputs are doubles, taken as exact.  Scalar functions are evaluated from their definitions with as
many digits as their cancellation needs; T from its defining series sum (-ad)^i/(i+1)!, T^-1 as the
inverse matrix, derivatives by central differences in high precision: none of the formulas under
test is used.
"""
import random
import sys

import mpmath as mp

mp.mp.dps = 70
ANGLES = [0.0, 1e-300, 1e-160, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2,
          1e-1, 0.3, 0.5, 0.9, 1.0, 1.5, 2.0, 2.5, 3.0, float(mp.pi) - 1e-6, float(mp.pi), 4.0, 4.4,
          4.5, 5.0, 6.0]
SWITCHES = [1.0, 4.0, 20.0]  # of coefficients.h, in x = t^2
STEP = mp.mpf(10) ** -20  # of central differences: error 1e-40, round-off 1e-50


def number(value):
    """Shortest text of the nearest double."""
    return repr(float(value))


# ---- scalar functions of x = t^2 ----

def scalars(x):
    """cos(t/2), sin(t/2)/t, s1, s2, s3, T: a1 b1 a2 b2, T^-1: b b1 b2 (names of coefficients.h)."""
    if x == 0:
        f = mp.factorial
        return [mp.mpf(1), mp.mpf(1) / 2, mp.mpf(1), mp.mpf(1) / 2, mp.mpf(1) / 6,
                2 / f(4), -2 / f(5), -8 / f(6), 8 / f(7),
                mp.mpf(1) / 12, mp.mpf(1) / 360, mp.mpf(1) / 3780]
    with mp.workdps(70 + 10 * max(0, -int(mp.log10(x)))):
        x = mp.mpf(x)
        t = mp.sqrt(x)
        s, c = mp.sin(t), mp.cos(t)
        s1, s2, s3 = s / t, (1 - c) / x, (t - s) / t**3
        a1, b1 = (2 * s2 - s1) / x, (s2 - 3 * s3) / x
        a2, b2 = (s2 - s3 - 4 * a1) / x, (-a1 - 5 * b1) / x
        k = (1 - (t / 2) * mp.cot(t / 2)) / x
        k1 = 2 * mp.diff(lambda y: (1 - (mp.sqrt(y) / 2) * mp.cot(mp.sqrt(y) / 2)) / y, x)
        k2 = 4 * mp.diff(lambda y: (1 - (mp.sqrt(y) / 2) * mp.cot(mp.sqrt(y) / 2)) / y, x, 2)
        return [mp.cos(t / 2), mp.sin(t / 2) / t, s1, s2, s3, a1, b1, a2, b2, k, k1, k2]


def scalar_inputs():
    xs = {t * t for t in ANGLES if t * t > 1e-200 or t == 0}
    for s in SWITCHES:
        below = float(mp.mpf(s) * (1 - mp.mpf(2) ** -53))
        xs |= {below, s, 0.9 * s, 1.1 * s}
    rng = random.Random(1)
    return sorted(xs | {rng.uniform(0, 36) for _ in range(60)} | {38.0, 39.0, 39.4})


# ---- SE(3) ----

def skew(v):
    return mp.matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def ad(h):
    A = mp.zeros(6)
    W, U = skew(h[3:]), skew(h[:3])
    for i in range(3):
        for j in range(3):
            A[i, j] = A[3 + i, 3 + j] = W[i, j]
            A[i, 3 + j] = U[i, j]
    return A


def tan(h):
    A = -ad(h)
    total, term, i = mp.eye(6), mp.eye(6), 1
    while True:
        term = term * A / (i + 1)
        total += term
        i += 1
        if i > 12 and mp.mnorm(term, 'f') < mp.mpf(10) ** -68:
            return total


def gradient(f, h):
    columns = []
    for k in range(6):
        up, down = list(h), list(h)
        up[k] += STEP
        down[k] -= STEP
        columns.append((f(up) - f(down)) / (2 * STEP))
    return columns


def dtan(h, k):
    return gradient(lambda y: tan(y) * mp.matrix(k), h)


def dtaninvt(h, l):
    return gradient(lambda y: mp.lu_solve(tan(y).T, mp.matrix(l)), h)


def quaternion(w):
    t = mp.sqrt(sum(c * c for c in w))
    s = mp.sin(t / 2) / t if t else mp.mpf(1) / 2
    return [mp.cos(t / 2)] + [s * c for c in w]


def log_quaternion(q):
    s = mp.sqrt(sum(c * c for c in q[1:]))
    if s == 0:
        return [mp.mpf(0)] * 3
    sign = -1 if q[0] < 0 else 1
    factor = sign * 2 * mp.atan2(s, sign * q[0]) / s
    return [factor * c for c in q[1:]]


def block(columns, row, column):
    return [columns[column + j][row + i] for i in range(3) for j in range(3)]


def point(angle, rng):
    """One row of the table: the fields of struct lie_point."""
    n = [rng.gauss(0, 1) for _ in range(3)]
    size = sum(c * c for c in n) ** 0.5
    w = [angle * c / size for c in n]
    u, a, x = ([rng.uniform(-1, 1) for _ in range(3)] for _ in range(3))
    b = [rng.uniform(-1, 1) for _ in range(3)]
    exact = lambda v: [mp.mpf(c) for c in v]
    h, k = exact(u + w), exact(a + b)
    T = tan(h)
    columns = [T[:, j] for j in range(6)]
    inverse = T**-1
    inverses = [inverse[:, j] for j in range(6)]
    G, D = dtan(h, k), dtaninvt(h, k)
    R = quaternion(exact(w))
    position = T[0:3, 0:3].T * mp.matrix(exact(u))
    q = [float(c) for c in R]
    lw = log_quaternion(exact(q))
    lu = mp.lu_solve(tan([0, 0, 0] + lw)[0:3, 0:3].T, mp.matrix(exact(x)))
    return [u + w, k, R, position, block(columns, 0, 0), block(columns, 0, 3),
            block(inverses, 0, 0), block(inverses, 0, 3), block(G, 0, 0), block(G, 0, 3),
            block(D, 0, 3), block(D, 3, 3), q, x, list(lu) + lw]


def wrap(values, indent):
    lines, line = [], indent
    for text in values:
        if len(line) + len(text) + 1 > 98:
            lines.append(line.rstrip())
            line = indent
        line += text + " "
    return lines + [line.rstrip()]


def print_header():
    print('/* SPDX-License-Identifier: GPL-3.0-or-later */')
    print('/* Generated by tests/liegroup/gen_lie_table.py (mpmath, 60 digits) from the root of the tree; do not')
    print(' * edit: python3 tests/liegroup/gen_lie_table.py > tests/liegroup/lie_table.h */')
    print('/* clang-format off */')
    print('#ifndef TORSOR_TESTS_LIE_TABLE_H\n#define TORSOR_TESTS_LIE_TABLE_H\n')
    print('/* Scalar functions of x, named as in torsor/lie/coefficients.h. */')
    print('struct lie_scalars {\n  double x, c, h, s1, s2, s3, a1, b1, a2, b2, k, k1, k2;\n};\n')
    print('static const struct lie_scalars lie_scalars_table[] = {')
    for x in scalar_inputs():
        row = [number(v) for v in [x] + scalars(x)]
        row = ['{' + row[0]] + row[1:-1] + [row[-1] + '}']
        print('\n'.join(wrap([v + ',' for v in row], '  ')))
    print('};\n')
    print('/* h = (u, w), k = (a, b): exp(h) = (R, position); 3x3 blocks of T, T^-1, D(T k) and')
    print(' * D(T^-T k); log of the frame (log_R, log_x). */')
    print('struct lie_point {\n  double h[6], k[6], R[4], position[3];')
    print('  double T3[9], Tuw[9], T3inv[9], Tuwinv[9], dT3[9], dTuw[9], dN3[9], dNuw[9];')
    print('  double log_R[4], log_x[3], log[6];\n};\n')
    print('static const struct lie_point lie_point_table[] = {')
    rng = random.Random(20240607)
    for angle in ANGLES:
        print('  {')
        for field in point(angle, rng):
            body = [number(v) + ',' for v in field]
            print('\n'.join(wrap(['{'] + body + ['},'], '    ')))
        print('  },')
    print('};\n\n#endif')


# ---- series of coefficients.h ----

def tail(j):
    """Coefficient of x^j in the sum over n >= 3 of 2/((2 pi n)^2 - x)."""
    e = 2 * j + 2
    return 2 / (2 * mp.pi) ** e * (mp.zeta(e) - 1 - mp.mpf(2) ** -e)


def print_series():
    f = mp.factorial
    series = {
        'half c': (9, lambda j: 1 / (4**j * f(2 * j))),
        'half h': (8, lambda j: 1 / (2 * 4**j * f(2 * j + 1))),
        's3': (12, lambda j: 1 / f(2 * j + 3)),
        'tan a1': (17, lambda j: 2 * (j + 1) / f(2 * j + 4)),
        'tan b1': (17, lambda j: -2 * (j + 1) / f(2 * j + 5)),
        'tan a2': (17, lambda j: -4 * (j + 1) * (j + 2) / f(2 * j + 6)),
        'tan b2': (17, lambda j: 4 * (j + 1) * (j + 2) / f(2 * j + 7)),
        'taninv b': (16, tail),
        'taninv b1': (16, lambda j: 2 * (j + 1) * tail(j + 1)),
        'taninv b2': (16, lambda j: 4 * (j + 1) * (j + 2) * tail(j + 2)),
    }
    for name, (n, term) in series.items():
        print(name + ': ' + ', '.join(mp.nstr(term(j), 17, strip_zeros=False, min_fixed=-1,
                                              max_fixed=1) for j in range(n)))


if __name__ == '__main__':
    if sys.argv[1:] == ['--series']:
        print_series()
    elif len(sys.argv) == 1:
        print_header()
    else:
        sys.exit(__doc__)
