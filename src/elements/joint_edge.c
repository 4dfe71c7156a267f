/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/joint.h>

#include "elements/chain_kit.h"

typedef struct joint_edge_data {
  torsor_chain on, to_edge;
  torsor_marker to;
  int holds;
  v3 direction;
  bool ends;
} joint_edge_data;

#define MEMBER(name) offsetof(joint_edge_data, name)

enum { WELD, HINGE, POSITION, SYMMETRY, LINE, PLANE };

static const char *const kinds[] = {[WELD] = "weld",
                                    [HINGE] = "hinge",
                                    [POSITION] = "position",
                                    [SYMMETRY] = "symmetry",
                                    [LINE] = "line",
                                    [PLANE] = "plane",
                                    NULL};

static const torsor_param params[] = {
    {"on", TORSOR_PARAM_CHAIN, MEMBER(on), NULL, NULL,
     "edge of a shell (\"plate.edge_x0\"), or a beam", NULL, 0},
    {"to", TORSOR_PARAM_MARKER, MEMBER(to), NULL, "\"ground\"",
     "body that holds it where it is at the start", NULL, TORSOR_NEEDS_ORIENTATION},
    {"to_edge", TORSOR_PARAM_CHAIN, MEMBER(to_edge), NULL, TORSOR_OPTIONAL,
     "edge or beam of as many nodes that holds it, in place of \"to\": node by node, from the end "
     "that is nearer",
     NULL, 0},
    {"holds", TORSOR_PARAM_CHOICE, MEMBER(holds), NULL, "\"weld\"",
     "of each node: everything; \"hinge\": all but the turn about the line from the first node to "
     "the last; \"position\": no turns; \"symmetry\": what a plane of symmetry with the normal "
     "\"direction\" does; \"line\": no move across \"direction\"; \"plane\": no move along it",
     kinds, 0},
    {"direction", TORSOR_PARAM_DIRECTION, MEMBER(direction), NULL, TORSOR_OPTIONAL,
     "of \"hinge\", \"symmetry\", \"line\" and \"plane\", axes of \"to\"", NULL, 0},
    {"ends", TORSOR_PARAM_BOOLEAN, MEMBER(ends), NULL, "true",
     "false: not the first and the last node, which another edge holds already", NULL, 0},
    {0}};

extern const torsor_element_type joint_weld, joint_revolute, joint_spherical, joint_planar,
    joint_point_on_line, joint_point_on_plane;

/* The joint at each node, and the keys of its direction in the axes of a and of b; the latter
 * follows from the former where it is left out. */
static const struct {
  const torsor_element_type *type;
  const char *direction, *direction_b;
} joints[] = {[WELD] = {&joint_weld, NULL, NULL},
              [HINGE] = {&joint_revolute, "axis", "axis_b"},
              [POSITION] = {&joint_spherical, NULL, NULL},
              [SYMMETRY] = {&joint_planar, "normal", "normal_b"},
              [LINE] = {&joint_point_on_line, "axis", NULL},
              [PLANE] = {&joint_point_on_plane, "normal", NULL}};

static void set_direction(void *instance, const torsor_element_type *type, const char *key,
                          v3 value) {
  const torsor_param *p = type->params;
  while (key && p->key && strcmp(p->key, key) != 0) ++p;
  if (key && p->key) memcpy((char *)instance + p->offset, &value, sizeof value);
}

/* The frame of node k of a chain, or one fixed to a body, on its node `node` at `base`. */
static torsor_marker marker_on(int node, m3 R, v3 x, m3 R0, v3 x0) {
  return (torsor_marker){.node = node, .R = R, .x = x, .R0 = R0, .x0 = x0};
}

static torsor_marker own_marker(const torsor_chain *chain, int k, m3 axes) {
  const m3 R = so3_matrix(chain->frame[k].R);
  return marker_on(chain->node[k], m3_tmul(R, axes), v3_zero(), axes, chain->frame[k].x);
}

