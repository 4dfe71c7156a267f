/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Set-up, from the scene's text to the first step, is linear in the size of the model: allocations,
 * bytes taken and names compared are counted, no times. */
#include "check.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct counts {
  double allocations, bytes, comparisons;
} counts;

static counts now;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_arena_take(void *arena, size_t count, size_t size);
int __real_strcmp(const char *a, const char *b);
int __real_strncmp(const char *a, const char *b, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_arena_take(void *arena, size_t count, size_t size);
int __wrap_strcmp(const char *a, const char *b);
int __wrap_strncmp(const char *a, const char *b, size_t size);

void *__wrap_malloc(size_t size) {
  ++now.allocations;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  ++now.allocations;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size) {
  ++now.allocations;
  return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  ++now.allocations;
  return __real_aligned_alloc(alignment, size);
}

void *__wrap_arena_take(void *arena, size_t count, size_t size) {
  now.bytes += (double)count * (double)size;
  return __real_arena_take(arena, count, size);
}

int __wrap_strcmp(const char *a, const char *b) {
  ++now.comparisons;
  return __real_strcmp(a, b);
}

int __wrap_strncmp(const char *a, const char *b, size_t size) {
  ++now.comparisons;
  return __real_strncmp(a, b, size);
}

/* One step of a shipped scene with `n` parts. */
static counts set_up(const char *scene, int n) {
  char size[40];
  const char *const set[] = {size, "simulation.duration=1e-3", "simulation.step=1e-3", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  snprintf(size, sizeof size, "parameters.n=%d", n);
  now = (counts){0};
  support_load(&world, scene, set);
  CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
  const counts all = now;
  support_trace_release(&trace);
  support_close(&world);
  return all;
}

/* The cost of a part from n on and from 2n on: it is the same where the cost is linear, and twice
 * as much where it is quadratic. n log n, the searches for names, grows by log 4n / log 2n at most:
 * 1.1 here. Lists that double leave 1 %. */
static void check_linear(const char *what, double one, double two, double four, int n,
                         double most) {
  const double first = (two - one) / n, then = (four - two) / (2 * n);
  print_message("  %-12s %8.1f, %8.1f per part\n", what, first, then);
  CHECK_GE(first, 0);
  CHECK_LE(then, most * first + 1);
}

/* Of a link of the chain, six velocities and a joint of three rows, in the stabilised form: doubles
 * and numbers of places.  Its steps are solved by halves, and what is shown is solved for beside
 * them. */
static const struct {
  const char *what;
  double bytes;
} link_memory[] = {
    {"matrix: values and rows of its own and both neighbours' blocks",
     (3 * 36 + 2 * 2 * 18 + 3) * 12},
    {"factor: nine columns with six neighbours below and beside, as much for places and work",
     2 * 9 * (9 + 6 + 6) * 8},
    {"matrices of corrections and of accelerations: the same, twice",
     2 * (3 * 36 + 2 * 2 * 18 + 3) * 12},
    {"their factors", 2 * 2 * 9 * (9 + 6 + 6) * 8},
    {"gradient at the beginning of the step", 2 * 18 * 8},
    {"integrator: 40 vectors of unknowns", 40 * 12 * 8},
    {"of what is shown, of errors that are summed up, of jumps: fifteen vectors of velocities and "
     "multipliers",
     15 * 9 * 8},
    {"motion and map of the node, gradient, wrench", (24 + 158 + 36 + 6) * 8},
    {"body and joint with their names and places", 1200},
    {"set-up alone: three orders, the initial state and its corrections",
     3 * 400 + (13 + 5 * 6 + 3 * 3) * 8},
};

/* Memory of one further link: the sum, and a tenth more for what is rounded up. */
static void link_is_small(void **state) {
  (void)state;
  const double one = set_up("chain", 600).bytes, two = set_up("chain", 1200).bytes;
  double most = 0;
  for (size_t i = 0; i < sizeof link_memory / sizeof *link_memory; ++i) {
    print_message("  %6.0f  %s\n", link_memory[i].bytes, link_memory[i].what);
    most += link_memory[i].bytes;
  }
  print_message("%.0f bytes of a link, at most 1.1 times %.0f\n", (two - one) / 600, most);
  CHECK_LE((two - one) / 600, 1.1 * most);
}

static void check_scene(const char *scene, int n) {
  const counts one = set_up(scene, n), two = set_up(scene, 2 * n), four = set_up(scene, 4 * n);
  print_message("%s, %d, %d, %d parts\n", scene, n, 2 * n, 4 * n);
  check_linear("allocations", one.allocations, two.allocations, four.allocations, n, 1.01);
  check_linear("bytes", one.bytes, two.bytes, four.bytes, n, 1.01);
  check_linear("comparisons", one.comparisons, two.comparisons, four.comparisons, n, 1.1);
}

static void chains_are_linear(void **state) {
  (void)state;
  check_scene("chain", 600);
}

static void beams_are_linear(void **state) {
  (void)state;
  check_scene("spaghetti_3d", 600);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(link_is_small),
      cmocka_unit_test(chains_are_linear),
      cmocka_unit_test(beams_are_linear),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
