/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_patch.h"

#include <math.h>

#include "elements/chain_kit.h"

static const double TURN = 6.28318530717958648;

/* Angles as written with six digits meet. */
static const double WRITTEN = 1e-5;

bool shell_patch_around(const shell_patch *p) {
  if (p->surface == SHELL_CYLINDER || p->surface == SHELL_SPHERE)
    return fabs(p->angle - TURN) <= WRITTEN;
  return p->surface == SHELL_RULED && p->curve[0]->closed && p->curve[1]->closed;
}

bool shell_patch_closed(const shell_patch *p) {
  return !p->slit && shell_patch_around(p);
}

/* A point of the surface with its derivatives, whose lengths are of no interest. */
typedef struct point {
  v3 x, along_u, along_v;
} point;

static point round_point(const shell_patch *p, double u, double v) {
  const double turn = shell_patch_around(p) ? TURN : p->angle;
  const double c = cos(u * turn), s = sin(u * turn);
  const v3 out = {c, s, 0}, around = {-s, c, 0}, up = {0, 0, 1};
  if (p->surface == SHELL_CYLINDER) {
    const double wider = p->radius_end - p->radius;
    return (point){v3_axpy(p->radius + v * wider, out, v3_scale(up, v * p->length)), around,
                   v3_axpy(wider, out, v3_scale(up, p->length))};
  }
  const double angle = p->latitude[0] + v * (p->latitude[1] - p->latitude[0]);
  const v3 normal = v3_axpy(cos(angle), out, v3_scale(up, sin(angle)));
  const v3 rise = v3_axpy(-sin(angle), out, v3_scale(up, cos(angle)));
  return (point){v3_scale(normal, p->radius), around, rise};
}

/* Places of the same part of the length on both curves. */
static point ruled_point(const shell_patch *p, double u, double v) {
  v3 x[2], d[2];
  for (int k = 0; k < 2; ++k) {
    const torsor_curve *curve = p->curve[k];
    const double length = torsor_curve_length(curve);
    const double at = chain_curve_parameter(curve, u * length);
    const torsor_curve_point on =
        torsor_curve_in(curve, torsor_curve_segment(curve, at, false), at);
    x[k] = on.x;
    d[k] = v3_scale(v3_unit(on.d1), length);
  }
  const v3 across = v3_sub(x[1], x[0]);
  return (point){v3_axpy(v, across, x[0]), v3_axpy(v, v3_sub(d[1], d[0]), d[0]), across};
}

static point find_point(const shell_patch *p, double u, double v) {
  if (p->surface == SHELL_PLATE)
    return (point){{u * p->length, v * p->width, 0}, {1, 0, 0}, {0, 1, 0}};
  return p->surface == SHELL_RULED ? ruled_point(p, u, v) : round_point(p, u, v);
}

se3 shell_patch_frame(const shell_patch *p, double u, double v) {
  const point at = find_point(p, u, v);
  const v3 x = v3_unit(at.along_u), z = v3_unit(v3_cross(at.along_u, at.along_v));
  const m3 columns = m3_transpose(m3_rows(x, v3_cross(z, x), z));
  return se3_compose(p->frame, (se3){so3_from_matrix(columns), at.x});
}
