// The native half of the Python package: haptos._core. Python code imports from haptos.
#include "bind.h"
#include "haptos/base/parallel.h"
#include "haptos/base/stage_clock.h"
#include "haptos/version.h"

namespace {

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
constexpr const char* kInstructionSet = "x86-64-v4";
#elif defined(__AVX2__) && defined(__FMA__) && defined(__BMI2__)
constexpr const char* kInstructionSet = "x86-64-v3";
#elif defined(__x86_64__)
constexpr const char* kInstructionSet = "x86-64";
#else
constexpr const char* kInstructionSet = "another";
#endif

#ifdef HAPTOS_CUDA
constexpr bool kCuda = true;
#else
constexpr bool kCuda = false;
#endif

}  // namespace

NB_MODULE(_core, m) {
  using namespace haptos::python;
  m.doc() = "The C++ core of Haptos. Import from haptos instead.";
  m.attr("version") = haptos::kVersion;
  m.attr("commit") = haptos::kCommit;
  m.attr("compiler") = __VERSION__;
  m.attr("instruction_set") = kInstructionSet;
  m.attr("cuda") = kCuda;
  m.def("thread_count", &haptos::thread_count, "Threads that loops of the core may use.");
  nb::list stages;
  for (const char* name : haptos::kStageNames) stages.append(name);
  m.attr("stage_names") = nb::tuple(stages);
  m.def("time_stages", &haptos::time_stages, nb::arg("on"),
        "Begins to count the time that stages of steps take, from zero, or stops.");
  m.def(
      "stage_seconds",
      [] {
        const auto seconds = haptos::stage_seconds();
        return std::vector<double>(seconds.begin(), seconds.end());
      },
      "Seconds since time_stages(True), by stage in the order of stage_names, of all simulations.");
  bind_errors(m);
  bind_options(m);
  bind_mesh(m);
  bind_mesh_check(m);
  bind_shapes(m);
  bind_xml(m);
  bind_robot(m);
  bind_tree(m);
  bind_fields(m);
  bind_scene(m);
  bind_sim(m);
  bind_scene_robots(m);
  bind_robot_sensors(m);
  bind_sensors(m);
  bind_tactile_rgb(m);
  bind_signals(m);
  bind_tactile(m);
  bind_image(m);
  bind_layer(m);
  bind_distance_field(m);
  bind_taxels(m);
  bind_material_points(m);
  bind_render(m);
  bind_cameras(m);
}
