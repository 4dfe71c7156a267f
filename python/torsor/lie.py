# SPDX-License-Identifier: GPL-3.0-or-later
"""Lie groups SO(3) and SE(3), for arrays of any number of elements.

The last axes are those of one element, all before them are kept: a rotation vector has shape (..., 3), a rotation matrix
(..., 3, 3).  Twists and wrenches have the translation first, h = (u, w); variations are body-fixed: D exp(h)[e] = exp(h) hat(T(h) e),
with T(h) = sum_i (-ad_h)^i/(i+1)!.  Quaternions are w, x, y, z and take body axes to those around.
"""
from __future__ import annotations

import math
from typing import Any

import numpy
from numpy.typing import ArrayLike

from .values import Array

__all__ = ["so3_hat", "so3_exp", "so3_log", "so3_tan", "so3_taninv", "se3_hat", "se3_ad", "se3_exp", "se3_log", "se3_tan",
           "se3_taninv", "quaternion_to_matrix", "matrix_to_quaternion", "rotation_vector_to_quaternion",
           "quaternion_to_rotation_vector"]

# Below this angle (rad) functions of it are sums of powers of its square; the next term is below 1e-17 of them.
_SMALL = 0.3
_TERMS = 9


def _last(value: ArrayLike, *shape: int) -> Array:
    out = numpy.asarray(value, float)
    if out.shape[-len(shape):] != shape:
        raise ValueError(f"the last axes have the shape {shape}, not {out.shape[-len(shape):]}")
    return out


def _series(x: Array, first: int) -> Array:
    """sum (-x)^i / (2 i + first)!"""
    out = numpy.zeros_like(x)
    for i in reversed(range(_TERMS)):
        out = out * -x + 1 / math.factorial(2 * i + first)
    return out


def _derivative(x: Array, first: int) -> Array:
    """Derivative of _series by x."""
    out = numpy.zeros_like(x)
    for i in reversed(range(1, _TERMS)):
        out = out * -x - i / math.factorial(2 * i + first)
    return out


def _away(x: Array) -> Array:
    """x with numbers that are small replaced, so that quotients by it are finite."""
    return numpy.where(x < _SMALL ** 2, 1.0, x)


def _trig(x: Array) -> tuple[Array, Array, Array]:
    """sin(a)/a, (1 - cos a)/a^2 and (a - sin a)/a^3, x = a^2."""
    near, y = x < _SMALL ** 2, _away(x)
    a = numpy.sqrt(y)
    half = numpy.sin(a / 2)
    return (numpy.where(near, _series(x, 1), numpy.sin(a) / a), numpy.where(near, _series(x, 2), 2 * half * half / y),
            numpy.where(near, _series(x, 3), (a - numpy.sin(a)) / (y * a)))


def _trig_slopes(x: Array) -> tuple[Array, Array]:
    """Derivatives of the last two by x = a^2."""
    near, y = x < _SMALL ** 2, _away(x)
    s1, s2, s3 = _trig(y)
    # ds2/dx = (s1 - 2 s2)/(2 x), ds3/dx = (s2 - 3 s3)/(2 x)
    return (numpy.where(near, _derivative(x, 2), (s1 - 2 * s2) / (2 * y)), numpy.where(near, _derivative(x, 3), (s2 - 3 * s3) / (2 * y)))


def _inverse(x: Array) -> tuple[Array, Array]:
    """b of T^-1 = I + W/2 + b W^2, b = (1 - (a/2) cot(a/2))/a^2, and its derivative by x = a^2.  NaN from 2 pi on."""
    # With sin(a)/a = s1 and (1 - cos a)/a^2 = s2 it is x b = 1 - s1/(2 s2).
    s1, s2, s3 = _trig(x)
    d2, d3 = _trig_slopes(x)
    # 1 - s1/(2 s2) = (2 s2 - s1)/(2 s2), and 2 s2 - s1 = -2 x ds2/dx
    b = -d2 / s2
    near, y = x < _SMALL ** 2, _away(x)
    second = numpy.where(near, _second(x), _second_far(y))
    slope = -second / s2 + d2 * d2 / (s2 * s2)
    outside = numpy.where(x < (2 * math.pi) ** 2, 0.0, math.nan)
    return b + outside, slope + outside


