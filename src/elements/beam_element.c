/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/beam_flexibility.h"
#include "elements/beam_tangent.h"

#include <math.h>

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const beam_element_data *e = self;
  setup->nodes = 2;
  setup->node[0] = e->node[0];
  setup->node[1] = e->node[1];
  setup->length = e->length;
  setup->dissipative = e->section->lag > 0;
  return TORSOR_OK;
}

/* Passes one element in both SIMD lanes. */
typedef struct motion {
  beam_pair both;
  relatives s;
} motion;

static torsor_status find_motion(motion *m, const beam_element_data *e,
                                 const torsor_element_in *in) {
  beam_load_pair(&m->both, (const beam_element_data *const[]){e, e},
                 (const torsor_element_in *const[]){in, in});
  return beam_find_relatives(&m->s, &m->both);
}

/* The stress that acts in r; the state `x` is that of elements of order 4. */
static twists find_stress(beam_flexed *x, const beam_pair *both, const relatives *s) {
  if (!both->e[0]->flexibility) return beam_forces(both, s);
  beam_flex(x, both, s);
  beam_flex_change(x);
  return tws_add(beam_generalised(x), beam_damping(both, s));
}

static beam_response find_response(const beam_element_data *e, twists stress,
                                   const beam_flexed *x) {
  const double lag = e->section->lag;
  beam_response out = {.stress = tws_lane(stress, 0), .damped = lag > 0};
  if (e->flexibility) {
    out.elastic = beam_flexed_tangent(x, e);
    if (out.damped) out.viscous = m6_scale(e->flexibility->damping, lag / e->length);
    return out;
  }
  out.elastic = m6_scale(e->section->K, 1 / e->length);
  if (out.damped) out.viscous = m6_scale(out.elastic, lag);
  out.diagonal = e->section->diagonal;
  return out;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const beam_element_data *e = self;
  motion m;
  section_pairs p;
  const bool needs_sections = beam_needs_sections(e, in);
  const torsor_status status = find_motion(&m, e, in);
  if (status) return status;
  if (needs_sections) beam_find_sections(&p, &m.both, &m.s);
  beam_flexed x;
  const twists stress = find_stress(&x, &m.both, &m.s);
  if (out->r)
    beam_add_residuals((double *const[]){out->r, out->r}, &m.both, &m.s, stress,
                       needs_sections ? &p : NULL);
  if (!out->M && !out->C && !out->K) return TORSOR_OK;
  const beam_relative s = beam_relative_lane(&m.s, 0);
  beam_section_motion at[BEAM_POINTS] = {0};
  for (int g = 0; g < BEAM_POINTS && needs_sections; ++g) at[g] = beam_section_lane(&p.at[g], 0);
  const beam_response response = find_response(e, stress, &x);
  beam_add_tangents(out, e, &s, &response, at, in);
  return TORSOR_OK;
}

static torsor_status eval_pair(const void *const self[2], const torsor_element_in *const in[2],
                               torsor_element_out *const out[2]) {
  beam_pair both;
  relatives s;
  section_pairs p;
  beam_load_pair(&both, (const beam_element_data *const[]){self[0], self[1]}, in);
  if (!beam_alike(&both)) {
    const torsor_status status = eval(self[0], in[0], out[0]);
    return status ? status : eval(self[1], in[1], out[1]);
  }
  const torsor_status status = beam_find_relatives(&s, &both);
  if (status || !out[0]->r) return status;
  const bool needs_sections =
      beam_needs_sections(self[0], in[0]) || beam_needs_sections(self[1], in[1]);
  if (needs_sections) beam_find_sections(&p, &both, &s);
  beam_flexed x;
  const twists stress = find_stress(&x, &both, &s);
  beam_add_residuals((double *const[]){out[0]->r, out[1]->r}, &both, &s, stress,
                     needs_sections ? &p : NULL);
  return TORSOR_OK;
}

/* Energies and momenta of one section: weight w times its mass m, first moment and momentum. */
static void balance_section(torsor_balance *sum, const beam_element_data *e, twist d,
                            const beam_section_motion *at, const torsor_element_in *in, int point) {
  const torsor_motion *a = in->node[0];
  const double w = BEAM_WEIGHT * e->length, mass = e->section->M[point].m[0][0];
  const twist along = tw_scale(d, beam_section_place(e, point)), P = tw_scale(at->P, w);
  const m3 R = m3_mul(a->R, so3_rodrigues(along.ang));
  const lie_map exp_x = lie_map_transpose(lie_map_tan(v3_norm2(along.ang)));
  const v3 x = v3_add(a->x, m3_mulv(a->R, so3_map_apply(along.ang, exp_x, along.lin)));
  const v3 moment = m3_vee(m6_block(e->section->M[point], 1, 0)), momentum = m3_mulv(R, P.lin);
  sum->kinetic += tw_dot(at->V, P) / 2;
  sum->potential -=
      w * in->load * v3_dot(e->section->gravity, v3_axpy(mass, x, m3_mulv(R, moment)));
  sum->momentum = v3_add(sum->momentum, momentum);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(m3_mulv(R, P.ang), v3_cross(x, momentum)));
}

