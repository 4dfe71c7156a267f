/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/contact_law.h"

typedef struct force_contact_data {
  torsor_pair pair;
  double radius, speed_width;
  v3 normal;
  contact_law law;
} force_contact_data;

#define MEMBER(name) offsetof(force_contact_data, name)

static const torsor_param params[] = {
    {"a", TORSOR_PARAM_MARKER, MEMBER(pair.joint.a), NULL, NULL,
     "marker whose origin lies in the plane", NULL, TORSOR_NEEDS_ORIENTATION},
    {"b", TORSOR_PARAM_MARKER, MEMBER(pair.joint.b), NULL, NULL,
     "marker in the centre of the sphere; force and moment are what acts here", NULL, 0},
    {"radius", TORSOR_PARAM_NUMBER, MEMBER(radius), "m", "0",
     "radius of the sphere; 0: b is a point that touches, as a corner does", NULL,
     TORSOR_NONNEGATIVE},
    {"normal", TORSOR_PARAM_DIRECTION, MEMBER(normal), NULL, "[0, 0, 1]",
     "normal of the plane in the frame of a, towards the free side", NULL, 0},
    PENALTY_PARAMS(force_contact_data, law.wall),
    {"friction", TORSOR_PARAM_NUMBER, MEMBER(law.friction), NULL, "0", "coefficient of friction",
     NULL, TORSOR_NONNEGATIVE},
    {"speed_width", TORSOR_PARAM_NUMBER, MEMBER(speed_width), "m/s", "1e-3",
     "of friction that does not stick, width of the smooth reversal: at this slip it is 71 % of "
     "its "
     "value",
     NULL, TORSOR_POSITIVE},
    CONTACT_LAW_PARAMS(force_contact_data, law),
    {0}};

static double depth(const force_contact_data *data, v3 p) {
  return data->radius - v3_dot(data->normal, p);
}

/* Along the normal, to where forces act: the foot of the centre on the plane, but a point mass can
 * take no moment. */
static double reach(const force_contact_data *data, double d) {
  return data->pair.joint.b.point ? 0 : d - data->radius;
}

/* Contact state: the result of the contact law for a relative motion, in the axes of b. */
typedef struct touch {
  v3 n;                           /* the normal */
  double push, by_depth, by_rate; /* and its derivatives by depth and rate of closing */
  v3 arm;                         /* from the centre to where it acts */
  v3 moving, slip;                /* of the sphere there, and along the plane */
  double drag;                    /* force = push n - drag slip */
  v3 force;
} touch;

static touch find_touch(const force_contact_data *data, const torsor_relative_in *in) {
  const double d = depth(data, in->p), width = data->speed_width;
  const penalty wall = contact_law_wall(&data->law, in->state, 0);
  touch t = {.n = m3_tmulv(in->R, data->normal)};
  t.push = penalty_force(&wall, d, -v3_dot(t.n, in->V.lin), &t.by_depth, &t.by_rate);
  t.arm = v3_scale(t.n, reach(data, d));
  t.moving = v3_add(in->V.lin, v3_cross(in->V.ang, t.arm));
  t.slip = v3_axpy(-v3_dot(t.n, t.moving), t.n, t.moving);
  t.drag = data->law.friction * t.push / sqrt(v3_norm2(t.slip) + width * width);
  t.force = v3_axpy(-t.drag, t.slip, v3_scale(t.n, t.push));
  return t;
}

/* Change of the wrench as the frame moves along `e` and the twist changes by dV: D n = n x e.ang,
 * D depth = -n.e.lin. */
