/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <locale.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <torsor/result.h>
#include <torsor/scene.h>

#include "base/number.h"

static const char scene_text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 1,"
    "               \"position\": [0, 0, 0], \"velocity\": [0, 0, 0]}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1},"
    " \"output\": {\"signals\": [\"p.position\", \"p.velocity\"]}}";

enum { COLUMNS = 6 };

/* A scratch folder, and the signals of a small model: p.position and p.velocity. */
typedef struct fixture {
  char folder[64], file[96];
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
} fixture;

static int make_fixture(void **state) {
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  *state = f;
  torsor_error error = {0};
  strcpy(f->folder, "/tmp/torsor-results-XXXXXX");
  if (!mkdtemp(f->folder)) return -1;
  snprintf(f->file, sizeof f->file, "%s/table.csv", f->folder);
  f->registry = torsor_registry_create(&error);
  if (!f->registry) return -1;
  torsor_status status = torsor_scene_parse(&f->scene, scene_text, strlen(scene_text), "scene",
                                            f->registry, NULL, 0, &error);
  if (status == TORSOR_OK) status = torsor_scene_model(&f->model, f->scene, &error);
  int count = 0;
  if (status == TORSOR_OK) {
    const char *const *names = torsor_scene_signals(f->scene, &count);
    status = torsor_signals_create(&f->signals, f->model, names, count, NULL, &error);
  }
  if (status != TORSOR_OK) print_error("%s: %s\n", error.path, error.message);
  return status == TORSOR_OK && torsor_signals_count(f->signals) == COLUMNS ? 0 : -1;
}

static int drop_fixture(void **state) {
  fixture *f = *state;
  unlink(f->file);
  rmdir(f->folder);
  torsor_signals_destroy(f->signals);
  torsor_model_destroy(f->model);
  torsor_scene_destroy(f->scene);
  torsor_registry_destroy(f->registry);
  free(f);
  return 0;
}

static void write_text(const fixture *f, const char *text, size_t length) {
  FILE *file = fopen(f->file, "wb");
  CHECK_TRUE(file != NULL);
  CHECK_INT(fwrite(text, 1, length, file), length);
  CHECK_INT(fclose(file), 0);
}

static char *read_text(const fixture *f, size_t *length) {
  FILE *file = fopen(f->file, "rb");
  CHECK_TRUE(file != NULL);
  char *text = calloc(1, 1 << 22);
  *length = fread(text, 1, (1 << 22) - 1, file);
  fclose(file);
  return text;
}

/* ---- writer ------------------------------------------------------------------------------- */

/* Any finite double comes back bit by bit, over more rows than the buffer holds. */
static void test_round_trip(void **state) {
  fixture *f = *state;
  enum { ROWS = 4000 };
  check_rng rng = {20240607};
  double *value = calloc((size_t)ROWS * (COLUMNS + 1), sizeof *value);
  static const double special[] = {0.0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, 0.1};
  for (int i = 0; i < ROWS * (COLUMNS + 1); ++i) {
    uint64_t bits;
    do {
      bits = check_rng_next(&rng);
      memcpy(&value[i], &bits, sizeof bits);
    } while (!isfinite(value[i]));
    if (i < 7) value[i] = special[i];
  }
  torsor_csv *csv = NULL;
  torsor_error error = {0};
  CHECK_INT(torsor_csv_create(&csv, f->file, f->signals, &error), TORSOR_OK);
  for (int i = 0; i < ROWS; ++i) {
    const double *row = value + (size_t)i * (COLUMNS + 1);
    CHECK_INT(torsor_csv_write(csv, row[0], row + 1, COLUMNS), TORSOR_OK);
  }
  CHECK_INT(torsor_csv_close(csv, &error), TORSOR_OK);
  torsor_table table;
  CHECK_INT(torsor_csv_read(&table, f->file, &error), TORSOR_OK);
  CHECK_INT(table.rows, ROWS);
  CHECK_INT(table.columns, COLUMNS + 1);
  CHECK_STR(table.name[0], "t");
  CHECK_STR(table.name[1], "p.position.x");
  CHECK_STR(table.name[6], "p.velocity.z");
  CHECK_INT(memcmp(table.value, value, (size_t)ROWS * (COLUMNS + 1) * sizeof *value), 0);
  torsor_table_destroy(&table);
  free(value);
}

/* A number comes back bit for bit, and with a point where the locale writes a comma. */
static void check_number(double value) {
  char written[NUMBER_ROOM];
  char *end = number_write(written, value);
  CHECK_INT(*end, '\0');
  CHECK_TRUE(!strchr(written, ','));
  CHECK_TRUE(strtod(written, NULL) == value);
}

