/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Drawings of a model: solids from inertia, shapes of scenes, outlines, pieces of beams, joints. */

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "assembly/model/model.h"
#include "elements/section.h"
#include "elements/solid.h"
#include "support.h"

static void open_text(support_world *world, torsor_geometry *g, const char *text) {
  torsor_error error = {0};
  if (support_open(world, text, NULL, &error)) print_error("%s\n", error.message);
  CHECK_TRUE(world->model != NULL);
  CHECK_INT(torsor_geometry_create(g, world->model, &error), TORSOR_OK);
}

static void close_all(support_world *world, torsor_geometry *g) {
  torsor_geometry_destroy(g);
  support_close(world);
}

/* ---- solids from inertia --------------------------------------------------------------------- */

/* Means of x^2, y^2, z^2 over a homogeneous solid about its middle. */
static v3 mean_squares(const torsor_solid *solid) {
  const v3 s = solid->size, squares = {s.x * s.x, s.y * s.y, s.z * s.z};
  if (solid->kind == TORSOR_SOLID_SPHERE) return v3_scale(squares, 1.0 / 20);
  if (solid->kind == TORSOR_SOLID_BOX) return v3_scale(squares, 1.0 / 12);
  CHECK_INT(solid->kind, TORSOR_SOLID_CYLINDER);
  return (v3){squares.x / 16, squares.y / 16, squares.z / 12};
}

/* J = m (tr S I - S), S = Q diag(mean squares) Q^T. */
static m3 inertia_of(const torsor_solid *solid, double mass) {
  const m3 Q = so3_matrix(solid->frame.R);
  const m3 S = m3_mul(m3_mul(Q, m3_diagonal(mean_squares(solid))), m3_transpose(Q));
  return m3_scale(m3_axpy(-1, S, m3_scale(m3_identity(), m3_trace(S))), mass);
}

/* The largest difference between the inertia of the solid and J, by the trace of J. */
static double check_body(v3 moments, v3 turn, torsor_solid_kind kind) {
  const m3 Q = so3_matrix(so3_exp(turn));
  const m3 J = m3_mul(m3_mul(Q, m3_diagonal(moments)), m3_transpose(Q));
  const v3 c = {0.3, -2, 5};
  torsor_solid solid;
  double worst = 0;
  solid_equimomental(&solid, 7.5, J, c);
  CHECK_INT(solid.kind, kind);
  CHECK_TRUE(solid.guessed && solid.frame.x.y == c.y);
  const m3 own = inertia_of(&solid, 7.5);
  for (int i = 0; i < 9; ++i)
    worst = fmax(worst, fabs(own.m[i / 3][i % 3] - J.m[i / 3][i % 3]) / m3_trace(J));
  return worst;
}

/* Bound: some hundred operations on entries of the size of the trace. */
static void solids_keep_the_inertia(void **state) {
  (void)state;
  const v3 turns[] = {{0, 0, 0}, {0.3, -0.2, 1.1}, {0, 3.1, 0}, {2, 1, -1.5}, {1e-9, 0, 0}};
  double worst = 0;
  for (int i = 0; i < 5; ++i) {
    worst = fmax(worst, check_body((v3){1, 2, 2.5}, turns[i], TORSOR_SOLID_BOX));
    worst = fmax(worst, check_body((v3){0.9, 1e-3, 0.9005}, turns[i], TORSOR_SOLID_BOX));
    worst = fmax(worst, check_body((v3){2, 2, 2}, turns[i], TORSOR_SOLID_SPHERE));
    worst = fmax(worst, check_body((v3){3, 2, 2}, turns[i], TORSOR_SOLID_CYLINDER));
    worst = fmax(worst, check_body((v3){2, 1e-4, 2}, turns[i], TORSOR_SOLID_CYLINDER));
    worst = fmax(worst, check_body((v3){1, 1, 2}, turns[i], TORSOR_SOLID_CYLINDER));
  }
  print_message("  inertia of solids: relative error %.2g\n", worst);
  CHECK_LE(worst, 256 * CHECK_EPS);
}

