# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of gear_train: the carrier's angle in closed form, everything else in proportion."""

import cmath
import math

from common import evaluate, load_scene, mp, mpf, output_times
from reduced import Alpha, Track, sidecar, tables


class Train:
    """One freedom, the carrier's angle; `cos` of the numbers that it is fed with."""

    def __init__(self, p, cos):
        self.p, self.cos = p, cos
        self.motor = p["r_carrier"] / p["r_motor"]
        self.planet = -p["r_ring"] / p["r_planet"]  # against the carrier
        self.sun = p["r_ring"] / p["r_sun"]  # against the carrier
        self.inertia = (
            p["J_motor"] * self.motor**2
            + p["J_carrier"]
            + p["J_sun"] * (1 + self.sun) ** 2
            + 3 * (p["m_planet"] * p["R"] ** 2 + p["J_planet"] * (1 + self.planet) ** 2)
            + p["m_rack"] * p["r_rack"] ** 2
        )
        self.drag = p["drag"] * self.motor**2
        self.load = p["m_rack"] * p["g"] * p["r_rack"] + p["T_sun"] * (1 + self.sun)

    def torque(self, t):
        return self.p["T0"] + self.p["T1"] * self.cos(self.p["w"] * t)

    def second(self, t, v):
        return (self.motor * self.torque(t) - self.load - self.drag * v) / self.inertia

    def signals(self, t, q, v, a):
        p = self.p
        mesh = (p["J_sun"] * (1 + self.sun) * a + p["T_sun"]) / 3
        return {
            "t": t,
            "shaft.angle": self.motor * q,
            "main.angle": q,
            "main.rate": v,
            "inner.angle": self.sun * q,
            "pin1.angle": self.planet * q,
            "guide.travel": p["r_rack"] * q,
            "belt.effort": self.motor * (p["J_motor"] * a + p["drag"] * v) - self.torque(t),
            "sun_mesh0.effort": mesh,
            "sun_mesh2.effort": mesh,
            "teeth.effort": p["m_rack"] * (p["r_rack"] * a + p["g"]),
        }


def exact(train, t):
    """q'' = steady + swing cos wt - k q' from rest."""
    p, steady = train.p, (train.motor * train.p["T0"] - train.load) / train.inertia
    swing, w, k = train.motor * p["T1"] / train.inertia, p["w"], train.drag / train.inertia
    gone, part = 1 - mp.exp(-k * t), swing / (k**2 + w**2)
    c, s = mp.cos(w * t), mp.sin(w * t)
    v = steady / k * gone + part * (k * c + w * s - k * (1 - gone))
    q = steady / k * (t - gone / k) + part * (k * s / w + (1 - c) - gone)
    return train.signals(t, q, v, train.second(t, v))


def simulate(train, rho, h, steps):
    """The carrier's angle, to which all rotations and the rack are proportional, and the centre of a planet, which the
    method moves along straight lines from place to place; by symmetry the three do alike."""
    p, m = train.p, Alpha(rho, h)
    orbit = 3 * p["m_planet"] * p["R"] ** 2
    v, vd = 0.0, train.second(0.0, 0.0)
    jerk = -train.drag * vd / train.inertia  # the torque's rate is 0 at the start
    angle, centre = Track(m, v, vd, jerk), Track(m, 0j, 1j * vd, 1j * jerk)  # centre over R, in the complex plane
    q, out = 0.0, [(0.0, 0.0, v, vd)]

    def lack(t, way):
        """Torque that is missing at the end of a step."""
        _, rate, second = angle.reach(way)
        across = 1j * cmath.exp(1j * (q + way))
        pull = centre.reach(cmath.exp(1j * q) * (cmath.exp(1j * way) - 1))[2]
        given = train.motor * train.torque(t) - train.load - train.drag * rate
        return (train.inertia - orbit) * second + orbit * (pull * across.conjugate()).real - given

    for n in range(1, steps + 1):
        slope = train.inertia * (1 - m.am) / (1 - m.af) / (m.beta * h * h)
        way, change = h * angle.v, 1.0
        while abs(change) > 1e-15 * (1 + abs(way)):
            change = lack(n * h, way) / slope
            way -= change
        centre.go(cmath.exp(1j * q) * (cmath.exp(1j * way) - 1))
        angle.go(way)
        q += way
        out.append((n * h, q, angle.v, angle.vd))
    return out


def main():
    scene = load_scene("gear_train")
    known, precise = {}, {}
    text = {k: str(v) for k, v in scene["parameters"].items()}
    for key, value in text.items():
        known[key] = evaluate(value, known)
        precise[key] = mpf(value)  # the decimal that stands in the scene
    p = precise
    p["r_ring"], p["R"] = p["r_sun"] + 2 * p["r_planet"], p["r_sun"] + p["r_planet"]
    train, rough = Train(precise, mp.cos), Train(known, math.cos)
    rows = [exact(train, t) for t in output_times(scene)]
    columns = list(rows[0])
    table = [[row[c] for c in columns] for row in rows]

    def march(rho, h, steps):
        return simulate(rough, rho, h, steps)

    sidecar(
        "gear_train",
        "gear_train.py",
        scene["title"],
        "rigid gears: closed form of the one freedom, loads of the three planets equal",
        "closed form, 40 digits",
        columns,
        table,
        table,
        tables(scene, march, rough.signals),
        "; the method's error on the carrier's angle and the path of a planet",
    )


if __name__ == "__main__":
    main()
