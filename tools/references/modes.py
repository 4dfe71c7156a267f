# SPDX-License-Identifier: GPL-3.0-or-later
"""References of the scenes NAME_modes: eigenvalues of the continuous beams, of pendulums, of a published bicycle.

Straight beams: all fields are polynomials, in the energy of the continuum (Rayleigh and Ritz, with digits that no longer change with
the degree); rings and shafts: waves, the roots of a polynomial.  They are held against the numbers of Euler and Bernoulli."""

from dataclasses import dataclass, replace

import numpy as np
from mpmath import atan2, cos, diag, diff, matrix, mp, mpf, polyroots, sin, sqrt
from numpy.polynomial import Legendre
from scipy.linalg import null_space

from common import EPS, evaluate, load_scene, write_csv, write_sidecar
from mode_mesh import blade_mesh, gyroscopic, held, line, undamped
from whipple_bicycle import DAMPING, MASS, STIFFNESS_0, STIFFNESS_2

DEGREES = (20, 26)
POINTS, WEIGHTS = np.polynomial.legendre.leggauss(60)
POINTS, WEIGHTS = (POINTS + 1) / 2, WEIGHTS / 2


# ---- polynomials -------------------------------------------------------------------------------


class Fields:
    """Values and slopes at the points of quadrature of `count` fields of a degree on [0, 1]: [points, unknowns]."""

    def __init__(self, count, degree):
        basis = [Legendre.basis(k, [0, 1]) for k in range(degree + 1)]
        self.count, self.size = count, degree + 1
        self.values = np.array([p(POINTS) for p in basis]).T
        self.slopes = np.array([p.deriv()(POINTS) for p in basis]).T
        self.start, self.end = (np.array([p(at) for p in basis]) for at in (0.0, 1.0))

    def spread(self, block, k):
        out = np.zeros((len(POINTS), self.count * self.size))
        out[:, k * self.size : (k + 1) * self.size] = block
        return out

    def __call__(self, k):
        return self.spread(self.values, k), self.spread(self.slopes, k)

    def at(self, k, end):
        """Row of the unknowns: field k at the start or the end."""
        return self.spread(np.tile(self.end if end else self.start, (len(POINTS), 1)), k)[0]

    def clamped(self, matrices):
        """On the fields that are 0 at the start, one after the other."""
        Z = np.kron(np.eye(self.count), null_space(self.start[None]))
        return [Z.T @ X @ Z for X in matrices]


def restrained(matrices, rows):
    """On the fields that make the rows 0."""
    Z = null_space(np.array(rows)) if len(rows) else np.eye(len(matrices[0]))
    return [Z.T @ X @ Z for X in matrices]


def integral(a, b, weight=1.0):
    return a.T @ ((WEIGHTS * weight)[:, None] * b)


def bending(length, stiffness, inertia, degree, ends):
    """Timoshenko's beam: v and the angle; stiffness (EA, GA, EI), inertia (m, m, J); the fields that are 0 at the start and the end."""
    fields = Fields(2, degree)
    (v, dv), (a, da) = fields(0), fields(1)
    shear = dv / length - a
    K = length * (stiffness[1] * integral(shear, shear) + stiffness[2] / length**2 * integral(da, da))
    M = length * (inertia[0] * integral(v, v) + inertia[2] * integral(a, a))
    return undamped(*restrained((K, M), [fields.at(k, end) for end in (0, 1) for k in ends[end]]))


def leg(stiffness, inertia, degree):
    """A beam of length 1: its fields u, v and the angle, K, M."""
    fields = Fields(3, degree)
    (u, du), (v, dv), (a, da) = (fields(k) for k in range(3))
    K = sum(k * integral(strain, strain) for k, strain in zip(stiffness, (du, dv - a, da)))
    return fields, K, sum(m * integral(x, x) for m, x in zip(inertia, (u, v, a)))


def angle_frame(stiffness, inertia, degree):
    """Two legs, the second one along y, clamped at their feet."""
    fields, K, M = leg(stiffness, inertia, degree)
    none = np.zeros(3 * fields.size)
    rows = [np.r_[fields.at(k, False), none] for k in range(3)] + [np.r_[none, fields.at(k, True)] for k in range(3)]
    first, second = ([fields.at(k, end) for k in range(3)] for end in (True, False))
    # u of the first leg is -v of the second, v its u
    corner = [np.r_[first[0], second[1]], np.r_[first[1], -second[0]], np.r_[first[2], -second[2]]]
    return undamped(*restrained([np.kron(np.eye(2), X) for X in (K, M)], rows + corner))


