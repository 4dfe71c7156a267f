/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <torsor/curve.h>

#include "elements/beam.h"
#include "elements/cable.h"
#include "elements/chain_kit.h"

static const double PI = 3.14159265358979323846;

typedef struct body_cable_data {
  v3 position, end;
  torsor_curve curve;
  double length, stiffness, density, damping;
  bool compression;
  int elements;
  torsor_numbers stations;
  v3 velocity;
} body_cable_data;

#define MEMBER(name) offsetof(body_cable_data, name)

static const torsor_param params[] = {
    {"stiffness", TORSOR_PARAM_NUMBER, MEMBER(stiffness), "N", NULL, "tension per strain, E A",
     NULL, TORSOR_POSITIVE},
    {"density", TORSOR_PARAM_NUMBER, MEMBER(density), "kg/m", NULL, "mass per unstrained length",
     NULL, TORSOR_POSITIVE},
    {"elements", TORSOR_PARAM_INTEGER, MEMBER(elements), NULL, NULL, "number of straight pieces",
     NULL, TORSOR_POSITIVE},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "where it starts, inertial axes", NULL, 0},
    {"end", TORSOR_PARAM_VECTOR, MEMBER(end), "m", TORSOR_OPTIONAL, "where it ends, inertial axes",
     NULL, 0},
    {"curve", TORSOR_PARAM_CURVE, MEMBER(curve), NULL, TORSOR_OPTIONAL,
     "curve along which it lies at the start, in place of the above", NULL, 0},
    {"length", TORSOR_PARAM_NUMBER, MEMBER(length), "m", TORSOR_OPTIONAL,
     "unstrained length; default: that of the line or curve.  A longer cable begins as an arc that "
     "sags along gravity, a shorter one is stretched",
     NULL, TORSOR_POSITIVE},
    {"stations", TORSOR_PARAM_NUMBERS, MEMBER(stations), NULL, TORSOR_OPTIONAL,
     "fractions of the length at which there are nodes; the nearest ones of the regular mesh are "
     "moved",
     NULL, 0},
    {"compression", TORSOR_PARAM_BOOLEAN, MEMBER(compression), NULL, "false",
     "whether it takes compression; else it goes slack", NULL, 0},
    {"damping_factor", TORSOR_PARAM_NUMBER, MEMBER(damping), "s", "0",
     "Kelvin-Voigt damping: tension = stiffness (strain + factor strain rate)", NULL,
     TORSOR_NONNEGATIVE},
    {"velocity", TORSOR_PARAM_VECTOR, MEMBER(velocity), "m/s", TORSOR_OPTIONAL,
     "initial velocity of all of it, inertial axes; default: follows from the joints", NULL, 0},
    {0}};

/* ---- where it lies --------------------------------------------------------------------------- */

/* Along a curve, a line, or an arc of the angle 2 a with the radius R about `middle`: middle + R
 * (sin t along + cos t down), t from -a to a. */
typedef struct path {
  const torsor_curve *curve; /* NULL = none */
  double length;             /* unstrained */
  double a, R;               /* a = 0: a line */
  v3 start, end, middle, along, down;
} path;

/* Direction in which a cable along `t` sags. */
static v3 sagging(v3 t, v3 gravity) {
  const v3 z = {0, 0, -1}, pull = v3_norm(gravity) > 0 ? v3_unit(gravity) : z;
  const v3 down = v3_axpy(-v3_dot(pull, t), t, pull);
  return v3_norm(down) > 1e-6 ? v3_unit(down) : v3_across(t);
}

/* n chords of an arc with the length s in all over a chord c: sin(a)/(n sin(a/n)) = c/s falls from
 * 1 to 0. */
static void find_arc(path *p, double c, int n, v3 gravity) {
  double low = 0, high = PI;
  for (int i = 0; i < 60; ++i) {
    const double a = (low + high) / 2;
    if (sin(a) / (n * sin(a / n)) > c / p->length)
      low = a;
    else
      high = a;
  }
  p->a = (low + high) / 2;
  p->R = p->length / (2 * n * sin(p->a / n));
  p->along = v3_scale(v3_sub(p->end, p->start), 1 / c);
  p->down = sagging(p->along, gravity);
  p->middle = v3_axpy(-p->R * cos(p->a), p->down, v3_scale(v3_add(p->start, p->end), 0.5));
}

static torsor_status find_path(path *p, const body_cable_data *cable, v3 gravity,
                               torsor_error *error) {
  const bool given = !torsor_absent_number(cable->length);
  *p = (path){.start = cable->position, .end = cable->end};
  if (cable->curve.knot) {
    if (!torsor_absent_vector(cable->end))
      return chain_fail(error, "curve", "leave \"end\" out",
                        "the curve already defines the axis of the cable");
    p->curve = &cable->curve;
    p->length = given ? cable->length : torsor_curve_length(&cable->curve);
    return TORSOR_OK;
  }
  if (torsor_absent_vector(cable->end))
    return chain_fail(error, "end", "give \"end\" or \"curve\"", "the cable has no end");
  const double c = v3_norm(v3_sub(cable->end, cable->position));
  if (!(c > 0)) return chain_fail(error, "end", "give another point", "is where it starts");
  p->length = given ? cable->length : c;
  if (p->length > c * (1 + 1e-12) && cable->elements > 1) find_arc(p, c, cable->elements, gravity);
  return TORSOR_OK;
}

