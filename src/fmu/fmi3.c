/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of FMI 3.0 for co-simulation (fmi-standard.org, FMI 3.0, sections 2.2 and 4), over
 * core.h.  All functions of the standard are there; those of kinds of FMUs and variables that there
 * are none of answer with an error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/core.h"
#include "fmu/export.h"

typedef uint32_t reference;

typedef void (*log_message)(void *environment, int status, const char *category,
                            const char *message);
typedef void (*intermediate_update)(void *environment, double t, bool set_requested,
                                    bool get_allowed, bool step_finished, bool can_return_early,
                                    bool *return_requested, double *return_time);

typedef struct instance {
  fmu *core;
  log_message log;
  void *environment;
  bool logging, event_mode, early_return;
  intermediate_update update;
  bool returning;     /* the importer has asked for it in an intermediate update */
  double return_time; /* s */
} instance;

static void write_log(void *data, fmu_status status, const char *category, const char *message) {
  const instance *i = data;
  if (i->log && (i->logging || status >= FMU_ERROR))
    i->log(i->environment, (int)status, category, message);
}

/* ---- life ------------------------------------------------------------------------------------ */

FMU_EXPORT const char *fmi3GetVersion(void) {
  return "3.0";
}

FMU_EXPORT int fmi3SetDebugLogging(instance *i, bool on, size_t count,
                                   const char *const *categories) {
  (void)count;
  (void)categories;
  i->logging = on;
  return FMU_OK;
}

FMU_EXPORT instance *fmi3InstantiateCoSimulation(const char *name, const char *token,
                                                 const char *resources, bool visible, bool logging,
                                                 bool event_mode, bool early_return,
                                                 const reference *intermediate,
                                                 size_t intermediates, void *environment,
                                                 log_message log, intermediate_update update) {
  (void)name;
  (void)visible;
  (void)intermediate;
  (void)intermediates;
  instance *i = calloc(1, sizeof *i);
  if (!i) return NULL;
  *i = (instance){.log = log,
                  .environment = environment,
                  .logging = logging,
                  .event_mode = event_mode,
                  .early_return = early_return,
                  .update = update};
  const fmu_log lines = {i, write_log};
  if (resources) i->core = fmu_open(resources, token, &lines);
  if (i->core) return i;
  free(i);
  return NULL;
}

FMU_EXPORT void fmi3FreeInstance(instance *i) {
  if (i) fmu_close(i->core);
  free(i);
}

FMU_EXPORT int fmi3EnterInitializationMode(instance *i, bool tolerance_defined, double tolerance,
                                           double start, bool stop_defined, double stop) {
  (void)tolerance_defined;
  (void)tolerance;
  (void)stop_defined;
  (void)stop;
  if (!fmu_expect(i->core, 1 << FMU_INSTANTIATED, "fmi3EnterInitializationMode")) return FMU_ERROR;
  return (int)fmu_initialize(i->core, start);
}

FMU_EXPORT int fmi3ExitInitializationMode(instance *i) {
  if (!fmu_expect(i->core, 1 << FMU_INITIALIZATION, "fmi3ExitInitializationMode")) return FMU_ERROR;
  return (int)fmu_start(i->core, i->event_mode);
}

FMU_EXPORT int fmi3EnterEventMode(instance *i) {
  if (!fmu_expect(i->core, 1 << FMU_STEP, "fmi3EnterEventMode")) return FMU_ERROR;
  if (!i->event_mode) {
    fmu_say(i->core, FMU_ERROR, "logStatusError", "the instance was made without event mode");
    return FMU_ERROR;
  }
  return (int)fmu_enter(i->core, FMU_EVENT);
}

FMU_EXPORT int fmi3EnterStepMode(instance *i) {
  if (!fmu_expect(i->core, 1 << FMU_EVENT, "fmi3EnterStepMode")) return FMU_ERROR;
  return (int)fmu_enter(i->core, FMU_STEP);
}

FMU_EXPORT int fmi3Terminate(instance *i) {
  if (!fmu_expect(i->core, 1 << FMU_STEP | 1 << FMU_EVENT, "fmi3Terminate")) return FMU_ERROR;
  return (int)fmu_enter(i->core, FMU_TERMINATED);
}

FMU_EXPORT int fmi3Reset(instance *i) {
  return (int)fmu_reset(i->core);
}

