/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements/shell_kit.h"

typedef struct body_shell_mesh_data {
  torsor_mesh mesh;
  v3 position, direction;
  so3 orientation;
  shell_common common;
} body_shell_mesh_data;

#define MEMBER(name) offsetof(body_shell_mesh_data, name)

static const torsor_param params[] = {
    {"mesh", TORSOR_PARAM_MESH, MEMBER(mesh), "m", NULL,
     "file of Gmsh (.msh), Abaqus or CalculiX (.inp) with elements of four nodes, or {\"file\", "
     "\"set\": the elements of this set alone, \"unit\": metres per unit of the file}",
     NULL, 0},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "of the origin of the mesh, inertial axes", NULL, 0},
    {"orientation", TORSOR_PARAM_ORIENTATION, MEMBER(orientation), NULL,
     "{\"quaternion\": [1, 0, 0, 0]}", "rotation from the axes of the mesh to inertial axes", NULL,
     0},
    {"direction", TORSOR_PARAM_DIRECTION, MEMBER(direction), NULL, "[1, 0, 0]",
     "x axis of the nodes, axes of the mesh, as far as it is in the surface: angles of layers "
     "begin there",
     NULL, 0},
    SHELL_PARAMS(body_shell_mesh_data, common),
    {0}};

/* The mesh in inertial axes. */
typedef struct net {
  const torsor_mesh *mesh;
  v3 *x;      /* [nodes] */
  v3 *normal; /* [quads] of the elements, of length 1 */
  se3 *frame; /* [nodes] */
  int *node;  /* [nodes] in the model */
} net;

/* Fails at an element, with its place in the file of the mesh. */
static torsor_status fail_element(const net *n, int quad, const char *why, const char *hint,
                                  torsor_error *error) {
  const torsor_mesh_quad *q = &n->mesh->quad[quad];
  char message[300];
  if (q->line)
    snprintf(message, sizeof message, "%.150s:%d: the element %d %s", n->mesh->file, q->line,
             q->number, why);
  else
    snprintf(message, sizeof message, "the element %d %s", quad, why);
  return chain_fail(error, "mesh", hint, message);
}

/* ---- checks of elements ---------------------------------------------------------------------- */

/* Corners may be out of the plane of an element by this part of the root of its area, and its
 * angles are those of a convex one. */
#define MOST_WARP 0.1

static torsor_status check_shape(net *n, int i, torsor_error *error) {
  const torsor_mesh_quad *q = &n->mesh->quad[i];
  v3 x[4];
  for (int k = 0; k < 4; ++k) {
    x[k] = n->x[q->node[k]];
    for (int j = 0; j < k; ++j)
      if (q->node[j] == q->node[k])
        return fail_element(n, i, "is a triangle: it has a node twice",
                            "mesh it with quadrilaterals", error);
  }
  const v3 across = v3_cross(v3_sub(x[2], x[0]), v3_sub(x[3], x[1])); /* twice the area */
  const double size = sqrt(v3_norm(across) / 2);
  if (!(size > 0))
    return fail_element(n, i, "has no area", "list its nodes one after the other around it", error);
  n->normal[i] = v3_unit(across);
  for (int k = 0; k < 4; ++k) {
    const v3 corner = v3_cross(v3_sub(x[(k + 1) % 4], x[k]), v3_sub(x[(k + 3) % 4], x[k]));
    if (!(v3_dot(corner, n->normal[i]) > 0))
      return fail_element(n, i, "is inverted: its corners do not go around it",
                          "list its nodes one after the other around it; it must be convex", error);
  }
  const v3 out = v3_sub(v3_add(x[0], x[2]), v3_add(x[1], x[3]));
  if (fabs(v3_dot(out, n->normal[i])) / 4 <= MOST_WARP * size) return TORSOR_OK;
  return fail_element(n, i, "is warped: its nodes are too far from a plane",
                      "take smaller elements there", error);
}

typedef struct side {
  int low, high, quad;
  bool back;
} side;

static int compare_sides(const void *a, const void *b) {
  const side *x = a, *y = b;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return (x->quad > y->quad) - (x->quad < y->quad);
}