static twist change_along(const force_contact_data *data, const touch *t,
                          const torsor_relative_in *in, twist e, twist dV) {
  const double width = data->speed_width, d = depth(data, in->p), deeper = -v3_dot(t->n, e.lin);
  const v3 n = v3_cross(t->n, e.ang);
  const double closing = -v3_dot(n, in->V.lin) - v3_dot(t->n, dV.lin);
  const double push = t->by_depth * deeper + t->by_rate * closing;
  const double longer = data->pair.joint.b.point ? 0 : deeper;
  const v3 arm = v3_axpy(longer, t->n, v3_scale(n, reach(data, d)));
  const v3 moving = v3_add(dV.lin, v3_add(v3_cross(dV.ang, t->arm), v3_cross(in->V.ang, arm)));
  const double rising = v3_dot(n, t->moving) + v3_dot(t->n, moving);
  const v3 slip = v3_sub(moving, v3_axpy(rising, t->n, v3_scale(n, v3_dot(t->n, t->moving))));
  const double size2 = v3_norm2(t->slip) + width * width;
  const double drag =
      data->law.friction * push / sqrt(size2) - t->drag * v3_dot(t->slip, slip) / size2;
  const v3 sliding = v3_axpy(drag, t->slip, v3_scale(slip, t->drag));
  const v3 force = v3_sub(v3_axpy(push, t->n, v3_scale(n, t->push)), sliding);
  return (twist){force, v3_add(v3_cross(arm, t->force), v3_cross(t->arm, force))};
}

/* The plane and the sphere as a pair of shapes; the force acts at b + share (a - b). */
static touch_point find_point(const force_contact_data *data, v3 p) {
  const double gap = -depth(data, p);
  const v3 b = v3_axpy(-data->radius, data->normal, p);
  return (touch_point){.gap = gap,
                       .n = data->normal,
                       .a = v3_axpy(-gap, data->normal, b),
                       .b = b,
                       .part = 1,
                       .flat = true,
                       .core_b = p};
}

static double share_of(const force_contact_data *data) {
  return data->pair.joint.b.point ? 0 : 1;
}

static void store_column(torsor_law_out *out, int k, twist change) {
  double column[6];
  tw_store(column, change);
  for (int i = 0; i < 6; ++i) (k < 6 ? out->H : out->V)[i][k % 6] = column[i];
}

/* Evaluates the force law with friction that can stick, and its tangent. */
static torsor_status sticking_law(const force_contact_data *data, const torsor_relative_in *in,
                                  torsor_law_out *out) {
  const contact_pair pair = contact_find_pair(in);
  const touch_point at = find_point(data, in->p);
  const contact_force f = contact_eval(&data->law, &pair, &at, share_of(data));
  out->w = contact_wrench(&pair, &f);
  for (int k = 0; out->tangent && f.push > 0 && k < 12; ++k) {
    const contact_moved moved = contact_move_pair(&pair, in, k);
    const contact_change change =
        contact_eval_change(&data->law, &pair, &at, share_of(data), &f, &moved);
    store_column(out, k, contact_wrench_change(&pair, &f, &change, &moved));
  }
  return TORSOR_OK;
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_contact_data *data = self;
  if (contact_law_sticks(&data->law)) return sticking_law(data, in, out);
  const touch t = find_touch(data, in);
  if (!(t.push > 0)) return TORSOR_OK;
  out->w = (twist){t.force, v3_cross(t.arm, t.force)};
  for (int k = 0; out->tangent && k < 6; ++k) {
    double unit[6] = {0};
    unit[k] = 1;
    store_column(out, k, change_along(data, &t, in, tw_load(unit), tw_zero()));
    store_column(out, k + 6, change_along(data, &t, in, tw_zero(), tw_load(unit)));
  }
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_contact_data *data = self;
  if (data->pair.joint.b.point && data->radius > 0 && data->law.friction > 0) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" has friction at the radius of a sphere that is a point mass, which cannot "
                "turn",
                setup->name);
    torsor_hint(error, "use a rigid_body, or leave \"radius\" or \"friction\" out");
    return TORSOR_SCENE;
  }
  const torsor_status status = contact_law_prepare(&data->law, setup->name, error);
  if (contact_law_keeps(&data->law)) setup->states = contact_states(1);
  return status ? status : torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static const char *obstacle(const void *self) {
  const force_contact_data *data = self;
  return data->law.friction > 0 || contact_law_sticks(&data->law) ? "has friction"
         : data->law.blow > 0                                     ? "has a restitution"
                              : penalty_obstacle(&data->law.wall);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_contact_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  if (!contact_law_sticks(&data->law)) {
    sum->elastic += penalty_energy(&data->law.wall, depth(data, relative.p));
    return;
  }
  const contact_pair pair = contact_find_pair(&relative);
  const touch_point at = find_point(data, relative.p);
  const contact_force f = contact_eval(&data->law, &pair, &at, share_of(data));
  sum->elastic += f.energy + f.kept;
}

