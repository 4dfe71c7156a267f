/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_FMU_CORE_H
#define TORSOR_FMU_CORE_H

/** An instance of an FMU: a run of the scene that the FMU holds, led by what both versions of FMI
 *  have in common.  fmi2.c and fmi3.c put it into their functions.  Instances share nothing. */

#include <stdbool.h>
#include <stdint.h>

#include <torsor/run.h>
#include <torsor/scene.h>

/** Statuses of both versions of FMI, by their numbers. */
typedef enum fmu_status { FMU_OK, FMU_WARNING, FMU_DISCARD, FMU_ERROR, FMU_FATAL } fmu_status;

typedef enum fmu_phase {
  FMU_INSTANTIATED,
  FMU_INITIALIZATION,
  FMU_STEP,
  FMU_EVENT,
  FMU_TERMINATED
} fmu_phase;

/** Value references: the time, then blocks of inputs, outputs, parameters of the scene (fixed) and
 *  numbers of elements (tunable). */
enum {
  FMU_REFERENCE_TIME = 0,
  FMU_REFERENCE_INPUTS = 1,
  FMU_REFERENCE_OUTPUTS = 1000,
  FMU_REFERENCE_PARAMETERS = 1000000,
  FMU_REFERENCE_TUNABLES = 2000000
};

/** Receives lines for the user; `category` is one of those of the description. */
typedef struct fmu_log {
  void *data;
  void (*write)(void *data, fmu_status status, const char *category, const char *message);
} fmu_log;

/** Between two internal steps, at time t of the importer; true ends the step of communication. */
typedef bool (*fmu_between)(void *data, double t);

typedef struct fmu fmu;

/** Reads the scene and the list of variables in the folder `resources`, whose first line must have
 *  the `token`.  NULL after a line to the log. */
fmu *fmu_open(const char *resources, const char *token, const fmu_log *log);
/** NULL is fine. */
void fmu_close(fmu *f);

/** Is the instance in one of these phases [bits 1 << phase]?  A line to the log where it is not. */
bool fmu_expect(fmu *f, unsigned phases, const char *function);

/** The states: initialisation from `start` (s) on, steps, events, back to what fmu_open gave. */
fmu_status fmu_initialize(fmu *f, double start);
fmu_status fmu_start(fmu *f, bool event_mode);
fmu_status fmu_enter(fmu *f, fmu_phase phase);
fmu_status fmu_reset(fmu *f);

fmu_status fmu_get(fmu *f, uint32_t reference, double *value);
fmu_status fmu_set(fmu *f, uint32_t reference, double value);
/** Derivative of an input of order 1 or 2, after its value was set. */
fmu_status fmu_set_derivative(fmu *f, uint32_t reference, int order, double value);

typedef struct fmu_step {
  bool events; /* in: steps end at events of the scene; out: this one did */
  fmu_between between;
  void *data;      /* of `between` */
  bool terminated; /* out: an event of the scene has stopped the run */
  double reached;  /* out: time of the importer, s */
} fmu_step;

/** From the point of communication t (s) to t + h, or less far. */
fmu_status fmu_do_step(fmu *f, double t, double h, fmu_step *step);

/** All that an instance has become, in bytes: *data is allocated. */
fmu_status fmu_save(fmu *f, void **data, size_t *size);
/** The reverse, in any instance of the same FMU, also of another process. */
fmu_status fmu_restore(fmu *f, const void *data, size_t size);

void fmu_say(const fmu *f, fmu_status status, const char *category, const char *format, ...)
    TORSOR_PRINTF(4, 5);

#endif
