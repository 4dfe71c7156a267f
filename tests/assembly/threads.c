/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: the same bytes however many of them share the work, what each has to do, and what
 * fails. */
#include "check.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "assembly/assembly_private.h"
#include "assembly/solver/block_order.h"
#include "base/vec.h"
#include "integrator/parts.h"
#include "support.h"

enum { MOST_THREADS = 3 };

/* A row of pendulums on the ground, each tied to the next, with all that evaluates functions:
 * moments of t and of the angle, springs by characteristics and tables, drives, friction of
 * hinges. */
static const char tied[] =
    "{\"torsor\": 1, \"parameters\": {\"n\": 140, \"step\": 1e-3}, \"gravity\": [0, -9.81, 0],"
    " \"functions\": {\"push\": \"sin(7*t)\", \"table\": {\"table\": [[0, 0], [0.01, 2], [1, 3], "
    "[2, 0]]}},"
    " \"bodies\": [{\"name\": \"rod${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": "
    "2,"
    "  \"inertia\": [0.1, 0.2, 0.3], \"position\": [\"i\", -0.5, 0], \"angular_velocity\": [0, 0, "
    "\"sin(i)\"]}],"
    " \"joints\": [{\"name\": \"hinge${i}\", \"repeat\": \"n\", \"type\": \"revolute\","
    "  \"a\": {\"body\": \"ground\", \"position\": [\"i\", 0, 0]}, \"b\": {\"body\": \"rod${i}\", "
    "\"position\": [0, 0.5, 0]}}],"
    " \"forces\": [{\"name\": \"tie${i}\", \"repeat\": \"n - 1\", \"type\": \"spring_damper\","
    "   \"a\": {\"body\": \"rod${i}\", \"position\": [0, -0.4, 0]},"
    "   \"b\": {\"body\": \"rod${i + 1}\", \"position\": [0, -0.4, 0]}, \"length\": 1, \"force\": "
    "\"300*x^3 + 50*x\","
    "   \"damping\": 3},"
    "  {\"name\": \"motor${i}\", \"repeat\": \"n\", \"type\": \"coordinate_force\", "
    "\"coordinate\": \"hinge${i}.angle\","
    "   \"effort\": \"3*sin(20*t) - 2*hinge${i}.angle - 0.1*hinge${i}.rate\"},"
    "  {\"name\": \"wind${i}\", \"repeat\": \"n\", \"type\": \"force\", \"at\": \"rod${i}\", "
    "\"force\": [1, 0, 0],"
    "   \"scale\": \"table\"},"
    "  {\"name\": \"rub${i}\", \"repeat\": \"n\", \"type\": \"friction\","
    "   \"coordinate\": \"hinge${i}.angle\", \"coefficient\": 0.1, \"radius\": 0.05, "
    "\"rate_width\": 0.01}],"
    " \"simulation\": {\"step\": \"step\", \"duration\": 0.006},"
    " \"output\": {\"signals\": [\"rod0.position\", \"rod69.position\", \"rod139.position\", "
    "\"hinge0.angle\", \"hinge69.angle\", \"hinge139.angle\", \"energy\"]}}";

typedef struct subject {
  const char *name, *text; /* shipped scene, or a text */
  const char *set[8];
  int threads;     /* that share the elements of so large a model, of MOST_THREADS */
  int multipliers; /* of each constraint row */
  int parts;       /* of loops over its unknowns */
} subject;

static const subject subjects[] = {
    {"chain",
     NULL,
     {"parameters.n=460", "output.every=1", "simulation.start=plain", "simulation.duration=0.004"},
     3,
     1,
     PARTS},
    {"chain",
     NULL,
     {"parameters.n=350", "output.every=1", "simulation.start=plain", "simulation.duration=0.01",
      "simulation.formulation=ggl"},
     3,
     2,
     PARTS},
    {"chain",
     NULL,
     {"parameters.n=350", "output.every=1", "simulation.start=plain", "simulation.duration=0.003",
      "simulation.formulation=ggl", "group=SE3"},
     3,
     2,
     PARTS},
    {"spaghetti_3d",
     NULL,
     {"parameters.n=510", "output.every=1", "simulation.start=plain", "simulation.duration=0.01"},
     3,
     1,
     1},
    {"four_bar_chain_40",
     NULL,
     {"parameters.N=110", "output.every=1", "simulation.start=plain", "simulation.duration=0.03"},
     3,
     1,
     1},
};