/* Where the body of `to` has the node at the start, with the axes of `to`. */
static torsor_marker held_marker(const torsor_marker *to, v3 x0) {
  const v3 offset = m3_mulv(to->R, m3_tmulv(to->R0, v3_sub(x0, to->x0)));
  return marker_on(to->node, to->R, v3_add(to->x, offset), to->R0, x0);
}

static torsor_marker chain_marker(const torsor_chain *chain, int k, v3 x0) {
  const m3 R = so3_matrix(chain->frame[k].R);
  const v3 arm = m3_tmulv(R, v3_sub(x0, chain->frame[k].x));
  return marker_on(chain->node[k], m3_identity(), arm, R, x0);
}

/* Does the other edge run the other way? */
static bool runs_back(const torsor_chain *on, const torsor_chain *other) {
  const int last = on->count - 1;
  const v3 a = on->frame[0].x, b = on->frame[last].x;
  const v3 A = other->frame[0].x, B = other->frame[last].x;
  return v3_norm(v3_sub(a, B)) + v3_norm(v3_sub(b, A)) <
         v3_norm(v3_sub(a, A)) + v3_norm(v3_sub(b, B));
}

static torsor_status find_direction(v3 *out, const joint_edge_data *edge, torsor_error *error) {
  const bool needed = joints[edge->holds].direction != NULL;
  *out = edge->direction;
  if (!torsor_absent_vector(*out))
    return needed ? TORSOR_OK
                  : chain_fail(error, "direction", "leave it out",
                               "what is held here has no direction");
  if (!needed) return TORSOR_OK;
  if (edge->holds != HINGE)
    return chain_fail(error, "direction", "the normal of the plane, or the direction of the line",
                      "is missing: \"holds\" needs it");
  const v3 way = v3_sub(edge->on.frame[edge->on.count - 1].x, edge->on.frame[0].x);
  if (!(v3_norm(way) > 1e-9 * edge->on.length))
    return chain_fail(error, "direction", "give the axis of the hinge",
                      "the edge is closed and has none of its own");
  *out = v3_unit(
      m3_tmulv(edge->to_edge.node ? so3_matrix(edge->to_edge.frame[0].R) : edge->to.R0, way));
  return TORSOR_OK;
}

static torsor_status check(const joint_edge_data *edge, torsor_error *error) {
  if (edge->on.point && joints[edge->holds].type != &joint_spherical && edge->holds != LINE &&
      edge->holds != PLANE)
    return chain_fail(error, "on", "\"holds\": \"position\"", "a cable has points without axes");
  if (!edge->to_edge.node) return TORSOR_OK;
  if (edge->to_edge.count != edge->on.count) {
    char message[100];
    snprintf(message, sizeof message, "it has %d nodes, and \"on\" has %d", edge->to_edge.count,
             edge->on.count);
    return chain_fail(error, "to_edge", "give both the same number of elements", message);
  }
  if (edge->holds == SYMMETRY || edge->holds == LINE || edge->holds == PLANE)
    return chain_fail(error, "to_edge", "\"weld\", \"hinge\" or \"position\"",
                      "what is held here has a direction of one body");
  return TORSOR_OK;
}

