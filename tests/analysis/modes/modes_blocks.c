/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Modes by the sparse solution with dense blocks: those of dense matrices, and those of KLU. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "analysis/eigen/eigen.h"
#include "analysis/eigen/shifted.h"
#include "analysis/modes/linear_state.h"
#include "support.h"

/* A frame of two columns and two floors with heavy corners; two welds are there twice, which makes
 * twelve rows repeat others. */
#define WELD(name, a, b)                                                                           \
  "{\"name\": \"" name "\", \"type\": \"weld\", \"a\": \"" a "\", \"b\": \"" b "\"}"
#define COLUMN(name, from, to)                                                                     \
  "{\"name\": \"" name "\", \"type\": \"beam\", \"section\": \"s\", \"elements\": 6, "             \
  "\"position\": " from ", \"end\": " to                                                           \
  ", \"orientation\": {\"rotation_vector\": [0, \"-pi/2\", "                                       \
  "0]}}"
#define FLOOR(name, from, to)                                                                      \
  "{\"name\": \"" name "\", \"type\": \"beam\", \"section\": \"s\", \"elements\": 6, "             \
  "\"position\": " from ", \"end\": " to "}"
#define NODE(name, at)                                                                             \
  "{\"name\": \"" name                                                                             \
  "\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.04],"                    \
  " \"position\": " at "}"
#define TURNED(name, node, end)                                                                    \
  "{\"name\": \"" name "\", \"type\": \"weld\", \"a\": {\"body\": \"" node                         \
  "\", \"orientation\": {\"rotation_vector\": [0, \"-pi/2\", 0]}}, \"b\": \"" end "\"}"

/* clang-format off */
static const char doubled[] =
    "{\"torsor\": 1, \"sections\": {\"s\": {\"shape\": \"rectangle\", \"width\": 0.12, "
    "\"height\": "
    "0.1, \"E\": 2e11, \"nu\": 0.3, \"density\": 7850}}, \"bodies\": [" COLUMN(
        "left", "[0, 0, 0]", "[0, 0, 1.1]") ", "
    COLUMN("right", "[1.3, 0, 0]", "[1.3, 0, 1.1]") ", "
    COLUMN("left2", "[0, 0, 1.1]", "[0, 0, 2]") ", "
    FLOOR("floor", "[0, 0, 1.1]", "[1.3, 0, 1.1]") ", "
    FLOOR("roof", "[0, 0, 2]", "[1.3, 0, 2]") ", " NODE("n", "[0, 0, 1.1]") ", "
    NODE("m", "[1.3, 0, 1.1]") ", " NODE("o", "[0, 0, 2]") "], \"joints\": ["
    "{\"name\": \"a\", \"type\": \"weld\", \"a\": {\"body\": \"ground\", \"orientation\": "
    "{\"rotation_vector\": [0, \"-pi/2\", 0]}}, \"b\": \"left.start\"}, "
    "{\"name\": \"b\", \"type\": \"weld\", \"a\": {\"body\": \"ground\", \"position\": "
    "[1.3, 0, 0], "
    "\"orientation\": {\"rotation_vector\": [0, \"-pi/2\", 0]}}, \"b\": \"right.start\"}, "
    TURNED("c", "n", "left.end") ", " TURNED("d", "n", "left2.start") ", "
    TURNED("c2", "n", "left.end") ", " TURNED("e", "m", "right.end") ", "
    TURNED("f", "o", "left2.end") ", " WELD("g", "n", "floor.start") ", "
    WELD("g2", "n", "floor.start") ", "
    "{\"name\": \"j\", \"type\": \"spherical\", \"a\": \"m\", \"b\": \"floor.end\"}, "
    WELD("k", "o", "roof.start") "]}";
/* clang-format on */

typedef struct found {
  support_world world;
  linear_state state;
  pencil pencil;
} found;

static void linearise(found *f, const char *name, torsor_about about) {
  const torsor_modes_settings settings = {.about = about};
  torsor_error error = {0};
  *f = (found){0};
  if (name)
    support_load(&f->world, name, NULL);
  else if (support_open(&f->world, doubled, NULL, &error))
    fail_msg("%s: %s", error.path, error.message);
  if (linear_state_find(&f->state, f->world.model, &settings, NULL, &error))
    fail_msg("%s: %s", name, error.message);
  CHECK_INT(pencil_create(&f->pencil, f->state.a, f->world.model, &f->state.t, f->state.q,
                          &f->state.memory),
            TORSOR_OK);
}

static void let_go(found *f) {
  linear_state_release(&f->state);
  support_close(&f->world);
}

