# SPDX-License-Identifier: GPL-3.0-or-later
"""The generalised-alpha method where constraints leave one coordinate, or none.

Where everything turns about fixed axes and slides along fixed lines, in constant proportions, the method on all bodies
is the method on the one coordinate.  Where nothing is left free, the constraints give the coordinate at the end of a
step and the method its rate and acceleration.  Parameters and starting values as in galpha.py.
"""

import mechanism
from common import ROOT


class Alpha:
    def __init__(self, rho, h):
        self.h = h
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4

    def off(self, jerk):
        """How far v starts off what the constraints hold (S4 eqs. 17 and 56)."""
        return self.h**2 / 6 * (1 - 6 * self.beta - 3 * (self.am - self.af)) * jerk


class Track:
    """A coordinate (a number, complex number or array) that the method leads from place to place."""

    def __init__(self, m, v, vd, jerk):
        self.m, self.v, self.vd, self.a = m, v, vd, vd + (m.am - m.af) * m.h * jerk

    def reach(self, way):
        """(a, v, v') at the end of a step that leads that far."""
        m, h = self.m, self.m.h
        a = (way / h - self.v - (0.5 - m.beta) * h * self.a) / (m.beta * h)
        return a, self.v + h * ((1 - m.gamma) * self.a + m.gamma * a), ((1 - m.am) * a + m.am * self.a - m.af * self.vd) / (1 - m.af)

    def go(self, way):
        self.a, self.v, self.vd = self.reach(way)


def free(second, q, v, rho, h, steps):
    """(t, q, q', q'') of q'' = second(t, q, q') step by step."""
    m = Alpha(rho, h)
    vd = second(0.0, q, v)
    ahead, behind = (second(s, q + s * v + s * s / 2 * vd, v + s * vd) for s in (h, -h))
    track = Track(m, v, vd, (ahead - behind) / (2 * h))
    slope = (1 - m.am) / (1 - m.af) / (m.beta * h * h)
    out = [(0.0, q, v, vd)]
    for n in range(1, steps + 1):
        way, change = h * track.v, 1.0
        while abs(change) > 1e-15 * (1 + abs(way)):
            _, next_v, next_vd = track.reach(way)
            change = (next_vd - second(n * h, q + way, next_v)) / slope
            way -= change
        track.go(way)
        q += way
        out.append((n * h, q, track.v, track.vd))
    return out


def given(angle, start, rho, h, steps):
    """The same for a coordinate that is angle(t); `start`: its first three derivatives at 0."""
    m = Alpha(rho, h)
    v, vd, jerk = start
    track = Track(m, v + m.off(jerk), vd, jerk)
    out = [(0.0, angle(0.0), v, vd)]
    for n in range(1, steps + 1):
        track.go(angle(n * h) - angle((n - 1) * h))
        out.append((n * h, angle(n * h), track.v, track.vd))
    return out


def tables(scene, march, signals):
    """Return what sidecar() of mechanism.py takes: signals at the output times, at the scene's step and at half of it.

    march(rho, h, steps) gives the states, signals(*state) a dictionary.
    """
    options, every = scene["simulation"], scene["output"]["every"]
    steps = round(options["duration"] / options["step"])
    return [
        [signals(*s) for s in march(options["rho_inf"], options["step"] / refine, steps * refine)[:: every * refine]]
        for refine in (1, 2)
    ]


def sidecar(name, *arguments):
    """That of mechanism.py, with the errors measured here."""
    mechanism.sidecar(name, *arguments)
    path = ROOT / "data" / "reference" / f"{name}.json"
    path.write_text(path.read_text().replace("by galpha.py", "by reduced.py"))
