/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Normal stress N/A + My z/Iy - Mz y/Iz.  Shear stresses of a torque T and of forces Vy, Vz: of
 * solid sections and tubes Saint-Venant's solutions, of thin walls those along the walls. */

#include "elements/section_stress.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

/* Stresses along y and z. */
typedef struct shear {
  double y, z;
} shear;

/* ---- circle and tube ------------------------------------------------------------------------- */

/* Shear stress due to a unit force along p on a ring between the radii b and a with the second
 * moment 1 (Love, Mathematical Theory of Elasticity, chapter XV): -(grad chi + (nu p^2/2 + (1 -
 * nu/2) q^2, (2 + nu) p q))/(2 (1 + nu)), chi = -(3/4 + nu/2) ((a^2 + b^2) r + a^2 b^2/r) cos +
 * r^3/4 cos 3. */
static shear ring_force(double a, double b, double nu, double p, double q) {
  const double c = 0.75 + nu / 2, r2 = p * p + q * q, ab = b > 0 ? a * a * b * b / (r2 * r2) : 0;
  const double chi_p = -c * (a * a + b * b + ab * (q * q - p * p)) + 0.75 * (p * p - q * q);
  const double chi_q = 2 * c * ab * p * q - 1.5 * p * q;
  const double along = chi_p + nu / 2 * p * p + (1 - nu / 2) * q * q;
  return (shear){-along / (2 * (1 + nu)), -(chi_q + (2 + nu) * p * q) / (2 * (1 + nu))};
}

static shear of_ring(const section_recovery *s, double y, double z, const double F[6]) {
  const double a = s->size[0], b = s->shape == TORSOR_SHAPE_TUBE ? a - s->size[1] : 0;
  const double I = s->of_shape.Iy, turn = F[3] / s->of_shape.J;
  const shear by_y = ring_force(a, b, s->nu, y, z), by_z = ring_force(a, b, s->nu, z, y);
  return (shear){-turn * z + (F[1] * by_y.y + F[2] * by_z.z) / I,
                 turn * y + (F[1] * by_y.z + F[2] * by_z.y) / I};
}

/* ---- rectangle ------------------------------------------------------------------------------- */

/* Most terms of a series: those on an edge fall like 1/n^2 and alternate, all others
 * exponentially. */
enum { TERMS = 2000 };

static bool is_edge(double x, double half) {
  return fabs(x) >= half * (1 - 1e-12);
}

/* cosh(k x)/cosh(k half) and sinh(k x)/cosh(k half). */
static void hyperbolic(double *even, double *odd, double k, double x, double half) {
  const double size = exp(k * (fabs(x) - half)) / (1 + exp(-2 * k * half));
  const double inner = exp(-2 * k * fabs(x));
  *even = size * (1 + inner);
  *odd = (x < 0 ? -size : size) * (1 - inner);
}

/* Shear stress due to a unit force along p on a rectangle of 2 a by 2 b across, with the second
 * moment 1: the parabola (a^2 - p^2)/2 and what bends it (Love, ibid.). */
static shear rectangle_force(double a, double b, double nu, double p, double q) {
  const double factor = nu / (2 * (1 + nu));
  shear sum = {0, 0};
  if (is_edge(p, a) && (is_edge(q, b) || q == 0)) return sum;
  double size = 1;
  for (int n = 1; n < TERMS && size > 1e-17; ++n) {
    const double k = n * PI / b, term = (n % 2 ? -4 : 4) * b * b / (n * PI * n * PI);
    double even, odd;
    hyperbolic(&even, &odd, k, p, a);
    sum.y += term * even * cos(k * q);
    sum.z -= term * odd * sin(k * q);
    size = even;
  }
  const double along = (a * a - p * p) / 2 + factor * (q * q - b * b / 3 - sum.y);
  return (shear){is_edge(p, a) ? 0 : along, is_edge(q, b) ? 0 : -factor * sum.z};
}

/* Shear stress due to a twist G theta = 1 on a rectangle of 2 a along u by 2 b along v (Timoshenko
 * and Goodier, Theory of Elasticity, 109): along u and v. */
static shear rectangle_twist(double a, double b, double u, double v) {
  shear sum = {0, 2 * u};
  double size = 1;
  for (int n = 1; n < TERMS && size > 1e-17; n += 2) {
    const double k = n * PI / (2 * a), term = (n % 4 == 1 ? 16 : -16) * a / (n * PI * n * PI);
    double even, odd;
    hyperbolic(&even, &odd, k, v, b);
    sum.y -= term * odd * cos(k * u);
    sum.z -= term * even * sin(k * u);
    size = even;
  }
  return sum;
}

