/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "elements/branch_kit.h"
#include "elements/relative_kit.h"

/* The parts of the pose that a clamp keeps. */
enum { KEEPS_POSE, KEEPS_ROTATION, KEEPS_POSITION };

/* The pose of marker b in the axes of marker a: R by rows, then p; and whether it is known yet. */
enum { POSITION = 9, KNOWN = 12, STATES };

typedef struct joint_clamp_data {
  torsor_joint joint;
  int keeps;
} joint_clamp_data;

static const char *const keeps[] = {"pose", "rotation", "position", NULL};

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS_OF_POINT(joint_clamp_data),
    {"keeps", TORSOR_PARAM_CHOICE, offsetof(joint_clamp_data, keeps), NULL, "\"pose\"",
     "what of b stays as it is in a: all of the pose, or a part; of a point mass its position",
     keeps, 0},
    {0}};

static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void store_pose(double *state, m3 R, v3 p) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) state[3 * i + j] = R.m[i][j];
  v3_store(state + POSITION, p);
  state[KNOWN] = 1;
}

/* The axes of b, in those of a, that are kept. */
static void kept_axes(v3 out[3], const double *state) {
  for (int j = 0; j < 3; ++j) out[j] = (v3){state[j], state[3 + j], state[6 + j]};
}

/* The pose that is kept: that at the start where nothing is known yet. */
static const double *kept_pose(double room[STATES], const joint_clamp_data *data,
                               const double *state) {
  const torsor_marker *a = &data->joint.a, *b = &data->joint.b;
  if (state && state[KNOWN] > 0) return state;
  store_pose(room, m3_tmul(a->R0, b->R0), m3_tmulv(a->R0, v3_sub(b->x0, a->x0)));
  return room;
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_clamp_data *data = self;
  double room[STATES];
  const double *pose = kept_pose(room, data, in->state);
  int row = 0;
  if (data->keeps != KEEPS_ROTATION)
    for (int i = 0; i < 3; ++i) torsor_block_along(out, row++, axis[i], pose[POSITION + i], in);
  if (data->keeps == KEEPS_POSITION) return TORSOR_OK;
  v3 kept[3];
  kept_axes(kept, pose);
  for (int i = 0; i < 3; ++i)
    torsor_block_cosine(out, row++, kept[(i + 2) % 3], axis[(i + 1) % 3], in);
  return TORSOR_OK;
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_clamp_data *data = self;
  double room[STATES];
  v3 kept[3];
  if (data->keeps == KEEPS_POSITION) return NULL;
  kept_axes(kept, kept_pose(room, data, in->state));
  return branch_frame(&data->joint, in, kept, axis, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_clamp_data *data = self;
  if (data->joint.b.point && data->keeps == KEEPS_ROTATION) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" keeps the rotation of a point mass, which has none",
                setup->name);
    torsor_hint(error, "leave \"keeps\" out: of a point mass the position is kept");
    return TORSOR_SCENE;
  }
  if (data->joint.b.point) data->keeps = KEEPS_POSITION;
  setup->states = STATES;
  setup->dissipative = true;
  return torsor_joint_prepare(&data->joint, setup, data->keeps == KEEPS_POSE ? 6 : 3, relative,
                              false, error);
}

static void begin(const void *self, const torsor_element_in *in, double *state) {
  const joint_clamp_data *data = self;
  torsor_relative_in at;
  torsor_joint_relative(&data->joint, in, &at);
  store_pose(state, at.R, at.p);
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  if (in->state[KNOWN] > 0)
    memcpy(state, in->state, STATES * sizeof *state);
  else
    begin(self, in, state);
}

/* It takes energy only in the moment in which it begins to act. */
static double loss(const void *self, const torsor_element_in *in) {
  (void)self;
  (void)in;
  return 0;
}

const torsor_element_type joint_clamp = {
    TORSOR_JOINT_TABLE(joint_clamp_data),
    .name = "clamp",
    .title = "clamp: two markers keep the pose in which they are",
    .doc =
        "phi = (p - p0, e3.R0^T R e2, e1.R0^T R e3, e2.R0^T R e1) [6]: pose (R, p) of b in a, and\n"
        "(R0, p0) that at the start or in the moment in which an event switches the clamp on.\n"
        "Velocities then jump by the impulse of the rows: M dv + B^T Lambda = 0, B (v + dv) = 0.\n"
        "With \"keeps\": \"rotation\" or \"position\" it has the last or the first three rows.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"block\", \"type\": \"rigid_body\", \"mass\": 2,"
        " \"inertia\": [0.3, 0.4, 0.5], \"position\": [0.1, 0.2, 0.3]}],"
        " \"joints\": [{\"name\": \"grip\", \"type\": \"clamp\","
        " \"a\": {\"body\": \"ground\", \"position\": [0.5, 0, 0.3]}, \"b\": \"block\"}]}",
    .energy.loss = loss,
    .limits.astray = astray,
    .history.begin = begin,
    .history.advance = advance,
    .look.symbol = TORSOR_SYMBOL_WELD,
};