static void test_numbers(void **state) {
  (void)state;
  check_rng rng = {17};
  static const double special[] = {0.0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, 4.9e-324, 0.1, 1e22};
  for (size_t i = 0; i < sizeof special / sizeof special[0]; ++i) check_number(special[i]);
  for (int i = 0; i < 10000; ++i)
    check_number(ldexp(check_uniform(&rng, -1, 1), (int)(check_rng_next(&rng) % 600) - 300));
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
    print_message("  no locale de_DE.UTF-8 here: the comma is not tried\n");
    return;
  }
  char written[NUMBER_ROOM];
  number_write(written, 0.5);
  setlocale(LC_NUMERIC, "C");
  CHECK_STR(written, "0.5");
}

/* printf rounds correctly: these bytes are known. */
static void check_bytes(double value) {
  char written[NUMBER_ROOM], printed[NUMBER_ROOM];
  number_write(written, value);
  snprintf(printed, sizeof printed, "%.17g", value);
  CHECK_STR(written, printed);
}

/* Numbers of any bits, powers of 10 and of 2 with their neighbours, and whole and short ones, where
 * digits end in zeros. */
static void test_bytes_of_numbers(void **state) {
  (void)state;
  check_rng rng = {18};
  for (int i = 0; i < 200000; ++i) {
    const uint64_t bits = check_rng_next(&rng);
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value)) check_bytes(value);
  }
  for (int e = -330; e <= 308; ++e) {
    char text[16];
    snprintf(text, sizeof text, "1e%d", e);
    double below = strtod(text, NULL), above = below;
    for (int i = 0; i < 20; ++i) {
      check_bytes(-below);
      check_bytes(above);
      below = nextafter(below, 0);
      above = nextafter(above, HUGE_VAL);
    }
  }
  for (int e = -1074; e < 1024; ++e) check_bytes(ldexp(1, e));
  for (int i = 0; i < 20000; ++i) {
    check_bytes(i);
    check_bytes(i * 0.001);
    check_bytes(1e16 + 2.0 * i);
    check_bytes(1e17 + 16.0 * i);
  }
}

static void test_exact_bytes(void **state) {
  fixture *f = *state;
  torsor_csv *csv = NULL;
  CHECK_INT(torsor_csv_create(&csv, f->file, f->signals, NULL), TORSOR_OK);
  const double row[COLUMNS] = {1, -0.5, 0.1, 1e-300, 1e22, 0};
  CHECK_INT(torsor_csv_write(csv, 0.25, row, COLUMNS), TORSOR_OK);
  CHECK_INT(torsor_csv_write(csv, 0.5, row, COLUMNS - 1), TORSOR_ARGUMENT);
  CHECK_INT(torsor_csv_close(csv, NULL), TORSOR_OK);
  size_t length;
  char *text = read_text(f, &length);
  CHECK_STR(text, "t,p.position.x,p.position.y,p.position.z,p.velocity.x,p.velocity.y,p.velocity.z"
                  "\n0.25,1,-0.5,0.10000000000000001,1e-300,1e+22,0\n");
  free(text);
}

static void test_cannot_open(void **state) {
  fixture *f = *state;
  torsor_csv *csv = NULL;
  torsor_error error = {0};
  char file[160];
  snprintf(file, sizeof file, "%s/no/such.csv", f->folder);
  CHECK_INT(torsor_csv_create(&csv, file, f->signals, &error), TORSOR_FILE);
  CHECK_TRUE(csv == NULL);
  CHECK_STR(error.file, file);
  CHECK_CONTAINS(error.message, strerror(ENOENT));
  CHECK_INT(torsor_csv_create(&csv, file, f->signals, NULL), TORSOR_FILE);
}

static void test_full_disk_at_the_header(void **state) {
  fixture *f = *state;
  torsor_csv *csv = NULL;
  torsor_error error = {0};
  CHECK_INT(torsor_csv_create(&csv, "/dev/full", f->signals, &error), TORSOR_FILE);
  CHECK_STR(error.file, "/dev/full");
  CHECK_CONTAINS(error.message, strerror(ENOSPC));
}

