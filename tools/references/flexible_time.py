# SPDX-License-Identifier: GPL-3.0-or-later
"""Solutions of flexible.py's equations: Radau IIA of order 5 on velocities (index 2) for references, and the generalised-alpha
method, index-3 form, for what it leaves at a scene's step.  Tolerances of sidecars from both."""

import math

import numpy as np
from scipy.linalg import lu_factor, lu_solve

from common import EPS, load_scene, output_times, signal_of, write_csv, write_sidecar
from flexible import System, exp_map, mul, rotation, tan, taninv

ROOT6 = math.sqrt(6)
A = np.array(
    [
        [(88 - 7 * ROOT6) / 360, (296 - 169 * ROOT6) / 1800, (-2 + 3 * ROOT6) / 225],
        [(296 + 169 * ROOT6) / 1800, (88 + 7 * ROOT6) / 360, (-2 - 3 * ROOT6) / 225],
        [(16 - ROOT6) / 36, (16 + ROOT6) / 36, 1 / 9],
    ]
)
C = A.sum(axis=1)
MU, P = np.linalg.eig(A)
PINV = np.linalg.inv(P)
FRESH = 12  # steps that share matrices


def settled(size, last):
    """Newton has come down to rounding."""
    return size <= 1e-15 or (size < 1e-10 and size > 0.9 * last)


class Radau:
    """Steps of any size; the state is t, x, R, V."""

    def __init__(self, system):
        self.system, self.t = system, 0.0
        self.x, self.R = system.x.copy(), system.R.copy()
        self.V = system.velocities(0.0, np.zeros((system.count, 6)))
        self.last, self.factors, self.age = None, None, 0

    def factor(self, h, matrices):
        M, D, K = matrices
        B, m, self.factors = self.system.B(self.x, self.R), self.system.m, []
        for mu in MU:
            if mu.imag < -1e-12:
                self.factors.append(None)
                continue
            mu = mu.real if abs(mu.imag) < 1e-12 else mu
            S = np.block([[M + h * mu * D + (h * mu) ** 2 * K, B.T], [h * mu * B, np.zeros((m, m))]])
            self.factors.append(lu_factor(S))
        self.h, self.age = h, 0

    def refresh(self, h, K, lam):
        s = self.system
        M, D, stiff = s.matrices(self.t, self.x, self.R, self.V, K)
        if s.m:
            stiff = stiff + s.multiplier_stiffness(self.x, self.R, lam)
        self.factor(h, (M, D, stiff))

    def correction(self, r):
        """Of the three stages from their residuals [3, N]."""
        turned = PINV @ r
        out = np.zeros(turned.shape, complex)
        for k, factors in enumerate(self.factors):
            if factors:
                out[k] = lu_solve(factors, turned[k] if abs(MU[k].imag) > 1e-12 else turned[k].real)
        for k, factors in enumerate(self.factors):
            if not factors:
                out[k] = out[int(np.argmin(abs(MU - MU[k].conjugate())))].conjugate()
        return (P @ out).real

    def stages(self, h, K):
        V = self.V + h * np.tensordot(A, K, 1)
        X = h * np.tensordot(A, V, 1) if self.X is None else self.X
        for _ in range(60):
            new = h * np.tensordot(A, taninv(X)(V), 1)
            off = np.abs(new - X).max()
            X = new
            if off < 1e-15:
                break
        self.X = X
        turned, moved = exp_map(X)
        return self.x + mul(self.R, moved), self.R @ turned, V

    def guess(self, h):
        if self.last is None:
            self.K, self.lam = self.system.accelerations(self.t + 1e-12, self.x, self.R, self.V)
            return np.array([self.K] * 3), np.array([self.lam] * 3)
        old, K, lam = self.last
        at = 1 + C * h / old
        L = np.array([[np.prod([(a - C[k]) / (C[i] - C[k]) for k in range(3) if k != i]) for i in range(3)] for a in at])
        return np.tensordot(L, K, 1), L @ lam

    def step(self, h):
        s = self.system
        K, lam, self.X = *self.guess(h), None
        times = self.t + C * h
        if self.factors is None or self.age >= FRESH or h != self.h:
            self.refresh(h, self.K, self.lam)
        last = math.inf
        for iteration in range(40):
            x, R, V = self.stages(h, K)
            r = s.wrench(times, x, R, V, K).reshape(3, -1)
            c = np.zeros((3, s.m))
            for k in range(3 if s.m else 0):
                B = s.B(x[k], R[k])
                r[k] += B.T @ lam[k]
                c[k] = B @ V[k].ravel() + s.given(times[k], 1)
            change = self.correction(np.concatenate((r, c), axis=1))
            n = r.shape[1]
            K = K - change[:, :n].reshape(K.shape)
            lam = lam - change[:, n:]
            size = h * h * np.abs(change[:, :n]).max()
            if settled(size, last):
                break
            if iteration in (8, 20):
                self.refresh(h, K[1], lam[1])
            last = size
        else:
            raise ArithmeticError(f"Newton does not converge at t = {self.t}: {size}")
        self.age += 1 if iteration < 8 else FRESH
        self.x, self.R, self.V = (y[-1] for y in self.stages(h, K))
        u, _, v = np.linalg.svd(self.R)
        self.R = u @ v
        self.K, self.lam, self.last, self.t = K[-1], lam[-1], (h, K, lam), self.t + h


