// The native half of the Python package: haptos._core. Python code imports from haptos.
#include "bind.h"
#include "haptos/version.h"

NB_MODULE(_core, m) {
  using namespace haptos::python;
  m.doc() = "The C++ core of Haptos. Import from haptos instead.";
  m.attr("version") = haptos::kVersion;
  m.attr("commit") = haptos::kCommit;
  bind_errors(m);
  bind_options(m);
  bind_mesh(m);
  bind_mesh_check(m);
  bind_shapes(m);
  bind_xml(m);
  bind_robot(m);
  bind_tree(m);
  bind_scene(m);
  bind_sim(m);
  bind_scene_robots(m);
  bind_robot_sensors(m);
  bind_sensors(m);
  bind_tactile_rgb(m);
  bind_signals(m);
  bind_image(m);
  bind_render(m);
}
