/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_STIFF_SPRING_H
#define TORSOR_TESTS_STIFF_SPRING_H

#include <torsor/integrator.h>

/** A pendulum, mass 1, on a spring of length 1 m on the curved surface z = x y; gravity along -y.
 * `stiffness` (N/m) must outlive it. */
torsor_dense stiff_spring_dense(double *stiffness);

#endif