/* A file that cannot grow further keeps whole rows only, and every later row is refused. */
static void test_full_disk_in_the_rows(void **state) {
  fixture *f = *state;
  struct rlimit before, limit;
  CHECK_INT(getrlimit(RLIMIT_FSIZE, &before), 0);
  limit = before;
  limit.rlim_cur = 100000;
  signal(SIGXFSZ, SIG_IGN);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
  torsor_csv *csv = NULL;
  torsor_error error = {0};
  torsor_status status = torsor_csv_create(&csv, f->file, f->signals, &error);
  const double row[COLUMNS] = {0.1, 0.2, 0.3, 0.4, 0.6, 0.7};
  int rows = 0;
  while (status == TORSOR_OK && rows < 100000)
    status = torsor_csv_write(csv, 0.1 * ++rows, row, COLUMNS);
  const torsor_status after = torsor_csv_write(csv, 1e9, row, COLUMNS);
  const torsor_status closed = torsor_csv_close(csv, &error);
  CHECK_INT(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  CHECK_INT(status, TORSOR_FILE);
  CHECK_INT(after, TORSOR_FILE);
  CHECK_INT(closed, TORSOR_FILE);
  CHECK_STR(error.file, f->file);
  CHECK_CONTAINS(error.message, strerror(EFBIG));
  torsor_table table;
  CHECK_INT(torsor_csv_read(&table, f->file, &error), TORSOR_OK);
  CHECK_GE(table.rows, 1);
  CHECK_LE(table.rows, rows);
  torsor_table_destroy(&table);
}

/* ---- reader ------------------------------------------------------------------------------- */

typedef struct bad_file {
  const char *text;
  int line, column;
  const char *message;
} bad_file;

static const bad_file bad_files[] = {
    {"", 0, 0, "empty"},
    {"x,a\n1,2\n", 1, 1, "first column is \"x\""},
    {"\n1\n", 1, 1, "first column is \"\""},
    {"t,a,a\n0,1,2\n", 1, 1, "two columns are called \"a\""},
    {"t,a\n0,1\n1,nan\n", 3, 3, "\"nan\" in column \"a\""},
    {"t,a\n0,inf\n", 2, 3, "\"inf\""},
    {"t,a\n0,1e999\n", 2, 3, "\"1e999\""},
    {"t,a\n0,0x10\n", 2, 3, "\"0x10\""},
    {"t,a\n0, 1\n", 2, 3, "\" 1\""},
    {"t,a\n0,\n", 2, 3, "\"\" in column \"a\""},
    {"t,a\n0,1.2.3\n", 2, 3, "\"1.2.3\""},
    {"t,a\n0,1,5\n", 2, 5, "more fields than the 2 columns"},
    {"t,a,b\n0,1\n", 2, 3, "2 fields, the header 3"},
    {"t,a\n0,1\n\n2,3\n", 3, 1, "\"\" in column \"t\""},
    {"t,\"a\n0,1\n", 1, 3, "not closed"},
    {"t,\"a\"b\n0,1\n", 1, 6, "must follow a quoted field"},
    {"t,a\"b\n0,1\n", 1, 4, "a quote within a field"},
    {"t,\"a\nb\"\n0,x\n", 3, 3, "\"x\""},
};

static void test_bad_files(void **state) {
  fixture *f = *state;
  for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; ++i) {
    const bad_file *bad = &bad_files[i];
    torsor_table table;
    torsor_error error = {.path = "stale", .line = 99};
    write_text(f, bad->text, strlen(bad->text));
    CHECK_INT(torsor_csv_read(&table, f->file, &error), TORSOR_FILE);
    CHECK_CONTAINS(error.message, bad->message);
    CHECK_STR(error.file, f->file);
    CHECK_STR(error.path, "");
    CHECK_INT(error.line, bad->line);
    CHECK_INT(error.column, bad->column);
    CHECK_TRUE(table.value == NULL && table.name == NULL);
    CHECK_INT(torsor_csv_read(&table, f->file, NULL), TORSOR_FILE);
  }
}

static void test_zero_byte_is_no_number(void **state) {
  fixture *f = *state;
  torsor_table table;
  static const char text[] = "t,a\n0,1\0002\n";
  write_text(f, text, sizeof text - 1);
  CHECK_INT(torsor_csv_read(&table, f->file, NULL), TORSOR_FILE);
}

