/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mechanism.h"

#include <stdio.h>

const joint_traits mechanism_joints[JOINT_KINDS] = {
    [SPHERICAL] = {"spherical", NULL, "", false, true, 3, true},
    [REVOLUTE] = {"revolute", "angle", ", \"axis\": [0.6, 0, 0.8], \"axis_b\": [0.6, 0, 0.8]",
                  false, false, 5, false},
    [PRISMATIC] = {"prismatic", "travel", ", \"axis\": [0, 0.6, 0.8]", true, false, 5, false},
    [CYLINDRICAL] = {"cylindrical", "angle", "", false, false, 4, false},
    [SCREW] = {"screw", "angle", "", false, false, 5, false},
    [PLANAR] = {"planar", "x", "", true, false, 3, false},
    [UNIVERSAL] = {"universal", "angle_a", "", false, false, 4, false},
    [CONSTANT_VELOCITY] = {"constant_velocity", NULL, "", false, false, 4, false},
    [WELD] = {"weld", NULL, "", false, false, 6, false},
    [CONSTANT_ORIENTATION] = {"constant_orientation", NULL, "", false, false, 3, false},
    [DISTANCE] = {"distance", NULL, "", false, true, 1, true},
    [POINT_ON_LINE] = {"point_on_line", "travel", "", true, true, 2, true},
    [POINT_ON_PLANE] = {"point_on_plane", NULL, "", false, true, 1, true},
    [POINT_ON_CURVE] = {"point_on_curve", "travel", "", true, true, 2, true},
    [POINT_ON_LOOP] = {"point_on_curve", "travel", "", true, true, 2, true},
    [MOTION] = {"motion", NULL, "", false, true, 6, false},
    [KNIFE_EDGE] = {"knife_edge", NULL, "", false, false, 1, true},
    [ROLLING_DISC] = {"rolling_disc", NULL, "", false, false, 3, false},
    [ROLLING_SPHERE] = {"rolling_sphere", NULL, "", false, false, 3, false},
    [VELOCITY_CONSTRAINT] = {"velocity_constraint", NULL, ", \"linear\": [0.6, 0.8, 0]", false,
                             true, 1, true},
    [SENSOR] = {"sensor", "x", "", true, true, 0, true},
    [ANGLE_SENSOR] = {"angle_sensor", "angle", ", \"axis\": [0.6, 0, 0.8]", false, false, 0, false},
};

/* ---- what a mechanism is
 * -------------------------------------------------------------------------- */

bool mechanism_is_point(const mechanism *m, int body) {
  return body >= 0 && (m->body[body].kind == POINT || m->body[body].kind == CABLE);
}

bool mechanism_constrains(force_kind f) {
  return f >= DRIVE;
}

bool mechanism_from_zero(const mechanism *m, int i) {
  return m->joint[i] != SENSOR && m->joint[i] != POINT_ON_CURVE;
}

bool mechanism_rests(const mechanism *m) {
  for (int i = 0; i < MECHANISM_BODIES; ++i)
    if (!mechanism_from_zero(m, i) &&
        (m->force[i] == ACTUATOR || m->force[i] == COORDINATE_SPRING || m->force[i] == STOP))
      return false;
  return true;
}

static bool is_nonholonomic(joint_kind j) {
  return j == KNIFE_EDGE || j == ROLLING_DISC || j == ROLLING_SPHERE || j == VELOCITY_CONSTRAINT;
}

bool mechanism_is_redundant(const mechanism *m) {
  if (m->loop == CLOSED && m->body[MECHANISM_BODIES - 1].kind == RIGID_SO3) return true;
  for (int i = 0; i < MECHANISM_BODIES; ++i) /* the place of such a body is no unknown */
    if (m->body[i].kind == RIGID_SO3 && mechanism_joints[m->joint[i]].rows &&
        m->joint[i] != DISTANCE)
      return true;
  return m->loop == TWICE || m->loop == CLOSED_TWICE;
}

slack_kind mechanism_slackens(const mechanism *m) {
  slack_kind found = NEVER_SLACK;
  for (int i = 0; i < MECHANISM_BODIES; ++i) {
    const random_body *b = &m->body[i];
    if (b->kind != CABLE || b->options & OPTION_COMPRESSION) continue;
    if (b->options & OPTION_DAMPED) return SLACK_DAMPED;
    found = SLACK;
  }
  return found;
}

/* ---- at random
 * ----------------------------------------------------------------------------------- */

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

static int random_index(check_rng *rng, int count) {
  return (int)check_uniform(rng, 0, count);
}

static se3 random_frame(check_rng *rng, double size) {
  return (se3){so3_exp(random_vector(rng, 1)), random_vector(rng, size)};
}

/* Joints that a body on SO(3) moves with: those that let it turn and ask nothing of its place. */
static bool fits_so3(joint_kind j) {
  return j == SPHERICAL || j == REVOLUTE || j == UNIVERSAL || j == CONSTANT_VELOCITY ||
         j == DISTANCE || j == POINT_ON_PLANE || j == KNIFE_EDGE || j == SENSOR ||
         j == ANGLE_SENSOR;
}

