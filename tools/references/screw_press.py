# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of screw_press: a damped oscillation in closed form."""

import math

from common import load_scene, mp, mpf, output_times
from reduced import free, sidecar, tables


class Press:
    """z: travel of spindle and ram from the start; the workpiece is a spring of free length z0 = 0.3 m."""

    def __init__(self, p, pi):
        self.p, self.lead = p, p["pitch"] / (2 * pi)
        self.mass = p["m_spindle"] + p["m_ram"] + p["J"] / self.lead**2
        self.push = -p["T"] / self.lead - (p["m_spindle"] + p["m_ram"]) * p["g"]

    def second(self, t, z, v):
        return (self.push - self.p["k"] * z - self.p["c"] * v) / self.mass

    def signals(self, t, z, v, a):
        p = self.p
        tip = p["k"] * z + p["c"] * v + p["m_ram"] * (a + p["g"])  # of the spindle on the ram
        return {
            "t": t,
            "thread.angle": z / self.lead,
            "thread.rate": v / self.lead,
            "thread.travel": z,
            "guide.travel": z,
            "guide.speed": v,
            "tip.force.z": -tip,
        }


def exact(press, t):
    p = press.p
    rest, d = press.push / p["k"], p["c"] / (2 * press.mass)
    w = mp.sqrt(p["k"] / press.mass - d**2)
    fade, c, s = mp.exp(-d * t), mp.cos(w * t), mp.sin(w * t)
    z = rest * (1 - fade * (c + d / w * s))
    v = rest * fade * s * (w + d**2 / w)
    return press.signals(t, z, v, press.second(t, z, v))


def main():
    scene = load_scene("screw_press")
    precise = {key: mpf(str(value)) for key, value in scene["parameters"].items()}
    press = Press(precise, mp.pi)
    rough = Press({key: float(value) for key, value in precise.items()}, math.pi)
    rows = [exact(press, t) for t in output_times(scene)]
    columns = list(rows[0])
    table = [[row[c] for c in columns] for row in rows]

    def march(rho, h, steps):
        return free(rough.second, 0.0, 0.0, rho, h, steps)

    sidecar(
        "screw_press",
        "screw_press.py",
        scene["title"],
        "closed form: a damped oscillator of mass m + J (2 pi/pitch)^2 under a constant force",
        "closed form, 40 digits",
        columns,
        table,
        table,
        tables(scene, march, rough.signals),
        "; the method's error by reduced.py on the one freedom",
    )


if __name__ == "__main__":
    main()
