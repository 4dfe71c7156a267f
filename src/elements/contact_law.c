/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/contact_law.h"

/* Below this restitution a blow takes a dissipation that is nearly infinite. */
#define LEAST_RESTITUTION 0.01

const char *const contact_law_blows[] = {"each_blow", NULL};

double contact_law_number(double e) {
  /* D = x/e with 0 < x < 1: bisection on x to the last bit. */
  double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const double x = (low + high) / 2, D = x / e;
    if (!(x > low && x < high)) break;
    if (log1p(D) - log1p(-x) > (1 + e) * D)
      high = x;
    else
      low = x;
  }
  return (low + high) / (2 * e);
}

static torsor_status fail(torsor_error *error, const char *name, const char *what,
                          const char *advice) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" %s", name, what);
  torsor_hint(error, "%s", advice);
  return TORSOR_SCENE;
}

static torsor_status prepare_restitution(contact_law *law, const char *name, torsor_error *error) {
  const double e = law->restitution;
  const bool each = law->restitution_at >= 0, speed = !torsor_absent_number(law->restitution_speed);
  law->blow = 0;
  if (torsor_absent_number(e)) {
    if (!each && !speed) return TORSOR_OK;
    return fail(error, name, "says when a restitution holds, but has none",
                "add \"restitution\", the ratio of the speeds after and before a blow");
  }
  if (law->wall.dissipation > 0)
    return fail(error, name, "has both \"dissipation\" and \"restitution\"",
                "leave one of them out, as either says what a blow loses");
  if (each == speed)
    return fail(error, name,
                each ? "has its restitution at one speed and at each blow"
                     : "has a restitution, but not the speed at which it holds",
                each ? "leave \"restitution_speed\" or \"restitution_at\" out"
                     : "add \"restitution_speed\" in m/s, or \"restitution_at\": \"each_blow\"");
  if (e > 1)
    return fail(error, name, "has a restitution above 1: blows would give energy",
                "give a number from 0.01 to 1");
  if (e < LEAST_RESTITUTION) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has the restitution %g, which is below %g", name, e,
                LEAST_RESTITUTION);
    torsor_hint(error, "give 0.01 at least: a damped spring always gives some speed back");
    return TORSOR_SCENE;
  }
  const double number = e < 1 ? contact_law_number(e) : 0;
  if (each)
    law->blow = number;
  else
    law->wall.dissipation = number / law->restitution_speed;
  return TORSOR_OK;
}

static torsor_status prepare_friction(contact_law *law, const char *name, torsor_error *error) {
  const bool higher = !torsor_absent_number(law->static_friction);
  if (higher && law->static_friction < law->friction) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\": \"static_friction\" %g is less than \"friction\" %g",
                name, law->static_friction, law->friction);
    torsor_hint(error, "make it at least that, or leave it out");
    return TORSOR_SCENE;
  }
  if (!contact_law_sticks(law)) {
    if (!higher && !(law->tangential_damping > 0)) return TORSOR_OK;
    return fail(error, name, "has friction that sticks, but no spring of it",
                "add \"tangential_stiffness\" in N/m: about 0.8 of the stiffness across the "
                "surfaces at the usual load");
  }
  if (!higher) law->static_friction = law->friction;
  if (!(law->static_friction > 0))
    return fail(error, name, "has a tangential stiffness, but no friction to hold it",
                "add \"friction\", or leave \"tangential_stiffness\" out");
  return TORSOR_OK;
}

torsor_status contact_law_prepare(contact_law *law, const char *name, torsor_error *error) {
  torsor_status status = penalty_check(&law->wall, name, error);
  if (!status) status = prepare_restitution(law, name, error);
  return status ? status : prepare_friction(law, name, error);
}

/* ---- motion of a pair --------------------------------------------------------------------- */

/* Twist about the origin of a, from that of b in its axes. */
static twist about_a(m3 R, v3 p, twist V) {
  const v3 ang = m3_mulv(R, V.ang);
  return (twist){v3_sub(m3_mulv(R, V.lin), v3_cross(ang, p)), ang};
}

