/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/callbacks.h"

#include <string.h>

torsor_status callback_read(const torsor_callback **out, const torsor_registry *registry,
                            const char *signature, const reader *r, const json_node *node) {
  const char *name = NULL;
  const torsor_status status = reader_text(&name, r, node);
  char shown[96];
  if (status) return status;
  *out = torsor_registry_bound(registry, name);
  if (!*out)
    return reader_fail(r, node,
                       "bind it by torsor_registry_bind, or load a plug-in that has it (--plugin)",
                       "no callback called %s is bound", reader_show_text(name, shown));
  if (strcmp((*out)->signature, signature) == 0) return TORSOR_OK;
  return reader_fail(r, node, NULL,
                     "the callback %s has the signature \"%s\", but \"%s\" is needed",
                     reader_show_text(name, shown), (*out)->signature, signature);
}
