/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/cli.h"

int cli_exit_code(torsor_status status) {
  switch (status) {
  case TORSOR_OK:
    return EXIT_DONE;
  case TORSOR_MISMATCH:
    return EXIT_MISMATCH;
  case TORSOR_ARGUMENT:
    return EXIT_USAGE;
  case TORSOR_SCENE:
  case TORSOR_INCONSISTENT:
    return EXIT_SCENE;
  case TORSOR_NEWTON:
  case TORSOR_NONFINITE:
  case TORSOR_SINGULAR:
  case TORSOR_DOMAIN:
  case TORSOR_TURN:
  case TORSOR_ACCURACY:
  case TORSOR_STEP:
    return EXIT_COMPUTATION;
  case TORSOR_MEMORY:
  case TORSOR_FILE:
  case TORSOR_PLUGIN:
    return EXIT_SYSTEM;
  case TORSOR_INTERRUPTED:
    return EXIT_INTERRUPTED;
  }
  return EXIT_SYSTEM;
}

/* ---- JSON --------------------------------------------------------------------------------- */

void json_key(text *t, const char *key) {
  const char last = t->length ? t->data[t->length - 1] : '\0';
  if (last != '{' && last != '[') text_append(t, ", ");
  text_json_string(t, key);
  text_append(t, ": ");
}

void json_text(text *t, const char *key, const char *value) {
  json_key(t, key);
  text_json_string(t, value);
}

void json_number(text *t, const char *key, double value) {
  json_key(t, key);
  text_json_number(t, value);
}

void json_count(text *t, const char *key, long value) {
  json_key(t, key);
  text_printf(t, "%ld", value);
}

void json_bool(text *t, const char *key, bool value) {
  json_key(t, key);
  text_append(t, value ? "true" : "false");
}

/* ---- answers ------------------------------------------------------------------------------ */

torsor_status cli_print(text *t, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  if (t->failed) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (status == TORSOR_OK && t->length) fwrite(t->data, 1, t->length, stdout);
  text_release(t);
  return status;
}

void cli_show(FILE *stream, const char *words) {
  int bytes;
  size_t size;
  for (; *words; words += bytes) {
    const char *shown = utf8_shown(words, &bytes, &size);
    fwrite(shown, 1, size, stream);
  }
}

/* Ends of lines and tabulators stay: what is put between words holds no others. */
torsor_status cli_answer(const cli *common, text *t, torsor_error *error) {
  if (common->json || t->failed) return cli_print(t, error);
  int bytes = 0;
  size_t size;
  for (const char *at = t->data ? t->data : ""; *at; at += bytes) {
    const char *shown = utf8_shown(at, &bytes, &size);
    const bool kept = *at == '\n' || *at == '\t';
    fwrite(kept ? at : shown, 1, kept ? 1 : size, stdout);
  }
  text_release(t);
  return TORSOR_OK;
}

/* Characters, not bytes, of UTF-8 text. */
static int cell_width(const char *cell, size_t length) {
  int width = 0;
  for (size_t i = 0; i < length; ++i) width += ((unsigned char)cell[i] & 0xc0) != 0x80;
  return width;
}

static void add_spaces(text *t, int count) {
  while (count-- > 0) text_append(t, " ");
}

/* Call for every cell: measures (out = NULL) or prints. */
static void walk_columns(text *out, int *width, const char *cells, const char *alignment) {
  const int last = (int)strlen(alignment) - 1;
  for (int column = 0; *cells; column = cells[-1] == '\t' ? column + 1 : 0) {
    const size_t length = strcspn(cells, "\t\n");
    const int here = cell_width(cells, length);
    const bool ends = cells[length] != '\t';
    const int k = column < last ? column : last;
    if (!out && here > width[k]) width[k] = here;
    if (out) {
      const int pad = width[k] - here;
      if (alignment[k] == 'r') add_spaces(out, pad);
      text_append_bytes(out, cells, length);
      if (alignment[k] != 'r' && !ends) add_spaces(out, pad);
      text_append(out, ends ? "\n" : "  ");
    }
    cells += length + (cells[length] != '\0');
    if (*cells == '\0') break;
  }
}

torsor_status cli_print_columns(text *t, const char *alignment, torsor_error *error) {
  text out = {0};
  int *width = calloc(strlen(alignment), sizeof *width);
  if (width && !t->failed && t->length) {
    walk_columns(NULL, width, t->data, alignment);
    walk_columns(&out, width, t->data, alignment);
  }
  out.failed = out.failed || t->failed || !width;
  free(width);
  text_release(t);
  return cli_answer(&(cli){0}, &out, error);
}

/* ---- messages ----------------------------------------------------------------------------- */

/* False where there is no memory for it. */
static bool print_error_json(torsor_status status, const torsor_error *error) {
  text t = {0};
  text_append(&t, "{\"error\": {");
  json_text(&t, "status", torsor_status_name(status));
  json_text(&t, "message", error->message);
  json_text(&t, "file", error->file);
  json_text(&t, "path", error->path);
  json_count(&t, "line", error->line);
  json_count(&t, "column", error->column);
  json_text(&t, "hint", error->hint);
  text_append(&t, "}}\n");
  return cli_print(&t, NULL) == TORSOR_OK;
}

static void print_error(const torsor_error *error) {
  fputs("torsor: ", stderr);
  cli_show(stderr, error->file);
  if (error->file[0] && error->line > 0) {
    fprintf(stderr, ":%d", error->line);
    if (error->column > 0) fprintf(stderr, ":%d", error->column);
  }
  if (error->file[0]) fputs(": ", stderr);
  cli_show(stderr, error->path);
  if (error->path[0]) fputs(": ", stderr);
  cli_show(stderr, error->message);
  if (error->hint[0]) fputs("\n  hint: ", stderr);
  cli_show(stderr, error->hint);
  fputc('\n', stderr);
}

int cli_finish(cli *common, torsor_status status, const torsor_error *error) {
  if (status != TORSOR_OK && error->message[0]) {
    fflush(stdout);
    if (!common->json || !print_error_json(status, error)) print_error(error);
  }
  free(common->argument);
  return cli_exit_code(status);
}

/* Longer ones are cut. */
enum { LONGEST_MESSAGE = 2048 };

static void print_message(const char *head, const char *format, va_list arguments) {
  char message[LONGEST_MESSAGE];
  vsnprintf(message, sizeof message, format, arguments);
  fputs(head, stderr);
  cli_show(stderr, message);
  fputc('\n', stderr);
}

void cli_warn(const cli *common, const char *format, ...) {
  if (common->quiet) return;
  va_list arguments;
  va_start(arguments, format);
  print_message("torsor: warning: ", format, arguments);
  va_end(arguments);
}

void cli_note(const cli *common, const char *format, ...) {
  if (!common->verbose) return;
  va_list arguments;
  va_start(arguments, format);
  print_message("torsor: ", format, arguments);
  va_end(arguments);
}
