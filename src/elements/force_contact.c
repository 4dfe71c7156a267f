/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/penalty_kit.h"

typedef struct force_contact_data {
  torsor_pair pair;
  double radius, friction, speed_width;
  v3 normal;
  penalty wall;
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
    PENALTY_PARAMS(force_contact_data, wall),
    {"friction", TORSOR_PARAM_NUMBER, MEMBER(friction), NULL, "0", "coefficient of friction", NULL,
     TORSOR_NONNEGATIVE},
    {"speed_width", TORSOR_PARAM_NUMBER, MEMBER(speed_width), "m/s", "1e-3",
     "width of the smooth reversal: at this slip the friction is 71 % of its value", NULL,
     TORSOR_POSITIVE},
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
  touch t = {.n = m3_tmulv(in->R, data->normal)};
  t.push = penalty_force(&data->wall, d, -v3_dot(t.n, in->V.lin), &t.by_depth, &t.by_rate);
  t.arm = v3_scale(t.n, reach(data, d));
  t.moving = v3_add(in->V.lin, v3_cross(in->V.ang, t.arm));
  t.slip = v3_axpy(-v3_dot(t.n, t.moving), t.n, t.moving);
  t.drag = data->friction * t.push / sqrt(v3_norm2(t.slip) + width * width);
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
  const double drag = data->friction * push / sqrt(size2) - t->drag * v3_dot(t->slip, slip) / size2;
  const v3 sliding = v3_axpy(drag, t->slip, v3_scale(slip, t->drag));
  const v3 force = v3_sub(v3_axpy(push, t->n, v3_scale(n, t->push)), sliding);
  return (twist){force, v3_add(v3_cross(arm, t->force), v3_cross(t->arm, force))};
}

static torsor_status law(const void *self, const torsor_relative_in *in, torsor_law_out *out) {
  const force_contact_data *data = self;
  const touch t = find_touch(data, in);
  if (!(t.push > 0)) return TORSOR_OK;
  out->w = (twist){t.force, v3_cross(t.arm, t.force)};
  for (int k = 0; out->tangent && k < 6; ++k) {
    double unit[6] = {0}, H[6], V[6];
    unit[k] = 1;
    tw_store(H, change_along(data, &t, in, tw_load(unit), tw_zero()));
    tw_store(V, change_along(data, &t, in, tw_zero(), tw_load(unit)));
    for (int i = 0; i < 6; ++i) {
      out->H[i][k] = H[i];
      out->V[i][k] = V[i];
    }
  }
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_contact_data *data = self;
  if (data->pair.joint.b.point && data->radius > 0 && data->friction > 0) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" has friction at the radius of a sphere that is a point mass, which cannot "
                "turn",
                setup->name);
    torsor_hint(error, "use a rigid_body, or leave \"radius\" or \"friction\" out");
    return TORSOR_SCENE;
  }
  const torsor_status status = penalty_check(&data->wall, setup->name, error);
  return status ? status : torsor_pair_prepare(&data->pair, setup, law, false, error);
}

static const char *obstacle(const void *self) {
  const force_contact_data *data = self;
  return data->friction > 0 ? "has friction" : penalty_obstacle(&data->wall);
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const force_contact_data *data = self;
  torsor_relative_in relative;
  torsor_joint_relative(&data->pair.joint, in, &relative);
  sum->elastic += penalty_energy(&data->wall, depth(data, relative.p));
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
        "creeps.\n"
        "The plane is endless and the side behind it solid.  Elastic energy: k d^(n+1)/(n+1).\n"
        "A blow alone at the speed v ends with w < v, b v - ln(1 + b v) = -b w - ln(1 - b w):\n"
        "w/v = 1 - 2 b v/3 + ... whatever k and n.\n"
        "Source: Hunt and Crossley 1975.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"ball\","
        " \"type\": \"rigid_body\", \"mass\": 0.5, \"inertia\": [0.002, 0.002, 0.002],"
        " \"position\": [0, 0, 0.2], \"velocity\": [1, 0, 0]}], \"forces\": [{\"name\": \"floor\","
        " \"type\": \"contact\", \"a\": \"ground\", \"b\": \"ball\", \"radius\": 0.4,"
        " \"stiffness\": 20, \"exponent\": 2, \"dissipation\": 0.1, \"friction\": 0.3,"
        " \"speed_width\": 0.5}]}",
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .look.symbol = TORSOR_SYMBOL_CONTACT,
};
