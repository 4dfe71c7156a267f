# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of chaplygin_sleigh: closed form, the path by quadrature."""

import numpy as np
from mpmath import mp, mpf

import galpha
from common import axes, load_scene, output_times
from mechanism import sidecar

COLUMNS = (
    ["t", *axes("sleigh.position"), *axes("sleigh.velocity"), "ice.angle", "ice.rate", *axes("blade.force"), "blade.lambda.0"]
    + ["energy.total"]
)
# speed along the blade, spin, heading, place of the blade at t = 3, of another integration
KNOWN = (1.9067226139377293, 0.08173194822911711, 1.9990796304921614, 0.10251249505068637, 4.668024365815836)


def solution(p, times):
    """Along the blade v' = l w^2 and (J + m l^2) w' = -m l v w: v = V tanh u, w = V/sqrt(I/m) / cosh u, u = k (t + t0)."""
    m, J, l, v0, w0 = (mpf(repr(p[key])) for key in ("m", "J", "l", "speed", "spin"))
    inertia = J / m + l**2
    V = mp.sqrt(v0**2 + inertia * w0**2)
    k = l * V / inertia
    u0 = mp.atanh(v0 / V)
    gd = lambda u: 2 * mp.atan(mp.tanh(u / 2))
    heading = lambda t: V / mp.sqrt(inertia) / k * (gd(k * t + u0) - gd(u0))
    way = lambda t: V * mp.tanh(k * t + u0) * mp.expj(heading(t))
    blade, before, rows = mp.mpc(0), mpf(0), []
    for t in times:
        blade += mp.quad(way, [before, t]) if t > before else 0
        before = t
        v, w, turn = V * mp.tanh(k * t + u0), V / mp.sqrt(inertia) / mp.cosh(k * t + u0), mp.expj(heading(t))
        place, speed = blade + l * turn, (v + 1j * l * w) * turn
        push = m * v * w * (1 - l**2 / inertia)
        force = 1j * push * turn
        rows.append(
            [t, place.real, place.imag, 0, speed.real, speed.imag, 0, heading(t), w, force.real, force.imag, 0, -push]
            + [m * abs(speed) ** 2 / 2 + J * w**2 / 2]
        )
    known = max(abs(a - b) for a, b in zip((v, w, heading(times[-1]), blade.real, blade.imag), KNOWN))
    return rows, known


class Sleigh:
    """x and y of the centre of mass and heading; one nonholonomic row."""

    n, m = 3, 1

    def __init__(self, p):
        self.p, self.inertia = p, np.array([p["m"], p["m"], p["J"]])

    def start(self):
        p = self.p
        return np.array([p["l"], 0.0, 0]), np.array([p["speed"], p["l"] * p["spin"], p["spin"]])

    def plus(self, q, dq):
        return q + dq

    def bracket(self, v, a):
        return np.zeros(3)

    def gradient(self, q):
        return np.array([[-np.sin(q[2]), np.cos(q[2]), -self.p["l"]]])

    def residual(self, q, v, a, lam):
        B = self.gradient(q)
        return self.inertia * a + B.T @ lam, B @ v

    def saddle(self, q, v):
        """The last: gradient of positions, of which there is none."""
        B = self.gradient(q)
        rate = v[2] * np.array([-np.cos(q[2]), -np.sin(q[2]), 0]) @ v
        return np.block([[np.diag(self.inertia), B.T], [B, np.zeros((1, 1))]]), np.array([0, 0, 0, -rate]), np.zeros((1, 3))

    def accelerations(self, q, v):
        S, f, _ = self.saddle(q, v)
        solution = np.linalg.solve(S, f)
        return solution[:3], solution[3:]


def record(system, method):
    q, v, (lam,) = method.nodes, method.v, method.lam
    force = -lam * system.gradient(q)[0]
    values = [0, q[0], q[1], 0, v[0], v[1], 0, q[2], v[2], force[0], force[1], 0, lam, system.inertia @ v**2 / 2]
    return dict(zip(COLUMNS, values))


def simulate(scene, refine):
    options = scene["simulation"]
    h, every = options["step"] / refine, scene["output"]["every"] * refine
    system = Sleigh(scene["parameters"])
    method = galpha.GeneralizedAlpha(system, options["rho_inf"], h)
    method.start(options["start"])
    table = [record(system, method)]
    for n in range(1, round(options["duration"] / h) + 1):
        method.step()
        if n % every == 0:
            table.append(record(system, method))
    return table


def main():
    scene = load_scene("chaplygin_sleigh")
    times = output_times(scene)
    rows, known = solution(scene["parameters"], times)
    mp.dps = 60
    check, _ = solution(scene["parameters"], times)
    mp.dps = 40
    energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
    print(f"chaplygin_sleigh: energy {float(energy):.1e}, known values {float(known):.1e}")
    assert energy < 1e-37 and known < 1e-12
    sidecar(
        "chaplygin_sleigh",
        "chaplygin_sleigh.py",
        "Chaplygin's sleigh",
        "textbooks",
        "closed form with hyperbolic functions, the path by quadrature, 40 digits, checked with 60; velocities, heading and "
        f"place at t = 3 within {float(known):.0e} of another integration",
        COLUMNS,
        rows,
        check,
        [simulate(scene, refine) for refine in (1, 2)],
    )


if __name__ == "__main__":
    main()
