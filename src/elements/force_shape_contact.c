/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/faces.h"
#include "elements/relative_kit.h"
#include "elements/touching.h"

#include <stdio.h>

typedef struct force_shape_contact_data {
  torsor_pair pair; /* markers in the shapes' frames; a has the flatter one */
  contact_law law;
  bool plane;
  int shape_a, shape_b;  /* -1: the only one */
  double rounding;       /* NaN: a part of the smallest extent */
  double face_stiffness; /* N/m^3; NaN: not given */
  /* made by prepare: */
  touch_shape a, b;
  bool swapped; /* the scene's a is the pair's b */
  bool faced;   /* both have faces */
  int points;
} force_shape_contact_data;

#define MEMBER(name) offsetof(force_shape_contact_data, name)

static const torsor_param params[] = {
    {"a", TORSOR_PARAM_MARKER, MEMBER(pair.joint.a), NULL, NULL,
     "body whose `shape` touches, or the marker of a plane", NULL, TORSOR_NEEDS_ORIENTATION},
    {"b", TORSOR_PARAM_MARKER, MEMBER(pair.joint.b), NULL, NULL,
     "body whose `shape` touches; force and moment are what acts here", NULL,
     TORSOR_NEEDS_ORIENTATION},
    {"plane", TORSOR_PARAM_BOOLEAN, MEMBER(plane), NULL, "false",
     "a is the endless plane across z of its marker, solid below, in place of a shape", NULL, 0},
    {"shape_a", TORSOR_PARAM_INTEGER, MEMBER(shape_a), NULL, "-1",
     "which shape of a that has several, from 0", NULL, 0},
    {"shape_b", TORSOR_PARAM_INTEGER, MEMBER(shape_b), NULL, "-1",
     "which shape of b that has several, from 0", NULL, 0},
    {"rounding", TORSOR_PARAM_NUMBER, MEMBER(rounding), "m", TORSOR_OPTIONAL,
     "radius of the edges of boxes and cylinders; default: 1 % of the smallest extent", NULL,
     TORSOR_NONNEGATIVE},
    PENALTY_PARAM(force_shape_contact_data, law.wall.stiffness, "stiffness", "N/m^n",
                  TORSOR_OPTIONAL, "k in k d^n, n = `exponent`; of all pairs but two boxes",
                  TORSOR_POSITIVE),
    PENALTY_PARAM(force_shape_contact_data, law.wall.exponent, "exponent", NULL, TORSOR_OPTIONAL,
                  "n in k d^n, at least 1; 1 has a kink where the contact begins; default: 1.5",
                  TORSOR_POSITIVE),
    PENALTY_PARAM(force_shape_contact_data, face_stiffness, "face_stiffness", "N/m^3",
                  TORSOR_OPTIONAL,
                  "pressure of a face over its depth, in place of `stiffness` where both shapes "
                  "are boxes",
                  TORSOR_POSITIVE),
    PENALTY_PARAM(force_shape_contact_data, law.wall.dissipation, "dissipation", "s/m", "0",
                  "b in 1 + b d'", TORSOR_NONNEGATIVE),
    {"friction", TORSOR_PARAM_NUMBER, MEMBER(law.friction), NULL, "0",
     "coefficient of friction where it slips; needs `tangential_stiffness`", NULL,
     TORSOR_NONNEGATIVE},
    CONTACT_LAW_PARAMS(force_shape_contact_data, law),
    {0}};

/* ---- the law ------------------------------------------------------------------------------- */

static const twist still = {{0, 0, 0}, {0, 0, 0}};

static touching_pair pair_of(const force_shape_contact_data *data) {
  return (touching_pair){&data->law, data->face_stiffness, &data->a, &data->b, data->faced};
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_shape_contact_data *data = self;
  const touching_pair pair = pair_of(data);
  touching t;
  const torsor_status status = touching_find(&t, &pair, in);
  for (int i = 0; i < t.count; ++i)
    if (t.force[i].push > 0) out->w = tw_add(out->w, contact_wrench(&t.pair, &t.force[i]));
  for (int k = 0; out->tangent && !status && k < 12; ++k)
    touching_add_change(out, &t, &pair, in, k);
  return status;
}

