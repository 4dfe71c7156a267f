/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_REGISTRY_H
#define TORSOR_ELEMENTS_REGISTRY_H

#include <stdatomic.h>

#include <torsor/callback.h>

/** A callback with its name, at an address that stays. */
typedef struct bound_callback {
  struct bound_callback *next;
  char *name;
  torsor_callback callback;
} bound_callback;

struct torsor_registry {
  int count, size;
  const torsor_element_type **types;
  int handle_count;
  void **handles;
  bound_callback *bound;
};

/** Failure of a callback: the first one reported since the record was cleared. */
struct torsor_complaint {
  atomic_flag taken;
  char text[256];
};

/** Element types that are implemented by callbacks. */
extern const torsor_element_type user_force, user_effort, user_joint;

#endif