/* All sides of the elements, in the order of their nodes: list [4 quads]. */
static void list_sides(side *list, const torsor_mesh *mesh) {
  for (int i = 0; i < mesh->quads; ++i)
    for (int k = 0; k < 4; ++k) {
      const int a = mesh->quad[i].node[k], b = mesh->quad[i].node[(k + 1) % 4];
      list[4 * i + k] = (side){a < b ? a : b, a < b ? b : a, i, a > b};
    }
  qsort(list, 4 * (size_t)mesh->quads, sizeof *list, compare_sides);
}

static bool same_side(const side *a, const side *b) {
  return a->low == b->low && a->high == b->high;
}

/* Where two elements meet, they go along their side in opposite directions, if their normals are on
 * the same side of the surface. */
static torsor_status check_sides(const net *n, const side *list, torsor_error *error) {
  const int count = 4 * n->mesh->quads;
  for (int i = 0; i + 1 < count;) {
    int next = i + 1;
    while (next < count && same_side(&list[next], &list[i])) ++next;
    if (next == i + 2 && list[i].back == list[i + 1].back)
      return fail_element(n, list[i + 1].quad,
                          "is inverted: its normal is opposite to that of its neighbour",
                          "list its nodes the other way round (Gmsh: \"Reverse Surface\")", error);
    i = next;
  }
  return TORSOR_OK;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Where the normal of an element is turned from that of a node by more, cos 20 degrees, the surface
 * has a fold there, and the element its own normal. */
#define FOLD 0.94

static torsor_status find_frames(net *n, const body_shell_mesh_data *b, torsor_error *error) {
  const torsor_mesh *mesh = n->mesh;
  for (int i = 0; i < mesh->quads; ++i)
    for (int k = 0; k < 4; ++k) {
      se3 *frame = &n->frame[mesh->quad[i].node[k]];
      frame->x = v3_add(frame->x, n->normal[i]);
    }
  for (int i = 0; i < mesh->nodes; ++i) {
    const v3 sum = n->frame[i].x, y = {0, 1, 0};
    if (!(v3_norm(sum) > 0.1))
      return chain_fail(error, "mesh",
                        "let it have nodes of elements alone, and no fold by 180 "
                        "degrees",
                        "the mesh has a node without a normal");
    const v3 z = v3_unit(sum), wanted = so3_rotate(b->orientation, b->direction);
    v3 x = v3_axpy(-v3_dot(wanted, z), z, wanted);
    if (v3_norm(x) < 0.1) {
      const v3 other = so3_rotate(b->orientation, y);
      x = v3_axpy(-v3_dot(other, z), z, other);
    }
    if (v3_norm(x) < 0.1) x = v3_across(z);
    x = v3_unit(x);
    const m3 R = m3_transpose(m3_rows(x, v3_cross(z, x), z));
    n->frame[i] = (se3){so3_from_matrix(R), n->x[i]};
  }
  return TORSOR_OK;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static torsor_status add_nodes(net *n, const torsor_expansion *to, const body_shell_mesh_data *b,
                               torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < n->mesh->nodes && !status; ++i) {
    const beam_node_data own = shell_node(&b->common, b->orientation, b->position, n->frame[i]);
    char suffix[32];
    snprintf(suffix, sizeof suffix, "[%d]", i);
    status = to->add(to->self, &beam_node, suffix, &own, &n->node[i], error);
  }
  return status;
}

static torsor_status add_elements(const net *n, const torsor_expansion *to,
                                  const shell_section *section, torsor_error *error) {
  const shell_constants *kept = NULL;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < n->mesh->quads && !status; ++i) {
    int node[SHELL_NODES];
    se3 frame[SHELL_NODES];
    v3 normal[SHELL_NODES];
    const char *fault = NULL;
    char suffix[32];
    for (int k = 0; k < SHELL_NODES; ++k) {
      const int at = n->mesh->quad[i].node[k];
      const v3 own = so3_rotate_inverse(n->frame[at].R, n->normal[i]), up = {0, 0, 1};
      node[k] = n->node[at];
      frame[k] = n->frame[at];
      normal[k] = own.z < FOLD ? own : up;
    }
    snprintf(suffix, sizeof suffix, ".element[%d]", i);
    status = shell_add(&kept, &fault, to, section, suffix, node, frame, normal, error);
    if (fault) status = fail_element(n, i, fault, "mesh it anew", error);
  }
  return status;
}

