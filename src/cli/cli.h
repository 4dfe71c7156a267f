/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CLI_H
#define TORSOR_CLI_CLI_H

/** Services common to all verbs: shared options, answers on stdout, messages on stderr, exit
 *  codes. */

#include <argp.h>
#include <stdbool.h>
#include <stdio.h>

#include <torsor/base.h>

#include "base/text.h"

/** Exit codes that scripts rely on. */
enum {
  EXIT_DONE = 0,
  EXIT_MISMATCH = 1,
  EXIT_USAGE = 2,
  EXIT_SCENE = 3,
  EXIT_COMPUTATION = 4,
  EXIT_SYSTEM = 5,
  EXIT_SIGNAL = 128, /* and the number of the signal that interrupted */
  EXIT_INTERRUPTED = 130,
  EXIT_TERMINATED = 143
};

typedef enum progress_mode { PROGRESS_AUTO, PROGRESS_ALWAYS, PROGRESS_NEVER } progress_mode;

/** Options and arguments of a command line; the strings are those of argv. */
typedef struct cli {
  const char **argument, **set, **plugin; /* one block, each as long as the command line */
  int argument_count, set_count, plugin_count;
  int threads; /* 0 = not given */
  progress_mode progress;
  bool quiet, verbose, json;
} cli;

/** Children of a verb's argp: the common options and the arguments, input `cli`. */
extern const struct argp_child cli_children[];

/** Parse argv into `input` (which leads argp to `common`); wrong options end the program with
 *  EXIT_USAGE.  Between `least` and `most` arguments must follow, described by `what`. */
torsor_status cli_parse(cli *common, const struct argp *argp, void *input, int argc, char **argv,
                        int least, int most, torsor_error *error);

/** Between `least` and `most` arguments must be there; `name` is the program's. */
torsor_status cli_check_count(const cli *common, const struct argp *argp, const char *name,
                              int least, int most, torsor_error *error);

/** Prints the error of a failed verb, releases the options and returns the exit code. */
int cli_finish(cli *common, torsor_status status, const torsor_error *error);

/** Returns the exit code of a status; no other function decides on exit codes. */
int cli_exit_code(torsor_status status);

/** Print `t` on stdout as it is and release it. */
torsor_status cli_print(text *t, torsor_error *error);

/** Print `t`, an answer for people or, with --json, a document, and release it.  Names of files,
 *  titles and columns in words for people are shown, never obeyed by a terminal (utf8_shown). */
torsor_status cli_answer(const cli *common, text *t, torsor_error *error);

/** Prints a string on `stream` with control characters made visible (utf8_shown); allocates no
 *  memory. */
void cli_show(FILE *stream, const char *words);

/** Print lines of tab-separated cells in columns and release `t`.  `alignment` has a letter for
 * each column: l or r. */
torsor_status cli_print_columns(text *t, const char *alignment, torsor_error *error);

/** A warning on stderr, unless the user wants quiet. */
void cli_warn(const cli *common, const char *format, ...) TORSOR_PRINTF(2, 3);

/** A note on stderr, when the user wants many words. */
void cli_note(const cli *common, const char *format, ...) TORSOR_PRINTF(2, 3);

/** Cut `list` at its commas into items (allocated, to be freed; they point into `list`). */
torsor_status cli_split(const char ***items, int *count, char *list, torsor_error *error);

/** The whole of `string` as a finite number. */
bool cli_number(double *value, const char *string);

/** ,"key": and a value, for JSON answers; the comma is left out after an opening bracket. */
void json_key(text *t, const char *key);
void json_text(text *t, const char *key, const char *value);
void json_number(text *t, const char *key, double value);
void json_count(text *t, const char *key, long value);
void json_bool(text *t, const char *key, bool value);

/** A verb is one file with one table. */
typedef struct cli_verb {
  const char *name;
  const char *arguments, *title; /* for the list of all verbs */
  const char *words;             /* possible arguments, for completion; NULL: files */
  const struct argp *argp;       /* options and text of its help */
  /** argv[0] is "torsor <verb>".  Returns the exit code. */
  int (*act)(int argc, char **argv);
} cli_verb;

/** All verbs, NULL-terminated, in the order in which the help lists them. */
extern const cli_verb *const cli_verbs[];

extern const cli_verb verb_run, verb_statics, verb_modes, verb_linearise, verb_response,
    verb_periodic, verb_check, verb_compare, verb_converge, verb_plot, verb_report, verb_export,
    verb_fmu, verb_reduce, verb_sweep, verb_fit, verb_optimise, verb_verify, verb_list,
    verb_describe, verb_schema, verb_import, verb_manual, verb_completion;

/** A one-sentence description of the command, and the table of exit codes that all help texts
 *  contain. */
extern const char cli_summary[];
typedef struct cli_code {
  int code;
  const char *meaning;
} cli_code;
/** The exit codes; the last entry has no meaning. */
extern const cli_code cli_codes[];

#endif
