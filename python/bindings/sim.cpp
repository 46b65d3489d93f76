// The compiled scene. haptos/scene/sim.py adds the env axis and documents it for people.
#include "haptos/sim/sim.h"

#include <cmath>

#include "bind.h"
#include "step_reports.h"

namespace haptos::python {
namespace {

// One contact as a row of bytes; haptos/scene/sim.py names the fields in the same order.
struct ContactRow {
  std::int32_t env, body_a, body_b, sticking, surface_a, surface_b;
  std::int64_t feature_a, feature_b;
  double p[3], n[3], gap, area, force[3], normal_force, tangential_force[3], slip[3], friction;
};
static_assert(sizeof(ContactRow) == 40 + 19 * sizeof(double));

ContactRow row_of(const ContactPoint& c) {
  ContactRow r{};
  r.env = c.env, r.body_a = c.body_a, r.body_b = c.body_b, r.sticking = c.sticking;
  r.surface_a = c.surface_a, r.surface_b = c.surface_b;
  r.feature_a = c.feature_a, r.feature_b = c.feature_b;
  for (int k = 0; k < 3; ++k) {
    r.p[k] = c.p[k], r.n[k] = c.n[k], r.force[k] = c.force[k];
    r.tangential_force[k] = c.tangential_force[k], r.slip[k] = c.slip[k];
  }
  r.gap = c.gap, r.area = c.area, r.normal_force = c.normal_force, r.friction = c.friction;
  return r;
}

OutArray<std::uint8_t, -1, -1> contact_rows(const Sim& sim) {
  std::vector<ContactRow> rows;
  rows.reserve(sim.contacts().size());
  for (const ContactPoint& c : sim.contacts()) rows.push_back(row_of(c));
  const std::size_t n = rows.size();
  auto* kept = new std::vector<ContactRow>(std::move(rows));
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::vector<ContactRow>*>(p); });
  const std::size_t shape[2] = {n, sizeof(ContactRow)};
  return OutArray<std::uint8_t, -1, -1>(reinterpret_cast<std::uint8_t*>(kept->data()), 2, shape,
                                        owner);
}

nb::tuple pair(const Wrench& w) { return nb::make_tuple(vec3(w.force), vec3(w.torque)); }

OutArray<double, 6> velocity_row(const Vec6d& v) {
  return own<OutArray<double, 6>>(std::vector<double>(v.a, v.a + 6), {6});
}

// Three finite numbers.
Vec3d to_load(const nb::object& value, const char* what, const std::string& body) {
  const std::string who = std::string(what) + " on \"" + body + "\"";
  const Vec3d f = to_vec3(value, who.c_str());
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(f[k])) refuse(who, text_of(value), "must be finite", "give three numbers");
  return f;
}

nb::dict soft_model(const Sim& sim, const std::string& name) {
  const SoftModel& s = sim.soft_model(name);
  nb::dict d;
  d["mesh"] = s.rest;
  d["surface"] = s.surface;
  d["surface_vertices"] = own_row(s.surface_vertex);
  d["glued_to"] = own_row(s.glued_to);
  d["coat"] = own_triangles(s.coat);
  return d;
}

// A number of a report, by name.
struct ReportField {
  const char* name;
  double (*real)(const StepReport&);         // null for whole numbers
  std::int64_t (*whole)(const StepReport&);  // null for others
};

#define HAPTOS_REAL(name, value)                                         \
  {                                                                      \
    name, [](const StepReport& r) -> double { return r.value; }, nullptr \
  }
#define HAPTOS_WHOLE(name, value)                                              \
  {                                                                            \
    name, nullptr, [](const StepReport& r) -> std::int64_t { return r.value; } \
  }
constexpr ReportField kReportFields[] = {
    HAPTOS_WHOLE("step", step),
    HAPTOS_REAL("time", time),
    HAPTOS_WHOLE("status", newton.status),
    HAPTOS_WHOLE("iterations", newton.iterations),
    HAPTOS_WHOLE("line_search_steps", newton.line_search_steps),
    HAPTOS_WHOLE("lag_passes", newton.lag_passes),
    HAPTOS_WHOLE("projected", newton.projected),
    HAPTOS_WHOLE("linear_iterations", newton.linear_iterations),
    HAPTOS_REAL("residual", newton.residual),
    HAPTOS_REAL("load", newton.load),
    HAPTOS_REAL("velocity_change", newton.velocity_change),
    HAPTOS_REAL("smallest_gap", newton.smallest_gap),
    HAPTOS_REAL("path", newton.path),
    HAPTOS_REAL("missed", missed),
    HAPTOS_REAL("kinetic", kinetic),
    HAPTOS_REAL("potential", potential),
    HAPTOS_REAL("smallest_volume_ratio", smallest_volume_ratio),
    HAPTOS_WHOLE("parts", parts),
    HAPTOS_WHOLE("crossed", crossed),
    HAPTOS_WHOLE("past_middle", past_middle),
    HAPTOS_WHOLE("merged", merged),
    HAPTOS_REAL("seconds", seconds),
};
#undef HAPTOS_REAL
#undef HAPTOS_WHOLE