static void open_subject(support_world *out, const subject *s) {
  torsor_error error = {0};
  if (!s->text) {
    support_load(out, s->name, s->set);
    return;
  }
  const torsor_status status = support_open(out, s->text, s->set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

static int shares_of(const support_world *world, int threads) {
  assembly *a;
  CHECK_INT(assembly_create(&a, world->model, NULL, false, NULL), TORSOR_OK);
  CHECK_INT(assembly_set_threads(a, threads, NULL), TORSOR_OK);
  const int count = assembly_threads(a);
  assembly_destroy(a);
  return count;
}

static void run_subject(const subject *s) {
  support_world world;
  torsor_summary summary;
  torsor_error error = {0};
  support_trace alone = {0};
  open_subject(&world, s);
  CHECK_INT(shares_of(&world, MOST_THREADS), s->threads);
  CHECK_INT(parts_of(world.model->nv + s->multipliers * world.model->nl), s->parts);
  CHECK_INT(support_run(&alone, &summary, &world, &error), TORSOR_OK);
  for (int threads = 2; threads <= MOST_THREADS; ++threads) {
    support_trace together = {.threads = threads};
    const long iterations = summary.counters.newton_iterations;
    CHECK_INT(support_run(&together, &summary, &world, &error), TORSOR_OK);
    CHECK_INT(summary.counters.newton_iterations, iterations);
    CHECK_INT(together.rows, alone.rows);
    CHECK_INT(together.columns, alone.columns);
    const size_t size = (size_t)(alone.rows * alone.columns) * sizeof(double);
    CHECK_INT(memcmp(together.value, alone.value, size), 0);
    support_trace_release(&together);
  }
  print_message("%s: %d velocities, %d rows of output the same by 1 to %d threads\n", s->name,
                world.model->nv, alone.rows, MOST_THREADS);
  support_trace_release(&alone);
  support_close(&world);
}

static void test_same_bytes(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i) run_subject(&subjects[i]);
}

static void test_functions(void **state) {
  const subject s = {"tied pendulums", tied, {NULL}, 3, 1, 1};
  (void)state;
  run_subject(&s);
}

/* Every node has one owner, and elements are with all owners of their nodes and with no others, in
 * order. */
static void test_subdomains(void **state) {
  static const char *const set[] = {"parameters.n=400", NULL};
  support_world world;
  arena memory = {0};
  partition all;
  (void)state;
  support_load(&world, "chain", set);
  const torsor_model *model = world.model;
  CHECK_INT(partition_create(&all, model, 3, &memory), TORSOR_OK);
  CHECK_INT(all.threads, 3);
  CHECK_INT(all.count, 12);
  int nodes = 0, elements = 0, wanted = 0;
  for (int s = 0; s < all.count; ++s) {
    const subdomain *of = &all.of[s];
    nodes += of->nodes;
    elements += of->elements;
    for (int k = 0; k < of->nodes; ++k) CHECK_INT(all.owner[of->node[k]], s);
    for (int k = 0; k < of->elements; ++k) {
      const model_element *e = &model->element[of->element[k]];
      if (k) CHECK_TRUE(of->element[k] > of->element[k - 1]);
      CHECK_TRUE(all.owner[e->node[0]] == s || all.owner[e->node[e->nodes - 1]] == s);
    }
  }
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    wanted += 1 + (all.owner[e->node[0]] != all.owner[e->node[e->nodes - 1]]);
  }
  CHECK_INT(nodes, model->node_count);
  CHECK_INT(elements, wanted);
  print_message("%d elements, %d of them between two of 12 subdomains of 3 threads\n",
                model->element_count, wanted - model->element_count);
  CHECK_INT(wanted - model->element_count, 11);
  arena_release(&memory);
  support_close(&world);
}

/* Threads are not used where they do not pay: for a small chain, and for one body to which all
 * springs are attached. */
static void test_small_models_are_not_shared(void **state) {
  static const char *const set[] = {"parameters.n=100", NULL};
  support_world world;
  (void)state;
  support_load(&world, "chain", set);
  CHECK_INT(shares_of(&world, MOST_THREADS), 1);
  support_close(&world);
}

