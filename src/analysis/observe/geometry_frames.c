/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/geometry.h>

#include <math.h>

static const double PI = 3.14159265358979323846;

const char *torsor_solid_name(torsor_solid_kind kind) {
  static const char *const words[TORSOR_SOLIDS] = {
      [TORSOR_SOLID_BOX] = "box",           [TORSOR_SOLID_SPHERE] = "sphere",
      [TORSOR_SOLID_CYLINDER] = "cylinder", [TORSOR_SOLID_CONE] = "cone",
      [TORSOR_SOLID_CAPSULE] = "capsule",   [TORSOR_SOLID_TORUS] = "torus"};
  return words[kind];
}

const char *torsor_symbol_name(torsor_symbol symbol) {
  static const char *const words[TORSOR_SYMBOLS] = {
      [TORSOR_SYMBOL_NONE] = "none",         [TORSOR_SYMBOL_BALL] = "ball",
      [TORSOR_SYMBOL_HINGE] = "hinge",       [TORSOR_SYMBOL_SLIDER] = "slider",
      [TORSOR_SYMBOL_CYLINDER] = "cylinder", [TORSOR_SYMBOL_SCREW] = "screw",
      [TORSOR_SYMBOL_CROSS] = "cross",       [TORSOR_SYMBOL_PLANE] = "plane",
      [TORSOR_SYMBOL_CONTACT] = "contact",   [TORSOR_SYMBOL_WELD] = "weld",
      [TORSOR_SYMBOL_ROD] = "rod",           [TORSOR_SYMBOL_SPRING] = "spring",
      [TORSOR_SYMBOL_ARROW] = "arrow",       [TORSOR_SYMBOL_ROPE] = "rope"};
  return words[symbol];
}

/* ---- outlines ------------------------------------------------------------------------------- */

typedef double point[2];

static int circle(point *yz, double radius) {
  for (int i = 0; i < TORSOR_OUTLINE_POINTS; ++i) {
    const double angle = 2 * PI * i / TORSOR_OUTLINE_POINTS;
    yz[i][0] = radius * cos(angle);
    yz[i][1] = radius * sin(angle);
  }
  return TORSOR_OUTLINE_POINTS;
}

static int corners(point *yz, const point *from, int count) {
  for (int i = 0; i < count; ++i) {
    yz[i][0] = from[i][0];
    yz[i][1] = from[i][1];
  }
  return count;
}

static int rectangle(point *yz, double width, double height) {
  const double b = width / 2, h = height / 2;
  const point all[] = {{b, h}, {-b, h}, {-b, -h}, {b, -h}};
  return corners(yz, all, 4);
}

/* Outlines an I section: the web along z has the thickness `web`, the flanges have the thickness
 * `flange`. */
static int i_section(point *yz, double width, double height, double flange, double web) {
  const double b = width / 2, h = height / 2, w = web / 2, f = h - flange;
  const point all[] = {{b, h},   {-b, h}, {-b, f}, {-w, f}, {-w, -f}, {-b, -f},
                       {-b, -h}, {b, -h}, {b, -f}, {w, -f}, {w, f},   {b, f}};
  return corners(yz, all, 12);
}

int torsor_outline_points(double yz[TORSOR_OUTLINE_POINTS][2], const torsor_outline *outline,
                          int loop) {
  const double *size = outline->size;
  switch (outline->shape) {
  case TORSOR_SHAPE_CIRCLE:
    return loop ? 0 : circle(yz, size[0]);
  case TORSOR_SHAPE_TUBE:
    return loop && !(size[1] < size[0]) ? 0 : circle(yz, loop ? size[0] - size[1] : size[0]);
  case TORSOR_SHAPE_BOX:
    return loop ? rectangle(yz, size[0] - 2 * size[2], size[1] - 2 * size[2])
                : rectangle(yz, size[0], size[1]);
  case TORSOR_SHAPE_I:
    return loop ? 0 : i_section(yz, size[0], size[1], size[2], size[3]);
  default:
    return loop ? 0 : rectangle(yz, size[0], size[1]);
  }
}

/* ---- frames --------------------------------------------------------------------------------- */

se3 torsor_piece_frame(const torsor_geometry_piece *piece, se3 a, se3 b, double s) {
  if (piece->framed) return se3_plus(a, tw_scale(se3_minus(b, a), s));
  const v3 way = v3_sub(b.x, a.x);
  const v3 t = v3_norm(way) > 0 ? v3_unit(way) : (v3){1, 0, 0}, y = v3_across(t);
  const m3 columns = m3_transpose(m3_rows(t, y, v3_cross(t, y)));
  return (se3){so3_from_matrix(columns), v3_axpy(s, way, a.x)};
}
