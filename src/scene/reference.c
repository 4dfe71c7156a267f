/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/json_scan.h"
#include "scene/reader.h"
#include "scene/source.h"

void torsor_reference_destroy(torsor_reference *reference) {
  free(reference->tolerances);
  *reference = (torsor_reference){0};
}

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), bytes = strlen(end);
  return length > bytes && strcmp(name + length - bytes, end) == 0;
}

/* NAME.json for NAME.csv; any other name as it is. */
static char *sidecar_name(const char *file) {
  char *name = malloc(strlen(file) + sizeof ".json");
  if (!name) return NULL;
  strcpy(name, file);
  if (ends_with(file, ".csv")) strcpy(name + strlen(file) - strlen(".csv"), ".json");
  return name;
}

/* A number that must be there or not, finite and not below 0. */
static torsor_status read_bound(double *out, const reader *r, const json_node *node, bool needed) {
  char shown[96];
  *out = 0;
  if (!node->item && !needed) return TORSOR_OK;
  const torsor_status status = reader_number(out, r, node);
  if (status || *out >= 0) return status;
  return reader_fail(r, node, NULL, "must be 0 or greater, but is %s",
                     reader_show(node->item, shown));
}

static torsor_status read_tolerance(torsor_tolerance *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"value", "rtol", "basis"};
  const json_node value = json_member(node, "value"), rtol = json_member(node, "rtol");
  const json_node basis = json_member(node, "basis");
  const char *why = "";
  torsor_status status = reader_object(r, node, "a tolerance", keys, 3);
  if (!status) status = read_bound(&out->atol, r, &value, true);
  if (!status) status = read_bound(&out->rtol, r, &rtol, false);
  if (!status) status = reader_text(&why, r, &basis);
  if (status) return status;
  if (strlen(node->path.key) >= sizeof out->signal)
    return reader_fail_key(r, node, NULL, "the name of the signal is too long");
  snprintf(out->signal, sizeof out->signal, "%s", node->path.key);
  snprintf(out->basis, sizeof out->basis, "%s", why);
  return TORSOR_OK;
}

static torsor_status read_tolerances(torsor_reference *out, const reader *r,
                                     const json_node *node) {
  if (!node->item) return TORSOR_OK;
  if (!cJSON_IsObject(node->item)) return reader_object(r, node, "the tolerances", NULL, 0);
  out->tolerances = calloc((size_t)cJSON_GetArraySize(node->item) + 1, sizeof *out->tolerances);
  if (!out->tolerances) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  const cJSON *item;
  cJSON_ArrayForEach(item, node->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node tolerance = {item, {&node->path, item->string, 0}};
    const torsor_status status =
        read_tolerance(&out->tolerances[out->tolerance_count], r, &tolerance);
    if (status) return status;
    ++out->tolerance_count;
  }
  return TORSOR_OK;
}

/* "data", beside the sidecar; left out, NAME.csv. */
static torsor_status read_data(torsor_reference *out, const reader *r, const json_node *root) {
  const json_node data = json_member(root, "data");
  const char *name = "";
  const torsor_status status = data.item ? reader_text(&name, r, &data) : TORSOR_OK;
  if (status) return status;
  const char *slash = strrchr(r->file, '/');
  const int folder = slash && name[0] != '/' ? (int)(slash + 1 - r->file) : 0;
  const int plain = (int)strlen(r->file) - (ends_with(r->file, ".json") ? 5 : 0);
  const int length = data.item
                         ? snprintf(out->data, sizeof out->data, "%.*s%s", folder, r->file, name)
                         : snprintf(out->data, sizeof out->data, "%.*s.csv", plain, r->file);
  if (length < (int)sizeof out->data) return TORSOR_OK;
  return reader_fail(r, &data, NULL, "the path of the data is too long");
}

/* "modes": {"about": .., "count": ..}; left out, it is no reference about modes. */
static torsor_status read_modes(torsor_reference *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"about", "count"};
  static const char *const abouts[] = {[TORSOR_ABOUT_INITIAL] = "initial",
                                       [TORSOR_ABOUT_EQUILIBRIUM] = "equilibrium",
                                       [TORSOR_ABOUT_STEADY] = "steady"};
  if (!node->item) return TORSOR_OK;
  const json_node about = json_member(node, "about"), count = json_member(node, "count");
  int word = TORSOR_ABOUT_INITIAL;
  torsor_status status = reader_object(r, node, "what the modes are about", keys, 2);
  if (!status) status = reader_word(&word, r, &about, abouts, 3);
  if (!status) status = reader_integer(&out->modes, r, &count, 1);
  out->about = (torsor_about)word;
  return status;
}

static torsor_status read_reference(torsor_reference *out, const char *file, const char *bytes,
                                    const cJSON *item, torsor_error *error) {
  const expression_scope scope = {0};
  const reader r = {.file = file,
                    .text = bytes + json_scan_bom(bytes, strlen(bytes)),
                    .scope = &scope,
                    .error = error};
  const json_node root = json_root(item);
  if (!cJSON_IsObject(item)) return reader_object(&r, &root, "a sidecar", NULL, 0);
  const json_node title = json_member(&root, "title"), tolerance = json_member(&root, "tolerance");
  const json_node modes = json_member(&root, "modes");
  const char *words = "";
  torsor_status status = title.item ? reader_text(&words, &r, &title) : TORSOR_OK;
  snprintf(out->title, sizeof out->title, "%s", words);
  if (!status) status = read_data(out, &r, &root);
  if (!status) status = read_modes(out, &r, &modes);
  if (!status) status = read_tolerances(out, &r, &tolerance);
  return status;
}

torsor_status torsor_reference_load(torsor_reference *out, const char *file, torsor_error *error) {
  char *bytes = NULL;
  size_t length = 0;
  cJSON *root = NULL;
  *out = (torsor_reference){0};
  char *sidecar = sidecar_name(file);
  torsor_status status = TORSOR_OK;
  if (!sidecar) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) status = source_read(&bytes, &length, sidecar, error);
  if (!status) status = source_parse(&root, bytes, length, sidecar, error);
  if (!status) status = read_reference(out, sidecar, bytes, root, error);
  if (status)
    torsor_reference_destroy(out);
  else if (error)
    *error = (torsor_error){0};
  cJSON_Delete(root);
  free(bytes);
  free(sidecar);
  return status;
}