/* The series runs along the side from whose ends the point is further off. */
static shear rectangle_torque(double hy, double hz, double y, double z) {
  if (is_edge(y, hy) && is_edge(z, hz)) return (shear){0, 0};
  if ((hz - fabs(z)) * hz >= (hy - fabs(y)) * hy) return rectangle_twist(hy, hz, y, z);
  const shear turned = rectangle_twist(hz, hy, z, y);
  return (shear){-turned.z, -turned.y};
}

static shear of_rectangle(const section_recovery *s, double y, double z, const double F[6]) {
  const double hy = s->size[0] / 2, hz = s->size[1] / 2, turn = F[3] / s->of_shape.J;
  const shear torque = rectangle_torque(hy, hz, y, z);
  const shear by_y = rectangle_force(hy, hz, s->nu, y, z);
  const shear by_z = rectangle_force(hz, hy, s->nu, z, y);
  const double Vy = F[1] / s->of_shape.Iz, Vz = F[2] / s->of_shape.Iy;
  return (shear){turn * torque.y + Vy * by_y.y + Vz * by_z.z,
                 turn * torque.z + Vy * by_y.z + Vz * by_z.y};
}

/* ---- thin walls ------------------------------------------------------------------------------ */

static double within(double x, double most) {
  return fmax(-most, fmin(most, x));
}

/* Shear stress due to a force along p on walls of the thickness t, b along q and h along p between
 * the middle lines: in the walls along p, else in those across it at the side of p.  From
 * d(shear)/ds = -(normal stress)'. */
static double box_wall(double b, double h, double t, bool along, double p, double q) {
  const double I = t * h * h * h / 6 + b * t * h * h / 2;
  if (along) return (b * h / 4 + (h * h / 4 - within(p, h / 2) * within(p, h / 2)) / 2) / I;
  return -copysign(h / 2, p) * within(q, b / 2) / I;
}

/* Torsion: Bredt, T over twice the area within the middle line and the thickness. */
static shear of_box(const section_recovery *s, double y, double z, const double F[6]) {
  const double t = s->size[2], b = s->size[0] - t, h = s->size[1] - t;
  const double torque = F[3] / (2 * b * h * t);
  const bool across = fabs(z) >= (h - t) / 2;
  const double by_z = box_wall(b, h, t, !across, z, y), by_y = box_wall(h, b, t, across, y, z);
  const double sum = F[1] * by_y + F[2] * by_z;
  if (across) return (shear){sum + (z < 0 ? torque : -torque), 0};
  return (shear){0, sum + (y < 0 ? -torque : torque)};
}

/* Torsion: T/J times twice the distance from a wall's middle line.  A force along y bears on the
 * flanges as on rectangles, one along z on the web, into which it flows from the flanges. */
