/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/curve.h>

#include "elements/beam_flexibility.h"
#include "elements/chain_kit.h"
#include "elements/section.h"

typedef struct body_beam_data {
  v3 position, end, curvature;
  so3 orientation;
  double length, twist;
  torsor_curve curve;
  torsor_section_table section;
  torsor_section section_end;
  int elements, order;
  torsor_numbers stations;
  double damping, ratio, frequency;
  bool inextensible, shear_rigid;
  int inertia;
  v3 velocity;
  torsor_angular_velocity angular_velocity;
  torsor_group group;
} body_beam_data;

#define MEMBER(name) offsetof(body_beam_data, name)

enum { CONSISTENT, LUMPED };

static const char *const inertias[] = {[CONSISTENT] = "consistent", [LUMPED] = "lumped", NULL};

static const torsor_param params[] = {
    {"section", TORSOR_PARAM_SECTION_TABLE, MEMBER(section), NULL, NULL,
     "name of one of the scene's \"sections\", a section, or {\"table\": [[part of the length, "
     "section], ..]}",
     NULL, 0},
    {"section_end", TORSOR_PARAM_SECTION, MEMBER(section_end), NULL, TORSOR_OPTIONAL,
     "section at the end, where it differs: in between, sizes and material change linearly with "
     "the "
     "length, or the matrices where the shapes differ",
     NULL, 0},
    {"elements", TORSOR_PARAM_INTEGER, MEMBER(elements), NULL, NULL, "number of elements", NULL,
     TORSOR_POSITIVE},
    {"order", TORSOR_PARAM_INTEGER, MEMBER(order), NULL, "4",
     "order of the error of a mesh in the length of its elements: 4, or 2", NULL, TORSOR_POSITIVE},
    {"position", TORSOR_PARAM_VECTOR, MEMBER(position), "m", "[0, 0, 0]",
     "where it starts, inertial axes", NULL, 0},
    {"end", TORSOR_PARAM_VECTOR, MEMBER(end), "m", TORSOR_OPTIONAL,
     "where a straight one ends, inertial axes", NULL, 0},
    {"length", TORSOR_PARAM_NUMBER, MEMBER(length), "m", TORSOR_OPTIONAL,
     "length of the axis, in place of \"end\"", NULL, TORSOR_POSITIVE},
    {"orientation", TORSOR_PARAM_ORIENTATION, MEMBER(orientation), NULL, TORSOR_OPTIONAL,
     "rotation from the axes of the first section to inertial axes: x along the beam, y and z in "
     "the "
     "section; default: with \"end\" the smallest rotation that takes x there, with \"curve\" any "
     "y "
     "across it, else none",
     NULL, 0},
    {"curvature", TORSOR_PARAM_VECTOR, MEMBER(curvature), "1/m", "[0, 0, 0]",
     "twist per length and curvatures about y and z of the unstrained beam, section axes: [0, 0, "
     "k] is "
     "an arc of radius 1/k",
     NULL, 0},
    {"curve", TORSOR_PARAM_CURVE, MEMBER(curve), NULL, TORSOR_OPTIONAL,
     "curve of the unstrained axis, in place of the above", NULL, 0},
    {"twist", TORSOR_PARAM_NUMBER, MEMBER(twist), "rad", "0",
     "angle by which the sections of the unstrained beam turn about the axis, from start to end",
     NULL, 0},
    {"stations", TORSOR_PARAM_NUMBERS, MEMBER(stations), NULL, TORSOR_OPTIONAL,
     "fractions of the length at which there are nodes; the nearest ones of the regular mesh are "
     "moved",
     NULL, 0},
    {"damping_factor", TORSOR_PARAM_NUMBER, MEMBER(damping), "s", TORSOR_OPTIONAL,
     "Kelvin-Voigt damping: stress = stiffness (strain + factor strain rate)", NULL,
     TORSOR_NONNEGATIVE},
    {"damping_ratio", TORSOR_PARAM_NUMBER, MEMBER(ratio), NULL, TORSOR_OPTIONAL,
     "the same by the ratio of critical damping at \"damping_frequency\"", NULL,
     TORSOR_NONNEGATIVE},
    {"damping_frequency", TORSOR_PARAM_NUMBER, MEMBER(frequency), "Hz", TORSOR_OPTIONAL,
     "frequency of the ratio", NULL, TORSOR_POSITIVE},
    {"inextensible", TORSOR_PARAM_BOOLEAN, MEMBER(inextensible), NULL, "false",
     "the axis keeps its length, by constraints", NULL, 0},
    {"shear_rigid", TORSOR_PARAM_BOOLEAN, MEMBER(shear_rigid), NULL, "false",
     "sections stay across the axis, by constraints", NULL, 0},
    {"inertia", TORSOR_PARAM_CHOICE, MEMBER(inertia), NULL, "\"consistent\"",
     "along the elements, or lumped at their ends: then frequencies come from below, and the mass "
     "matrix is constant",
     inertias, 0},
    {"velocity", TORSOR_PARAM_VECTOR, MEMBER(velocity), "m/s", TORSOR_OPTIONAL,
     "initial velocity of the start, inertial axes; the beam moves like a rigid body; default: "
     "follows "
     "from the joints",
     NULL, 0},
    {"angular_velocity", TORSOR_PARAM_ANGULAR_VELOCITY, MEMBER(angular_velocity), "rad/s",
     TORSOR_OPTIONAL,
     "initial angular velocity, axes of the first section (or {\"in\": \"inertial\", \"value\": "
     "[..]}); "
     "default: 0 where a velocity is given",
     NULL, 0},
    {"group", TORSOR_PARAM_GROUP, MEMBER(group), NULL, TORSOR_OPTIONAL,
     "Lie group of the nodes; default: the scene's", NULL, 0},
    {0}};