/* ---- shapes of scenes ------------------------------------------------------------------------ */

#define BODY                                                                                       \
  "{\"torsor\": 1, \"parameters\": {\"r\": 0.5}, \"ground\": {\"shape\": {\"type\": \"box\", "     \
  "\"size\": [4, 4, 0.1]}}, \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": " \
  "2, \"inertia\": [1, 1, 1], \"position\": [0, 0, 2], \"shape\": %s}, {\"name\": \"bob\", "       \
  "\"type\": \"point_mass\", \"mass\": 1, \"position\": [0, 3, 0]}]}"

static void shapes_are_read(void **state) {
  (void)state;
  char text[2000];
  support_world world;
  torsor_geometry g;
  snprintf(text, sizeof text, BODY,
           "[{\"type\": \"cylinder\", \"radius\": \"r\", \"from\": [0, 0, -1], \"to\": [0, 4, -1],"
           " \"color\": \"#ff8000\"}, {\"type\": \"capsule\", \"radius\": 1, \"length\": 3,"
           " \"position\": [1, 2, 3], \"orientation\": {\"rotation_vector\": [0, 0, 1]}},"
           " {\"type\": \"torus\", \"radius\": 2, \"tube\": 0.5},"
           " {\"type\": \"ellipsoid\", \"size\": [1, 2, 3]}]");
  open_text(&world, &g, text);
  CHECK_INT(g.solids, 6);
  CHECK_INT(g.solid[0].node, TORSOR_GROUND);
  CHECK_INT(g.solid[0].element, -1);
  const torsor_solid *rod = &g.solid[1].solid, *capsule = &g.solid[2].solid;
  CHECK_STR(torsor_solid_name(rod->kind), "cylinder");
  CHECK_NEAR(rod->size.x, 1, 0);
  CHECK_NEAR(rod->size.z, 4, 0);
  CHECK_NEAR(rod->frame.x.y, 2, 0);
  CHECK_NEAR(rod->frame.x.z, -1, 0);
  CHECK_NEAR(so3_rotate(rod->frame.R, (v3){0, 0, 1}).y, 1, 4 * CHECK_EPS);
  CHECK_NEAR(rod->color.y, 128.0 / 255, 0);
  CHECK_NEAR(capsule->size.z, 5, 0);
  CHECK_NEAR(capsule->frame.x.z, 3, 0);
  CHECK_NEAR(so3_log(capsule->frame.R).z, 1, 4 * CHECK_EPS);
  CHECK_TRUE(torsor_absent_vector(capsule->color));
  CHECK_NEAR(g.solid[3].solid.size.x, 5, 0);
  CHECK_NEAR(g.solid[3].solid.size.z, 1, 0);
  CHECK_NEAR(g.solid[4].solid.size.y, 2, 0);
  CHECK_FALSE(g.solid[4].solid.guessed);
  CHECK_TRUE(g.solid[5].solid.guessed); /* the ball of the point mass */
  CHECK_INT(g.solid[5].node, 1);
  close_all(&world, &g);
  snprintf(text, sizeof text, BODY, "[]");
  open_text(&world, &g, text);
  CHECK_INT(g.solids, 2); /* no shape at all is one, too */
  close_all(&world, &g);
}