void beam_balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const beam_element_data *e = self;
  motion m;
  if (find_motion(&m, e, in)) return;
  beam_flexed x;
  if (e->flexibility) beam_flex(&x, &m.both, &m.s);
  const twist strain = tws_lane(beam_strains(&m.both, &m.s), 0), d = tws_lane(m.s.d, 0);
  const twist stress = e->flexibility ? tws_lane(x.sigma, 0) : m6_mulv(e->section->K, strain);
  sum->elastic += e->length / 2 * tw_dot(strain, stress);
  section_pairs p;
  beam_find_sections(&p, &m.both, &m.s);
  for (int g = 0; g < BEAM_POINTS; ++g) {
    const beam_section_motion at = beam_section_lane(&p.at[g], 0);
    balance_section(sum, e, d, &at, in, g);
  }
}

/* K ((d - d_0)/L + d'/L), or what stands for K at order 4, where d' is that of the displacement V.
 */
void beam_foresee(const void *self, const torsor_element_in *in, double *values) {
  const beam_element_data *e = self;
  motion m;
  if (find_motion(&m, e, in)) return;
  if (e->flexibility) {
    beam_flexed x;
    beam_flex(&x, &m.both, &m.s);
    beam_flex_change(&x);
    tw_store(values, tws_lane(beam_flexed_foresee(&x, &m.both, &m.s), 0));
    return;
  }
  const twist strain = tws_lane(beam_strains(&m.both, &m.s), 0), rate = tws_lane(m.s.rate, 0);
  tw_store(values, m6_mulv(e->section->K, tw_axpy(1 / e->length, rate, strain)));
}

const char *beam_obstacle(const void *self) {
  return ((const beam_element_data *)self)->section->obstacle;
}

double beam_loss(const void *self, const torsor_element_in *in) {
  const beam_element_data *e = self;
  motion m;
  if (find_motion(&m, e, in)) return 0;
  const twist rate = tws_lane(m.s.rate, 0);
  const m6 K = e->flexibility ? e->flexibility->damping : e->section->K;
  return e->section->lag / e->length * tw_dot(rate, m6_mulv(K, rate));
}

const torsor_output beam_outputs[] = {
    {"section_force", "N", "normal and shear forces of the element, section axes", 3},
    {"section_moment", "N m", "torque and bending moments, section axes", 3},
    {"strain", "", "extension and shear, section axes", 3},
    {"curvature", "1/m", "twist and curvatures, beyond those of the unstrained beam, section axes",
     3},
    {"start_force", "N", "normal and shear forces at the start of the element, axes of that node",
     3},
    {"start_moment", "N m", "torque and bending moments there", 3},
    {"end_force", "N", "normal and shear forces at the end of the element, axes of that node", 3},
    {"end_moment", "N m", "torque and bending moments there", 3},
    {0}};

void beam_store_ends(double *values, const double r[12]) {
  for (int i = 0; i < 6; ++i) values[12 + i] = -r[i];
  for (int i = 6; i < 12; ++i) values[12 + i] = r[i];
}

void beam_middle_output(const beam_element_data *e, const torsor_element_in *in, double *values) {
  motion m;
  beam_flexed x;
  if (find_motion(&m, e, in)) return;
  twists force, strain;
  if (e->flexibility) {
    beam_flex(&x, &m.both, &m.s);
    force = tws_add(x.sigma, beam_damping(&m.both, &m.s));
    strain = beam_flexed_strains(&x);
  } else {
    force = beam_own_forces(&m.both, &m.s);
    strain = beam_strains(&m.both, &m.s);
  }
  tw_store(values, tws_lane(force, 0));
  tw_store(values + 6, tws_lane(strain, 0));
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  double r[12] = {0};
  torsor_element_out out = {.r = r};
  beam_middle_output(self, in, values);
  if (!eval(self, in, &out)) beam_store_ends(values, r);
}

void beam_draw(const void *self, const torsor_drawing *to) {
  to->piece(to->self, ((const beam_element_data *)self)->section->outline, true);
}

const char *const beam_stresses[] = {"axial", "shear_y", "shear_z", "mises", NULL};

const char *beam_point_name(const void *self, int point) {
  const beam_element_data *e = self;
  return section_point_name(&e->section->recovery, point);
}

void beam_point_stress(const void *self, int point, const double force[6], double *values) {
  const beam_element_data *e = self;
  section_stress(values, &e->section->recovery, point, force);
  const double axial = values[0], y = values[1], z = values[2];
  values[3] = sqrt(axial * axial + 3 * (y * y + z * z));
}

static void point_stress(const void *self, const torsor_element_in *in, int point, double *values) {
  double force[12] = {0};
  beam_middle_output(self, in, force);
  beam_point_stress(self, point, force, values);
}

static const torsor_place_outputs stresses = BEAM_STRESSES(point_stress);

const torsor_element_type beam_element = {
    BEAM_PART,
    .name = "beam_element",
    .title = "geometrically exact beam element between two frames",
    .doc = "See beam.",
    .limits.range = "rotations of at most 2.8 rad (160 degrees) between its two nodes",
    .limits.advice = "give the beam more elements, or join two beams where the rotation is larger",
    .size = sizeof(beam_element_data),
    .tangents.cost = 30,
    .prepare = prepare,
    .eval = eval,
    .chain.eval_pair = eval_pair,
    .outputs.eval = output,
    .outputs.places = &stresses,
};
