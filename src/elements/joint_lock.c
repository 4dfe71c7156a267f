/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/drive_kit.h"

/* The drive's function is not used. */
static const torsor_param params[] = {DRIVE_COORDINATE, {0}};

/* The numbers of a lock: whether it knows a value yet, and that value. */
enum { KNOWN, VALUE, STATES };

/* The value of the coordinate, with its turns counted. */
static double value_of(const drive *data, double raw, const double *coordinate) {
  return torsor_coordinate_turns(&data->on, raw, coordinate);
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const drive *data = self;
  torsor_coordinate_out c;
  relative_coordinate(&c, data->on.joint, data->on.index, in, out->second);
  const bool known = in->state && in->state[KNOWN] > 0;
  const double kept =
      known ? in->state[VALUE] : torsor_coordinate_start(data->on.joint, data->on.index);
  out->phi[0] = value_of(data, c.value, in->coordinate) - kept;
  relative_add_coordinate(out, 0, 1, &c, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  drive *data = self;
  setup->states = STATES;
  setup->dissipative = true;
  return drive_prepare(data, setup, relative, error);
}

static void begin(const void *self, const torsor_element_in *in, double *state) {
  const drive *data = self;
  torsor_relative_in at;
  torsor_coordinate_out c;
  torsor_joint_relative(&data->joint, in, &at);
  relative_coordinate(&c, data->on.joint, data->on.index, &at, false);
  state[KNOWN] = 1;
  state[VALUE] = value_of(data, c.value, in->coordinate);
}

static void advance(const void *self, const torsor_element_in *in, double *state) {
  if (!(in->state[KNOWN] > 0)) {
    begin(self, in, state);
    return;
  }
  state[KNOWN] = 1;
  state[VALUE] = in->state[VALUE];
}

/* It takes energy only in the moment in which it begins to act. */
static double loss(const void *self, const torsor_element_in *in) {
  (void)self;
  (void)in;
  return 0;
}

const torsor_element_type joint_lock = {
    DRIVE_TABLE,
    .name = "lock",
    .title = "lock: a joint coordinate stays where it is",
    .doc =
        "phi = c - c0 [1] for the coordinate c (m, or rad) of a joint, where c0 is its value at\n"
        "the start or in the moment in which an event switches the lock on.  Velocities then jump\n"
        "by the impulse of the rows: M dv + B^T Lambda = 0, B (v + dv) = 0.  lambda is minus the\n"
        "force (N) or moment (N m) of the lock along the coordinate; the signal effort is that "
        "force or moment.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}, {\"name\": \"latch\", \"type\": \"lock\","
        " \"coordinate\": \"hinge.angle\"}]}",
    .energy.loss = loss,
    .history.begin = begin,
    .history.advance = advance,
};
