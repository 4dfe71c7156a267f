/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/descriptors.h"
#include "cli/interrupt.h"

enum { MOST_VERBS = 32 };

static void print_version(FILE *stream, struct argp_state *state) {
  (void)state;
  fprintf(stream, "torsor %s\n", torsor_version());
}

/* The first word is the verb; everything behind it belongs to the verb. */
static error_t parse_global(int key, char *argument, struct argp_state *state) {
  int *first = state->input;
  (void)argument;
  switch (key) {
  case ARGP_KEY_ARG:
    *first = state->next - 1;
    state->next = state->argc;
    return 0;
  case ARGP_KEY_NO_ARGS:
    argp_state_help(state, stderr, ARGP_HELP_SHORT_USAGE | ARGP_HELP_DOC | ARGP_HELP_EXIT_ERR);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static void make_help(text *t) {
  text_printf(t, "%s\n\nVerbs:\n", cli_summary);
  for (const cli_verb *const *v = cli_verbs; *v; ++v) {
    const char *arguments = (*v)->arguments;
    text_printf(t, "  %s%s%s\n", (*v)->name, arguments[0] ? " " : "", arguments);
    text_printf(t, "      %s\n", (*v)->title);
  }
  text_append(t, "\vRun `torsor VERB --help' for the options of a verb.\n\nExit codes:");
  for (const cli_code *c = cli_codes; c->meaning; ++c)
    text_printf(t, "\n  %-3d  %s", c->code, c->meaning);
}

static int unknown_verb(const char *name) {
  const char *names[MOST_VERBS];
  int count = 0;
  for (; cli_verbs[count] && count < MOST_VERBS; ++count) names[count] = cli_verbs[count]->name;
  const char *near = torsor_near_name(name, names, count);
  fputs("torsor: there is no verb \"", stderr);
  cli_show(stderr, name);
  fputs("\"\n  hint: ", stderr);
  if (near) fprintf(stderr, "did you mean \"%s\"? ", near);
  fputs("There are", stderr);
  for (int i = 0; i < count; ++i) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
  fputc('\n', stderr);
  return EXIT_USAGE;
}

static int run_verb(int argc, char **argv) {
  for (const cli_verb *const *v = cli_verbs; *v; ++v) {
    if (strcmp(argv[0], (*v)->name) != 0) continue;
    char name[32];
    snprintf(name, sizeof name, "torsor %s", (*v)->name);
    argv[0] = name;
    return (*v)->act(argc, argv);
  }
  return unknown_verb(argv[0]);
}

int main(int argc, char **argv) {
  if (!descriptors_secure()) return EXIT_SYSTEM;
  interrupt_ends();
  argp_err_exit_status = EXIT_USAGE;
  argp_program_version_hook = print_version;
  text help = {0};
  make_help(&help);
  const struct argp argp = {.parser = parse_global, .args_doc = "VERB ...", .doc = help.data};
  int first = argc;
  const bool good = !help.failed && argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &first) == 0;
  text_release(&help);
  if (!good || first == argc) {
    fputs("torsor: out of memory\n", stderr);
    return cli_exit_code(TORSOR_MEMORY);
  }
  int code = run_verb(argc - first, argv + first);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    perror("torsor: cannot write the answer");
    code = EXIT_SYSTEM;
  }
  return code;
}
