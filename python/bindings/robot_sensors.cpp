// Sensors of robots, and trajectories that motors play. haptos/robots/sensors.py and
// haptos/scene/trajectories.py wrap this and document it for people.
#include <nanobind/stl/map.h>
#include <nanobind/stl/tuple.h>

#include "bind.h"
#include "haptos/base/text/options.h"
#include "haptos/scene/parts/trajectory.h"
#include "haptos/sim/batch/batch.h"

namespace haptos::python {
namespace {

using Row = std::vector<double>;

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (int k = 0; k < kSensorKinds; ++k)
    names.emplace_back(sensor_kind_name(static_cast<SensorKind>(k)));
  return names;
}

// std, bias, bias_std, walk, quantum, lower, upper.
SensorNoise to_noise(const Row& n) { return {n[0], n[1], n[2], n[3], n[4], n[5], n[6]}; }

void add_sensor(Scene& scene, const std::string& robot, const std::string& name, int kind,
                const std::string& target, const nb::object& position, const nb::object& quaternion,
                const std::string& reference, bool child_on_parent, double torque_constant,
                double rate, double delay, const Row& noise, const Row& angular_noise,
                const nb::object& places, const Row& areas) {
  const std::string who = "robot \"" + robot + "\", sensor \"" + name + "\"";
  RobotBody* body = nullptr;
  std::vector<std::string> names;
  for (RobotBody& b : scene.robots) {
    names.push_back(b.name);
    if (b.name == robot) body = &b;
  }
  if (!body) {
    const std::string near = nearest_name(robot, names);
    refuse("robot \"" + robot + "\"", "", "does not exist in this scene",
           near.empty() ? "add it first" : "did you mean \"" + near + "\"?");
  }
  Sensor s;
  s.name = name;
  s.kind = static_cast<SensorKind>(kind);
  s.target = target;
  s.frame = to_pose(position, quaternion, who.c_str());
  s.reference = reference;
  s.child_on_parent = child_on_parent;
  s.torque_constant = torque_constant;
  s.rate = rate;
  s.delay = delay;
  s.noise = to_noise(noise);
  s.angular_noise = to_noise(angular_noise);
  s.places = to_points(places, "places");
  s.areas = areas;
  check_sensor(s, who);
  body->sensors.push_back(s);
}

Interpolation to_interpolation(const std::string& name) {
  if (name == "linear") return Interpolation::kLinear;
  if (name == "cubic") return Interpolation::kCubic;
  refuse("interpolation", name, "must be linear or cubic", "choose one of them");
}

nb::tuple sample(const Trajectory& t, const nb::object& times) {
  const Row at = to_numbers(times, "time");
  const auto n = static_cast<std::size_t>(t.columns());
  Row values, rates;
  for (const double time : at)
    for (std::size_t k = 0; k < n; ++k) {
      const TrajectorySample s = t.at(static_cast<int>(k), time);
      values.push_back(s.value);
      rates.push_back(s.rate);
    }
  using Table = OutArray<double, -1, -1>;
  return nb::make_tuple(own<Table>(std::move(values), {at.size(), n}),
                        own<Table>(std::move(rates), {at.size(), n}));
}

}  // namespace

void bind_robot_sensors(nb::module_& m) {
  m.def("robot_sensor_kinds", &kinds);
  m.def("add_robot_sensor", &add_sensor, nb::arg("scene"), nb::arg("robot"), nb::arg("name"),
        nb::arg("kind"), nb::arg("target"), nb::arg("position").none(),
        nb::arg("quaternion").none(), nb::arg("reference"), nb::arg("child_on_parent"),
        nb::arg("torque_constant"), nb::arg("rate"), nb::arg("delay"), nb::arg("noise"),
        nb::arg("angular_noise"), nb::arg("places"), nb::arg("areas"));
  m.def("taxel_grid", [](int rows, int columns, double pitch) {
    return own_points(taxel_grid(rows, columns, pitch));
  });
  m.def(
      "robot_sensor_table",
      [](Batch& batch, const std::string& robot) {
        std::vector<std::tuple<std::string, std::string, std::vector<std::string>,
                               std::vector<std::string>>>
            rows;
        const RobotView v = batch.env(0).robot(robot);
        const RobotSensors& s = v.sensors();
        for (int i = 0; i < s.size(); ++i)
          rows.emplace_back(s.sensor(i).name, sensor_kind_name(s.sensor(i).kind), s.channels(i),
                            s.units(i));
        return rows;
      },
      nb::arg("batch"), nb::arg("robot"));
  m.def(
      "read_robot_sensor",
      [](Batch& batch, const std::string& robot, int sensor) {
        Row values, times;
        std::vector<std::int64_t> samples;
        const int count = batch.env(0).robot(robot).sensors().size();
        require_index(sensor, static_cast<std::size_t>(count), "sensor");
        for (int k = 0; k < batch.envs(); ++k) {
          const SensorReading r = batch.env(k).robot(robot).read(sensor);
          values.insert(values.end(), r.values.begin(), r.values.end());
          times.push_back(r.time);
          samples.push_back(r.samples);
        }
        const std::size_t n = times.size(), width = values.size() / n;
        return nb::make_tuple(own<OutArray<double, -1, -1>>(std::move(values), {n, width}),
                              own_row(std::move(times)), own_row(std::move(samples)));
      },
      nb::arg("batch"), nb::arg("robot"), nb::arg("sensor"));

  nb::class_<Trajectory>(m, "Trajectory")
      .def(
          "__init__",
          [](Trajectory* t, std::vector<std::string> names, const nb::object& times,
             const nb::object& values, const std::string& interpolation, bool loop) {
            new (t) Trajectory(std::move(names), to_numbers(times, "times"),
                               to_numbers(values, "values"), to_interpolation(interpolation), loop);
          },
          nb::arg("names"), nb::arg("times"), nb::arg("values"), nb::arg("interpolation"),
          nb::arg("loop"))
      .def_prop_ro("names", &Trajectory::names)
      .def_prop_ro("start", &Trajectory::start)
      .def_prop_ro("end", &Trajectory::end)
      .def_prop_ro("loops", &Trajectory::loops)
      .def_prop_ro("rows", &Trajectory::rows)
      .def("sample", &sample, nb::arg("times"));
  m.def(
      "read_trajectory",
      [](const std::string& path, const std::string& interpolation, bool loop) {
        return read_trajectory(path, to_interpolation(interpolation), loop);
      },
      nb::arg("path"), nb::arg("interpolation"), nb::arg("loop"));
}

}  // namespace haptos::python