static void find_all(touching *t, torsor_relative_in *relative,
                     const force_shape_contact_data *data, const torsor_element_in *in) {
  torsor_joint_relative(&data->pair.joint, in, relative);
  const touching_pair pair = pair_of(data);
  touching_find(t, &pair, relative);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  touching t;
  torsor_relative_in relative;
  find_all(&t, &relative, self, in);
  for (int i = 0; i < t.count; ++i) sum->elastic += t.force[i].energy + t.force[i].kept;
}

static double loss(const void *self, const torsor_element_in *in) {
  const force_shape_contact_data *data = self;
  touching t;
  torsor_relative_in relative;
  find_all(&t, &relative, data, in);
  const touching_pair pair = pair_of(data);
  return touching_loss(&t, &pair);
}

static double lost(const void *self, const torsor_element_in *in) {
  touching t;
  torsor_relative_in relative;
  find_all(&t, &relative, self, in);
  return contact_put_in(&t.pair, t.force, t.count) - contact_kept(t.force, t.count);
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  const force_shape_contact_data *data = self;
  const touching_pair pair = pair_of(data);
  touching t;
  torsor_relative_in relative;
  find_all(&t, &relative, data, in);
  touching_keep(state, contact_states(data->points), &t, &pair);
}

static const char *obstacle(const void *self) {
  const force_shape_contact_data *data = self;
  if (contact_law_sticks(&data->law)) return "has friction";
  return data->law.blow > 0 ? "has a restitution" : penalty_obstacle(&data->law.wall);
}

/* ---- signals ------------------------------------------------------------------------------- */

static const torsor_output outputs[] = {
    {"force", "N", "force on b, inertial axes", 3},
    {"moment", "N m", "moment on b about the middle of its shape, inertial axes", 3},
    {"gap", "m", "least distance; negative: depth", 1},
    {"normal", "", "from a to b where the gap is least, inertial axes", 3},
    {"point", "m", "centre of the push, or the place of the least gap, inertial axes", 3},
    {"normal_force", "N", "sum of the pushes", 1},
    {"friction", "N", "friction on b, inertial axes", 3},
    {"slip", "m/s", "velocity of b along the surfaces where the gap is least, inertial axes", 3},
    {"status", "", "0 open, 1 sticks, 2 slips, where the gap is least", 1},
    {0}};

static const char *const counts[] = {"status", NULL};

/* The resultants of all points, in the axes of the pair's a. */
typedef struct sums {
  v3 force, moment, friction, place; /* moment about the pair's a */
  double push;
  int least;
} sums;

