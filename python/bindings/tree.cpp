// Kinematics and dynamics of a robot's tree as functions of numpy arrays, over any leading axes.
#include "haptos/bodies/tree/tree.h"

#include <algorithm>

#include "array_batch.h"
#include "haptos/bodies/tree/tree_ik.h"
#include "haptos/bodies/tree/tree_jacobian.h"
#include "robot_bind.h"

namespace haptos::python {
namespace {

// A tree with what names its coordinates.
struct PyTree {
  Tree tree;
  std::vector<std::string> joints;  // of the robot

  const TreeBody& moving(const std::string& joint) const {
    const auto found = std::find(joints.begin(), joints.end(), joint);
    const int body = found == joints.end()
                         ? -1
                         : tree.joint_body[static_cast<std::size_t>(found - joints.begin())];
    if (body < 0)
      refuse("joint", joint, "must be the name of a joint that moves", "robot.joints has them");
    return tree.bodies[static_cast<std::size_t>(body)];
  }
  int link(const nb::object& which) const {
    if (nb::isinstance<nb::str>(which)) return tree.link(nb::cast<std::string>(which));
    if (!nb::isinstance<nb::int_>(which))
      refuse("link", text_of(which), "must be a link's name or number", "");
    const int i = nb::cast<int>(which);
    if (i < 0 || i >= static_cast<int>(tree.links.size()))
      refuse("link", std::to_string(i), "must be 0 to " + std::to_string(tree.links.size() - 1),
             "or give its name");
    return i;
  }
};

// Calls f(i, data, out) for each row; out has `shape` after the leading axes.
template <class F>
Numbers for_rows(const Tree& tree, const ArrayBatch& batch, std::vector<std::size_t> shape, F f) {
  std::size_t width = 1;
  for (std::size_t n : shape) width *= n;
  std::vector<double> out(batch.count * width);
  {
    nb::gil_scoped_release release;
    TreeData<double> data(tree);
    for (std::size_t i = 0; i < batch.count; ++i) f(i, data, out.data() + i * width);
  }
  shape.insert(shape.begin(), batch.lead.begin(), batch.lead.end());
  return own<Numbers>(std::move(out), std::move(shape));
}

std::size_t nq(const PyTree& t) { return static_cast<std::size_t>(t.tree.q_count); }
std::size_t nv(const PyTree& t) { return static_cast<std::size_t>(t.tree.v_count); }

void put_pose(const Frame<double>& x, double* out) {
  const Quat q = quaternion(x.r);
  const double row[7] = {x.p[0], x.p[1], x.p[2], q.w, q.x, q.y, q.z};
  std::copy(row, row + 7, out);
}

// External wrenches of links (links x 6: moment about the link's origin, force; world axes) as
// those of bodies; after forward_kinematics.
void put_wrenches(const Tree& tree, const TreeData<double>& data, const double* rows,
                  std::vector<SpatialForce<double>>& out) {
  out.assign(tree.bodies.size(), SpatialForce<double>::zero());
  for (std::size_t l = 0; l < tree.links.size(); ++l) {
    const int body = tree.links[l].body;
    if (body < 0) continue;
    const double* w = rows + 6 * l;
    out[static_cast<std::size_t>(body)] +=
        wrench_at<double>(data, body, link_frame(tree, data, static_cast<int>(l)).p,
                          {{w[3], w[4], w[5]}}, {{w[0], w[1], w[2]}});
  }
}

Numbers forward_kinematics_of(const PyTree& t, const ArrayLike& q) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.finish();
  const std::size_t links = t.tree.links.size();
  return for_rows(t.tree, b, {links, 7}, [&](std::size_t i, TreeData<double>& data, double* out) {
    forward_kinematics(t.tree, b.row(0, i), data);
    for (std::size_t l = 0; l < links; ++l)
      put_pose(link_frame(t.tree, data, static_cast<int>(l)), out + 7 * l);
  });
}

Numbers link_velocities_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.add(v, {nv(t)}, "v");
  b.finish();
  const std::size_t links = t.tree.links.size();
  return for_rows(t.tree, b, {links, 6}, [&](std::size_t i, TreeData<double>& data, double* out) {
    forward_kinematics(t.tree, b.row(0, i), data);
    update_velocities(t.tree, b.row(1, i), data);
    for (std::size_t l = 0; l < links; ++l) {
      const int body = t.tree.links[l].body;
      if (body < 0) continue;
      const Vec3d x = link_frame(t.tree, data, static_cast<int>(l)).p;
      const Vec3d u = point_velocity(data, body, x);
      for (int k = 0; k < 3; ++k) {
        out[6 * l + static_cast<std::size_t>(k)] =
            data.velocity[static_cast<std::size_t>(body)].angular[k];
        out[6 * l + 3 + static_cast<std::size_t>(k)] = u[k];
      }
    }
  });
}

