/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

static const model_alias *find_alias(const model_space *space, const char *name, size_t length) {
  const model_alias *alias = space->alias;
  while (alias && (strncmp(alias->name, name, length) != 0 || alias->name[length] != '\0'))
    alias = alias->next;
  return alias;
}

/* Puts three pieces together; false where they are too long. */
static bool join(char room[MODEL_NAME_ROOM], const char *first, const char *second, size_t length,
                 const char *third) {
  const size_t before = strlen(first), after = strlen(third);
  if (before + length + after >= MODEL_NAME_ROOM) return false;
  memmove(room + before + length, third, after + 1);
  memmove(room + before, second, length);
  memcpy(room, first, before);
  return true;
}

const char *space_name(const model_space *space, const char *name, char room[MODEL_NAME_ROOM],
                       bool (*known)(const void *self, const char *name), const void *self) {
  char now[MODEL_NAME_ROOM], full[MODEL_NAME_ROOM];
  if (name[0] == MODEL_WHOLE) return name + 1;
  if (!space || !join(now, name, "", 0, "")) return name;
  for (; space; space = space->outer) {
    const size_t length = strcspn(now, ".[@");
    const model_alias *alias = find_alias(space, now, length);
    if (alias) {
      char rest[MODEL_NAME_ROOM];
      strcpy(rest, now + length);
      if (!join(now, alias->stands_for, "", 0, rest)) return name;
      continue;
    }
    if (!join(full, space->prefix, now, length, "") || !known(self, full)) continue;
    return join(room, space->prefix, now, strlen(now), "") ? room : name;
  }
  strcpy(room, now);
  return room;
}
