/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/section.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

const section_shape section_shapes[TORSOR_SHAPES] = {
    [TORSOR_SHAPE_RECTANGLE] = {"rectangle", {"width", "height"}},
    [TORSOR_SHAPE_CIRCLE] = {"circle", {"radius"}},
    [TORSOR_SHAPE_TUBE] = {"tube", {"radius", "thickness"}},
    [TORSOR_SHAPE_BOX] = {"box", {"width", "height", "thickness"}},
    [TORSOR_SHAPE_I] = {"I", {"width", "height", "flange", "web"}},
};

/* Saint-Venant torsion of a rectangle a >= b: J = a b^3 (1/3 - 64 b/(pi^5 a) sum tanh(n pi
 * a/2b)/n^5) over odd n (Timoshenko and Goodier, Theory of Elasticity, 109).  The tail behind n is
 * below 1/(8 n^4). */
static double rectangle_torsion(double width, double height) {
  const double a = fmax(width, height), b = fmin(width, height);
  double sum = 0;
  for (int n = 301; n >= 1; n -= 2) sum += tanh(n * PI * a / (2 * b)) / pow(n, 5);
  return a * b * b * b * (1.0 / 3 - 64 * b / (pow(PI, 5) * a) * sum);
}

/* Shear coefficients: Cowper 1966, J. Appl. Mech. 33, 335, Table 1. */
static section_properties rectangle(const double *size, double nu) {
  const double b = size[0], h = size[1], k = 10 * (1 + nu) / (12 + 11 * nu);
  return (section_properties){
      b * h, b * h * h * h / 12, h * b * b * b / 12, rectangle_torsion(b, h), k, k};
}

static section_properties circle(const double *size, double nu) {
  const double r2 = size[0] * size[0], I = PI * r2 * r2 / 4, k = 6 * (1 + nu) / (7 + 6 * nu);
  return (section_properties){PI * r2, I, I, 2 * I, k, k};
}

static section_properties tube(const double *size, double nu) {
  const double r = size[0], inner = r - size[1], m = inner / r, mm = m * m;
  const double I = PI * (pow(r, 4) - pow(inner, 4)) / 4, q = (1 + mm) * (1 + mm);
  const double k = 6 * (1 + nu) * q / ((7 + 6 * nu) * q + (20 + 12 * nu) * mm);
  return (section_properties){PI * (r * r - inner * inner), I, I, 2 * I, k, k};
}

/* Terms that thin-walled sections share. */
static double thin_walled(double m, double nu, double across) {
  const double bending = 12 + m * (72 + m * (150 + m * 90));
  const double poisson = 11 + m * (66 + m * (135 + m * 90));
  return 10 * (1 + nu) * (1 + 3 * m) * (1 + 3 * m) / (bending + nu * poisson + across);
}

/* Walls of one thickness: b between the centre lines across the force, h along it. */
static double box_shear(double b, double h, double nu) {
  const double m = b / h;
  return thin_walled(m, nu, 10 * m * m * ((3 + nu) * m + 3 * m * m));
}

/* Torsion: Bredt, 4 (area within the centre line)^2 over its length by the thickness. */
static section_properties box(const double *size, double nu) {
  const double b = size[0], h = size[1], t = size[2], ib = b - 2 * t, ih = h - 2 * t;
  const double mb = b - t, mh = h - t, area = mb * mh;
  return (section_properties){.A = b * h - ib * ih,
                              .Iy = (b * h * h * h - ib * ih * ih * ih) / 12,
                              .Iz = (h * b * b * b - ih * ib * ib * ib) / 12,
                              .J = 2 * t * area * area / (mb + mh),
                              .ky = box_shear(mh, mb, nu),
                              .kz = box_shear(mb, mh, nu)};
}

/* Web along z.  Torsion: thin open walls, a third of length by thickness cubed.  Along y the
 * flanges carry the shear as rectangles. */
static section_properties i_section(const double *size, double nu) {
  const double b = size[0], h = size[1], tf = size[2], tw = size[3], web = h - 2 * tf, mh = h - tf;
  const double m = 2 * b * tf / (mh * tw), n = b / mh, A = 2 * b * tf + web * tw;
  const double across = 30 * n * n * (m + m * m) + 5 * nu * n * n * (8 * m + 9 * m * m);
  return (section_properties){.A = A,
                              .Iy = (b * h * h * h - (b - tw) * web * web * web) / 12,
                              .Iz = (2 * tf * b * b * b + web * tw * tw * tw) / 12,
                              .J = (2 * b * tf * tf * tf + mh * tw * tw * tw) / 3,
                              .ky = 5.0 / 6 * 2 * b * tf / A,
                              .kz = thin_walled(m, nu, across)};
}

