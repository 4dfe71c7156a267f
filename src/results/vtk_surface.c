/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/vtk_surface.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

/* Corners of half a circle, and of the tube of a torus. */
enum { HALF = 12, TUBE = 12 };

/* A solid that is being added. */
typedef struct solid_in {
  vtk_surface *surface;
  int node;
  se3 frame;
} solid_in;

static int add_point(const solid_in *in, v3 x) {
  const v3 local = se3_point(in->frame, x);
  text_append_bytes(&in->surface->local, (const char *)&local, sizeof local);
  text_append_bytes(&in->surface->node, (const char *)&in->node, sizeof in->node);
  return in->surface->points++;
}

static void add_poly(const solid_in *in, const int *point, int count) {
  vtk_add_cell(&in->surface->cells, point, count);
  ++in->surface->polys;
}

static void add_box(const solid_in *in, v3 size) {
  static const int faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  const int first = in->surface->points;
  for (int i = 0; i < 8; ++i)
    add_point(in, (v3){size.x * ((i & 1) - 0.5), size.y * ((i >> 1 & 1) - 0.5),
                       size.z * ((i >> 2) - 0.5)});
  for (int i = 0; i < 6; ++i) {
    int point[4];
    for (int k = 0; k < 4; ++k) point[k] = first + faces[i][k];
    add_poly(in, point, 4);
  }
}

/* Half a section of a body of revolution about z: r >= 0, from below to above. */
typedef struct profile {
  int count;
  double r[2 * HALF + 2], z[2 * HALF + 2];
} profile;

static void add_corner(profile *p, double r, double z) {
  p->r[p->count] = r;
  p->z[p->count++] = z;
}

/* An arc of the ellipse (r, z) about the height z0, from the angle a to b; exactly on the axis at
 * its poles. */
static void add_arc(profile *p, double r, double z, double z0, double a, double b, int parts) {
  for (int i = 0; i <= parts; ++i) {
    const double angle = a + (b - a) * i / parts;
    const bool pole = fabs(fabs(angle) - PI / 2) < 1e-9;
    add_corner(p, pole ? 0 : r * cos(angle), z0 + z * sin(angle));
  }
}

/* A ring of points, or one point where it is on the axis. */
static int add_ring(const solid_in *in, double r, double z, double flat) {
  const int first = in->surface->points;
  for (int i = 0; i < (r > 0 ? SURFACE_SIDES : 1); ++i) {
    const double angle = 2 * PI * i / SURFACE_SIDES;
    add_point(in, (v3){r * cos(angle), flat * r * sin(angle), z});
  }
  return first;
}

/* Polygons between two rings, either of which may be a point. */
static void join_rings(const solid_in *in, int low, bool low_point, int high, bool high_point) {
  for (int i = 0; i < SURFACE_SIDES; ++i) {
    const int next = (i + 1) % SURFACE_SIDES;
    const int quad[4] = {low + i, low + next, high + next, high + i};
    const int up[3] = {low + i, low + next, high}, down[3] = {low, high + next, high + i};
    if (!low_point && !high_point) add_poly(in, quad, 4);
    if (!low_point && high_point) add_poly(in, up, 3);
    if (low_point && !high_point) add_poly(in, down, 3);
  }
}

/* `flat`: extent along y by that along x; `closed`: the profile is a loop. */
static void revolve(const solid_in *in, const profile *p, double flat, bool closed) {
  int first = 0, before = 0;
  for (int i = 0; i < p->count; ++i) {
    const int ring = add_ring(in, p->r[i], p->z[i], flat);
    if (i == 0) first = ring;
    if (i > 0) join_rings(in, before, !(p->r[i - 1] > 0), ring, !(p->r[i] > 0));
    before = ring;
  }
  if (closed) join_rings(in, before, false, first, false);
}

static void find_profile(profile *p, const torsor_solid *solid) {
  const double r = solid->size.x / 2, h = solid->size.z / 2, tube = h;
  switch (solid->kind) {
  case TORSOR_SOLID_SPHERE:
    add_arc(p, r, h, 0, -PI / 2, PI / 2, HALF);
    break;
  case TORSOR_SOLID_CAPSULE:
    add_arc(p, r, r, -(h - r), -PI / 2, 0, HALF / 2);
    add_arc(p, r, r, h - r, 0, PI / 2, HALF / 2);
    break;
  case TORSOR_SOLID_TORUS:
    for (int i = 0; i < TUBE; ++i)
      add_corner(p, r - tube + tube * cos(2 * PI * i / TUBE), tube * sin(2 * PI * i / TUBE));
    break;
  default:
    add_corner(p, 0, -h);
    add_corner(p, r, -h);
    if (solid->kind == TORSOR_SOLID_CYLINDER) add_corner(p, r, h);
    add_corner(p, 0, h);
  }
}

void surface_add_solid(vtk_surface *surface, int node, const torsor_solid *solid) {
  const solid_in in = {surface, node, solid->frame};
  profile p = {0};
  if (solid->kind == TORSOR_SOLID_BOX) {
    add_box(&in, solid->size);
    return;
  }
  find_profile(&p, solid);
  revolve(&in, &p, solid->size.y / solid->size.x, solid->kind == TORSOR_SOLID_TORUS);
}

void surface_release(vtk_surface *surface) {
  text_release(&surface->local);
  text_release(&surface->node);
  vtk_cells_release(&surface->cells);
}