/* The neighbours of the nodes of a set along sides of elements: next [nodes][2], -1 = none.  False
 * where one has more than two. */
static bool find_neighbours(int (*next)[2], const torsor_mesh_set *set, const side *list,
                            const torsor_mesh *mesh, unsigned char *in) {
  memset(in, 0, (size_t)mesh->nodes);
  for (int k = 0; k < set->count; ++k) {
    in[set->member[k]] = 1;
    next[set->member[k]][0] = next[set->member[k]][1] = -1;
  }
  for (int i = 0; i < 4 * mesh->quads; ++i) {
    if (i && same_side(&list[i], &list[i - 1])) continue;
    const int end[2] = {list[i].low, list[i].high};
    if (!in[end[0]] || !in[end[1]]) continue;
    for (int k = 0; k < 2; ++k) {
      int *of = next[end[k]];
      if (of[1] >= 0) return false;
      of[of[0] >= 0] = end[1 - k];
    }
  }
  return true;
}

/* Orders a set along the sides of elements, from its end with the lower number: out [count + 1],
 * whose last node is its first again where it is closed.  Returns their number, or 0 where they are
 * no line. */
static int find_line(int *out, const torsor_mesh_set *set, int (*next)[2]) {
  int start = set->member[0], count = 0;
  for (int k = 0; k < set->count; ++k)
    if (next[set->member[k]][1] < 0 && (next[start][1] >= 0 || set->member[k] < start))
      start = set->member[k];
  for (int at = start, before = -1; at >= 0 && count <= set->count;) {
    out[count++] = at;
    if (count > 1 && at == start) break;
    const int to = next[at][0] == before && before >= 0 ? next[at][1] : next[at][0];
    before = at;
    at = to;
  }
  const bool closed = count > 1 && out[count - 1] == out[0];
  return count - closed == set->count ? count : 0;
}

/* Work memory for the lines of sets. */
typedef struct line_work {
  int (*next)[2], *line;
  double *fraction;
  unsigned char *in;
} line_work;

/* A set of nodes is an edge: in the order of a line of sides, or without length and in that of the
 * set. */
static torsor_status add_edge(const net *n, const torsor_expansion *to, const torsor_mesh_set *set,
                              const side *list, const line_work *w, torsor_error *error) {
  int count = find_neighbours(w->next, set, list, n->mesh, w->in) && set->count > 1
                  ? find_line(w->line, set, w->next)
                  : 0;
  const bool line = count > 0;
  double length = 0;
  if (!line) count = set->count;
  for (int k = 0; !line && k < count; ++k) w->line[k] = set->member[k];
  for (int k = 0; k < count; ++k) {
    if (line && k) length += v3_norm(v3_sub(n->x[w->line[k]], n->x[w->line[k - 1]]));
    w->fraction[k] = line ? length : (double)k / (count > 1 ? count - 1 : 1);
  }
  for (int k = 0; line && k < count; ++k) w->fraction[k] /= length;
  for (int k = 0; k < count; ++k) w->line[k] = n->node[w->line[k]];
  return to->edge(to->self, set->name, w->line, w->fraction, count, length, error);
}

static torsor_status add_edges(const net *n, const torsor_expansion *to, const side *list,
                               torsor_error *error) {
  const size_t nodes = (size_t)n->mesh->nodes;
  const line_work w = {calloc(nodes, sizeof *w.next), calloc(nodes + 1, sizeof *w.line),
                       calloc(nodes + 1, sizeof *w.fraction), calloc(nodes, 1)};
  torsor_status status = w.next && w.line && w.fraction && w.in ? TORSOR_OK : TORSOR_MEMORY;
  if (status) torsor_fail(error, status, "out of memory");
  for (int i = 0; i < n->mesh->sets && !status; ++i)
    if (!n->mesh->set[i].elements && n->mesh->set[i].count)
      status = add_edge(n, to, &n->mesh->set[i], list, &w, error);
  free(w.next);
  free(w.line);
  free(w.fraction);
  free(w.in);
  return status;
}