Numbers jacobian_of(const PyTree& t, const ArrayLike& q, const nb::object& link,
                    const ArrayLike& point) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.finish();
  const int l = t.link(link);
  const Vec3d local = point.is_none() ? Vec3d::zero() : to_vec3(point, "point");
  return for_rows(t.tree, b, {6, nv(t)}, [&](std::size_t i, TreeData<double>& data, double* out) {
    forward_kinematics(t.tree, b.row(0, i), data);
    frame_jacobian(t.tree, data, t.tree.links[static_cast<std::size_t>(l)].body,
                   link_frame(t.tree, data, l) * local, out);
  });
}

Numbers mass_matrix_of(const PyTree& t, const ArrayLike& q) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.finish();
  return for_rows(t.tree, b, {nv(t), nv(t)},
                  [&](std::size_t i, TreeData<double>& data, double* out) {
                    update(t.tree, b.row(0, i), data);
                    crba(t.tree, data, out);
                  });
}

// rnea or aba of (q, v, third argument, wrenches); None stands for zero.
template <class F>
Numbers dynamics_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v, const ArrayLike& third,
                    const char* third_name, const ArrayLike& gravity, const ArrayLike& wrenches,
                    F f) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  std::size_t n = 1, at[3] = {0, 0, 0};
  const auto maybe = [&](const ArrayLike& a, const std::vector<std::size_t>& own, const char* what,
                         std::size_t slot) {
    if (a.is_none()) return;
    b.add(a, own, what);
    at[slot] = n++;
  };
  maybe(v, {nv(t)}, "v", 0);
  maybe(third, {nv(t)}, third_name, 1);
  maybe(wrenches, {t.tree.links.size(), 6}, "wrenches", 2);
  b.finish();
  const Vec3d g = to_vec3(gravity, "gravity");
  std::vector<SpatialForce<double>> wrench;
  return for_rows(t.tree, b, {nv(t)}, [&](std::size_t i, TreeData<double>& data, double* out) {
    update(t.tree, b.row(0, i), data);
    const auto argument = [&](std::size_t slot) { return at[slot] ? b.row(at[slot], i) : nullptr; };
    if (at[2]) put_wrenches(t.tree, data, b.row(at[2], i), wrench);
    f(data, argument(0), argument(1), g, at[2] ? wrench.data() : nullptr, out);
  });
}

Numbers inverse_dynamics_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v,
                            const ArrayLike& a, const ArrayLike& gravity,
                            const ArrayLike& wrenches) {
  return dynamics_of(t, q, v, a, "a", gravity, wrenches,
                     [&](TreeData<double>& data, const double* rates, const double* acceleration,
                         const Vec3d& g, const SpatialForce<double>* w,
                         double* tau) { rnea(t.tree, data, rates, acceleration, g, w, tau); });
}

Numbers forward_dynamics_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v,
                            const ArrayLike& tau, const ArrayLike& gravity,
                            const ArrayLike& wrenches) {
  return dynamics_of(
      t, q, v, tau, "tau", gravity, wrenches,
      [&](TreeData<double>& data, const double* rates, const double* torque, const Vec3d& g,
          const SpatialForce<double>* w, double* a) { aba(t.tree, data, rates, torque, g, w, a); });
}

Numbers centre_of_mass_of(const PyTree& t, const ArrayLike& q) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.finish();
  return for_rows(t.tree, b, {3}, [&](std::size_t i, TreeData<double>& data, double* out) {
    update(t.tree, b.row(0, i), data);
    const Vec3d c = centre_of_mass(t.tree, data);
    std::copy(c.a, c.a + 3, out);
  });
}

