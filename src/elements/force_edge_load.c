/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "elements/chain_kit.h"
#include "elements/edge_load.h"

enum { AXES_INERTIAL, AXES_BODY };

typedef struct force_edge_load_data {
  torsor_chain on;
  v3 force, moment;
  int axes;
  torsor_profile profile;
  torsor_control scale;
} force_edge_load_data;

#define MEMBER(name) offsetof(force_edge_load_data, name)

static const char *const axes[] = {"inertial", "body", NULL};

static const torsor_param params[] = {
    {"on", TORSOR_PARAM_CHAIN, MEMBER(on), NULL, NULL, "edge of a shell: \"plate.edge_x1\"", NULL,
     0},
    {"force", TORSOR_PARAM_VECTOR, MEMBER(force), "N/m", TORSOR_OPTIONAL,
     "force per unstrained length", NULL, 0},
    {"moment", TORSOR_PARAM_VECTOR, MEMBER(moment), "N", TORSOR_OPTIONAL,
     "moment per unstrained length", NULL, 0},
    {"axes", TORSOR_PARAM_CHOICE, MEMBER(axes), NULL, "\"inertial\"",
     "axes of force and moment: \"inertial\", or \"body\": those of the nodes, x along the "
     "surface's "
     "x and z its normal, which turn with the shell",
     axes, 0},
    {"profile", TORSOR_PARAM_PROFILE, MEMBER(profile), NULL, TORSOR_OPTIONAL,
     "function of s, from 0 at the start of the edge to 1 at its end, and t that multiplies both; "
     "default: 1",
     NULL, 0},
    {"scale", TORSOR_PARAM_CONTROL, MEMBER(scale), NULL, TORSOR_OPTIONAL,
     "function of t and of joint coordinates that multiplies both; default: 1", NULL, 0},
    {0}};

static torsor_status check(const force_edge_load_data *load, torsor_error *error) {
  if (torsor_absent_vector(load->force) && torsor_absent_vector(load->moment))
    return chain_fail(error, "force", "give \"force\": [x, y, z] or \"moment\": [x, y, z]",
                      "the load has neither a force nor a moment");
  if (!load->on.edge)
    return chain_fail(error, "on", "a force of the type \"beam_load\" does it",
                      "is a beam or cable, not an edge of a shell");
  if (!(load->on.length > 0))
    return chain_fail(error, "on", "load nodes one by one, or a set along one line",
                      "is a set of nodes that are no line of sides of elements");
  return TORSOR_OK;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const force_edge_load_data *load = self;
  torsor_status status = check(load, error);
  for (int i = 0; i < load->on.count - 1 && !status; ++i) {
    const double start = load->on.fraction[i], end = load->on.fraction[i + 1];
    const edge_load_data part = {
        .node = {load->on.node[i], load->on.node[i + 1]},
        .length = (end - start) * load->on.length,
        .start = start,
        .end = end,
        .force = torsor_absent_vector(load->force) ? v3_zero() : load->force,
        .moment = torsor_absent_vector(load->moment) ? v3_zero() : load->moment,
        .follows = load->axes == AXES_BODY,
        .profile = load->profile,
        .scale = load->scale};
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".element[%d]", i);
    status = to->add(to->self, &edge_load, suffix, &part, NULL, error);
  }
  return status;
}

static const torsor_element_type *const parts[] = {&edge_load, NULL};

const torsor_element_type force_edge_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "edge_load",
    .title = "distributed force and moment along an edge of a shell",
    .doc = "scale profile force and scale profile moment per unstrained length.  In \"inertial\" "
           "axes they keep\n"
           "their direction, in \"body\" axes they turn with the nodes.  The nodes take the "
           "work-equivalent\n"
           "forces of displacements that are linear between them.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"shell\","
               " \"elements\": [2, 2], \"length\": 2, \"width\": 0.7, \"thickness\": 0.2,"
               " \"E\": 200, \"nu\": 0.3, \"density\": 4}], \"joints\": [{\"name\": \"root\","
               " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"plate[0][0]\"}],"
               " \"forces\": [{\"name\": \"pull\", \"type\": \"edge_load\", \"on\":"
               " \"plate.edge_x1\", \"force\": [0.5, 0, 4], \"moment\": [0.3, 0.2, 0],"
               " \"axes\": \"body\", \"profile\": \"1 - s^2 + 0.1*sin(t)\", \"scale\": \"1 +"
               " 0.3*root.angle\"}]}",
    .size = sizeof(force_edge_load_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
