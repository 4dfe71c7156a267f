/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "robots/mjcf.h"

/* Density of geoms that say none, kg/m^3. */
static const double DENSITY = 1000;

typedef enum geom_kind { BOX, SPHERE, CYLINDER, CAPSULE, ELLIPSOID, PLANE, MESH } geom_kind;

typedef struct geom {
  mjcf_element of;
  geom_kind kind;
  v3 size; /* radii, halves of edges; z of what is round is half its length */
  robot_pose pose;
  double mass;
  v3 moments; /* about its centre and axes */
} geom;

/* ---- sizes ----------------------------------------------------------------------------------- */

static torsor_status read_kind(geom *g) {
  static const struct {
    const char *word;
    geom_kind kind;
  } kinds[] = {{"box", BOX},         {"sphere", SPHERE},       {"cylinder", CYLINDER},
               {"capsule", CAPSULE}, {"ellipsoid", ELLIPSOID}, {"plane", PLANE},
               {"hfield", PLANE},    {"mesh", MESH},           {"sdf", MESH}};
  const char *type = mjcf_value(&g->of, "type"), *names[9];
  g->kind = mjcf_value(&g->of, "mesh") ? MESH : SPHERE;
  for (int i = 0; i < 9; ++i) {
    names[i] = kinds[i].word;
    if (!type || strcmp(type, kinds[i].word) != 0) continue;
    g->kind = kinds[i].kind;
    return TORSOR_OK;
  }
  if (!type) return TORSOR_OK;
  robot_fail(g->of.m->r, g->of.node->line, NULL, "there is no type \"%.60s\" of geoms", type);
  const char *near = torsor_near_name(type, names, 9);
  if (near) torsor_hint(g->of.m->r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

/* Numbers of `size` that a kind needs; what `fromto` says is one less. */
static int sizes_of(geom_kind kind) {
  static const int needed[] = {3, 1, 2, 2, 3, 0, 0};
  return needed[kind];
}

static torsor_status read_size(geom *g) {
  double size[3] = {0}, ends[6];
  const bool between = mjcf_value(&g->of, "fromto") != NULL;
  const bool round = g->kind == CYLINDER || g->kind == CAPSULE;
  const int needed = between ? 1 : sizes_of(g->kind);
  int count = 3;
  torsor_status status = mjcf_read_some(size, &count, 1, &g->of, "size");
  if (status || g->kind == PLANE || g->kind == MESH) return status;
  if (round) size[2] = size[1];
  if (between && !round && count < 2) size[1] = size[0];
  if (between) status = mjcf_read(ends, 6, &g->of, "fromto");
  if (between && !status) size[2] = v3_norm(v3_sub(v3_load(ends + 3), v3_load(ends))) / 2;
  if (round || g->kind == SPHERE) size[1] = size[0];
  if (g->kind == SPHERE) size[2] = size[0];
  g->size = v3_load(size);
  if (status || (count >= needed && size[0] > 0 && size[1] > 0 && size[2] > 0)) return status;
  return robot_fail(g->of.m->r, g->of.node->line, NULL, "this <geom> needs %d sizes greater than 0",
                    needed);
}

/* ---- masses ---------------------------------------------------------------------------------- */

static v3 half_squares(v3 s, double factor) {
  const v3 q = {s.x * s.x, s.y * s.y, s.z * s.z};
  return v3_scale((v3){q.y + q.z, q.x + q.z, q.x + q.y}, factor);
}

static double volume_of(const geom *g) {
  const v3 s = g->size;
  const double ball = 4.0 / 3 * M_PI * s.x * s.y * s.z, tube = 2 * M_PI * s.x * s.x * s.z;
  switch (g->kind) {
  case BOX:
    return 8 * s.x * s.y * s.z;
  case SPHERE:
  case ELLIPSOID:
    return ball;
  case CYLINDER:
    return tube;
  case CAPSULE:
    return tube + 4.0 / 3 * M_PI * s.x * s.x * s.x;
  default:
    return 0;
  }
}

/* Moments of a mass of 1, about the centre. */
static v3 moments_of(const geom *g) {
  const double r = g->size.x, h = g->size.z;
  if (g->kind == BOX) return half_squares(g->size, 1.0 / 3);
  if (g->kind == SPHERE || g->kind == ELLIPSOID) return half_squares(g->size, 1.0 / 5);
  const v3 tube = {r * r / 4 + h * h / 3, r * r / 4 + h * h / 3, r * r / 2};
  if (g->kind == CYLINDER) return tube;
  const double ball = 4.0 / 3 * r / (2 * h + 4.0 / 3 * r); /* its part of the mass */
  const double across = 0.4 * r * r + h * h + 0.75 * h * r;
  return v3_axpy(ball, (v3){across, across, 0.4 * r * r}, v3_scale(tube, 1 - ball));
}

static torsor_status read_mass(geom *g) {
  double density = DENSITY;
  torsor_status status = mjcf_read(&density, 1, &g->of, "density");
  g->mass = density * volume_of(g);
  if (!status) status = mjcf_read(&g->mass, 1, &g->of, "mass");
  if (!status && (density < 0 || g->mass < 0))
    return robot_fail(g->of.m->r, g->of.node->line, NULL, "the mass of this <geom> is negative");
  if (g->kind == PLANE) g->mass = 0;
  if (!status && g->kind != PLANE && g->kind != MESH) g->moments = v3_scale(moments_of(g), g->mass);
  return status;
}

/* Adds a mass to those that the link has, whose inertia is kept about its own centre. */
static void add_mass(robot_link *link, m3 *J, const geom *g) {
  const double whole = link->mass + g->mass;
  if (!(g->mass > 0)) return;
  const v3 apart = v3_sub(g->pose.x, link->inertial.x);
  const m3 R = so3_matrix(g->pose.R);
  const m3 own = m3_mul(R, m3_mul(m3_diagonal(g->moments), m3_transpose(R)));
  const double reduced = link->mass * g->mass / whole;
  const m3 arm = m3_sub(m3_scale(m3_identity(), v3_dot(apart, apart)), m3_outer(apart, apart));
  *J = m3_add(*J, m3_add(own, m3_scale(arm, reduced)));
  link->inertial.x = v3_axpy(g->mass / whole, apart, link->inertial.x);
  link->mass = whole;
}

/* ---- looks ----------------------------------------------------------------------------------- */

static torsor_status read_color(robot_solid *out, const geom *g) {
  double rgba[4] = {0.5, 0.5, 0.5, 1};
  const mjcf *m = g->of.m;
  const char *material = mjcf_value(&g->of, "material");
  torsor_status status = TORSOR_OK;
  for (const xml_node *a = xml_child(m->top, "asset"); a && material;
       a = xml_find(a->next, "asset"))
    for (const xml_node *n = xml_child(a, "material"); n; n = xml_find(n->next, "material")) {
      const mjcf_element e = {.m = m, .node = n};
      const char *name = xml_value(n, "name");
      if (name && strcmp(name, material) == 0) status = mjcf_read(rgba, 4, &e, "rgba");
    }
  if (!status) status = mjcf_read(rgba, 4, &g->of, "rgba");
  out->colored = material || mjcf_value(&g->of, "rgba");
  for (int i = 0; i < 3; ++i) out->color[i] = fmin(fmax(rgba[i], 0), 1);
  return status;
}

/* Geoms that touch nothing are what is seen. */
static torsor_status keep_solid(robot_link *link, const geom *g) {
  static const robot_solid_kind kinds[] = {ROBOT_BOX, ROBOT_SPHERE, ROBOT_CYLINDER, ROBOT_CAPSULE};
  double type = 1, affinity = 1;
  robot *r = g->of.m->r;
  torsor_status status = mjcf_read(&type, 1, &g->of, "contype");
  if (!status) status = mjcf_read(&affinity, 1, &g->of, "conaffinity");
  if (status) return status;
  robot_solid *solid = arena_take(&r->memory, 1, sizeof *solid);
  if (!solid) return robot_no_memory(r);
  *solid = (robot_solid){.kind = kinds[g->kind],
                         .size = v3_scale(g->size, 2),
                         .radius = g->size.x,
                         .length = 2 * g->size.z,
                         .pose = g->pose};
  robot_solid **list = type == 0 && affinity == 0 ? &link->visual : &link->collision;
  while (*list) list = &(*list)->next;
  *list = solid;
  return read_color(solid, g);
}

static torsor_status say_rest(robot_link *link, const geom *g, int *meshes) {
  if (g->kind == MESH) {
    ++*meshes;
    return TORSOR_OK;
  }
  return robot_say(g->of.m->r, g->of.node->line, "body \"%s\": a geom that is %s is not carried",
                   link->name, g->kind == PLANE ? "a plane or a height field" : "an ellipsoid");
}

/* ---- all of a body --------------------------------------------------------------------------- */

static torsor_status read_geom(geom *g) {
  torsor_status status = mjcf_check_class(&g->of, "class");
  if (!status) status = read_kind(g);
  if (!status) status = read_size(g);
  if (!status) status = mjcf_read_pose(&g->pose, &g->of);
  return status ? status : read_mass(g);
}

torsor_status mjcf_read_geoms(robot_link *link, const mjcf *m, const xml_node *body,
                              const char *inherited) {
  const bool grounded = strcmp(body->name, "worldbody") == 0;
  const bool weighs = !grounded && (m->masses == MJCF_ALWAYS || (m->masses == MJCF_WHERE_MISSING &&
                                                                 !xml_child(body, "inertial")));
  m3 J = {0};
  int meshes = 0;
  torsor_status status = TORSOR_OK;
  if (weighs) link->mass = 0;
  if (weighs) link->inertial = mjcf_pose_of(se3_identity());
  for (const xml_node *n = xml_child(body, "geom"); n && !status; n = xml_find(n->next, "geom")) {
    geom g = {.of = {.m = m, .node = n, .inherited = inherited}};
    status = read_geom(&g);
    if (!status) status = g.kind <= CAPSULE ? keep_solid(link, &g) : say_rest(link, &g, &meshes);
    if (status || !weighs) continue;
    if (g.kind == MESH)
      return robot_fail(m->r, n->line, "give the body an <inertial>",
                        "body \"%s\": its mass would follow from a mesh, which is not read",
                        link->name);
    add_mass(link, &J, &g);
  }
  if (meshes && !status)
    status =
        robot_say(m->r, body->line, "body \"%s\": its geoms that are meshes (%d) are not carried",
                  link->name, meshes);
  for (int i = 0; i < 3 && weighs; ++i) link->moments[i] = J.m[i][i];
  if (weighs) {
    link->products[0] = J.m[0][1];
    link->products[1] = J.m[0][2];
    link->products[2] = J.m[1][2];
  }
  return status;
}