static void bad_shapes_are_refused(void **state) {
  (void)state;
  static const char *const bad[][3] = {
      {"3", "bodies[0].shape", "must be a shape or a list of shapes, but is 3"},
      {"{\"radius\": 1}", "bodies[0].shape.type", "is missing: \"box\", "},
      {"{\"type\": \"spere\", \"radius\": 1}", "bodies[0].shape.type", "but is \"spere\""},
      {"{\"type\": \"sphere\", \"radios\": 1}", "bodies[0].shape.radios", "unknown key \"radios\""},
      {"{\"type\": \"sphere\"}", "bodies[0].shape.radius", "is missing: a sphere needs it"},
      {"{\"type\": \"sphere\", \"radius\": 0}", "bodies[0].shape.radius", "greater than 0"},
      {"{\"type\": \"sphere\", \"radius\": \"q\"}", "bodies[0].shape.radius", "no parameter \"q\""},
      {"[{\"type\": \"box\"}]", "bodies[0].shape[0].size", "is missing: a box needs it"},
      {"{\"type\": \"box\", \"size\": [1, 0, 1]}", "bodies[0].shape.size", "greater than 0"},
      {"{\"type\": \"box\", \"size\": 1}", "bodies[0].shape.size", "an array of 3 numbers"},
      {"{\"type\": \"cone\", \"radius\": 1}", "bodies[0].shape.length", "is missing: a cone"},
      {"{\"type\": \"cone\", \"radius\": 1, \"from\": [0, 0, 0]}", "bodies[0].shape.to", "array"},
      {"{\"type\": \"cone\", \"radius\": 1, \"from\": [0, 0, 0], \"to\": [0, 0, 0]}",
       "bodies[0].shape.to", "is where it starts"},
      {"{\"type\": \"cone\", \"radius\": 1, \"from\": [0, 0, 0], \"to\": [0, 0, 1], \"length\": 1}",
       "bodies[0].shape.length", "say already where the shape is"},
      {"{\"type\": \"torus\", \"radius\": 1}", "bodies[0].shape.tube", "is missing: a torus"},
      {"{\"type\": \"sphere\", \"radius\": 1, \"color\": \"red\"}", "bodies[0].shape.color",
       "a colour like"},
      {"{\"type\": \"sphere\", \"radius\": 1, \"color\": \"#12345g\"}", "bodies[0].shape.color",
       "a colour like"},
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    char text[1000];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text, BODY, bad[i][0]);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    CHECK_STR(error.path, bad[i][1]);
    CHECK_CONTAINS(error.message, bad[i][2]);
    CHECK_TRUE(error.line > 0);
  }
}

#define BEAM(more)                                                                                 \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"wing\", \"type\": \"beam\", \"elements\": 3, "        \
  "\"length\": 2, \"curvature\": [0, 0, 0.8], \"section\": {\"shape\": \"rectangle\", \"width\": " \
  "0.1, \"height\": 0.2, \"E\": 1e7, \"nu\": 0.3, \"density\": 1000}" more "}]}"

static void beams_have_no_other_shape(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, BEAM(", \"shape\": {\"type\": \"sphere\", \"radius\": 1}"), NULL,
                         &error),
            TORSOR_SCENE);
  CHECK_STR(error.path, "bodies[0].shape");
  CHECK_CONTAINS(error.hint, "with their section");
}