def switched(system, t):
    """Takes away the forces that events end at t."""
    names = [name for time, names in system.switches if abs(t - time) < 1e-9 for name in names]
    for name in names:
        del system.loads[name]
    return names


def reference(scene, columns, parts, kinks=()):
    """Rows at the output times with `parts` steps between them; the loads have kinks at some of these steps."""
    system = System(scene)
    method = Radau(system)
    ends = [float(t) for t in output_times(scene)]
    rows = []
    for n, end in enumerate(ends):
        for k in range(parts if n else 0):
            method.step((end - ends[n - 1]) / parts)
            if switched(system, method.t) or any(abs(method.t - kink) < 1e-9 for kink in kinks):
                method.last = None
        method.t = end
        a, lam = system.accelerations(end, method.x, method.R, method.V)
        rows.append(system.record(columns, end, method.x, method.R, method.V, a, lam))
    return rows


class Alpha:
    """Arnold, Bruls and Cardona, Numer. Math. 129 (2015), eq. (9), on R3xSO3 or SE3."""

    def __init__(self, scene, h, group=None):
        self.system = s = System(scene)
        options = scene["simulation"]
        rho = options.get("rho_inf", 0.9)
        self.h, self.se3 = h, (group or scene.get("group", "R3xSO3")) == "SE3"
        self.am, self.af = (2 * rho - 1) / (rho + 1), rho / (rho + 1)
        self.gamma = 0.5 + self.af - self.am
        self.beta = (self.gamma + 0.5) ** 2 / 4
        self.t, self.x, self.R = 0.0, s.x.copy(), s.R.copy()
        V = s.velocities(0.0, np.zeros((s.count, 6)))
        self.v = self.own(self.R, V)
        self.matrix, self.age = None, 0
        self.perturbed = options.get("start", "perturbed") == "perturbed"
        self.begin()

    def begin(self):
        self.vd, self.lam = self.rates(self.t, self.x, self.R, self.v)
        self.a = self.vd.copy()
        if self.perturbed:
            self.perturb()

    def own(self, R, V):
        return V if self.se3 else np.concatenate((mul(R, V[:, :3]), V[:, 3:]), -1)

    def body(self, R, v, vd):
        """V and A of the nodes."""
        if self.se3:
            return v, vd
        back = np.swapaxes(R, -1, -2)
        U = mul(back, v[:, :3])
        return (
            np.concatenate((U, v[:, 3:]), -1),
            np.concatenate((mul(back, vd[:, :3]) - np.cross(v[:, 3:], U), vd[:, 3:]), -1),
        )

    def rates(self, t, x, R, v):
        V = self.body(R, v, v)[0]
        acc, lam = self.system.accelerations(t, x, R, V)
        if self.se3:
            return acc, lam
        return np.concatenate((mul(R, acc[:, :3] + np.cross(V[:, 3:], V[:, :3])), acc[:, 3:]), -1), lam

    def plus(self, x, R, q):
        if self.se3:
            turned, moved = exp_map(q)
            return x + mul(R, moved), R @ turned
        return x + q[:, :3], R @ rotation(q[:, 3:])

    def bracket(self, v, a):
        turn = np.cross(v[:, 3:], a[:, 3:])
        linear = np.cross(v[:, 3:], a[:, :3]) + np.cross(v[:, :3], a[:, 3:]) if self.se3 else 0 * turn
        return np.concatenate((linear, turn), -1)

    def perturb(self):
        s, h = self.system, self.h
        ahead, behind = (
            self.rates(self.t + k, *self.plus(self.x, self.R, k * self.v + k * k / 2 * self.vd), self.v + k * self.vd)[0] for k in (h, -h)
        )
        jerk = (ahead - behind) / (2 * h)
        if s.m:
            lq = h**3 / 6 * ((1 - 6 * self.beta - 3 * (self.am - self.af)) * jerk + self.bracket(self.v, self.vd) / 2)
            V = self.body(self.R, lq, lq)[0]
            B = s.B(self.x, self.R)
            M = s.matrices(self.t, self.x, self.R, self.body(self.R, self.v, self.vd)[0], 0 * V)[0]
            S = np.block([[M, B.T], [B, np.zeros((s.m, s.m))]])
            shift = np.linalg.solve(S, np.concatenate((np.zeros(len(M)), B @ V.ravel() / h)))[: len(M)].reshape(V.shape)
            self.v = self.v + self.own(self.R, shift)
        self.a = self.vd + (self.am - self.af) * h * jerk

    def state(self, q):
        h = self.h
        a = (q / h - self.v - (0.5 - self.beta) * h * self.a) / (self.beta * h)
        v = self.v + h * ((1 - self.gamma) * self.a + self.gamma * a)
        vd = ((1 - self.am) * a + self.am * self.a - self.af * self.vd) / (1 - self.af)
        x, R = self.plus(self.x, self.R, q)
        return x, R, v, a, vd

    def refresh(self, x, R, V, acc, lam):
        s, h = self.system, self.h
        M, D, K = s.matrices(self.t + h, x, R, V, acc)
        if s.m:
            K = K + s.multiplier_stiffness(x, R, lam)
        up = (1 - self.am) / (self.beta * h * h * (1 - self.af))
        B = s.B(x, R)
        S = up * M + self.gamma / (self.beta * h) * D + K
        self.scale = up
        self.matrix = lu_factor(np.block([[S / up, B.T], [B, np.zeros((s.m, s.m))]]))
        self.age = 0

    def step(self):
        s, h, t = self.system, self.h, self.t + self.h
        q, lam, last = h * self.v + h * h / 2 * self.a, self.lam, math.inf
        for iteration in range(60):
            x, R, v, a, vd = self.state(q)
            V, acc = self.body(R, v, vd)
            if self.matrix is None or self.age >= FRESH or iteration in (8, 25):
                self.refresh(x, R, V, acc, lam)
            B = s.B(x, R)
            r = s.wrench([t], x[None], R[None], V[None], acc[None])[0].ravel() + B.T @ lam
            change = lu_solve(self.matrix, np.concatenate((r / self.scale, s.phi(t, x, R))))
            dq = change[: r.size].reshape(V.shape)
            q = q - self.own(R, dq)
            lam = lam - self.scale * change[r.size :]
            size = np.abs(dq).max()
            if settled(size, last):
                break
            last = size
        else:
            raise ArithmeticError(f"Newton does not converge at t = {t}: {size}")
        self.age += 1 if iteration < 8 else FRESH
        self.x, self.R, self.v, self.a, self.vd = self.state(q)
        if s.m:
            lam = self.multipliers(t)
        self.lam, self.t = lam, t

    def multipliers(self, t):
        """Of the motion: in the iteration they come after the positions, and it ends with these."""
        s = self.system
        V, acc = self.body(self.R, self.v, self.vd)
        r = s.wrench([t], self.x[None], self.R[None], V[None], acc[None])[0].ravel()
        return np.linalg.lstsq(s.B(self.x, self.R).T, -r, rcond=None)[0]


