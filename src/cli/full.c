/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/full.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "cli/folder.h"
#include "results/file.h"

/* A number of trajectory.csv, with its comma: most have 16 or 17 digits, many of them a sign. */
static const double CSV_NUMBER = 20;

static torsor_result_info info_of(const session *s, bool statics) {
  const torsor_scene *scene = s->scene;
  return (torsor_result_info){.scene = torsor_scene_name(scene),
                              .title = torsor_scene_title(scene),
                              .hash = torsor_scene_hash(scene),
                              .canonical = torsor_scene_canonical(scene),
                              .simulation = torsor_scene_simulation(scene),
                              .statics = statics ? torsor_scene_statics(scene) : NULL};
}

torsor_status full_measure(full_size *out, const session *s, bool state, torsor_error *error) {
  const torsor_recording *recording = torsor_scene_recording(s->scene);
  const torsor_result_info info = info_of(s, false);
  torsor_layout layout;
  *out = (full_size){.rows = torsor_simulation_rows(info.simulation)};
  out->frames = torsor_recording_frames(recording, out->rows);
  out->trajectory = CSV_NUMBER * (double)out->rows * (torsor_signals_count(s->signals) + 1);
  if (!state) return TORSOR_OK;
  torsor_status status = torsor_layout_create(&layout, s->model, recording->fields, error);
  if (status) return status;
  status = torsor_netcdf_bytes(&out->state, out->frames, &layout, recording, &info, error);
  torsor_layout_destroy(&layout);
  return status;
}

const char *full_show_bytes(char out[32], double bytes) {
  static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  size_t unit = 0;
  for (; bytes >= 999.5 && unit + 1 < sizeof units / sizeof *units; ++unit) bytes /= 1000;
  snprintf(out, 32, "%.3g %s", bytes, units[unit]);
  return out;
}

torsor_status full_check_room(const full_size *size, bool state, const char *folder,
                              torsor_error *error) {
  struct statvfs disk;
  if (statvfs(folder, &disk) != 0)
    return file_fail(error, folder, "check the disk of the folder", errno);
  const double needed = size->trajectory + (state ? size->state : 0);
  const double room = (double)disk.f_bavail * (double)disk.f_frsize;
  char shown[2][32];
  if (needed <= room || !disk.f_blocks) return TORSOR_OK; /* no blocks: it is no disk */
  torsor_fail(error, TORSOR_FILE, "the results need about %s, but the disk has only %s",
              full_show_bytes(shown[0], needed), full_show_bytes(shown[1], room));
  torsor_hint(error,
              "write fewer rows (\"output\": {\"every\": ..}%s, or give another folder with -o",
              state ? ", \"full\": {\"every\": .., \"channels\": [..]})" : ")");
  if (error) snprintf(error->file, sizeof error->file, "%s", folder);
  return TORSOR_FILE;
}

torsor_status full_open(full_output *f, const session *s, const char *folder, bool asked,
                        bool statics, torsor_error *error) {
  *f = (full_output){.recording = *torsor_scene_recording(s->scene)};
  f->recording.full |= asked;
  f->file = path_format(error, "%s/state.nc", folder);
  if (!f->file) return TORSOR_MEMORY;
  if (!f->recording.full) {
    const bool gone = unlink(f->file) == 0 || errno == ENOENT;
    return gone ? TORSOR_OK : file_fail(error, f->file, "replace the file", errno);
  }
  torsor_layout layout;
  const torsor_result_info info = info_of(s, statics);
  torsor_status status = torsor_layout_create(&layout, s->model, f->recording.fields, error);
  if (status) return status;
  status = torsor_netcdf_create(&f->netcdf, f->file, &layout, &f->recording, &info, error);
  torsor_layout_destroy(&layout);
  return status;
}

torsor_status full_resume(full_output *f, const session *s, const char *folder, long long bytes,
                          long frames, torsor_error *error) {
  torsor_layout layout;
  *f = (full_output){.recording = *torsor_scene_recording(s->scene)};
  f->recording.full = bytes > 0;
  f->file = path_format(error, "%s/state.nc", folder);
  if (!f->file) return TORSOR_MEMORY;
  if (!bytes) return TORSOR_OK;
  torsor_status status = torsor_layout_create(&layout, s->model, f->recording.fields, error);
  if (status) return status;
  status = torsor_netcdf_resume(&f->netcdf, f->file, &layout, &f->recording, bytes, frames, error);
  torsor_layout_destroy(&layout);
  return status;
}

torsor_status full_close(full_output *f, torsor_error *error) {
  torsor_netcdf *netcdf = f->netcdf;
  f->netcdf = NULL;
  return torsor_netcdf_close(netcdf, error);
}

void full_release(full_output *f) {
  torsor_netcdf_close(f->netcdf, NULL);
  free(f->file);
  *f = (full_output){0};
}
