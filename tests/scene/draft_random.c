/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "draft_probe.h"

#include <stdio.h>
#include <stdlib.h>

/** Drafts by calls that are drawn at random: whatever comes of them, the text of a draft says the
 *  same as the draft, to the letter of the message. */

enum { ITEMS = 12, CALLS = 60 };

typedef struct world {
  check_rng rng;
  torsor_draft *draft;
  torsor_item *item[ITEMS]; /* some of them are of no use any more, or NULL */
  int put, taken, refused;
} world;

static int draw(world *w, int count) {
  return (int)(check_rng_next(&w->rng) % (uint64_t)count);
}

static const char *draw_word(world *w, const char *const *word, int count) {
  return word[draw(w, count)];
}

#define DRAW(w, list) draw_word((w), (list), (int)(sizeof(list) / sizeof *(list)))

static const char *draw_key(world *w) {
  static const char *const common[] = {
      "name",  "type",    "a",      "b",       "body",   "mass",  "position", "radius", "shape",
      "table", "active",  "repeat", "comment", "_x",     "value", "closed",   "points", "duration",
      "step",  "gravity", "p",      "f",       "forces", "title", "torsor"};
  const int own = (int)(sizeof params / sizeof *params) - 1;
  return draw(w, 2) ? params[draw(w, own)].key : DRAW(w, common);
}

static const char *draw_text(world *w) {
  static const char *const texts[] = {"box",   "ground", "p",           "2*p",  "t",
                                      "green", "bar",    "hinge.angle", "wing", "",
                                      "\xff",  "f",      "linear",      "SE3",  "x${i}"};
  return DRAW(w, texts);
}

static double draw_number(world *w) {
  static const double numbers[] = {0, 1, -1, 0.5, 3, 1e300, HUGE_VAL, 0.1};
  return numbers[draw(w, 8)];
}

static const char *draw_json(world *w) {
  static const char *const texts[] = {"null",
                                      "true",
                                      "[]",
                                      "{}",
                                      "[1, 2, 3]",
                                      "{\"body\": \"box\"}",
                                      "{\"table\": [[0, 0], [1, 2], [2, 0]]}",
                                      "{\"shape\": \"circle\"}",
                                      "[{\"name\": \"z\", \"type\": \"probe\", \"number\": \"p\"}]",
                                      "[1, 2",
                                      "{\"in\": \"inertial\", \"value\": [\"p\", 0, 0]}",
                                      "{\"points\": [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]}"};
  return DRAW(w, texts);
}

static torsor_item *draw_item(world *w) {
  static const char *const objects[] = {"scene",     "simulation", "parameters",
                                        "functions", "inputs",     "sections",
                                        "output",    "statics",    "ground"};
  static const char *const names[] = {"box", "wing", "hinge", "probe", "z"};
  switch (draw(w, 5)) {
  case 0:
    return torsor_draft_item(w->draft, DRAW(w, objects));
  case 1:
    return torsor_draft_find(w->draft, DRAW(w, names));
  case 2:
    return torsor_item_at(w->item[draw(w, ITEMS)], draw_key(w));
  case 3:
    return torsor_element_new(w->draft, draw(w, 4) ? "probe" : "point_mass",
                              draw(w, 9) ? "again" : "z");
  default:
    return w->item[draw(w, ITEMS)];
  }
}

static torsor_status set(world *w, torsor_item *item, const char *key) {
  const double value[12] = {draw_number(w), 1, 0, 0, 2, draw_number(w), 1, 1, 0, 0, 1, 3};
  const v3 x = {draw_number(w), 0, 1};
  const char *texts[] = {draw_text(w), "energy"};
  switch (draw(w, 13)) {
  case 0:
    return torsor_set_bool(item, key, draw(w, 2));
  case 1:
    return torsor_set_text(item, key, draw_text(w));
  case 2:
    return torsor_set_vector(item, key, x);
  case 3:
    return torsor_set_numbers(item, key, value, draw(w, 7));
  case 4:
    return torsor_set_matrix(item, key, value, draw(w, 5), 3);
  case 5:
    return torsor_set_texts(item, key, texts, draw(w, 3));
  case 6:
    return torsor_set_rotation(item, key, so3_exp((v3){0, draw_number(w), 0}));
  case 7:
    return torsor_set_marker(item, key, draw_text(w), x);
  case 8:
    return torsor_set_marker_frame(item, key, draw_text(w), x, so3_identity());
  case 9:
    return torsor_set_table(item, key, (const double[]){0, 1, 2}, value, draw(w, 4));
  case 10:
    return torsor_set_json(item, key, draw_json(w));
  case 11:
    return draw(w, 4) ? TORSOR_OK : torsor_unset(item, key);
  default:
    return torsor_set_number(item, key, draw_number(w));
  }
}

static void call(world *w) {
  torsor_item *item = draw_item(w);
  torsor_draft_clear_error(w->draft);
  const torsor_status status = set(w, item, draw_key(w));
  const torsor_error *error = torsor_draft_error(w->draft);
  w->put += status == TORSOR_OK;
  w->refused += status != TORSOR_OK;
  CHECK_INT(error != NULL, item && status);
  if (error) {
    CHECK_INT(error->status, status);
    CHECK_TRUE(error->message[0] != '\0');
    CHECK_STR(error->file, "");
  }
  torsor_draft_clear_error(w->draft);
  w->item[draw(w, ITEMS)] = item;
}

static torsor_status open_scene(torsor_scene **scene, const char *text, torsor_error *error) {
  torsor_model *model = NULL;
  torsor_status status =
      torsor_scene_parse(scene, text, strlen(text), "text.json", types, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, *scene, error);
  torsor_model_destroy(model);
  return status;
}

static void compare(world *w) {
  torsor_error drawn = {0}, read = {0};
  torsor_scene *scene = NULL, *again = NULL;
  char *text = NULL;
  CHECK_INT(torsor_draft_text(&text, w->draft, &drawn), TORSOR_OK);
  const torsor_status first = torsor_draft_scene(&scene, w->draft, &drawn);
  const torsor_status second = open_scene(&again, text, &read);
  if (first != second || strcmp(drawn.message, read.message) != 0) print_error("%s", text);
  CHECK_INT(first, second);
  CHECK_STR(drawn.message, read.message);
  CHECK_STR(drawn.path, read.path);
  CHECK_STR(drawn.element, read.element);
  if (!first) CHECK_STR(torsor_scene_canonical(scene), torsor_scene_canonical(again));
  if (!first) CHECK_STR(torsor_scene_hash(scene), torsor_scene_hash(again));
  w->taken += !first;
  torsor_text_free(text);
  torsor_scene_destroy(scene);
  torsor_scene_destroy(again);
}

static void random_calls(void **state) {
  (void)state;
  enum { DRAFTS = 3000 };
  world w = {.rng = {11}};
  for (int k = 0; k < DRAFTS; ++k) {
    w.draft = open_draft(&w.item[0]);
    for (int i = 1; i < ITEMS; ++i) w.item[i] = NULL;
    const int calls = draw(&w, CALLS);
    for (int i = 0; i < calls; ++i) call(&w);
    compare(&w);
    torsor_draft_destroy(w.draft);
  }
  print_message("  %d drafts, %d of them scenes; %d values put, %d refused\n", DRAFTS, w.taken,
                w.put, w.refused);
  CHECK_GE(w.taken, DRAFTS / 20);
  CHECK_GE(w.put, 4 * DRAFTS);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_calls)};
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
