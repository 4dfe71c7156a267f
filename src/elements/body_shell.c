/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements/shell_kit.h"
#include "elements/shell_patch.h"

typedef struct body_shell_data {
  int surface;
  torsor_numbers elements, latitude;
  double length, width, radius, radius_end, angle;
  bool slit;
  torsor_curve curve, curve_end;
  v3 position;
  so3 orientation;
  shell_common common;
} body_shell_data;

#define MEMBER(name) offsetof(body_shell_data, name)

static const char *const surfaces[] = {[SHELL_PLATE] = "plate",
                                       [SHELL_CYLINDER] = "cylinder",
                                       [SHELL_SPHERE] = "sphere",
                                       [SHELL_RULED] = "ruled",
                                       NULL};

static const torsor_param params[] = {
    {"surface", TORSOR_PARAM_CHOICE, MEMBER(surface), NULL, "\"plate\"",
     "middle surface, with the directions x and y: \"plate\": \"length\" along x, \"width\" along "
     "y; \"cylinder\": x around z, y along z; \"sphere\": x around z, y to its pole; \"ruled\": x "
     "along two curves, y from one to the other",
     surfaces, 0},
    {"elements", TORSOR_PARAM_NUMBERS, MEMBER(elements), NULL, NULL,
     "number of elements along x and along y: [24, 8]", NULL, 0},
    {"length", TORSOR_PARAM_NUMBER, MEMBER(length), "m", TORSOR_OPTIONAL,
     "of a plate along x, of a cylinder along its axis; 0 with \"radius_end\": a flat ring", NULL,
     TORSOR_NONNEGATIVE},
    {"width", TORSOR_PARAM_NUMBER, MEMBER(width), "m", TORSOR_OPTIONAL, "of a plate along y", NULL,
     TORSOR_POSITIVE},
    {"radius", TORSOR_PARAM_NUMBER, MEMBER(radius), "m", TORSOR_OPTIONAL,
     "of a cylinder or a sphere, to the middle surface", NULL, TORSOR_POSITIVE},
    {"radius_end", TORSOR_PARAM_NUMBER, MEMBER(radius_end), "m", TORSOR_OPTIONAL,
     "of a cylinder where y ends, which makes it a cone; default: the same", NULL, TORSOR_POSITIVE},
    {"angle", TORSOR_PARAM_NUMBER, MEMBER(angle), "rad", TORSOR_OPTIONAL,
     "of a cylinder or a sphere about z, from its x axis on; default: all around", NULL,
     TORSOR_POSITIVE},
    {"slit", TORSOR_PARAM_BOOLEAN, MEMBER(slit), NULL, "false",
     "where it goes all around, its first and its last nodes along x are not the same", NULL, 0},
    {"latitude", TORSOR_PARAM_NUMBERS, MEMBER(latitude), "rad", TORSOR_OPTIONAL,
     "of a sphere: [from, to], between the poles", NULL, 0},
    {"curve", TORSOR_PARAM_CURVE, MEMBER(curve), NULL, TORSOR_OPTIONAL,
     "of a ruled surface, where y begins", NULL, 0},
    {"curve_end", TORSOR_PARAM_CURVE, MEMBER(curve_end), NULL, TORSOR_OPTIONAL,
     "of a ruled surface, where y ends", NULL, 0},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "a corner of the plate, the centre of the sphere or the start of the axis, inertial axes",
     NULL, 0},
    {"orientation", TORSOR_PARAM_ORIENTATION, MEMBER(orientation), NULL,
     "{\"quaternion\": [1, 0, 0, 0]}", "rotation from the axes of the surface to inertial axes",
     NULL, 0},
    SHELL_PARAMS(body_shell_data, common),
    {0}};

/* ---- the surface ------------------------------------------------------------------------------
 */

static torsor_status need(torsor_error *error, const char *key, const char *surface) {
  char message[80];
  snprintf(message, sizeof message, "is missing: a %s needs it", surface);
  return chain_fail(error, key, "see \"surface\" in `torsor describe shell`", message);
}

static torsor_status refuse(torsor_error *error, const char *key, const char *surface) {
  char message[80];
  snprintf(message, sizeof message, "a %s has no \"%s\"", surface, key);
  return chain_fail(error, key, "leave it out, or give another \"surface\"", message);
}

