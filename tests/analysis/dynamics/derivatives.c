/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Derivatives of runs through the C interface: those of torsor_simulate, saved and restored to the
 * bit; a mass on a spring against its closed form; what is refused. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"

/* x = x0 cos(w t), w^2 = k/m = 4: dx/dk = -x0 sin(w t) t / (2 m w), dx/dx0 = cos(w t). */
static const char oscillator[] =
    "{\"torsor\": 1, \"parameters\": {\"k\": 4, \"x0\": 0.5},"
    " \"inputs\": {\"push\": 0},"
    " \"bodies\": [{\"name\": \"m\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [\"x0\", "
    "0, 0]}],"
    " \"joints\": [{\"name\": \"s\", \"type\": \"point_on_line\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\": \"m\"}],"
    " \"forces\": [{\"name\": \"f\", \"type\": \"coordinate_spring\", \"coordinate\": "
    "\"s.travel\", \"stiffness\": \"k\"},"
    "  {\"name\": \"p\", \"type\": \"coordinate_force\", \"coordinate\": \"s.travel\", \"effort\": "
    "\"push\"}],"
    " \"sensitivities\": [\"k\", \"x0\"], \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

typedef struct subject {
  support_world world;
  torsor_sensitivities *by;
  torsor_signals *signals;
} subject;

static const char *const names[] = {"m.position.x", "m.velocity.x"};
enum { OWN = 2, COLUMNS = 6 };

static void open_subject(subject *s) {
  torsor_error error = {0};
  CHECK_INT(support_open(&s->world, oscillator, NULL, &error), TORSOR_OK);
  CHECK_INT(torsor_scene_sensitivities(&s->by, s->world.scene, s->world.model, &error), TORSOR_OK);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, OWN, NULL, NULL), TORSOR_OK);
  CHECK_INT(torsor_signals_differentiate(s->signals, s->by, &error), TORSOR_OK);
  CHECK_INT(torsor_signals_count(s->signals), COLUMNS);
  assert_true(strcmp(torsor_signals_name(s->signals, 2), "d(m.position.x)/d(k)") == 0);
  assert_true(strcmp(torsor_signals_name(s->signals, 5), "d(m.velocity.x)/d(x0)") == 0);
}

static void close_subject(subject *s) {
  torsor_signals_destroy(s->signals);
  torsor_scene_sensitivities_destroy(s->by);
  support_close(&s->world);
}

static torsor_run *begin(const subject *s) {
  torsor_run_options options = TORSOR_RUN_OPTIONS_INIT;
  options.signals = s->signals;
  torsor_run *run = NULL;
  CHECK_INT(torsor_run_create(&run, s->world.model, torsor_scene_simulation(s->world.scene),
                              &options, NULL),
            TORSOR_OK);
  return run;
}

/* The method's frequency is off by (w h)^2 (5/12 at most, for numerical damping rho = 0.8 less), so
 * that the phase w t = 4 is off by 4 (2e-3)^2/2 = 8e-6, and derivatives by that times their rate.
 */
static const double CLOSED = 4e-5;

static void test_closed_form(void **state) {
  (void)state;
  subject s;
  double value[COLUMNS];
  open_subject(&s);
  torsor_run *run = begin(&s);
  for (int i = 1; i <= 4; ++i) {
    const double t = 0.5 * i, w = 2, x0 = 0.5;
    CHECK_INT(torsor_run_advance(run, t, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s.signals, value, NULL), TORSOR_OK);
    CHECK_NEAR(value[2], -x0 * sin(w * t) * t / (2 * w), CLOSED);
    CHECK_NEAR(value[4], cos(w * t), CLOSED);
    CHECK_NEAR(value[5], -w * sin(w * t), CLOSED);
  }
  torsor_run_destroy(run);
  close_subject(&s);
}

/* A run that is saved half way and restored into another one goes on to the bit. */
static void test_saved(void **state) {
  (void)state;
  subject s;
  double whole[COLUMNS], restored[COLUMNS];
  size_t size;
  open_subject(&s);
  torsor_run *run = begin(&s), *other = begin(&s);
  CHECK_INT(torsor_run_advance(run, 0.7, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_save(run, NULL, 0, &size, NULL), TORSOR_OK);
  void *bytes = malloc(size);
  CHECK_INT(torsor_run_save(run, bytes, size, &size, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
  free(bytes);
  CHECK_INT(torsor_run_advance(run, 1.1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 1.1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, whole, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, restored, NULL), TORSOR_OK);
  assert_true(memcmp(whole, restored, sizeof whole) == 0);
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  close_subject(&s);
}

/* The neighbours would not see what a caller changes; runs without them give NaN. */
static void test_refused(void **state) {
  (void)state;
  subject s;
  torsor_error error = {0};
  double value[COLUMNS];
  const double q[3] = {0.4, 0, 0}, v[3] = {0};
  open_subject(&s);
  CHECK_INT(torsor_signals_differentiate(s.signals, s.by, &error), TORSOR_ARGUMENT);
  assert_true(strstr(error.message, "have derivatives already") != NULL);
  torsor_run *run = begin(&s);
  CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_state(run, q, v, &error), TORSOR_ARGUMENT);
  assert_true(strstr(error.message, "a run with sensitivities cannot be changed") != NULL);
  CHECK_INT(torsor_run_set_step(run, 1e-4, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_set_input(run, 0, 1, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_set_parameter(run, "f.stiffness", 3, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_values(run, s.signals, value, NULL), TORSOR_OK);
  assert_true(isfinite(value[2]));
  torsor_run_destroy(run);
  CHECK_INT(
      torsor_run_create(&run, s.world.model, torsor_scene_simulation(s.world.scene), NULL, NULL),
      TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, value, NULL), TORSOR_OK);
  assert_true(isfinite(value[0]) && isnan(value[2]) && isnan(value[5]));
  torsor_run_destroy(run);
  close_subject(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_form),
                                     cmocka_unit_test(test_saved), cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