/* A hinge of two edges turns about the same line of each pair of nodes. */
static torsor_status add_joint(const joint_edge_data *edge, const torsor_expansion *to, int k,
                               v3 direction, torsor_error *error) {
  const torsor_element_type *type = joints[edge->holds].type;
  const torsor_chain *on = &edge->on, *other = &edge->to_edge;
  const v3 x0 = on->frame[k].x;
  torsor_marker a;
  if (other->node) {
    const int at = runs_back(on, other) ? other->count - 1 - k : k;
    a = chain_marker(other, at, x0);
    const m3 first = so3_matrix(other->frame[0].R);
    direction = m3_tmulv(a.R0, m3_mulv(first, direction));
  } else {
    a = held_marker(&edge->to, x0);
  }
  void *instance = calloc(1, type->size);
  if (!instance) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  *(torsor_joint *)instance = (torsor_joint){.a = a, .b = own_marker(on, k, a.R0)};
  ((torsor_joint *)instance)->b.point = on->point;
  set_direction(instance, type, joints[edge->holds].direction, direction);
  const double absent = (double)NAN;
  set_direction(instance, type, joints[edge->holds].direction_b, (v3){absent, absent, absent});
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".element[%d]", k);
  const torsor_status status = to->add(to->self, type, suffix, instance, NULL, error);
  free(instance);
  return status;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const joint_edge_data *edge = self;
  v3 direction = v3_zero();
  torsor_status status = check(edge, error);
  if (!status) status = find_direction(&direction, edge, error);
  const int last = edge->on.count - 1;
  const int count = edge->on.node[last] == edge->on.node[0] ? last : last + 1;
  const bool open = count == last + 1;
  if (open && !edge->ends && count < 3 && !status)
    return chain_fail(error, "ends", "leave it out, or take more elements",
                      "the edge has no nodes but its ends");
  for (int k = 0; k < count && !status; ++k)
    if (edge->ends || !open || (k > 0 && k < last))
      status = add_joint(edge, to, k, direction, error);
  return status;
}

static const torsor_element_type *const parts[] = {
    &joint_weld,   &joint_revolute,      &joint_spherical,
    &joint_planar, &joint_point_on_line, &joint_point_on_plane,
    NULL};

const torsor_element_type joint_edge = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
    .name = "edge",
    .title = "holds the nodes along an edge of a shell, or along a beam",
    .doc = "A joint \"name.element[k]\" at each node k: weld, revolute, spherical, planar,\n"
           "point_on_line or point_on_plane, with its marker b at the node and its marker a where "
           "the\n"
           "body \"to\" has the node at the start.  Nodes keep the orientations that they have "
           "there.\n"
           "Two edges that meet hold their common node twice, where \"ends\" of one of them is not "
           "false.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"shell\","
               " \"elements\": [2, 1], \"length\": 2, \"width\": 0.7, \"thickness\": 0.2,"
               " \"E\": 200, \"nu\": 0.3, \"density\": 4}, {\"name\": \"next\", \"type\":"
               " \"shell\", \"elements\": [1, 1], \"position\": [2, 0, 0], \"length\": 1,"
               " \"width\": 0.7, \"thickness\": 0.2, \"E\": 200, \"nu\": 0.3, \"density\": 4},"
               " {\"name\": \"flap\", \"type\": \"shell\", \"elements\": [1, 1], \"position\":"
               " [0, 2, 0], \"length\": 1, \"width\": 0.7, \"thickness\": 0.2, \"E\": 200,"
               " \"nu\": 0.3, \"density\": 4}], \"joints\": [{\"name\": \"clamp\", \"type\":"
               " \"edge\", \"on\": \"plate.edge_x0\", \"to\": \"ground\"}, {\"name\":"
               " \"seam\", \"type\": \"edge\", \"on\": \"next.edge_x0\", \"to_edge\":"
               " \"plate.edge_x1\", \"holds\": \"position\"}, {\"name\": \"hinge\", \"type\":"
               " \"edge\", \"on\": \"next.edge_x1\", \"to\": \"ground\", \"holds\":"
               " \"hinge\"}, {\"name\": \"middle\", \"type\": \"edge\", \"on\":"
               " \"flap.edge_y0\", \"to\": \"ground\", \"holds\": \"symmetry\", \"direction\":"
               " [0, 1, 0]}, {\"name\": \"rail\", \"type\": \"edge\", \"on\":"
               " \"flap.edge_y1\", \"to\": \"ground\", \"holds\": \"line\", \"direction\": [1,"
               " 0, 0]}, {\"name\": \"table\", \"type\": \"edge\", \"on\": \"next.edge_y0\","
               " \"to\": \"ground\", \"holds\": \"plane\", \"direction\": [0, 0, 1]}]}",
    .size = sizeof(joint_edge_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
