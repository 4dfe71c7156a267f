/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "elements/beam_load.h"
#include "elements/chain_kit.h"

enum { AXES_INERTIAL, AXES_BODY };

typedef struct force_beam_load_data {
  torsor_chain on;
  v3 force, moment;
  int axes;
  double from, to;
  torsor_profile profile;
  torsor_control scale;
} force_beam_load_data;

#define MEMBER(name) offsetof(force_beam_load_data, name)

static const char *const axes[] = {"inertial", "body", NULL};

static const torsor_param params[] = {
    {"on", TORSOR_PARAM_CHAIN, MEMBER(on), NULL, NULL, "name of the beam or cable", NULL, 0},
    {"force", TORSOR_PARAM_VECTOR, MEMBER(force), "N/m", TORSOR_OPTIONAL,
     "force per unstrained length, on the axis", NULL, 0},
    {"moment", TORSOR_PARAM_VECTOR, MEMBER(moment), "N", TORSOR_OPTIONAL,
     "moment per unstrained length", NULL, 0},
    {"axes", TORSOR_PARAM_CHOICE, MEMBER(axes), NULL, "\"inertial\"",
     "axes of force and moment: \"inertial\", or \"body\": those of the section, which turn with "
     "the beam",
     axes, 0},
    {"from", TORSOR_PARAM_NUMBER, MEMBER(from), NULL, "0",
     "where it begins, as a part of the length", NULL, TORSOR_NONNEGATIVE},
    {"to", TORSOR_PARAM_NUMBER, MEMBER(to), NULL, "1", "where it ends, as a part of the length",
     NULL, TORSOR_POSITIVE},
    {"profile", TORSOR_PARAM_PROFILE, MEMBER(profile), NULL, TORSOR_OPTIONAL,
     "function of s, from 0 at the start of the beam to 1 at its end, and t that multiplies both; "
     "default: 1",
     NULL, 0},
    {"scale", TORSOR_PARAM_CONTROL, MEMBER(scale), NULL, TORSOR_OPTIONAL,
     "function of t and of joint coordinates that multiplies both; default: 1", NULL, 0},
    {0}};

static torsor_status check(const force_beam_load_data *load, torsor_error *error) {
  const bool moment = !torsor_absent_vector(load->moment);
  if (torsor_absent_vector(load->force) && !moment)
    return chain_fail(error, "force", "give \"force\": [x, y, z] or \"moment\": [x, y, z]",
                      "the load has neither a force nor a moment");
  if (!(load->from < load->to && load->to <= 1))
    return chain_fail(error, "to", "parts of the length, 0 to 1, \"from\" before \"to\"",
                      "the load is on no part of the beam");
  if (load->on.edge)
    return chain_fail(error, "on", "a force of the type \"edge_load\" does it",
                      "is an edge of a shell, not a beam");
  if (load->on.point && moment)
    return chain_fail(error, "moment", "leave it out", "a cable takes no moments");
  if (load->on.point && load->axes == AXES_BODY)
    return chain_fail(error, "axes", "\"inertial\"", "a cable has no section axes");
  return TORSOR_OK;
}

/* Finds the part of the load that acts on element i; returns false when there is none. */
static bool cut(beam_load_data *part, const force_beam_load_data *load, int i) {
  const double start = load->on.fraction[i], end = load->on.fraction[i + 1];
  const double from = fmax(load->from, start), to = fmin(load->to, end);
  if (!(from < to)) return false;
  *part = (beam_load_data){.node = {load->on.node[i], load->on.node[i + 1]},
                           .length = (end - start) * load->on.length,
                           .start = start,
                           .end = end,
                           .from = (from - start) / (end - start),
                           .to = (to - start) / (end - start),
                           .force = torsor_absent_vector(load->force) ? v3_zero() : load->force,
                           .moment = torsor_absent_vector(load->moment) ? v3_zero() : load->moment,
                           .follows = load->axes == AXES_BODY,
                           .profile = load->profile,
                           .scale = load->scale};
  return true;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const force_beam_load_data *load = self;
  torsor_status status = check(load, error);
  for (int i = 0; i < load->on.count - 1 && !status; ++i) {
    beam_load_data part;
    char suffix[32];
    if (!cut(&part, load, i)) continue;
    snprintf(suffix, sizeof suffix, ".element[%d]", i);
    status = to->add(to->self, &beam_load, suffix, &part, NULL, error);
  }
  return status;
}

static const torsor_element_type *const parts[] = {&beam_load, NULL};

const torsor_element_type force_beam_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "beam_load",
    .title = "distributed force and moment along a beam or cable",
    .doc = "scale profile force and scale profile moment per unstrained length, from \"from\" to "
           "\"to\".\n"
           "In \"inertial\" axes they keep their direction, in \"body\" axes they turn with the "
           "sections.\n"
           "profile is a function of the place s, 0 at the start of the beam and 1 at its end, and "
           "of t:\n"
           "\"1 - s\", \"exp(-((s - 0.5*t)/0.1)^2)\", {\"table\": [[0, 1], [1, 0]]}.  The nodes "
           "take the\n"
           "work-equivalent forces, by three Gauss points in each element.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"wing\", \"type\": \"beam\", \"length\": 2,"
        " \"elements\": 3, \"curvature\": [0.2, 0.1, 0.4], \"section\": {\"stiffness\":"
        " [200, 90, 90, 40, 50, 60], \"inertia\": [2, 2, 2, 0.3, 0.1, 0.2]}}], \"joints\":"
        " [{\"name\": \"root\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "
        "\"wing.start\"}],"
        " \"forces\": [{\"name\": \"lift\", \"type\": \"beam_load\", \"on\": \"wing\","
        " \"force\": [0.5, 0, 4], \"moment\": [0.3, 0.2, 0], \"axes\": \"body\", \"from\": 0.2,"
        " \"profile\": \"1 - s^2 + 0.1*sin(t)\", \"scale\": \"1 + 0.3*root.angle\"}]}",
    .size = sizeof(force_beam_load_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