/* ---- the axis ------------------------------------------------------------------------------- */

/* Frames of the unstrained sections: H(s) = start exp(s rate), or along a curve. */
typedef struct axis {
  se3 start;
  double length;
  twist rate;
  const torsor_curve *curve; /* NULL = none */
  double phase, twist;       /* of the sections about a curve */
} axis;

/* The smallest rotation that takes x to the unit vector t; half a turn is one about z. */
static so3 turn_to(v3 t) {
  const v3 x = {1, 0, 0}, across = v3_cross(x, t);
  const double sine = v3_norm(across);
  if (sine == 0) return so3_exp((v3){0, 0, t.x < 0 ? 3.14159265358979323846 : 0});
  return so3_exp(v3_scale(across, atan2(sine, t.x) / sine));
}

static m3 curve_frame(const torsor_curve_point *p, double angle) {
  const v3 t = v3_unit(p->d1), side = v3_unit(v3_axpy(-v3_dot(p->side, t), t, p->side));
  const m3 columns = m3_transpose(m3_rows(t, side, v3_cross(t, side)));
  return m3_mul(columns, so3_rodrigues((v3){angle, 0, 0}));
}

static se3 axis_frame(const axis *a, double fraction) {
  if (!a->curve) return se3_compose(a->start, se3_exp(tw_scale(a->rate, fraction * a->length)));
  const double u = chain_curve_parameter(a->curve, fraction * a->length);
  const int k = torsor_curve_segment(a->curve, u, false);
  const torsor_curve_point p = torsor_curve_in(a->curve, k, u);
  return (se3){so3_from_matrix(curve_frame(&p, a->phase + fraction * a->twist)), p.x};
}

/* The angle about the curve's start that takes its y as near to the given one as can be. */
static torsor_status find_phase(axis *a, const body_beam_data *beam, torsor_error *error) {
  if (beam->orientation.w != beam->orientation.w) return TORSOR_OK;
  const torsor_curve_point p = torsor_curve_at(a->curve, 0);
  const m3 own = curve_frame(&p, 0), given = so3_matrix(beam->orientation);
  const v3 y = m3_tmulv(own, m3_column(given, 1));
  if (hypot(y.y, y.z) < 0.1)
    return chain_fail(error, "orientation", "y and z are in the section",
                      "its y axis is along the curve");
  a->phase = atan2(y.z, y.y);
  return TORSOR_OK;
}

