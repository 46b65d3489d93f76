// The parts of a robot: links, joints, motors, loop closures; made and edited.
#include "robot_bind.h"

namespace haptos::python {
namespace {

constexpr double kNone = RobotJoint::kNone;

Mat3d to_inertia(const ArrayLike& v) {
  const std::vector<Vec3d> rows = to_points(v, "inertia");
  if (rows.size() != 3)
    refuse("inertia", std::to_string(rows.size()) + " rows", "must have three rows", "");
  Mat3d out;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) out(i, j) = rows[static_cast<std::size_t>(i)][j];
  return out;
}

void bind_link(nb::module_& m) {
  using L = RobotLink;
  nb::class_<L> c(m, "RobotLink", "A rigid part of a robot.");
  c.def(
       "__init__",
       [](L* self, std::string name, double mass, const ArrayLike& centre, const ArrayLike& inertia,
          const nb::object& collisions, const nb::object& visuals) {
         L l;
         l.name = std::move(name);
         l.mass = mass;
         if (!centre.is_none()) l.centre = to_vec3(centre, "centre");
         if (!inertia.is_none()) l.inertia = to_inertia(inertia);
         l.collisions = copies<RobotShape>(collisions, "collisions", "RobotShape");
         l.visuals = copies<RobotShape>(visuals, "visuals", "RobotShape");
         new (self) L(std::move(l));
       },
       nb::arg("name"), nb::arg("mass") = 0.0, nb::arg("centre") = nb::none(),
       nb::arg("inertia") = nb::none(), nb::kw_only(), nb::arg("collisions") = nb::none(),
       nb::arg("visuals") = nb::none(),
       "mass [kg]; centre of mass in the link's frame [m], (3,); inertia: tensor about the centre "
       "of mass, link axes [kg m2], (3, 3); collisions, visuals: RobotShape, copied.")
      .def_rw("name", &L::name)
      .def_rw("mass", &L::mass, "[kg]; 0: a frame without mass.")
      .def_prop_rw(
          "centre", [](const L& l) { return row3(l.centre); },
          [](L& l, const ArrayLike& v) { l.centre = to_vec3(v, "centre"); },
          "Centre of mass in the link's frame [m], (3,).", kArray)
      .def_prop_rw(
          "inertia",
          [](const L& l) {
            return own<OutArray<double, 3, 3>>(std::vector<double>(l.inertia.a, l.inertia.a + 9),
                                               {3, 3});
          },
          [](L& l, const ArrayLike& v) { l.inertia = to_inertia(v); },
          "Tensor about the centre of mass, link axes [kg m2], (3, 3).", kArray);
  def_keep(c);
  def_elements(c, "visuals", &L::visuals, "RobotShape",
               "Tuple of RobotShape, what is seen; may be exchanged for others, which are copied.");
  def_elements(c, "collisions", &L::collisions, "RobotShape",
               "Tuple of RobotShape, what touches; may be exchanged for others, which are copied.");
  c.def(
       "copy", [](const L& l) { return l; }, "The same, with meshes shared.")
      .def("__repr__", [](const L& l) {
        return "haptos.RobotLink(" + l.name + ", " + std::to_string(l.mass) + " kg)";
      });
}

void set_mimic(RobotJoint& j, const nb::object& mimic) {
  if (mimic.is_none()) {
    j.mimic.reset();
    return;
  }
  if (!nb::isinstance<nb::sequence>(mimic) || nb::len(mimic) != 3)
    refuse("mimic", text_of(mimic), "must be (joint, multiplier, offset) or None", "");
  j.mimic = Mimic{nb::cast<std::string>(mimic[0]), nb::cast<double>(mimic[1]),
                  nb::cast<double>(mimic[2])};
}

// A direction of length 1; its length does not matter.
Vec3d to_axis(const nb::object& v) {
  const Vec3d a = to_vec3(v, "axis");
  const double n = norm(a);
  if (!(n > 0) || !std::isfinite(n))
    refuse("axis", text_of(v), "must have a length above 0", "for example (0, 0, 1)");
  return a * (1 / n);
}

void set_position(RobotJoint& j, const nb::object& q) {
  if (q.is_none()) {
    j.position.clear();
    return;
  }
  const nb::module_ np = nb::module_::import_("numpy");
  j.position = to_numbers(np.attr("atleast_1d")(q), "position");
}

void bind_joint(nb::module_& m) {
  using J = RobotJoint;
  nb::class_<J>(m, "RobotJoint", "What carries a link.")
      .def(
          "__init__",
          [](J* self, std::string name, const std::string& kind, int parent, int child,
             const nb::object& frame, const ArrayLike& axis, double lower, double upper,
             double effort, double speed, double damping, double friction, double armature,
             double stiffness, double reference, const nb::object& mimic,
             const nb::object& position) {
            J j;
            j.name = std::move(name);
            j.kind = to_kind<JointKind>(kind, kJointKinds, "kind");
            j.parent = parent;
            j.child = child;
            j.frame = to_pose_row(frame, "frame");
            if (!axis.is_none()) j.axis = to_axis(axis);
            j.lower = lower;
            j.upper = upper;
            j.effort = effort;
            j.speed = speed;
            j.damping = damping;
            j.friction = friction;
            j.armature = armature;
            j.stiffness = stiffness;
            j.reference = reference;
            set_mimic(j, mimic);
            set_position(j, position);
            new (self) J(std::move(j));
          },
          nb::arg("name"), nb::arg("kind"), nb::arg("parent"), nb::arg("child"), nb::kw_only(),
          nb::arg("frame") = nb::none(), nb::arg("axis") = nb::none(), nb::arg("lower") = -kNone,
          nb::arg("upper") = kNone, nb::arg("effort") = kNone, nb::arg("speed") = kNone,
          nb::arg("damping") = 0.0, nb::arg("friction") = 0.0, nb::arg("armature") = 0.0,
          nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0, nb::arg("mimic") = nb::none(),
          nb::arg("position") = nb::none(),
          "kind: fixed, revolute, prismatic, ball, planar or free. parent, child: numbers of "
          "links, parent -1 the world. frame: of the joint in the parent's frame, x y z [m], w x y "
          "z. axis: in the joint's frame, (0, 0, 1) unless given. Others: as the properties.")
      .def_rw("name", &J::name)
      .def_prop_rw(
          "kind", [](const J& j) { return kJointKinds[static_cast<int>(j.kind)]; },
          [](J& j, const std::string& kind) {
            j.kind = to_kind<JointKind>(kind, kJointKinds, "kind");
          },
          "fixed, revolute, prismatic, ball, planar or free.")
      .def_rw("parent", &J::parent, "Number of the link; -1: the world.")
      .def_rw("child", &J::child, "Number of the link.")
      .def_prop_rw(
          "frame", [](const J& j) { return pose_row(j.frame); },
          [](J& j, const nb::object& row) { j.frame = to_pose_row(row, "frame"); },
          "x y z [m], w x y z in the parent's frame, (7,).", kArray)
      .def_prop_rw(
          "axis", [](const J& j) { return row3(j.axis); },
          [](J& j, const ArrayLike& v) { j.axis = to_axis(v); },
          "Unit, in the joint's frame, (3,); is normalised.", kArray)
      .def_rw("lower", &J::lower, "[rad] or [m]; -inf: no bound.")
      .def_rw("upper", &J::upper,
              "[rad] or [m]; inf: no bound. Of a ball joint the largest angle of its turn.")
      .def_rw("effort", &J::effort, "Largest motor torque or force [N m] or [N].")
      .def_rw("speed", &J::speed, "Largest rate [rad/s] or [m/s]; kept as information.")
      .def_rw("damping", &J::damping, "[N m s/rad] or [N s/m]")
      .def_rw("friction", &J::friction, "Dry [N m] or [N].")
      .def_rw("armature", &J::armature, "[kg m2] or [kg]")
      .def_rw("stiffness", &J::stiffness,
              "Of a spring [N m/rad] or [N/m]; of a ball joint against its turn from no turn.")
      .def_rw("reference", &J::reference, "Where the spring is at rest [rad] or [m].")
      .def_prop_rw(
          "mimic",
          [](const J& j) -> nb::object {
            if (!j.mimic) return nb::none();
            return nb::make_tuple(j.mimic->joint, j.mimic->multiplier, j.mimic->offset);
          },
          &set_mimic, nb::for_getter(nb::sig("def mimic(self) -> tuple[str, float, float] | None")),
          nb::for_setter(
              nb::sig("def mimic(self, value: tuple[str, float, float] | None, /) -> None")),
          nb::for_setter(nb::arg("value").none()),
          "Joint that this one follows, multiplier and offset; None: it is free.")
      .def_prop_rw(
          "position", [](const J& j) { return j.position; }, &set_position,
          nb::for_setter(nb::arg("value").none()),
          "Coordinates at the start, as many as the kind has; empty: zero, no rotation.")
      .def(
          "copy", [](const J& j) { return j; }, "The same, by itself.")
      .def("__repr__", [](const J& j) {
        return "haptos.RobotJoint(" + j.name + ", " + kJointKinds[static_cast<int>(j.kind)] + ")";
      });
}

void bind_motor(nb::module_& m) {
  using M = RobotMotor;
  nb::class_<M>(m, "RobotMotor",
                "What drives a joint with one coordinate, or a tendon: u = kp (q_ref - q) + ki int "
                "(q_ref - q) "
                "dt + kd (v_ref - v) + u_ff within +-effort, in the joint's own units.")
      .def(
          "__init__",
          [](M* self, std::string joint, std::string name, double kp, double kd, double ki,
             double integral_limit, double effort) {
            new (self) M{std::move(name), std::move(joint), kp, kd, ki, integral_limit, effort};
          },
          nb::arg("joint"), nb::kw_only(), nb::arg("name") = "", nb::arg("kp") = 0.0,
          nb::arg("kd") = 0.0, nb::arg("ki") = 0.0, nb::arg("integral_limit") = kNone,
          nb::arg("effort") = kNone,
          "joint: its name, or that of a tendon. Others: as the properties.")
      .def_rw("name", &M::name, "Empty: the joint's.")
      .def_rw("joint", &M::joint, "Name; of a joint or a tendon.")
      .def_rw("kp", &M::kp, "[N m/rad] or [N/m]")
      .def_rw("kd", &M::kd, "[N m s/rad] or [N s/m]")
      .def_rw("ki", &M::ki, "[N m/(rad s)] or [N/(m s)]")
      .def_rw("integral_limit", &M::integral_limit, "Of the integral's share [N m] or [N].")
      .def_rw("effort", &M::effort, "Bound of u [N m] or [N].")
      .def(
          "copy", [](const M& s) { return s; }, "The same, by itself.")
      .def("__repr__", [](const M& s) { return "haptos.RobotMotor(" + s.label() + ")"; });
}

std::vector<TendonPart> to_parts(const nb::dict& joints) {
  std::vector<TendonPart> parts;
  for (const auto& [joint, weight] : joints) {
    if (!nb::isinstance<nb::str>(joint))
      refuse("joints", nb::cast<std::string>(nb::str(joint)), "must be names of joints",
             "give a mapping such as {\"left\": 0.5, \"right\": 0.5}");
    double value = 0;
    if (!nb::try_cast(weight, value))
      refuse("joints", nb::cast<std::string>(nb::str(weight)), "must have numbers as weights",
             "give a mapping such as {\"left\": 0.5, \"right\": 0.5}");
    parts.push_back({nb::cast<std::string>(joint), value});
  }
  return parts;
}

void bind_tendon(nb::module_& m) {
  using T = RobotTendon;
  nb::class_<T>(m, "RobotTendon",
                "A sum of joint coordinates, s = sum of weight q, that a motor may drive and laws "
                "may act on; a force along it pushes each joint with its weight. Units are those "
                "of a slide.")
      .def(
          "__init__",
          [](T* self, std::string name, const nb::dict& joints, double lower, double upper,
             double stiffness, double reference, double damping, double friction) {
            new (self) T{std::move(name), to_parts(joints), lower,   upper,
                         stiffness,       reference,        damping, friction};
          },
          nb::arg("name"), nb::arg("joints"), nb::kw_only(), nb::arg("lower") = -kNone,
          nb::arg("upper") = kNone, nb::arg("stiffness") = 0.0, nb::arg("reference") = 0.0,
          nb::arg("damping") = 0.0, nb::arg("friction") = 0.0,
          "joints: mapping from names to weights. Others: as the properties.")
      .def_rw("name", &T::name, "What motors name it by.")
      .def_prop_rw(
          "joints",
          [](const T& t) {
            nb::dict out;
            for (const TendonPart& p : t.joints) out[p.joint.c_str()] = p.weight;
            return out;
          },
          [](T& t, const nb::dict& joints) { t.joints = to_parts(joints); },
          nb::for_getter(nb::sig("def joints(self) -> dict[str, float]")),
          nb::for_setter(nb::sig("def joints(self, value: dict[str, float], /) -> None")),
          "Weights by the names of joints with one coordinate.")
      .def_rw("lower", &T::lower, "Of s [m]; -inf: no bound.")
      .def_rw("upper", &T::upper, "Of s [m]; inf: no bound.")
      .def_rw("stiffness", &T::stiffness, "Of a spring [N/m].")
      .def_rw("reference", &T::reference, "Where the spring is at rest [m].")
      .def_rw("damping", &T::damping, "[N s/m]")
      .def_rw("friction", &T::friction, "Dry [N].")
      .def(
          "copy", [](const T& t) { return t; }, "The same, by itself.")
      .def("__repr__", [](const T& t) { return "haptos.RobotTendon(" + t.name + ")"; });
}

void set_polynomial(LoopClosure& c, const nb::object& p) {
  const std::vector<double> v = to_numbers(p, "polynomial");
  if (v.size() > 5)
    refuse("polynomial", std::to_string(v.size()) + " numbers", "must be five numbers or fewer",
           "");
  for (std::size_t i = 0; i < 5; ++i) c.polynomial[i] = i < v.size() ? v[i] : 0;
}

void bind_closure(nb::module_& m) {
  using C = LoopClosure;
  nb::class_<C>(m, "LoopClosure",
                "What closes a kinematic loop between two links, or couples two joints.")
      .def(
          "__init__",
          [](C* self, const std::string& kind, int a, int b, std::string name,
             const nb::object& frame_a, const nb::object& frame_b, double distance,
             const nb::object& polynomial) {
            C c;
            c.kind = to_kind<ClosureKind>(kind, kClosureKinds, "kind");
            c.a = a;
            c.b = b;
            c.name = std::move(name);
            c.frame_a = to_pose_row(frame_a, "frame_a");
            c.frame_b = to_pose_row(frame_b, "frame_b");
            c.distance = distance;
            if (!polynomial.is_none()) set_polynomial(c, polynomial);
            new (self) C(std::move(c));
          },
          nb::arg("kind"), nb::arg("a"), nb::arg("b"), nb::kw_only(), nb::arg("name") = "",
          nb::arg("frame_a") = nb::none(), nb::arg("frame_b") = nb::none(),
          nb::arg("distance") = 0.0, nb::arg("polynomial") = nb::none(),
          "kind: weld, ball, distance or coupler. a, b: numbers of links, -1 the world; of a "
          "coupler, of joints. Others: as the properties.")
      .def_rw("name", &C::name)
      .def_prop_rw(
          "kind", [](const C& c) { return kClosureKinds[static_cast<int>(c.kind)]; },
          [](C& c, const std::string& kind) {
            c.kind = to_kind<ClosureKind>(kind, kClosureKinds, "kind");
          },
          "weld, ball, distance or coupler.")
      .def_rw("a", &C::a, "Number of a link, -1 the world; of a coupler: of a joint.")
      .def_rw("b", &C::b, "As a; of a coupler -1 where q_a is held at the constant.")
      .def_prop_rw(
          "frame_a", [](const C& c) { return pose_row(c.frame_a); },
          [](C& c, const nb::object& row) { c.frame_a = to_pose_row(row, "frame_a"); },
          "In link a: meets frame_b for a weld, their origins for a ball; x y z [m], w x y z, "
          "(7,).",
          kArray)
      .def_prop_rw(
          "frame_b", [](const C& c) { return pose_row(c.frame_b); },
          [](C& c, const nb::object& row) { c.frame_b = to_pose_row(row, "frame_b"); },
          "In link b, as frame_a, (7,).", kArray)
      .def_rw("distance", &C::distance, "Between the origins of the frames [m].")
      .def_prop_rw(
          "polynomial",
          [](const C& c) {
            return own<OutArray<double, 5>>(std::vector<double>(c.polynomial, c.polynomial + 5),
                                            {5});
          },
          &set_polynomial, "Of a coupler: q_a = sum of c_k q_b^k, (5,).", kArray)
      .def(
          "copy", [](const C& c) { return c; }, "The same, by itself.")
      .def("__repr__", [](const C& c) {
        return "haptos.LoopClosure(" + std::string(kClosureKinds[static_cast<int>(c.kind)]) +
               (c.name.empty() ? "" : ", " + c.name) + ")";
      });
}

}  // namespace

void bind_robot_parts(nb::module_& m) {
  bind_link(m);
  bind_joint(m);
  bind_motor(m);
  bind_tendon(m);
  bind_closure(m);
}

}  // namespace haptos::python