contact_pair contact_find_pair(const torsor_relative_in *in) {
  return (contact_pair){in->R, in->p, about_a(in->R, in->p, in->V), in->state, in->hold};
}

contact_moved contact_move_pair(const contact_pair *pair, const torsor_relative_in *in, int k) {
  double unit[6] = {0};
  unit[k % 6] = 1;
  const twist by = tw_load(unit);
  contact_moved out = {0};
  if (k >= 6) {
    out.motion = about_a(pair->R, pair->p, by);
    return out;
  }
  out.e = about_a(pair->R, pair->p, by);
  out.p = m3_mulv(pair->R, by.lin);
  out.motion.ang = v3_cross(out.e.ang, pair->motion.ang);
  out.motion.lin = v3_cross(out.e.ang, m3_mulv(pair->R, in->V.lin));
  out.motion.lin = v3_sub(out.motion.lin, v3_cross(out.motion.ang, pair->p));
  out.motion.lin = v3_sub(out.motion.lin, v3_cross(pair->motion.ang, out.p));
  return out;
}

/* ---- the spring along the surfaces -------------------------------------------------------- */

static m3 kept_axes(const double *state) {
  return m3_rows(v3_load(state + 3), v3_load(state + 6), v3_load(state + 9));
}

static const double *kept_point(const double *state, int id) {
  return state + contact_states(id);
}

static v3 along(v3 n, v3 x) {
  return v3_axpy(-v3_dot(n, x), n, x);
}

/* Displacement of b along the surfaces since the last accepted step: of its material at the
 * contact, by means over both ends, so that rolling has none. */
typedef struct displacement {
  v3 raw, psi, arm;
} displacement;

static displacement find_displacement(const contact_pair *pair, const double *point, v3 c) {
  const v3 p0 = v3_load(pair->state);
  displacement d;
  d.psi = so3_log_matrix(m3_mul(pair->R, m3_transpose(kept_axes(pair->state))));
  d.arm = v3_scale(v3_sub(v3_add(v3_load(point + CONTACT_PLACE), c), v3_add(p0, pair->p)), 0.5);
  d.raw = v3_add(v3_sub(pair->p, p0), v3_cross(d.psi, d.arm));
  return d;
}

/* Normals nearer to opposite than this have no smallest rotation: the spring begins anew. */
#define OPPOSITE 1e-6

/* z turned by the smallest rotation from n0 to n. */
static v3 turned(v3 z, v3 n0, v3 n) {
  if (1 + v3_dot(n0, n) < OPPOSITE) return v3_zero();
  const v3 w = v3_cross(n0, n), once = v3_cross(w, z);
  return v3_axpy(1 / (1 + v3_dot(n0, n)), v3_cross(w, once), v3_add(z, once));
}

static v3 turned_change(v3 z, v3 n0, v3 n, v3 dn) {
  if (1 + v3_dot(n0, n) < OPPOSITE) return v3_zero();
  const v3 w = v3_cross(n0, n), dw = v3_cross(n0, dn), once = v3_cross(w, z);
  const double f = 1 / (1 + v3_dot(n0, n));
  const v3 twice = v3_add(v3_cross(dw, once), v3_cross(w, v3_cross(dw, z)));
  const v3 both = v3_axpy(f, twice, v3_cross(dw, z));
  return v3_axpy(-f * f * v3_dot(n0, dn), v3_cross(w, once), both);
}

