/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_H
#define TORSOR_BASE_H

/** Status codes, error texts and the export macro, which every other header needs. */

#include <stddef.h>

/* Public declarations are those of C in C++, too. */
#ifdef __cplusplus
#define TORSOR_BEGIN_DECLS extern "C" {
#define TORSOR_END_DECLS   }
#else
#define TORSOR_BEGIN_DECLS
#define TORSOR_END_DECLS
#endif

TORSOR_BEGIN_DECLS

#if defined(__GNUC__)
#define TORSOR_API                         __attribute__((visibility("default")))
#define TORSOR_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))
#else
#define TORSOR_API
#define TORSOR_PRINTF(format_index, first)
#endif

/* X(name, value, text).  0 is success; a positive status is recoverable: the integrator tries a
 * smaller step; a negative status is final. */
#define TORSOR_STATUS_LIST(X)                                                                      \
  X(OK, 0, "success")                                                                              \
  X(NEWTON, 1, "the Newton iteration does not converge")                                           \
  X(NONFINITE, 2, "a number is not finite")                                                        \
  X(SINGULAR, 3, "the linear system is singular")                                                  \
  X(DOMAIN, 4, "an element is outside the range where it is defined")                              \
  X(TURN, 5, "a joint coordinate moves so fast that its turns cannot be counted")                  \
  X(ACCURACY, 6, "the local error is above what the accuracy allows")                              \
  X(SCENE, -1, "the scene is invalid")                                                             \
  X(ARGUMENT, -2, "an argument is invalid")                                                        \
  X(MEMORY, -3, "out of memory")                                                                   \
  X(FILE, -4, "a file cannot be read or written")                                                  \
  X(STEP, -5, "the step size became too small")                                                    \
  X(INCONSISTENT, -6, "the initial values contradict the constraints")                             \
  X(PLUGIN, -7, "a plug-in cannot be used")                                                        \
  X(INTERRUPTED, -8, "interrupted")                                                                \
  X(MISMATCH, -9, "the results differ")

typedef enum torsor_status {
#define TORSOR_STATUS_ENUM(name, value, text) TORSOR_##name = (value),
  TORSOR_STATUS_LIST(TORSOR_STATUS_ENUM)
#undef TORSOR_STATUS_ENUM
} torsor_status;

/** Text of a status, e.g. "success".  Never NULL. */
TORSOR_API const char *torsor_status_text(torsor_status status);

/** Name of a status, e.g. "OK".  Never NULL. */
TORSOR_API const char *torsor_status_name(torsor_status status);

/** Description of an error, filled by functions outside the hot path; owned by the caller, who may
 *  pass NULL instead.  Analyses do not know files and name the element; torsor_scene_locate then
 *  finds it in the scene.  file, path (a JSON path such as bodies[0].mass), line and column (both
 *  from 1; 0 = unknown) say where; hint says what would be right. */
typedef struct torsor_error {
  torsor_status status;
  char message[512];
  char hint[320];
  char file[320];
  char path[160];
  char element[64]; /* name of the element concerned, as far as there is one */
  int line, column;
  char parameter[64]; /* key of the element's parameter that is wrong, as far as it is one */
  double t;           /* s, time in a simulation at which it failed; NaN = none */
  char reserve[64];
} torsor_error;

/** Set status and message of `error` (may be NULL), keeping file, path, line, column and clearing
 *  the hint.  Returns `status`, so that `return torsor_fail(error, TORSOR_SCENE, "...")` reads
 *  well. */
TORSOR_API torsor_status torsor_fail(torsor_error *error, torsor_status status, const char *format,
                                     ...) TORSOR_PRINTF(3, 4);

/** Set the time at which a simulation failed. */
TORSOR_API void torsor_fail_at(torsor_error *error, double t);

/** Write "file:line:column: path: message" and, in a second line, "  hint: .." to out [room], each
 *  as far as there is one; returns the length that the whole text has, like snprintf. */
TORSOR_API int torsor_error_text(char *out, size_t room, const torsor_error *error);

/** Records the element that `error` (may be NULL) concerns. */
TORSOR_API void torsor_blame(torsor_error *error, const char *element);

/** Sets the hint of `error` (may be NULL): a correct form, or advice. */
TORSOR_API void torsor_hint(torsor_error *error, const char *format, ...) TORSOR_PRINTF(2, 3);

/** The nearest of `names` [count] to `word` by edit distance, or NULL when none is near. */
TORSOR_API const char *torsor_near_name(const char *word, const char *const *names, int count);

/** Free a text that the library returned; NULL is fine. */
TORSOR_API void torsor_text_free(char *text);

/** Library version, e.g. "0.1.0". */
TORSOR_API const char *torsor_version(void);

TORSOR_END_DECLS

#endif
