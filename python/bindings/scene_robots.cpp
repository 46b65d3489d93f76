// Robots and rigid bodies of a scene and of a Sim. haptos/scene/scene.py and haptos/robots/view.py
// wrap this and document it for people.
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <map>

#include "fields.h"
#include "haptos/base/progress.h"
#include "haptos/scene/rigid.h"
#include "haptos/sim/batch/batch.h"
#include "step_reports.h"

namespace haptos::python {
namespace {

using Row = std::vector<double>;

OutArray<double, -1> row(Row v) { return own_row(std::move(v)); }

void add_rigid(Scene& scene, const std::string& name, const nb::list& shapes,
               const nb::dict& values) {
  Given given(values, "rigid body \"" + name + "\"");
  RigidSpec rigid;
  RobotContact contact;
  contact.name = name;
  take_fields(given, rigid);
  take_fields(given, contact);
  given.finish();
  std::vector<RobotShape> all;
  for (nb::handle s : shapes) all.push_back(nb::cast<const RobotShape&>(s));
  scene.robots.push_back(rigid_body(std::move(contact), std::move(all), rigid));
}

// One robot in every environment of a batch.
struct Robots {
  std::vector<RobotView> views;
  const RobotView& first() const { return views.front(); }
  std::size_t envs() const { return views.size(); }

