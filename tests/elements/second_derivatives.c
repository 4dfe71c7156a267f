/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"
#include "check.h"
#include "support.h"

#include <stdio.h>
#include <torsor/joint.h>

/** Second derivatives of joint coordinates: of every type against differences of its gradients, and
 * mechanisms that need them at sizes from a micrometre to ten kilometres, where nothing but the
 * size may change. */

/* ---- every coordinate of every type ---------------------------------------------------------- */

enum { FRAMES = 20 };

/* Step of differences of order 4: rounding eps/h and truncation h^4 in balance. */
#define STEP 1e-3

static torsor_relative_in start_of(const torsor_joint *joint) {
  const torsor_marker *a = &joint->a, *b = &joint->b;
  return (torsor_relative_in){.R = m3_tmul(a->R0, b->R0),
                              .p = m3_tmulv(a->R0, v3_sub(b->x0, a->x0))};
}

static torsor_relative_in moved_by(const torsor_relative_in *in, const double e[6]) {
  torsor_relative_in out = *in;
  out.p = v3_add(in->p, m3_mulv(in->R, v3_load(e)));
  out.R = m3_mul(in->R, so3_rodrigues(v3_load(e + 3)));
  return out;
}

/* Largest difference of column k, relative to the size of K. */
static double column_error(const torsor_joint *joint, int index, const torsor_relative_in *in,
                           const torsor_coordinate_out *c, int k) {
  static const double weight[2] = {2.0 / 3, -1.0 / 12};
  double sum[6] = {0}, worst = 0, size = 1;
  for (int i = 0; i < 2; ++i)
    for (int sign = -1; sign <= 1; sign += 2) {
      double e[6] = {0};
      e[k] = sign * (i + 1) * STEP;
      const torsor_relative_in at = moved_by(in, e);
      torsor_coordinate_out near = {0};
      joint->coordinate(joint, index, &at, &near);
      for (int j = 0; j < 6; ++j) sum[j] += sign * weight[i] * near.J[j] / STEP;
    }
  for (int j = 0; j < 6; ++j) {
    for (int l = 0; l < 6; ++l) size = check_max(size, fabs(c->K[j][l]));
    worst = check_max(worst, fabs(sum[j] - c->K[j][k]));
  }
  return worst / size;
}

static double type_error(const torsor_element_type *type, int *count) {
  support_world world;
  torsor_error error = {0};
  check_rng rng = {99};
  double worst = 0;
  CHECK_INT(support_open(&world, type->example, NULL, &error), TORSOR_OK);
  for (int i = 0; i < world.model->element_count; ++i) {
    const model_element *e = &world.model->element[i];
    if (e->type != type) continue;
    const torsor_joint *joint = e->instance;
    for (int f = 0; f < FRAMES * e->coordinates; ++f, ++*count) {
      double off[6];
      for (int k = 0; k < 6; ++k)
        off[k] = check_uniform(&rng, k < 3 ? -0.2 : -0.5, k < 3 ? 0.2 : 0.5);
      const torsor_relative_in start = start_of(joint), in = moved_by(&start, off);
      torsor_coordinate_out c = {.second = true};
      joint->coordinate(joint, f % e->coordinates, &in, &c);
      for (int k = 0; k < 6; ++k)
        worst = check_max(worst, column_error(joint, f % e->coordinates, &in, &c, k));
    }
  }
  support_close(&world);
  return worst;
}

static void every_coordinate_gives_its_own(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(NULL);
  int types = 0, count = 0;
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    if (!type->coordinates.list || type->coordinates.eval != torsor_joint_coordinate) continue;
    const double worst = type_error(type, &count);
    /* h^4/30 times the fifth derivative, some 10^3; the third derivative of a spline jumps by about
     * 1 at its points, which a step may cross: h times that */
    const double bound = strcmp(type->name, "point_on_curve") == 0 ? 2e-3 : 1e-10;
    check_report(type->name, worst, bound);
    CHECK_LE(worst, bound);
    ++types;
  }
  CHECK_GE(types, 9);
  print_message("  %d types, %d frames\n", types, count);
  torsor_registry_destroy(registry);
}

/* ---- mechanisms of every size ---------------------------------------------------------------- */

