/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "cli/cli.h"

/* The manual page torsor(1) in the macros of man(7). */

/* A dot or an apostrophe at the start of a line would be a request. */
static void add_escaped(text *t, const char *s, size_t length) {
  bool begins = true;
  for (size_t i = 0; i < length; ++i) {
    if (begins && (s[i] == '.' || s[i] == '\'')) text_append(t, "\\&");
    begins = s[i] == '\n';
    if (s[i] == '\\')
      text_append(t, "\\e");
    else if (s[i] == '-')
      text_append(t, "\\-");
    else
      text_printf(t, "%c", s[i]);
  }
}

static void add_text(text *t, const char *s) {
  add_escaped(t, s, strlen(s));
}

static void add_options(text *t, const struct argp_option *option) {
  for (; option && option->name; ++option) {
    text_append(t, ".TP\n.B ");
    if (option->key > 0 && option->key < 256) text_printf(t, "\\-%c, ", option->key);
    text_append(t, "\\-\\-");
    add_text(t, option->name);
    if (option->arg) {
      text_append(t, "=");
      add_text(t, option->arg);
    }
    text_append(t, "\n");
    add_text(t, option->doc);
    text_append(t, "\n");
  }
}

/* Adds the section of one verb.  argp prints the part of `doc` before a vertical tab ahead of the
 * options and the rest after them; so does the manual. */
static void add_verb(text *t, const cli_verb *v) {
  const char *doc = v->argp->doc, *rest = strchr(doc, '\v');
  text_append(t, ".SS torsor ");
  add_text(t, v->name);
  text_append(t, " ");
  add_text(t, v->arguments);
  text_append(t, "\n");
  add_escaped(t, doc, rest ? (size_t)(rest - doc) : strlen(doc));
  text_append(t, "\n");
  add_options(t, v->argp->options);
  if (!rest) return;
  text_append(t, ".PP\n");
  add_text(t, rest + 1);
  text_append(t, "\n");
}

static void add_page(text *t) {
  text_printf(t, ".TH TORSOR 1 \"\" \"torsor %s\" \"User Commands\"\n", torsor_version());
  text_append(t, ".SH NAME\ntorsor \\- ");
  add_text(t, cli_summary);
  text_append(t, "\n.SH SYNOPSIS\n.B torsor\n.I VERB\n[\\fIARGUMENT\\fR...] [\\fIOPTION\\fR...]\n");
  text_append(t, ".SH VERBS\n");
  for (const cli_verb *const *v = cli_verbs; *v; ++v) add_verb(t, *v);
  text_append(t, ".SH COMMON OPTIONS\n");
  add_options(t, cli_children[0].argp->options);
  text_append(t, ".SH EXIT STATUS\n");
  for (const cli_code *c = cli_codes; c->meaning; ++c) {
    text_printf(t, ".TP\n.B %d\n", c->code);
    add_text(t, c->meaning);
    text_append(t, "\n");
  }
}

static const struct argp argp = {
    .doc = "Print the manual page torsor(1), made from the texts of all verbs.\v"
           "An installation puts it where man(1) looks.",
    .children = cli_children};

static int act(int argc, char **argv) {
  cli common;
  torsor_error error = {0};
  torsor_status status = cli_parse(&common, &argp, &common, argc, argv, 0, 0, &error);
  text t = {0};
  if (status == TORSOR_OK) {
    add_page(&t);
    status = cli_print(&t, &error);
  }
  return cli_finish(&common, status, &error);
}

const cli_verb verb_manual = {.name = "manual",
                              .arguments = "",
                              .title = "the manual page torsor(1)",
                              .argp = &argp,
                              .act = act};