@dataclass
class Blade:
    """Of length 1."""

    EA: float
    GA: float
    EI: float
    m: float
    J: float  # about an axis across, of a length
    polar: float
    W: float


def blade_modes(blade, degree, flap):
    """About the radius r = sin(k s)/(k cos k): the second variation of EA (Gamma_1)^2/2 + GA (Gamma_2)^2/2 + EI (angle')^2/2 with
    Gamma = R^T (position') - e_1 in the turning frame."""
    fields = Fields(3, degree)
    (u, du), (v, dv), (a, da) = (fields(k) for k in range(3))
    k = blade.W * np.sqrt(blade.m / blade.EA)
    stretch = np.cos(k * POINTS) / np.cos(k)
    force, spun = blade.EA * (stretch - 1), blade.m * blade.W**2
    shear = dv - stretch[:, None] * a
    pulled = integral(dv, a, force)
    K = blade.EA * integral(du, du) + blade.GA * integral(shear, shear) + blade.EI * integral(da, da)
    K += pulled + pulled.T - integral(a, a, force * stretch)
    M = blade.m * (integral(u, u) + integral(v, v)) + blade.J * integral(a, a)
    G = 2 * blade.m * blade.W * (integral(v, u) - integral(u, v))
    if not flap:
        return gyroscopic(*fields.clamped((K - spun * (integral(u, u) + integral(v, v)), M, G)))
    K = K - blade.W**2 * (blade.polar - blade.J) * integral(a, a)
    K, M = fields.clamped((K, M))
    across = slice(K.shape[0] // 3, None)  # nothing couples u
    return undamped(K[across, across], M[across, across])


# ---- waves --------------------------------------------------------------------------------------


def ring_wave(stiffness, inertia, radius, n):
    """Lowest frequency of n waves: u = cos, v = sin, angle = cos; strains u' - v/R, v' + u/R - angle, angle'."""
    k, curvature = mpf(n) / radius, 1 / mpf(radius)
    strain = matrix([[-k, -curvature, 0], [curvature, k, -1], [0, 0, -k]])
    scale = diag([1 / sqrt(mpf(x)) for x in inertia])
    squares = mp.eigsy(scale * strain.T * diag([mpf(x) for x in stiffness]) * strain * scale, eigvals_only=True)
    return float(sqrt(min(squares)))


def shaft_waves(stiffness, inertia, polar, spin, b):
    """(GA b^2 - m w^2)(EI b^2 + GA - J w^2 + polar spin w) = GA^2 b^2: backwards and forwards, the lower ones."""
    (_, GA, EI), (m, _, J) = ([mpf(x) for x in given] for given in (stiffness, inertia))
    gyration, bent = mpf(polar) * spin, EI * b * b + GA
    quartic = [m * J, -m * gyration, -m * bent - GA * b * b * J, GA * b * b * gyration, GA * b * b * EI * b * b]
    roots = polyroots(quartic, maxsteps=200, extraprec=200)
    return sorted(float(abs(w)) for w in roots)[:2]


def shaft_mesh(n, stiffness, inertia, polar, spin):
    """Motions y + i z, on bearings that leave the angles free."""
    K, M, turned = line(n, 1.0, stiffness, inertia)
    fixed = [*range(0, 3 * n + 3, 3), 1, 3 * n + 1]
    K, M, turned = held((K, M, turned), fixed)
    return gyroscopic(K + 0j, M + 0j, -1j * polar * spin * turned)


# ---- the scenes ------------------------------------------------------------------------------


def section(scene):
    """(EA, GA, EI), (m, m, J), polar inertia for bending about z."""
    given, known = scene["bodies"][0]["section"], scene["parameters"]
    given = scene["sections"][given] if isinstance(given, str) else given
    if "shape" in given:
        E, G, b, h = given["E"], given["E"] / (2 + 2 * given["nu"]), given["width"], given["height"]
        A, I = b * h, b**3 * h / 12
        assert b == h
        return (E * A, given["shear_coefficients"][0] * G * A, E * I), (given["density"] * A,) * 2 + (given["density"] * I,), None
    k, j = ([evaluate(x, known) if isinstance(x, str) else x for x in given[key]] for key in ("stiffness", "inertia"))
    assert k[1] == k[2] and k[4] <= 1e3 * k[5]
    return (k[0], k[1], k[5]), (j[0], j[0], j[5]), j[3]


@dataclass
class Support:
    ends: tuple  # what is 0 at the start and at the end, of v (0) and the angle (1)
    first: int  # number of the first mode of bending
    known: list  # by a spectral method, rad/s: nine digits


SUPPORTS = {
    "timoshenko_modes": Support(((0, 1), ()), 1, [261.96356435545124, 1622.5775315332126, 4461.353438873691]),
    "timoshenko_modes_supported": Support(((0,), (0,)), 2, [733.7108929833855, 2898.815483690042, 6395.020325094669]),
    "timoshenko_modes_clamped": Support(((0, 1), (0, 1)), 1, [1642.0386705484175, 4430.294922426614, 8451.799710676103]),
}


def timoshenko(support):
    def solve(scene):
        stiffness, inertia, _ = section(scene)
        exact, check = (bending(1.0, stiffness, inertia, degree, support.ends)[:3] for degree in DEGREES)
        assert abs(exact / support.known - 1).max() < 1e-9
        twice = lambda omega: dict(enumerate(np.repeat(omega, 2), support.first))

        def mesh(n):
            K, M, _ = line(n, 1.0, stiffness, inertia)
            fixed = [3 * n * end + 1 + k for end in (0, 1) for k in support.ends[end]]
            return twice(undamped(*held((K, M), [*fixed, *range(0, 3 * n + 3, 3)]))[:3])

        return twice(exact), twice(check), mesh

    return solve


def free_beam(scene):
    stiffness, inertia, _ = section(scene)
    exact, check = (bending(1.0, stiffness, inertia, degree, ((), ()))[2:7] for degree in DEGREES)
    beta = [4.73004074486270403, 7.85320462409583756, 10.9956078380016709, 14.1371654912574642]
    assert abs(exact[:4] / np.square(beta) - 1).max() < 1e-4  # shear and rotary inertia: some beta^2 2e-7

    def mesh(n):
        K, M, _ = line(n, 1.0, stiffness, inertia)
        return undamped(*held((K, M), range(0, 3 * n + 3, 3)))[2:7]

    numbered = lambda omega: dict(enumerate(omega, 7))
    return numbered(exact), numbered(check), lambda n: numbered(mesh(n))


def ring(scene):
    stiffness, inertia, _ = section(scene)
    exact = np.array([ring_wave(stiffness, inertia, 1.0, n) for n in range(2, 6)])
    n = np.arange(2, 6)
    assert abs(exact / np.sqrt(n**2 * (n**2 - 1) ** 2 / (n**2 + 1)) - 1).max() < 1e-4  # n^2 EI/EA and the like
    twice = lambda omega: dict(enumerate(np.repeat(omega, 2), 7))

    def mesh(n):
        K, M, _ = line(n, 2 * np.pi, stiffness, inertia, 1.0, True)
        return dict(enumerate(undamped(K, M)[3:11], 7))

    return twice(exact), None, mesh


def frame(scene):
    stiffness, inertia, _ = section(scene)
    exact, check = (angle_frame(stiffness, inertia, degree)[:4] for degree in DEGREES)
    # the corner turns, or stands still
    beta = [3.92660231204791878, 4.73004074486270403, 7.06858274562873209, 7.85320462409583756]
    assert abs(exact / np.square(beta) - 1).max() < 1e-4

    def mesh(n):
        Z = np.zeros((3 * n + 3, 3 * n + 3))
        K, M = (np.block([[X, Z], [Z, X]]) for X in line(n, 1.0, stiffness, inertia)[:2])
        corner = np.zeros((3, 6 * n + 6))
        ends = np.r_[3 * n : 3 * n + 6]
        corner[:, ends] = [[1, 0, 0, 0, 1, 0], [0, 1, 0, -1, 0, 0], [0, 0, 1, 0, 0, -1]]
        feet = np.eye(6 * n + 6)[np.r_[0:3, 6 * n + 3 : 6 * n + 6]]
        return dict(enumerate(undamped(*restrained((K, M), [*corner, *feet]))[:4], 1))

    numbered = lambda omega: dict(enumerate(omega, 1))
    return numbered(exact), numbered(check), mesh


def shaft(scene):
    stiffness, inertia, polar = section(scene)
    spin = scene["parameters"]["W"]
    waves = np.concatenate([shaft_waves(stiffness, inertia, polar, spin, k * mp.pi) for k in (1, 2)])
    numbered = lambda omega: dict(enumerate(omega, 2))
    return numbered(waves), None, lambda n: numbered(shaft_mesh(n, stiffness, inertia, polar, spin)[:4])


# flap of Euler's and Bernoulli's blade, of length, mass and EI 1, by a spectral method, eight digits
SOUTHWELL = {2: [4.137319613769508, 22.614921956292918, 62.27318409198793], 12: [13.170150486312897, 37.60311233122617, 79.61447847929668]}


def rotating_beam(scene):
    (EA, GA, EI), (m, _, J), polar = section(scene)
    blade = Blade(EA, GA, EI, m, J, polar, scene["parameters"]["W"])

    def both(found):
        chord, flap = found(False)[:3], found(True)[:3]
        return dict(enumerate(np.ravel(np.column_stack((chord, flap))), 1))

    exact, check = (both(lambda flap: blade_modes(blade, degree, flap)) for degree in DEGREES)
    eta = blade.W / np.sqrt(EI / m)
    slender = replace(blade, EA=100 * EA, GA=100 * GA, J=J / 100, polar=polar / 100)
    for flap in (False, True):
        known = np.sqrt(np.square(SOUTHWELL[round(eta)]) - (0 if flap else eta**2)) * np.sqrt(EI / m)
        off = abs(blade_modes(slender, DEGREES[0], flap)[:3] / known - 1).max()
        print(f"{'flap' if flap else 'chord'}, eta = {eta:g}: {off:.1e} off Euler and Bernoulli's beam")
        assert off < 1e-4  # what 1/s leaves: some beta^2/s
    return exact, check, lambda n: both(lambda flap: blade_mesh(blade, n, flap))


# ---- rigid bodies that swing ---------------------------------------------------------------------


def number(x, known):
    return mpf(evaluate(x, known)) if isinstance(x, str) else mpf(repr(x))


def pendulums(scene):
    """Squares: weight times arm by inertia about the pivot; of the pairs, roots of det(K - w^2 M)."""
    known, body = scene["parameters"], {b["name"]: b for b in scene["bodies"]}
    g, L, k = (number(known[x], {}) for x in ("g", "L", "k"))
    square = []

    def about(name, axis, arm):
        m, J = mpf(body[name]["mass"]), number(body[name]["inertia"][axis], known)
        return m * g * arm / (J + m * arm**2)

    square.append(about("plate", 1, number(0.3, known)))
    square += [about("rod", axis, number(0.4, known)) for axis in (0, 1)]
    # rods of mass and length 1: M = [[4/3, 1/2], [1/2, 1/3]], K = g [[3/2, 0], [0, 1/2]]
    half, root = g * mpf(7) / 6, sqrt((g * mpf(7) / 6) ** 2 - 4 * mpf(7) / 36 * g**2 * mpf(3) / 4)
    square += [(half - root) * 18 / 7, (half + root) * 18 / 7]
    alike, inertia = about("left", 1, L), mpf("0.01") + L**2
    square += [alike, alike + 2 * k * L**2 / inertia]
    return dict(enumerate(sorted(square), 2))


def four_bar(scene):
    """V''/M of the left crank's angle, where V' is 0; the closure in closed form."""
    known, (left, right, coupler) = scene["parameters"], scene["bodies"]
    g, r, c, base = (number(known[x], {}) for x in ("g", "r", "c", "base"))

    def angles(crank):
        """From the vertical: of the right crank and the coupler."""
        x, z = r * sin(crank), -r * cos(crank)
        dx, dz = base - x, -z
        d = sqrt(dx**2 + dz**2)
        # the coupler's end is c from the left elbow, r from the right pin, below the line between these
        along = (d**2 + c**2 - r**2) / (2 * d)
        off = sqrt(c**2 - along**2)
        ex, ez = x + (along * dx + off * dz) / d, z + (along * dz - off * dx) / d
        return atan2(ex - base, -ez), atan2(ez - z, ex - x)

    def places(crank):
        other, turn = angles(crank)
        crank_centre = lambda pin, angle: [pin + r / 2 * sin(angle), -r / 2 * cos(angle), angle]
        x, z = r * sin(crank) + c / 2 * cos(turn), -r * cos(crank) + c / 2 * sin(turn)
        return [crank_centre(mpf(0), crank), crank_centre(base, other), [x, z, turn]]

    rest = mp.asin((base - c) / (2 * r))
    assert abs(angles(rest)[0] + rest) < mpf(10) ** -35 and abs(angles(rest)[1]) < mpf(10) ** -35
    inertia, height = mpf(0), lambda crank: sum(mpf(b["mass"]) * p[1] for b, p in zip((left, right, coupler), places(crank)))
    for i, b in enumerate((left, right, coupler)):
        m, J = mpf(b["mass"]), number(b["inertia"][1], known)
        rates = [diff(lambda crank, i=i, j=j: places(crank)[i][j], rest) for j in range(3)]
        inertia += m * (rates[0] ** 2 + rates[1] ** 2) + J * rates[2] ** 2
    assert abs(diff(height, rest)) < mpf(10) ** -15
    return {1: g * diff(height, rest, 2) / inertia}


# ---- files ---------------------------------------------------------------------------------------


def write(name, about, count, columns, values, error, tolerance, **words):
    """One row at t = 0."""
    write_csv(name, ["t", *columns], [[0.0, *values]])
    sidecar = {
        "title": load_scene(name)["title"],
        "source": words["source"],
        "units": "Hz, 1/s",
        "modes": {"about": about, "count": count},
        "method": words["method"],
        "error": dict(zip(columns, error)),
        "tolerance": {
            column: {"value": float(f"{value:.2e}"), "basis": words["basis"]} for column, value in zip(columns, tolerance)
        },
        "made_by": "tools/references/modes.py",
    }
    write_sidecar(name, sidecar)


def parts(errors):
    """Those of order 2 and 4 of the errors of a mesh and of one with half the elements' length; and what they leave of the error of one
    with twice the length, in parts of it."""
    fourth = (errors[0] - 4 * errors[1]) * 4 / 3
    second = errors[0] - fourth
    left = errors[2] - 4 * second - 16 * fourth
    return second, fourth, left / (4 * abs(second) + 16 * abs(fourth))


def write_beam(name, about, solve, source, method):
    """Tolerance: 1.5 times the parts of the error of the scene's mesh and the reference's own."""
    scene = load_scene(name)
    n = scene["parameters"]["n"]
    exact, check, mesh = solve(scene)
    meshes = [mesh(k * n) for k in (1, 2)] + [mesh(n // 2)]
    hertz = 2 * np.pi
    own = {i: abs((check or exact)[i] - w) + 4 * EPS * w for i, w in exact.items()}
    allowed = {}
    for i, w in exact.items():
        second, fourth, left = parts([m[i] - w for m in meshes])
        print(f"{name}, mode {i}: {w:.9g} rad/s, mesh {meshes[0][i]:.9g}, of order 2 {second:.2e}, 4 {fourth:.2e}, left {left:.3f}")
        assert abs(left) < 1
        allowed[i] = 1.5 * (abs(second) + abs(fourth)) + own[i]
    columns = [f"mode[{i}].frequency_hz" for i in exact]
    basis = f"1.5 x the error of {n} elements, its parts of order 2 and 4 measured with mode_mesh.py, and the reference's"
    errors = [float(f"{own[i] / hertz:.1e}") for i in exact]
    write(
        name, about, max(exact), columns, [w / hertz for w in exact.values()], errors, [a / hertz for a in allowed.values()],
        source=source, method=method, basis=basis,
    )


def write_swings(name, solve, source, method, roundings, basis):
    """Tolerance: that many roundings of the largest square, by twice the frequency."""
    square = solve(load_scene(name))
    columns = [f"mode[{i}].frequency_hz" for i in square]
    hertz = [float(sqrt(w) / (2 * mp.pi)) for w in square.values()]
    print(f"{name}: {hertz} Hz")
    allowed = [roundings * EPS * max(hertz) ** 2 / (2 * f) for f in hertz]
    write(
        name, "initial", max(square), columns, hertz, [float(f"{EPS / 2 * f:.1e}") for f in hertz], allowed,
        source=source, method=method, basis=basis,
    )


def write_bicycle(name):
    """Eigenvalues of M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 of lean and steer angle; digits that they lose: their condition."""
    speed = load_scene(name)["parameters"]["v"]
    stiffness, damping = 9.81 * STIFFNESS_0 + speed**2 * STIFFNESS_2, speed * DAMPING
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(MASS, stiffness), -np.linalg.solve(MASS, damping)]])
    mu, X = np.linalg.eig(A)
    Y = np.linalg.inv(X)
    condition = np.linalg.norm(X, axis=0) * np.linalg.norm(Y, axis=1)
    columns, values, error, allowed = [], [], [], []
    for i, k in enumerate(sorted(np.flatnonzero(mu.imag >= 0), key=lambda k: abs(mu[k])), 5):
        # published coefficients have 14 digits
        own = 1e-14 * condition[k] * np.linalg.norm(A)
        print(f"{name}, mode {i}: {mu[k]:.15g}, condition {condition[k]:.1f}, own error {own:.1e}")
        for part, value in (("re", mu[k].real), ("im", mu[k].imag)):
            columns.append(f"mode[{i}].eigenvalue_{part}")
            values.append(value)
            error.append(float(f"{own:.1e}"))
            allowed.append(own + 200 * EPS * condition[k] * np.linalg.norm(A))
    weave = max(mu, key=lambda e: e.imag)
    assert abs(weave - (-0.77534188219585 + 4.46486771378823j)) < 1e-12
    write(
        name, "initial", 7, columns, values, error, allowed,
        source="Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982: the benchmark bicycle, table 2",
        method="eigenvalues of the published linear equations of lean and steer angle, whose coefficients have 14 digits",
        basis="the reference's error, and round-off: 200 eps |A| x the condition of the eigenvalue, for 24 unknowns and 21 multipliers",
    )


