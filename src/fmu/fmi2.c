/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of FMI 2.0 for co-simulation (fmi-standard.org, FMI 2.0.4, sections 2.1 and 4.2),
 * over core.h.  Those of model exchange are left out, as the standard allows. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/core.h"
#include "fmu/export.h"

typedef unsigned int reference;

typedef void (*logger)(void *environment, const char *instance, int status, const char *category,
                       const char *message, ...);

/* The struct of functions that an importer hands over. */
typedef struct callbacks {
  logger log;
  void *(*allocate)(size_t count, size_t size);
  void (*release)(void *memory);
  void (*step_finished)(void *environment, int status);
  void *environment;
} callbacks;

typedef struct component {
  fmu *core;
  char *name;
  callbacks calls;
  bool logging, terminated;
  double start, reached;
} component;

static void write_log(void *data, fmu_status status, const char *category, const char *message) {
  const component *c = data;
  if (c->calls.log && (c->logging || status >= FMU_ERROR))
    c->calls.log(c->calls.environment, c->name, (int)status, category, "%s", message);
}

/* ---- life ------------------------------------------------------------------------------------ */

FMU_EXPORT const char *fmi2GetTypesPlatform(void) {
  return "default";
}

FMU_EXPORT const char *fmi2GetVersion(void) {
  return "2.0";
}

FMU_EXPORT int fmi2SetDebugLogging(component *c, int on, size_t count,
                                   const char *const *categories) {
  (void)count;
  (void)categories;
  c->logging = on != 0;
  return FMU_OK;
}