/* Largest difference of the magnitudes of eigenvalues, as a part of them. */
static double compare(const eigen_list *a, const eigen_list *b, int count) {
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double size = hypot(b->re[i], b->im[i]);
    if (size > 0 || a->re[i] != 0 || a->im[i] != 0)
      worst = fmax(worst, fabs(hypot(a->re[i], a->im[i]) / size - 1));
  }
  return worst;
}

/* The matrices' round-off moves the squares of slow modes by n eps of those of the fastest ones,
 * whoever solves: dense matrices and KLU differ by as much.  Beyond 1e-10 of them modes by blocks
 * may be off dense ones by four times what those of KLU are: three of a kind. */
static void same_as_others(void **state) {
  (void)state;
  static const struct {
    const char *name;
    torsor_about about;
  } scenes[] = {{"timoshenko_modes", TORSOR_ABOUT_INITIAL},
                {"frame_modes", TORSOR_ABOUT_INITIAL},
                {"right_angle_cantilever", TORSOR_ABOUT_EQUILIBRIUM},
                {"rotating_shaft", TORSOR_ABOUT_STEADY},
                {"rotating_beam_modes_2", TORSOR_ABOUT_STEADY},
                {"steady_blade", TORSOR_ABOUT_STEADY},
                {"four_bar_misaligned", TORSOR_ABOUT_INITIAL},
                {NULL, TORSOR_ABOUT_INITIAL}};
  const int wanted = 8;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
    found f;
    eigen_list blocks = {0}, klu = {0}, dense = {0};
    linearise(&f, scenes[k].name, scenes[k].about);
    arena *memory = &f.state.memory;
    CHECK_INT(eigen_sparse(&blocks, &f.pencil, wanted, NULL, memory), TORSOR_OK);
    CHECK_INT(eigen_sparse(&klu, &f.pencil, wanted, "klu", memory), TORSOR_OK);
    CHECK_INT(eigen_dense(&dense, &f.pencil, memory), TORSOR_OK);
    const double off = compare(&blocks, &dense, wanted), before = compare(&klu, &dense, wanted);
    int repeated = 0;
    for (int i = 0; i < f.pencil.nl; ++i) repeated += f.pencil.dropped[i];
    print_message("  %s, %d rows repeat others: off dense modes by %.2g, KLU by %.2g, off KLU by "
                  "%.2g of mu\n",
                  scenes[k].name ? scenes[k].name : "frame", repeated, off, before,
                  compare(&blocks, &klu, wanted));
    CHECK_LE(off, 1e-10 + 4 * before);
    if (!scenes[k].name) CHECK_INT(repeated, 12);
    let_go(&f);
  }
}

/* It is blocks that solve, and they give back x from P(s) x. */
static void solved_by_blocks(void **state) {
  (void)state;
  found f;
  shifted s;
  arena memory = {0};
  linearise(&f, NULL, TORSOR_ABOUT_INITIAL);
  const pencil *p = &f.pencil;
  const int n = p->nv + p->nl;
  CHECK_INT(shifted_create(&s, p, NULL, &memory), TORSOR_OK);
  double *x = arena_take(&memory, (size_t)n, sizeof *x),
         *Px = arena_take(&memory, (size_t)n, sizeof *x);
  double *A = arena_take(&memory, (size_t)p->p->nonzeros, sizeof *A);
  for (int k = 0; k < 2; ++k) {
    const double at = k ? 30 : 1e-4 * sqrt(p->largest);
    double off = 0;
    CHECK_INT(shifted_factor(&s, at), TORSOR_OK);
    CHECK_STR(linear_solver_name(s.solver), "block");
    pencil_shift(A, p, at);
    for (int i = 0; i < n; ++i) x[i] = i < p->nv ? sin(i + 1.0) : 1e6 * cos(i + 1.0);
    for (int i = 0; i < p->nl; ++i) x[p->nv + i] *= !p->dropped[i];
    memset(Px, 0, (size_t)n * sizeof *Px);
    for (int j = 0; j < n; ++j)
      for (int i = p->p->Ap[j]; i < p->p->Ap[j + 1]; ++i) Px[p->p->Ai[i]] += A[i] * x[j];
    CHECK_INT(shifted_solve(&s, Px), TORSOR_OK);
    for (int i = 0; i < p->nv; ++i) off = fmax(off, fabs(Px[i] - x[i]));
    for (int i = p->nv; i < n; ++i) off = fmax(off, fabs(Px[i] - x[i]) / 1e6);
    check_report("solution of the shifted pencil", off, 1e-9);
    CHECK_LE(off, 1e-9);
  }
  shifted_release(&s);
  arena_release(&memory);
  let_go(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_others),
                                     cmocka_unit_test(solved_by_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