/* Each surface needs the sizes that are its own, and none of the others. */
static torsor_status check_sizes(const body_shell_data *b, torsor_error *error) {
  const struct {
    const char *key;
    bool given;
    unsigned surfaces, needed;
  } sizes[] = {
      {"length", !torsor_absent_number(b->length), 1 << SHELL_PLATE | 1 << SHELL_CYLINDER, ~0u},
      {"width", !torsor_absent_number(b->width), 1 << SHELL_PLATE, ~0u},
      {"radius", !torsor_absent_number(b->radius), 1 << SHELL_CYLINDER | 1 << SHELL_SPHERE, ~0u},
      {"radius_end", !torsor_absent_number(b->radius_end), 1 << SHELL_CYLINDER, 0},
      {"angle", !torsor_absent_number(b->angle), 1 << SHELL_CYLINDER | 1 << SHELL_SPHERE, 0},
      {"latitude", b->latitude.value != NULL, 1 << SHELL_SPHERE, ~0u},
      {"curve", b->curve.knot != NULL, 1 << SHELL_RULED, ~0u},
      {"curve_end", b->curve_end.knot != NULL, 1 << SHELL_RULED, ~0u}};
  const unsigned own = 1u << b->surface;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const char *key = sizes[i].key, *surface = surfaces[b->surface];
    if (sizes[i].given && !(sizes[i].surfaces & own)) return refuse(error, key, surface);
    if (!sizes[i].given && sizes[i].surfaces & sizes[i].needed & own)
      return need(error, key, surface);
  }
  return TORSOR_OK;
}

static torsor_status find_patch(shell_patch *p, const body_shell_data *b, torsor_error *error) {
  static const double TURN = 6.28318530717958648, QUARTER = 1.57079632679489662;
  const torsor_status status = check_sizes(b, error);
  if (status) return status;
  *p = (shell_patch){.surface = (shell_surface)b->surface,
                     .frame = {b->orientation, b->position},
                     .length = b->length,
                     .width = b->width,
                     .radius = b->radius,
                     .radius_end = torsor_absent_number(b->radius_end) ? b->radius : b->radius_end,
                     .angle = torsor_absent_number(b->angle) ? TURN : b->angle,
                     .slit = b->slit,
                     .curve = {&b->curve, &b->curve_end}};
  if (p->angle > TURN && !shell_patch_around(p))
    return chain_fail(error, "angle", "2*pi is all around", "goes around more than once");
  const bool flat = b->surface == SHELL_PLATE || p->radius_end == p->radius;
  if (!torsor_absent_number(b->length) && !(b->length > 0) && flat)
    return chain_fail(error, "length", "only a ring with a \"radius_end\" has the length 0",
                      "must be greater than 0");
  if (b->surface != SHELL_SPHERE) return TORSOR_OK;
  if (b->latitude.count != 2)
    return chain_fail(error, "latitude", "[from, to]", "a latitude has two ends");
  for (int k = 0; k < 2; ++k) p->latitude[k] = b->latitude.value[k];
  if (!(p->latitude[0] > -QUARTER && p->latitude[0] < p->latitude[1] && p->latitude[1] < QUARTER))
    return chain_fail(error, "latitude", "from the lower to the upper one, with a hole at a pole",
                      "is not between the poles, -pi/2 and pi/2");
  return TORSOR_OK;
}

/* ---- the mesh ---------------------------------------------------------------------------------
 */

/* Nodes (i, j) with 0 <= i < columns and 0 <= j <= ny; where the surface is closed, column nx is
 * column 0. */
typedef struct mesh {
  int nx, ny, columns;
  int *node;  /* in the model */
  se3 *frame; /* at the start */
} mesh;

static int place(const mesh *m, int i, int j) {
  return i % m->columns * (m->ny + 1) + j;
}

static torsor_status find_counts(mesh *m, const body_shell_data *b, const shell_patch *p,
                                 torsor_error *error) {
  const torsor_numbers *n = &b->elements;
  enum { MOST = 10000 };
  if (n->count != 2)
    return chain_fail(error, "elements", "[24, 8]: 24 along x, 8 along y", "has two numbers");
  for (int k = 0; k < 2; ++k)
    if (!(n->value[k] >= 1 && n->value[k] <= MOST && n->value[k] == floor(n->value[k])))
      return chain_fail(error, "elements", "[24, 8]: 24 along x, 8 along y",
                        "is made of whole numbers from 1 to 10000");
  const bool closed = shell_patch_closed(p);
  m->nx = (int)n->value[0], m->ny = (int)n->value[1];
  if (closed && m->nx < 3)
    return chain_fail(error, "elements", "take 3 along x at least", "do not go around");
  m->columns = m->nx + !closed;
  return TORSOR_OK;
}