static sums sum_up(const touching *t) {
  sums s = {0};
  for (int i = 0; i < t->count; ++i) {
    const contact_force *f = &t->force[i];
    if (t->at[i].gap < t->at[s.least].gap) s.least = i;
    s.force = v3_add(s.force, f->force);
    s.moment = v3_add(s.moment, v3_add(v3_cross(f->c, f->force), f->couple));
    s.friction = v3_add(s.friction, f->friction);
    s.place = v3_axpy(f->push, f->c, s.place);
    s.push += f->push;
  }
  s.place = s.push > 0 ? v3_scale(s.place, 1 / s.push) : t->force[s.least].c;
  return s;
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  const force_shape_contact_data *data = self;
  const torsor_joint *joint = &data->pair.joint;
  touching t;
  torsor_relative_in relative;
  find_all(&t, &relative, data, in);
  for (int i = 0; i < 21; ++i) values[i] = 0;
  if (!t.count) return;
  const sums s = sum_up(&t);
  const m3 Rb = relative_axes_b(joint, in), Ra = m3_mul(Rb, m3_transpose(relative.R));
  const torsor_motion *node = joint->side_b < 0 ? NULL : in->node[joint->side_b];
  const v3 origin_b = node ? v3_add(node->x, m3_mulv(node->R, joint->b.x)) : joint->b.x0;
  const v3 origin_a = v3_sub(origin_b, m3_mulv(Ra, relative.p));
  const double sign = data->swapped ? -1 : 1;
  const v3 about = data->swapped ? v3_zero() : v3_cross(relative.p, s.force);
  v3_store(values, m3_mulv(Ra, v3_scale(s.force, sign)));
  v3_store(values + 3, m3_mulv(Ra, v3_scale(v3_sub(s.moment, about), sign)));
  values[6] = t.at[s.least].gap;
  v3_store(values + 7, m3_mulv(Ra, v3_scale(t.at[s.least].n, sign)));
  v3_store(values + 10, v3_add(origin_a, m3_mulv(Ra, s.place)));
  values[13] = s.push;
  v3_store(values + 14, m3_mulv(Ra, v3_scale(s.friction, sign)));
  v3_store(values + 17, m3_mulv(Ra, v3_scale(t.force[s.least].slip, sign)));
  values[20] = !(t.force[s.least].push > 0) ? 0 : t.force[s.least].sticks ? 1 : 2;
}

/* ---- shapes -------------------------------------------------------------------------------- */

static torsor_status fail(torsor_error *error, const char *name, const char *what,
                          const char *advice) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" %s", name, what);
  torsor_hint(error, "%s", advice);
  return TORSOR_SCENE;
}

static double smallest_of(v3 half) {
  return fmin(half.x, fmin(half.y, half.z));
}

/* The marker of a shape: that of the body, moved to the solid's frame. */
static void move_marker(torsor_marker *marker, const torsor_solid *solid) {
  const m3 R = so3_matrix(solid->frame.R);
  marker->x = v3_add(marker->x, m3_mulv(marker->R, solid->frame.x));
  marker->x0 = v3_add(marker->x0, m3_mulv(marker->R0, solid->frame.x));
  marker->R = m3_mul(marker->R, R);
  marker->R0 = m3_mul(marker->R0, R);
}

/* The shape of the body of a marker, number `which`. */
static torsor_status find_shape(touch_shape *out, torsor_marker *marker, const char *side,
                                int which, const force_shape_contact_data *data,
                                const torsor_setup *setup, torsor_error *error) {
  char text[120];
  int count = 0;
  const torsor_solid *solid =
      setup->solids ? setup->solids(setup->model, marker->node, &count) : NULL;
  if (!count) {
    snprintf(text, sizeof text, "touches with the body of \"%s\", which has no shape", side);
    return fail(error, setup->name, text,
                "add \"shape\" to the body, or \"plane\": true if a is a plane");
  }
  if (which < 0 && count > 1) {
    snprintf(text, sizeof text, "touches with the body of \"%s\", which has %d shapes", side,
             count);
    return fail(error, setup->name, text, "say which one by \"shape_a\" or \"shape_b\", from 0");
  }
  if (which >= count) {
    snprintf(text, sizeof text, "asks for shape %d of the body of \"%s\", which has %d", which,
             side, count);
    return fail(error, setup->name, text, "shapes count from 0");
  }
  solid += which < 0 ? 0 : which;
  if (!touching_shape(out, solid, data->rounding)) {
    snprintf(text, sizeof text, "has a shape at \"%s\" that has no contact yet", side);
    return fail(error, setup->name, text,
                "shapes with contact: sphere, capsule, cylinder, box, and a plane");
  }
  if (!(out->half.x >= 0 && out->half.y >= 0 && out->half.z >= 0))
    return fail(error, setup->name, "has a rounding larger than half of an extent",
                "\"rounding\" is the radius of edges, such as 1 % of the smallest extent");
  move_marker(marker, solid);
  return TORSOR_OK;
}

