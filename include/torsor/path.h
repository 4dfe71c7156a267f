/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PATH_H
#define TORSOR_PATH_H

/** The stations of a rope's path. */

#include <torsor/element.h>

TORSOR_BEGIN_DECLS

/** The kinds of stations. */
typedef enum torsor_station_kind {
  TORSOR_STATION_END,    /* it is fixed to a point */
  TORSOR_STATION_SHEAVE, /* it runs over a sheave */
  TORSOR_STATION_DRUM    /* it is fixed to a drum, on which it is wound */
} torsor_station_kind;

/** A station of a rope's path. */
typedef struct torsor_station {
  torsor_station_kind kind;
  torsor_marker marker; /* the point, or the centre of the sheave or drum */
  v3 axis;              /* of the sheave or drum, in the marker's frame */
  double radius;        /* m */
  int sense;            /* 1: the rope runs counterclockwise about the axis, -1: clockwise */
  double friction;      /* coefficient of friction of the rope on the sheave */
  double bending;       /* part of the tension that bending costs */
  int turns;            /* whole turns of the rope at the start, beyond the part of one */
} torsor_station;

/** Axes of a sheave in its marker's frame, z along `axis`. */
static inline m3 torsor_station_axes(const torsor_station *station) {
  const v3 z = station->axis, x = v3_across(z), y = v3_cross(z, x);
  return (m3){{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

TORSOR_END_DECLS

#endif