static void test_missing_file_and_folder(void **state) {
  fixture *f = *state;
  torsor_table table;
  torsor_error error = {0};
  unlink(f->file);
  CHECK_INT(torsor_csv_read(&table, f->file, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, strerror(ENOENT));
  CHECK_INT(torsor_csv_read(&table, f->folder, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, strerror(EISDIR));
}

/* Quotes, CRLF, a byte order mark and a last row without an end are all RFC 4180 or common. */
static void test_quotes_and_line_ends(void **state) {
  fixture *f = *state;
  static const char text[] = "\xef\xbb\xbft,\"a \"\"b\"\", c\"\r\n0,\"1.5\"\r\n1,-2e3";
  torsor_table table;
  torsor_error error = {0};
  write_text(f, text, sizeof text - 1);
  CHECK_INT(torsor_csv_read(&table, f->file, &error), TORSOR_OK);
  CHECK_INT(table.columns, 2);
  CHECK_INT(table.rows, 2);
  CHECK_STR(table.name[1], "a \"b\", c");
  CHECK_NEAR(table.value[1], 1.5, 0);
  CHECK_NEAR(table.value[3], -2000, 0);
  torsor_table_destroy(&table);
}

static void test_header_alone(void **state) {
  fixture *f = *state;
  torsor_table table;
  write_text(f, "t,a\n", 4);
  CHECK_INT(torsor_csv_read(&table, f->file, NULL), TORSOR_OK);
  CHECK_INT(table.columns, 2);
  CHECK_INT(table.rows, 0);
  torsor_table_destroy(&table);
}

/* ---- summary ------------------------------------------------------------------------------ */

static const torsor_summary summary = {.status = TORSOR_STEP,
                                       .t = 0.5,
                                       .counters = {.steps = 10,
                                                    .rejected_steps = 2,
                                                    .newton_iterations = 31,
                                                    .factorizations = 12,
                                                    .residual_evaluations = 40},
                                       .cpu_seconds = 0.25,
                                       .energy_initial = -1.5,
                                       .energy_max_drift = HUGE_VAL};

static torsor_result_info make_info(const fixture *f) {
  return (torsor_result_info){.scene = "a \"quoted\" name",
                              .title = "line\nbreak",
                              .hash = "0123",
                              .message = "stopped",
                              .simulation = torsor_scene_simulation(f->scene)};
}

static void test_summary_text(void **state) {
  const fixture *f = *state;
  const torsor_result_info info = make_info(f);
  char *text = NULL;
  torsor_error error = {0};
  CHECK_INT(torsor_summary_text(&text, &summary, &info, &error), TORSOR_OK);
  static const char *const parts[] = {
      "\"status\": \"STEP\"",
      "\"message\": \"stopped\"",
      "\"scene\": \"a \\\"quoted\\\" name\"",
      "\"title\": \"line\\nbreak\"",
      "\"scene_hash\": \"0123\"",
      "\"method\": \"generalized_alpha\"",
      "\"step\": 0.001",
      "\"formulation\": \"ggl\"",
      "\"start\": \"damped\"",
      "\"multipliers\": \"acceleration_level\"",
      "\"linear_solver\": \"block\"",
      "\"steps\": 10,",
      "\"rejected_steps\": 2,",
      "\"newton_iterations\": 31,",
      "\"factorizations\": 12,",
      "\"residual_evaluations\": 40,",
      "\"cpu_seconds\": 0.25,",
      "\"wall_seconds\": 0,",
      "\"setup_seconds\": 0,",
      "\"max_phi\": 0,",
      "\"max_phi_velocity\": 0,",
      ("\"energy\": {\"initial\": -1.5, \"final\": 0, \"max_drift\": null, \"supplied\": 0, "
       "\"dissipated\": 0, \"max_balance\": 0}")};
  for (size_t i = 0; i < sizeof parts / sizeof parts[0]; ++i) CHECK_CONTAINS(text, parts[i]);
  torsor_text_free(text);
}

/* Whole or not at all, and nothing is left beside it. */
static void test_summary_write(void **state) {
  fixture *f = *state;
  const torsor_result_info info = make_info(f);
  torsor_error error = {0};
  write_text(f, "old", 3);
  CHECK_INT(torsor_summary_write(f->file, &summary, &info, &error), TORSOR_OK);
  char *text = NULL;
  CHECK_INT(torsor_summary_text(&text, &summary, &info, &error), TORSOR_OK);
  size_t length;
  char *written = read_text(f, &length);
  CHECK_STR(written, text);
  free(written);
  torsor_text_free(text);
  char temporary[128];
  snprintf(temporary, sizeof temporary, "%s.tmp", f->file);
  CHECK_INT(access(temporary, F_OK), -1);
  char file[160];
  snprintf(file, sizeof file, "%s/no/such.json", f->folder);
  CHECK_INT(torsor_summary_write(file, &summary, &info, &error), TORSOR_FILE);
  CHECK_STR(error.file, file);
  CHECK_CONTAINS(error.message, strerror(ENOENT));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_bytes_of_numbers),
      cmocka_unit_test(test_exact_bytes),
      cmocka_unit_test(test_cannot_open),
      cmocka_unit_test(test_full_disk_at_the_header),
      cmocka_unit_test(test_full_disk_in_the_rows),
      cmocka_unit_test(test_bad_files),
      cmocka_unit_test(test_zero_byte_is_no_number),
      cmocka_unit_test(test_missing_file_and_folder),
      cmocka_unit_test(test_quotes_and_line_ends),
      cmocka_unit_test(test_header_alone),
      cmocka_unit_test(test_summary_text),
      cmocka_unit_test(test_summary_write),
  };
  return cmocka_run_group_tests(tests, make_fixture, drop_fixture);
}