static torsor_status add_node(mesh *m, const torsor_expansion *to, const body_shell_data *b, int i,
                              int j, torsor_error *error) {
  const beam_node_data own =
      shell_node(&b->common, b->orientation, b->position, m->frame[place(m, i, j)]);
  char suffix[32];
  snprintf(suffix, sizeof suffix, "[%d][%d]", i, j);
  return to->add(to->self, &beam_node, suffix, &own, &m->node[place(m, i, j)], error);
}

static torsor_status add_nodes(mesh *m, const torsor_expansion *to, const body_shell_data *b,
                               const shell_patch *p, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < m->columns && !status; ++i)
    for (int j = 0; j <= m->ny && !status; ++j) {
      m->frame[place(m, i, j)] = shell_patch_frame(p, (double)i / m->nx, (double)j / m->ny);
      status = add_node(m, to, b, i, j, error);
    }
  return status;
}

/* ---- the elements -----------------------------------------------------------------------------
 */

/* Constants of the previous element, which the next one shares where they are the same. */
typedef struct kept {
  const shell_section *section;
  const shell_constants *constants;
} kept;

static torsor_status add_element(kept *last, const torsor_expansion *to, const mesh *m, int i,
                                 int j, torsor_error *error) {
  static const v3 normal[SHELL_NODES] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  const int at[SHELL_NODES] = {place(m, i, j), place(m, i + 1, j), place(m, i + 1, j + 1),
                               place(m, i, j + 1)};
  int node[SHELL_NODES];
  se3 frame[SHELL_NODES];
  const char *fault = NULL;
  char suffix[48], message[120];
  for (int k = 0; k < SHELL_NODES; ++k) {
    node[k] = m->node[at[k]];
    frame[k] = m->frame[at[k]];
  }
  snprintf(suffix, sizeof suffix, ".element[%d][%d]", i, j);
  const torsor_status status =
      shell_add(&last->constants, &fault, to, last->section, suffix, node, frame, normal, error);
  if (!fault) return status;
  snprintf(message, sizeof message, "the element [%d][%d] %s", i, j, fault);
  return chain_fail(error, "elements", "take more of them, or another surface", message);
}

/* Nodes (i, j) + k step from corner to corner, which are an edge. */
static torsor_status add_edge(const mesh *m, const torsor_expansion *to, const char *word, int i,
                              int j, bool along_x, torsor_error *error) {
  const int count = (along_x ? m->nx : m->ny) + 1;
  int *node = calloc((size_t)count, sizeof *node);
  double *fraction = calloc((size_t)count, sizeof *fraction);
  torsor_status status = TORSOR_MEMORY;
  if (node && fraction) {
    v3 last = v3_zero();
    for (int k = 0; k < count; ++k) {
      const int at = along_x ? place(m, i + k, j) : place(m, i, j + k);
      node[k] = m->node[at];
      if (k) fraction[k] = fraction[k - 1] + v3_norm(v3_sub(m->frame[at].x, last));
      last = m->frame[at].x;
    }
    const double length = fraction[count - 1];
    for (int k = 0; k < count; ++k) fraction[k] /= length;
    status = to->edge(to->self, word, node, fraction, count, length, error);
  }
  free(node);
  free(fraction);
  return status ? torsor_fail(error, TORSOR_MEMORY, "out of memory") : TORSOR_OK;
}

/* A closed surface has no edges at x = 0 and 1. */
static torsor_status add_edges(const mesh *m, const torsor_expansion *to, torsor_error *error) {
  const bool open = m->columns > m->nx;
  torsor_status status = add_edge(m, to, "y0", 0, 0, true, error);
  if (!status) status = add_edge(m, to, "y1", 0, m->ny, true, error);
  if (!status && open) status = add_edge(m, to, "x0", 0, 0, false, error);
  if (!status && open) status = add_edge(m, to, "x1", m->nx, 0, false, error);
  return status;
}

static torsor_status add_surface(const mesh *m, const torsor_expansion *to, torsor_error *error) {
  int *facet = calloc((size_t)m->nx * (size_t)m->ny, 4 * sizeof *facet);
  if (!facet) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  int count = 0;
  for (int i = 0; i < m->nx; ++i)
    for (int j = 0; j < m->ny; ++j) {
      facet[count++] = m->node[place(m, i, j)];
      facet[count++] = m->node[place(m, i + 1, j)];
      facet[count++] = m->node[place(m, i + 1, j + 1)];
      facet[count++] = m->node[place(m, i, j + 1)];
    }
  const torsor_status status = to->surface(to->self, facet, count / 4, error);
  free(facet);
  return status;
}