static torsor_status find_curve(axis *a, const body_beam_data *beam, torsor_error *error) {
  if (!torsor_absent_vector(beam->end) || !torsor_absent_number(beam->length) ||
      v3_norm(beam->curvature) > 0)
    return chain_fail(error, "curve", "leave \"end\", \"length\" and \"curvature\" out",
                      "the curve already defines the axis of the beam");
  a->curve = &beam->curve;
  a->length = torsor_curve_length(&beam->curve);
  a->twist = beam->twist;
  return find_phase(a, beam, error);
}

/* Frame of a straight beam from the position to "end"; a given orientation must agree with it. */
static torsor_status find_straight(axis *a, const body_beam_data *beam, torsor_error *error) {
  const v3 way = v3_sub(beam->end, beam->position);
  if (!torsor_absent_number(beam->length) || v3_norm(beam->curvature) > 0)
    return chain_fail(error, "end", "a curved beam has a \"length\"",
                      "goes with neither \"length\" nor \"curvature\"");
  a->length = v3_norm(way);
  if (!(a->length > 0)) return chain_fail(error, "end", "give another point", "is where it starts");
  const v3 t = v3_scale(way, 1 / a->length), x = {1, 0, 0};
  if (beam->orientation.w != beam->orientation.w) {
    a->start.R = turn_to(t);
    return TORSOR_OK;
  }
  const v3 off = v3_sub(so3_rotate(beam->orientation, x), t);
  if (v3_norm(off) <= 1e-6) return TORSOR_OK; /* as written with six digits */
  return chain_fail(error, "orientation", "leave it out, or give \"length\" in place of \"end\"",
                    "its x axis does not point to the end");
}

static torsor_status find_axis(axis *a, const body_beam_data *beam, torsor_error *error) {
  const bool turned = beam->orientation.w == beam->orientation.w;
  *a = (axis){.start = {turned ? beam->orientation : so3_identity(), beam->position},
              .length = beam->length};
  torsor_status status = TORSOR_OK;
  if (beam->curve.knot) return find_curve(a, beam, error);
  if (!torsor_absent_vector(beam->end))
    status = find_straight(a, beam, error);
  else if (torsor_absent_number(beam->length))
    status =
        chain_fail(error, "length", "give \"length\", \"end\" or \"curve\"", "the beam has no end");
  a->rate = (twist){{1, 0, 0}, beam->curvature};
  a->rate.ang.x += beam->twist / a->length;
  return status;
}

/* ---- the mesh ------------------------------------------------------------------------------- */

/* Nodes 0 to n: fractions of the length, indices in the model. */
typedef struct mesh {
  double *fraction;
  int *node;
} mesh;

static torsor_status add_node(int *node, const torsor_expansion *to, const body_beam_data *beam,
                              int i, se3 start, se3 frame, torsor_error *error) {
  const bool moves = !torsor_absent_vector(beam->velocity);
  const bool turns = !torsor_absent_vector(beam->angular_velocity.value);
  const v3 given = turns ? beam->angular_velocity.value : v3_zero();
  const v3 spin = beam->angular_velocity.in_inertial ? given : so3_rotate(start.R, given);
  const v3 lever = v3_cross(spin, v3_sub(frame.x, start.x));
  const v3 velocity = v3_add(moves ? beam->velocity : v3_zero(), lever);
  const beam_node_data own = {
      {.group = beam->group,
       .frame = frame,
       .V = {so3_rotate_inverse(frame.R, velocity), so3_rotate_inverse(frame.R, spin)},
       .velocity_given = moves || turns,
       .angular_velocity_given = moves || turns}};
  char suffix[24];
  snprintf(suffix, sizeof suffix, "[%d]", i);
  return to->add(to->self, &beam_node, suffix, &own, node, error);
}

static torsor_status add_nodes(mesh *m, const torsor_expansion *to, const body_beam_data *beam,
                               const axis *a, torsor_error *error) {
  const se3 start = axis_frame(a, 0);
  torsor_status status = TORSOR_OK;
  for (int i = 0; i <= beam->elements && !status; ++i)
    status = add_node(&m->node[i], to, beam, i, start, axis_frame(a, m->fraction[i]), error);
  return status ? status : to->chain(to->self, m->fraction, beam->elements + 1, a->length, error);
}

/* ---- the elements --------------------------------------------------------------------------- */

/* The two sections around a position, and the fraction of the way between them. */
typedef struct bracket {
  const torsor_section *from, *to;
  double part;
} bracket;

