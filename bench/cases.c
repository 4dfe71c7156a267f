/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cases.h"

#define TOP(group, scene, word, formulation)                                                       \
  {                                                                                                \
    "top_" group "_" word, "data/scenes/" scene ".json", "body", 1, {                              \
      "simulation.formulation=" formulation, "simulation.duration=5"                               \
    }                                                                                              \
  }
#define CHAIN(kind, scene, n, duration)                                                            \
  {                                                                                                \
    "chain_" kind "_" #n, scene, "link", n, {                                                      \
      "parameters.n=" #n, "simulation.duration=" duration                                          \
    }                                                                                              \
  }
#define SPHERICAL(n, duration) CHAIN("spherical", "data/scenes/chain.json", n, duration)
/* At the accuracy of other programs, whose iteration ends where the norm of the residual is below
 * 1e-6: with this rtol it is below 2.1e-7 (N, N m) after each of 100 steps of 1,000 links, with
 * 1e-5 up to 3e-5. */
#define PEERS(n, duration)                                                                         \
  {                                                                                                \
    "chain_1e-6_" #n, "data/scenes/chain.json", "link", n, {                                       \
      "parameters.n=" #n, "simulation.duration=" duration, "simulation.rtol=1e-6"                  \
    }                                                                                              \
  }
#define REVOLUTE(n, duration) CHAIN("revolute", "bench/revolute_chain.json", n, duration)
#define ROPE(n, group, duration)                                                                   \
  {                                                                                                \
    "rope_" group "_" #n, "data/scenes/spaghetti_3d.json", "element", n, {                         \
      "parameters.n=" #n, "bodies.rope.group=" group, "simulation.duration=" duration              \
    }                                                                                              \
  }
#define ROPES(n, duration) ROPE(n, "R3xSO3", duration), ROPE(n, "SE3", duration)
#define CANTILEVER(n, duration)                                                                    \
  {                                                                                                \
    "cantilever_" #n, "bench/cantilever.json", "element", n, {                                     \
      "parameters.n=" #n, "simulation.duration=" duration                                          \
    }                                                                                              \
  }

const bench_case bench_cases[] = {
    TOP("R3xSO3", "heavy_top", "index3", "index3"),
    TOP("R3xSO3", "heavy_top", "ggl", "ggl"),
    TOP("SE3", "heavy_top_se3", "index3", "index3"),
    TOP("SE3", "heavy_top_se3", "ggl", "ggl"),
    SPHERICAL(10, "1"),
    SPHERICAL(100, "0.1"),
    SPHERICAL(1000, "0.1"),
    SPHERICAL(10000, "0.1"),
    PEERS(10, "1"),
    PEERS(200, "0.5"),
    PEERS(1000, "0.1"),
    REVOLUTE(10, "1"),
    REVOLUTE(100, "0.1"),
    REVOLUTE(1000, "0.1"),
    REVOLUTE(10000, "0.1"),
    {"four_bar_40", "data/scenes/four_bar_chain_40.json", "body", 81, {"simulation.duration=1"}},
    {"slider_crank", "data/scenes/slider_crank_spring.json", "body", 4, {0}},
    ROPES(4, "2"),
    ROPES(16, "1"),
    ROPES(64, "1"),
    ROPES(256, "0.5"),
    ROPES(1024, "0.2"),
    ROPES(4096, "0.2"),
    CANTILEVER(4, "0.5"),
    CANTILEVER(64, "0.2"),
    CANTILEVER(256, "0.1"),
    {"blades_300", "bench/hubs.json", "element", 1800, {"simulation.duration=0.1"}},
    {"door", "data/scenes/door.json", "body", 1, {0}},
    {"folding_screen_20", "bench/folding_screen.json", "body", 20, {0}},
    {"contact_stiff", "bench/chain_on_floor.json", "link", 10, {0}},
};
const int bench_case_count = sizeof bench_cases / sizeof *bench_cases;
