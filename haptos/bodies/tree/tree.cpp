#include "haptos/bodies/tree/tree.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/base/text/error.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/stiff/rigid_body.h"
#include "haptos/bodies/tree/tree_dynamics.h"

namespace haptos {
namespace {

using internal::format_number;

template <class List>
std::string element_of(const Robot& robot, const char* list, const List& items, std::size_t i) {
  return robot.name + "." + list + "[" + std::to_string(i) + "] '" + items[i].name + "'";
}
std::string joint_element(const Robot& robot, std::size_t j) {
  return element_of(robot, "joints", robot.joints, j);
}

bool below(const double* v, int n, double bound) {
  return std::all_of(v, v + n, [&](double x) { return std::abs(x) < bound; });
}

double squared_norm(const Quat& q) { return q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z; }

// a b for two rigid poses.
void check_pose(const std::string& element, const Pose& x) {
  if (!(std::abs(squared_norm(x.q) - 1) < 1e-6))
    refuse(element, format_number(squared_norm(x.q)),
           "must have a quaternion w x y z whose squared norm is 1", "normalise it");
  if (!below(x.p.a, 3, 1e5))
    refuse(element, "", "must have a position of finite numbers below 1e5", "give it in m");
}

void check_link(const std::string& element, const RobotLink& link) {
  if (!(link.mass >= 0 && link.mass < 1e12))
    refuse(element + ".mass", format_number(link.mass), "must be 0 or more and finite",
           "give the mass in kg");
  if (!below(link.centre.a, 3, 1e5))
    refuse(element + ".centre", "", "must be finite numbers below 1e5", "give it in m");
  const char* remedy = "give the inertia about the centre of mass in kg m2";
  if (!below(link.inertia.a, 9, 1e15))
    refuse(element + ".inertia", "", "must have finite entries", remedy);
  double largest = 0, skewness = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      largest = std::max(largest, std::abs(link.inertia(i, j)));
      skewness = std::max(skewness, std::abs(link.inertia(i, j) - link.inertia(j, i)));
    }
  if (skewness > 1e-9 * largest) refuse(element + ".inertia", "", "must be symmetric", remedy);
  const Vec3d m = principal_moments(link.inertia);
  if (m[0] < -1e-9 * largest)
    refuse(element + ".inertia",
           "principal moments " + format_number(m[0]) + ", " + format_number(m[1]) + ", " +
               format_number(m[2]) + " kg m2",
           "must not have a negative principal moment", remedy);
}

void check_joint(const Robot& robot, std::size_t j) {
  const RobotJoint& s = robot.joints[j];
  const std::string element = joint_element(robot, j);
  check_pose(element + ".frame", s.frame);
  const bool has_axis = s.kind == JointKind::kRevolute || s.kind == JointKind::kPrismatic ||
                        s.kind == JointKind::kPlanar;
  if (has_axis && !(std::abs(norm(s.axis) - 1) < 1e-6))
    refuse(element + ".axis", format_number(norm(s.axis)), "must have length 1",
           "normalise the axis");
  if (!(s.armature >= 0 && std::isfinite(s.armature)))
    refuse(element + ".armature", format_number(s.armature), "must be 0 or more",
           "give the rotor inertia times the gear ratio squared in kg m2");
  if (std::isnan(s.lower) || std::isnan(s.upper) || s.lower > s.upper)
    refuse(element + ".lower", format_number(s.lower), "must not be above the upper limit",
           "swap the limits, or leave them out");
  const int n = q_size(s.kind);
  if (s.position.empty()) return;
  if (static_cast<int>(s.position.size()) != n)
    refuse(element + ".position", std::to_string(s.position.size()) + " numbers",
           "must have one number for each coordinate of the joint",
           ("give " + std::to_string(n)).c_str());
  if (!below(s.position.data(), n, 1e5))
    refuse(element + ".position", "", "must be finite numbers below 1e5",
           "give angles in rad and distances in m");
  if (s.kind == JointKind::kBall || s.kind == JointKind::kFree) {
    const double* q = s.position.data() + n - 4;
    const double size = squared_norm({q[0], q[1], q[2], q[3]});
    if (!(std::abs(size - 1) < 1e-6))
      refuse(element + ".position", format_number(size),
             "must have a quaternion w x y z whose squared norm is 1", "normalise it");
  }
}

// Each link the child of exactly one joint, and its parent reached before it.
void check_graph(const Robot& robot) {
  const int links = static_cast<int>(robot.links.size());
  std::vector<int> carrier(robot.links.size(), -1);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const RobotJoint& s = robot.joints[j];
    const std::string element = joint_element(robot, j);
    if (s.child < 0 || s.child >= links)
      refuse(element + ".child", std::to_string(s.child), "must be a link of the robot",
             "give the number of a link");
    if (carrier[at_index(s.child)] >= 0)
      refuse(element + ".child", robot.links[at_index(s.child)].name,
             "must be the child of one joint only",
             "close loops with a closure instead of a second joint");
    if (s.parent < -1 || s.parent >= links || (s.parent >= 0 && carrier[at_index(s.parent)] < 0))
      refuse(element + ".parent", std::to_string(s.parent),
             "must be -1 or a link that an earlier joint carries",
             "list parents before their children; -1 is the world");
    carrier[at_index(s.child)] = static_cast<int>(j);
  }
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    if (carrier[i] < 0)
      refuse(element_of(robot, "links", robot.links, i), "", "must be the child of a joint",
             "give the root link a fixed or a free joint to the world");
}

