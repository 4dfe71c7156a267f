# SPDX-License-Identifier: GPL-3.0-or-later
"""Taylor series integration in multiprecision of the two ordinary differential equations needed."""

from mpmath import lu_solve, matrix, mp, mpf

from common import cross, rotate


def product(a, b, k):
    """Coefficient k of the product of two series."""
    return mp.fdot(a[: k + 1], b[k::-1])


def horner(series, h):
    value = mpf(0)
    for c in reversed(series):
        value = value * h + c
    return value


class FixedPointBody:
    """Rigid body about a fixed point: principal inertia there, centre of mass, mass, gravity along -z.

    State: unit quaternion (w, x, y, z) and body angular velocity. With n = R^T e_z
        J W' = -W x J W - m g X x n,   n' = n x W,   q' = q W / 2,
    all quadratic, so the series follow from products of series.
    """

    def __init__(self, inertia, offset=(0, 0, 0), mass=0, gravity=0):
        self.inertia = [mpf(j) for j in inertia]
        self.arm = [mpf(mass) * mpf(gravity) * mpf(x) for x in offset]

    def angular_acceleration(self, state):
        q, w = state[:4], state[4:]
        n = rotate([q[0], -q[1], -q[2], -q[3]], [mpf(0), mpf(0), mpf(1)])
        gyro = cross(w, [j * c for j, c in zip(self.inertia, w)])
        load = cross(self.arm, n)
        return [-(gyro[i] + load[i]) / self.inertia[i] for i in range(3)]

    def step(self, state, h, degree):
        q = [[c] for c in state[:4]]
        w = [[c] for c in state[4:]]
        conjugate = [state[0], -state[1], -state[2], -state[3]]
        n = [[c] for c in rotate(conjugate, [mpf(0), mpf(0), mpf(1)])]
        for k in range(degree):
            dw, dn, dq = self._derivatives(q, w, n, k)
            for series, rate in zip(q + w + n, dq + dw + dn):
                series.append(rate / (k + 1))
        end = [horner(series, h) for series in q + w]
        norm = mp.sqrt(mp.fdot(end[:4], end[:4]))
        return [c / norm for c in end[:4]] + end[4:]

    def _derivatives(self, q, w, n, k):
        j, arm = self.inertia, self.arm
        dw, dn = [], []
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            gyro = (j[b] - j[a]) * product(w[a], w[b], k)
            load = arm[a] * n[b][k] - arm[b] * n[a][k]
            dw.append(-(gyro + load) / j[i])
            dn.append(product(n[a], w[b], k) - product(n[b], w[a], k))
        dq = [-sum(product(q[i + 1], w[i], k) for i in range(3)) / 2]
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            turn = product(q[a + 1], w[b], k) - product(q[b + 1], w[a], k)
            dq.append((product(q[0], w[i], k) + turn) / 2)
        return dw, dn, dq


class PlanarChain:
    """Chain of equal bars in a plane, absolute angles from the x axis, gravity along -y.

    State: angles, rates. M_ij = C_ij cos(th_i - th_j),
        M th'' = -C_ij sin(th_i - th_j) th_j'^2 - G_i cos th_i.
    """

    def __init__(self, bars, mass, length, inertia, gravity):
        self.n = bars
        mass, length = mpf(mass), mpf(length)
        arm = [[length if k < i else length / 2 if k == i else mpf(0) for k in range(bars)] for i in range(bars)]
        self.arm = arm
        self.coupling = [
            [mass * sum(arm[i][k] * arm[i][m] for i in range(bars)) + (inertia if k == m else 0) for m in range(bars)]
            for k in range(bars)
        ]
        self.weight = [mass * mpf(gravity) * sum(arm[i][k] for i in range(bars)) for k in range(bars)]

    def accelerations(self, state):
        """Angular accelerations."""
        return [2 * series[2] for series in self._series(state, 2)]

    def step(self, state, h, degree):
        series = self._series(state, degree)
        rates = [[k * s[k] for k in range(1, degree + 1)] for s in series]
        return [horner(s, h) for s in series + rates]

    def _series(self, state, degree):
        n = self.n
        th = [[state[i], state[n + i]] for i in range(n)]
        pairs = [(i, j) for i in range(n) for j in range(i + 1, n)]
        angles = {(i, j): (lambda k, i=i, j=j: th[i][k] - th[j][k]) for i, j in pairs}
        angles.update({(i,): (lambda k, i=i: th[i][k]) for i in range(n)})
        sin = {key: [mp.sin(a(0))] for key, a in angles.items()}
        cos = {key: [mp.cos(a(0))] for key, a in angles.items()}
        acceleration = [[] for _ in range(n)]
        mass0 = matrix(n, n)
        for i in range(n):
            for j in range(n):
                mass0[i, j] = self.coupling[i][j] * (cos[min(i, j), max(i, j)][0] if i != j else 1)
        for k in range(degree - 1):
            if k > 0:
                for key, a in angles.items():
                    rate = [m * a(m) for m in range(1, k + 1)]
                    sin[key].append(mp.fdot(rate, cos[key][k - 1 :: -1]) / k)
                    cos[key].append(-mp.fdot(rate, sin[key][k - 1 :: -1]) / k)
            solution = lu_solve(mass0, self._load(th, sin, cos, acceleration, k))
            for i in range(n):
                acceleration[i].append(solution[i])
                th[i].append(solution[i] / ((k + 1) * (k + 2)))
        return th

    def _load(self, th, sin, cos, acceleration, k):
        n = self.n
        rates = [[(m + 1) * s[m + 1] for m in range(k + 1)] for s in th]
        square = [[product(r, r, m) for m in range(k + 1)] for r in rates]
        load = matrix(n, 1)
        for i in range(n):
            load[i] = -self.weight[i] * cos[i,][k]
            for j in range(n):
                if i == j:
                    continue
                key, sign = ((i, j), 1) if i < j else ((j, i), -1)
                load[i] -= self.coupling[i][j] * sign * product(sin[key], square[j], k)
                inertial = mp.fdot(cos[key][1 : k + 1], acceleration[j][k - 1 :: -1]) if k > 0 else 0
                load[i] -= self.coupling[i][j] * inertial
        return load


def trajectory(system, state, times, step, degree):
    """States at the given times, with steps no longer than `step` that end on every time."""
    states, now = [state], times[0]
    for t in times[1:]:
        count = int(mp.ceil((t - now) / mpf(step) - mpf(10) ** -20))
        h = (t - now) / count
        for _ in range(count):
            state = system.step(state, h, degree)
        states.append(state)
        now = t
    return states