  // Rows of every environment, (env, n).
  template <class F>
  OutArray<double, -1, -1> rows(std::size_t n, const F& of) const {
    Row all;
    all.reserve(envs() * n);
    for (const RobotView& v : views) {
      const Row one = of(v);
      all.insert(all.end(), one.begin(), one.end());
    }
    return own<OutArray<double, -1, -1>>(std::move(all), {envs(), n});
  }
  template <int C, class F>
  OutArray<double, -1, -1, C> tables(std::size_t n, const F& of) const {
    Row all;
    all.reserve(envs() * n * C);
    for (const RobotView& v : views)
      for (std::size_t k = 0; k < n; ++k) {
        const std::array<double, C> one = of(v, static_cast<int>(k));
        all.insert(all.end(), one.begin(), one.end());
      }
    return own<OutArray<double, -1, -1, C>>(std::move(all), {envs(), n, C});
  }
};

// (env, n) numbers in the order of memory.
using In = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// Those numbers, n for each environment.
const double* numbers(const In& in, const Robots& r, std::size_t n, const char* what) {
  if (in.size() != r.envs() * n)
    refuse(what, std::to_string(in.size()) + " numbers",
           "must be " + std::to_string(n) + " for each environment, " +
               std::to_string(r.envs() * n) + " in all",
           "give rows of every environment");
  return in.data();
}
Row env_row(const double* all, std::size_t env, std::size_t n) {
  return {all + env * n, all + (env + 1) * n};
}
int link_number(const Robots& r, int link) {
  require_index(link, r.first().robot().links.size(), "link");
  return link;
}

std::array<double, 7> seven(const Pose& p) {
  return {p.p[0], p.p[1], p.p[2], p.q.w, p.q.x, p.q.y, p.q.z};
}

void bind_views(nb::module_& m) {
  using R = Robots;
  const auto motors = [](const R& r) { return static_cast<std::size_t>(r.first().motor_count()); };
  const auto nq = [](const R& r) { return static_cast<std::size_t>(r.first().tree().q_count); };
  const auto nv = [](const R& r) { return static_cast<std::size_t>(r.first().tree().v_count); };
  nb::class_<R>(m, "Robots")
      .def("q_count", nq)
      .def("v_count", nv)
      .def("motor_count", motors)
      .def("link_names", [](const R& r) { return r.first().tree().link_names; })
      .def("motor_names",
           [](const R& r) {
             std::vector<std::string> names;
             for (const RobotMotor& k : r.first().robot().motors) names.push_back(k.label());
             return names;
           })
      .def(
          "robot",
          [](const R& r, int env) {
            require_index(env, r.envs(), "environment");
            return r.views[static_cast<std::size_t>(env)].robot();
          },
          nb::arg("env") = 0)
      .def("slots",
           [](const R& r) {
             const RobotView& v = r.first();
             std::vector<std::tuple<std::string, int, int, int, int>> all;
             for (const TreeBody& b : v.tree().bodies)
               all.emplace_back(v.robot().joints[static_cast<std::size_t>(b.joint)].name, b.first_q,
                                q_size(b.kind), b.first_v, b.v_count);
             return all;
           })
      .def("link", [](const R& r, const std::string& n) { return r.first().link(n); })
      .def("motor", [](const R& r, const std::string& n) { return r.first().motor(n); })
      .def("position",
           [nq](const R& r) { return r.rows(nq(r), [](const auto& v) { return v.position(); }); })
      .def("velocity",
           [nv](const R& r) { return r.rows(nv(r), [](const auto& v) { return v.velocity(); }); })
      .def("acceleration",
           [nv](const R& r) {
             return r.rows(nv(r), [](const auto& v) { return v.acceleration(); });
           })
      .def("torque",
           [nv](const R& r) { return r.rows(nv(r), [](const auto& v) { return v.torque(); }); })
      .def("set_state",
           [nq, nv](R& r, const In& q, const In& v, const In& chosen) {
             const double *qs = numbers(q, r, nq(r), "position"),
                          *vs = numbers(v, r, nv(r), "velocity"),
                          *there = numbers(chosen, r, 1, "mask");
             for (std::size_t k = 0; k < r.envs(); ++k)
               if (there[k] != 0)
                 r.views[k].set_state(env_row(qs, k, nq(r)), env_row(vs, k, nv(r)));
           })
      .def("set_torque",
           [nv](R& r, const In& torque) {
             const double* all = numbers(torque, r, nv(r), "torque");
             for (std::size_t k = 0; k < r.envs(); ++k)
               r.views[k].set_torque(env_row(all, k, nv(r)));
           })
      .def("link_poses",
           [](const R& r) {
             return r.tables<7>(r.first().robot().links.size(),
                                [](const auto& v, int link) { return seven(v.link_pose(link)); });
           })
      .def("link_pose",
           [](const R& r, int link) {
             link_number(r, link);
             return r.rows(7, [&](const auto& v) {
               const auto p = seven(v.link_pose(link));
               return Row(p.begin(), p.end());
             });
           })
      .def("link_velocity",
           [](const R& r, int link) {
             link_number(r, link);
             return r.rows(6, [&](const auto& v) {
               const Vec6d u = v.link_velocity(link);
               return Row(u.a, u.a + 6);
             });
           })
      .def("commands",
           [motors](const R& r) {
             return r.tables<3>(motors(r), [](const auto& v, int k) {
               const MotorCommand c = v.command(k);
               return std::array<double, 3>{c.position, c.velocity, c.feed_forward};
             });
           })
      .def("set_commands",
           [motors](R& r, const In& rows) {
             const double* c = numbers(rows, r, 3 * motors(r), "commands");
             for (std::size_t k = 0; k < r.envs(); ++k)
               for (std::size_t i = 0; i < motors(r); ++i, c += 3)
                 r.views[k].set_command(static_cast<int>(i), {c[0], c[1], c[2]});
           })
      .def("gains",
           [motors](const R& r) {
             return r.tables<3>(motors(r), [](const auto& v, int k) {
               const MotorGains g = v.gains(k);
               return std::array<double, 3>{g.kp, g.kd, g.ki};
             });
           })
      .def("set_gains",
           [motors](R& r, const In& rows) {
             const double* g = numbers(rows, r, 3 * motors(r), "gains");
             for (std::size_t k = 0; k < r.envs(); ++k)
               for (std::size_t i = 0; i < motors(r); ++i, g += 3)
                 r.views[k].set_gains(static_cast<int>(i), g[0], g[1], g[2]);
           })
      .def("efforts",
           [motors](const R& r) {
             return r.rows(motors(r), [](const auto& v) {
               Row all;
               for (int k = 0; k < v.motor_count(); ++k) all.push_back(v.effort(k));
               return all;
             });
           })
      .def("mass_scale",
           [](const R& r, int link) {
             Row all;
             link_number(r, link);
             for (const RobotView& v : r.views) all.push_back(v.mass_scale(link));
             return row(std::move(all));
           })
      .def("set_mass_scale",
           [](R& r, int link, const In& scale) {
             const double* s = numbers(scale, r, 1, "mass scale");
             for (std::size_t k = 0; k < r.envs(); ++k)
               r.views[k].set_mass_scale(link_number(r, link), s[k]);
           })
      .def("friction_scale",
           [](const R& r) {
             Row all;
             for (const RobotView& v : r.views) all.push_back(v.friction_scale());
             return row(std::move(all));
           })
      .def("set_friction_scale",
           [](R& r, const In& scale) {
             const double* s = numbers(scale, r, 1, "friction scale");
             for (std::size_t k = 0; k < r.envs(); ++k) r.views[k].set_friction_scale(s[k]);
           })
      .def("set_wrench", [](R& r, int link, const In& force, const In& torque) {
        const double *f = numbers(force, r, 3, "force"), *t = numbers(torque, r, 3, "torque");
        link_number(r, link);
        for (std::size_t k = 0; k < r.envs(); ++k, f += 3, t += 3)
          r.views[k].set_wrench(link, {{f[0], f[1], f[2]}}, {{t[0], t[1], t[2]}});
      });
}

// Tells a Python function, or none, how far a scene is, and lets Ctrl-C in between.
ProgressListener::Tell teller(const nb::object& function) {
  return [&function](const std::string& what, double part) {
    const nb::gil_scoped_acquire held;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!function.is_none()) function(what, part);
  };
}

void bind_batch(nb::module_& m) {
  nb::class_<Batch>(m, "Batch")
      .def(
          "__init__",
          [](Batch* self, const Scene& scene, int envs, const nb::object& progress) {
            Scene copy = scene;
            const ProgressListener listener(teller(progress));
            nb::gil_scoped_release release;
            new (self) Batch(std::move(copy), envs);
          },
          nb::arg("scene"), nb::arg("envs"), nb::arg("progress").none() = nb::none())
      .def(
          "__init__",
          [](Batch* self, const std::vector<const Scene*>& scenes, const nb::object& progress) {
            std::vector<Scene> copies;  // a scene that is there many times is compiled once
            std::map<const Scene*, std::size_t> seen;
            std::vector<std::size_t> which;
            for (const Scene* s : scenes) {
              const auto [at, fresh] = seen.try_emplace(s, copies.size());
              if (fresh) copies.push_back(*s);
              which.push_back(at->second);
            }
            const ProgressListener listener(teller(progress));
            nb::gil_scoped_release release;
            std::vector<std::shared_ptr<const Model>> compiled, models;
            for (Scene& copy : copies) {
              try {
                compiled.push_back(compile(std::move(copy)));
              } catch (const InputError& e) {
                const auto at = std::ranges::find(which, compiled.size());
                Diagnostic d = e.diagnostic;
                d.element = "scene " + std::to_string(at - which.begin()) + ", " + d.element;
                throw InputError(d);
              }
            }
            for (const std::size_t i : which) models.push_back(compiled[i]);
            new (self) Batch(models);
          },
          nb::arg("scenes"), nb::arg("progress").none() = nb::none())
      .def("envs", &Batch::envs)
      .def(
          "env",
          [](Batch& batch, int env) -> Sim& {
            require_index(env, static_cast<std::size_t>(batch.envs()), "environment");
            return batch.env(env);
          },
          nb::rv_policy::reference_internal)
      .def("step",
           [](Batch& batch) {
             nb::gil_scoped_release released;
             return StepReports{batch.step()};
           })
      .def("save", &Batch::save, nb::arg("path"), nb::call_guard<nb::gil_scoped_release>())
      .def("load", &Batch::load, nb::arg("path"))
      .def(
          "robots",
          [](Batch& batch, const std::string& name) {
            Robots r;
            for (int k = 0; k < batch.envs(); ++k) r.views.push_back(batch.env(k).robot(name));
            return r;
          },
          nb::arg("name"), nb::keep_alive<0, 1>());
}

}  // namespace

void bind_scene_robots(nb::module_& m) {
  bind_views(m);
  bind_batch(m);
  m.def("add_rigid", &add_rigid, nb::arg("scene"), nb::arg("name"), nb::arg("shapes"),
        nb::arg("values"));
}

}  // namespace haptos::python
