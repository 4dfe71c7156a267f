/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

typedef struct verb {
  const char *name, *arguments, *doc;
  int (*run)(int argc, char **argv);
} verb;

static const verb verbs[] = {
    {"run", "SCENE [-o DIR]", "simulate a scene and write its results", verb_run},
    {"statics", "SCENE [-o DIR]", "equilibrium under the loads of a scene, step by step",
     verb_statics},
    {"check", "SCENE", "read and assemble a scene, count unknowns and constraints", verb_check},
    {"compare", "RESULT REFERENCE", "compare a result with a reference", verb_compare},
    {"converge", "SCENE --steps H1,H2,...", "errors and observed orders over step sizes",
     verb_converge},
    {"plot", "RESULT... [-s SIGNALS] [-o FILE]", "draw signals of results", verb_plot},
    {"verify", "[NAME...]", "run the shipped benchmarks against their references", verb_verify},
    {"list", "[joints|bodies|forces|methods|signals [SCENE]]", "what there is", verb_list},
    {"describe", "TYPE", "parameters, signals and example of an element type", verb_describe},
    {"schema", "", "JSON schema of scenes", verb_schema},
};

enum { VERBS = sizeof verbs / sizeof verbs[0] };

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
  text_append(t,
              "Lie-group multibody dynamics: models and simulations from JSON scenes.\n\nVerbs:\n");
  for (int i = 0; i < VERBS; ++i) {
    const char *arguments = verbs[i].arguments;
    text_printf(t, "  %s%s%s\n", verbs[i].name, arguments[0] ? " " : "", arguments);
    text_printf(t, "      %s\n", verbs[i].doc);
  }
  text_append(t, "\v`torsor VERB --help' tells more about a verb.\n\nExit codes:\n"
                 "  0    done\n"
                 "  1    a comparison or verification does not hold\n"
                 "  2    wrong usage\n"
                 "  3    the scene is invalid\n"
                 "  4    the computation could not go on; what was computed is kept\n"
                 "  5    files, memory, system\n"
                 "  130  interrupted");
}

static int unknown_verb(const char *name) {
  const char *names[VERBS];
  for (int i = 0; i < VERBS; ++i) names[i] = verbs[i].name;
  const char *near = torsor_near_name(name, names, VERBS);
  fprintf(stderr, "torsor: there is no verb \"%s\"\n  hint: ", name);
  if (near) fprintf(stderr, "did you mean \"%s\"? ", near);
  fputs("There are", stderr);
  for (int i = 0; i < VERBS; ++i) fprintf(stderr, "%s %s", i ? "," : "", names[i]);
  fputc('\n', stderr);
  return EXIT_USAGE;
}

static int run_verb(int argc, char **argv) {
  for (int i = 0; i < VERBS; ++i) {
    if (strcmp(argv[0], verbs[i].name) != 0) continue;
    char name[32];
    snprintf(name, sizeof name, "torsor %s", verbs[i].name);
    argv[0] = name;
    return verbs[i].run(argc, argv);
  }
  return unknown_verb(argv[0]);
}

int main(int argc, char **argv) {
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