def _second(x: Array) -> Array:
    """Second derivative of _series(x, 2) by x."""
    out = numpy.zeros_like(x)
    for i in reversed(range(2, _TERMS + 1)):
        out = out * -x + i * (i - 1) / math.factorial(2 * i + 2)
    return out


def _second_far(x: Array) -> Array:
    s1, s2, _ = _trig(x)
    d2, _ = _trig_slopes(x)
    d1 = (numpy.cos(numpy.sqrt(x)) - s1) / (2 * x)
    return (d1 - 2 * d2) / (2 * x) - (s1 - 2 * s2) / (2 * x * x)


def so3_hat(w: ArrayLike) -> Array:
    """Cross product matrix (..., 3, 3) of vectors (..., 3)."""
    v = _last(w, 3)
    out = numpy.zeros(v.shape[:-1] + (3, 3))
    out[..., 2, 1], out[..., 0, 2], out[..., 1, 0] = v[..., 0], v[..., 1], v[..., 2]
    return numpy.asarray(out - numpy.swapaxes(out, -1, -2), float)


def _square(v: Array) -> Array:
    return numpy.einsum("...i,...i", v, v)


def _map(w: Array, a: Array, b: Array) -> Array:
    """I + a W + b W^2."""
    W = so3_hat(w)
    return numpy.asarray(numpy.eye(3) + a[..., None, None] * W + b[..., None, None] * (W @ W), float)