static bool fits(const mechanism *m, int i, joint_kind j) {
  if (m->conservative && is_nonholonomic(j)) return false;
  if (m->body[i].kind == RIGID_SO3 && !fits_so3(j)) return false;
  if (mechanism_is_point(m, i) && !mechanism_joints[j].point) return false;
  return !mechanism_is_point(m, m->parent[i]) || j == SPHERICAL || j == DISTANCE;
}

/* Where marker b is as seen from where it meets marker a. */
static se3 stand_off(joint_kind j, check_rng *rng) {
  if (j == ROLLING_SPHERE) return (se3){so3_exp(random_vector(rng, 1)), {0, 0, 0.1}};
  if (j != ROLLING_DISC) return se3_identity();
  const double tilt = check_uniform(rng, -0.5, 0.5); /* radius 0.2, that of the edge 0.04 */
  return (se3){so3_exp((v3){tilt, 0, 0}), {0, 0, 0.16 * cos(tilt) + 0.04}};
}

static void place_markers(mechanism *m, int i, check_rng *rng) {
  random_body *b = &m->body[i];
  const int parent = m->parent[i];
  const bool point = mechanism_is_point(m, i);
  const bool apart = m->joint[i] == DISTANCE || m->joint[i] == SENSOR;
  se3 at = random_frame(rng, 0.5);
  if (mechanism_is_point(m, parent)) at.x = v3_zero();
  const se3 before = parent < 0 ? se3_identity() : m->body[parent].end;
  const se3 meet = se3_compose(se3_compose(before, at), stand_off(m->joint[i], rng));
  m->a[i] = at;
  if (apart) {
    m->b[i] = (se3){so3_exp(random_vector(rng, 1)), point ? v3_zero() : random_vector(rng, 0.3)};
    return;
  }
  const bool moved = point || b->kind == RIGID_SO3; /* to where marker a is */
  if (moved) b->frame.x = meet.x;
  m->b[i] = se3_compose(se3_inverse(b->frame), meet);
  if (moved) m->b[i].x = v3_zero();
}

/* The axes of the flexible bodies are 0.4 m long. */
static se3 far_end(const random_body *b) {
  const v3 along = {0.4, 0, 0}, bent = {0.12, 0.2, -0.16}, turned = {0, 0, 0.5};
  se3 step = se3_identity();
  if (b->kind == BEAM)
    step = se3_exp((twist){along, b->options & OPTION_CURVED ? bent : v3_zero()});
  if (b->kind == CABLE) step.x = along;
  if (b->kind == SUPERELEMENT) step = (se3){so3_exp(turned), along};
  return se3_compose(b->frame, step);
}

static void add_body(mechanism *m, int i, check_rng *rng) {
  random_body *b = &m->body[i];
  const int usual = random_index(rng, 3); /* every third one leads from the body before */
  m->parent[i] = usual ? i - 1 : random_index(rng, i + 1) - 1;
  b->kind = (body_kind)random_index(rng, BODY_KINDS);
  if (b->kind == RIGID_SO3) m->parent[i] = -1;
  b->options = random_index(rng, OPTIONS);
  if (m->conservative && b->kind == SUPERELEMENT) b->kind = RIGID_SE3;
  if (m->conservative && b->kind == BEAM)
    b->options = (b->options & ~OPTION_DAMPED) | OPTION_LUMPED;
  if (m->conservative && b->kind == CABLE) b->options &= ~OPTION_DAMPED;
  b->mass = check_uniform(rng, 0.5, 2);
  b->inertia = (v3){check_uniform(rng, 0.1, 0.14), check_uniform(rng, 0.1, 0.14),
                    check_uniform(rng, 0.1, 0.14)};
  b->center = random_vector(rng, 0.1);
  if (m->conservative && b->kind == RIGID_R3SO3) b->center = v3_zero();
  b->spin = random_vector(rng, 2);
  b->frame = random_frame(rng, 0.8);
  if (mechanism_is_point(m, i)) b->frame.R = so3_identity();
  do m->joint[i] = (joint_kind)random_index(rng, JOINT_KINDS);
  while (!fits(m, i, m->joint[i]));
  m->given_motions[i] = 1 + random_index(rng, mechanism_is_point(m, i) ? 7 : 15);
  place_markers(m, i, rng);
  b->end = far_end(b);
  const bool swings = b->kind == RIGID_SO3 && m->joint[i] == DISTANCE; /* by its arm */
  const bool spins = b->kind <= RIGID_SO3 && mechanism_joints[m->joint[i]].spins && !swings;
  if (!spins) b->spin = v3_zero();
}

/* ---- forces
 * ---------------------------------------------------------------------------------------- */

/* A joint before, which has a coordinate, or -1. */
static int find_partner(const mechanism *m, int i) {
  for (int k = i - 1; k >= 0; --k)
    if (mechanism_joints[m->joint[k]].coordinate) return k;
  return -1;
}

static bool has_markers_that_agree(const mechanism *m, int i) {
  const joint_kind j = m->joint[i];
  return !mechanism_is_point(m, i) && !mechanism_is_point(m, m->parent[i]) && j != DISTANCE &&
         j != SENSOR && j != ROLLING_DISC && j != ROLLING_SPHERE;
}