def simulate(scene, columns, refine=1, group=None):
    """Rows at the output times with the scene's step divided by `refine`."""
    options, every = scene["simulation"], scene["output"]["every"] * refine
    h = options["step"] / refine
    method = Alpha(scene, h, group)

    def row():
        V, acc = method.body(method.R, method.v, method.vd)
        return method.system.record(columns, method.t, method.x, method.R, V, acc, method.lam)

    rows = [row()]
    for n in range(1, round(options["duration"] / h) + 1):
        method.step()
        method.t = n * h
        if n % every == 0:
            rows.append(row())
        if switched(method.system, method.t):
            method.begin()
    return rows


def errors(columns, rows, other):
    """Largest Euclidean norm of the difference per signal, quaternions up to sign, as `torsor compare` measures it."""
    a, b = np.array(rows), np.array(other)
    out = {}
    for signal in dict.fromkeys(signal_of(c) for c in columns[1:]):
        own = [k for k, c in enumerate(columns) if c != "t" and signal_of(c) == signal]
        sign = 1.0
        if signal.endswith("quaternion"):
            sign = np.sign((a[:, own] * b[:, own]).sum(axis=1))[:, None]
        out[signal] = float(np.sqrt(((a[:, own] - sign * b[:, own]) ** 2).sum(axis=1)).max())
    return out


