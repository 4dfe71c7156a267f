/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files of full states that are still being written, that are cut off or damaged, that the disk
 * cannot take, and those that are none. */
#include "check.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "results/relay.h"
#include "states_kit.h"

/* ---- files that are not whole ---------------------------------------------------------------- */

/* A writer of the rotor's frames, and the frame that it is given. */
typedef struct writing {
  support_world world;
  torsor_layout layout;
  torsor_netcdf *netcdf;
  torsor_frame frame;
  double value[12000];
} writing;

static void begin_writing_of(writing *w, const char *text, double sync) {
  torsor_error error = {0};
  torsor_recording recording = states_everything;
  recording.sync = sync;
  CHECK_INT(support_open(&w->world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(torsor_layout_create(&w->layout, w->world.model, recording.fields, &error), TORSOR_OK);
  const torsor_result_info info = states_info(&w->world, false);
  CHECK_INT(torsor_netcdf_create(&w->netcdf, states_path, &w->layout, &recording, &info, &error),
            TORSOR_OK);
  CHECK_LE((double)torsor_frame_size(&w->layout, recording.fields), 12000);
  torsor_frame_lay(&w->frame, &w->layout, recording.fields, w->value);
}

static void begin_writing(writing *w, double sync) {
  begin_writing_of(w, states_rotor, sync);
}

static void end_writing(writing *w) {
  torsor_netcdf_close(w->netcdf, NULL);
  torsor_layout_destroy(&w->layout);
  support_close(&w->world);
}

static torsor_status write_number(writing *w, int i) {
  for (size_t k = 0; k < w->frame.size; ++k) w->value[k] = i;
  return torsor_netcdf_write(w->netcdf, &w->frame);
}

/* Frames 0, 1, .. of the file, all of them right; -1: it cannot be opened. */
static long count_right(void) {
  torsor_states *states;
  torsor_error error = {0};
  const torsor_frame *frame;
  if (torsor_states_open(&states, states_path, &error)) {
    CHECK_INT(error.status, TORSOR_FILE);
    CHECK_STR(error.file, states_path);
    CHECK_TRUE(error.message[0] != '\0');
    return -1;
  }
  const long count = torsor_states_count(states);
  for (long i = 0; i < count; ++i) {
    CHECK_INT(torsor_states_read(&frame, states, i, &error), TORSOR_OK);
    for (size_t k = 0; k < frame->size; ++k) CHECK_NEAR(frame->value[k], (double)i, 0);
  }
  torsor_states_close(states);
  return count;
}

static long count_frames_of(const writing *w) {
  torsor_states *states;
  CHECK_TRUE(w->netcdf != NULL);
  CHECK_INT(torsor_states_open(&states, states_path, NULL), TORSOR_OK);
  const long count = torsor_states_count(states);
  torsor_states_close(states);
  return count;
}

static void rows_do_not_wait_longer_than_they_may(void **state) {
  (void)state;
  writing w;
  begin_writing(&w, 0);
  CHECK_INT(count_right(), 0);
  for (int i = 0; i < 3; ++i) {
    CHECK_INT(write_number(&w, i), TORSOR_OK);
    CHECK_INT(count_right(), i + 1);
  }
  end_writing(&w);
  begin_writing(&w, 0.05);
  CHECK_INT(write_number(&w, 0), TORSOR_OK);
  CHECK_INT(count_right(), 0);
  usleep(80000);
  CHECK_INT(torsor_netcdf_flush_old(w.netcdf), TORSOR_OK);
  CHECK_INT(count_right(), 1);
  end_writing(&w);
  begin_writing(&w, 1e9);
  for (int i = 0; i < 2000; ++i) CHECK_INT(write_number(&w, i), TORSOR_OK);
  /* a buffer of 64 kB, and one frame */
  CHECK_GE((double)count_right(), 2000 - (65536 / (8 * (double)w.frame.size) + 1));
  end_writing(&w);
  CHECK_INT(count_right(), 2000);
}

static void wrong_frames_are_refused(void **state) {
  (void)state;
  writing w;
  begin_writing(&w, 0);
  torsor_frame other = w.frame;
  other.size -= 1;
  CHECK_INT(torsor_netcdf_write(w.netcdf, &other), TORSOR_ARGUMENT);
  CHECK_INT(write_number(&w, 0), TORSOR_OK);
  end_writing(&w);
  CHECK_INT(count_right(), 1);
}

/* A limit that the file meets within a frame, and the file behind it. */
static void check_limit(const writing *w, long frames, double part) {
  struct rlimit before, limit;
  const double head = states_file_bytes();
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(head + (double)(8 * w->frame.size) * ((double)frames + part));
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  torsor_status status = TORSOR_OK;
  torsor_error error = {0};
  writing *to = (writing *)w;
  int i = 0;
  while (!status && i < 100) status = write_number(to, i++);
  const torsor_status again = write_number(to, i);
  const torsor_status closed = torsor_netcdf_close(to->netcdf, &error);
  to->netcdf = NULL;
  signal(SIGXFSZ, handler);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_INT(status, TORSOR_FILE);
  CHECK_INT(again, TORSOR_FILE);
  CHECK_INT(closed, TORSOR_FILE);
  CHECK_STR(error.file, states_path);
  CHECK_CONTAINS(error.message, "too large");
  CHECK_INT(i, frames + 1);
  CHECK_INT(count_right(), frames);
  CHECK_NEAR(states_file_bytes(), head + (double)(8 * w->frame.size) * (double)frames, 0);
}

static void full_disk_leaves_whole_frames(void **state) {
  (void)state;
  writing w;
  for (int i = 0; i < 3; ++i) {
    begin_writing(&w, 0);
    check_limit(&w, 5 * i, 0.4 * i);
    end_writing(&w);
  }
}

/* Frames of 500 bodies, long enough for a thread of its own to write them. */
static const char crowd[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"b${i}\", \"repeat\": 500, \"type\": \"point_mass\", "
    "\"mass\": 1, \"velocity\": [0, 0, 0]}], \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}";

static void long_frames_are_written_beside(void **state) {
  (void)state;
  static writing w;
  begin_writing_of(&w, crowd, 1e9);
  const double bytes = 8 * (double)w.frame.size;
  CHECK_GE(bytes, 65536);
  for (int i = 0; i < 100; ++i) {
    CHECK_INT(write_number(&w, i), TORSOR_OK);
    CHECK_INT(torsor_netcdf_flush_old(w.netcdf), TORSOR_OK);
    CHECK_GE((double)count_frames_of(&w), i + 1 - RELAY_BYTES / bytes);
  }
  CHECK_INT(torsor_netcdf_close(w.netcdf, NULL), TORSOR_OK);
  w.netcdf = NULL;
  CHECK_INT(count_right(), 100);
  end_writing(&w);
}

/* A frame that has waited for long enough is written though no other one follows. */
static void old_frames_are_written_beside(void **state) {
  (void)state;
  static writing w;
  const struct timespec moment = {.tv_nsec = 1000000};
  begin_writing_of(&w, crowd, 0);
  for (int i = 0; i < 3; ++i) {
    CHECK_INT(write_number(&w, i), TORSOR_OK);
    CHECK_INT(torsor_netcdf_flush_old(w.netcdf), TORSOR_OK);
    for (int k = 0; k < 10000 && count_frames_of(&w) <= i; ++k) nanosleep(&moment, NULL);
    CHECK_INT(count_frames_of(&w), i + 1);
  }
  end_writing(&w);
}

/* The error comes when the thread has found it, and whole frames stay. */
static void full_disk_under_long_frames(void **state) {
  (void)state;
  static writing w;
  torsor_error error = {0};
  struct rlimit before, limit;
  begin_writing_of(&w, crowd, 0);
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = (rlim_t)(states_file_bytes() + 8 * (double)w.frame.size * 5.5);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  int i = 0;
  while (i < 100 && write_number(&w, i) == TORSOR_OK) ++i;
  const torsor_status closed = torsor_netcdf_close(w.netcdf, &error);
  w.netcdf = NULL;
  signal(SIGXFSZ, handler);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  CHECK_LE((double)i, 5 + 1 + RELAY_BYTES / (8 * (double)w.frame.size));
  CHECK_INT(closed, TORSOR_FILE);
  CHECK_CONTAINS(error.message, "too large");
  CHECK_INT(count_right(), 5);
  end_writing(&w);
}

static void check_refused(const char *file, const char *message) {
  support_world world;
  torsor_error error = {0};
  torsor_layout layout;
  torsor_netcdf *netcdf;
  CHECK_INT(support_open(&world, states_rotor, NULL, &error), TORSOR_OK);
  const torsor_result_info info = states_info(&world, false);
  CHECK_INT(torsor_layout_create(&layout, world.model, TORSOR_FIELDS_ALL, &error), TORSOR_OK);
  CHECK_INT(torsor_netcdf_create(&netcdf, file, &layout, &states_everything, &info, &error),
            TORSOR_FILE);
  CHECK_TRUE(netcdf == NULL);
  CHECK_STR(error.file, file);
  CHECK_CONTAINS(error.message, message);
  torsor_layout_destroy(&layout);
  support_close(&world);
}

static void what_is_no_file_is_refused(void **state) {
  (void)state;
  unlink(states_path);
  CHECK_INT(mkfifo(states_path, 0600), 0);
  check_refused(states_path, "No such device"); /* and it does not wait for a reader */
  check_refused("/dev/full", "Illegal seek");
  unlink(states_path);
  CHECK_INT(mkdir(states_path, 0700), 0);
  check_refused(states_path, "directory");
  CHECK_INT(count_right(), -1);
  rmdir(states_path);
  CHECK_INT(count_right(), -1);
}

static char *read_bytes(size_t *size) {
  FILE *file = fopen(states_path, "rb");
  *size = (size_t)states_file_bytes();
  char *bytes = malloc(*size);
  CHECK_TRUE(file && bytes && fread(bytes, 1, *size, file) == *size);
  fclose(file);
  return bytes;
}

static void write_bytes(const char *bytes, size_t size) {
  FILE *file = fopen(states_path, "wb");
  CHECK_TRUE(file && fwrite(bytes, 1, size, file) == size);
  CHECK_INT(fclose(file), 0);
}

static void files_cut_anywhere(void **state) {
  (void)state;
  writing w;
  size_t size;
  begin_writing(&w, 0);
  const size_t head = (size_t)states_file_bytes(), frame = 8 * w.frame.size;
  for (int i = 0; i < 3; ++i) write_number(&w, i);
  end_writing(&w);
  char *bytes = read_bytes(&size);
  CHECK_INT(size, head + 3 * frame);
  for (size_t cut = 0; cut < size; cut += 7) {
    write_bytes(bytes, cut);
    const long expected = cut < head ? -1 : (long)((cut - head) / frame);
    if (cut < head) /* names may be read though the last of them are missing */
      CHECK_LE((double)count_right(), 0);
    else
      CHECK_INT(count_right(), expected);
  }
  free(bytes);
}

/* Places that lead somewhere. */
static void check_places(const torsor_layout *l) {
  for (int i = 0; i < l->nodes; ++i) {
    CHECK_TRUE(l->node_element[i] >= 0 && l->node_element[i] < l->elements);
    CHECK_TRUE(l->node_group[i] >= 0 && l->node_group[i] <= TORSOR_GROUP_SE3);
  }
}

/* Whatever a file holds, it is refused or read: nothing is taken on trust. */
static void damaged_files(void **state) {
  (void)state;
  writing w;
  size_t size;
  check_rng rng = {7};
  int opened = 0, refused = 0;
  begin_writing(&w, 0);
  const size_t head = (size_t)states_file_bytes();
  write_number(&w, 0);
  end_writing(&w);
  char *bytes = read_bytes(&size);
  for (int trial = 0; trial < 1000; ++trial) {
    const size_t at = (size_t)check_uniform(&rng, 0, (double)head - 1);
    const char kept = bytes[at];
    bytes[at] = (char)(unsigned char)check_uniform(&rng, 0, 255.9);
    write_bytes(bytes, size);
    bytes[at] = kept;
    torsor_states *states;
    torsor_error error = {0};
    if (torsor_states_open(&states, states_path, &error) == TORSOR_OK) {
      const torsor_frame *frame;
      if (torsor_states_count(states) > 0) torsor_states_read(&frame, states, 0, &error);
      check_places(torsor_states_layout(states));
      torsor_states_close(states);
      ++opened;
    } else {
      CHECK_TRUE(error.message[0] != '\0');
      ++refused;
    }
  }
  print_message("  one byte of a header changed: %d read all the same, %d refused\n", opened,
                refused);
  CHECK_GE((double)refused, 100);
  free(bytes);
}

static void other_files_are_named(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t size;
    const char *message, *hint;
  } files[] = {{"", 0, "not a NetCDF", ""},
               {"t,a\n0,1\n", 8, "not a NetCDF", ""},
               {"\211HDF\r\n\032\n", 8, "another format", "nccopy -k nc6"},
               {"CDF\2\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 32,
                "no states of Torsor", ""}};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
    torsor_states *states;
    torsor_error error = {0};
    write_bytes(files[i].bytes, files[i].size);
    CHECK_INT(torsor_states_open(&states, states_path, &error), TORSOR_FILE);
    CHECK_STR(error.file, states_path);
    CHECK_CONTAINS(error.message, files[i].message);
    CHECK_CONTAINS(error.hint, files[i].hint);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_do_not_wait_longer_than_they_may),
                                     cmocka_unit_test(wrong_frames_are_refused),
                                     cmocka_unit_test(full_disk_leaves_whole_frames),
                                     cmocka_unit_test(long_frames_are_written_beside),
                                     cmocka_unit_test(old_frames_are_written_beside),
                                     cmocka_unit_test(full_disk_under_long_frames),
                                     cmocka_unit_test(what_is_no_file_is_refused),
                                     cmocka_unit_test(files_cut_anywhere),
                                     cmocka_unit_test(damaged_files),
                                     cmocka_unit_test(other_files_are_named)};
  return cmocka_run_group_tests(tests, states_make_folder, states_drop_folder);
}