/* Returns the force that replaces one without a potential. */
static force_kind potential_force(force_kind f) {
  switch (f) {
  case DRAG:
    return ATTRACTION;
  case FRICTION:
    return STOP;
  case FORCE_ON_BODY:
    return FORCE;
  case ACTUATOR:
  case CONTROLLED:
    return COORDINATE_SPRING;
  case VELOCITY_DRIVE:
    return DRIVE;
  case VELOCITY_COUPLING:
    return COUPLING;
  default:
    return f;
  }
}

/* Returns the force that replaces one that the joint or the body does not have. */
static force_kind possible_force(const mechanism *m, int i, force_kind f) {
  const joint_kind j = m->joint[i];
  const bool measures = j == SENSOR || j == ANGLE_SENSOR;
  if (f >= COORDINATE_SPRING && !mechanism_joints[j].coordinate) return SPRING;
  if (f >= COUPLING && find_partner(m, i) < 0) return COORDINATE_SPRING;
  if (f == FRICTION && measures) return COORDINATE_SPRING;
  if (mechanism_constrains(f) && j == SENSOR) return COORDINATE_FORCE;
  if (f == DRIVE && !mechanism_from_zero(m, i))
    return m->conservative ? COORDINATE_FORCE : VELOCITY_DRIVE;
  if (f == STOP && !mechanism_from_zero(m, i)) return COORDINATE_SPRING;
  if ((f == BUSHING || f == AXLE) && !has_markers_that_agree(m, i)) return SPRING;
  const body_kind b = m->body[i].kind;
  if (f == BEAM_LOAD && b != BEAM && b != CABLE) return FORCE;
  if (f == FORCE_ON_BODY && mechanism_is_point(m, i)) return FORCE;
  return f;
}

/* ---- loops
 * ------------------------------------------------------------------------------------------ */

static int count_velocities(const random_body *b) {
  if (b->kind == RIGID_SO3 || b->kind == POINT) return 3;
  if (b->kind == CABLE || b->kind == SUPERELEMENT) return 12; /* three pieces; two interfaces */
  if (b->kind != BEAM) return 6;
  return 18 - (b->options & OPTION_INEXTENSIBLE ? 2 : 0) -
         (b->options & OPTION_SHEAR_RIGID ? 4 : 0);
}

static int count_freedoms(const mechanism *m, int i) {
  return count_velocities(&m->body[i]) - mechanism_joints[m->joint[i]].rows -
         (mechanism_constrains(m->force[i]) ? 1 : 0);
}

/* One mechanism in three has a loop, or a joint that is there twice.  With a rod more the bodies
 * that lead to it must still move, also where a drive does. */
static void add_loop(mechanism *m, check_rng *rng) {
  const int kind = random_index(rng, 9);
  int free = 0;
  for (int i = MECHANISM_BODIES - 1; i >= 0; i = m->parent[i]) free += count_freedoms(m, i);
  m->twice = random_index(rng, MECHANISM_BODIES);
  m->loop = kind == 0 ? TWICE : kind == 1 ? CLOSED : kind == 2 ? CLOSED_TWICE : TREE;
  if (m->loop >= CLOSED && free < 2) m->loop = TREE;
  if (m->loop == TREE) return;
  for (int i = 0; i < MECHANISM_BODIES; ++i) m->body[i].spin = v3_zero();
}

void mechanism_draw(mechanism *m, uint64_t seed) {
  check_rng rng = {seed * 7919 + 17};
  *m = (mechanism){.given = random_vector(&rng, 1), .conservative = seed % 4 == 0};
  for (int i = 0; i < MECHANISM_BODIES; ++i) {
    add_body(m, i, &rng);
    const force_kind f = (force_kind)random_index(&rng, FORCE_KINDS);
    m->force[i] = possible_force(m, i, m->conservative ? potential_force(f) : f);
    m->partner[i] = find_partner(m, i);
    m->gap[i] = check_uniform(&rng, -0.02, 0.005);
  }
  add_loop(m, &rng);
}

void mechanism_print(const mechanism *m) {
  static const char *const bodies[] = {"R3xSO3", "SE3",   "SO3",         "a point",
                                       "a beam", "cable", "superelement"};
  static const char *const forces[] = {"spring",
                                       "bushing",
                                       "axle",
                                       "force",
                                       "force on the body",
                                       "attraction",
                                       "drag",
                                       "contact",
                                       "beam load",
                                       "coordinate spring",
                                       "coordinate force",
                                       "friction",
                                       "stop",
                                       "actuator",
                                       "controlled force",
                                       "drive",
                                       "velocity drive",
                                       "coupling",
                                       "velocity coupling"};
  static const char *const loops[] = {"", ", twice", ", closed", ", closed twice"};
  for (int i = 0; i < MECHANISM_BODIES; ++i)
    print_error("    %s from %d to %s (%d), %s%s\n", mechanism_joints[m->joint[i]].type,
                m->parent[i], bodies[m->body[i].kind], m->body[i].options, forces[m->force[i]],
                i == m->twice || m->loop == CLOSED ? loops[m->loop] : "");
}
