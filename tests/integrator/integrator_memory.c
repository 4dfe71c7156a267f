/* SPDX-License-Identifier: GPL-3.0-or-later */

/* No allocation inside steps, and every allocation of the creating calls may fail.  Linked with
 * -Wl,--wrap for malloc, calloc, realloc and aligned_alloc. */

#include <stdlib.h>

#include <torsor/integrator.h>

#include "check.h"
#include "problems/heavy_top.h"
#include "problems/trial.h"

static long allocations, fail_at; /* fail_at = n: the n-th from now on fails, 0: none */

static bool refused(void) {
  ++allocations;
  return fail_at > 0 && --fail_at == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

void *__wrap_malloc(size_t size) {
  return refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  return refused() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
  return refused() ? NULL : __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  return refused() ? NULL : __real_aligned_alloc(alignment, size);
}

/* Index 3, GGL, SOI2, SOI2 additive, HHT, RATTLE, Radau, explicit of order 8 and of order 5,
 * auto. */
enum { FORMS = 10 };

static torsor_settings settings_of(int form) {
  const torsor_formulation formulation = form == 1 ? TORSOR_GGL : TORSOR_INDEX3;
  torsor_settings s = trial_settings(1e-3, formulation, TORSOR_START_PERTURBED, 0.9);
  if (form == 2 || form == 3) trial_use(&s, "soi2");
  s.additive = form == 3;
  if (form == 4) {
    trial_use(&s, "hht_odae");
    s.alpha = torsor_alpha_hht(-0.1);
  }
  if (form == 5) trial_use(&s, "rattle");
  if (form == 6) trial_use(&s, "radau");
  if (form >= 7) trial_use(&s, "explicit");
  if (form == 8) s.order = 5;
  if (form == 9) {
    trial_use(&s, "auto");
    s.accuracy.position = s.accuracy.rotation = 1e-4;
  }
  return s;
}

static void test_no_allocation(void **state) {
  (void)state;
  const heavy_top_group groups[] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3, HEAVY_TOP_SO3};
  for (int i = 0; i < FORMS * 3; ++i) {
    const heavy_top_group group = groups[i / FORMS];
    const torsor_dense d = heavy_top_dense(group);
    torsor_settings s = settings_of(i % FORMS);
    /* A few steps too long for so few iterations, so that halving and recovery are seen too. */
    s.max_iterations = i % FORMS == 6 ? 7 : 3;
    double q[7], v[6];
    heavy_top_initial(q, v, group);
    trial t = trial_open(&d, &s, q, v);
    const long before = allocations;
    CHECK_INT(torsor_integrator_start(t.integrator, 0, q, v), TORSOR_OK);
    for (int n = 0; n < 200; ++n) CHECK_INT(torsor_integrator_step(t.integrator), TORSOR_OK);
    CHECK_INT(allocations - before, 0);
    print_message("  200 steps, %ld rejected: no allocation\n",
                  torsor_integrator_counters(t.integrator).rejected_steps);
    trial_close(&t);
  }
}

/* Fail the n-th allocation for all n until both creating calls succeed. */
static void test_failing_allocation(void **state) {
  (void)state;
  for (int form = 0; form < FORMS; ++form) {
    const torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
    const torsor_settings s = settings_of(form);
    int n = 0;
    bool done = false;
    while (!done) {
      torsor_problem *problem;
      torsor_integrator *integrator = NULL;
      torsor_error error = {0};
      CHECK_LE(n, 100);
      fail_at = ++n;
      torsor_status status = torsor_dense_create(&problem, &d, &error);
      if (!status) status = torsor_integrator_create(&integrator, problem, &s, &error);
      done = fail_at > 0;
      fail_at = 0;
      CHECK_INT(status, done ? TORSOR_OK : TORSOR_MEMORY);
      CHECK_INT(error.status, done ? TORSOR_OK : TORSOR_MEMORY);
      if (!done) CHECK_CONTAINS(error.message, "out of memory");
      torsor_integrator_destroy(integrator);
      torsor_dense_destroy(problem);
    }
    print_message("  %d allocations, each failed once\n", n - 1);
    CHECK_GE(n, 4);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_allocation),
                                     cmocka_unit_test(test_failing_allocation)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
