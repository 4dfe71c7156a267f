/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/branch_kit.h"

typedef struct joint_motion_data {
  torsor_joint joint;
  torsor_function position[3], angle;
  v3 axis;
} joint_motion_data;

#define MEMBER(name) offsetof(joint_motion_data, name)
#define ALONG(key, i)                                                                              \
  {                                                                                                \
    key, TORSOR_PARAM_FUNCTION, MEMBER(position[i]), "m", TORSOR_OPTIONAL,                         \
        "position of marker b along " key " of marker a, function of t; default: free", NULL,      \
        TORSOR_GIVES_POSITION                                                                      \
  }

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS_OF_POINT(joint_motion_data),
    ALONG("x", 0),
    ALONG("y", 1),
    ALONG("z", 2),
    {"angle", TORSOR_PARAM_FUNCTION, MEMBER(angle), "rad", TORSOR_OPTIONAL,
     "angle of b about `axis`, zero where the frames agree, function of t; default: b turns freely",
     NULL, TORSOR_GIVES_POSITION},
    {"axis", TORSOR_PARAM_DIRECTION, MEMBER(axis), NULL, "[0, 0, 1]",
     "fixed axis of the angle in the frame of marker a", NULL, 0},
    {0}};

static const v3 directions[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* A direction of a that turns about n with rate w and its change: a, a', a''. */
typedef struct turning {
  v3 now, rate, second;
} turning;

/* Row `row`: cosine between a turning direction of a and a direction of b. */
static void keep_cosine(torsor_relative_out *out, int row, const turning *a, v3 b,
                        const torsor_relative_in *in) {
  const v3 seen = m3_mulv(in->R, b);
  torsor_block_cosine(out, row, a->now, b, in);
  out->phi_t[row] = v3_dot(a->rate, seen);
  out->phi_tt[row] = v3_dot(a->second, seen);
  tw_store(out->J_t[row], (twist){.ang = v3_cross(b, m3_tmulv(in->R, a->rate))});
}

/* Three rows from `row`: R = exp(axis angle). */
static void keep_rotation(torsor_relative_out *out, int row, const joint_motion_data *data,
                          const torsor_relative_in *in) {
  double rate, second;
  const double angle = data->angle.eval(data->angle.self, in->now, &rate, &second);
  const m3 turned = so3_rodrigues(v3_scale(data->axis, angle));
  for (int i = 0; i < 3; ++i) {
    turning a = {.now = m3_mulv(turned, directions[(i + 2) % 3])};
    const v3 turn = v3_cross(data->axis, a.now);
    a.rate = v3_scale(turn, rate);
    a.second = v3_axpy(rate * rate, v3_cross(data->axis, turn), v3_scale(turn, second));
    keep_cosine(out, row + i, &a, directions[(i + 1) % 3], in);
  }
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_motion_data *data = self;
  int row = 0;
  for (int i = 0; i < 3; ++i) {
    const torsor_function *f = &data->position[i];
    if (!f->eval) continue;
    double rate, second;
    const double at = f->eval(f->self, in->now, &rate, &second);
    torsor_block_along(out, row, directions[i], at, in);
    out->phi_t[row] = -rate;
    out->phi_tt[row++] = -second;
  }
  if (data->angle.eval) keep_rotation(out, row, data, in);
  return TORSOR_OK;
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_motion_data *data = self;
  if (!data->angle.eval) return NULL;
  const double angle = data->angle.eval(data->angle.self, in->now, NULL, NULL);
  const m3 turned = so3_rodrigues(v3_scale(data->axis, angle));
  v3 a[3];
  for (int i = 0; i < 3; ++i) a[i] = m3_mulv(turned, directions[i]);
  return branch_frame(&data->joint, in, a, directions, turn);
}

static torsor_status refuse(const torsor_setup *setup, torsor_error *error, const char *what,
                            const char *hint) {
  torsor_fail(error, TORSOR_SCENE, "motion \"%s\" %s", setup->name, what);
  torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_motion_data *data = self;
  int rows = data->angle.eval ? 3 : 0;
  for (int i = 0; i < 3; ++i) rows += data->position[i].eval != NULL;
  if (!rows)
    return refuse(setup, error, "prescribes nothing",
                  "give functions of t for some of \"x\", \"y\", \"z\" and \"angle\"");
  if (data->angle.eval && data->joint.b.point)
    return refuse(setup, error, "turns a point mass, which has no orientation",
                  "use a rigid_body, or leave \"angle\" out");
  return torsor_joint_prepare(&data->joint, setup, rows, relative, false, error);
}

const torsor_element_type joint_motion = {
    TORSOR_JOINT_TABLE(joint_motion_data),
    .name = "motion",
    .title = "prescribed motion of a marker against another: position and rotation about an axis",
    .doc =
        "phi = (x - x(t), y - y(t), z - z(t), e3.Q e2, e1.Q e3, e2.Q e1) [1 to 6] with the\n"
        "position (x, y, z) of marker b in a (m) and Q = exp(-axis angle(t)) R; rows of what is\n"
        "not given are left out.  With an angle the orientation of b is given altogether: turned\n"
        "from that of a by angle(t) about the axis.  Motions one upon the other (axes that turn\n"
        "with each other) are chains of light bodies, or drives on the joints of such a chain.\n"
        "lambda: forces on a in its axes (N) and, while phi = 0, a moment on a in the axes of b\n"
        "(N m); force and moment are what the drive applies to b.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.03, 0.04], \"position\": [0.1, 0, 0.2]}],"
               " \"joints\": [{\"name\": \"shaker\", \"type\": \"motion\", \"a\": \"ground\","
               " \"b\": \"plate\", \"x\": 0.1, \"y\": \"0.05*sin(2*t)\","
               " \"z\": \"0.2 + 0.1*sin(3*t)\", \"axis\": [0, 0.6, 0.8],"
               " \"angle\": \"0.4*sin(2*t)\"}]}",
    .limits.astray = astray,
};