static bracket find_bracket(const body_beam_data *beam, double fraction) {
  const torsor_section_table *table = &beam->section;
  int k = 0;
  if (!torsor_absent_number(beam->section_end.stiffness.m[0][0]))
    return (bracket){&table->section[0], &beam->section_end, fraction};
  while (k < table->count && table->at[k] <= fraction) ++k; /* the first row behind */
  const torsor_section *before = &table->section[k ? k - 1 : 0];
  if (k == 0 || k == table->count) return (bracket){before, before, 0};
  const double from = table->at[k - 1];
  return (bracket){before, &table->section[k], (fraction - from) / (table->at[k] - from)};
}

static torsor_section section_at(const body_beam_data *beam, double fraction) {
  const bracket b = find_bracket(beam, fraction);
  return b.from == b.to ? *b.from : section_between(b.from, b.to, b.part);
}

static torsor_marker marker_at(const axis *a, const mesh *m, int i) {
  const se3 frame = axis_frame(a, m->fraction[i]);
  const m3 R = so3_matrix(frame.R);
  return (torsor_marker){.node = m->node[i], .R = m3_identity(), .R0 = R, .x0 = frame.x};
}

enum { EXTENSION, SHEAR_Y, SHEAR_Z };

/* Lists the strains that the sections resist without limit; returns their number. */
static int rigid_strains(int row[6], const body_beam_data *beam) {
  int rows = 0;
  if (beam->inextensible) row[rows++] = EXTENSION;
  if (beam->shear_rigid) {
    row[rows++] = SHEAR_Y;
    row[rows++] = SHEAR_Z;
  }
  return rows;
}

/* Lists those among them that constraints keep at zero change: at order 4 the shears of an element
 * are those of its bending. */
static int held_strains(int row[6], const body_beam_data *beam) {
  const int rows = rigid_strains(row, beam);
  return beam->order == 4 ? beam->inextensible : rows;
}

/* Sets their rows and columns in the stiffness to zero. */
static void release_stiffness(m6 *K, const body_beam_data *beam) {
  int row[6];
  const int rows = rigid_strains(row, beam);
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < 6; ++k) K->m[row[i]][k] = K->m[k][row[i]] = 0;
}

/* With x' inertial and Omega in the section's axes the lever arm of a centre of mass turns between
 * them. */
static const char *find_obstacle(const beam_section *s, const body_beam_data *beam) {
  if (!s->lumped)
    return "has a mass matrix that changes with its shape: with \"inertia\": \"lumped\" it is "
           "constant";
  if (s->lag > 0) return "has damping";
  const double off =
      v3_norm(m3_vee(m6_block(s->M[0], 1, 0))) + v3_norm(m3_vee(m6_block(s->M[1], 1, 0)));
  if (beam->group != TORSOR_GROUP_R3SO3 || !(off > 0)) return NULL;
  return "has no constant mass matrix on \"R3xSO3\", as its centre of mass is not on its axis: use "
         "the group \"SE3\"";
}

static bool is_diagonal(const m6 *A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (i != j && A->m[i][j] != 0) return false;
  return true;
}

/* Computes the section data of the element from `from` to `from + part` of the length; returns
 * `kept`, that of the previous element, when both are equal. */
