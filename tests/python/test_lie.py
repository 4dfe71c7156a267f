# SPDX-License-Identifier: GPL-3.0-or-later
"""Lie-group functions against the power series that define them, for arrays and for one element."""
import math

import numpy
import pytest
from torsor import lie

# Sums of up to 60 terms in double precision: some tens of roundings of numbers up to 30.
ROUNDING = 1e-13


def series(A, first):
    """sum A^i/(i + first)!"""
    out, term = numpy.zeros_like(A), numpy.broadcast_to(numpy.eye(A.shape[-1]), A.shape)
    for i in range(60):
        out = out + term / math.factorial(i + first)
        term = term @ A
    return out


@pytest.mark.parametrize("angle", [0, 1e-12, 1e-4, 0.1, 0.2999, 0.3001, 1, 3, 3.1415])
def test_series(angle):
    random = numpy.random.default_rng(7)
    h = random.normal(size=(40, 6))
    h[:, 3:] *= (angle / numpy.linalg.norm(h[:, 3:], axis=1))[:, None]
    w = h[:, 3:]
    differences = [
        lie.so3_exp(w) - series(lie.so3_hat(w), 0), lie.so3_tan(w) - series(-lie.so3_hat(w), 1),
        lie.so3_taninv(w) @ lie.so3_tan(w) - numpy.eye(3), lie.so3_log(lie.so3_exp(w)) - w,
        lie.se3_exp(h) - series(lie.se3_hat(h), 0), lie.se3_tan(h) - series(-lie.se3_ad(h), 1),
        lie.se3_taninv(h) @ lie.se3_tan(h) - numpy.eye(6), lie.se3_log(lie.se3_exp(h)) - h,
        lie.quaternion_to_matrix(lie.rotation_vector_to_quaternion(w)) - lie.so3_exp(w),
        lie.quaternion_to_rotation_vector(lie.rotation_vector_to_quaternion(w)) - w]
    worst = [abs(d).max() for d in differences]
    print(angle, max(worst))
    # The logarithm turns rounding of the matrix near pi into an error larger by the distance from there.
    assert max(worst) < ROUNDING * max(1, 0.01 / (math.pi - angle))


def test_taninv_is_the_inverse_beyond_pi_and_undefined_from_two_pi_on():
    w = numpy.array([[0, 0, 6.2], [0, 0, 6.3]])
    inverse = lie.so3_taninv(w)
    # The determinant of T is (2 sin(a/2)/a)^2, 1.8e-4 there: so much is lost.
    assert abs(inverse[0] @ lie.so3_tan(w[0]) - numpy.eye(3)).max() < 1e-11
    assert numpy.isnan(inverse[1]).all()


def test_shapes():
    assert lie.se3_exp(numpy.zeros(6)).shape == (4, 4)
    assert lie.se3_tan(numpy.zeros((2, 3, 6))).shape == (2, 3, 6, 6)
    assert lie.matrix_to_quaternion(numpy.zeros((5, 3, 3)) + numpy.eye(3)).shape == (5, 4)
    with pytest.raises(ValueError):
        lie.so3_exp([1, 2])


def test_half_turns():
    """Of rotations by pi every component can be the largest one of the quaternion."""
    for axis in numpy.vstack([numpy.eye(3), [[1, 1, 0], [0, -1, 1], [-1, -2, 3]]]):
        w = math.pi * axis / numpy.linalg.norm(axis)
        R = lie.so3_exp(w)
        assert abs(lie.so3_exp(lie.so3_log(R)) - R).max() < 1e-15 * 10