/* Pivots of a group change no other group's. */
static void check_groups(const block_order *o) {
  for (int g = 0; g < o->groups; ++g)
    for (int k = o->first_pivot[g]; k < o->first_pivot[g + 1]; ++k)
      for (int i = 0; i < o->pivot[k].neighbours; ++i) {
        const int place = o->neighbour[o->pivot[k].first_neighbour + i].first;
        const int other = o->pivot_of[place];
        CHECK_TRUE(other > k);
        CHECK_TRUE(other < o->first_pivot[g + 1] || other >= o->first_pivot[o->groups]);
      }
}

static double flops_of(const block_order *o, int begin, int end) {
  double flops = 0;
  for (int k = begin; k < end; ++k) {
    const double n = o->pivot[k].size, w = o->pivot[k].width;
    flops += n * (n * n * 2 / 3 + 2 * n * w + 2 * w * w);
  }
  return flops;
}

/* The busiest group and the top, in parts of all. */
static double longest_of(const char *scene, const char *const *set, int groups) {
  support_world world;
  assembly *a;
  arena memory = {0};
  block_plan plan;
  block_order order;
  bool found;
  support_load(&world, scene, set);
  CHECK_INT(assembly_create(&a, world.model, NULL, false, NULL), TORSOR_OK);
  CHECK_INT(block_plan_create(&plan, world.model, false, &memory), TORSOR_OK);
  CHECK_INT(block_order_find(&order, &found, &a->plain.p, &plan, &memory), TORSOR_OK);
  CHECK_TRUE(found);
  CHECK_INT(order.groups, groups);
  check_groups(&order);
  double busiest = 0;
  for (int g = 0; g < order.groups; ++g)
    busiest = check_max(busiest, flops_of(&order, order.first_pivot[g], order.first_pivot[g + 1]));
  const double top = flops_of(&order, order.first_pivot[order.groups], order.count);
  CHECK_NEAR(flops_of(&order, 0, order.count), order.flops, 1e-12 * order.flops);
  print_message("%s: %d groups, busiest %.4f, top %.4f of all\n", scene, order.groups,
                busiest / order.flops, top / order.flops);
  const double longest = (busiest + top) / order.flops;
  arena_release(&memory);
  assembly_destroy(a);
  support_close(&world);
  return longest;
}

/* Chains are cut where both ends meet, with a pivot or two between them, of 1,000 and of 2,000. */
static void test_groups(void **state) {
  static const char *const chain[] = {"parameters.n=1000", NULL};
  static const char *const rope[] = {"parameters.n=1000", NULL};
  static const char *const small[] = {"parameters.n=300", NULL};
  (void)state;
  CHECK_LE(longest_of("chain", chain, 2), 0.5 + 0.005);
  CHECK_LE(longest_of("spaghetti_3d", rope, 2), 0.5 + 0.005);
  CHECK_LE(longest_of("chain", small, 0), 1 + 1e-12);
}

/* Parts follow each other from the first component to the last, at full lanes. */
static void test_parts(void **state) {
  static const int lengths[] = {0, 1, 7, 8, 100, 4095, 4096, 4097, 90001};
  (void)state;
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; ++k) {
    const int n = lengths[k];
    CHECK_INT(parts_begin(n, 0, PARTS), 0);
    CHECK_INT(parts_begin(n, PARTS, PARTS), n);
    for (int i = 0; i < PARTS; ++i) {
      CHECK_INT(parts_begin(n, i, PARTS) % VEC_LANES, 0);
      CHECK_TRUE(parts_begin(n, i, PARTS) <= parts_begin(n, i + 1, PARTS));
      CHECK_LE(parts_begin(n, i + 1, PARTS) - parts_begin(n, i, PARTS),
               (double)n / PARTS + 2 * VEC_LANES);
    }
  }
}

static torsor_status fail_always(const void *self, const torsor_element_in *in,
                                 torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_DOMAIN;
}

/* Of elements that fail at once the first is reported, as one thread would have met it. */
static void test_first_failure(void **state) {
  static const char *const set[] = {"parameters.n=400", NULL};
  support_world world;
  assembly *a;
  (void)state;
  support_load(&world, "chain", set);
  torsor_model *model = world.model;
  torsor_element_type broken = *model->element[0].type;
  broken.eval = fail_always;
  const torsor_element_type *whole = model->element[0].type;
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  double *q = calloc((size_t)model->nq, sizeof *q), *v = calloc((size_t)model->nv, sizeof *v);
  double *r = calloc((size_t)model->nv, sizeof *r);
  unsigned char *given = calloc((size_t)model->nv, 1);
  assembly_initial(a, q, v, given);
  const torsor_point p = {.q = q, .v = v};
  for (int threads = 1; threads <= 3; ++threads) {
    CHECK_INT(assembly_set_threads(a, threads, NULL), TORSOR_OK);
    const int bad[] = {390, 210, 30};
    for (int k = 0; k < 3; ++k) {
      model->element[bad[k]].type = &broken;
      const torsor_problem *problem = assembly_problem(a);
      CHECK_INT(problem->residual(problem->self, &p, r, NULL, NULL), TORSOR_DOMAIN);
      CHECK_INT(assembly_failed_element(a), bad[k]);
    }
    for (int k = 0; k < 3; ++k) model->element[bad[k]].type = whole;
  }
  free(q);
  free(v);
  free(r);
  free(given);
  assembly_destroy(a);
  support_close(&world);
}

