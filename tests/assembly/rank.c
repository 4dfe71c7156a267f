/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which constraint rows repeat others, and what they repeat. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analysis/start/constraints.h"
#include "support.h"

/* Rows are scaled to length 1 and factors below 1e-7 are left out of the lists: up to 24 of
 * them. */
#define COMBINATION 24e-7

static void open_text(support_world *world, const char *text, const char *const *set) {
  torsor_error error = {0};
  const torsor_status status = support_open(world, text, set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
}

/* row [columns] of length 1. */
static void unit_row(double *row, const gradient_rows *B, int i) {
  double norm = 0;
  memset(row, 0, (size_t)B->columns * sizeof *row);
  for (int k = B->first[i]; k < B->first[i + 1]; ++k) {
    row[B->column[k]] += B->value[k];
    norm = hypot(norm, B->value[k]);
  }
  for (int j = 0; j < B->columns && norm > 0; ++j) row[j] /= norm;
}

/* Every dependent row is the combination of earlier rows that it claims to be. */
static double combination_error(const row_rank *rank, const gradient_rows *B) {
  double *row = calloc((size_t)B->columns, sizeof *row), *other = calloc((size_t)B->columns, 8);
  double worst = 0;
  for (int i = 0; i < rank->dependent_count; ++i) {
    const dependent_row *d = &rank->dependent[i];
    unit_row(row, B, d->row);
    for (int k = 0; k < d->count; ++k) {
      CHECK_TRUE(d->with[k] < d->row);
      unit_row(other, B, d->with[k]);
      for (int j = 0; j < B->columns; ++j) row[j] -= d->factor[k] * other[j];
    }
    for (int j = 0; j < B->columns; ++j) worst = check_max(worst, fabs(row[j]));
  }
  free(row);
  free(other);
  return worst;
}

/* Rank in the initial configuration, its lists checked against the gradient itself. */
static row_rank find_rank(const support_world *world) {
  assembly *a;
  CHECK_INT(assembly_create(&a, world->model, NULL, false, NULL), TORSOR_OK);
  double *q = calloc((size_t)world->model->nq, sizeof *q);
  double *v = calloc((size_t)world->model->nv, sizeof *v);
  unsigned char *given = calloc((size_t)world->model->nv, 1);
  assembly_initial(a, q, v, given);
  row_rank rank;
  CHECK_INT(constraints_rank(&rank, a, q), TORSOR_OK);
  CHECK_INT(rank.rank + rank.dependent_count, world->model->nl);
  gradient_rows B;
  const torsor_point p = {.q = q};
  CHECK_INT(assembly_gradient(&B, a, &p), TORSOR_OK);
  const double off = combination_error(&rank, &B);
  check_report("dependent rows against their combinations", off, COMBINATION);
  CHECK_LE(off, COMBINATION);
  gradient_rows_release(&B);
  free(q);
  free(v);
  free(given);
  assembly_destroy(a);
  return rank;
}

/* Rank on both groups; the dependent rows are the same. */
static row_rank find_rank_on_both(const char *text) {
  static const char *const screw[] = {"group=SE3", NULL}, *const flat[] = {"group=R3xSO3", NULL};
  support_world world;
  open_text(&world, text, screw);
  row_rank first = find_rank(&world);
  support_close(&world);
  open_text(&world, text, flat);
  row_rank second = find_rank(&world);
  support_close(&world);
  CHECK_INT(first.rank, second.rank);
  for (int i = 0; i < first.dependent_count; ++i) {
    CHECK_INT(first.dependent[i].row, second.dependent[i].row);
    CHECK_INT(first.dependent[i].count, second.dependent[i].count);
  }
  row_rank_release(&second);
  return first;
}

#define BODY(name, x)                                                                              \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.3, 0.4, 0.5],"  \
  " \"position\": " x "}"
#define POINT(body, x) "{\"body\": \"" body "\", \"position\": " x "}"
#define JOINT(name, type, a, b)                                                                    \
  "{\"name\": \"" name "\", \"type\": \"" type "\", \"a\": " a ", \"b\": " b "}"

/* clang-format off */
static const char door[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("leaf", "[0.4, 0, 1]") "], \"joints\": ["
    JOINT("lower", "revolute", POINT("ground", "[0, 0, 0.3]"), POINT("leaf", "[-0.4, 0, -0.7]")) ","
    JOINT("upper", "revolute", POINT("ground", "[0, 0, 1.7]"), POINT("leaf", "[-0.4, 0, 0.7]"))
    "]}";

static const char table[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("top", "[0, 0, 1]") "], \"joints\": ["
    JOINT("leg1", "distance", POINT("ground", "[1, 1, 0]"), POINT("top", "[1, 1, 0]")) ","
    JOINT("leg2", "distance", POINT("ground", "[-1, 1, 0]"), POINT("top", "[-1, 1, 0]")) ","
    JOINT("leg3", "distance", POINT("ground", "[-1, -1, 0]"), POINT("top", "[-1, -1, 0]")) ","
    JOINT("leg4", "distance", POINT("ground", "[1, -1, 0]"), POINT("top", "[1, -1, 0]")) "]}";

static const char four_bar[] =
    "{\"torsor\": 1, \"bodies\": ["
    BODY("crank", "[0, 0.5, 0]") ","
    BODY("coupler", "[1, 1.25, 0]") ","
    BODY("rocker", "[2, 0.75, 0]") "], \"joints\": ["
    JOINT("a", "revolute", POINT("ground", "[0, 0, 0]"), POINT("crank", "[0, -0.5, 0]")) ","
    JOINT("b", "revolute", POINT("crank", "[0, 0.5, 0]"), POINT("coupler", "[-1, -0.25, 0]")) ","
    JOINT("c", "revolute", POINT("coupler", "[1, 0.25, 0]"), POINT("rocker", "[0, 0.75, 0]")) ","
    JOINT("d", "revolute", POINT("ground", "[2, 0, 0]"), POINT("rocker", "[0, -0.75, 0]")) "]}";

/* Two shafts in one carrier: the teeth see the carrier twice. */
static const char planetary[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("carrier", "[0, 0, 0]") "," BODY("sun", "[0, 0, 0]") ","
    BODY("planet", "[0.3, 0, 0]") "], \"joints\": ["
    JOINT("main", "revolute", "\"ground\"", "\"carrier\"") ","
    JOINT("s", "revolute", "\"carrier\"", "\"sun\"") ","
    JOINT("p", "revolute", POINT("carrier", "[0.3, 0, 0]"), "\"planet\"") ","
    "{\"name\": \"teeth\", \"type\": \"coupling\", \"first\": \"s.angle\","
    " \"second\": \"p.angle\", \"ratio\": 2}]}";

static const char twice_bolted[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("block", "[1, 2, 3]") "], \"joints\": ["
    JOINT("bolt", "weld", POINT("ground", "[1, 1, 3]"), POINT("block", "[0, -1, 0]")) ","
    JOINT("again", "weld", POINT("ground", "[1, 1, 3]"), POINT("block", "[0, -1, 0]")) "]}";

static const char wheel[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"wheel\", \"type\": \"rigid_body\","
    " \"group\": \"SO3\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": ["
    JOINT("axle", "revolute", "\"ground\"", "\"wheel\"") "]}";

static const char held_and_loose[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("held", "[0, 1, 0]") "," BODY("loose", "[5, 0, 0]")
    "], \"joints\": [" JOINT("pin", "spherical", "\"ground\"", POINT("held", "[0, -1, 0]")) "]}";

static const char link_text[] =
    "{\"torsor\": 1, \"bodies\": [" BODY("l", "[0, 1, 0]") "], \"joints\": ["
    JOINT("j", "spherical", "\"ground\"", POINT("l", "[0, -1, 0]")) "]}";
/* clang-format on */

static void door_on_two_hinges(void **state) {
  (void)state;
  row_rank rank = find_rank_on_both(door);
  CHECK_INT(rank.rank, 5);
  CHECK_INT(rank.dependent_count, 5);
  for (int i = 0; i < 5; ++i) CHECK_INT(rank.dependent[i].row, 5 + i);
  row_rank_release(&rank);

  support_world world;
  open_text(&world, door, NULL);
  torsor_check check;
  torsor_error error = {0};
  CHECK_INT(torsor_check_model(&check, world.model, &error), TORSOR_OK);
  CHECK_INT(check.gruebler, -4);
  CHECK_INT(check.mobility, 1);
  CHECK_INT(check.rank, 5);
  CHECK_INT(check.redundant_count, 5);
  const torsor_redundant_row *along =
      &check.redundant[2]; /* along the axis: only the lower hinge */
  CHECK_STR(torsor_model_element_name(world.model, along->element), "upper");
  CHECK_INT(along->row, 2);
  CHECK_INT(along->with_count, 1);
  CHECK_STR(torsor_model_element_name(world.model, along->with[0]), "lower");
  CHECK_INT(along->with_row[0], 2);
  torsor_check_destroy(&check);
  support_close(&world);
}

/* Decimal rounding of positions does not hide what is redundant: the loops close, or nearly so. */
static void door_with_rounded_positions(void **state) {
  (void)state;
  static const char *const set[] = {"bodies[0].position=[0.400000001,0,1]", NULL};
  support_world world;
  open_text(&world, door, set);
  torsor_check check;
  torsor_error error = {0};
  const torsor_status status = torsor_check_model(&check, world.model, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(check.redundant_count, 5);
  torsor_check_destroy(&check);
  support_close(&world);
}

static void table_on_four_legs(void **state) {
  (void)state;
  row_rank rank = find_rank_on_both(table);
  CHECK_INT(rank.rank, 3);
  CHECK_INT(rank.dependent_count, 1);
  CHECK_INT(rank.dependent[0].row, 3);
  CHECK_INT(rank.dependent[0].count, 3); /* leg4 = leg1 - leg2 + leg3 */
  for (int k = 0; k < 3; ++k)
    CHECK_NEAR(rank.dependent[0].factor[k], rank.dependent[0].with[k] == 1 ? -1 : 1, 1e-12);
  row_rank_release(&rank);
}

static void planar_four_bar(void **state) {
  (void)state;
  row_rank rank = find_rank_on_both(four_bar);
  CHECK_INT(rank.rank, 17);
  CHECK_INT(rank.dependent_count, 3);
  for (int i = 0; i < 3; ++i) CHECK_GE(rank.dependent[i].row, 15); /* of the hinge that closes it */
  row_rank_release(&rank);
}

static void repeated_joint(void **state) {
  (void)state;
  row_rank rank = find_rank_on_both(twice_bolted);
  CHECK_INT(rank.rank, 6);
  CHECK_INT(rank.dependent_count, 6);
  for (int i = 0; i < 6; ++i) {
    CHECK_INT(rank.dependent[i].row, 6 + i);
    CHECK_INT(rank.dependent[i].count, 1);
    CHECK_INT(rank.dependent[i].with[0], i);
    CHECK_NEAR(rank.dependent[i].factor[0], 1, 1e-12);
  }
  row_rank_release(&rank);
}

static void planetary_gear(void **state) {
  (void)state;
  row_rank rank = find_rank_on_both(planetary);
  CHECK_INT(rank.rank, 16);
  CHECK_INT(rank.dependent_count, 0);
  row_rank_release(&rank);
}

/* Input that is no matrix, or not finite, is not mistaken for a lack of memory. */
static void refused_matrices(void **state) {
  (void)state;
  int first[] = {0, 2}, twice[] = {1, 1}, column[] = {0, 1};
  double value[] = {1, 2}, bad[] = {1, nan("")};
  const gradient_rows repeated = {1, 2, first, twice, value};
  const gradient_rows infinite = {1, 2, first, column, bad};
  const gradient_rows good = {1, 2, first, column, value};
  row_rank rank;
  CHECK_INT(row_rank_find(&rank, &repeated, RANK_THRESHOLD), TORSOR_ARGUMENT);
  CHECK_INT(row_rank_find(&rank, &infinite, RANK_THRESHOLD), TORSOR_NONFINITE);
  CHECK_INT(row_rank_find(&rank, &good, RANK_THRESHOLD), TORSOR_OK);
  CHECK_INT(rank.rank, 1);
  row_rank_release(&rank);
}

/* A row on a body that cannot move repeats nothing: it constrains nothing at all. */
static void row_without_unknowns(void **state) {
  (void)state;
  support_world world;
  open_text(&world, wheel, NULL);
  row_rank rank = find_rank(&world);
  CHECK_INT(rank.rank, 2);
  CHECK_INT(rank.dependent_count, 3);
  for (int i = 0; i < 3; ++i) CHECK_INT(rank.dependent[i].count, 0);
  row_rank_release(&rank);
  const torsor_simulation simulation = torsor_simulation_default();
  torsor_summary summary;
  support_trace trace = {0};
  CHECK_INT(support_run_as(&trace, &summary, &world, &simulation, NULL, NULL), TORSOR_OK);
  CHECK_CONTAINS(trace.warnings, "3 of 5 constraint rows are redundant");
  CHECK_CONTAINS(trace.warnings, "\"axle\"");
  support_trace_release(&trace);
  support_close(&world);
}

static void nothing_redundant(void **state) {
  (void)state;
  static const char *const names[] = {"heavy_top", "heavy_top_se3", "triple_pendulum",
                                      "pendulum_x0_0", "free_rotor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    support_world world;
    support_load(&world, names[i], NULL);
    torsor_check check;
    CHECK_INT(torsor_check_model(&check, world.model, NULL), TORSOR_OK);
    CHECK_INT(check.redundant_count, 0);
    CHECK_INT(check.rank, check.counts.holonomic);
    CHECK_INT(check.mobility, check.gruebler);
    CHECK_INT(check.warning_count, 0);
    torsor_check_destroy(&check);
    support_close(&world);
  }
}

/* A body that no joint holds is worth a word when others are held. */
static void loose_body_is_reported(void **state) {
  (void)state;
  support_world world;
  open_text(&world, held_and_loose, NULL);
  torsor_check check;
  CHECK_INT(torsor_check_model(&check, world.model, NULL), TORSOR_OK);
  CHECK_INT(check.warning_count, 1);
  CHECK_CONTAINS(check.warnings[0], "\"loose\"");
  torsor_check_destroy(&check);
  support_close(&world);
}

/* Where the type keeps the parameter `key` in its instances. */
static void *find_parameter(const torsor_element_type *type, unsigned char *instance,
                            const char *key) {
  const torsor_param *p = type->params;
  while (strcmp(p->key, key) != 0) ++p;
  return instance + p->offset;
}

enum { INSTANCE = 1024 };

/* A body like the first of `like`, at x. */
static void add_body(torsor_builder *builder, const char *name, const support_world *like, v3 x) {
  const model_element *e = &like->model->element[0];
  unsigned char instance[INSTANCE];
  CHECK_TRUE(e->type->size <= INSTANCE);
  memcpy(instance, e->instance, e->type->size);
  memcpy(find_parameter(e->type, instance, "position"), &x, sizeof x);
  CHECK_INT(torsor_builder_add(builder, e->type, name, instance, NULL), TORSOR_OK);
}

/* A joint like element `k` of `like` between two bodies, at x on the first. */
static void add_joint(torsor_builder *builder, const char *name, const support_world *like, int k,
                      const char *first, v3 x, const char *second) {
  const model_element *e = &like->model->element[k];
  unsigned char instance[INSTANCE];
  CHECK_TRUE(e->type->size <= INSTANCE);
  memcpy(instance, e->instance, e->type->size);
  torsor_marker *a = find_parameter(e->type, instance, "a");
  torsor_marker *b = find_parameter(e->type, instance, "b");
  const so3 straight = so3_identity();
  CHECK_INT(torsor_builder_marker(a, builder, first, straight, x, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_builder_marker(b, builder, second, straight, b->x, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_builder_add(builder, e->type, name, instance, NULL), TORSOR_OK);
}

/* Every leaf on hinges of its own. */
static void add_doors(torsor_builder *builder, int count) {
  support_world like;
  open_text(&like, door, NULL);
  for (int i = 0; i < count; ++i) {
    char body[32], lower[32], upper[32];
    snprintf(body, sizeof body, "leaf%d", i);
    snprintf(lower, sizeof lower, "lower%d", i);
    snprintf(upper, sizeof upper, "upper%d", i);
    add_body(builder, body, &like, (v3){0.4, 0, 1});
    add_joint(builder, lower, &like, 1, "ground", (v3){0, 0, 0.3}, body);
    add_joint(builder, upper, &like, 2, "ground", (v3){0, 0, 1.7}, body);
  }
  support_close(&like);
}

/* Every link hung to the one before it by a spherical joint. */
static void add_chain(torsor_builder *builder, int count) {
  support_world like;
  open_text(&like, link_text, NULL);
  char before[32] = "ground";
  for (int i = 0; i < count; ++i) {
    char body[32], joint[32];
    snprintf(body, sizeof body, "link%d", i);
    snprintf(joint, sizeof joint, "joint%d", i);
    add_body(builder, body, &like, (v3){0.25 * i, 1 + 2.0 * i, 0});
    add_joint(builder, joint, &like, 1, before, i ? (v3){0.25, 1, 0} : v3_zero(), body);
    strcpy(before, body);
  }
  support_close(&like);
}

static torsor_model *build_many(int count, bool doors) {
  torsor_builder *builder;
  torsor_model *model;
  CHECK_INT(torsor_builder_create(&builder, v3_zero(), NULL), TORSOR_OK);
  if (doors)
    add_doors(builder, count);
  else
    add_chain(builder, count);
  CHECK_INT(torsor_builder_finish(&model, builder, NULL), TORSOR_OK);
  torsor_builder_destroy(builder);
  return model;
}

static double cpu_seconds(void) {
  return (double)clock() / CLOCKS_PER_SEC;
}

/* Sparse all the way: the time of a long chain is that of its links.  Bounds: ten times what a slow
 * machine needs, far below what anything quadratic would take. */
static void many_bodies(void **state) {
  (void)state;
  const struct {
    int bodies, rank, redundant;
    bool doors;
  } cases[] = {{2000, 6000, 0, false}, {20000, 60000, 0, false}, {1000, 5000, 5000, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const double start = cpu_seconds();
    torsor_model *model = build_many(cases[i].bodies, cases[i].doors);
    const double built = cpu_seconds();
    torsor_check check;
    CHECK_INT(torsor_check_model(&check, model, NULL), TORSOR_OK);
    CHECK_INT(check.rank, cases[i].rank);
    CHECK_INT(check.redundant_count, cases[i].redundant);
    const double done = cpu_seconds();
    print_message("  %d bodies:\n", cases[i].bodies);
    check_report("seconds to build", built - start, 10);
    check_report("seconds to rank", done - built, 20);
    CHECK_LE(built - start, 10);
    CHECK_LE(done - built, 20);
    torsor_check_destroy(&check);
    torsor_model_destroy(model);
  }
}

/* The incidence matrix of a square grid of wires: a row for each, with 1 and -1 in the columns of
 * its ends.  Each field is a loop of four wires of which one repeats the other three. */
static gradient_rows wire_grid(int fields) {
  const int side = fields + 1, rows = 2 * fields * side;
  gradient_rows B = {.rows = rows,
                     .columns = side * side,
                     .first = calloc((size_t)rows + 1, sizeof *B.first),
                     .column = calloc(2 * (size_t)rows, sizeof *B.column),
                     .value = calloc(2 * (size_t)rows, sizeof *B.value)};
  int row = 0;
  for (int i = 0; i < B.columns; ++i)
    for (int across = 0; across < 2; ++across) {
      if ((across ? i / side : i % side) == fields) continue;
      B.column[2 * row] = i;
      B.column[2 * row + 1] = i + (across ? side : 1);
      B.value[2 * row] = 1;
      B.value[2 * row + 1] = -1;
      ++row;
      B.first[row] = 2 * row;
    }
  return B;
}

/* Largest error of the dependent rows as combinations; counts the factors. */
static double sparse_combination_error(int *factors, const row_rank *rank, const gradient_rows *B) {
  double *sum = calloc((size_t)B->columns, sizeof *sum), worst = 0;
  *factors = 0;
  for (int i = 0; i < rank->dependent_count; ++i) {
    const dependent_row *d = &rank->dependent[i];
    CHECK_TRUE(!i || d->row > d[-1].row);
    for (int k = -1; k < d->count; ++k) {
      const int row = k < 0 ? d->row : d->with[k];
      CHECK_TRUE(k < 0 || row != d->row);
      for (int e = B->first[row]; e < B->first[row + 1]; ++e)
        sum[B->column[e]] += (k < 0 ? 1 : -d->factor[k]) * B->value[e] / sqrt(2);
    }
    for (int k = -1; k < d->count; ++k) {
      const int row = k < 0 ? d->row : d->with[k];
      for (int e = B->first[row]; e < B->first[row + 1]; ++e) {
        worst = check_max(worst, fabs(sum[B->column[e]]));
        sum[B->column[e]] = 0;
      }
    }
    *factors += d->count;
  }
  free(sum);
  return worst;
}

/* In a good order the fill of a square grid grows as n log n (George 1973): from 1,860 rows to
 * 29,040 by 1.4 for each row, and by as much again for the caches, where a third is left for the
 * operations, which grow as n^1.5 with a small factor.  In the order of the rows the fill of a row
 * grows as the side of the grid, by 4, its operations by 16.  The factors are 1 and -1 but for
 * round-off of some hundred operations. */
static void grids_of_loops(void **state) {
  (void)state;
  enum { SMALL = 30, LARGE = 120 };
  const int sizes[] = {10, SMALL, LARGE};
  double seconds[3];
  for (int k = 0; k < 3; ++k) {
    gradient_rows B = wire_grid(sizes[k]);
    const int loops = sizes[k] * sizes[k], repeats = 1 + LARGE * LARGE / loops;
    row_rank rank;
    int factors;
    const double start = cpu_seconds();
    for (int i = 0; i < repeats; ++i) {
      CHECK_INT(row_rank_find(&rank, &B, RANK_THRESHOLD), TORSOR_OK);
      if (i + 1 < repeats) row_rank_release(&rank);
    }
    seconds[k] = (cpu_seconds() - start) / repeats;
    CHECK_INT(rank.rank, B.columns - 1);
    CHECK_INT(rank.dependent_count, loops);
    const double off = sparse_combination_error(&factors, &rank, &B);
    print_message("  %d rows: %.3g s, %d factors\n", B.rows, seconds[k], factors);
    check_report("dependent rows against their combinations", off, 1e-12);
    CHECK_LE(off, 1e-12);
    row_rank_release(&rank);
    gradient_rows_release(&B);
  }
  const double growth = seconds[2] / seconds[1] * SMALL * (SMALL + 1) / (LARGE * (LARGE + 1));
  check_report("growth of the time of a row", growth, 3);
  CHECK_LE(growth, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(door_on_two_hinges), cmocka_unit_test(door_with_rounded_positions),
      cmocka_unit_test(table_on_four_legs), cmocka_unit_test(planar_four_bar),
      cmocka_unit_test(repeated_joint),     cmocka_unit_test(row_without_unknowns),
      cmocka_unit_test(nothing_redundant),  cmocka_unit_test(loose_body_is_reported),
      cmocka_unit_test(planetary_gear),     cmocka_unit_test(refused_matrices),
      cmocka_unit_test(many_bodies),        cmocka_unit_test(grids_of_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