static double loss(const void *self, const torsor_element_in *in) {
  const force_contact_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  if (!contact_law_sticks(&data->law)) {
    const touch t = find_touch(data, &relative);
    const double spring = penalty_force(&data->law.wall, depth(data, relative.p), 0, NULL, NULL);
    return (spring - t.push) * v3_dot(t.n, relative.V.lin) + t.drag * v3_norm2(t.slip);
  }
  const contact_pair pair = contact_find_pair(&relative);
  const touch_point at = find_point(data, relative.p);
  const contact_force f = contact_eval(&data->law, &pair, &at, share_of(data));
  return contact_loss(&data->law, &pair, &at, &f);
}

static double lost(const void *self, const torsor_element_in *in) {
  const force_contact_data *data = self;
  if (!contact_law_sticks(&data->law)) return 0;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  const contact_pair pair = contact_find_pair(&relative);
  const touch_point at = find_point(data, relative.p);
  const contact_force f = contact_eval(&data->law, &pair, &at, share_of(data));
  return contact_put_in(&pair, &f, 1) - contact_kept(&f, 1);
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  const force_contact_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  const contact_pair pair = contact_find_pair(&relative);
  const touch_point at = find_point(data, relative.p);
  const contact_force f = contact_eval(&data->law, &pair, &at, share_of(data));
  contact_keep_pair(state, &pair, &f, 1);
  contact_keep_point(state, &data->law, &pair, &at, &f);
}

const torsor_element_type force_contact = {
    TORSOR_PAIR_TABLE(force_contact_data),
    .name = "contact",
    .title = "contact of a sphere or point on b with a plane on a: elastic, dissipation, friction",
    .doc =
        "Where the sphere reaches behind the plane by d = radius - normal.p > 0, the plane pushes\n"
        "with N = k d^n (1 + b d') along its normal and never pulls: N = 0 where 1 + b d' < 0.\n"
        "Friction: -friction N s/sqrt(|s|^2 + speed_width^2) at the foot of the centre on the\n"
        "plane, or at a point mass itself, s the slip there: smooth, so that what would stick\n"
        "creeps.  With `tangential_stiffness` it sticks and does not: -k_t z - c_t s up to\n"
        "static_friction N, z the displacement since it began to stick, and friction N where it\n"
        "slips.  Such a state changes at ends of steps.\n"
        "The plane is endless and the side behind it solid.  Elastic energy: k d^(n+1)/(n+1).\n"
        "A blow alone at the speed v ends with w < v, b v - ln(1 + b v) = -b w - ln(1 - b w):\n"
        "w/v = 1 - 2 b v/3 + ... whatever k and n.  `restitution` w/v gives b v by that equation,\n"
        "for v = restitution_speed or the closing speed of each blow.\n"
        "Source: Hunt and Crossley 1975.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\","
        " \"type\": \"rigid_body\", \"mass\": 0.5, \"inertia\": [0.002, 0.002, 0.002],"
        " \"position\": [0, 0, 0.2], \"velocity\": [1, 0, 0]}], \"forces\": [{\"name\": \"floor\","
        " \"type\": \"contact\", \"a\": \"ground\", \"b\": \"ball\", \"radius\": 0.4,"
        " \"stiffness\": 20, \"exponent\": 2, \"dissipation\": 0.1, \"friction\": 0.3,"
        " \"speed_width\": 0.5}]}",
    .energy.balance = balance,
    .energy.loss = loss,
    .energy.lost = lost,
    .energy.obstacle = obstacle,
    .look.symbol = TORSOR_SYMBOL_CONTACT,
    .history = {advance, advance},
};