typedef struct tally {
  int times[TEAM_MOST]; /* that a part was done in the work at hand */
  double result[TEAM_MOST];
} tally;

static void count_part(void *self, int i) {
  tally *t = self;
  double x = i;
  for (int k = 0; k < 50 * (i + 1); ++k) x = cos(x);
  ++t->times[i];
  t->result[i] = x;
}

/* Every part is done once, and before the call returns, with threads that look for work and with
 * such as sleep. */
static void test_team(void **state) {
  team *t = team_create(3);
  int parts = 0;
  (void)state;
  CHECK_TRUE(t != NULL);
  for (int k = 0; k < 4000; ++k) {
    tally done = {0};
    const int count = k % (TEAM_MOST + 1);
    team_run(t, count, count_part, &done);
    for (int i = 0; i < TEAM_MOST; ++i) CHECK_INT(done.times[i], i < count);
    parts += count;
    if (k % 400 == 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
  }
  print_message("%d parts, each of them once\n", parts);
  team_destroy(t);
}

enum { ORDERED = 16 };

typedef struct sequence {
  _Atomic int done;
  int part[ORDERED]; /* in the order in which they were done */
} sequence;

/* The first part holds its thread up until all others are done. */
static void note_part(void *self, int i) {
  sequence *s = self;
  while (i == 0 && atomic_load(&s->done) < ORDERED - 1) sched_yield();
  s->part[atomic_fetch_add(&s->done, 1)] = i;
}

/* A thread does its own parts from the first on, then those that a slower one has not begun, from
 * the last on. */
static void test_team_order(void **state) {
  team *t = team_create(2);
  (void)state;
  CHECK_TRUE(t != NULL);
  for (int k = 0; k < 100; ++k) {
    sequence s = {0};
    team_run(t, ORDERED, note_part, &s);
    for (int i = 0; i < ORDERED / 2; ++i) CHECK_INT(s.part[i], ORDERED / 2 + i);
    for (int i = ORDERED / 2; i < ORDERED; ++i) CHECK_INT(s.part[i], ORDERED - 1 - i);
  }
  print_message("%d parts, those of the thread that is held up from the last on\n", ORDERED);
  team_destroy(t);
}

/* A body that all springs are tied to is done by each share: what is done twice bounds how many
 * there are. */
static void test_subdomains_of_a_hub(void **state) {
  static const char hub[] =
      "{\"torsor\": 1, \"parameters\": {\"n\": 400}, \"bodies\": ["
      "{\"name\": \"hub\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
      "{\"name\": \"rod${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1],"
      " \"position\": [\"i + 1\", 0, 0]}],"
      "\"forces\": [{\"name\": \"tie${i}\", \"repeat\": \"n\", \"type\": \"spring_damper\", \"a\": "
      "\"hub\","
      " \"b\": \"rod${i}\", \"length\": 1, \"stiffness\": 1}]}";
  support_world world;
  torsor_error error = {0};
  arena memory = {0};
  partition all;
  (void)state;
  CHECK_INT(support_open(&world, hub, NULL, &error), TORSOR_OK);
  CHECK_INT(partition_create(&all, world.model, 2, &memory), TORSOR_OK);
  print_message("hub: %d threads, %d subdomains\n", all.threads, all.count);
  CHECK_INT(all.count, all.threads);
  arena_release(&memory);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_team),       cmocka_unit_test(test_team_order),
      cmocka_unit_test(test_parts),      cmocka_unit_test(test_subdomains_of_a_hub),
      cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_functions),
      cmocka_unit_test(test_subdomains), cmocka_unit_test(test_small_models_are_not_shared),
      cmocka_unit_test(test_groups),     cmocka_unit_test(test_first_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
