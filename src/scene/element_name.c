/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/element_name.h"

#include <string.h>

torsor_status element_name_read(const char **out, char buffer[ELEMENT_ROOM], const reader *r,
                                const json_node *element) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const json_node name = json_member(element, "name");
  char shown[96];
  const torsor_status status = reader_pattern(out, buffer, ELEMENT_ROOM, r, &name);
  if (status) return status;
  const size_t length = strlen(*out);
  if (!length || strspn(*out, letters) != length)
    return reader_fail(r, &name, "names are made of letters, digits, _ and -",
                       "cannot be a name: %s", reader_show_text(*out, shown));
  if (length > ELEMENT_NAME)
    return reader_fail(r, &name, NULL, "the name is longer than %d characters", ELEMENT_NAME);
  return TORSOR_OK;
}
