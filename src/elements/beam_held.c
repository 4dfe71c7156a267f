/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The element of a beam some of whose strains are constrained: with d = log H of the second frame
 * in the first the rows are components of d - d_0, with D d[e] = T^-1(d) e along the relative
 * twist, which the joint kit makes constraints of.  They enter the balance like a stress, so that
 * the multipliers are the forces of the section. */

#include "elements/beam.h"

/* Returns the beam element that contains the joint `joint`. */
static const beam_held_data *of_joint(const void *joint) {
  return (const void *)((const char *)joint - offsetof(beam_held_data, joint));
}

static torsor_status hold(const void *self, const torsor_relative_in *in,
                          torsor_relative_out *out) {
  const beam_held_data *e = of_joint(self);
  const v3 w = so3_log_matrix(in->R);
  const double x = v3_norm2(w);
  if (!(x <= BEAM_LARGEST_ROTATION * BEAM_LARGEST_ROTATION)) return TORSOR_DOMAIN;
  const lie_map map = lie_map_taninv(x);
  const twist d = {so3_map_apply(w, lie_map_transpose(map), in->p), w};
  const m6 J = se3_map(d, map);
  double off[6], lambda[6] = {0};
  tw_store(off, tw_sub(d, e->beam.reference));
  for (int i = 0; i < e->joint.rows; ++i) {
    out->phi[i] = off[e->row[i]];
    for (int k = 0; k < 6; ++k) out->J[i][k] = J.m[e->row[i]][k];
  }
  if (!out->second) return TORSOR_OK;
  for (int i = 0; i < e->joint.rows; ++i) lambda[e->row[i]] = in->lambda[i];
  const m6 KL = m6_mul(se3_map_gradientT(d, tw_load(lambda), map), J);
  const m6 Z = m6_mul(se3_map_gradient(d, in->V, map), J);
  for (int k = 0; k < 6; ++k) {
    for (int i = 0; i < 6; ++i) out->KL[i][k] = KL.m[i][k];
    for (int i = 0; i < e->joint.rows; ++i) out->Z[i][k] = Z.m[e->row[i]][k];
  }
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  beam_held_data *e = self;
  torsor_setup of_joint = *setup;
  torsor_status status = beam_element.prepare(&e->beam, setup, error);
  if (!status) status = torsor_joint_prepare(&e->joint, &of_joint, e->rows, hold, false, error);
  setup->rows = e->rows;
  return status;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const beam_held_data *e = self;
  const torsor_status status = beam_element.eval(&e->beam, in, out);
  return status ? status : torsor_joint_eval(&e->joint, in, out);
}

static torsor_status eval_pair(const void *const self[2], const torsor_element_in *const in[2],
                               torsor_element_out *const out[2]) {
  const beam_held_data *first = self[0], *second = self[1];
  torsor_status status =
      beam_element.chain.eval_pair((const void *const[]){&first->beam, &second->beam}, in, out);
  if (!status) status = torsor_joint_eval(&first->joint, in[0], out[0]);
  return status ? status : torsor_joint_eval(&second->joint, in[1], out[1]);
}

static void middle_output(const beam_held_data *e, const torsor_element_in *in, double *values) {
  beam_middle_output(&e->beam, in, values);
  for (int i = 0; in->lambda && i < e->rows; ++i) values[e->row[i]] += in->lambda[i];
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  const beam_held_data *e = self;
  double r[12] = {0};
  torsor_element_out out = {.r = r};
  middle_output(e, in, values);
  const torsor_status status =
      in->lambda ? eval(self, in, &out) : beam_element.eval(&e->beam, in, &out);
  if (!status) beam_store_ends(values, r);
}

static void point_stress(const void *self, const torsor_element_in *in, int point, double *values) {
  double force[12] = {0};
  middle_output(self, in, force);
  beam_point_stress(self, point, force, values);
}

static const torsor_place_outputs stresses = BEAM_STRESSES(point_stress);

const torsor_element_type beam_held = {
    BEAM_PART,
    .name = "beam_held_element",
    .title = "geometrically exact beam element with constrained strains",
    .doc = "See beam.",
    .limits.range = "rotations of at most 2.8 rad (160 degrees) between its two nodes",
    .limits.advice = "give the beam more elements, or join two beams where the rotation is larger",
    .size = sizeof(beam_held_data),
    .prepare = prepare,
    .eval = eval,
    .chain.eval_pair = eval_pair,
    .outputs.eval = output,
    .outputs.places = &stresses,
};