static int hexadecimal(char c) {
  return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

/* The path of a URI "file:///..", "file:/..", or of what is a path already; to be freed. */
static char *path_of(const char *uri) {
  const char *from = uri;
  if (strncmp(from, "file:", 5) == 0) {
    from += 5;
    if (strncmp(from, "//", 2) == 0) from += 2 + strcspn(from + 2, "/");
  }
  char *path = malloc(strlen(from) + 1), *to = path;
  const bool coded = from != uri;
  for (; path && *from; ++from)
    if (coded && *from == '%' && isxdigit((unsigned char)from[1]) &&
        isxdigit((unsigned char)from[2])) {
      *to++ = (char)(16 * hexadecimal(from[1]) + hexadecimal(from[2]));
      from += 2;
    } else {
      *to++ = *from;
    }
  if (path) *to = '\0';
  return path;
}

FMU_EXPORT void fmi2FreeInstance(component *c) {
  if (!c) return;
  fmu_close(c->core);
  free(c->name);
  free(c);
}

enum { MODEL_EXCHANGE, CO_SIMULATION };

FMU_EXPORT component *fmi2Instantiate(const char *name, int type, const char *guid,
                                      const char *resources, const callbacks *calls, int visible,
                                      int logging) {
  (void)visible;
  component *c = type == CO_SIMULATION && resources ? calloc(1, sizeof *c) : NULL;
  if (!c) return NULL;
  c->name = strdup(name ? name : "");
  if (calls) c->calls = *calls;
  c->logging = logging != 0;
  const fmu_log lines = {c, write_log};
  char *path = path_of(resources);
  if (c->name && path) c->core = fmu_open(path, guid, &lines);
  free(path);
  if (c->core) return c;
  fmi2FreeInstance(c);
  return NULL;
}

FMU_EXPORT int fmi2SetupExperiment(component *c, int tolerance_defined, double tolerance,
                                   double start, int stop_defined, double stop) {
  (void)tolerance_defined;
  (void)tolerance;
  (void)stop_defined;
  (void)stop;
  if (!fmu_expect(c->core, 1 << FMU_INSTANTIATED, "fmi2SetupExperiment")) return FMU_ERROR;
  c->start = start;
  return FMU_OK;
}

FMU_EXPORT int fmi2EnterInitializationMode(component *c) {
  if (!fmu_expect(c->core, 1 << FMU_INSTANTIATED, "fmi2EnterInitializationMode")) return FMU_ERROR;
  return (int)fmu_initialize(c->core, c->start);
}

FMU_EXPORT int fmi2ExitInitializationMode(component *c) {
  if (!fmu_expect(c->core, 1 << FMU_INITIALIZATION, "fmi2ExitInitializationMode")) return FMU_ERROR;
  return (int)fmu_start(c->core, false);
}

FMU_EXPORT int fmi2Terminate(component *c) {
  if (!fmu_expect(c->core, 1 << FMU_STEP, "fmi2Terminate")) return FMU_ERROR;
  return (int)fmu_enter(c->core, FMU_TERMINATED);
}

FMU_EXPORT int fmi2Reset(component *c) {
  c->terminated = false;
  c->start = 0;
  return (int)fmu_reset(c->core);
}

/* ---- values ---------------------------------------------------------------------------------- */

FMU_EXPORT int fmi2GetReal(component *c, const reference *list, size_t count, double *values) {
  fmu_status status = FMU_OK;
  for (size_t k = 0; !status && k < count; ++k) status = fmu_get(c->core, list[k], &values[k]);
  return (int)status;
}

FMU_EXPORT int fmi2SetReal(component *c, const reference *list, size_t count,
                           const double *values) {
  if (!fmu_expect(c->core, ~(1u << FMU_TERMINATED), "fmi2SetReal")) return FMU_ERROR;
  fmu_status status = FMU_OK;
  for (size_t k = 0; !status && k < count; ++k) status = fmu_set(c->core, list[k], values[k]);
  return (int)status;
}

FMU_EXPORT int fmi2SetRealInputDerivatives(component *c, const reference *list, size_t count,
                                           const int *order, const double *values) {
  if (!fmu_expect(c->core, 1 << FMU_STEP, "fmi2SetRealInputDerivatives")) return FMU_ERROR;
  fmu_status status = FMU_OK;
  for (size_t k = 0; !status && k < count; ++k)
    status = fmu_set_derivative(c->core, list[k], order[k], values[k]);
  return (int)status;
}

/* Types of variables that the FMU has none of: fine for an empty list. */
#define NONE_OF_TYPE(name)                                                                         \
  FMU_EXPORT int name(component *c, const reference *list, size_t count) {                         \
    (void)list;                                                                                    \
    if (count)                                                                                     \
      fmu_say(c->core, FMU_ERROR, "logStatusError", #name ": there are no such variables");        \
    return count ? FMU_ERROR : FMU_OK;                                                             \
  }
NONE_OF_TYPE(fmi2GetInteger)
NONE_OF_TYPE(fmi2GetBoolean)
NONE_OF_TYPE(fmi2GetString)
NONE_OF_TYPE(fmi2SetInteger)
NONE_OF_TYPE(fmi2SetBoolean)
NONE_OF_TYPE(fmi2SetString)
NONE_OF_TYPE(fmi2GetRealOutputDerivatives)

/* ---- states ---------------------------------------------------------------------------------- */

typedef struct state {
  size_t size;
  void *data;
} state;

FMU_EXPORT int fmi2FreeFMUstate(component *c, state **s) {
  (void)c;
  if (s && *s) {
    free((*s)->data);
    free(*s);
    *s = NULL;
  }
  return FMU_OK;
}

FMU_EXPORT int fmi2GetFMUstate(component *c, state **s) {
  fmi2FreeFMUstate(c, s);
  *s = calloc(1, sizeof **s);
  if (!*s) return FMU_ERROR;
  const fmu_status status = fmu_save(c->core, &(*s)->data, &(*s)->size);
  if (status) fmi2FreeFMUstate(c, s);
  return (int)status;
}

FMU_EXPORT int fmi2SetFMUstate(component *c, state *s) {
  c->terminated = false;
  return s ? (int)fmu_restore(c->core, s->data, s->size) : FMU_ERROR;
}

FMU_EXPORT int fmi2SerializedFMUstateSize(component *c, state *s, size_t *size) {
  (void)c;
  *size = s ? s->size : 0;
  return s ? FMU_OK : FMU_ERROR;
}

FMU_EXPORT int fmi2SerializeFMUstate(component *c, state *s, char *bytes, size_t size) {
  (void)c;
  if (!s || size < s->size) return FMU_ERROR;
  memcpy(bytes, s->data, s->size);
  return FMU_OK;
}

FMU_EXPORT int fmi2DeSerializeFMUstate(component *c, const char *bytes, size_t size, state **s) {
  fmi2FreeFMUstate(c, s);
  state *made = calloc(1, sizeof *made);
  if (made) *made = (state){size, malloc(size + 1)};
  if (!made || !made->data) {
    free(made);
    return FMU_ERROR;
  }
  memcpy(made->data, bytes, size);
  *s = made;
  return FMU_OK;
}

FMU_EXPORT int fmi2GetDirectionalDerivative(component *c) {
  fmu_say(c->core, FMU_ERROR, "logStatusError", "the FMU has no directional derivatives");
  return FMU_ERROR;
}

/* ---- steps ----------------------------------------------------------------------------------- */

FMU_EXPORT int fmi2DoStep(component *c, double t, double h, int no_set_state_before) {
  (void)no_set_state_before;
  if (!fmu_expect(c->core, 1 << FMU_STEP, "fmi2DoStep")) return FMU_ERROR;
  fmu_step step = {.events = false};
  const fmu_status status = fmu_do_step(c->core, t, h, &step);
  c->reached = step.reached;
  c->terminated = step.terminated;
  return !status && step.terminated ? FMU_DISCARD : (int)status;
}

FMU_EXPORT int fmi2CancelStep(component *c) {
  (void)c;
  return FMU_ERROR;
}

enum { DO_STEP_STATUS, PENDING_STATUS, LAST_SUCCESSFUL_TIME, TERMINATED };

FMU_EXPORT int fmi2GetRealStatus(component *c, int kind, double *value) {
  if (kind != LAST_SUCCESSFUL_TIME) return FMU_DISCARD;
  *value = c->reached;
  return FMU_OK;
}

FMU_EXPORT int fmi2GetBooleanStatus(component *c, int kind, int *value) {
  if (kind != TERMINATED) return FMU_DISCARD;
  *value = c->terminated;
  return FMU_OK;
}

/* Steps are done when fmi2DoStep returns: nothing is pending. */
#define NO_STATUS(name, type)                                                                      \
  FMU_EXPORT int name(component *c, int kind, type *value) {                                       \
    (void)c;                                                                                       \
    (void)kind;                                                                                    \
    (void)value;                                                                                   \
    return FMU_DISCARD;                                                                            \
  }
NO_STATUS(fmi2GetStatus, int)
NO_STATUS(fmi2GetIntegerStatus, int)
NO_STATUS(fmi2GetStringStatus, const char *)
