# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of rope_winch: the payload's height by DOP853, and with it the work of the winch."""

import numpy as np
from scipy.integrate import solve_ivp

from common import evaluate, load_scene, output_times
from reduced import free, sidecar, tables

COLUMNS = ["t", "load.position.z", "load.velocity.z", "hoist.tension", "hoist.work"]


class Payload:
    """m z'' = T - m g with T = EA (-z/l - 1), l = l_0 - v t; the winch's power is (T + T^2/(2 EA)) v."""

    def __init__(self, scene):
        self.p = {key: evaluate(str(value), {}) for key, value in scene["parameters"].items()}
        self.start = -self.p["l"] * (1 + self.p["m"] * self.p["g"] / self.p["EA"])

    def tension(self, t, z):
        return self.p["EA"] * (-z / (self.p["l"] - self.p["v"] * t) - 1)

    def acceleration(self, t, z, _=None):
        return self.tension(t, z) / self.p["m"] - self.p["g"]

    def rates(self, t, y):
        tension = self.tension(t, y[0])
        return [y[1], self.acceleration(t, y[0]), (tension + tension**2 / (2 * self.p["EA"])) * self.p["v"]]

    def gain(self, t, z, speed):
        """The work of the winch, as what the energy has gained since the start."""
        return self.energy(t, z, speed) - self.energy(0.0, self.start, 0.0)

    def energy(self, t, z, speed):
        length = self.p["l"] - self.p["v"] * t
        stretch = -z - length
        return self.p["m"] * (speed**2 / 2 + self.p["g"] * z) + self.p["EA"] * stretch**2 / (2 * length)


def main():
    scene = load_scene("rope_winch")
    payload = Payload(scene)
    times = [float(t) for t in output_times(scene)]

    def table(tolerance):
        y = solve_ivp(payload.rates, (0, times[-1]), [payload.start, 0, 0], "DOP853", times, rtol=tolerance, atol=tolerance).y
        return [[t, c[0], c[1], payload.tension(t, c[0]), c[2]] for t, c in zip(times, y.T)]

    rows = table(1e-13)
    off = [payload.gain(*row[:3]) - row[4] for row in rows]
    assert np.abs(off).max() < 1e-6, "work is what the energy gains"
    sidecar(
        "rope_winch",
        "rope_winch.py",
        scene["title"],
        "own equation of motion of the payload's height",
        "DOP853 at 1e-13, checked with 1e-12, and its energy against the work",
        COLUMNS,
        rows,
        table(1e-12),
        tables(
            scene,
            lambda *a: free(payload.acceleration, payload.start, 0.0, *a),
            lambda t, z, speed, _: dict(zip(COLUMNS, [t, z, speed, payload.tension(t, z), payload.gain(t, z, speed)])),
        ),
        "; the method's error by reduced.py",
    )


if __name__ == "__main__":
    main()