// x and y as the shortest turn from z to the axis carries them.
Mat3d planar_directions(const Vec3d& a) {
  const Vec3d v{{-a[1], a[0], 0}};  // z x a
  if (a[2] < -1 + 1e-12) return columns<double>({{1, 0, 0}}, {{0, -1, 0}}, a);
  const Mat3d k = skew<double>(v);
  const Mat3d r = Mat3d::identity() + k + (1 / (1 + a[2])) * (k * k);
  return columns<double>(column(r, 0), column(r, 1), a);
}

void set_motion(const RobotJoint& s, const Pose& frame, TreeBody& b) {
  const Mat3d f = to_matrix(frame.q);
  b.position = frame.p;
  b.steady = f;
  b.cosine = b.sine = Mat3d::zero();
  b.directions = f;
  if (s.kind == JointKind::kFixed || s.kind == JointKind::kBall || s.kind == JointKind::kFree)
    return;
  const Vec3d a = normalized(s.axis);
  b.directions = s.kind == JointKind::kPlanar ? f * planar_directions(a) : columns(f * a, a, a);
  if (s.kind == JointKind::kPrismatic) return;
  const Mat3d along = outer(a, a);
  b.steady = f * along;
  b.cosine = f * (Mat3d::identity() - along);
  b.sine = f * skew<double>(a);
}

// Mass properties of a body while links are merged into it.
struct MassSum {
  double mass = 0;
  Vec3d centre{{0, 0, 0}};
  Mat3d inertia = Mat3d::zero();  // about the centre of mass
};

void add(const RobotLink& link, const Pose& in_body, MassSum& sum) {
  const Mat3d r = to_matrix(in_body.q);
  sum.inertia += r * link.inertia * transpose(r);
  if (link.mass == 0) return;
  // The masses turn about their common centre with the reduced mass at their distance.
  const double mass = sum.mass + link.mass, share = link.mass / mass;
  const Vec3d d = in_body * link.centre - sum.centre;
  sum.inertia += (sum.mass * share) * (haptos::squared_norm(d) * Mat3d::identity() - outer(d, d));
  sum.centre += share * d;
  sum.mass = mass;
}

void set_mass(const MassSum& sum, TreeBody& b) {
  const Mat3d& i = sum.inertia;
  b.mass = sum.mass;
  b.centre = sum.centre;
  b.inertia = {i(0, 0), 0.5 * (i(0, 1) + i(1, 0)), 0.5 * (i(0, 2) + i(2, 0)),
               i(1, 1), 0.5 * (i(1, 2) + i(2, 1)), i(2, 2)};
}

