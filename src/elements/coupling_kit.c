/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/coupling_kit.h"

#include "elements/relative_kit.h"

/* One coordinate at a motion. */
typedef struct coupling_side {
  relative_state s;
  torsor_coordinate_out c;
} coupling_side;

static void find_side(coupling_side *side, const coupling *c, int i, const torsor_element_in *in,
                      bool second) {
  const torsor_coordinate_ref *on = &c->on[i];
  relative_find(&side->s, &c->link[i], in);
  relative_velocity(&side->s, in);
  relative_coordinate(&side->c, on->joint, on->index, &side->s.in, second);
  side->c.value = torsor_coordinate_turns(on, side->c.value, in->coordinate);
}

/* Second derivatives: K, and through g = V^T D(J^T) the rows Z and phi_a, as in the joint kit. */
static void add_second(torsor_element_out *out, const coupling_side *side, double factor,
                       double lambda, int n) {
  double KL[6][6], V[6], g[6], turned[6], scaled[6];
  tw_store(V, side->s.in.V);
  tw_store(turned, se3_adT_apply(side->s.Wa, tw_load(side->c.J)));
  for (int k = 0; k < 6; ++k) {
    g[k] = 0;
    for (int j = 0; j < 6; ++j) {
      g[k] += V[j] * side->c.K[j][k];
      KL[j][k] = factor * lambda * side->c.K[j][k];
    }
    scaled[k] = factor * (g[k] - turned[k]);
  }
  const twist f = tw_scale(tw_load(side->c.J), factor * lambda);
  if (out->K) relative_add_matrix(out->K, n, &side->s, KL, &f);
  if (out->Z) relative_add_row(out->Z, &side->s, scaled);
  if (!out->phi_a) return;
  double turn[6];
  tw_store(turn, se3_ad_apply(side->s.in.V, side->s.Wa));
  out->phi_a[0] += factor * (relative_dot(side->c.J, turn) + relative_dot(g, V));
}

void coupling_add(const coupling *c, const double factor[COUPLING_SIDES],
                  const torsor_element_in *in, torsor_element_out *out,
                  double rate[COUPLING_SIDES]) {
  int n = 0;
  for (int i = 0; i < COUPLING_SIDES; ++i)
    n += 6 * ((c->link[i].side_a >= 0) + (c->link[i].side_b >= 0));
  const double lambda = in->lambda ? in->lambda[0] : 0;
  const bool second = out->K || out->Z || out->phi_a;
  for (int i = 0; i < COUPLING_SIDES; ++i) {
    coupling_side side;
    find_side(&side, c, i, in, second);
    double V[6], J[6];
    tw_store(V, side.s.in.V);
    for (int k = 0; k < 6; ++k) J[k] = factor[i] * side.c.J[k];
    rate[i] = relative_dot(side.c.J, V);
    if (out->phi) out->phi[0] += factor[i] * side.c.value;
    if (out->phi_v) out->phi_v[0] += relative_dot(J, V);
    if (out->r) relative_add_wrench(out->r, &side.s, tw_scale(tw_load(J), lambda));
    if (out->B) relative_add_row(out->B, &side.s, J);
    if (second) add_second(out, &side, factor[i], lambda, n);
  }
}

torsor_status coupling_prepare(coupling *c, torsor_setup *setup, torsor_error *error) {
  if (c->on[0].place == c->on[1].place) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" couples nothing: both coordinates are the same",
                setup->name);
    torsor_hint(error, "for a gear pair give e.g. \"first\": \"wheel.angle\", \"second\": "
                       "\"pinion.angle\", \"ratio\": 2");
    return TORSOR_SCENE;
  }
  double length = 0;
  for (int i = 0; i < COUPLING_SIDES; ++i) {
    c->link[i] = (torsor_joint){.a = c->on[i].joint->a, .b = c->on[i].joint->b};
    torsor_status status = relative_check_points(&c->on[i], setup->name, error);
    if (!status) status = torsor_joint_prepare(&c->link[i], setup, 0, NULL, false, error);
    if (status) return status;
    length = fmax(length, setup->length);
  }
  setup->rows = 1;
  setup->length = length;
  return TORSOR_OK;
}

const torsor_output coupling_outputs[] = {
    {"effort", "N or N m", "generalised force of the coupling along the first coordinate", 1}, {0}};

void coupling_output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  *values = -in->lambda[0];
}
