/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>

#include "elements/chain_kit.h"
#include "elements/shell_load.h"
#include "elements/shell_shape.h"

typedef struct force_shell_load_data {
  torsor_surface on;
  double pressure;
  v3 force;
  torsor_control scale;
} force_shell_load_data;

#define MEMBER(name) offsetof(force_shell_load_data, name)

static const torsor_param params[] = {
    {"on", TORSOR_PARAM_SURFACE, MEMBER(on), NULL, NULL, "name of the shell", NULL, 0},
    {"pressure", TORSOR_PARAM_NUMBER, MEMBER(pressure), "Pa", TORSOR_OPTIONAL,
     "force per area along the normal: normal and area are those of the deformed shell", NULL, 0},
    {"force", TORSOR_PARAM_VECTOR, MEMBER(force), "Pa", TORSOR_OPTIONAL,
     "force per unstrained area, inertial axes", NULL, 0},
    {"scale", TORSOR_PARAM_CONTROL, MEMBER(scale), NULL, TORSOR_OPTIONAL,
     "function of t and of joint coordinates that multiplies both; default: 1", NULL, 0},
    {0}};

/* The unstrained area that belongs to each node. */
static void find_area(shell_load_data *part, const v3 place[4]) {
  v3 x[4], mode[4];
  for (int i = 0; i < 4; ++i) {
    x[i] = v3_sub(place[i], place[0]);
    part->length = fmax(part->length, v3_norm(v3_sub(place[(i + 1) % 4], place[i])));
  }
  shell_modes(mode, x);
  for (int g = 0; g < 4; ++g) {
    const v3 d1 = v3_axpy(SHELL_GAUSS * shell_eta[g], mode[3], mode[1]);
    const v3 d2 = v3_axpy(SHELL_GAUSS * shell_xi[g], mode[3], mode[2]);
    const double area = v3_norm(v3_cross(d1, d2));
    for (int i = 0; i < 4; ++i) part->share[i] += shell_at_gauss[g][i] * area;
  }
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const force_shell_load_data *load = self;
  const bool pressure = !torsor_absent_number(load->pressure);
  torsor_status status = TORSOR_OK;
  if (!pressure && torsor_absent_vector(load->force))
    return chain_fail(error, "pressure", "give \"pressure\": p or \"force\": [x, y, z]",
                      "the load has neither a pressure nor a force");
  for (int i = 0; i < load->on.count && !status; ++i) {
    const torsor_facet *facet = &load->on.facet[i];
    shell_load_data part = {.pressure = pressure ? load->pressure : 0,
                            .force = torsor_absent_vector(load->force) ? v3_zero() : load->force,
                            .scale = load->scale};
    for (int k = 0; k < 4; ++k) part.node[k] = facet->node[k];
    find_area(&part, facet->place);
    char suffix[32];
    snprintf(suffix, sizeof suffix, ".element[%d]", i);
    status = to->add(to->self, &shell_load, suffix, &part, NULL, error);
  }
  return status;
}

static const torsor_element_type *const parts[] = {&shell_load, NULL};

const torsor_element_type force_shell_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "shell_load",
    .title = "pressure and distributed force on a shell",
    .doc =
        "scale (pressure n + force) per area, n the normal of the surface (z of its nodes at the\n"
        "start).  The pressure follows the shell: it acts on its deformed area; the force is "
        "dead, per\n"
        "unstrained area.  Node i takes int N_i (pressure x,1 x x,2 + j_0 force), by 2 x 2 Gauss "
        "points.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"shell\","
               " \"elements\": [2, 2], \"length\": 2, \"width\": 0.7, \"thickness\": 0.2,"
               " \"E\": 200, \"nu\": 0.3, \"density\": 4}], \"joints\": [{\"name\": \"root\","
               " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"plate[0][0]\"}],"
               " \"forces\": [{\"name\": \"wind\", \"type\": \"shell_load\", \"on\":"
               " \"plate\", \"pressure\": 3, \"scale\": \"1 + 0.3*root.angle + 0.1*t\"}]}",
    .size = sizeof(force_shell_load_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