/* Only bodies and the ground have a shape, also for programs. */
static void joints_have_no_shape(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(NULL);
  torsor_builder *builder = NULL;
  torsor_error error = {0};
  const torsor_element_type *mass = torsor_registry_find(registry, "point_mass");
  const torsor_element_type *sensor = torsor_registry_find(registry, "sensor");
  void *body = calloc(1, mass->size), *joint = calloc(1, sensor->size);
  CHECK_TRUE(body && joint);
  CHECK_INT(torsor_builder_create(&builder, v3_zero(), &error), TORSOR_OK);
  CHECK_INT(torsor_builder_add(builder, mass, "bob", body, &error), TORSOR_OK);
  for (int i = 0; i < 2; ++i) {
    torsor_marker *marker = (void *)((char *)joint + sensor->params[i].offset);
    CHECK_INT(torsor_builder_marker(marker, builder, i ? "bob" : "ground", so3_identity(),
                                    v3_zero(), 0, &error),
              TORSOR_OK);
  }
  CHECK_INT(torsor_builder_add(builder, sensor, "eye", joint, &error), TORSOR_OK);
  CHECK_INT(torsor_builder_shape(builder, "bob", NULL, 0, &error), TORSOR_OK);
  CHECK_INT(torsor_builder_shape(builder, "eye", NULL, 0, &error), TORSOR_SCENE);
  CHECK_INT(torsor_builder_shape(builder, "nobody", NULL, 0, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "\"nobody\" is no body");
  free(body);
  free(joint);
  torsor_builder_destroy(builder);
  torsor_registry_destroy(registry);
}

/* ---- beams ----------------------------------------------------------------------------------- */

/* Area and second moments of a polygon: sum over its triangles with the origin. */
static void add_loop(double *sum, const torsor_outline *outline, int loop, double sign) {
  double yz[TORSOR_OUTLINE_POINTS][2];
  const int n = torsor_outline_points(yz, outline, loop);
  for (int i = 0; i < n; ++i) {
    const double *a = yz[i], *b = yz[(i + 1) % n], cross = a[0] * b[1] - a[1] * b[0];
    CHECK_TRUE(cross > 0 || outline->shape == TORSOR_SHAPE_I); /* seen whole from the origin */
    sum[0] += sign * cross / 2;
    sum[1] += sign * cross * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12;
    sum[2] += sign * cross * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12;
  }
}

/* Area and second moments of an outline are those of the section's stiffness; of circles, those of
 * the polygon: its area is n sin(2 pi/n)/(2 pi) of the circle's. */
static void outlines_fit_their_sections(void **state) {
  (void)state;
  static const torsor_section sections[] = {
      {.shape = TORSOR_SHAPE_RECTANGLE, .size = {0.3, 0.5}},
      {.shape = TORSOR_SHAPE_BOX, .size = {0.3, 0.5, 0.02}},
      {.shape = TORSOR_SHAPE_I, .size = {0.3, 0.5, 0.04, 0.03}},
      {.shape = TORSOR_SHAPE_CIRCLE, .size = {0.3}},
      {.shape = TORSOR_SHAPE_TUBE, .size = {0.3, 0.05}}};
  const double turn = 2 * 3.14159265358979323846 / TORSOR_OUTLINE_POINTS;
  const double area = sin(turn) / turn, second = area * (2 + cos(turn)) / 3;
  for (int i = 0; i < 5; ++i) {
    torsor_section section = sections[i];
    torsor_outline outline = {0};
    double sum[3] = {0};
    section.E = 1, section.G = 0.4, section.density = 1;
    section.torsion = section.shear[0] = section.shear[1] = nan("");
    CHECK_TRUE(section_fill(&section) == NULL);
    section_outline(&outline, &section);
    CHECK_FALSE(outline.guessed);
    add_loop(sum, &outline, 0, 1);
    add_loop(sum, &outline, 1, -1);
    const bool round = i > 2;
    const double expected[3] = {section.stiffness.m[0][0] * (round ? area : 1),
                                section.stiffness.m[4][4] * (round ? second : 1),
                                section.stiffness.m[5][5] * (round ? second : 1)};
    for (int k = 0; k < 3; ++k) CHECK_NEAR(sum[k], expected[k], 64 * CHECK_EPS * expected[k]);
  }
}

/* A beam of which only the matrices are given looks like the rectangle with the same ratios. */
static void matrices_have_an_outline(void **state) {
  (void)state;
  torsor_section section = {.shape = TORSOR_SHAPE_NONE, .stiffness = m6_identity()};
  torsor_outline outline = {0};
  section.stiffness.m[0][0] = 7 * 0.3 * 0.5;
  section.stiffness.m[4][4] = 7 * 0.3 * 0.5 * 0.5 * 0.5 / 12;
  section.stiffness.m[5][5] = 7 * 0.5 * 0.3 * 0.3 * 0.3 / 12;
  section_outline(&outline, &section);
  CHECK_TRUE(outline.guessed);
  CHECK_INT(outline.shape, TORSOR_SHAPE_RECTANGLE);
  CHECK_NEAR(outline.size[0], 0.3, 8 * CHECK_EPS);
  CHECK_NEAR(outline.size[1], 0.5, 8 * CHECK_EPS);
}

/* Frames of the pieces of an arc lie on the arc, as constant strains are exact. */
static void pieces_follow_the_beam(void **state) {
  (void)state;
  support_world world;
  torsor_geometry g;
  open_text(&world, &g, BEAM(""));
  CHECK_INT(g.strands, 1);
  CHECK_STR(g.strand[0].name, "wing");
  CHECK_INT(g.strand[0].pieces, 3);
  CHECK_NEAR(g.piece[2].outline[1].size[1], 0.2, 0);
  for (int i = 0; i < 3; ++i) {
    const int *node = g.piece[i].node;
    CHECK_INT(node[1], i + 1);
    for (int k = 0; k <= 4; ++k) {
      const double angle = 0.8 * 2 * (i + k / 4.0) / 3;
      const se3 H =
          torsor_piece_frame(&g.piece[i], g.node[node[0]].start, g.node[node[1]].start, k / 4.0);
      CHECK_NEAR(H.x.x, sin(angle) / 0.8, 32 * CHECK_EPS);
      CHECK_NEAR(H.x.y, (1 - cos(angle)) / 0.8, 32 * CHECK_EPS);
      CHECK_NEAR(so3_log(H.R).z, angle, 32 * CHECK_EPS);
    }
  }
  close_all(&world, &g);
}

static void cables_are_straight_between_points(void **state) {
  (void)state;
  const torsor_geometry_piece piece = {.framed = false};
  const se3 a = {so3_exp((v3){1, 2, 0}), {1, 0, 0}}, b = {so3_identity(), {1, 0, 4}};
  const se3 H = torsor_piece_frame(&piece, a, b, 0.25);
  CHECK_NEAR(H.x.z, 1, 0);
  CHECK_NEAR(so3_rotate(H.R, (v3){1, 0, 0}).z, 1, 4 * CHECK_EPS);
}

/* ---- joints and shipped scenes --------------------------------------------------------------- */

static se3 marker_frame(const torsor_geometry *g, int i) {
  const torsor_geometry_marker *marker = &g->marker[i];
  return marker->node < 0 ? marker->frame : se3_compose(g->node[marker->node].start, marker->frame);
}

static void links_know_their_axes(void **state) {
  (void)state;
  support_world world;
  torsor_geometry g;
  torsor_error error = {0};
  support_load(&world, "andrews_squeezer", NULL);
  CHECK_INT(torsor_geometry_create(&g, world.model, &error), TORSOR_OK);
  CHECK_TRUE(g.links > 0);
  int hinges = 0;
  for (int i = 0; i < g.links; ++i) {
    const torsor_geometry_link *link = &g.link[i];
    if (link->symbol != TORSOR_SYMBOL_HINGE) continue;
    ++hinges;
    CHECK_INT(link->axes, 2);
    CHECK_INT(link->markers, 2);
    CHECK_STR(g.marker[link->first_marker].key, "a");
    CHECK_NEAR(fabs(link->axis[0].z), 1, 4 * CHECK_EPS);
  }
  print_message("  andrews_squeezer: %d hinges among %d links\n", hinges, g.links);
  CHECK_TRUE(hinges > 5);
  close_all(&world, &g);
}

/* Joints that hold a point have both markers there, in scenes that start where they say. */
/* Joints that wait for an event are not closed, and clamps keep any place that they find. */
static double check_links(const torsor_geometry *g, const torsor_model *model, bool exact) {
  double worst = 0;
  for (int i = 0; i < g->links; ++i) {
    const torsor_geometry_link *link = &g->link[i];
    CHECK_TRUE(link->first_marker + link->markers <= g->markers);
    const bool point = link->symbol == TORSOR_SYMBOL_BALL || link->symbol == TORSOR_SYMBOL_HINGE ||
                       link->symbol == TORSOR_SYMBOL_WELD || link->symbol == TORSOR_SYMBOL_CROSS;
    const model_element *e = &model->element[link->element];
    if (!point || !exact || e->waits || e->states > 0) continue;
    const v3 off =
        v3_sub(marker_frame(g, link->first_marker).x, marker_frame(g, link->first_marker + 1).x);
    worst = fmax(worst, v3_norm(off) / g->scale);
  }
  return worst;
}

/* Every node that is a place has something to be seen. */
static void check_seen(const torsor_geometry *g, const char *scene) {
  bool *seen = calloc((size_t)g->nodes, sizeof *seen);
  CHECK_TRUE(seen != NULL);
  for (int i = 0; i < g->solids; ++i) {
    const v3 size = g->solid[i].solid.size;
    CHECK_TRUE(size.x > 0 && size.y > 0 && size.z > 0 && size.x + size.y + size.z < HUGE_VAL);
    if (g->solid[i].node >= 0) seen[g->solid[i].node] = true;
  }
  for (int i = 0; i < g->pieces; ++i) seen[g->piece[i].node[0]] = seen[g->piece[i].node[1]] = true;
  for (int i = 0; i < g->lines; ++i) seen[g->line[i].node[0]] = seen[g->line[i].node[1]] = true;
  for (int i = 0; i < g->nodes; ++i) {
    if (!seen[i] && !g->node[i].abstract) print_error("%s: node %d is not seen\n", scene, i);
    CHECK_TRUE(seen[i] || g->node[i].abstract);
  }
  free(seen);
}

static int check_scene(double *worst, const char *name) {
  support_world world;
  torsor_geometry g;
  torsor_error error = {0};
  support_load(&world, name, NULL);
  CHECK_INT(torsor_geometry_create(&g, world.model, &error), TORSOR_OK);
  CHECK_INT(g.nodes, torsor_model_count(world.model).nodes);
  CHECK_TRUE(g.scale > 0 && g.scale < HUGE_VAL);
  check_seen(&g, name);
  const bool exact = strstr(torsor_scene_canonical(world.scene), "\"guess\"") == NULL;
  *worst = fmax(*worst, check_links(&g, world.model, exact));
  close_all(&world, &g);
  return 1;
}

/* Initial places may be off by what the assembly lets pass; scenes are written with six digits or
 * more. */
static void shipped_scenes_can_be_drawn(void **state) {
  (void)state;
  char folder[400];
  support_path(folder, sizeof folder, "scenes");
  DIR *list = opendir(folder);
  CHECK_TRUE(list != NULL);
  int scenes = 0;
  double worst = 0;
  for (const struct dirent *entry = readdir(list); entry; entry = readdir(list)) {
    char name[300];
    snprintf(name, sizeof name, "%s", entry->d_name);
    char *end = strstr(name, ".json");
    if (!end) continue;
    *end = '\0';
    scenes += check_scene(&worst, name);
  }
  closedir(list);
  print_message("  %d scenes; markers of joints are %.2g of the size apart\n", scenes, worst);
  CHECK_TRUE(scenes > 50);
  CHECK_LE(worst, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solids_keep_the_inertia),
      cmocka_unit_test(shapes_are_read),
      cmocka_unit_test(bad_shapes_are_refused),
      cmocka_unit_test(beams_have_no_other_shape),
      cmocka_unit_test(joints_have_no_shape),
      cmocka_unit_test(outlines_fit_their_sections),
      cmocka_unit_test(matrices_have_an_outline),
      cmocka_unit_test(pieces_follow_the_beam),
      cmocka_unit_test(cables_are_straight_between_points),
      cmocka_unit_test(links_know_their_axes),
      cmocka_unit_test(shipped_scenes_can_be_drawn),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