template <class T, class F>
nb::object column_of(const StepReports& reports, F value) {
  std::vector<T> all;
  all.reserve(reports.rows.size());
  for (const StepReport& r : reports.rows) all.push_back(static_cast<T>(value(r)));
  const std::size_t n = all.size();
  return nb::cast(own<OutArray<T, -1>>(std::move(all), {n}));
}

nb::object report_column(const StepReports& reports, const std::string& name) {
  for (const ReportField& f : kReportFields) {
    if (name != f.name) continue;
    if (name == "status") return column_of<std::uint32_t>(reports, f.whole);
    return f.real ? column_of<double>(reports, f.real) : column_of<std::int64_t>(reports, f.whole);
  }
  refuse("step report", name, "is none of its numbers", "haptos.StepReport.FIELDS lists them");
}

void bind_report(nb::module_& m) {
  nb::class_<StepReport>(m, "StepReport", "What one step reports about one environment.");
  nb::class_<StepReports>(m, "StepReports", "What one step reports about all environments.")
      .def(
          "__init__",
          [](StepReports* self, const StepReport& one) { new (self) StepReports{{one}}; },
          nb::arg("one"))
      .def("bits",
           [](const StepReports& r) {
             std::uint32_t bits = 0;
             for (const StepReport& one : r.rows) bits |= one.status();
             return bits;
           })
      .def_static("fields",
                  [] {
                    std::vector<std::string> names;
                    for (const ReportField& f : kReportFields) names.emplace_back(f.name);
                    return names;
                  })
      .def("column", &report_column, nb::arg("name"),
           nb::sig("def column(self, name: str) -> numpy.typing.NDArray[typing.Any]"));
}

void bind_state(nb::module_& m) {
  nb::class_<State>(m, "State",
                    "The smallest thing that restores a run; a copy, detached from the Sim.")
      .def_ro("time", &State::time, "[s]")
      .def_ro("step", &State::step, "Steps taken.")
      .def_prop_ro(
          "q",
          [](nb::handle self) {
            const auto& q = nb::cast<State&>(self).q;
            const std::size_t shape[1] = {q.size()};
            return OutArray<const double, -1>(q.data(), 1, shape, self);
          },
          "Coordinates, body after body (n,); a read-only view.", kArray)
      .def_prop_ro(
          "z",
          [](nb::handle self) {
            const auto& z = nb::cast<State&>(self).z;
            const std::size_t shape[1] = {z.size()};
            return OutArray<const double, -1>(z.data(), 1, shape, self);
          },
          "Velocities of the unknowns (m,); a read-only view.", kArray)
      .def("hash", &State::hash, "Equal for equal states; the same on every machine.");
}

}  // namespace