Numbers centre_of_mass_jacobian_of(const PyTree& t, const ArrayLike& q) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.finish();
  return for_rows(t.tree, b, {3, nv(t)}, [&](std::size_t i, TreeData<double>& data, double* out) {
    update(t.tree, b.row(0, i), data);
    centre_of_mass_jacobian(t.tree, data, out);
  });
}

Numbers momentum_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.add(v, {nv(t)}, "v");
  b.finish();
  return for_rows(t.tree, b, {6}, [&](std::size_t i, TreeData<double>& data, double* out) {
    update(t.tree, b.row(0, i), data);
    update_velocities(t.tree, b.row(1, i), data);
    const SpatialForce<double> h = momentum_about(t.tree, data, centre_of_mass(t.tree, data));
    std::copy(h.moment.a, h.moment.a + 3, out);
    std::copy(h.force.a, h.force.a + 3, out + 3);
  });
}

Numbers energy_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v,
                  const ArrayLike& gravity) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.add(v, {nv(t)}, "v");
  b.finish();
  const Vec3d g = to_vec3(gravity, "gravity");
  return for_rows(t.tree, b, {2}, [&](std::size_t i, TreeData<double>& data, double* out) {
    update(t.tree, b.row(0, i), data);
    update_velocities(t.tree, b.row(1, i), data);
    out[0] = kinetic_energy(t.tree, data, b.row(1, i));
    out[1] = potential_energy(t.tree, data, g);
  });
}

Numbers integrate_of(const PyTree& t, const ArrayLike& q, const ArrayLike& v, double h) {
  ArrayBatch b;
  b.add(q, {nq(t)}, "q");
  b.add(v, {nv(t)}, "v");
  b.finish();
  return for_rows(t.tree, b, {nq(t)}, [&](std::size_t i, TreeData<double>&, double* out) {
    integrate(t.tree, b.row(0, i), b.row(1, i), h, out);
  });
}

Numbers difference_of(const PyTree& t, const ArrayLike& from, const ArrayLike& to) {
  ArrayBatch b;
  b.add(from, {nq(t)}, "q0");
  b.add(to, {nq(t)}, "q1");
  b.finish();
  return for_rows(t.tree, b, {nv(t)}, [&](std::size_t i, TreeData<double>&, double* out) {
    difference(t.tree, b.row(0, i), b.row(1, i), out);
  });
}

IkResult inverse_kinematics_of(const PyTree& t, const nb::object& targets, const ArrayLike& start,
                               double position_tolerance, double orientation_tolerance,
                               int iterations, int starts) {
  std::vector<IkTarget> wanted;
  if (nb::isinstance<IkTarget>(targets))
    wanted.push_back(nb::cast<const IkTarget&>(targets));
  else
    wanted = copies<IkTarget>(targets, "targets", "IkTarget");
  const std::vector<double> from = start.is_none() ? t.tree.start : to_numbers(start, "start");
  nb::gil_scoped_release release;
  return InverseKinematics(t.tree).solve(
      wanted, from, {position_tolerance, orientation_tolerance, iterations, starts});
}

void bind_ik(nb::module_& m) {
  nb::class_<IkTarget>(m, "IkTarget", "Where a frame of a link should be.")
      .def(
          "__init__",
          [](IkTarget* self, int link, const nb::object& goal, const nb::object& frame,
             double position, double orientation) {
            new (self) IkTarget{link, to_pose_row(frame, "frame"), to_pose_row(goal, "goal"),
                                position, orientation};
          },
          nb::arg("link"), nb::arg("goal"), nb::kw_only(), nb::arg("frame") = nb::none(),
          nb::arg("position") = 1.0, nb::arg("orientation") = 1.0,
          "link: number, from tree.link(name). goal: x y z [m], w x y z in the world, (7,). frame: "
          "in the link's frame, its own unless given. position, orientation: weights [1/m], "
          "[1/rad]; 0: any will do.")
      .def_rw("link", &IkTarget::link)
      .def_rw("position", &IkTarget::position, "Weight of the position [1/m].")
      .def_rw("orientation", &IkTarget::orientation, "Weight of the orientation [1/rad].");
  nb::class_<IkResult>(m, "IkResult", "What inverse kinematics found.")
      .def_ro("reached", &IkResult::reached, "Whether every target is met within the tolerances.")
      .def_prop_ro(
          "q", [](const IkResult& r) { return own_row(std::vector<double>(r.q)); },
          "Best coordinates found, (nq,).", kArray)
      .def_prop_ro(
          "position_error",
          [](const IkResult& r) { return own_row(std::vector<double>(r.position_error)); },
          "Of each target, unweighted [m].", kArray)
      .def_prop_ro(
          "orientation_error",
          [](const IkResult& r) { return own_row(std::vector<double>(r.orientation_error)); },
          "Of each target, unweighted [rad].", kArray)
      .def_ro("iterations", &IkResult::iterations, "Of all starts.")
      .def_ro("starts", &IkResult::starts, "That were needed.");
}

