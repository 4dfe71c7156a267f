/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run_kit.h"

#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_SCENES = 200 };

bool kit_same_bits(const double *a, const double *b, int count) {
  for (int i = 0; i < count; ++i)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

double *kit_numbers(int count) {
  double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
  CHECK_TRUE(x != NULL);
  return x;
}

/* ---- subjects: every shipped scene with a motion --------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_scenes(char *names[MOST_SCENES]) {
  char folder[400];
  int count = 0;
  support_path(folder, sizeof folder, "scenes");
  DIR *dir = opendir(folder);
  CHECK_TRUE(dir != NULL);
  for (const struct dirent *entry; (entry = readdir(dir));) {
    char *end = strstr(entry->d_name, ".json");
    if (!end) continue;
    CHECK_TRUE(count < MOST_SCENES);
    names[count] = strdup(entry->d_name);
    names[count++][end - entry->d_name] = 0;
  }
  closedir(dir);
  qsort(names, (size_t)count, sizeof *names, by_name);
  return count;
}

/* False where the scene has no motion, or no step of its own: trial runs of whole durations are no
 * subject here. */
bool kit_open(run_subject *s, const char *name) {
  int count;
  support_load(&s->world, name, NULL);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  const char *const *names = torsor_scene_signals(s->world.scene, &count);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, count, NULL, NULL),
            TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
  return !torsor_scene_is_static(s->world.scene) && s->simulation.settings.step > 0 &&
         s->simulation.duration > 0;
}

void kit_close(run_subject *s) {
  torsor_signals_destroy(s->signals);
  support_close(&s->world);
}

torsor_run *kit_create(const run_subject *s) {
  torsor_error error = {0};
  torsor_run *run;
  const torsor_run_options options = {.size = sizeof options, .signals = s->signals};
  const torsor_status status =
      torsor_run_create(&run, s->world.model, &s->simulation, &options, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  return run;
}

void kit_all_scenes(void (*visit)(const char *name, run_subject *s, void *data), void *data) {
  char *names[MOST_SCENES];
  const int count = find_scenes(names);
  int visited = 0;
  for (int i = 0; i < count; ++i) {
    run_subject s;
    if (kit_open(&s, names[i])) {
      visit(names[i], &s, data);
      ++visited;
    }
    kit_close(&s);
    free(names[i]);
  }
  print_message("%d scenes\n", visited);
  CHECK_GE(visited, 60);
}

void *kit_save(torsor_run *run, size_t *size) {
  CHECK_INT(torsor_run_save(run, NULL, 0, size, NULL), TORSOR_OK);
  void *bytes = malloc(*size);
  CHECK_TRUE(bytes != NULL);
  size_t again;
  CHECK_INT(torsor_run_save(run, bytes, *size, &again, NULL), TORSOR_OK);
  CHECK_TRUE(again == *size);
  return bytes;
}

/* Signals, q, v, v' and lambda, one after the other. */
int kit_state_length(torsor_run *run, const run_subject *s) {
  return s->columns + (int)(torsor_run_q(run).count + torsor_run_v(run).count +
                            torsor_run_a(run).count + torsor_run_lambda(run).count);
}

void kit_look_at(double *out, torsor_run *run, const run_subject *s) {
  const torsor_view view[] = {torsor_run_q(run), torsor_run_v(run), torsor_run_a(run),
                              torsor_run_lambda(run)};
  CHECK_INT(torsor_run_values(run, s->signals, out, NULL), TORSOR_OK);
  out += s->columns;
  for (int i = 0; i < 4; ++i) {
    memcpy(out, view[i].value, view[i].count * sizeof *out);
    out += view[i].count;
  }
}

/* Go on by so many steps less one, not beyond the end, with a look before each and after the
 * last. */
void kit_go_on(double *out, torsor_run *run, const run_subject *s, int steps) {
  const int length = kit_state_length(run, s);
  for (int i = 0; i < steps; ++i) {
    if (i > 0 && !torsor_run_finished(run)) CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
    kit_look_at(out + i * length, run, s);
  }
}
