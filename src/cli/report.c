/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/folder.h"
#include "cli/inputs.h"
#include "cli/report_study.h"
#include "results/file.h"

/* The mark in the bundle at which the data are inserted. */
static const char mark[] = "<!--torsor-data-->";

/* ---- the bundle ---------------------------------------------------------------------------- */

static torsor_status find_bundle(char **file, torsor_error *error) {
  const torsor_status status = folder_bundle(file, error);
  if (status || *file) return status;
  torsor_fail(error, TORSOR_FILE, "this build has no page for reports");
  torsor_hint(
      error,
      "install node and npm (Debian: apt install nodejs npm), then meson setup --reconfigure "
      "-Dreport=enabled and build again; or set TORSOR_REPORT to a report.html built elsewhere");
  return TORSOR_FILE;
}

torsor_status report_check(torsor_error *error) {
  char *file;
  const torsor_status status = find_bundle(&file, error);
  free(file);
  return status;
}

static torsor_status read_bundle(text *page, torsor_error *error) {
  char *file;
  torsor_status status = find_bundle(&file, error);
  if (!status) status = file_read(page, file, error);
  free(file);
  return status;
}

/* Half of `page` before and after the mark. */
static torsor_status find_mark(const char **after, size_t *before, const text *page,
                               torsor_error *error) {
  const char *at = page->data ? strstr(page->data, mark) : NULL;
  if (!at)
    return torsor_fail(error, TORSOR_FILE,
                       "the report page has no mark at which to insert the data");
  *before = (size_t)(at - page->data);
  *after = at + strlen(mark);
  return TORSOR_OK;
}

/* ---- the data ------------------------------------------------------------------------------ */

static torsor_status add_sources(text *list, page_data *data, report_source *source, int count,
                                 const report_request *request, const cli *common,
                                 torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count && status == TORSOR_OK; ++i) {
    source[i].signal = request->signal;
    source[i].signals = request->signals;
    source[i].share = count;
    text_append(list, i ? ",\n" : "");
    status = report_add_result(list, data, &source[i], common, error);
  }
  return status;
}

/* The table of a study, and the samples that it keeps. */
static torsor_status add_study(text *list, text *study, page_data *data,
                               const report_request *request, const cli *common,
                               torsor_error *error) {
  report_study found = {0};
  torsor_status status = report_study_find(&found, request->result[0], error);
  if (!status) status = report_study_add(study, data, &found, request->result[0], error);
  if (!status) status = add_sources(list, data, found.source, found.count, request, common, error);
  report_study_release(&found);
  return status;
}

static torsor_status refuse_studies(const report_request *request, torsor_error *error) {
  for (int i = 0; i < request->results; ++i)
    if (report_is_study(request->result[i])) {
      torsor_fail(error, TORSOR_ARGUMENT, "the study \"%s\" has a page of its own",
                  request->result[i]);
      torsor_hint(error, "give its folder alone; folders of its samples are results as any");
      return TORSOR_ARGUMENT;
    }
  return TORSOR_OK;
}

static torsor_status add_results(text *list, text *study, page_data *data,
                                 const report_request *request, const cli *common,
                                 torsor_error *error) {
  const int count = request->results + (request->reference ? 1 : 0);
  if (count == 1 && report_is_study(request->result[0]))
    return add_study(list, study, data, request, common, error);
  torsor_status status = refuse_studies(request, error);
  report_source *source = status ? NULL : calloc((size_t)count, sizeof *source);
  if (!status && !source) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < count && !status; ++i) {
    const bool reference = i == request->results;
    source[i] = (report_source){.name = reference ? request->reference : request->result[i],
                                .reference = reference};
  }
  if (!status) status = add_sources(list, data, source, count, request, common, error);
  free(source);
  return status;
}

/* Within a script element "<" may begin an end of it; a JSON text has it in strings only. */
static void append_escaped(text *out, const text *json) {
  const char *at = json->data ? json->data : "";
  for (size_t length; *at; at += length) {
    length = strcspn(at, "<");
    text_append_bytes(out, at, length);
    if (at[length] != '<') continue;
    text_append(out, "\\u003c");
    length += 1;
  }
}

