/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "mechanism.h"

#include <stdlib.h>
#include <string.h>

#include "support.h"

columns mechanism_columns(const mechanism *m) {
  columns at = {0};
  int next = 0;
  for (int i = 0; i < MECHANISM_BODIES; ++i) {
    at.body[i] = next;
    next += mechanism_is_point(m, i) ? 3 : 7;
  }
  at.momentum = next;
  at.impulse = next + 3;
  at.angular_momentum = next + 6;
  at.angular_impulse = next + 9;
  at.balance = next + 12;
  return at;
}

bool mechanism_run(rows *out, const mechanism *m, const change *c, torsor_error *error) {
  char *scene = mechanism_scene(m, c);
  support_world world;
  support_trace trace = {0};
  *error = (torsor_error){0};
  *out = (rows){.at = mechanism_columns(m)};
  torsor_status status = support_open(&world, scene, NULL, error);
  if (!status) {
    status = support_run(&trace, &out->summary, &world, error);
    out->columns = trace.columns;
    out->count = trace.rows;
    out->value = trace.value;
    memcpy(out->warnings, trace.warnings, sizeof out->warnings);
    support_close(&world);
  }
  free(scene);
  if (status) mechanism_release(out);
  return !status;
}

void mechanism_release(rows *r) {
  free(r->value);
  *r = (rows){0};
}

const double *mechanism_row(const rows *r, int i) {
  return r->value + i * r->columns + 1;
}

double mechanism_difference(const mechanism *m, const columns *at, const double *base,
                            const double *other, const change *c) {
  double worst = 0;
  for (int i = 0; i < MECHANISM_BODIES; ++i) {
    const double *x = base + at->body[i], *y = other + at->body[i];
    const v3 moved = v3_add(so3_rotate(c->move.R, v3_load(x)), c->move.x);
    worst = check_max(worst, v3_norm(v3_sub(moved, v3_scale(v3_load(y), 1 / c->s))));
    if (mechanism_is_point(m, i)) continue;
    const so3 turned = so3_compose(c->move.R, so3_load(x + 3));
    worst = check_max(worst, v3_norm(so3_minus(so3_load(y + 3), turned)));
  }
  return worst;
}

/* ---- balances
 * ----------------------------------------------------------------------------------------- */

static double unbalanced_row(const rows *r, const double *row, balance kind) {
  const double *start = mechanism_row(r, 0);
  if (kind == BALANCE_ENERGY) return fabs(row[r->at.balance]);
  const bool angular = kind == BALANCE_ANGULAR;
  const int p = angular ? r->at.angular_momentum : r->at.momentum;
  const int i = angular ? r->at.angular_impulse : r->at.impulse;
  const v3 gained = v3_sub(v3_load(row + p), v3_load(start + p));
  return v3_norm(v3_sub(gained, v3_load(row + i)));
}

double mechanism_unbalanced(const rows *r, balance kind) {
  double worst = 0;
  for (int k = 0; k < r->count; ++k)
    worst = check_max(worst, unbalanced_row(r, mechanism_row(r, k), kind));
  return worst;
}

/* Where a cable goes slack its power has a corner, of EA strain' v = 20 N 2/0.13 s^-1 2 m/s = 600
 * W/s, and that of a damped one jumps, by EA damping strain' v = 6 W, at a time that the steps do
 * not know: the trapezoidal rule leaves up to h^2/8 and h/2 of these each time, of which there is
 * one for each of the pieces of two cables. */
static double slack_error(const mechanism *m) {
  const double h = MECHANISM_STEP / 2;
  const slack_kind kind = mechanism_slackens(m);
  return kind == NEVER_SLACK ? 0 : 6 * (kind == SLACK ? h * h / 8 * 600 : h / 2 * 6);
}

/* Momenta are of the size 10 N s, energies 10 J, and Newton's tolerance is 1e-10.  What quadratures
 * leave is of second order: steps of half the size leave a quarter, with the next term of the
 * series at most 1/2.5. */
double mechanism_balance_bound(const mechanism *m, const rows *r, balance kind) {
  return mechanism_unbalanced(r, kind) / 2.5 + 1e-10 * 10 * MECHANISM_STEPS +
         (kind == BALANCE_ENERGY ? slack_error(m) : 0);
}
