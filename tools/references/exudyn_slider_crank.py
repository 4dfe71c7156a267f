# SPDX-License-Identifier: GPL-3.0-or-later
"""References of exudyn_slider_crank and exudyn_slider_crank_small: the crank's angle."""

import numpy as np

from common import axes, load_scene, output_times
from mechanism import Jet, OneFreedom, Part, cos, planar, sidecar, sin, sqrt, tables

COLUMNS = ["t", "pivot.angle", "pivot.rate"] + axes("slider.position") + axes("slider.velocity") + ["energy.total"]
# title in Exudyn's sources; time, slider's place and crank's rate there, another integration
CASES = {
    "exudyn_slider_crank": ("modelUnitTests.py, SliderCrank2DTest", 1.355064043429, 10.176525166),
    "exudyn_slider_crank_small": ("sliderCrankFloatingTest.py, on a fixed base", 0.294859987001, 6.4377456283),
}


class Crank(OneFreedom):
    def __init__(self, l1, l2, m1, m2, m3, T):
        self.l1, self.l2, self.masses = l1, l2, (m1, m2, m3)
        super().__init__(self.bodies, [0, 0, 0], lambda q, rate: T)

    def slider(self, q):
        s = -(self.l1 / self.l2) * sin(q)
        c = sqrt(1.0 - s * s)
        return s, c, self.l1 * cos(q) + self.l2 * c

    def bodies(self, q):
        s, c, x = self.slider(q)
        (m1, m2, m3), l1, l2 = self.masses, self.l1, self.l2
        angle = s.map(np.arcsin(s.v), 1 / c.v, s.v / c.v**3)
        return [
            Part.flat(m1, m1 * l1**2 / 12, planar(l1 / 2 * cos(q), l1 / 2 * sin(q)), q),
            Part.flat(m2, m2 * l2**2 / 12, planar(l1 * cos(q) + l2 / 2 * c, l1 / 2 * sin(q)), angle),
            Part(m3, np.zeros((3, 3)), planar(x, 0.0)),
        ]

    def table(self, times, tolerance):
        rows = []
        for t, (q, rate) in zip(times, self.solve(0.0, 0.0, times, tolerance)):
            x = self.slider(Jet(q, 1.0))[2]
            rows.append([float(t), q, rate, x.v, 0, 0, x.d * rate, 0, 0, self.energy(q, rate)])
        return rows


def main():
    for name, (title, place, rate) in CASES.items():
        scene = load_scene(name)
        times, model = output_times(scene), Crank(**scene["parameters"])
        rows, check = model.table(times, 2.3e-14), model.table(times, 1e-12)
        balance = max(abs(r[-1] - scene["parameters"]["T"] * r[1]) for r in rows)
        known = max(abs(rows[-1][3] - place), abs(rows[-1][2] - rate))
        print(f"{name}: energy less work {balance:.1e}, known values {known:.1e}")
        # the known rate has nine decimals
        assert balance < 1e-10 and known < 2e-9
        sidecar(
            name,
            "exudyn_slider_crank.py",
            scene["title"],
            f"Exudyn 1.11, TestModels/{title}",
            "equation of motion of the crank's angle, DOP853 at a relative tolerance of 2.3e-14, compared with 1e-12; energy "
            f"less the torque's work within {balance:.0e} J; place of the slider and rate of the crank at the end of another "
            f"integration within {known:.0e}",
            COLUMNS,
            rows,
            check,
            tables(scene),
        )


if __name__ == "__main__":
    main()
