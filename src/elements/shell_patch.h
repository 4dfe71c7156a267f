/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_PATCH_H
#define TORSOR_ELEMENTS_SHELL_PATCH_H

/** Surfaces with coordinates u, v from 0 to 1, of which meshes of shells are made. */

#include <torsor/curve.h>
#include <torsor/element.h>

typedef enum shell_surface {
  SHELL_PLATE,    /* x along u, y along v */
  SHELL_CYLINDER, /* u around the z axis from x on, v along it */
  SHELL_SPHERE,   /* u the longitude, v the latitude */
  SHELL_RULED     /* straight lines along v from one curve to another */
} shell_surface;

typedef struct shell_patch {
  shell_surface surface;
  se3 frame;                    /* where the surface is */
  double length, width;         /* m; length along z for a cylinder */
  double radius, radius_end;    /* m; the latter at v = 1 of a cylinder, which may be a cone */
  double angle;                 /* rad, of u = 1 about z */
  double latitude[2];           /* rad, of v = 0 and v = 1 */
  bool slit;                    /* u = 0 and u = 1 are apart, wherever they are */
  const torsor_curve *curve[2]; /* at v = 0 and v = 1 */
} shell_patch;

/** The frame at u, v: its x axis along u, z the normal, the product of the directions of u and v.
 */
se3 shell_patch_frame(const shell_patch *p, double u, double v);

/** Are u = 0 and u = 1 at the same place? */
bool shell_patch_around(const shell_patch *p);

/** Do they share their nodes? */
bool shell_patch_closed(const shell_patch *p);

#endif
