# SPDX-License-Identifier: GPL-3.0-or-later
"""Reference of elastica: elliptic integrals."""

from mpmath import asin, cos, ellipe, ellipf, ellipk, findroot, mp, mpf, pi, sin, sqrt

from cantilever import write


def end(alpha):
    """Slope and place of the end for P L^2/EI = alpha: EI/2 theta'^2 = P (sin(theta_end) - sin(theta))."""
    if alpha == 0:
        return mpf(0), mpf(1), mpf(0)

    def parts(theta):
        p = (1 + sin(theta)) / 2  # parameter m = k^2
        return p, asin(1 / sqrt(2 * p))

    def miss(theta):
        p, phi = parts(theta)
        return ellipk(p) - ellipf(phi, p) - sqrt(alpha)

    theta = findroot(miss, (mpf("1e-3"), pi / 2 - mpf("1e-9")), solver="anderson", tol=mpf(10) ** (8 - mp.dps))
    p, phi = parts(theta)
    return theta, sqrt(2 * sin(theta) / alpha), 1 - 2 * (ellipe(p) - ellipe(phi, p)) / sqrt(alpha)


def rows(beam, parts, digits):
    mp.dps = digits
    length, force, bending = mpf(beam.length), mpf(beam.leg.force[1]), mpf(beam.leg.stiffness[5, 5])
    out = []
    for part in parts:
        theta, x, y = end(mpf(part) * force * length**2 / bending)
        moment = -mpf(part) * force * x * length
        out.append([part, x * length, y * length, mpf(0), cos(theta / 2), mpf(0), mpf(0), sin(theta / 2), mpf(0), mpf(0), moment])
    return out


if __name__ == "__main__":
    write("elastica", "elastica", "elastica of Euler; textbooks", exact=rows)
