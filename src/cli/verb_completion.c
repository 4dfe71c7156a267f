/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/session.h"

/* Completion for bash: verbs, the options of each, and what its arguments may be. */

static void add_options(text *t, const struct argp_option *option) {
  for (; option && option->name; ++option) {
    text_printf(t, " --%s", option->name);
    if (option->key > 0 && option->key < 256) text_printf(t, " -%c", option->key);
  }
}

static void add_types(text *t, const torsor_registry *registry) {
  for (int i = 0; i < torsor_registry_count(registry); ++i)
    text_printf(t, " %s", torsor_registry_at(registry, i)->name);
}

static void add_case(text *t, const cli_verb *v, const torsor_registry *registry) {
  if (!v->argp->options && !v->words && v != &verb_describe) return;
  text_printf(t, "    %s)\n      options=\"", v->name);
  add_options(t, v->argp->options);
  text_append(t, "\"\n      words=\"");
  if (v == &verb_describe)
    add_types(t, registry);
  else if (v->words)
    text_append(t, v->words);
  text_append(t, "\" ;;\n");
}

static void add_script(text *t, const torsor_registry *registry) {
  text_append(t, "# bash completion of torsor(1)\n"
                 "_torsor() {\n"
                 "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
                 "  local options= words=\n"
                 "  case ${COMP_WORDS[1]} in\n");
  for (const cli_verb *const *v = cli_verbs; *v; ++v) add_case(t, *v, registry);
  text_append(t, "  esac\n  options+=\" --help");
  add_options(t, cli_children[0].argp->options);
  text_append(t, "\"\n"
                 "  if [[ $COMP_CWORD -eq 1 ]]; then\n    words=\"");
  for (const cli_verb *const *v = cli_verbs; *v; ++v)
    text_printf(t, "%s%s", v == cli_verbs ? "" : " ", (*v)->name);
  text_append(t, "\"\n"
                 "  elif [[ $before == --progress ]]; then\n"
                 "    words=\"auto always never\"\n"
                 "  elif [[ $word == -* ]]; then\n"
                 "    words=$options\n"
                 "  fi\n"
                 "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
                 "}\n"
                 "complete -o default -F _torsor torsor\n");
}

static const struct argp argp = {
    .doc =
        "Print the completion of verbs, options and types for bash.\v"
        "An installation puts it where bash looks; elsewhere `. <(torsor completion)' does for one "
        "shell.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  session s = {0};
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 0, 0, &error);
  if (status == TORSOR_OK) status = session_open_types(&s, &common, &error);
  text t = {0};
  if (status == TORSOR_OK) {
    add_script(&t, s.registry);
    status = cli_print(&t, &error);
  }
  session_close(&s);
  return cli_finish(&common, status, &error);
}

const cli_verb verb_completion = {.name = "completion",
                                  .arguments = "",
                                  .title = "completion for bash",
                                  .argp = &argp,
                                  .act = act};
