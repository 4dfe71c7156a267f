/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <torsor/torsor.h>

#include "bad_scenes/bad_scenes.h"

/** Whatever stands in a scene: an answer, and a message with a place where it is no. */

enum { ROOM = 4096 };

static torsor_registry *registry;
static int accepted, refused;

static int open_registry(void **state) {
  (void)state;
  registry = torsor_registry_create(NULL);
  return registry ? 0 : -1;
}

static int close_registry(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  return 0;
}

static void try_text(const char *text, size_t length, const char *set) {
  torsor_error error = {0};
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  /* A copy of exactly this length: reading beyond it is seen by the address sanitizer. */
  char *copy = malloc(length ? length : 1);
  memcpy(copy, text, length);
  torsor_status status =
      torsor_scene_parse(&scene, copy, length, "fuzz", registry, &set, set != NULL, &error);
  free(copy);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  const bool reported =
      error.message[0] && error.file[0] && (set || (error.line > 0 && error.column > 0));
  const bool right = status ? reported && status < 0 && status != TORSOR_MEMORY : model != NULL;
  if (!right)
    print_error("%s: %s:%d:%d %s\n%.*s\n", torsor_status_name(status), error.file, error.line,
                error.column, error.message, (int)length, text);
  CHECK_TRUE(right);
  accepted += !status;
  refused += status != TORSOR_OK;
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
}

static void report(void) {
  print_message("  %d accepted, %d refused\n", accepted, refused);
  accepted = refused = 0;
}

static const char *const scenes[] = {good_scene, chain_scene};

static void prefixes(void **state) {
  (void)state;
  for (int which = 0; which < 2; ++which) {
    const char *scene = scenes[which];
    const size_t all = strlen(scene);
    for (size_t length = 0; length <= all; ++length) try_text(scene, length, NULL);
    CHECK_INT(accepted, 2); /* with and without the last line break */
    report();
  }
}

static void single_bytes_left_out(void **state) {
  (void)state;
  char text[ROOM];
  for (int which = 0; which < 2; ++which) {
    const size_t all = strlen(scenes[which]);
    for (size_t i = 0; i < all; ++i) {
      memcpy(text, scenes[which], i);
      memcpy(text + i, scenes[which] + i + 1, all - i - 1);
      try_text(text, all - 1, NULL);
    }
  }
  report();
}

static void random_bytes(void **state) {
  (void)state;
  check_rng rng = {2024};
  char text[ROOM];
  for (int trial = 0; trial < 10000; ++trial) {
    const size_t all = strlen(scenes[trial % 2]);
    memcpy(text, scenes[trial % 2], all);
    for (uint64_t flips = 1 + check_rng_next(&rng) % 3; flips > 0; --flips) {
      const size_t at = (size_t)(check_rng_next(&rng) % all);
      text[at] = (char)(check_rng_next(&rng) & 0xff);
    }
    try_text(text, all, NULL);
  }
  report();
}

/* Pieces of scenes in place of others: gets further than random bytes. */
static void random_pieces(void **state) {
  (void)state;
  static const char *const pieces[] = {"{",
                                       "}",
                                       "[",
                                       "]",
                                       ",",
                                       ":",
                                       "\"",
                                       "1e308",
                                       "-1",
                                       "0",
                                       "null",
                                       "true",
                                       "\"m\"",
                                       "\"L*m\"",
                                       "[1,2,3]",
                                       "[[1,2,3]]",
                                       "{}",
                                       "[]",
                                       "\\u",
                                       "\\ud8",
                                       "\"top\"",
                                       "\"(\"",
                                       "\"1/0\"",
                                       "1e-320",
                                       "\"ground\"",
                                       "\"\"",
                                       "{\"body\":",
                                       "\"t\"",
                                       "\"a${\"",
                                       "\"link${i+1}\"",
                                       "{\"table\":[[0,1]]}",
                                       "{\"value\":\"t\"}",
                                       "\"i\"",
                                       "\"1 deg\""};
  check_rng rng = {2025};
  char text[ROOM];
  for (int trial = 0; trial < 10000; ++trial) {
    const char *scene = scenes[trial % 2];
    const size_t all = strlen(scene);
    const char *piece = pieces[check_rng_next(&rng) % (sizeof pieces / sizeof *pieces)];
    size_t start = (size_t)(check_rng_next(&rng) % all);
    while (start > 0 && !strchr(" [:", scene[start - 1])) --start;
    size_t end = start;
    while (end < all && !strchr(",]}", scene[end])) ++end;
    const int length = snprintf(text, ROOM, "%.*s%s%s", (int)start, scene, piece, scene + end);
    try_text(text, (size_t)length, NULL);
  }
  report();
}

static void random_changes(void **state) {
  (void)state;
  static const char *const pieces[] = {
      "bodies", "[0]", ".", "mass", "=",      "[1]", "top", "1",     "-",     "{",        "}", "\"",
      "joints", "m",   "[", "]",    "output", "\n",  "b",   "every", "title", "\xc3\xa9", "(", ","};
  check_rng rng = {2026};
  for (int trial = 0; trial < 10000; ++trial) {
    char set[256] = "";
    for (uint64_t count = check_rng_next(&rng) % 10; count > 0; --count)
      strcat(set, pieces[check_rng_next(&rng) % (sizeof pieces / sizeof *pieces)]);
    try_text(good_scene, strlen(good_scene), set);
  }
  report();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prefixes),       cmocka_unit_test(single_bytes_left_out),
      cmocka_unit_test(random_bytes),   cmocka_unit_test(random_pieces),
      cmocka_unit_test(random_changes),
  };
  return cmocka_run_group_tests(tests, open_registry, close_registry);
}
