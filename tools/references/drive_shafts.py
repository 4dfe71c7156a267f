# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of drive_shafts: the rate of Cardan's joint in closed form."""

import math

from common import axes, load_scene, mp, mpf, output_times
from reduced import given, sidecar, tables


class Shafts:
    """The first shaft turns by w t from where its arm lies in the plane of the first two shafts."""

    def __init__(self, p, maths, b):
        self.p, self.maths, self.b, self.c, self.s = p, maths, b, maths.cos(b), maths.sin(b)

    def angle(self, t):
        """Of the second shaft: tan = tan(w t)/cos b."""
        x = self.p["w"] * t
        # the difference to w t is small and smooth
        return x + self.maths.atan2((1 - self.c) * self.maths.sin(2 * x) / 2, self.c * self.maths.cos(x) ** 2 + self.maths.sin(x) ** 2)

    def rate(self, t):
        return self.p["w"] * self.c / (1 - (self.s * self.maths.cos(self.p["w"] * t)) ** 2)

    def second(self, t):
        return -self.rate(t) ** 2 * self.s**2 * self.maths.sin(2 * self.p["w"] * t) / self.c

    def signals(self, t, _, v, a):
        ratio = self.rate(t) / self.p["w"]
        none = dict.fromkeys(
            axes("second.angular_velocity") + axes("second.angular_acceleration") + axes("third.angular_velocity"), 0.0
        )
        return {
            "t": t,
            **none,
            "second.angular_velocity.z": v,
            "second.angular_acceleration.z": a,
            "third.angular_velocity.z": v,
            "motor.effort": (2 * self.p["J"] * a + self.p["T"]) * ratio,
        }


def main():
    scene = load_scene("drive_shafts")
    precise = {key: mpf(str(scene["parameters"][key])) for key in ("w", "T", "J")}
    known = {key: float(value) for key, value in precise.items()}
    exact = Shafts(precise, mp, mp.pi / 6)
    rough = Shafts(known, math, math.pi / 6)
    assert scene["parameters"]["b"] == rough.b
    rows = [exact.signals(t, 0, exact.rate(t), exact.second(t)) for t in output_times(scene)]
    columns = list(rows[0])
    table = [[row[c] for c in columns] for row in rows]
    jerk = float(mp.diff(exact.second, 0))
    assert abs(float(mp.diff(exact.angle, 0.37)) - float(exact.rate(mpf("0.37")))) < 1e-9
    assert abs(float(mp.diff(exact.rate, 0.37)) - float(exact.second(mpf("0.37")))) < 1e-9

    def march(rho, h, steps):
        return given(rough.angle, (rough.rate(0.0), rough.second(0.0), jerk), rho, h, steps)

    sidecar(
        "drive_shafts",
        "drive_shafts.py",
        scene["title"],
        "Cardan's rate in closed form, w2 = w cos b/(1 - sin^2 b cos^2 wt); the power of motor and load",
        "closed form, 40 digits",
        columns,
        table,
        table,
        tables(scene, march, rough.signals),
        "; the method's error by reduced.py on the second shaft's given angle",
    )


if __name__ == "__main__":
    main()
