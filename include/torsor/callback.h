/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CALLBACK_H
#define TORSOR_CALLBACK_H

/** Functions of a program inside a model: forces, efforts, constraint rows, functions of time,
 * characteristics and controllers.
 *
 *  They are bound to a registry by a name, which scenes use, so that a scene with callbacks can be
 * written and read again.  A plug-in can bring them, too: `torsor run --plugin` then runs the same
 * scene.
 *
 *  A callback is a pure function of its arguments and of what `data` points at, which steps must
 * not change: it is called more often than there are steps, and for steps that are taken back. What
 * has memory is a controller, which is called once per sample.
 *
 *  The statuses that callbacks return: TORSOR_OK; positive ones, such as TORSOR_DOMAIN, where a
 * smaller step is to be tried; negative ones, such as TORSOR_STEP, to end the run.
 * torsor_callback_fail gives the reason. */

#include <torsor/force.h>

TORSOR_BEGIN_DECLS

/** "law": the wrench that acts on b at its marker, as with torsor_law.  Type `user_force`. */
typedef torsor_status (*torsor_call_law)(void *data, const torsor_relative_in *in,
                                         torsor_law_out *out);
/** "effort": the generalised force along a coordinate (N, or N m) with its derivatives, which
 * Newton's iteration needs to converge fast. Type `user_effort`. */
typedef torsor_status (*torsor_call_effort)(void *data, const torsor_now *now, double c,
                                            double rate, torsor_effort_out *out);
/** "rows": phi(H, t) [rows] of the relative frame, and phi_t, phi_tt where it depends on time.  J
 * is NaN on entry: rows that are left so get it by central differences.  Type `user_joint`. */
typedef torsor_status (*torsor_call_rows)(void *data, const torsor_relative_in *in,
                                          torsor_relative_out *out);
/** "function": as eval of torsor_function; `rate` and `second`, where they are not NULL, are to be
 * filled.  {"callback": ".."} in place of a function of time. */
typedef double (*torsor_call_function)(void *data, const torsor_now *now, double *rate,
                                       double *second);
/** "characteristic": as eval of torsor_characteristic.  {"callback": ".."} in place of a
 * characteristic. */
typedef double (*torsor_call_characteristic)(void *data, const torsor_now *now, double x,
                                             double *slope, double *integral);
/** "controller": at a sample, from signals `read` to inputs `write`, which have their present
 * values on entry.  Negative: the run ends. */
typedef torsor_status (*torsor_call_controller)(void *data, double t, const double *read,
                                                double *write);

typedef struct torsor_callback {
  size_t size;           /* of this struct, set by TORSOR_CALLBACK_INIT */
  const char *signature; /* "law", "effort", ...: what `call` is */
  void (*call)(void);    /* a function of that type */
  void *data;            /* handed to every call */
  bool threads; /* several threads may call it at once; else runs that use it have one thread, and
                   one run at a time may use it */
  size_t state; /* controllers: bytes at `data` that belong to saved states, without pointers; each
                   run begins with those that were there when its model was built.  0 = none */
  void (*destroy)(void *data); /* called when the registry goes; NULL = nothing to do */
} torsor_callback;
#define TORSOR_CALLBACK_INIT(signature, call, data)                                                \
  { sizeof(torsor_callback), (signature), (void (*)(void))(call), (data), false, 0, NULL }

/** Bind a callback to a name (letters, digits and _).  From the first one on the registry has the
 * types user_force, user_effort and user_joint.  ARGUMENT where the name is taken, or there is no
 * such signature. */
TORSOR_API torsor_status torsor_registry_bind(torsor_registry *registry, const char *name,
                                              const torsor_callback *callback, torsor_error *error);
/** The callback of that name; NULL = none. */
TORSOR_API const torsor_callback *torsor_registry_bound(const torsor_registry *registry,
                                                        const char *name);

/** Say why a callback fails, as the message of the run that ends by it; returns `status`. */
TORSOR_API torsor_status torsor_callback_fail(const torsor_now *now, torsor_status status,
                                              const char *format, ...) TORSOR_PRINTF(3, 4);

/** A callback of a plug-in, with its name. */
typedef struct torsor_plugin_callback {
  const char *name;
  torsor_callback callback;
} torsor_plugin_callback;

/** Export the callbacks of a plug-in: TORSOR_PLUGIN_CALLBACKS({"magnet",
 * TORSOR_CALLBACK_INIT("law", magnet, NULL)}), once, at the end of its file.  A plug-in may have
 * types, callbacks, or both. */
#define TORSOR_PLUGIN_CALLBACKS(...)                                                               \
  TORSOR_API extern const torsor_plugin_callback torsor_plugin_callbacks[];                        \
  TORSOR_API extern const uint32_t torsor_plugin_callbacks_abi;                                    \
  const uint32_t torsor_plugin_callbacks_abi = TORSOR_ELEMENT_ABI;                                 \
  const torsor_plugin_callback torsor_plugin_callbacks[] = {                                       \
      __VA_ARGS__, {NULL, {0, NULL, NULL, NULL, false, 0, NULL}}}

TORSOR_END_DECLS

#endif