section_properties section_measure(const torsor_section *s) {
  const double nu = s->E / (2 * s->G) - 1;
  switch (s->shape) {
  case TORSOR_SHAPE_CIRCLE:
    return circle(s->size, nu);
  case TORSOR_SHAPE_TUBE:
    return tube(s->size, nu);
  case TORSOR_SHAPE_BOX:
    return box(s->size, nu);
  case TORSOR_SHAPE_I:
    return i_section(s->size, nu);
  default:
    return rectangle(s->size, nu);
  }
}

static const char *check_sizes(const torsor_section *s) {
  const double *size = s->size;
  if (s->shape == TORSOR_SHAPE_TUBE && size[1] > size[0])
    return "the wall of the tube is thicker than its radius";
  if (s->shape == TORSOR_SHAPE_BOX && 2 * size[2] >= fmin(size[0], size[1]))
    return "the walls of the box leave no room between them";
  if (s->shape == TORSOR_SHAPE_I && (2 * size[2] >= size[1] || size[3] >= size[0]))
    return "the flanges or the web of the I leave no room";
  return NULL;
}

const char *section_fill(torsor_section *s) {
  const char *wrong = check_sizes(s);
  if (wrong) return wrong;
  section_properties p = section_measure(s);
  if (!torsor_absent_number(s->torsion)) p.J = s->torsion;
  if (!torsor_absent_number(s->shear[0])) {
    p.ky = s->shear[0];
    p.kz = s->shear[1];
  }
  const double E = s->E, G = s->G, rho = s->density;
  const double K[6] = {E * p.A, p.ky * G * p.A, p.kz * G * p.A, G * p.J, E * p.Iy, E * p.Iz};
  const double M[6] = {rho * p.A,           rho * p.A,  rho * p.A,
                       rho * (p.Iy + p.Iz), rho * p.Iy, rho * p.Iz};
  s->stiffness = s->inertia = m6_zero();
  for (int i = 0; i < 6; ++i) {
    s->stiffness.m[i][i] = K[i];
    s->inertia.m[i][i] = M[i];
  }
  return NULL;
}

static double between(double a, double b, double s) {
  return (1 - s) * a + s * b;
}

torsor_section section_between(const torsor_section *a, const torsor_section *b, double s) {
  torsor_section c = *a;
  if (a->shape == b->shape && a->shape != TORSOR_SHAPE_NONE) {
    for (int i = 0; i < TORSOR_SECTION_SIZES; ++i) c.size[i] = between(a->size[i], b->size[i], s);
    for (int i = 0; i < 2; ++i) c.shear[i] = between(a->shear[i], b->shear[i], s);
    c.E = between(a->E, b->E, s);
    c.G = between(a->G, b->G, s);
    c.density = between(a->density, b->density, s);
    c.torsion = between(a->torsion, b->torsion, s);
    section_fill(&c);
    return c;
  }
  c.shape = TORSOR_SHAPE_NONE;
  c.stiffness = m6_axpy(s, b->stiffness, m6_scale(a->stiffness, 1 - s));
  c.inertia = m6_axpy(s, b->inertia, m6_scale(a->inertia, 1 - s));
  return c;
}

/* b = sqrt(12 EIz/EA), h = sqrt(12 EIy/EA); 0 where the matrix has no such ratio. */
void section_outline(torsor_outline *out, const torsor_section *section) {
  if (section->shape != TORSOR_SHAPE_NONE) {
    out->shape = section->shape;
    for (int i = 0; i < TORSOR_SECTION_SIZES; ++i) out->size[i] = section->size[i];
    return;
  }
  const m6 *K = &section->stiffness;
  out->shape = TORSOR_SHAPE_RECTANGLE;
  out->guessed = true;
  for (int i = 0; i < 2; ++i) {
    const double size = sqrt(12 * K->m[5 - i][5 - i] / K->m[0][0]);
    out->size[i] = size < HUGE_VAL ? size : 0;
  }
}