static void order_shapes(force_shape_contact_data *data) {
  torsor_joint *joint = &data->pair.joint;
  data->swapped = data->a.kind > data->b.kind;
  if (!data->swapped) return;
  const touch_shape shape = data->a;
  const torsor_marker marker = joint->a;
  data->a = data->b;
  joint->a = joint->b;
  data->b = shape;
  joint->b = marker;
}

/* Boxes that begin deeper in each other than this part of the smallest extent are misplaced. */
#define DEEPEST_START 0.25

static torsor_status check_start(const force_shape_contact_data *data, const char *name,
                                 torsor_error *error) {
  const torsor_marker *a = &data->pair.joint.a, *b = &data->pair.joint.b;
  const m3 R = m3_tmul(a->R0, b->R0);
  const v3 p = m3_tmulv(a->R0, v3_sub(b->x0, a->x0));
  touch_point at[TOUCH_POINTS];
  if (data->faced) {
    const face_law law = {1, 0};
    faces_contact x;
    faces_eval(&x, &law, &data->a, &data->b, &R, p, still, still, still);
    const double smallest = 2 * fmin(smallest_of(data->a.half), smallest_of(data->b.half));
    if (x.depth <= DEEPEST_START * smallest) return TORSOR_OK;
    torsor_fail(error, TORSOR_SCENE, "\"%s\" begins with boxes that overlap by %.3g m", name,
                x.depth);
    torsor_hint(error, "move one of them; a guess does not part bodies");
    return TORSOR_SCENE;
  }
  if (touch_find(at, &data->a, &data->b, &R, p)) return TORSOR_OK;
  return fail(error, name, "begins with shapes that overlap by more than their radii",
              "move one of them; a guess does not part bodies");
}

/* Which stiffness the pair needs; the exponent's default. */
static torsor_status prepare_stiffness(force_shape_contact_data *data, const char *name,
                                       torsor_error *error) {
  penalty *wall = &data->law.wall;
  const bool stiff = !torsor_absent_number(wall->stiffness);
  const bool shaped = !torsor_absent_number(wall->exponent);
  const bool faced = !torsor_absent_number(data->face_stiffness);
  if (data->faced && (stiff || shaped || !faced))
    return fail(error, name,
                faced ? "is between two boxes, which meet at faces, but has a \"stiffness\" or "
                        "an \"exponent\" of points"
                      : "is between two boxes, which meet at faces",
                faced ? "leave \"stiffness\" and \"exponent\" out"
                      : "give \"face_stiffness\" in N/m^3, pressure over depth, in place of "
                        "\"stiffness\"");
  if (!data->faced && (faced || !stiff))
    return fail(error, name,
                faced ? "has a \"face_stiffness\", but not two boxes" : "has no stiffness",
                "give \"stiffness\" in N/m^n, force over depth^n, n = \"exponent\"");
  if (!shaped) wall->exponent = 1.5;
  if (data->faced) wall->stiffness = 0;
  return TORSOR_OK;
}