static torsor_status add_surface(const net *n, const torsor_expansion *to, torsor_error *error) {
  int *facet = calloc((size_t)n->mesh->quads, 4 * sizeof *facet);
  if (!facet) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < n->mesh->quads; ++i)
    for (int k = 0; k < 4; ++k) facet[4 * i + k] = n->node[n->mesh->quad[i].node[k]];
  const torsor_status status = to->surface(to->self, facet, n->mesh->quads, error);
  free(facet);
  return status;
}

static torsor_status add_parts(net *n, side *list, const torsor_expansion *to,
                               const body_shell_mesh_data *b, torsor_error *error) {
  const shell_section *section = NULL;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < n->mesh->nodes; ++i)
    n->x[i] = v3_add(b->position, so3_rotate(b->orientation, n->mesh->node[i]));
  for (int i = 0; i < n->mesh->quads && !status; ++i) status = check_shape(n, i, error);
  list_sides(list, n->mesh);
  if (!status) status = check_sides(n, list, error);
  if (!status) status = find_frames(n, b, error);
  if (!status) status = shell_find_section(&section, to, &b->common, error);
  if (!status) status = add_nodes(n, to, b, error);
  if (!status) status = add_elements(n, to, section, error);
  if (!status) status = add_edges(n, to, list, error);
  return status ? status : add_surface(n, to, error);
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_shell_mesh_data *b = self;
  if (b->common.group == TORSOR_GROUP_SO3)
    return chain_fail(error, "group", "\"R3xSO3\" or \"SE3\"", "the nodes of a shell move");
  if (!b->mesh.quads)
    return chain_fail(error, "mesh", "\"nodes\" and \"elements\"", "the mesh has no elements");
  const size_t nodes = (size_t)b->mesh.nodes, quads = (size_t)b->mesh.quads;
  net n = {&b->mesh, calloc(nodes, sizeof *n.x), calloc(quads, sizeof *n.normal),
           calloc(nodes, sizeof *n.frame), calloc(nodes, sizeof *n.node)};
  side *list = calloc(4 * quads, sizeof *list);
  const torsor_status status = n.x && n.normal && n.frame && n.node && list
                                   ? add_parts(&n, list, to, b, error)
                                   : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  free(n.x);
  free(n.normal);
  free(n.frame);
  free(n.node);
  free(list);
  return status;
}

static const torsor_element_type *const parts[] = {&beam_node, &shell_element, NULL};

const torsor_element_type body_shell_mesh = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "shell_mesh",
    .title = "plate or shell from a mesh of Gmsh, Abaqus or CalculiX",
    .doc =
        "The elements of a \"shell\" between the nodes of a mesh: \"name[i]\" in the order of "
        "their\n"
        "numbers in the file, from 0, and \"name.element[k]\".  The axis z of a node is the mean "
        "normal of\n"
        "its elements, x is along \"direction\"; where the surface has a fold, elements have "
        "normals of their\n"
        "own.  Sets of nodes, of Gmsh physical groups, are edges: \"name.edge_ROOT\" is that of "
        "the "
        "set ROOT.\n"
        "Joints \"edge\" take them all, \"edge_load\" those whose nodes are a line of sides.  "
        "Triangles, warped\n"
        "and inverted elements are refused with the line of the file.",
    .example =
        "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [{\"name\": \"roof\", \"type\":"
        " \"shell_mesh\", \"thickness\": 0.2, \"E\": 200, \"nu\": 0.3, \"density\": 4, \"mesh\":"
        " {\"nodes\": [[0, 0, 0], [1, 0, 0.4], [2, 0, 0], [0, 1, 0], [1, 1.1, 0.4], [2, 1, 0]],"
        " \"elements\": [[0, 1, 4, 3], [1, 2, 5, 4]], \"node_sets\": {\"eaves\": [0, 3],"
        " \"front\": [0, 1, 2]}}}], \"joints\": [{\"name\": \"wall\", \"type\": \"edge\", \"on\":"
        " \"roof.edge_eaves\"}], \"forces\": [{\"name\": \"snow\", \"type\": \"shell_load\","
        " \"on\": \"roof\", \"force\": [0, 0, -1]}, {\"name\": \"wind\", \"type\":"
        " \"edge_load\", \"on\": \"roof.edge_front\", \"force\": [0, 1, 0]}]}",
    .size = sizeof(body_shell_mesh_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