static torsor_status find_section(const beam_section **kept, const torsor_expansion *to,
                                  const body_beam_data *beam, double from, double part, double lag,
                                  torsor_error *error) {
  beam_section s;
  memset(&s, 0, sizeof s); /* padding is compared */
  for (int g = 0; g < BEAM_POINTS; ++g) {
    const torsor_section section = section_at(beam, from + beam_point[g] * part);
    s.K = m6_axpy(BEAM_WEIGHT, section.stiffness, s.K);
    s.M[g] = section.inertia;
  }
  release_stiffness(&s.K, beam);
  for (int end = 0; end < 2; ++end) {
    const torsor_section section = section_at(beam, from + end * part);
    section_outline(&s.outline[end], &section);
  }
  const bracket middle = find_bracket(beam, from + part / 2);
  section_recover(&s.recovery, middle.from, middle.to, middle.part);
  s.gravity = to->gravity;
  s.lag = lag;
  s.diagonal = is_diagonal(&s.K) && is_diagonal(&s.M[0]) && is_diagonal(&s.M[1]);
  s.lumped = beam->inertia == LUMPED;
  s.obstacle = find_obstacle(&s, beam);
  if (*kept && !memcmp(*kept, &s, sizeof s)) return TORSOR_OK;
  *kept = to->keep(to->self, &s, sizeof s);
  return *kept ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* The flexibility of an element of order 4; `kept` as above. */
static torsor_status find_flexibility(const beam_flexibility **kept, const torsor_expansion *to,
                                      const body_beam_data *beam, const beam_element_data *element,
                                      double from, double part, double places,
                                      torsor_error *error) {
  beam_flexibility f;
  m6 K[BEAM_POINTS];
  memset(&f, 0, sizeof f);
  for (int g = 0; g < BEAM_POINTS; ++g) {
    K[g] = section_at(beam, from + beam_point[g] * part).stiffness;
    release_stiffness(&K[g], beam);
  }
  beam_flexibility_find(&f, K, beam->inextensible, element->section->lag > 0, element->reference,
                        element->length, places);
  if (*kept && !memcmp(*kept, &f, sizeof f)) return TORSOR_OK;
  *kept = to->keep(to->self, &f, sizeof f);
  return *kept ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Data of the previous element, which this element shares where they are equal. */
typedef struct kept_data {
  const beam_section *section;
  const beam_flexibility *flexibility;
} kept_data;

static torsor_status add_element(kept_data *kept, const torsor_expansion *to,
                                 const body_beam_data *beam, const axis *a, const mesh *m, int i,
                                 torsor_error *error) {
  beam_element_data element = {
      .node = {m->node[i], m->node[i + 1]},
      .length = (m->fraction[i + 1] - m->fraction[i]) * a->length,
      .reference = se3_minus(axis_frame(a, m->fraction[i + 1]), axis_frame(a, m->fraction[i])),
      .section = kept->section};
  if (!(v3_norm(element.reference.ang) < BEAM_LARGEST_ROTATION))
    return chain_fail(error, "elements", "take more",
                      "the beam turns by half a turn within an element");
  if (beam->order == 4) {
    const double part = m->fraction[i + 1] - m->fraction[i];
    const double places = v3_norm(a->start.x) + a->length;
    const torsor_status status = find_flexibility(&kept->flexibility, to, beam, &element,
                                                  m->fraction[i], part, places, error);
    if (status) return status;
    element.flexibility = kept->flexibility;
  }
  char suffix[32];
  snprintf(suffix, sizeof suffix, ".element[%d]", i);
  int row[6];
  if (held_strains(row, beam) == 0)
    return to->add(to->self, &beam_element, suffix, &element, NULL, error);
  beam_held_data held = {.beam = element,
                         .joint = {.a = marker_at(a, m, i), .b = marker_at(a, m, i + 1)}};
  held.rows = held_strains(held.row, beam);
  return to->add(to->self, &beam_held, suffix, &held, NULL, error);
}

/* tau of the damping: zeta = tau omega/2. */
static torsor_status find_lag(double *lag, const body_beam_data *beam, torsor_error *error) {
  const bool factor = !torsor_absent_number(beam->damping);
  const bool ratio = !torsor_absent_number(beam->ratio);
  const bool frequency = !torsor_absent_number(beam->frequency);
  *lag = factor ? beam->damping : 0;
  if (ratio != frequency)
    return chain_fail(error, ratio ? "damping_ratio" : "damping_frequency",
                      "stiffness-proportional damping grows with the frequency",
                      "\"damping_ratio\" and \"damping_frequency\" belong together");
  if (factor && ratio)
    return chain_fail(error, "damping_factor", "give one of them",
                      "the beam has two values for its damping");
  if (ratio) *lag = beam->ratio / (3.14159265358979323846 * beam->frequency);
  return TORSOR_OK;
}

static torsor_status add_parts(mesh *m, const torsor_expansion *to, const body_beam_data *beam,
                               const axis *a, double lag, torsor_error *error) {
  torsor_status status = chain_fractions(m->fraction, beam->elements, &beam->stations, error);
  if (!status) status = add_nodes(m, to, beam, a, error);
  kept_data kept = {0};
  for (int i = 0; i < beam->elements && !status; ++i) {
    const double from = m->fraction[i];
    status = find_section(&kept.section, to, beam, from, m->fraction[i + 1] - from, lag, error);
    if (!status) status = add_element(&kept, to, beam, a, m, i, error);
  }
  return status;
}

static torsor_status expand(const void *self, const torsor_expansion *to, torsor_error *error) {
  const body_beam_data *beam = self;
  const size_t nodes = (size_t)beam->elements + 1;
  axis a;
  double lag = 0;
  if (beam->group == TORSOR_GROUP_SO3)
    return chain_fail(error, "group", "\"R3xSO3\" or \"SE3\"", "the nodes of a beam move");
  if (beam->order != 2 && beam->order != 4)
    return chain_fail(error, "order", "2: constant strains; 4: moments that vary along it",
                      "an element of a beam has the order 2 or 4");
  if (beam->section.count > 1 && !torsor_absent_number(beam->section_end.stiffness.m[0][0]))
    return chain_fail(error, "section_end", "make it the last row",
                      "the section is a table already");
  torsor_status status = find_axis(&a, beam, error);
  if (!status) status = find_lag(&lag, beam, error);
  if (status) return status;
  mesh m = {calloc(nodes, sizeof *m.fraction), calloc(nodes, sizeof *m.node)};
  status = m.fraction && m.node ? add_parts(&m, to, beam, &a, lag, error)
                                : torsor_fail(error, TORSOR_MEMORY, "out of memory");
  free(m.fraction);
  free(m.node);
  return status;
}

static const torsor_element_type *const parts[] = {&beam_node, &beam_element, &beam_held, NULL};

const torsor_element_type body_beam = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "beam",
    .title = "flexible beam: geometrically exact elements",
    .doc =
        "Nodes \"name[0]\" to \"name[n]\" with the axes of their sections, x along the beam, and "
        "n\n"
        "elements between them.  With d = log(H_a^-1 H_b) of the frames at both ends of an "
        "element\n"
        "of length L, (d - d_0)/L = (extension and shear; twist and curvatures) is the mean "
        "strain,\n"
        "stress = stiffness (strain + damping_factor strain'), and moments vary along the element "
        "as the\n"
        "balance of its sections asks for; with \"order\": 2 strains are the same all along it.  "
        "States\n"
        "of constant strain are exact.  The inertia follows the same interpolation, or is that of "
        "half an\n"
        "element as a rigid slice at each end (\"inertia\": \"lumped\").\n"
        "Joints and forces hold \"name.start\", \"name.end\", \"name[i]\" or, by length, "
        "\"name@0.25\".\n"
        "\"inextensible\" and \"shear_rigid\" hold strains by constraints, whose multipliers are "
        "then the\n"
        "forces of the section.  Fails where an element turns by more than 2.8 rad.\n"
        "Source: Sonneville, Cardona and Bruels 2014, Comput. Methods Appl. Mech. Eng. 268, 451.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"sections\": {\"blade\": {\"shape\":"
        " \"rectangle\", \"width\": 0.5, \"height\": 0.2, \"E\": 200, \"nu\": 0.3, "
        "\"density\": 4}},"
        " \"bodies\": [{\"name\": \"wing\", \"type\": \"beam\", \"section\": \"blade\","
        " \"length\": 2, \"elements\": 4, \"curvature\": [0, 0.1, 0.2], \"twist\": 0.3,"
        " \"damping_factor\": 0.01}, {\"name\": \"bow\", \"type\": \"beam\", \"section\":"
        " \"blade\", \"end\": [0, 1, 0], \"elements\": 2, \"inextensible\": true,"
        " \"shear_rigid\": true}, {\"name\": \"mast\", \"type\": \"beam\", \"section\":"
        " \"blade\", \"end\": [1, 1, 1], \"elements\": 1, \"order\": 2, \"inertia\": \"lumped\"}],"
        " \"joints\": [{\"name\": \"root\", \"type\": \"weld\", \"a\": \"ground\", \"b\":"
        " \"wing.start\"}]}",
    .size = sizeof(body_beam_data),
    .params = params,
    .composite.expand = expand,
    .composite.parts = parts,
};
