/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/options_read.h"

#include <string.h>

#include "base/options.h"
#include "integrator/options.h"

/* A simulation has the settings of the method as its second member, which may be shorter or longer
 * in the header that the caller was compiled with; what follows them is moved as a whole. */

_Static_assert(offsetof(torsor_simulation, settings) == sizeof(size_t), "settings come second");
_Static_assert(offsetof(torsor_simulation, duration) == sizeof(size_t) + sizeof(torsor_settings),
               "what follows the settings is next to them");

static const char SIMULATION[] = "torsor_simulation";
static const char BEGIN[] = "torsor_simulation_default() or torsor_simulation_copy()";

static torsor_simulation defaults(void) {
  return (torsor_simulation){
      .size = sizeof(torsor_simulation), .settings = torsor_settings_default(), .every = 1};
}

/* Reads what follows the settings [count bytes]. */
static torsor_status read_rest(torsor_simulation *out, const unsigned char *given, size_t count,
                               torsor_error *error) {
  unsigned char *own = (unsigned char *)&out->duration;
  const size_t known = sizeof *out - offsetof(torsor_simulation, duration);
  for (size_t i = known; i < count; ++i)
    if (given[i])
      return options_refuse_unknown(SIMULATION, sizeof *out + count - known, sizeof *out, error);
  memcpy(own, given, count < known ? count : known);
  return TORSOR_OK;
}

torsor_status simulation_complete(torsor_simulation *out, const torsor_simulation *given,
                                  torsor_error *error) {
  *out = defaults();
  const size_t size = given->size;
  if (size <= 2 * sizeof size) return options_refuse_unsized(SIMULATION, BEGIN, error);
  const torsor_status status = settings_complete(&out->settings, &given->settings, error);
  if (status) return status;
  const size_t first = sizeof size + given->settings.size;
  if (size < first) return options_refuse_unsized(SIMULATION, BEGIN, error);
  return read_rest(out, (const unsigned char *)given + first, size - first, error);
}

void simulation_hand_out(torsor_simulation *out, size_t size, size_t settings_size,
                         const torsor_simulation *from) {
  unsigned char *to = (unsigned char *)out;
  const size_t known = sizeof *from - offsetof(torsor_simulation, duration);
  const size_t first = sizeof size + settings_size, room = size - first;
  memset(to, 0, size);
  memcpy(to, &size, sizeof size);
  options_write(to + sizeof size, settings_size, &from->settings, sizeof from->settings);
  memcpy(to + first, &from->duration, room < known ? room : known);
}

void torsor_simulation_fit(torsor_simulation *out, size_t size, size_t settings_size,
                           const torsor_simulation *from) {
  torsor_simulation all = defaults();
  memset(out, 0, size);
  if (from && simulation_complete(&all, from, NULL)) return;
  simulation_hand_out(out, size, settings_size, &all);
}

torsor_status hooks_complete(torsor_hooks *out, const torsor_hooks *given, torsor_error *error) {
  *out = (torsor_hooks)TORSOR_HOOKS_INIT;
  if (!given) return TORSOR_OK;
  return options_read(out, sizeof *out, given, "torsor_hooks", "TORSOR_HOOKS_INIT", error);
}
