/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_object.h"

#include <stdint.h>
#include <string.h>

#include <torsor/element.h>

/* A saved run in the caller's memory: a header, by which foreign bytes are recognised, and the tape
 * of everything that changes during a run. */

typedef struct saved_header {
  char magic[8];
  uint32_t abi, version;
  uint64_t model, length;
} saved_header;

static const char MAGIC[8] = "TORSRUN";

/* Hashes bytes by FNV-1a. */
static uint64_t mix(uint64_t hash, const void *data, size_t size) {
  for (const unsigned char *byte = data; size-- > 0; ++byte) hash = (hash ^ *byte) * 0x100000001b3u;
  return hash;
}

static uint64_t mix_text(uint64_t hash, const char *text) {
  return mix(hash, text, strlen(text) + 1);
}

/* Returns a hash of the elements with their types and names, of the size of the unknowns, and of
 * the method. */
static uint64_t print_of(const torsor_run *r) {
  const torsor_model *model = r->model;
  uint64_t hash = 0xcbf29ce484222325u;
  hash = mix(hash, &model->nq, sizeof model->nq);
  hash = mix(hash, &model->nv, sizeof model->nv);
  hash = mix(hash, &model->nl, sizeof model->nl);
  for (int i = 0; i < model->element_count; ++i) {
    hash = mix_text(hash, model->element[i].type->name);
    hash = mix_text(hash, model->element[i].name);
  }
  return mix_text(hash, r->simulation->settings.method);
}

static saved_header header_of(const torsor_run *r, size_t length) {
  saved_header h = {.abi = TORSOR_ELEMENT_ABI,
                    .version = (uint32_t)mix_text(0xcbf29ce484222325u, torsor_version()),
                    .model = print_of(r),
                    .length = length};
  memcpy(h.magic, MAGIC, sizeof h.magic);
  return h;
}

static void walk(led_run *l, tape *t) {
  run_walk_parameters(l, t);
  assembly_walk(l->run.assembly, t);
  run_walk(&l->run, t);
  TAPE_VALUE(t, l->simulation.settings.step);
  TAPE_VALUE(t, l->concluded);
  TAPE_VALUE(t, l->floor);
}

torsor_status torsor_run_save(torsor_run *run, void *data, size_t room, size_t *size,
                              torsor_error *error) {
  const size_t head = sizeof(saved_header);
  const bool fits = data && room >= head;
  tape t = {.mode = TAPE_WRITE,
            .fixed = true,
            .data = fits ? (unsigned char *)data + head : NULL,
            .room = fits ? room - head : 0};
  walk(led(run), &t);
  *size = head + t.length;
  if (!data) return TORSOR_OK;
  if (*size > room)
    return torsor_fail(error, TORSOR_ARGUMENT, "the state takes %zu bytes, there is room for %zu",
                       *size, room);
  const saved_header h = header_of(run, t.length);
  memcpy(data, &h, head);
  return TORSOR_OK;
}

static torsor_status refuse(torsor_error *error, const char *why, const char *hint) {
  torsor_fail(error, TORSOR_FILE, "the saved state does not fit this run: %s", why);
  torsor_hint(error, "%s", hint);
  return TORSOR_FILE;
}

static torsor_status check_header(const torsor_run *run, const void *data, size_t size,
                                  torsor_error *error) {
  saved_header h;
  if (size < sizeof h) return refuse(error, "it is too short", "give all of the saved bytes");
  memcpy(&h, data, sizeof h);
  const saved_header own = header_of(run, size - sizeof h);
  if (memcmp(h.magic, own.magic, sizeof h.magic) != 0)
    return refuse(error, "torsor_run_save did not write it",
                  "give bytes that torsor_run_save wrote");
  if (h.abi != own.abi || h.version != own.version)
    return refuse(error, "another version of the library wrote it", "save it anew");
  if (h.model != own.model)
    return refuse(error, "it is of another model or method",
                  "restore it into a run of the same model and simulation");
  if (h.length != own.length)
    return refuse(error, "it has too few or too many bytes", "give all of the saved bytes");
  return TORSOR_OK;
}

torsor_status torsor_run_restore(torsor_run *run, const void *data, size_t size,
                                 torsor_error *error) {
  led_run *l = led(run);
  torsor_status status = check_header(run, data, size, error);
  if (status) return status;
  tape t = {.mode = TAPE_READ,
            .data = (unsigned char *)data + sizeof(saved_header),
            .length = size - sizeof(saved_header)};
  walk(l, &t);
  tape_end(&t);
  l->occurrences = 0;
  run_set_companion(run);
  if (t.status)
    return refuse(error, t.failed ? t.failed : "there is no memory for it",
                  "restore it into a run of the same model, simulation and options");
  run_show(l);
  return TORSOR_OK;
}
