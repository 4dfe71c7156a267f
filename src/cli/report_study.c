/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_study.h"

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "cli/folder.h"
#include "results/file.h"

/* Kept samples on a page, each with its 3D view. */
enum { MOST_SAMPLES = 24 };

static const char *const files[] = {"study.json", "table.csv", "summary.json"};
enum { FILES = sizeof files / sizeof *files };

bool report_is_study(const char *folder) {
  return folder_has_file(folder, "study.json") && !folder_has_file(folder, "trajectory.csv");
}

static torsor_status check_table(const char *folder, torsor_error *error) {
  if (folder_has_file(folder, "table.csv")) return TORSOR_OK;
  torsor_fail(error, TORSOR_FILE, "the study in \"%s\" has no table.csv", folder);
  torsor_hint(error,
              "torsor sweep STUDY.json -o DIR --collect makes it of the rows that are there");
  return TORSOR_FILE;
}

/* A sample whose analysis left nothing to be drawn is in the table alone. */
static bool can_be_drawn(const char *folder) {
  return folder_has_file(folder, "trajectory.csv") || folder_has_file(folder, "modes.csv");
}

static torsor_status add_sample(report_study *s, const char *folder, double sample,
                                torsor_error *error) {
  char *name = path_format(error, "%s/samples/%06.0f", folder, sample);
  if (!name) return TORSOR_MEMORY;
  if (!can_be_drawn(name) || s->count == MOST_SAMPLES) {
    s->left_out += s->count == MOST_SAMPLES;
    free(name);
    return TORSOR_OK;
  }
  char *label = path_format(error, "sample %.0f", sample);
  s->owned[2 * s->count] = name;
  s->owned[2 * s->count + 1] = label;
  s->source[s->count++] = (report_source){.name = name, .label = label};
  return label ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status report_study_find(report_study *out, const char *folder, torsor_error *error) {
  text words = {0};
  *out = (report_study){.source = calloc(MOST_SAMPLES, sizeof *out->source),
                        .owned = calloc((size_t)2 * MOST_SAMPLES, sizeof *out->owned)};
  if (!out->source || !out->owned) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  char *file = path_format(error, "%s/summary.json", folder);
  torsor_status status = file ? check_table(folder, error) : TORSOR_MEMORY;
  if (!status && file_exists(file)) status = file_read(&words, file, error);
  cJSON *summary = words.data ? cJSON_Parse(words.data) : NULL;
  const cJSON *item;
  cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(summary, "kept")) {
    if (!status && cJSON_IsNumber(item)) status = add_sample(out, folder, item->valuedouble, error);
  }
  cJSON_Delete(summary);
  text_release(&words);
  free(file);
  return status;
}

void report_study_release(report_study *s) {
  for (int i = 0; i < s->count; ++i) {
    free(s->owned[2 * i]);
    free(s->owned[2 * i + 1]);
  }
  free(s->source);
  free(s->owned);
  *s = (report_study){0};
}

torsor_status report_study_add(text *head, page_data *data, const report_study *s,
                               const char *folder, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  json_key(head, "study");
  text_append(head, "{");
  json_count(head, "left_out", s->left_out);
  json_key(head, "files");
  text_append(head, "{");
  for (int i = 0; i < FILES && !status; ++i) {
    text content = {0};
    char *file = path_format(error, "%s/%s", folder, files[i]);
    status = file ? TORSOR_OK : TORSOR_MEMORY;
    if (!status && file_exists(file)) {
      status = file_read(&content, file, error);
      if (!status) json_count(head, files[i], page_add_text(data, content.data, content.length));
    }
    text_release(&content);
    free(file);
  }
  text_append(head, "}}");
  return status;
}