static v3 place(const path *p, double fraction) {
  if (p->curve) {
    const double u = chain_curve_parameter(p->curve, fraction * torsor_curve_length(p->curve));
    return torsor_curve_in(p->curve, torsor_curve_segment(p->curve, u, false), u).x;
  }
  if (p->a > 0) {
    const double t = p->a * (2 * fraction - 1);
    return v3_axpy(p->R * cos(t), p->down, v3_axpy(p->R * sin(t), p->along, p->middle));
  }
  return v3_axpy(fraction, v3_sub(p->end, p->start), p->start);
}

/* ---- its parts ------------------------------------------------------------------------------- */

/* Nodes 0 to n: parts of the length, indices in the model. */
typedef struct mesh {
  double *fraction;
  int *node;
} mesh;

static torsor_status add_node(int *node, const torsor_expansion *to, const body_cable_data *cable,
                              int i, v3 x, torsor_error *error) {
  const bool moves = !torsor_absent_vector(cable->velocity);
  const beam_node_data own = {{.group = TORSOR_GROUP_R3,
                               .frame = {so3_identity(), x},
                               .V = {moves ? cable->velocity : v3_zero(), v3_zero()},
                               .velocity_given = moves,
                               .angular_velocity_given = true}};
  char suffix[24];
  snprintf(suffix, sizeof suffix, "[%d]", i);
  return to->add(to->self, &cable_node, suffix, &own, node, error);
}

static torsor_status add_element(const torsor_expansion *to, const body_cable_data *cable,
                                 const path *p, const mesh *m, int i, torsor_error *error) {
  const double length = p->length * (m->fraction[i + 1] - m->fraction[i]);
  const cable_element_data element = {.node = {m->node[i], m->node[i + 1]},
                                      .length = length,
                                      .mass = cable->density * length,
                                      .stiffness = cable->stiffness,
                                      .lag = cable->damping,
                                      .pushes = cable->compression};
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".element[%d]", i);
  return to->add(to->self, &cable_element, suffix, &element, NULL, error);
}

static torsor_status add_parts(mesh *m, const torsor_expansion *to, const body_cable_data *cable,
                               const path *p, torsor_error *error) {
  const int n = cable->elements;
  torsor_status status = chain_fractions(m->fraction, n, &cable->stations, error);
  for (int i = 0; i <= n && !status; ++i)
    status = add_node(&m->node[i], to, cable, i, place(p, m->fraction[i]), error);
  if (!status) status = to->chain(to->self, m->fraction, n + 1, p->length, error);
  for (int i = 0; i < n && !status; ++i) status = add_element(to, cable, p, m, i, error);
  return status;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_cable_data *cable = self;
  const size_t nodes = (size_t)cable->elements + 1;
  path p;
  torsor_status status = find_path(&p, cable, to->gravity, error);
  if (status) return status;
  mesh m = {calloc(nodes, sizeof *m.fraction), calloc(nodes, sizeof *m.node)};
  status = m.fraction && m.node ? add_parts(&m, to, cable, &p, error)
                                : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  free(m.fraction);
  free(m.node);
  return status;
}

static const torsor_element_type *const parts[] = {&cable_node, &cable_element, NULL};

const torsor_element_type body_cable = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "cable",
    .title = "cable or string: no bending, tension only or both",
    .doc =
        "Points \"name[0]\" to \"name[n]\" and n straight pieces between them.  With the "
        "unstrained "
        "length\n"
        "L of a piece and its strain e = (distance - L)/L the tension is stiffness (e + "
        "damping_factor e'),\n"
        "but never a push: where e < 0 a piece is slack, unless \"compression\" is true.  Its mass "
        "matrix is\n"
        "m/12 [[5, 1], [1, 5]]: frequencies of strings are of fourth order in L, shapes of "
        "second.\n"
        "Joints and forces hold points: \"name.start\", \"name.end\", \"name[i]\" or, by length, "
        "\"name@0.25\".",
    .example = "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rope\", "
               "\"type\": \"cable\", \"end\": [2, 0, 0.4], \"length\": 1.2, \"stiffness\": 40, "
               "\"density\": 0.5, \"elements\": 2, \"damping_factor\": 0.02}], \"joints\": "
               "[{\"name\": \"hook\", \"type\": \"spherical\", \"a\": \"ground\", \"b\": "
               "\"rope.start\"}]}",
    .size = sizeof(body_cable_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