// Every unknown must move inertia, and keep feeling it while all unknowns further out yield; both
// at coordinates of no symmetry, since a gimbal may lock at a few.
void check_inertia(const Robot& robot, const Tree& tree) {
  std::vector<double> v(at_index(tree.v_count)), q(tree.start.size()), m(v.size() * v.size());
  for (std::size_t k = 0; k < v.size(); ++k)
    v[k] = 0.4 + 0.5 * std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
  TreeData<double> data(tree);
  integrate(tree, tree.start.data(), v.data(), 1.0, q.data());
  update(tree, q.data(), data);
  crba(tree, data, m.data());
  std::vector<double> a(v.size());
  aba<double>(tree, data, nullptr, nullptr, Vec3d::zero(), nullptr, a.data());
  const auto element = [&](std::size_t k) {
    return joint_element(robot, at_index(tree.bodies[at_index(tree.body_of[k])].joint));
  };
  const auto composite = [&](std::size_t k) { return m[k * v.size() + k]; };
  for (std::size_t k = 0; k < v.size(); ++k)
    if (!(composite(k) > 0))
      refuse(element(k), "", "must move some mass or inertia",
             "give its link, or one that it carries, a mass and an inertia, or the joint an "
             "armature");
  for (std::size_t k = v.size(); k-- > 0;)
    if (!(1 / data.inverse_inertia[k] > 1e-12 * composite(k)))
      refuse(element(k), "", "must feel some inertia while the joints further out are free",
             "give the links between joints that allow the same motion a mass and an inertia, or "
             "the joint an armature");
}

}  // namespace

int Tree::link(const std::string& wanted) const {
  const auto found = std::find(link_names.begin(), link_names.end(), wanted);
  if (found == link_names.end())
    throw InputError({"", 0, 0, name + ".links", wanted, "must be the name of a link",
                      "look for it among the links of the robot"});
  return static_cast<int>(found - link_names.begin());
}

Tree compile_tree(const Robot& robot, const TreeOptions& options) {
  check_pose(robot.name + ".base", options.base);
  for (std::size_t i = 0; i < robot.links.size(); ++i)
    check_link(element_of(robot, "links", robot.links, i), robot.links[i]);
  for (std::size_t j = 0; j < robot.joints.size(); ++j) check_joint(robot, j);
  check_graph(robot);

  Tree tree;
  tree.name = robot.name;
  tree.links.resize(robot.links.size());
  for (const RobotLink& l : robot.links) tree.link_names.push_back(l.name);
  std::vector<MassSum> sums;
  for (std::size_t j = 0; j < robot.joints.size(); ++j) {
    const RobotJoint& s = robot.joints[j];
    const TreeLink carrier =
        s.parent < 0 ? TreeLink{-1, options.base} : tree.links[at_index(s.parent)];
    const Pose frame = compose(carrier.pose, s.frame);
    const RobotLink& link = robot.links[at_index(s.child)];
    const bool kept =
        std::count(options.keep_fixed.begin(), options.keep_fixed.end(), static_cast<int>(j)) > 0;
    if (s.kind == JointKind::kFixed && !kept) {
      tree.links[at_index(s.child)] = {carrier.body, frame};
      tree.joint_body.push_back(-1);
      if (carrier.body >= 0) add(link, frame, sums[at_index(carrier.body)]);
      continue;
    }
    const int body = static_cast<int>(tree.bodies.size());
    tree.links[at_index(s.child)] = {body, Pose{}};
    tree.joint_body.push_back(body);
    sums.emplace_back();
    add(link, Pose{}, sums.back());

    TreeBody b;
    b.name = link.name;
    b.joint = static_cast<int>(j);
    b.kind = s.kind;
    b.parent = carrier.body;
    b.first_q = tree.q_count;
    b.first_v = tree.v_count;
    b.v_count = v_size(s.kind);
    if (b.parent >= 0) {
      const TreeBody& p = tree.bodies[at_index(b.parent)];
      b.parent_v = p.v_count > 0 ? p.first_v + p.v_count - 1 : p.parent_v;
    }
    set_motion(s, frame, b);
    for (int k = 0; k < b.v_count; ++k) {
      tree.body_of.push_back(body);
      tree.slides.push_back(k < slide_count(s.kind));
      tree.parent_of.push_back(k == 0 ? b.parent_v : b.first_v + k - 1);
      tree.armature.push_back(s.armature);
    }
    const int n = q_size(s.kind);
    for (int k = 0; k < n; ++k) {
      const bool quaternion =
          (s.kind == JointKind::kBall || s.kind == JointKind::kFree) && k == n - 4;
      tree.start.push_back(!s.position.empty() ? s.position[at_index(k)] : quaternion ? 1.0 : 0.0);
      tree.lower.push_back(n == 1 ? s.lower : -RobotJoint::kNone);
      tree.upper.push_back(n == 1 ? s.upper : RobotJoint::kNone);
    }
    tree.q_count += n;
    tree.v_count += b.v_count;
    tree.bodies.push_back(b);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) set_mass(sums[i], tree.bodies[i]);
  check_inertia(robot, tree);
  return tree;
}

}  // namespace haptos