void contact_add_friction(contact_force *f, const contact_law *law, const contact_pair *pair,
                          const touch_point *at) {
  f->slip = along(at->n, v3_add(pair->motion.lin, v3_cross(pair->motion.ang, f->c)));
  if (!contact_law_sticks(law) || !pair->state || !(f->push > 0)) return;
  const double *point = kept_point(pair->state, at->id);
  const displacement d = find_displacement(pair, point, f->c);
  const bool stuck = point[CONTACT_STUCK] > 0;
  const double k = law->tangential_stiffness, damping = law->tangential_damping;
  const v3 before = turned(v3_load(point + CONTACT_Z), v3_load(point + CONTACT_NORMAL), at->n);
  v3 step = along(at->n, d.raw), rate = f->slip;
  if (at->spin > 0) {
    step = v3_axpy(at->spin * v3_dot(at->n, d.psi), at->n, step);
    rate = v3_axpy(at->spin * v3_dot(at->n, pair->motion.ang), at->n, rate);
  }
  f->z = v3_add(before, step);
  f->trial = v3_scale(v3_axpy(k, f->z, v3_scale(rate, damping)), -at->part);
  f->limit = (stuck ? law->static_friction : law->friction) * f->push;
  const double size = v3_norm(f->trial);
  f->sticks = size <= f->limit;
  f->rub = f->sticks ? f->trial : v3_scale(f->trial, f->limit / size);
  if (!f->sticks && at->part > 0) /* the spring alone is as long as the force is */
    f->z = v3_scale(f->rub, -1 / (k * at->part));
  f->friction = f->rub;
  if (at->spin > 0) {
    f->friction = along(at->n, f->rub);
    f->couple = v3_axpy(at->spin * v3_dot(at->n, f->rub), at->n, f->couple);
  }
  f->force = v3_add(f->force, f->friction);
  f->kept = at->part * k * v3_norm2(f->z) / 2;
  f->put_in = at->part * k * v3_dot(v3_add(before, f->z), step) / 2;
}

/* Change of n spin (n . turn), whose turn changes by `turning`. */
static v3 spin_change(const touch_point *at, const contact_pressing *by, v3 turn, v3 turning) {
  const double size = v3_dot(at->n, turn), change = v3_dot(by->n, turn) + v3_dot(at->n, turning);
  return v3_axpy(at->spin * size, by->n, v3_scale(at->n, by->spin * size + at->spin * change));
}

/* Change of `trial`. */
static v3 trial_change(const contact_law *law, const contact_pair *pair, const touch_point *at,
                       const contact_force *f, const contact_moved *moved,
                       const contact_pressing *by, v3 drate) {
  const double *point = kept_point(pair->state, at->id);
  const displacement d = find_displacement(pair, point, f->c);
  const v3 turn = m3_tmulv(so3_taninv(d.psi), moved->e.ang);
  v3 raw = v3_add(moved->p, v3_cross(turn, d.arm));
  raw = v3_add(raw, v3_cross(d.psi, v3_scale(v3_sub(by->c, moved->p), 0.5)));
  v3 dz = turned_change(v3_load(point + CONTACT_Z), v3_load(point + CONTACT_NORMAL), at->n, by->n);
  dz = v3_add(dz, along(at->n, raw));
  dz = v3_sub(dz, v3_axpy(v3_dot(at->n, d.raw), by->n, v3_scale(at->n, v3_dot(by->n, d.raw))));
  if (at->spin > 0) dz = v3_add(dz, spin_change(at, by, d.psi, turn));
  const v3 rising =
      v3_axpy(law->tangential_stiffness, dz, v3_scale(drate, law->tangential_damping));
  const v3 sharing = v3_scale(f->trial, at->part > 0 ? by->part / at->part : 0);
  return v3_axpy(-at->part, rising, sharing);
}

static v3 friction_change(const contact_pair *pair, const contact_force *f, v3 dtrial,
                          double dpush) {
  if (f->sticks || pair->hold) return dtrial;
  const double size = v3_norm(f->trial);
  const v3 way = v3_scale(f->trial, 1 / size);
  const double limit = f->push > 0 ? f->limit / f->push * dpush : 0;
  return v3_axpy(limit, way, v3_scale(along(way, dtrial), f->limit / size));
}

/* Changes of the friction and its couple, of the change of `rub`. */
static contact_rubbing split(const touch_point *at, const contact_force *f,
                             const contact_pressing *by, v3 change) {
  if (!(at->spin > 0)) return (contact_rubbing){.force = change};
  const double turning = v3_dot(at->n, f->rub);
  const double faster = v3_dot(by->n, f->rub) + v3_dot(at->n, change);
  const v3 normal = v3_axpy(turning, by->n, v3_scale(at->n, faster));
  return (contact_rubbing){v3_sub(change, normal),
                           v3_axpy(at->spin, normal, v3_scale(at->n, by->spin * turning))};
}