nb::object slice_of(int first, int count) {
  return nb::module_::import_("builtins").attr("slice")(first, first + count);
}

}  // namespace

void bind_tree(nb::module_& m) {
  bind_ik(m);
  const auto gravity = nb::arg("gravity") = nb::make_tuple(0.0, 0.0, -9.81);
  const auto wrenches = nb::arg("wrenches") = nb::none();
  nb::class_<PyTree>(
      m, "Tree",
      "Kinematics and dynamics of a robot as functions of coordinates q (nq) and velocities v "
      "(nv), "
      "over any leading axes. World axes; quaternions w x y z. A free joint has the velocity of "
      "the "
      "link's origin, then the angular velocity, in the joint's axes; motions and wrenches of "
      "links "
      "have their angular part first. Joints that follow others, closures and limits are not part "
      "of it.")
      .def(
          "__init__",
          [](PyTree* self, const Robot& robot, const nb::object& base) {
            PyTree t{compile_tree(robot, {to_pose_row(base, "base"), {}}), {}};
            for (const RobotJoint& j : robot.joints) t.joints.push_back(j.name);
            new (self) PyTree(std::move(t));
          },
          nb::arg("robot"), nb::kw_only(), nb::arg("base") = nb::none(),
          "Copies what it needs of the robot. base: pose of the robot's frame in the world, x y z "
          "[m], w x y z.")
      .def_prop_ro("name", [](const PyTree& t) { return t.tree.name; })
      .def_prop_ro("nq", &nq, "Number of coordinates.")
      .def_prop_ro("nv", &nv, "Number of velocities.")
      .def_prop_ro(
          "link_names", [](const PyTree& t) { return t.tree.link_names; }, "As in the robot.")
      .def_prop_ro(
          "start", [](const PyTree& t) { return own_row(std::vector<double>(t.tree.start)); },
          "Coordinates at the start of a run, (nq,).", kArray)
      .def_prop_ro(
          "lower", [](const PyTree& t) { return own_row(std::vector<double>(t.tree.lower)); },
          "Per coordinate, -inf without a limit, (nq,) [rad] or [m].", kArray)
      .def_prop_ro(
          "upper", [](const PyTree& t) { return own_row(std::vector<double>(t.tree.upper)); },
          "Per coordinate, inf without a limit, (nq,) [rad] or [m].", kArray)
      .def_prop_ro(
          "armature", [](const PyTree& t) { return own_row(std::vector<double>(t.tree.armature)); },
          "Per velocity, (nv,) [kg m2] or [kg].", kArray)
      .def(
          "link", [](const PyTree& t, const std::string& name) { return t.tree.link(name); },
          nb::arg("name"), "Number of the link of this name.")
      .def(
          "q_of",
          [](const PyTree& t, const std::string& joint) {
            const TreeBody& b = t.moving(joint);
            return slice_of(b.first_q, q_size(b.kind));
          },
          nb::arg("joint"), nb::sig("def q_of(self, joint: str) -> slice"),
          "Where the coordinates of a joint are in q.")
      .def(
          "v_of",
          [](const PyTree& t, const std::string& joint) {
            const TreeBody& b = t.moving(joint);
            return slice_of(b.first_v, b.v_count);
          },
          nb::arg("joint"), nb::sig("def v_of(self, joint: str) -> slice"),
          "Where the velocities of a joint are in v.")
      .def("forward_kinematics", &forward_kinematics_of, nb::arg("q"),
           "Poses of the links, (..., links, 7): x y z [m], w x y z.")
      .def("link_velocities", &link_velocities_of, nb::arg("q"), nb::arg("v"),
           "Of the links, (..., links, 6): angular velocity [rad/s], velocity of the origin [m/s].")
      .def(
          "jacobian", &jacobian_of, nb::arg("q"), nb::arg("link"), nb::arg("point") = nb::none(),
          "Motion of a frame of a link per velocity, (..., 6, nv): three rows of angular velocity, "
          "then three of the velocity of `point` (in the link's frame [m]; its origin unless "
          "given). link: name or number.")
      .def("mass_matrix", &mass_matrix_of, nb::arg("q"),
           "M, armature included, (..., nv, nv) [kg m2, kg m, kg].")
      .def("inverse_dynamics", &inverse_dynamics_of, nb::arg("q"), nb::arg("v") = nb::none(),
           nb::arg("a") = nb::none(), gravity, wrenches,
           "Joint forces that give accelerations a at velocities v, (..., nv) [N m] or [N]; None: "
           "zero. wrenches: on each link from outside, (..., links, 6): moment about its origin "
           "[N m], force [N].")
      .def(
          "bias",
          [](const PyTree& t, const ArrayLike& q, const ArrayLike& v, const ArrayLike& g) {
            const auto none = nb::borrow<ArrayLike>(nb::none());
            return inverse_dynamics_of(t, q, v, none, g, none);
          },
          nb::arg("q"), nb::arg("v"), gravity,
          "c(q, v) of M a + c = tau: velocity products and gravity, (..., nv) [N m] or [N].")
      .def(
          "gravity_compensation",
          [](const PyTree& t, const ArrayLike& q, const ArrayLike& g) {
            const auto none = nb::borrow<ArrayLike>(nb::none());
            return inverse_dynamics_of(t, q, none, none, g, none);
          },
          nb::arg("q"), gravity, "Joint forces that hold it at rest, (..., nv) [N m] or [N].")
      .def("forward_dynamics", &forward_dynamics_of, nb::arg("q"), nb::arg("v") = nb::none(),
           nb::arg("tau") = nb::none(), gravity, wrenches,
           "Accelerations under joint forces tau [N m] or [N], (..., nv) [rad/s2] or [m/s2]; "
           "arguments as for inverse_dynamics.")
      .def("centre_of_mass", &centre_of_mass_of, nb::arg("q"), "Of all that moves, (..., 3) [m].")
      .def("centre_of_mass_jacobian", &centre_of_mass_jacobian_of, nb::arg("q"),
           "Its velocity per velocity, (..., 3, nv).")
      .def("momentum", &momentum_of, nb::arg("q"), nb::arg("v"),
           "(..., 6): angular about the centre of mass [kg m2/s], linear [kg m/s].")
      .def("energy", &energy_of, nb::arg("q"), nb::arg("v"), gravity,
           "(..., 2): kinetic, potential [J]; the latter 0 with every centre of mass at the "
           "world's origin.")
      .def("integrate", &integrate_of, nb::arg("q"), nb::arg("v"), nb::arg("h") = 1.0,
           "Coordinates after velocities v have lasted for h [s], (..., nq).")
      .def("difference", &difference_of, nb::arg("q0"), nb::arg("q1"),
           "Velocities that lead from q0 to q1 in 1 s, (..., nv).")
      .def("inverse_kinematics", &inverse_kinematics_of, nb::arg("targets"),
           nb::arg("start") = nb::none(), nb::kw_only(), nb::arg("position_tolerance") = 1e-9,
           nb::arg("orientation_tolerance") = 1e-9, nb::arg("iterations") = 200,
           nb::arg("starts") = 50,
           "Coordinates within the limits that meet the targets (IkTarget), near start if there "
           "are any; out of reach: the best found, with reached False.")
      .def("__repr__", [](const PyTree& t) {
        return "haptos.Tree(" + t.tree.name + ", nq " + std::to_string(t.tree.q_count) + ", nv " +
               std::to_string(t.tree.v_count) + ")";
      });
}

}  // namespace haptos::python
