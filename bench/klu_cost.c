/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "klu_cost.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/observe/clock.h"
#include "analysis/start/constraints.h"
#include "analysis/start/initial.h"
#include "assembly/assembly.h"
#include "assembly/solver/linear_solver.h"

/* Steps before the matrix is taken; batches of which the least counts, and CPU time of one. */
enum { STEPS = 20, BATCHES = 9 };
static const double BATCH_SECONDS = 4e-3;

/* A run of its own, as the library's ends with its memory. */
typedef struct trial {
  arena memory;
  assembly *assembly;
  torsor_integrator *integrator;
} trial;

static void trial_close(trial *t) {
  torsor_integrator_destroy(t->integrator);
  assembly_destroy(t->assembly);
  arena_release(&t->memory);
}

static torsor_status trial_start(trial *t, const torsor_model *model,
                                 const torsor_simulation *simulation, torsor_error *error) {
  const torsor_settings *settings = &simulation->settings;
  initial_state initial;
  row_rank rank = {0};
  torsor_status status = assembly_create(&t->assembly, model, linear_solver_klu.name,
                                         torsor_settings_stabilised(settings), error);
  if (!status) status = initial_state_find(&initial, t->assembly, model, NULL, &t->memory, error);
  if (!status) status = constraints_rank(&rank, t->assembly, initial.q);
  if (status) return status;
  assembly_set_redundant(t->assembly, rank.dependent_count > 0);
  row_rank_release(&rank);
  status = torsor_integrator_create(&t->integrator, assembly_problem(t->assembly), settings, error);
  if (status) return status;
  assembly_start_coordinates(t->assembly, &(torsor_point){.q = initial.q, .v = initial.v});
  return torsor_integrator_start(t->integrator, 0, initial.q, initial.v);
}

typedef struct subject {
  void *self;
  const double *Ax;
  double *x;
  int n;
} subject;

static torsor_status refactor(const subject *s) {
  return linear_solver_klu.refactor(s->self, s->Ax);
}

/* Of ones, so that it does not run away. */
static torsor_status solve(const subject *s) {
  for (int i = 0; i < s->n; ++i) s->x[i] = 1;
  return linear_solver_klu.solve(s->self, s->x);
}

/* us of one call. */
static double cost_of(torsor_status (*call)(const subject *), const subject *s) {
  double least = HUGE_VAL;
  for (int batch = 0; batch < BATCHES; ++batch) {
    const double start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
    double spent;
    int calls = 0;
    do {
      /* the clock costs as much as a solve of a small matrix */
      for (int i = 0; i < 16; ++i, ++calls)
        if (call(s)) return (double)NAN;
      spent = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    } while (spent < BATCH_SECONDS);
    least = fmin(least, spent / calls);
  }
  return 1e6 * least;
}

static torsor_status measure_matrix(figures *out, const assembly *a) {
  const int *Ap, *Ai;
  const torsor_problem *problem = assembly_problem(a);
  subject s = {.Ax = assembly_matrix(a, &out->nonzeros, &Ap, &Ai)};
  s.n = problem->nv + problem->nl;
  if (Ap[s.n] < out->nonzeros) s.n += problem->nl;
  out->unknowns = s.n;
  const pattern p = {.n = s.n, .nonzeros = out->nonzeros, .Ap = (int *)Ap, .Ai = (int *)Ai};
  s.x = malloc((size_t)s.n * sizeof *s.x);
  torsor_status status = s.x ? linear_solver_klu.analyse(&s.self, &p, NULL) : TORSOR_MEMORY;
  if (!status) status = linear_solver_klu.factor(s.self, s.Ax);
  if (!status) {
    out->refactor = cost_of(refactor, &s);
    out->solve = cost_of(solve, &s);
  }
  if (s.self) linear_solver_klu.destroy(s.self);
  free(s.x);
  return status == TORSOR_SINGULAR ? TORSOR_OK : status;
}

torsor_status klu_cost(figures *out, const torsor_model *model, const torsor_simulation *simulation,
                       torsor_error *error) {
  trial t = {0};
  out->refactor = out->solve = (double)NAN;
  torsor_status status = trial_start(&t, model, simulation, error);
  for (int i = 0; i < STEPS && !status; ++i) status = torsor_integrator_step(t.integrator);
  if (!status) status = measure_matrix(out, t.assembly);
  trial_close(&t);
  return status && error && !error->status
             ? torsor_fail(error, status, "the matrix cannot be measured: %s",
                           torsor_status_text(status))
             : status;
}