static torsor_status add_parts(mesh *m, const torsor_expansion *to, const body_shell_data *b,
                               const shell_patch *p, torsor_error *error) {
  kept last = {0};
  torsor_status status = add_nodes(m, to, b, p, error);
  if (!status) status = shell_find_section(&last.section, to, &b->common, error);
  for (int i = 0; i < m->nx && !status; ++i)
    for (int j = 0; j < m->ny && !status; ++j) status = add_element(&last, to, m, i, j, error);
  if (!status) status = add_edges(m, to, error);
  return status ? status : add_surface(m, to, error);
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_shell_data *b = self;
  shell_patch patch;
  mesh m = {0};
  if (b->common.group == TORSOR_GROUP_SO3)
    return chain_fail(error, "group", "\"R3xSO3\" or \"SE3\"", "the nodes of a shell move");
  torsor_status status = find_patch(&patch, b, error);
  if (!status) status = find_counts(&m, b, &patch, error);
  if (status) return status;
  const size_t nodes = (size_t)m.columns * (size_t)(m.ny + 1);
  m.node = calloc(nodes, sizeof *m.node);
  m.frame = calloc(nodes, sizeof *m.frame);
  status = m.node && m.frame ? add_parts(&m, to, b, &patch, error)
                             : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  free(m.node);
  free(m.frame);
  return status;
}

static const torsor_element_type *const parts[] = {&beam_node, &shell_element, NULL};

const torsor_element_type body_shell = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "shell",
    .title = "plate or shell: geometrically exact elements of four nodes",
    .doc =
        "Nodes \"name[i][j]\", i along x and j along y of the surface, with x along it and z its\n"
        "normal, and elements \"name.element[i][j]\" between them.  Positions and the columns of "
        "the\n"
        "rotations are interpolated bilinearly; strains are products of their derivatives, with\n"
        "transverse shears of the edges' middles (MITC4), four enhanced membrane strains and a "
        "weak\n"
        "stiffness against the turn of nodes about the normal that the surface does not take "
        "part in.\n"
        "Edges are \"name.edge_x0\" and \"name.edge_x1\", where x begins and ends, "
        "\"name.edge_y0\" and\n"
        "\"name.edge_y1\": joints \"edge\" and forces \"edge_load\" take them, and markers their "
        "nodes,\n"
        "\"name.edge_x1.start\", \"name.edge_x1[3]\", \"name.edge_x1@0.5\".\n"
        "Errors are of order 2 in the size of the elements.  docs/theory.md has the formulas.\n"
        "Statics of thin shells converges best on \"group\": \"R3xSO3\".\n"
        "Sources: Bathe and Dvorkin 1985, Int. J. Numer. Methods Eng. 21, 367; Simo and Rifai "
        "1990,\n"
        "Int. J. Numer. Methods Eng. 29, 1595.",
    .example =
        "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [{\"name\": \"plate\", \"type\":"
        " \"shell\", \"elements\": [2, 1], \"length\": 2, \"width\": 0.7, \"thickness\": 0.2,"
        " \"E\": 200, \"nu\": 0.3, \"density\": 4}, {\"name\": \"tube\", \"type\": \"shell\","
        " \"surface\": \"cylinder\", \"radius\": 1, \"length\": 0.5, \"elements\": [3, 1],"
        " \"position\": [0, 3, 0], \"thickness\": 0.1, \"E\": 90, \"nu\": 0.2, \"density\": 3,"
        " \"inertia\": \"lumped\", \"group\": \"SE3\"}, {\"name\": \"skin\", \"type\": \"shell\","
        " \"elements\": [1, 1], \"length\": 1, \"width\": 0.7, \"offset\": 0.05, \"layers\": ["
        "{\"thickness\": 0.1, \"angle\": 0.4, \"E1\": 200, \"E2\": 50, \"nu12\": 0.3, \"G12\": 30,"
        " \"G23\": 20, \"density\": 4}, {\"thickness\": 0.05, \"E\": 90, \"nu\": 0.2, \"density\":"
        " 7}]}], \"joints\": [{\"name\": \"corner\","
        " \"type\": \"weld\", \"a\": \"ground\", \"b\": \"plate[0][0]\"}]}",
    .size = sizeof(body_shell_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
