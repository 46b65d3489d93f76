#include "haptos/sim/taxels/taxels.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/model/model.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos {
namespace {

constexpr int kBrackets = 12, kHalvings = 50;
// Taxels that are nearer to a contact than this part of the patch's width weigh alike.
constexpr double kNear = 0.05;
// Of a place that is moved to the surface.
constexpr int kMoves = 4;
// How much nearer another part of the own surface may be than the way in says: of that way, and of
// a sample's cell.
constexpr double kNearer = 0.05;
// How far aside normals are looked at for the curvature: cells of samples, a part of the size.
constexpr double kCells = 1.5, kStep = 1e-4;

Shape half_space() {
  Shape plane;
  plane.kind = ShapeKind::kHalfSpace;
  return plane;
}

bool rigid(const PressureLaw& law) { return !(law.modulus() > 0) || std::isinf(law.modulus()); }

// H and K of a level of a field at x, with the unit normal n there, from normals a step aside.
std::array<double, 2> curvature_at(const DistanceField& field, const Vec3d& x, const Vec3d& n) {
  const double step = field.cell() > 0 ? kCells * field.cell() : kStep * norm(field.box().extent());
  const Vec3d a = normalized(cross(n, vabs(n[0]) < 0.9 ? Vec3d{{1, 0, 0}} : Vec3d{{0, 1, 0}}));
  const Vec3d way[2] = {a, cross(n, a)};
  double bends[2][2];
  for (int i = 0; i < 2; ++i) {
    const Vec3d turns = normalized(field.at(x + step * way[i]).gradient) -
                        normalized(field.at(x - step * way[i]).gradient);
    for (int j = 0; j < 2; ++j) bends[i][j] = dot(turns, way[j]) / (2 * step);
  }
  return {0.5 * (bends[0][0] + bends[1][1]), bends[0][0] * bends[1][1] - bends[0][1] * bends[1][0]};
}

// One side of a pair: a field where it is now, as the own body sees it.
struct Other {
  const DistanceField* field;
  const PressureLaw* law;
  Pose seen;  // of the own body in the frame of the other's shape
  double phi(const Vec3d& x) const { return field->phi(seen * x); }
};

// How far a taxel is pressed in, the first place where pressures agree; below 0: it is not covered.
double displacement(const Vec3d& x, const Vec3d& n, const PressureLaw& own, const Other& b) {
  const double depth = -b.phi(x);
  if (!(depth > 0)) return -1;
  if (rigid(own)) return 0;
  // Rises from below 0, in the depth of the other that balances the own one.
  const auto off = [&](double s) {
    const double left = -b.phi(x - s * n);
    return rigid(*b.law) ? -left : own.pressure(s) - b.law->pressure(left);
  };
  double low = 0, high = depth;
  for (int k = 0; k < kBrackets && off(high) < 0; ++k) low = high, high *= 1.5;
  if (off(high) < 0) return high;  // no way out along the normal: to the end of the own part
  for (int k = 0; k < kHalvings && high - low > 1e-12 * high; ++k) {
    const double middle = 0.5 * (low + high);
    (off(middle) < 0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// A way s in along the normal n, or as far of it as no other part of the own surface is nearer:
// what lies beyond an edge's bisector is pressed away from the other face.
double own_part(const Vec3d& x, const Vec3d& n, double s, const DistanceField& own) {
  const auto is_own = [&](double t) {
    return t + own.phi(x - t * n) <= kNearer * (t + own.cell());
  };
  if (is_own(s)) return s;
  double low = 0, high = s;
  for (int k = 0; k < kHalvings && high - low > 1e-9 * s; ++k) {
    const double middle = 0.5 * (low + high);
    (is_own(middle) ? low : high) = middle;
  }
  return low;
}

// A contact with the other body: where, and its friction on the own one [N].
struct Rubs {
  Vec3d place, friction;
};

// Hands the friction of contacts to the taxels that are pressed, most to those next to each: the
// sum of shear times area stays.
void hand_out(const std::vector<Rubs>& rubs, const std::vector<int>& pressed,
              const std::vector<Vec3d>& place, const std::vector<double>& area,
              const std::vector<double>& pressure, std::vector<Vec3d>& shear) {
  double wide = 0;
  for (const Rubs& r : rubs)
    for (const Rubs& o : rubs) wide = std::max(wide, squared_norm(r.place - o.place));
  std::vector<double> weight(pressed.size());
  for (const Rubs& r : rubs) {
    double all = 0;
    for (std::size_t k = 0; k < pressed.size(); ++k) {
      const std::size_t i = at_index(pressed[k]);
      weight[k] =
          pressure[i] / square(squared_norm(r.place - place[i]) + kNear * kNear * wide + 1e-14);
      all += weight[k] * area[i];
    }
    if (!(all > 0)) continue;
    for (std::size_t k = 0; k < pressed.size(); ++k)
      shear[at_index(pressed[k])] += (weight[k] / all) * r.friction;
  }
}

// Number of a prescribed body of that name; -1: there is none.
int find_prescribed(const Scene& scene, const std::string& name) {
  const auto& all = scene.prescribed;
  const auto at = std::ranges::find(all, name, &PrescribedBody::name);
  return at == all.end() ? -1 : static_cast<int>(at - all.begin());
}

// Number of a body in contact records.
int find_body(const std::vector<std::string>& names, const std::string& body) {
  const auto at = std::find(names.begin(), names.end(), body);
  if (at != names.end()) return static_cast<int>(at - names.begin());
  const std::string near = nearest_name(body, names);
  refuse("taxels on \"" + body + "\"", "", "needs a body of the scene",
         near.empty() ? "name a link as robot/link" : "did you mean \"" + near + "\"?");
}

}  // namespace

// Of a link, a prescribed body or a half-space.
std::vector<Taxels::Pressed> Taxels::shapes_of(const std::string& body) const {
  const Scene& scene = model_->scene;
  std::vector<Pressed> all;
  for (const HalfSpace& h : scene.half_spaces)
    if (h.name == body)
      all.push_back({&plane_, {h.normal * h.offset, rotation_to(h.normal)}, h.hydroelastic});
  if (const int i = find_prescribed(scene, body); i >= 0 && !model_->prescribed_fields.empty())
    if (const DistanceField* field = model_->prescribed_fields[at_index(i)].get())
      all.push_back({field, Pose{}, scene.prescribed[at_index(i)].hydroelastic});
  const LinkName at = find_link(scene, body);
  if (at.robot < 0) return all;
  const RobotModel& robot = model_->robots[at_index(at.robot)];
  if (robot.fields.empty()) return all;
  const std::vector<RobotShape>& shapes = robot.robot.links[at_index(at.link)].collisions;
  for (std::size_t k = 0; k < shapes.size(); ++k)
    if (const DistanceField* field = robot.fields[at_index(at.link)][k].get())
      all.push_back(
          {field, shapes[k].frame, hydroelastic_of(scene.robots[at_index(at.robot)], shapes[k])});
  return all;
}

Taxels::Taxels(const Model& model, const std::string& body, const std::vector<Vec3d>& place,
               const std::vector<double>& area)
    : model_(&model),
      body_(body),
      number_(find_body(model.body_names, body)),
      place_(place),
      area_(area),
      plane_(half_space()) {
  own_ = shapes_of(body_);
  for (const double a : area_)
    if (!(a > 0) || !std::isfinite(a))
      refuse("area", to_text(a), "must be above 0", "give square metres");
  const std::string who = "taxels on \"" + body + "\"";
  if (own_.empty())
    refuse(who, "",
           "needs a rigid body or link with a shape, and hydroelastic contact in the scene",
           "give it, or what it touches, a hydroelastic modulus");
  Aabb box;
  for (const Pressed& p : own_) box.merge(moved_bounds(p.field->box(), p.frame));
  for (std::size_t i = 0; i < place_.size(); ++i) {
    Vec3d& x = place_[i];
    int nearest = 0;
    double far = Aabb::kInf;
    for (std::size_t k = 0; k < own_.size(); ++k)
      if (const double phi = std::abs(own_[k].field->phi(to_local(own_[k].frame, x))); phi < far)
        far = phi, nearest = static_cast<int>(k);
    if (!(far <= kFarthest * norm(box.extent())))
      refuse(who + " " + std::to_string(i), to_text(far) + " m from its surface",
             "must be on the surface of its body, to a tenth of its size",
             "give places in the frame of the body, in metres");
    const Pressed& p = own_[at_index(nearest)];
    const Mat3d turn = to_matrix(p.frame.q);
    Vec3d n;
    for (int k = 0; k < kMoves; ++k) {
      const SignedDistance<double> at = p.field->at(to_local(p.frame, x));
      n = turn * normalized(at.gradient);
      if (k + 1 < kMoves) x -= at.phi * n;
    }
    normal_.push_back(n);
    curvature_.push_back(
        curvature_at(*p.field, to_local(p.frame, x), transpose(to_matrix(p.frame.q)) * n));
    shape_.push_back(nearest);
  }
}

TaxelTouch Taxels::read(const LinkPose& pose, const std::vector<PathState>& paths,
                        std::span<const ContactPoint> points) const {
  const std::size_t n = place_.size();
  TaxelTouch touch{std::vector<double>(n, 0.0), std::vector<double>(n, 0.0), normal_,
                   std::vector<Vec3d>(n, Vec3d::zero())};
  std::vector<int> by(n, -1);  // other body that presses
  const auto pose_of = [&](const std::string& body) {
    if (const int i = find_prescribed(model_->scene, body); i >= 0) return paths[at_index(i)].to;
    const LinkName at = find_link(model_->scene, body);
    return at.robot < 0 ? Pose{} : pose(at.robot, at.link);
  };
  const Pose own = pose_of(body_);
  const Mat3d back = transpose(to_matrix(own.q));
  std::map<int, std::vector<Rubs>> rubs;  // by the other body
  for (const ContactPoint& c : points) {
    const bool first = c.body_a == number_;
    if (!(first || c.body_b == number_) || !(c.normal_force > 0)) continue;
    rubs[first ? c.body_b : c.body_a].push_back(
        {to_local(own, c.p), (first ? 1.0 : -1.0) * (back * c.tangential_force)});
  }
  for (const auto& [body, contacts] : rubs) {
    const std::string& name = model_->body_names[at_index(body)];
    const Pose there = pose_of(name);
    for (const Pressed& shape : shapes_of(name)) {
      const Other other{shape.field, &shape.law, seen_from(compose(there, shape.frame), own)};
      const Mat3d from_other = transpose(to_matrix(other.seen.q));
      for_each(static_cast<std::ptrdiff_t>(n), [&, body = body](std::ptrdiff_t k) {
        const std::size_t i = at_index(k);
        const Pressed& mine = own_[at_index(shape_[i])];
        if (rigid(mine.law) && rigid(shape.law)) return;
        double s = displacement(place_[i], normal_[i], mine.law, other);
        if (s < 0) return;
        s = own_part(to_local(mine.frame, place_[i]),
                     transpose(to_matrix(mine.frame.q)) * normal_[i], s, *mine.field);
        const Vec3d x = place_[i] - s * normal_[i];
        const double p = rigid(mine.law) ? shape.law.pressure(-other.phi(x)) : mine.law.pressure(s);
        if (!(p > touch.pressure[i])) return;
        const Vec3d out =
            to_matrix(mine.frame.q) * mine.field->at(to_local(mine.frame, x)).gradient;
        const Vec3d in = from_other * shape.field->at(other.seen * x).gradient;
        const double k_own = rigid(mine.law) ? 1 : mine.law.slope(s);
        const double k_other = rigid(shape.law) ? 1 : shape.law.slope(-other.phi(x));
        Vec3d m = rigid(mine.law) ? out : rigid(shape.law) ? -in : k_own * out - k_other * in;
        if (dot(m, normal_[i]) <= 0) m = normal_[i];
        m = normalized(m);
        touch.pressure[i] = p, touch.displacement[i] = s, touch.normal[i] = m;
        by[i] = body;
      });
    }
  }
  for (const auto& [body, contacts] : rubs) {
    std::vector<int> pressed;
    for (std::size_t i = 0; i < n; ++i)
      if (by[i] == body) pressed.push_back(static_cast<int>(i));
    hand_out(contacts, pressed, place_, area_, touch.pressure, touch.shear);
  }
  return touch;
}

}  // namespace haptos