void bind_sim(nb::module_& m) {
  bind_report(m);
  bind_state(m);
  nb::class_<Sim>(m, "Sim")
      .def(
          "__init__",
          [](Sim* self, const Scene& scene) {
            Scene copy = scene;
            nb::gil_scoped_release release;
            new (self) Sim(std::move(copy));
          },
          nb::arg("scene"))
      .def("step", &Sim::step, nb::call_guard<nb::gil_scoped_release>())
      .def("reset", &Sim::reset, nb::arg("seed") = nb::none(), nb::arg("env") = nb::none())
      .def("restart_sensors", &Sim::restart_sensors, nb::arg("seed").none())
      .def("state", [](const Sim& s) { return s.state(); })
      .def(
          "set_state", [](Sim& s, const State& state) { s.set_state(state); }, nb::arg("state"))
      .def("save", &Sim::save, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("load", &Sim::load, nb::arg("path"))
      .def("time", [](const Sim& s) { return s.state().time; })
      .def("stiffness_scale", &Sim::stiffness_scale, nb::arg("soft"))
      .def("set_stiffness_scale", &Sim::set_stiffness_scale, nb::arg("soft"), nb::arg("scale"))
      .def("friction_scale", &Sim::friction_scale, nb::arg("body"))
      .def("set_friction_scale", &Sim::set_friction_scale, nb::arg("body"), nb::arg("scale"))
      .def("mass_scale", &Sim::mass_scale, nb::arg("body"))
      .def("set_mass_scale", &Sim::set_mass_scale, nb::arg("body"), nb::arg("scale"))
      .def("gravity", [](const Sim& s) { return vec3(s.gravity()); })
      .def(
          "set_gravity",
          [](Sim& s, const ArrayLike& gravity) { s.set_gravity(to_vec3(gravity, "gravity")); },
          nb::arg("gravity"))
      .def("step_count", [](const Sim& s) { return s.state().step; })
      .def("model_hash", &Sim::model_hash)
      .def("analyses", &Sim::analyses)
      .def("warnings", [](const Sim& s) { return find_warnings(*s.model()); })
      .def(
          "set_target",
          [](Sim& s, const std::string& name, const nb::object& position,
             const nb::object& quaternion) {
            s.set_target(name,
                         to_pose(position, quaternion, ("target of \"" + name + "\"").c_str()));
          },
          nb::arg("name"), nb::arg("position"), nb::arg("quaternion").none())
      .def("clear_target", &Sim::clear_target, nb::arg("name"))
      .def("prescribed_pose",
           [](const Sim& s, const std::string& n) { return pose_row(s.prescribed_pose(n)); })
      .def("prescribed_positions",
           [](const Sim& s, const std::string& n) { return own_points(s.prescribed_positions(n)); })
      .def("carrier_pose",
           [](const Sim& s, const std::string& n) { return pose_row(s.carrier_pose(n)); })
      .def("link_surfaces", &Sim::link_surfaces, nb::arg("link"))
      .def("affine_positions",
           [](const Sim& s, const std::string& n) { return own_points(s.affine_positions(n)); })
      .def("affine_pose",
           [](const Sim& s, const std::string& n) { return pose_row(s.affine_pose(n)); })
      .def("affine_velocity",
           [](const Sim& s, const std::string& n) { return velocity_row(s.affine_velocity(n)); })
      .def("affine_strain", &Sim::affine_strain, nb::arg("name"))
      .def("affine_masses",
           [](const Sim& s) {
             std::vector<double> masses;
             for (const Moments& m : s.model()->affine_moments) masses.push_back(m.mass);
             return masses;
           })
      .def(
          "set_wrench",
          [](Sim& s, const std::string& n, const nb::object& force, const nb::object& torque) {
            const Vec3d f = to_load(force, "force", n), t = to_load(torque, "torque", n);
            s.set_wrench(n, f, t);
          },
          nb::arg("name"), nb::arg("force"), nb::arg("torque"))
      .def("soft_positions",
           [](const Sim& s, const std::string& n) { return own_points(s.soft_positions(n)); })
      .def("soft_model", &soft_model, nb::arg("name"))
      .def("contacts", &contact_rows)
      .def("nodal_contact", &nodal_contact_dict, nb::arg("name"))
      .def("soft_stress", &stress_pair, nb::arg("name"))
      .def("body_name", &Sim::body_name, nb::arg("body"))
      .def("body_id", &Sim::body_id, nb::arg("name"))
      .def("reaction",
           [](const Sim& s, const std::string& n, const nb::object& about) {
             return pair(s.reaction(n, to_vec3(about, "about")));
           })
      .def("contact_wrench",
           [](const Sim& s, const std::string& n, const nb::object& about) {
             return pair(s.contact_wrench(n, to_vec3(about, "about")));
           })
      .def("constraint_wrench",
           [](const Sim& s, const std::string& n, const nb::object& about) {
             return pair(s.constraint_wrench(n, to_vec3(about, "about")));
           })
      .def("constraint_error",
           [](const Sim& s, const std::string& n) {
             const std::array<double, 2> e = s.constraint_error(n);
             return own_row(std::vector<double>{e[0], e[1]});
           })
      .def("constraint_axis",
           [](const Sim& s, const std::string& n) {
             const Sim::AxisReading a = s.constraint_axis(n);
             return own_row(std::vector<double>{a.position, a.velocity, a.effort});
           })
      .def("constraint_command",
           [](const Sim& s, const std::string& n) {
             const MotorCommand c = s.constraint_command(n);
             return own_row(std::vector<double>{c.position, c.velocity, c.feed_forward});
           })
      .def("set_constraint_command",
           [](Sim& s, const std::string& n, double position, double velocity, double effort) {
             s.set_constraint_command(n, {position, velocity, effort});
           })
      .def("constraint_gains",
           [](const Sim& s, const std::string& n) {
             const MotorGains g = s.constraint_gains(n);
             return own_row(std::vector<double>{g.kp, g.kd, g.ki});
           })
      .def("set_constraint_gains", &Sim::set_constraint_gains)
      .def("load_wrench",
           [](const Sim& s, const std::string& n, const nb::object& about) {
             return pair(s.load_wrench(n, to_vec3(about, "about")));
           })
      .def("inertia_wrench", [](const Sim& s, const std::string& n, const nb::object& about) {
        return pair(s.inertia_wrench(n, to_vec3(about, "about")));
      });
}

}  // namespace haptos::python