contact_rubbing contact_friction_change(const contact_law *law, const contact_pair *pair,
                                        const touch_point *at, const contact_force *f,
                                        const contact_moved *moved, const contact_pressing *by) {
  if (!contact_law_sticks(law) || !pair->state || !(f->push > 0)) return (contact_rubbing){0};
  const twist V = pair->motion, dV = moved->motion;
  const v3 m = v3_add(V.lin, v3_cross(V.ang, f->c));
  const v3 dm = v3_add(dV.lin, v3_add(v3_cross(dV.ang, f->c), v3_cross(V.ang, by->c)));
  const v3 turning = v3_axpy(v3_dot(at->n, m), by->n, v3_scale(at->n, v3_dot(by->n, m)));
  v3 rate = v3_sub(along(at->n, dm), turning);
  if (at->spin > 0) rate = v3_add(rate, spin_change(at, by, V.ang, dV.ang));
  const v3 trial = trial_change(law, pair, at, f, moved, by, rate);
  return split(at, f, by, friction_change(pair, f, trial, by->push));
}

/* ---- a point ------------------------------------------------------------------------------- */

contact_force contact_eval(const contact_law *law, const contact_pair *pair, const touch_point *at,
                           double share) {
  const penalty wall = contact_law_wall(law, pair->state, at->id);
  const double d = -at->gap;
  contact_force f = {.c = v3_axpy(share, v3_sub(at->a, at->b), at->b)};
  if (!(d > 0)) return f;
  f.push =
      at->part * penalty_force(&wall, d, -touch_rate(at, pair->motion), &f.by_depth, &f.by_rate);
  f.force = v3_scale(at->n, f.push);
  f.energy = at->part * penalty_energy(&wall, d);
  if (at->share != 0) f.couple = v3_scale(touch_turn(at), -penalty_energy(&wall, d));
  contact_add_friction(&f, law, pair, at);
  return f;
}

double contact_friction_loss(const contact_law *law, const contact_pair *pair,
                             const touch_point *at, const contact_force *f) {
  if (!contact_law_sticks(law) || !pair->state || !(f->push > 0)) return 0;
  const double turning = at->spin > 0 ? at->spin * v3_dot(at->n, pair->motion.ang) : 0;
  const v3 spring = v3_scale(f->z, law->tangential_stiffness * at->part);
  return -v3_dot(v3_add(f->rub, spring), v3_axpy(turning, at->n, f->slip));
}

double contact_loss(const contact_law *law, const contact_pair *pair, const touch_point *at,
                    const contact_force *f) {
  const double d = -at->gap;
  if (!(d > 0)) return 0;
  const penalty wall = contact_law_wall(law, pair->state, at->id);
  const double deeper = -touch_rate(at, pair->motion);
  const double spring = at->part * penalty_force(&wall, d, 0, NULL, NULL);
  return (f->push - spring) * deeper + contact_friction_loss(law, pair, at, f);
}

contact_change contact_eval_change(const contact_law *law, const contact_pair *pair,
                                   const touch_point *at, double share, const contact_force *f,
                                   const contact_moved *moved) {
  const touch_change g = touch_move(at, moved->e);
  const twist V = pair->motion, dV = moved->motion;
  contact_change out = {.c = v3_axpy(share, v3_sub(g.a, g.b), g.b)};
  const v3 passing = v3_add(V.lin, v3_cross(V.ang, at->b));
  const v3 faster = v3_add(dV.lin, v3_add(v3_cross(dV.ang, at->b), v3_cross(V.ang, g.b)));
  const double rate = v3_dot(g.n, passing) + v3_dot(at->n, faster) + v3_dot(at->glide, dV.ang);
  const double pressure = at->part > 0 ? f->push / at->part : 0;
  const double push = g.part * pressure - at->part * (f->by_depth * g.gap + f->by_rate * rate);
  out.force = v3_axpy(push, at->n, v3_scale(g.n, f->push));
  if (at->share != 0) {
    const double d = -at->gap;
    const v3 spreading = v3_scale(g.turn, -penalty_energy(&law->wall, d));
    out.couple = v3_axpy(g.gap * law->wall.stiffness * pow(d, law->wall.exponent), touch_turn(at),
                         spreading);
  }
  const contact_pressing by = {.n = g.n, .c = out.c, .part = g.part, .push = push};
  out.force = v3_add(out.force, contact_friction_change(law, pair, at, f, moved, &by).force);
  return out;
}