static void append_data(text *out, const text *list, const text *study, const page_data *data) {
  text head = {0};
  text_append(&head, "{\"torsor_report\": 1, \"version\": ");
  text_json_string(&head, torsor_version());
  text_printf(&head,
              ",\n\"blocks\": [{\"id\": \"torsor-block-0\", \"deflate\": true, \"bytes\": %zu}]",
              data->bytes.length);
  text_append(&head, ",\n\"arrays\": [");
  text_append(&head, data->heads.data ? data->heads.data : "");
  text_append(&head, "]");
  text_append(&head, study->data ? study->data : "");
  text_append(&head, ",\n\"results\": [");
  text_append(&head, list->data ? list->data : "");
  text_append(&head, "]}");
  out->failed |= head.failed || list->failed || study->failed || data->heads.failed;
  text_append(out, "<script type=\"application/json\" id=\"torsor-head\">");
  append_escaped(out, &head);
  text_append(out, "</script>\n<script type=\"text/plain\" id=\"torsor-block-0\">");
  page_block(out, data);
  text_append(out, "</script>");
  text_release(&head);
}

/* The page must not replace what it is made of. */
static torsor_status check_output(const char *file, const report_request *request,
                                  torsor_error *error) {
  inputs in = {0};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < request->results && !status; ++i)
    status = inputs_add_result(&in, request->result[i], error);
  if (!status && request->reference) status = inputs_add_result(&in, request->reference, error);
  char *bundle = NULL;
  if (!status) status = folder_bundle(&bundle, error);
  if (!status && bundle) status = inputs_add(&in, bundle, error);
  free(bundle);
  if (!status) status = inputs_check(&in, file, error);
  inputs_release(&in);
  return status;
}

/* ---- the file ------------------------------------------------------------------------------ */

static char *find_output(const report_request *request, torsor_error *error) {
  const char *first = request->result[0];
  if (request->output) return path_format(error, "%s", request->output);
  return path_format(error, folder_exists(first) ? "%s/report.html" : "%s.html", first);
}

/* Opens the file with the desktop's default program, which may outlive this one. */
static torsor_status open_file(const char *file, torsor_error *error) {
  extern char **environ;
  char name[] = "xdg-open";
  char *argument = path_format(error, "%s", file);
  if (!argument) return TORSOR_MEMORY;
  char *const arguments[] = {name, argument, NULL};
  pid_t process;
  int state = 0;
  int failed = posix_spawnp(&process, name, NULL, NULL, arguments, environ);
  free(argument);
  while (!failed && waitpid(process, &state, 0) < 0 && errno == EINTR) continue;
  if (!failed && WIFEXITED(state) && WEXITSTATUS(state) == 0) return TORSOR_OK;
  torsor_fail(error, TORSOR_FILE, "cannot open the page: %s",
              failed ? strerror(failed) : "xdg-open ended with an error");
  torsor_hint(error, "the page is written; open %s in a browser", file);
  return TORSOR_FILE;
}

torsor_status report_make(char **file, const report_request *request, const cli *common,
                          torsor_error *error) {
  text page = {0}, list = {0}, study = {0}, out = {0};
  page_data data = {0};
  const char *after = NULL;
  size_t before = 0;
  *file = find_output(request, error);
  torsor_status status = *file ? check_output(*file, request, error) : TORSOR_MEMORY;
  if (!status) status = read_bundle(&page, error);
  if (!status) status = find_mark(&after, &before, &page, error);
  if (!status) status = add_results(&list, &study, &data, request, common, error);
  if (!status) {
    text_append_bytes(&out, page.data, before);
    append_data(&out, &list, &study, &data);
    text_append(&out, after);
    if (out.failed) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  if (!status) status = file_replace(*file, out.data, out.length, error);
  text_release(&page);
  text_release(&list);
  text_release(&study);
  text_release(&out);
  page_release(&data);
  return !status && request->open ? open_file(*file, error) : status;
}
