/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checkpoint files: what was written comes back, and nothing else passes for it. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "results/checkpoint.h"
#include "results/file.h"

static char folder[] = "/tmp/torsor_checkpoint_XXXXXX";
static char path[300];

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  snprintf(path, sizeof path, "%s/checkpoint", folder);
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  unlink(path);
  return rmdir(folder);
}

static checkpoint_event event[] = {{0.5, 0.2, 3, 1}, {0.75, 0, 0, 0}};
static char warning[] = "first\0second";
static unsigned char state_bytes[] = {1, 2, 3, 4, 5, 6, 7};

static const checkpoint example = {.scene = "heavy_top",
                                   .hash = "0123456789abcdef0123456789abcdef",
                                   .method = "radau",
                                   .t = 0.8,
                                   .trajectory = 5000000000,
                                   .states = 77,
                                   .frames = 12,
                                   .event_count = 2,
                                   .event = event,
                                   .warning_count = 7,
                                   .warning_size = sizeof warning,
                                   .warning = warning,
                                   .state = state_bytes,
                                   .size = sizeof state_bytes};

static void read_bytes(text *out) {
  torsor_error error = {0};
  *out = (text){0};
  CHECK_INT(file_read(out, path, &error), TORSOR_OK);
}

static void write_bytes(const char *bytes, size_t length) {
  torsor_error error = {0};
  CHECK_INT(file_replace(path, bytes, length, &error), TORSOR_OK);
}

static void refuse(const char *message) {
  checkpoint c;
  torsor_error error = {0};
  CHECK_INT(checkpoint_read(&c, path, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, message);
  CHECK_STR(error.file, path);
  CHECK_TRUE(!c.state || c.size > 0);
  checkpoint_release(&c);
}

static void round_trip(void **state) {
  (void)state;
  checkpoint c;
  torsor_error error = {0};
  CHECK_INT(checkpoint_write(path, &example, false, &error), TORSOR_OK);
  CHECK_INT(checkpoint_read(&c, path, &error), TORSOR_OK);
  CHECK_STR(c.scene, example.scene);
  CHECK_STR(c.hash, example.hash);
  CHECK_STR(c.method, example.method);
  CHECK_TRUE(c.t == example.t && c.trajectory == example.trajectory && c.states == example.states &&
             c.frames == example.frames);
  CHECK_INT(c.event_count, 2);
  CHECK_TRUE(memcmp(c.event, event, sizeof event) == 0);
  CHECK_INT(c.warning_count, 7);
  CHECK_TRUE(c.warning_size == sizeof warning && memcmp(c.warning, warning, sizeof warning) == 0);
  CHECK_TRUE(c.size == sizeof state_bytes && memcmp(c.state, state_bytes, c.size) == 0);
  checkpoint_release(&c);
}

/* The file has no name of a folder in it, and the same content twice. */
static void no_paths(void **state) {
  (void)state;
  text first, second;
  torsor_error error = {0};
  CHECK_INT(checkpoint_write(path, &example, true, &error), TORSOR_OK);
  read_bytes(&first);
  CHECK_INT(checkpoint_write(path, &example, false, &error), TORSOR_OK);
  read_bytes(&second);
  CHECK_TRUE(first.length == second.length && memcmp(first.data, second.data, first.length) == 0);
  CHECK_TRUE(memmem(first.data, first.length, "/tmp", 4) == NULL);
  text_release(&first);
  text_release(&second);
}

/* Any byte, changed, is noticed; so is any length. */
static void damage(void **state) {
  (void)state;
  text whole;
  torsor_error error = {0};
  CHECK_INT(checkpoint_write(path, &example, true, &error), TORSOR_OK);
  read_bytes(&whole);
  for (size_t i = 0; i < whole.length; ++i) {
    whole.data[i] ^= 0x10;
    write_bytes(whole.data, whole.length);
    refuse("");
    whole.data[i] ^= 0x10;
  }
  for (size_t length = 0; length < whole.length; length += 7) {
    write_bytes(whole.data, length);
    refuse("");
  }
  text_append(&whole, "x");
  write_bytes(whole.data, whole.length);
  refuse("bytes behind its head");
  print_message("  %zu bytes\n", whole.length - 1);
  text_release(&whole);
}

/* Every reason is reported. */
static void reasons(void **state) {
  (void)state;
  static const struct {
    size_t at;
    char byte;
    const char *message;
  } table[] = {{0, 'x', "is no checkpoint"},         {8, 9, "(format 9)"},
               {12, 1, "a machine of another kind"}, {17, 4, "a machine of another kind"},
               {24, '9', "was written by torsor 9"}, {56, 1, "bytes behind its head"},
               {200, 'x', "its checksum is wrong"}};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    text whole;
    torsor_error error = {0};
    CHECK_INT(checkpoint_write(path, &example, false, &error), TORSOR_OK);
    read_bytes(&whole);
    whole.data[table[i].at] = table[i].byte;
    write_bytes(whole.data, whole.length);
    refuse(table[i].message);
    text_release(&whole);
  }
  unlink(path);
  refuse("No such file");
}

/* A checkpoint that cannot be written leaves the one before. */
static void replaced_whole(void **state) {
  (void)state;
  char temporary[320];
  checkpoint c;
  torsor_error error = {0};
  CHECK_INT(checkpoint_write(path, &example, true, &error), TORSOR_OK);
  snprintf(temporary, sizeof temporary, "%s.tmp", path);
  CHECK_INT(mkdir(temporary, 0777), 0);
  checkpoint later = example;
  later.t = 2;
  CHECK_INT(checkpoint_write(path, &later, false, &error), TORSOR_FILE);
  CHECK_STR(error.file, path);
  CHECK_INT(rmdir(temporary), 0);
  CHECK_INT(checkpoint_read(&c, path, &error), TORSOR_OK);
  CHECK_TRUE(c.t == example.t);
  checkpoint_release(&c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(round_trip), cmocka_unit_test(no_paths),       cmocka_unit_test(damage),
      cmocka_unit_test(reasons),    cmocka_unit_test(replaced_whole),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