def benchmark(name, columns, parts, sidecar, kinks=()):
    """Reference by steps of 1/parts and 1/(2 parts) of the output's, and the tolerances, written to data/reference: those
    of the signals in which the method is of second order at the scene's step."""
    scene = load_scene(name)
    h = scene["simulation"]["step"]
    coarse, fine = (reference(scene, columns, k * parts, kinks) for k in (1, 2))
    error = errors(columns, coarse, fine)
    size = errors(columns, fine, np.zeros((len(fine), len(columns))))
    error = {s: float(f"{e + 8 * EPS * size[s]:.1e}") for s, e in error.items()}
    own, half = (errors(columns, fine, simulate(scene, columns, k)) for k in (1, 2))
    tolerance = {}
    for signal, e in own.items():
        ratio = e / half[signal]
        print(f"  {name:16} {signal:28} reference {error[signal]:.1e}  e(h) {e:.3e}  e(h/2) {half[signal]:.3e}  ratio {ratio:.3f}", flush=True)
        if not 3.6 < ratio < 4.6:
            continue  # waves that the step does not resolve: the error is no basis for a tolerance
        tolerance[signal] = {
            "value": float(f"{1.5 * e + error[signal]:.2e}"),
            "basis": f"1.5 x {e:.2e}, the method's error on this mesh at h = {h:g} by flexible_time.py (order {math.log2(ratio):.2f}), "
            f"+ {error[signal]:.0e} of the reference",
        }
    assert tolerance, "nothing is of second order"
    kept = [k for k, c in enumerate(columns) if c == "t" or signal_of(c) in tolerance]
    write_csv(name, [columns[k] for k in kept], [[row[k] for k in kept] for row in fine])
    error = {s: error[s] for s in tolerance}
    method = (
        f"the same mesh of elements written apart from the engine (flexible.py), Radau IIA of order 5 on velocities at steps of "
        f"{scene['output']['every'] * h / (2 * parts):g} s; compared with twice that"
    )
    write_sidecar(name, {"title": scene["title"], "units": "SI", "method": method, **sidecar, "error": error, "tolerance": tolerance})
    return fine
