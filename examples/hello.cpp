/* SPDX-License-Identifier: GPL-3.0-or-later */
// The engine from C++: the functions are those of C, a unique_ptr destroys what they create.
// Build: c++ hello.cpp $(pkg-config --cflags --libs torsor)
#include <cstdio>
#include <cstring>
#include <memory>

#include <torsor/torsor.h>

template <typename T, void (*destroy)(T *)> struct destroyer {
  void operator()(T *object) const { destroy(object); }
};
using registry =
    std::unique_ptr<torsor_registry, destroyer<torsor_registry, torsor_registry_destroy>>;
using scene = std::unique_ptr<torsor_scene, destroyer<torsor_scene, torsor_scene_destroy>>;
using model = std::unique_ptr<torsor_model, destroyer<torsor_model, torsor_model_destroy>>;
using run = std::unique_ptr<torsor_run, destroyer<torsor_run, torsor_run_destroy>>;

static const char text[] = R"({
  "torsor": 1, "gravity": [0, 0, -9.81],
  "bodies": [{"name": "rod", "type": "rigid_body", "mass": 2, "inertia": [0.2, 0.2, 0.002],
              "position": [0, 0, -0.5], "angular_velocity": [0, 3, 0]}],
  "joints": [{"name": "hinge", "type": "revolute", "axis": [0, 1, 0], "a": "ground",
              "b": {"body": "rod", "position": [0, 0, 0.5]}}],
  "simulation": {"step": 1e-3, "duration": 2}
})";

int main() {
  torsor_error error = {};
  const registry types(torsor_registry_create(&error));
  torsor_scene *read = nullptr;
  if (torsor_scene_parse(&read, text, std::strlen(text), "pendulum", types.get(), nullptr, 0,
                         &error)) {
    std::fprintf(stderr, "%s: %s\n", error.path, error.message);
    return 1;
  }
  const scene pendulum(read);
  torsor_model *built = nullptr;
  torsor_run *begun = nullptr;
  torsor_status status = torsor_scene_model(&built, pendulum.get(), &error);
  const model rod(built);
  if (!status)
    status = torsor_run_create(&begun, rod.get(), torsor_scene_simulation(pendulum.get()), nullptr,
                               &error);
  const run swing(begun);
  while (!status && !torsor_run_finished(swing.get()))
    status = torsor_run_step(swing.get(), &error);
  if (status) {
    std::fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  std::printf("%.15g rad\n", torsor_run_signal(swing.get(), "hinge.angle"));
}
