/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SPRING_KIT_H
#define TORSOR_ELEMENTS_SPRING_KIT_H

/** Resistance of a spring and a damper to a stretch x and its rate: preload + stiffness x + damping
 *  x', each part of which a characteristic may replace. */

#include <torsor/element.h>

typedef struct spring {
  double stiffness, damping, preload;
  torsor_characteristic force, damping_force;
} spring;

static const char *const spring_stretch[] = {"x", NULL}, *const spring_rate[] = {"v", NULL};

#define SPRING_PARAMS(type, member, unit_k, unit_c, unit_f)                                        \
  {"stiffness", TORSOR_PARAM_NUMBER, offsetof(type, member.stiffness), unit_k, "0", "stiffness",   \
   NULL,        TORSOR_NONNEGATIVE},                                                               \
      {"damping", TORSOR_PARAM_NUMBER, offsetof(type, member.damping), unit_c, "0", "damping",     \
       NULL,      TORSOR_NONNEGATIVE},                                                             \
      {"force",                                                                                    \
       TORSOR_PARAM_CHARACTERISTIC,                                                                \
       offsetof(type, member.force),                                                               \
       unit_f,                                                                                     \
       TORSOR_OPTIONAL,                                                                            \
       "what pulls back at the stretch x, in place of `stiffness`",                                \
       spring_stretch,                                                                             \
       0},                                                                                         \
  {                                                                                                \
    "damping_force", TORSOR_PARAM_CHARACTERISTIC, offsetof(type, member.damping_force), unit_f,    \
        TORSOR_OPTIONAL, "what resists the rate v of the stretch, in place of `damping`",          \
        spring_rate, 0                                                                             \
  }

static inline torsor_status spring_check(const spring *s, const char *name, torsor_error *error) {
  const bool twice = s->force.eval && (s->stiffness > 0 || s->preload < 0 || s->preload > 0);
  const bool damped_twice = s->damping_force.eval && s->damping > 0;
  if (!twice && !damped_twice) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" has \"%s\" and \"%s\"", name,
              twice ? "force" : "damping_force",
              !twice             ? "damping"
              : s->stiffness > 0 ? "stiffness"
                                 : "preload");
  torsor_hint(error, "leave one of them out: the characteristic replaces the number");
  return TORSOR_SCENE;
}

/** Force that pulls back at the stretch x and its rate v, and its derivatives. */
static inline double spring_force(const spring *s, const torsor_now *now, double x, double v,
                                  double *by_x, double *by_v) {
  double force = s->preload + s->stiffness * x, damping = s->damping * v;
  *by_x = s->stiffness;
  *by_v = s->damping;
  if (s->force.eval) force = s->force.eval(s->force.self, now, x, by_x, NULL);
  if (s->damping_force.eval)
    damping = s->damping_force.eval(s->damping_force.self, now, v, by_v, NULL);
  return force + damping;
}

/** Returns why the law is not purely elastic, as the end of a sentence; NULL when it is. */
static inline const char *spring_obstacle(const spring *s) {
  return s->damping > 0 || s->damping_force.eval ? "has damping" : NULL;
}

/** Elastic energy at the stretch x, from 0. */
static inline double spring_energy(const spring *s, const torsor_now *now, double x) {
  double energy = x * (s->preload + s->stiffness * x / 2);
  if (s->force.eval) s->force.eval(s->force.self, now, x, NULL, &energy);
  return energy;
}

#endif