def so3_exp(w: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of rotation vectors (..., 3), rad."""
    v = _last(w, 3)
    s1, s2, _ = _trig(_square(v))
    return _map(v, s1, s2)


def so3_log(R: ArrayLike) -> Array:
    """Rotation vectors (..., 3), of length pi (rad) at most, of rotation matrices (..., 3, 3)."""
    return quaternion_to_rotation_vector(matrix_to_quaternion(R))


def so3_tan(w: ArrayLike) -> Array:
    """T(w) (..., 3, 3) of rotation vectors (..., 3), rad: the body's angular velocity is T(w) w'."""
    v = _last(w, 3)
    _, s2, s3 = _trig(_square(v))
    return _map(v, -s2, s3)


def so3_taninv(w: ArrayLike) -> Array:
    """T(w)^-1 (..., 3, 3) of rotation vectors (..., 3), rad; NaN where their length reaches 2 pi."""
    v = _last(w, 3)
    b, _ = _inverse(_square(v))
    return _map(v, numpy.full_like(b, 0.5), b)


def se3_hat(h: ArrayLike) -> Array:
    """Matrices (..., 4, 4) of twists (..., 6)."""
    v = _last(h, 6)
    out = numpy.zeros(v.shape[:-1] + (4, 4))
    out[..., :3, :3], out[..., :3, 3] = so3_hat(v[..., 3:]), v[..., :3]
    return out


def _blocks(diagonal: Array, above: Array) -> Array:
    out = numpy.zeros(diagonal.shape[:-2] + (6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = diagonal
    out[..., :3, 3:] = above
    return out


def se3_ad(h: ArrayLike) -> Array:
    """ad(h) (..., 6, 6) of twists (..., 6)."""
    v = _last(h, 6)
    return _blocks(so3_hat(v[..., 3:]), so3_hat(v[..., :3]))


def se3_exp(h: ArrayLike) -> Array:
    """Frames as matrices (..., 4, 4) of twists (..., 6): translation (m) first, then rotation (rad)."""
    v = _last(h, 6)
    u, w = v[..., :3], v[..., 3:]
    out = numpy.zeros(v.shape[:-1] + (4, 4))
    out[..., :3, :3] = so3_exp(w)
    out[..., :3, 3] = numpy.einsum("...ji,...j", so3_tan(w), u)
    out[..., 3, 3] = 1
    return out


def se3_log(H: ArrayLike) -> Array:
    """Twists (..., 6) of frames (..., 4, 4); rotations of pi (rad) at most."""
    F = _last(H, 4, 4)
    w = so3_log(F[..., :3, :3])
    return numpy.concatenate([numpy.einsum("...ji,...j", so3_taninv(w), F[..., :3, 3]), w], axis=-1)


def _map6(h: ArrayLike, a: Any, b: Any) -> Array:
    """[[F(w), DF(w)[u]], [0, F(w)]] for F = I + a W + b W^2; a and b are pairs of a value and its derivative by |w|^2."""
    v = _last(h, 6)
    U, W = so3_hat(v[..., :3]), so3_hat(v[..., 3:])
    along = 2 * numpy.einsum("...i,...i", v[..., :3], v[..., 3:])
    wide = [x[..., None, None] for x in (a[0], b[0], a[1] * along, b[1] * along)]
    above = wide[0] * U + wide[1] * (W @ U + U @ W) + wide[2] * W + wide[3] * (W @ W)
    return _blocks(_map(v[..., 3:], a[0], b[0]), above)


def se3_tan(h: ArrayLike) -> Array:
    """T(h) (..., 6, 6) of twists (..., 6)."""
    x = _square(_last(h, 6)[..., 3:])
    _, s2, s3 = _trig(x)
    d2, d3 = _trig_slopes(x)
    return _map6(h, (-s2, -d2), (s3, d3))


def se3_taninv(h: ArrayLike) -> Array:
    """T(h)^-1 (..., 6, 6) of twists (..., 6); NaN where the rotation reaches 2 pi."""
    x = _square(_last(h, 6)[..., 3:])
    b, slope = _inverse(x)
    return _map6(h, (numpy.full_like(b, 0.5), numpy.zeros_like(b)), (b, slope))


def quaternion_to_matrix(q: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) of quaternions (..., 4), of any length but 0."""
    p = _last(q, 4)
    p = p / numpy.sqrt(_square(p))[..., None]
    w, V = p[..., 0], so3_hat(p[..., 1:])
    return numpy.eye(3) + 2 * w[..., None, None] * V + 2 * (V @ V)


def matrix_to_quaternion(R: ArrayLike) -> Array:
    """Unit quaternions (..., 4), w >= 0, of rotation matrices (..., 3, 3)."""
    M = _last(R, 3, 3)
    trace = numpy.trace(M, axis1=-2, axis2=-1)
    # Four times the products of the components: the row with the largest square loses no digits.
    K = numpy.empty(M.shape[:-2] + (4, 4))
    K[..., 0, 0] = 1 + trace
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        K[..., 1 + i, 1 + i] = 1 + 2 * M[..., i, i] - trace
        K[..., 0, 1 + i] = K[..., 1 + i, 0] = M[..., k, j] - M[..., j, k]
        K[..., 1 + i, 1 + j] = K[..., 1 + j, 1 + i] = M[..., i, j] + M[..., j, i]
    best = numpy.argmax(numpy.einsum("...ii->...i", K), axis=-1)
    q = numpy.take_along_axis(K, best[..., None, None], axis=-2)[..., 0, :]
    q = q / numpy.sqrt(_square(q))[..., None]
    return numpy.where(q[..., :1] < 0, -q, q)


def rotation_vector_to_quaternion(w: ArrayLike) -> Array:
    """Unit quaternions (..., 4) of rotation vectors (..., 3), rad."""
    v = _last(w, 3)
    s1, _, _ = _trig(_square(v) / 4)
    c = numpy.cos(numpy.sqrt(_square(v)) / 2)
    return numpy.concatenate([c[..., None], s1[..., None] / 2 * v], axis=-1)


def quaternion_to_rotation_vector(q: ArrayLike) -> Array:
    """Rotation vectors (..., 3), of length pi (rad) at most, of quaternions (..., 4), of any length but 0."""
    p = _last(q, 4)
    p = numpy.where(p[..., :1] < 0, -p, p)
    v, n = p[..., 1:], numpy.sqrt(_square(p[..., 1:]))
    angle = 2 * numpy.arctan2(n, p[..., 0])
    small = n < 1e-8 * p[..., 0]
    factor = numpy.where(small, 2 / numpy.where(small, p[..., 0], 1.0), angle / numpy.where(small, 1.0, n))
    return factor[..., None] * v
