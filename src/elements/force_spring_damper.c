/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/line_kit.h"
#include "elements/spring_kit.h"

typedef struct force_spring_damper_data {
  torsor_pair pair;
  spring spring;
  double length;
  bool drawn; /* a linear spring of length 0 */
} force_spring_damper_data;

#define MEMBER(name) offsetof(force_spring_damper_data, name)

static const torsor_param params[] = {
    TORSOR_PAIR_PARAMS(force_spring_damper_data, 0),
    SPRING_PARAMS(force_spring_damper_data, spring, "N/m", "N s/m", "N"),
    {"length", TORSOR_PARAM_NUMBER, MEMBER(length), "m", TORSOR_OPTIONAL,
     "length at which the stretch is 0; default: the distance at the start", NULL,
     TORSOR_NONNEGATIVE},
    {"preload", TORSOR_PARAM_NUMBER, MEMBER(spring.preload), "N", "0",
     "tension at `length`; negative: the spring pushes", NULL, 0},
    {0}};

/* A linear spring of length 0 pulls with stiffness p: where the markers meet it needs no
 * direction. */
static void add_drawn(torsor_law_out *out, double stiffness, const torsor_relative_in *in) {
  const v3 c = m3_tmulv(in->R, in->p);
  out->w.lin = v3_axpy(-stiffness, c, out->w.lin);
  if (!out->tangent) return;
  torsor_relative_add(out->H, 0, 0, m3_scale(m3_identity(), -stiffness));
  torsor_relative_add(out->H, 0, 3, m3_scale(m3_skew(c), -stiffness));
}

/* Its damper: along the line, or, where the markers meet, along the velocity with which they
 * part. */
static void add_parting(torsor_law_out *out, const spring *s, const torsor_relative_in *in) {
  const spring damper = {.damping = s->damping, .damping_force = s->damping_force};
  force_line line;
  double by_stretch, by_rate;
  if (line_find(&line, in)) {
    const double tension = spring_force(&damper, in->now, 0, line.rate, &by_stretch, &by_rate);
    line_law(out, &line, in, tension, 0, by_rate);
    return;
  }
  const double speed = v3_norm(in->V.lin);
  const double tension = spring_force(&damper, in->now, 0, speed, &by_stretch, &by_rate);
  const double resistance = speed > 0 ? tension / speed : by_rate;
  out->w.lin = v3_scale(in->V.lin, -resistance);
  if (out->tangent) torsor_relative_add(out->V, 0, 0, m3_scale(m3_identity(), -resistance));
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_spring_damper_data *data = self;
  force_line line;
  if (data->drawn) {
    add_parting(out, &data->spring, in);
    add_drawn(out, data->spring.stiffness, in);
    return TORSOR_OK;
  }
  double by_stretch, by_rate;
  if (!line_find(&line, in)) return TORSOR_DOMAIN;
  const double tension = spring_force(&data->spring, in->now, line.length - data->length, line.rate,
                                      &by_stretch, &by_rate);
  line_law(out, &line, in, tension, by_stretch, by_rate);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_spring_damper_data *data = self;
  const double distance = v3_norm(v3_sub(data->pair.joint.b.x0, data->pair.joint.a.x0));
  if (torsor_absent_number(data->length)) data->length = distance;
  data->drawn = data->length == 0 && data->spring.preload == 0 && !data->spring.force.eval;
  if (!(distance > 0) && !data->drawn) {
    torsor_fail(error, TORSOR_SCENE,
                "the markers of \"%s\" coincide, and its tension there is not 0: the line between "
                "them has no direction",
                setup->name);
    torsor_hint(error, "move one of them, or give \"length\": 0 with a stiffness and without "
                       "\"preload\" and \"force\": such a spring needs no direction");
    return TORSOR_SCENE;
  }
  const torsor_status status = spring_check(&data->spring, setup->name, error);
  return status ? status : torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static const char *obstacle(const void *self) {
  const force_spring_damper_data *data = self;
  return spring_obstacle(&data->spring);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_spring_damper_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  sum->elastic += spring_energy(&data->spring, in->now, v3_norm(relative.p) - data->length);
}

const torsor_element_type force_spring_damper = {
    TORSOR_PAIR_TABLE(force_spring_damper_data),
    .name = "spring_damper",
    .title = "spring and damper along the line between two markers",
    .doc =
        "tension F = preload + stiffness x + damping x' (N) with the stretch x = L - length, L "
        "= |p|\n"
        "the distance of the markers; the force on b is -F n, n from a to b, the opposite acts "
        "on a.\n"
        "The characteristic `force` of x takes the place of preload + stiffness x, and\n"
        "`damping_force` of v = x' that of damping x'.\n"
        "Elastic energy: preload x + stiffness x^2/2, or the integral of `force` from 0 to x.\n"
        "Fails where the markers meet, as the line has no direction there.  Not so with the length "
        "0, no\n"
        "preload and no `force`: the force on b is -stiffness p, and what resists the parting of "
        "markers\n"
        "that meet is along their velocity.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"mass\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1],"
        " \"position\": [0, 0, -1]}], \"forces\": [{\"name\": \"strut\","
        " \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": {\"body\": \"mass\","
        " \"position\": [0.1, 0, 0.2]}, \"stiffness\": 20, \"damping\": 0.4, \"length\": 0.7,"
        " \"preload\": 2}]}",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .limits.range = "markers that do not meet, as its tension needs a direction",
    .limits.advice = "move a marker; with \"length\": 0 and no preload the markers may meet",
    .look.symbol = TORSOR_SYMBOL_SPRING,
};
