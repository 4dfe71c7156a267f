# SPDX-License-Identifier: GPL-3.0-or-later
"""References of four_bar_chain and four_bar_chain_40: exact reduction to a rotating pendulum, Jacobi elliptic functions."""

from mpmath import ellipfun, ellipk, mp, mpf

import mechanism
from common import axes, load_scene, output_times

# angle of the verticals from the x axis, independent evaluation
KNOWN = {
    "four_bar_chain": {1: -1.7670744763102615, 2: -4.770237034517329, 5: -15.083557159855857, 10: -30.179800860188358},
    "four_bar_chain_40": {1: -1.6864105981149518, 2: -4.746862115241141},
}


def columns(count):
    signals = ("vertical0.position", "vertical0.velocity", "coupler0.position", f"coupler{count - 1}.position")
    return ["t", "base0.angle", "base0.rate"] + [c for s in signals for c in axes(s)] + ["energy.total"]


def solution(parameters, gravity, times):
    """N + 1 rods turn about their ends and N follow in translation; theta from the hanging position, at first pi.

    theta'' = -c sin(theta), c = g ((N + 1)/2 + N) / (L ((N + 1)/3 + N)), theta = 2 am(K - w t/2), w^2 = rate^2 + 4c.
    """
    n, mass, length = (mpf(parameters[key]) for key in ("N", "m", "L"))
    rate0 = mpf(parameters["speed"]) / length
    level, inertia = (n + 1) / 2 + n, (n + 1) / 3 + n
    c = gravity * level / inertia / length
    w = mp.sqrt(rate0**2 + 4 * c)
    m = 4 * c / w**2
    quarter, sn, dn = ellipk(m), ellipfun("sn"), ellipfun("dn")
    rows = []
    for t in times:
        u = quarter - w * t / 2
        turns = mp.nint(u / (2 * quarter))
        theta = 2 * (mp.pi * turns + mp.asin(sn(u - 2 * quarter * turns, m=m)))
        rate = -w * dn(u, m=m)
        end = length * mp.expj(theta - mp.pi / 2)
        x, y = end.real, end.imag
        energy = mass * (inertia * (length * rate) ** 2 / 2 + gravity * level * y)
        rows.append(
            [t, theta - mp.pi, rate, x / 2, y / 2, 0, -y * rate / 2, x * rate / 2, 0]
            + [x + length / 2, y, 0, x + (n - mpf(1) / 2) * length, y, 0, energy]
        )
    return rows


def regular(scene):
    """The same motions by constraints without singular positions: the couplers keep their angle, the verticals one angle.

    The method's steps depend on the manifold that the constraints define and not on their form.
    """
    count = scene["parameters"]["N"]
    hinges = [joint for joint in scene["joints"] if not joint["name"].startswith("right")]
    locks = [(None, f"coupler{i}") for i in range(count)]
    locks += [(f"vertical{i}", f"vertical{i + 1}") for i in range(count)]
    return mechanism.Planar({**scene, "joints": hinges}, locks)


def main():
    for name, published in KNOWN.items():
        scene = load_scene(name)
        count = scene["parameters"]["N"]
        times, gravity = output_times(scene), -mpf(repr(scene["gravity"][1]))
        rows = solution(scene["parameters"], gravity, times)
        mp.dps = 60
        check = solution(scene["parameters"], gravity, times)
        mp.dps = 40
        energy = max(abs(r[-1] - rows[0][-1]) for r in rows)
        known = max(abs(r[1] + mp.pi / 2 - published[int(r[0])]) for r in rows if r[0] in published)
        print(f"{name}: energy {float(energy):.1e}, known values {float(known):.1e}")
        # the known angles are doubles of up to 30 rad, integrated
        assert energy < 1e-33 and known < 1e-11
        mechanism.sidecar(
            name,
            "four_bar_chain.py",
            f"Chain of {'two' if count == 2 else count} four-bar linkages",
            f"IFToMM library of computational benchmark problems, A02, N = {count}",
            "exact reduction to a pendulum that turns over, closed form with Jacobi elliptic functions, 40 digits, checked with "
            f"60; the energy holds to {float(energy):.0e} J; angles at t = {', '.join(map(str, published))} s of another "
            f"evaluation within {float(known):.0e} rad",
            columns(count),
            rows,
            check,
            mechanism.tables(scene, regular),
        )


if __name__ == "__main__":
    main()