/* ---- values ---------------------------------------------------------------------------------- */

FMU_EXPORT int fmi3GetFloat64(instance *i, const reference *list, size_t count, double *values,
                              size_t room) {
  if (room < count) return FMU_ERROR;
  fmu_status status = FMU_OK;
  for (size_t k = 0; !status && k < count; ++k) status = fmu_get(i->core, list[k], &values[k]);
  return (int)status;
}

FMU_EXPORT int fmi3SetFloat64(instance *i, const reference *list, size_t count,
                              const double *values, size_t given) {
  if (given < count || !fmu_expect(i->core, ~(1u << FMU_TERMINATED), "fmi3SetFloat64"))
    return FMU_ERROR;
  fmu_status status = FMU_OK;
  for (size_t k = 0; !status && k < count; ++k) status = fmu_set(i->core, list[k], values[k]);
  return (int)status;
}

/* Types of variables that the FMU has none of: fine for an empty list. */
#define NONE_OF_TYPE(name)                                                                         \
  FMU_EXPORT int name(instance *i, const reference *list, size_t count) {                          \
    (void)list;                                                                                    \
    if (count)                                                                                     \
      fmu_say(i->core, FMU_ERROR, "logStatusError", #name ": there are no such variables");        \
    return count ? FMU_ERROR : FMU_OK;                                                             \
  }
NONE_OF_TYPE(fmi3GetFloat32)
NONE_OF_TYPE(fmi3GetInt8)
NONE_OF_TYPE(fmi3GetUInt8)
NONE_OF_TYPE(fmi3GetInt16)
NONE_OF_TYPE(fmi3GetUInt16)
NONE_OF_TYPE(fmi3GetInt32)
NONE_OF_TYPE(fmi3GetUInt32)
NONE_OF_TYPE(fmi3GetInt64)
NONE_OF_TYPE(fmi3GetUInt64)
NONE_OF_TYPE(fmi3GetBoolean)
NONE_OF_TYPE(fmi3GetString)
NONE_OF_TYPE(fmi3GetBinary)
NONE_OF_TYPE(fmi3GetClock)
NONE_OF_TYPE(fmi3SetFloat32)
NONE_OF_TYPE(fmi3SetInt8)
NONE_OF_TYPE(fmi3SetUInt8)
NONE_OF_TYPE(fmi3SetInt16)
NONE_OF_TYPE(fmi3SetUInt16)
NONE_OF_TYPE(fmi3SetInt32)
NONE_OF_TYPE(fmi3SetUInt32)
NONE_OF_TYPE(fmi3SetInt64)
NONE_OF_TYPE(fmi3SetUInt64)
NONE_OF_TYPE(fmi3SetBoolean)
NONE_OF_TYPE(fmi3SetString)
NONE_OF_TYPE(fmi3SetBinary)
NONE_OF_TYPE(fmi3SetClock)
NONE_OF_TYPE(fmi3GetIntervalDecimal)
NONE_OF_TYPE(fmi3GetIntervalFraction)
NONE_OF_TYPE(fmi3GetShiftDecimal)
NONE_OF_TYPE(fmi3GetShiftFraction)
NONE_OF_TYPE(fmi3SetIntervalDecimal)
NONE_OF_TYPE(fmi3SetIntervalFraction)
NONE_OF_TYPE(fmi3SetShiftDecimal)
NONE_OF_TYPE(fmi3SetShiftFraction)
NONE_OF_TYPE(fmi3GetOutputDerivatives)

/* ---- states ---------------------------------------------------------------------------------- */

typedef struct state {
  size_t size;
  void *data;
} state;

FMU_EXPORT int fmi3FreeFMUState(instance *i, state **s) {
  (void)i;
  if (s && *s) {
    free((*s)->data);
    free(*s);
    *s = NULL;
  }
  return FMU_OK;
}

FMU_EXPORT int fmi3GetFMUState(instance *i, state **s) {
  fmi3FreeFMUState(i, s);
  *s = calloc(1, sizeof **s);
  if (!*s) return FMU_ERROR;
  const fmu_status status = fmu_save(i->core, &(*s)->data, &(*s)->size);
  if (status) fmi3FreeFMUState(i, s);
  return (int)status;
}

FMU_EXPORT int fmi3SetFMUState(instance *i, state *s) {
  return s ? (int)fmu_restore(i->core, s->data, s->size) : FMU_ERROR;
}

FMU_EXPORT int fmi3SerializedFMUStateSize(instance *i, state *s, size_t *size) {
  (void)i;
  *size = s ? s->size : 0;
  return s ? FMU_OK : FMU_ERROR;
}

FMU_EXPORT int fmi3SerializeFMUState(instance *i, state *s, unsigned char *bytes, size_t size) {
  (void)i;
  if (!s || size < s->size) return FMU_ERROR;
  memcpy(bytes, s->data, s->size);
  return FMU_OK;
}

FMU_EXPORT int fmi3DeserializeFMUState(instance *i, const unsigned char *bytes, size_t size,
                                       state **s) {
  fmi3FreeFMUState(i, s);
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

/* ---- steps ----------------------------------------------------------------------------------- */

static bool between(void *data, double t) {
  instance *i = data;
  double until = t;
  i->returning = false;
  i->update(i->environment, t, false, true, true, i->early_return, &i->returning, &until);
  return i->early_return && i->returning;
}

FMU_EXPORT int fmi3DoStep(instance *i, double t, double h, bool no_set_state_before, bool *events,
                          bool *terminate, bool *early, double *reached) {
  (void)no_set_state_before;
  if (!fmu_expect(i->core, 1 << FMU_STEP, "fmi3DoStep")) return FMU_ERROR;
  fmu_step step = {
      .events = i->event_mode && i->early_return, .between = i->update ? between : NULL, .data = i};
  i->returning = false;
  const fmu_status status = fmu_do_step(i->core, t, h, &step);
  *events = step.events;
  *terminate = step.terminated;
  *early = !status && (step.events || step.terminated || (i->early_return && i->returning));
  *reached = step.reached;
  /* A run that an event has stopped can return early only where that is allowed. */
  if (!status && step.terminated && !i->early_return) {
    *early = false;
    return FMU_DISCARD;
  }
  return (int)status;
}

FMU_EXPORT int fmi3UpdateDiscreteStates(instance *i, bool *again, bool *terminate, bool *nominals,
                                        bool *values, bool *next_defined, double *next) {
  if (!fmu_expect(i->core, 1 << FMU_EVENT, "fmi3UpdateDiscreteStates")) return FMU_ERROR;
  *again = *terminate = *nominals = *values = *next_defined = false;
  *next = 0;
  return FMU_OK;
}

FMU_EXPORT int fmi3EvaluateDiscreteStates(instance *i) {
  return fmu_expect(i->core, 1 << FMU_EVENT, "fmi3EvaluateDiscreteStates") ? FMU_OK : FMU_ERROR;
}

/* ---- what this FMU has not ------------------------------------------------------------------- */

#define REFUSED(name)                                                                              \
  FMU_EXPORT int name(instance *i) {                                                               \
    fmu_say(i->core, FMU_ERROR, "logStatusError", #name ": the FMU does not have this");           \
    return FMU_ERROR;                                                                              \
  }
REFUSED(fmi3GetNumberOfVariableDependencies)
REFUSED(fmi3GetVariableDependencies)
REFUSED(fmi3GetDirectionalDerivative)
REFUSED(fmi3GetAdjointDerivative)
REFUSED(fmi3EnterConfigurationMode)
REFUSED(fmi3ExitConfigurationMode)
REFUSED(fmi3EnterContinuousTimeMode)
REFUSED(fmi3CompletedIntegratorStep)
REFUSED(fmi3SetTime)
REFUSED(fmi3SetContinuousStates)
REFUSED(fmi3GetContinuousStateDerivatives)
REFUSED(fmi3GetEventIndicators)
REFUSED(fmi3GetContinuousStates)
REFUSED(fmi3GetNominalsOfContinuousStates)
REFUSED(fmi3GetNumberOfEventIndicators)
REFUSED(fmi3GetNumberOfContinuousStates)
REFUSED(fmi3ActivateModelPartition)

#define NO_INSTANCE(name)                                                                          \
  FMU_EXPORT instance *name(void) {                                                                \
    return NULL;                                                                                   \
  }
NO_INSTANCE(fmi3InstantiateModelExchange)
NO_INSTANCE(fmi3InstantiateScheduledExecution)
