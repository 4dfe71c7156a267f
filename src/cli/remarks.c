/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/remarks.h"

#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "results/file.h"

void remarks_warn(void *data, const char *message) {
  remarks *r = data;
  char *copy = r->count < MOST_REMARKS ? strdup(message) : NULL;
  if (copy) r->line[r->count++] = copy;
  cli_warn(r->common, "%s", message);
}

void remarks_release(remarks *r) {
  for (int i = 0; i < r->count; ++i) free(r->line[i]);
}

torsor_status write_document(const char *folder, const char *name, char *document,
                             torsor_status status, torsor_error *error) {
  char *file = status ? NULL : path_format(error, "%s/%s", folder, name);
  if (!status)
    status = file ? file_replace(file, document, strlen(document), error) : TORSOR_MEMORY;
  free(file);
  torsor_text_free(document);
  return status;
}