def main():
    ritz = f"Rayleigh and Ritz in the continuum's energy, polynomials of degree {DEGREES[0]}, compared with {DEGREES[1]}"
    for name, support in SUPPORTS.items():
        write_beam(
            name, "initial", timoshenko(support),
            "Timoshenko's beam", ritz + "; within 1e-9 of a spectral solution",
        )
    write_beam(
        "free_beam_modes", "initial", free_beam,
        "Timoshenko's beam; within 1e-4 Euler's and Bernoulli's", ritz,
    )
    write_beam(
        "frame_modes", "initial", frame,
        "two beams of Timoshenko; within 1e-4 Euler's and Bernoulli's, clamped and pinned, clamped twice", ritz,
    )
    write_beam(
        "ring_modes", "initial", ring,
        "closed form; without stretch, shear and rotary inertia n^2 (n^2 - 1)^2/(n^2 + 1) EI/(m R^4)",
        "waves around the ring: eigenvalues of three by three matrices",
    )
    write_beam(
        "shaft_modes", "steady", shaft,
        "closed form: Timoshenko's shaft with gyroscopic moments on two bearings", "waves along the shaft: roots of a quartic",
    )
    for eta in SOUTHWELL:
        write_beam(
            f"rotating_beam_modes_{eta}", "steady", rotating_beam,
            "own second variation about the stretched state; within 1e-4 Southwell's problem, A. D. Wright et al., J. Appl. Mech. 49 "
            "(1982) 197-202, where all but the bending is stiff", ritz,
        )
    write_swings(
        "pendulum_modes", pendulums, "closed form", "weight times arm by inertia; roots of the determinants of the pairs",
        200, "round-off: 200 eps of the largest square, for 36 unknowns and 28 multipliers",
    )
    write_swings(
        "four_bar_modes", four_bar, "closed form of the closure",
        "one coordinate: second derivative of the potential by the inertia, by differences with 40 digits", 200,
        "round-off: 200 eps of the square, for 18 unknowns and 20 multipliers",
    )
    write_bicycle("whipple_modes")


if __name__ == "__main__":
    main()