static const double sizes[] = {1e-6, 1e-5, 1e-4, 1e-2, 1, 100, 1e4};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Root mean square of the first signal over a run with "d" = size. */
static double signal_size(const char *text, double size) {
  char set[64];
  const char *const sets[] = {set, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  double sum = 0;
  snprintf(set, sizeof set, "parameters.d=%.17g", size);
  if (support_open(&world, text, sets, &error) || support_run(&trace, &summary, &world, &error))
    fail_msg("size %g: %s", size, error.message);
  for (int i = 0; i < trace.rows; ++i)
    sum += support_row(&trace, i)[1] * support_row(&trace, i)[1] / trace.rows;
  support_trace_release(&trace);
  support_close(&world);
  return sqrt(sum);
}

/* A mass goes round an eye that a winch keeps it away from: effort m v^2/d, v = 10 d per second. */
static void effort_of_a_winch(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"parameters\": {\"d\": 1}, \"bodies\": [{\"name\": "
      "\"m\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [\"d\", 0, 0], \"velocity\": "
      "[0, \"10*d\", 0]}], \"joints\": [{\"name\": \"eye\", \"type\": \"sensor\", \"a\": "
      "\"ground\", \"b\": \"m\"}, {\"name\": \"winch\", \"type\": \"drive\", \"coordinate\": "
      "\"eye.distance\", \"motion\": \"d\"}], \"simulation\": {\"step\": 1e-3, \"duration\": 0.2},"
      " \"output\": {\"signals\": [\"winch.effort\"]}}";
  double worst = 0;
  for (int i = 0; i < SIZES; ++i)
    worst = check_max(worst, fabs(signal_size(scene, sizes[i]) / (100 * sizes[i]) - 1));
  /* error of the method: (omega h)^2/12 = 8e-6 at most for turns of 0.01 rad */
  check_report("effort of a winch, 1e-6 to 1e4 m", worst, 1e-4 / 12);
  CHECK_LE(worst, 1e-4 / 12);
}

/* Ratios to the size 1 of mechanisms that differ in their size only. */
static void check_similar(const char *name, const char *scene) {
  const double base = signal_size(scene, 1);
  double worst = 0;
  for (int i = 0; i < SIZES; ++i)
    worst = check_max(worst, fabs(signal_size(scene, sizes[i]) / (base * sizes[i]) - 1));
  /* Newton's tolerance 1e-10 relative to the size, summed over some hundred steps */
  check_report(name, worst, 1e-8);
  CHECK_GE(base, 1e-3);
  CHECK_LE(worst, 1e-8);
}

static void mechanisms_that_differ_in_size_only(void **state) {
  (void)state;
  check_similar(
      "bead that is driven along a wire",
      "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"parameters\": {\"d\": 1}, \"bodies\": [{\"name\": "
      "\"bead\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [\"3*d\", 0, 0]}], "
      "\"joints\":"
      " [{\"name\": \"wire\", \"type\": \"point_on_curve\", \"a\": \"ground\", \"b\": \"bead\", "
      "\"curve\": {\"closed\": true, \"points\": [[\"3*d\", 0, 0], [\"2.1*d\", \"2.1*d\", "
      "\"0.4*d\"], [0, \"3*d\", \"0.5*d\"], [\"-2.1*d\", \"2.1*d\", \"0.2*d\"], [\"-3*d\", 0, 0], "
      "[\"-2.1*d\", \"-2.1*d\", \"0.4*d\"], [0, \"-3*d\", \"0.5*d\"], [\"2.1*d\", \"-2.1*d\", "
      "\"0.2*d\"]]}}, {\"name\": \"belt\", \"type\": \"velocity_drive\", \"coordinate\": "
      "\"wire.travel\", \"rate\": \"4*d\"}], \"simulation\": {\"step\": 5e-3, \"duration\": 1}, "
      "\"output\": {\"signals\": [\"bead.acceleration\"]}}");
  check_similar(
      "spring on the distance of two points",
      "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"parameters\": {\"d\": 1}, \"bodies\": [{\"name\": "
      "\"m\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [\"d\", 0, 0], \"velocity\": "
      "[0, \"5*d\", 0]}], \"joints\": [{\"name\": \"eye\", \"type\": \"sensor\", \"a\": "
      "\"ground\", \"b\": \"m\"}], \"forces\": [{\"name\": \"cord\", \"type\": "
      "\"coordinate_spring\", \"coordinate\": \"eye.distance\", \"stiffness\": 900, "
      "\"damping\": 20}], \"simulation\": {\"step\": 5e-3, \"duration\": 1}, "
      "\"output\": {\"signals\": [\"m.acceleration\"]}}");
  check_similar(
      "point that slides and presses into a plane",
      "{\"torsor\": 1, \"gravity\": [0, 0, \"-10*d\"], \"parameters\": {\"d\": 1}, \"bodies\": "
      "[{\"name\": \"m\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [0, 0, \"0.1*d\"], "
      "\"velocity\": [\"d\", 0, 0]}], \"forces\": [{\"name\": \"floor\", \"type\": \"contact\", "
      "\"a\": \"ground\", \"b\": \"m\", \"stiffness\": \"4000/d^0.5\", \"exponent\": 1.5, "
      "\"dissipation\": \"0.1/d\", \"friction\": 0.3, \"speed_width\": \"0.05*d\"}], "
      "\"simulation\": {\"step\": 2e-3, \"duration\": 0.5}, "
      "\"output\": {\"signals\": [\"m.acceleration\"]}}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_coordinate_gives_its_own),
      cmocka_unit_test(effort_of_a_winch),
      cmocka_unit_test(mechanisms_that_differ_in_size_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