/* Faces of boxes end at sharp edges. */
static torsor_status sharpen(force_shape_contact_data *data, const char *name,
                             torsor_error *error) {
  if (!data->faced) return TORSOR_OK;
  if (!torsor_absent_number(data->rounding))
    return fail(error, name, "has a rounding, but the edges of two boxes are sharp",
                "leave \"rounding\" out");
  for (int i = 0; i < 2; ++i) {
    touch_shape *shape = i ? &data->b : &data->a;
    const double r = shape->radius;
    shape->half = v3_add(shape->half, (v3){r, r, r});
    shape->radius = 0;
  }
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_shape_contact_data *data = self;
  torsor_joint *joint = &data->pair.joint;
  if (joint->a.node == joint->b.node)
    return fail(error, setup->name, "touches with one body alone",
                "name two bodies, or a body and \"ground\"");
  data->a = (touch_shape){.kind = TOUCH_PLANE};
  torsor_status status = TORSOR_OK;
  if (!data->plane)
    status = find_shape(&data->a, &joint->a, "a", data->shape_a, data, setup, error);
  if (!status) status = find_shape(&data->b, &joint->b, "b", data->shape_b, data, setup, error);
  if (status) return status;
  order_shapes(data);
  if (!touching_is_offered(data->a.kind, data->b.kind))
    return fail(error, setup->name, "is between shapes that have no contact with each other yet",
                "spheres touch all shapes, capsules also capsules, boxes boxes, and all of them "
                "planes");
  data->faced = faces_are_known(data->a.kind, data->b.kind);
  status = prepare_stiffness(data, setup->name, error);
  if (!status) status = sharpen(data, setup->name, error);
  if (!status) status = contact_law_prepare(&data->law, setup->name, error);
  if (!status && data->law.friction > 0 && !contact_law_sticks(&data->law))
    status = fail(error, setup->name, "has friction, but no spring of what sticks",
                  "add \"tangential_stiffness\" in N/m: about 0.8 of the stiffness across the "
                  "surfaces at the usual load");
  if (!status) status = check_start(data, setup->name, error);
  if (status) return status;
  joint->scale = data->b.radius + v3_norm(data->b.half);
  data->points = touching_points(data->a.kind, data->b.kind);
  if (contact_law_keeps(&data->law)) setup->states = contact_states(data->points);
  return torsor_pair_prepare(&data->pair, setup, law, !touch_is_smooth(data->a.kind, data->b.kind),
                             error);
}

const torsor_element_type force_shape_contact = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "shape_contact",
    .title = "contact of the shapes of two bodies: elastic, restitution, friction that sticks",
    .doc =
        "Where two shapes overlap by d > 0 they push each other apart with N = k d^n (1 + b d')\n"
        "along the normal n from a to b, at the middle of both surfaces, and never pull.\n"
        "Spheres touch all shapes, capsules capsules, boxes boxes, and all of them a plane, which "
        "boxes meet at\n"
        "each corner, capsules at each end and cylinders at 4 points of their rims; every one of\n"
        "these has a force of its own.  Capsules within 2 degrees of parallel share one force\n"
        "between the ends of where they overlap.  Edges are round (`rounding`).\n"
        "Two boxes: an elastic foundation, p = `face_stiffness` d (1 + b d') over a face that the\n"
        "other box enters by the depth d, at faces, edges and corners alike.\n"
        "Friction holds by -k_t z - c_t s up to static_friction N, z the displacement since it\n"
        "began to stick, and is friction N where it slips; such a state changes at ends of steps.\n"
        "Elastic energy: k d^(n+1)/(n+1) + k_t |z|^2/2 of each point, of faces the integral of k "
        "d^2/2.\n"
        "Source: Hunt and Crossley 1975; Gilbert, Johnson and Keerthi 1988.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"ball\", \"type\": \"rigid_body\", \"mass\": 0.5,"
        " \"inertia\": [0.05, 0.05, 0.05], \"position\": [0, 0, 0], \"velocity\": [1, 0, 0],"
        " \"shape\": {\"type\": \"sphere\", \"radius\": 0.5}}, {\"name\": \"pin\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.05],"
        " \"position\": [0.9, 0.3, 0], \"shape\": {\"type\": \"capsule\", \"radius\": 0.6,"
        " \"length\": 2}}], \"forces\": [{\"name\": \"hit\", \"type\": \"shape_contact\","
        " \"a\": \"pin\", \"b\": \"ball\", \"stiffness\": 20, \"exponent\": 2,"
        " \"dissipation\": 0.1}]}",
    .size = sizeof(force_shape_contact_data),
    .params = params,
    .prepare = prepare,
    .eval = torsor_pair_eval,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .outputs = {.list = outputs, .eval = output, .counts = counts},
    .energy = {.balance = balance, .loss = loss, .lost = lost, .obstacle = obstacle},
    .limits = {.range = "overlaps less deep than the radii and roundings of both shapes together",
               .advice = "the stiffness is too small for these forces, or the step too large"},
    .history = {advance, advance},
};