static shear of_i(const section_recovery *s, double y, double z, const double F[6]) {
  const double b = s->size[0], tf = s->size[2], tw = s->size[3], h = s->size[1] - tf;
  const double I = tw * h * h * h / 12 + b * tf * h * h / 2, turn = 2 * F[3] / s->of_shape.J;
  if (fabs(z) < (h - tf) / 2) {
    const double flow = b * tf * h / 2 + tw / 2 * (h * h / 4 - z * z);
    return (shear){0, turn * y + F[2] * flow / (I * tw)};
  }
  const double flange = 0.75 * F[1] / (tf * b) * (1 - 4 * y * y / (b * b));
  const double flow = y == 0 ? 0 : copysign(h / 2, y * z) * (b / 2 - fabs(y));
  return (shear){-turn * (z - copysign(h / 2, z)) + flange + F[2] * flow / I, 0};
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Coordinates relative to half the width and half the height, or to the radius. */
typedef struct own_point {
  const char *name;
  double y, z;
} own_point;

#define SIDES                                                                                      \
  {"top", 0, 1}, {                                                                                 \
    "bottom", 0, -1                                                                                \
  }
#define ACROSS                                                                                     \
  {"left", -1, 0}, {                                                                               \
    "right", 1, 0                                                                                  \
  }
#define CORNERS                                                                                    \
  {"top_left", -1, 1}, {"top_right", 1, 1}, {"bottom_left", -1, -1}, {                             \
    "bottom_right", 1, -1                                                                          \
  }
#define CENTER                                                                                     \
  { "center", 0, 0 }

static const own_point of_round[] = {SIDES, ACROSS, CENTER, {0}};
static const own_point of_tube[] = {SIDES, ACROSS, {0}};
static const own_point of_solid[] = {SIDES, ACROSS, CORNERS, CENTER, {0}};
static const own_point of_closed[] = {SIDES, ACROSS, CORNERS, {0}};
static const own_point of_open[] = {SIDES, CORNERS, CENTER, {0}};

static const struct {
  shear (*shear)(const section_recovery *s, double y, double z, const double F[6]);
  const own_point *point;
} shapes[TORSOR_SHAPES] = {
    [TORSOR_SHAPE_RECTANGLE] = {of_rectangle, of_solid},
    [TORSOR_SHAPE_CIRCLE] = {of_ring, of_round},
    [TORSOR_SHAPE_TUBE] = {of_ring, of_tube},
    [TORSOR_SHAPE_BOX] = {of_box, of_closed},
    [TORSOR_SHAPE_I] = {of_i, of_open},
};

static int count_own(torsor_shape shape) {
  int count = 0;
  while (shapes[shape].point && shapes[shape].point[count].name) ++count;
  return count;
}

static bool have_same_points(const torsor_section *a, const torsor_section *b) {
  if (a->shape != b->shape || a->points != b->points) return false;
  for (int i = 0; i < a->points; ++i)
    if (strcmp(a->point[i].name, b->point[i].name) != 0) return false;
  return true;
}

void section_recover(section_recovery *out, const torsor_section *from, const torsor_section *to,
                     double part) {
  memset(out, 0, sizeof *out);
  if (!have_same_points(from, to)) return;
  const torsor_section at = section_between(from, to, part);
  out->from = from->point;
  out->to = to->point;
  out->part = from->point == to->point ? 0 : part;
  out->points = from->points ? from->points : count_own(from->shape);
  out->shape = at.shape;
  if (at.shape == TORSOR_SHAPE_NONE) return;
  memcpy(out->size, at.size, sizeof out->size);
  out->nu = at.E / (2 * at.G) - 1;
  out->of_shape = section_measure(&at);
}

const char *section_point_name(const section_recovery *s, int point) {
  if (point >= s->points) return NULL;
  return s->from ? s->from[point].name : shapes[s->shape].point[point].name;
}

static double between(double a, double b, double part) {
  return (1 - part) * a + part * b;
}

/* Position of a point, m. */
static void find_place(double *y, double *z, const section_recovery *s, int point) {
  if (s->from) {
    *y = between(s->from[point].y, s->to[point].y, s->part);
    *z = between(s->from[point].z, s->to[point].z, s->part);
    return;
  }
  const bool round = s->shape == TORSOR_SHAPE_CIRCLE || s->shape == TORSOR_SHAPE_TUBE;
  const own_point *own = &shapes[s->shape].point[point];
  *y = own->y * (round ? s->size[0] : s->size[0] / 2);
  *z = own->z * (round ? s->size[0] : s->size[1] / 2);
}

void section_stress(double stress[3], const section_recovery *s, int point, const double F[6]) {
  double y, z;
  if (s->shape == TORSOR_SHAPE_NONE) {
    for (int i = 0; i < 3; ++i) {
      stress[i] = 0;
      for (int k = 0; k < 6; ++k)
        stress[i] +=
            F[k] * between(s->from[point].recovery[i][k], s->to[point].recovery[i][k], s->part);
    }
    return;
  }
  find_place(&y, &z, s, point);
  const shear sum = shapes[s->shape].shear(s, y, z, F);
  stress[0] = F[0] / s->of_shape.A + F[4] / s->of_shape.Iy * z - F[5] / s->of_shape.Iz * y;
  stress[1] = sum.y;
  stress[2] = sum.z;
}

bool section_has_place(const torsor_section *s, double y, double z) {
  const double *size = s->size, more = 1 + 1e-9, less = 1 - 1e-9; /* as written */
  const double r = hypot(y, z), wide = fabs(y), high = fabs(z);
  if (s->shape == TORSOR_SHAPE_CIRCLE) return r <= more * size[0];
  if (s->shape == TORSOR_SHAPE_TUBE) return r <= more * size[0] && r >= less * (size[0] - size[1]);
  if (!(2 * wide <= more * size[0] && 2 * high <= more * size[1])) return false;
  if (s->shape == TORSOR_SHAPE_BOX)
    return 2 * wide >= less * (size[0] - 2 * size[2]) || 2 * high >= less * (size[1] - 2 * size[2]);
  if (s->shape == TORSOR_SHAPE_I)
    return 2 * wide <= more * size[3] || 2 * high >= less * (size[1] - 2 * size[2]);
  return true;
}