twist contact_wrench(const contact_pair *pair, const contact_force *f) {
  const v3 moment = v3_add(v3_cross(v3_sub(f->c, pair->p), f->force), f->couple);
  return (twist){m3_tmulv(pair->R, f->force), m3_tmulv(pair->R, moment)};
}

twist contact_wrench_change(const contact_pair *pair, const contact_force *f,
                            const contact_change *change, const contact_moved *moved) {
  const v3 arm = v3_sub(f->c, pair->p), darm = v3_sub(change->c, moved->p);
  const v3 moment = v3_add(v3_cross(arm, f->force), f->couple);
  v3 dmoment = v3_add(v3_cross(darm, f->force), v3_cross(arm, change->force));
  dmoment = v3_add(dmoment, change->couple);
  return (twist){m3_tmulv(pair->R, v3_sub(change->force, v3_cross(moved->e.ang, f->force))),
                 m3_tmulv(pair->R, v3_sub(dmoment, v3_cross(moved->e.ang, moment)))};
}

/* ---- what is kept -------------------------------------------------------------------------- */

double contact_put_in(const contact_pair *pair, const contact_force *f, int count) {
  double sum = pair->state ? pair->state[CONTACT_PUT_IN] : 0;
  for (int i = 0; i < count; ++i) sum += f[i].put_in;
  return sum;
}

double contact_kept(const contact_force *f, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += f[i].kept;
  return sum;
}

void contact_keep_pair(double *state, const contact_pair *pair, const contact_force *f, int count) {
  state[CONTACT_PUT_IN] = contact_put_in(pair, f, count);
  v3_store(state, pair->p);
  for (int i = 0; i < 3; ++i) v3_store(state + 3 + 3 * i, m3_row(pair->R, i));
}

/* Closing speed with which an open point will touch: its acceleration is that of the last step in
 * the open, a = D(c^2)/(2 D gap), so that c^2 + 2 a gap is exact where a is constant.  `before`:
 * NULL, or the numbers of the point at the start of the step. */
static double meeting_speed(const double *before, double gap, double closing) {
  const double way = before ? before[CONTACT_GAP] - gap : 0;
  if (!(way > 0 && before[CONTACT_GAP] > 0)) return closing;
  const double c = before[CONTACT_CLOSING];
  const double square = closing * closing + (closing * closing - c * c) / way * gap;
  return square > 0 && c > 0 ? sqrt(square) : closing;
}

void contact_keep_point(double *state, const contact_law *law, const contact_pair *pair,
                        const touch_point *at, const contact_force *f) {
  double *point = state + contact_states(at->id);
  const double *before = pair->state ? kept_point(pair->state, at->id) : NULL;
  const double closing = -touch_rate(at, pair->motion);
  const bool apart = !(at->gap < 0);
  v3_store(point + CONTACT_Z, f->z);
  point[CONTACT_STUCK] = !pair->state || f->sticks;
  point[CONTACT_SPEED] = apart    ? fmax(law->rest_speed, meeting_speed(before, at->gap, closing))
                         : before ? before[CONTACT_SPEED]
                                  : law->rest_speed;
  v3_store(point + CONTACT_NORMAL, at->n);
  v3_store(point + CONTACT_PLACE, f->c);
  point[CONTACT_GAP] = apart ? at->gap : 0;
  point[CONTACT_CLOSING] = closing;
}
