/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Any bytes as a table of results: what is read is compared with itself and drawn. */
#include "fuzz/fuzz.h"

#include <math.h>
#include <string.h>
#include <torsor/torsor.h>

#include "cli/plot.h"

/* Words that come from the table stand behind a bar, one to a line, and nowhere else. */
static void expect_harmless(const text *script) {
  const char *label = strstr(script->data, "$label << EOD\n");
  FUZZ_EXPECT(label, "a script without labels");
  const char *line = strchr(label, '\n') + 1;
  for (; strncmp(line, "EOD\n", 4) != 0; line = strchr(line, '\n') + 1)
    FUZZ_EXPECT(*line == '|', "a label that does not begin with a bar");
  for (const char *c = line; *c; ++c)
    FUZZ_EXPECT(*c == '\n' || (*c >= ' ' && *c < 0x7f), "byte %d in the commands",
                (int)(unsigned char)*c);
}

static void draw(torsor_table *table) {
  plot_series series = {.label = "x", .table = *table};
  plot p = {.series = &series, .series_count = 1};
  torsor_units units = {0};
  torsor_error error = {0};
  text script = {0};
  int left_out = 0;
  const torsor_status status = plot_choose(&p, NULL, 0, 6, &left_out, &units, &error);
  FUZZ_EXPECT(!status, "%s", error.message);
  if (p.panel_count) {
    plot_script(&script, &p, PLOT_SVG);
    FUZZ_EXPECT(!script.failed && script.data, "memory");
    expect_harmless(&script);
  }
  text_release(&script);
  plot_release(&p);
}

static void compare(const torsor_table *table) {
  const torsor_tolerance exact = {.basis = "itself"};
  torsor_difference *difference = NULL;
  torsor_error error = {0};
  int count = 0;
  const torsor_status status =
      torsor_compare(&difference, &count, table, table, NULL, 0, NULL, 0, &exact, &error);
  FUZZ_EXPECT(!status || error.message[0], "no message");
  for (int i = 0; i < count; ++i)
    FUZZ_EXPECT(difference[i].holds && !(difference[i].max_error > 0), "\"%s\" differs from itself",
                difference[i].signal);
  free(difference);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  torsor_table table;
  torsor_error error = {0};
  const torsor_status status = torsor_csv_read(&table, fuzz_file(bytes, size), &error);
  FUZZ_EXPECT(status == TORSOR_OK || (status == TORSOR_FILE && error.message[0]), "status %d: %s",
              (int)status, error.message);
  if (status) return 0;
  for (size_t i = 0; i < (size_t)table.rows * (size_t)table.columns; ++i)
    FUZZ_EXPECT(isfinite(table.value[i]), "a number that is not finite");
  compare(&table);
  draw(&table);
  torsor_table_destroy(&table);
  return 0;
}
