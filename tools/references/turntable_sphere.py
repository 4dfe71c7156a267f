# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of turntable_sphere: circles in closed form."""

from mpmath import mp, mpf

from common import axes, load_scene, output_times
from mechanism import sidecar, tables
from rolling import Rolling, SphereContact

# the normal force is m g up to rounding, by the method, too
COLUMNS = (
    ["t"]
    + [c for s in ("ball.position", "ball.velocity", "ball.acceleration") for c in axes(s)]
    + [c for s in ("surface.contact", "surface.friction_force") for c in axes(s)]
    + ["motor.effort", *axes("angular_momentum"), "energy.total"]
)
# centre and radius of the circle, of another evaluation
KNOWN = (0.7333333333333334, 0.6, 0.6009252125773316)


def solution(scene, times):
    """z = x + i y, w = wx + i wy: m z'' = F, J w' = -i r F, and r w = Om z + i z' without slip: z'' = i 2/7 Om z'."""
    p, (table, ball) = scene["parameters"], scene["bodies"]
    turn, m, r = (mpf(repr(p[key])) for key in ("Om", "m", "r"))
    z0, v0 = (mp.mpc(*(mpf(repr(p[key])) for key in pair)) for pair in (("x", "y"), ("vx", "vy")))
    J, n, g = 2 * m * r**2 / 5, mpf(2) / 7 * turn, -mpf(repr(scene["gravity"][2]))
    spin, inertia = mpf(repr(ball["angular_velocity"][2])), mpf(repr(table["inertia"][2]))
    centre, rows = z0 - v0 / (1j * n), []
    for t in times:
        v = v0 * mp.expj(n * t)
        z, force = centre + v / (1j * n), m * 1j * n * v
        w = (turn * z + 1j * v) / r
        around = m * 1j * r * v + J * w
        upright = inertia * turn + J * spin + m * (mp.conj(z) * v).imag
        energy = (m * abs(v) ** 2 + J * (abs(w) ** 2 + spin**2) + inertia * turn**2) / 2 + m * g * r
        rows.append(
            [t, z.real, z.imag, r, v.real, v.imag, 0, force.real / m, force.imag / m, 0, z.real, z.imag, 0]
            + [force.real, force.imag, 0, (mp.conj(z) * force).imag, around.real, around.imag, upright, energy]
        )
    known = max(abs(a - b) for a, b in zip((centre.real, centre.imag, abs(v0 / n)), KNOWN))
    return rows, known


class Ball(Rolling):
    """With the table, whose motion is exact, and what drives it."""

    def __init__(self, scene, *rest):
        super().__init__(scene, *rest)
        self.table, self.rate = scene["bodies"][0]["inertia"][2], scene["parameters"]["Om"]

    def recorder(self):
        record = super().recorder()

        def complete(*state):
            row = record(*state)
            (x, y), (fx, fy) = ([row[f"surface.{s}.{c}"] for c in "xy"] for s in ("contact", "friction_force"))
            row["motor.effort"] = x * fy - y * fx
            row["angular_momentum.z"] += self.table * self.rate
            row["energy.total"] += self.table * self.rate**2 / 2
            return row

        return complete


def main():
    scene = load_scene("turntable_sphere")
    p, times = scene["parameters"], output_times(scene)
    rows, known = solution(scene, times)
    mp.dps = 60
    check, _ = solution(scene, times)
    mp.dps = 40
    print(f"turntable_sphere: known circle {float(known):.1e}")
    assert known < 1e-15
    contact, velocity = SphereContact(p["r"], p["Om"]), [p["vx"], p["vy"], 0.0]
    sidecar(
        "turntable_sphere",
        "turntable_sphere.py",
        "Ball on a turntable",
        "textbooks",
        f"closed form, 40 digits, checked with 60; centre and radius of the circle within {float(known):.0e} of another evaluation",
        COLUMNS,
        rows,
        check,
        tables(scene, lambda s: Ball(s, "ball", contact, velocity, "surface")),
    )


if __name__ == "__main__":
    main()
