#include "haptos/contact/friction/anchored_friction.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"
#include "haptos/geometry/query/closest.h"

namespace haptos {
namespace {

// A relative speed below this is none [m/s].
constexpr double kAtRest = 1e-9;

// A spring slips within a step where it would keep less than this part of its stretch: at the edge
// of the cone, where the last step may have left it, rounding would decide.
constexpr double kSlips = 0.999;

Vec3d tangential(const Vec3d& v, const Vec3d& n) { return v - n * dot(v, n); }

}  // namespace

void add_friction(const FrictionForce& f, double side, double coefficient, ContactPoint& record) {
  record.tangential_force = f.force * side;
  record.force += record.tangential_force;
  record.friction = coefficient;
  record.sticking = f.sticking;
}

namespace {

// Vertices that a place on a cell is held by: three, of a surface on one line two, of a point one.
int hold_count(const Vec3i& c) { return c[0] == c[1] ? 1 : c[1] == c[2] ? 2 : 3; }

// A triangle's corner and its edges from there; its unit normal. Where there is a line only, unit
// vectors across take the place of what is missing; of a point, the axes.
struct Frame {
  Vec3d o, e, f, n;
};
Frame frame_of(const ContactSurface& s, const std::vector<Vec3d>& x, int cell) {
  const Vec3i& c = s.hold(cell);
  const int count = hold_count(c);
  Frame r{s.position(x, c[0]), {{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
  if (count > 1) r.e = s.position(x, c[1]) - r.o;
  if (count == 3) r.f = s.position(x, c[2]) - r.o;
  if (count == 2) {
    Vec3d axis = Vec3d::zero();  // the one that lies most across
    const auto shorter = [&](int a, int b) { return std::abs(r.e[a]) < std::abs(r.e[b]); };
    axis[shorter(0, 1) ? (shorter(0, 2) ? 0 : 2) : (shorter(1, 2) ? 1 : 2)] = 1;
    r.f = normalized(cross(r.e, axis));
  }
  if (count > 1) r.n = normalized(cross(r.e, r.f));
  return r;
}

// Where p is from a triangle: weights of its second and third corner, and the height over it. False
// for a triangle without area.
bool place_on_triangle(const Frame& t, const Vec3d& p, Vec3d& place) {
  const Vec3d r = p - t.o;
  const double ee = dot(t.e, t.e), ef = dot(t.e, t.f), ff = dot(t.f, t.f), d = ee * ff - ef * ef;
  if (!(d > 1e-12 * ee * ff)) return false;
  const double er = dot(t.e, r), fr = dot(t.f, r);
  place = {{(ff * er - ef * fr) / d, (ee * fr - ef * er) / d, dot(t.n, r)}};
  return true;
}

// Puts the anchor of a contact at p, positions x, into m. False for a triangle without area.
bool anchor_at(const Vec3d& p, const FrictionContact& c, const ContactSurface* other,
               const std::vector<Vec3d>& x, ContactMemory& m) {
  m.edge = c.edge;
  m.triangle = c.triangle;
  m.anchor = p;
  return !other || place_on_triangle(frame_of(*other, x, c.triangle), p, m.anchor);
}

// The direction in which a cell pushes: of a loose one, from its closest point to the source.
Vec3d normal_of(const ContactSurface& s, const std::vector<Vec3d>& x, int cell,
                const Vec3d& source) {
  if (s.is_triangle(cell)) return frame_of(s, x, cell).n;
  const Vec3d &a = s.position(x, s.cell(cell)[0]), &b = s.position(x, s.cell(cell)[1]);
  const Vec3d r = source - a - (b - a) * closest_on_segment(source, a, b);
  const double l = norm(r);
  return l > 0 ? r * (1 / l) : Vec3d::zero();
}

// Whether a point gives way by itself: that of a soft body, neither driven nor part of a stiff one.
bool yields(const Points& points, int p) { return points.node(p); }
bool yields(const Points& points, const WeightedPoint& w) {
  for (int i = 0; i < w.count; ++i)
    if (yields(points, w.point[i])) return true;
  return false;
}
bool yields(const Points& points, const ContactSurface& s, int triangle) {
  for (const int corner : s.cell(triangle).a)
    if (yields(points, s.point[at_index(corner)])) return true;
  return false;
}

}  // namespace

// From b to a.
Vec3d AnchoredFriction::Spring::apart(const std::vector<Vec3d>& x) const {
  return at(x, a) - (b.count > 0 ? at(x, b) : fixed);
}

Vec3d AnchoredFriction::Spring::stretch(const Points& points) const {
  return tangential(apart(points.x) - offset, normal);
}

Vec3d AnchoredFriction::Spring::slip(const Points& points) const {
  Vec3d u = at(points.u, a);
  if (b.count > 0) u -= at(points.u, b);
  return tangential(u, normal);
}

// The part of the step, at an even pace, since when the surfaces have been within the support.
double AnchoredFriction::Spring::touching(const Points& points, double depth) const {
  Vec3d moved = at(points.x, a) - at(points.x_start, a);
  if (b.count > 0) moved -= at(points.x, b) - at(points.x_start, b);
  const double closing = -dot(moved, normal);
  return closing > depth ? depth / closing : 1;
}

void AnchoredFriction::begin(const ContactHistory* history, double h) {
  history_ = cone_.slip_speed > 0 ? nullptr : history;
  reach_ = cone_.slip_speed * h;
  springs_.clear();
  before_.clear();
}

// Puts the anchor that m remembers, of positions x, into the spring.
void AnchoredFriction::hold(const ContactMemory& m, const ContactSurface* other,
                            const std::vector<Vec3d>& x, Spring& s) {
  s.memory = m;
  s.b.count = 0;
  s.fixed = m.anchor;
  if (!other) return;
  const Vec3i& c = other->hold(m.triangle);
  const Frame f = frame_of(*other, x, m.triangle);
  s.b.count = hold_count(c);
  s.offset = f.n * m.anchor[2];
  if (s.b.count < 3) s.offset += f.f * m.anchor[1];
  if (s.b.count < 2) s.offset += f.e * m.anchor[0];
  s.b.weight[0] = 1;
  for (int k = 0; k < s.b.count; ++k) s.b.point[k] = other->point[at_index(c[k])];
  for (int k = 1; k < s.b.count; ++k) {
    s.b.weight[k] = m.anchor[k - 1];
    s.b.weight[0] -= s.b.weight[k];
  }
}

// Gives each contact of a source the number of the remembered one whose wall lies most like its
// own; the numbers that are left to those that are new.
void AnchoredFriction::number_walls(std::span<FrictionContact> source, const Points& points,
                                    const ContactSurface* other) const {
  const FeaturePair first = source.front().key;
  const auto of_source = [&](FeaturePair k) {
    k.feature_b = first.feature_b;
    return k == first;
  };
  const auto each_known = [&](const auto& visit) {
    for (auto s = first_spring(first); s != springs_.end() && of_source(s->key); ++s)
      visit(s->key.feature_b, [&] { return s->normal; });
    if (!history_ || !other) return;
    for (auto m = history_->lower_bound(first); m != history_->end() && of_source(m->first); ++m)
      if (const int cell = m->second.triangle; cell >= 0 && cell < other->cell_count())
        visit(m->first.feature_b, [&, cell] {
          return normal_of(*other, points.x_start, cell, at(points.x_start, source.front().a));
        });
  };
  // As most sources: one wall, and at most one is known.
  if (source.size() == 1) {
    std::int64_t number = -1;
    bool several = false;
    each_known([&](std::int64_t k, const auto&) {
      several = several || (number >= 0 && k != number);
      number = k;
    });
    if (number >= 0) source[0].key.feature_b = number;
    if (!several) return;
  }
  struct Known {
    std::int64_t number;
    Vec3d normal;
  };
  std::vector<Known> known;  // by number, rising
  each_known([&](std::int64_t k, const auto& normal) {
    const auto it = std::lower_bound(known.begin(), known.end(), k,
                                     [](const Known& a, std::int64_t n) { return a.number < n; });
    if (it == known.end() || it->number != k) known.insert(it, {k, normal()});
  });
  std::vector<bool> named(source.size(), false);
  std::vector<std::int64_t> taken;
  const auto is_taken = [&](std::int64_t k) {
    return std::find(taken.begin(), taken.end(), k) != taken.end();
  };
  for (std::size_t n = 0; n < source.size(); ++n) {
    std::size_t best = 0;
    std::int64_t number = -1;
    double most = -2;
    for (std::size_t i = 0; i < source.size(); ++i)
      for (const Known& k : known)
        if (const double d = dot(source[i].normal, k.normal); !named[i] && d > most)
          most = d, best = i, number = k.number;
    if (number < 0) {
      while (named[best]) ++best;
      number = 0;
      while (is_taken(number)) ++number;
    }
    named[best] = true;
    std::erase_if(known, [&](const Known& k) { return k.number == number; });
    taken.push_back(number);
    source[best].key.feature_b = number;
  }
}

void AnchoredFriction::renew(const FrictionContact& c, const Points& points,
                             const ContactSurface* other, Springs& next) const {
  Spring s;
  if (const Spring* old = find_spring(c.key)) {
    s = *old;
    s.normal = c.normal;
  } else {
    ContactMemory m;
    const std::vector<Vec3d>* x = &points.x_start;
    const auto kept = history_ ? history_->find(c.key) : ContactHistory::const_iterator{};
    if (history_ && kept != history_->end() &&
        (other ? kept->second.triangle >= 0 && kept->second.triangle < other->cell_count()
               : kept->second.triangle < 0)) {
      m = kept->second;
    } else {
      s.strikes = !yields(points, c.a) && !(other && yields(points, *other, c.triangle));
      x = s.strikes ? &points.x_start : &points.x;
      if (!anchor_at(at(*x, c.a), c, other, *x, m)) return;
    }
    hold(m, other, *x, s);
    s.normal = c.normal;
    s.a = c.a;
    if (s.a.count == 2) {
      s.a.weight[0] = 1 - m.edge;
      s.a.weight[1] = m.edge;
    }
    if (reach_ > 0) s.offset = s.apart(points.x_start);
    // What touches for the first time in sliding slides.
    if (m.first_step < 0)
      s.memory.slipping = norm(s.slip(points)) > std::max(kAtRest, cone_.slip_speed);
  }
  s.stiffness = c.stiffness;
  if (s.strikes && reach_ == 0) s.stiffness *= s.touching(points, c.depth);
  s.limit = (s.memory.slipping ? cone_.sliding : cone_.sticking) * c.normal_force;
  if (reach_ == 0) {
    const Vec3d d = s.stretch(points);
    const double part = pull(s, norm(d)).force_per_length / s.stiffness;
    if (part < kSlips) follow(c, points, other, d * part, s);
  }
  s.key = c.key;
  next.push_back(s);
}

// What slips pulls where the surfaces touch now, as it will after the step, with the stretch from
// which the step started and by what these places have moved since. kept: the stretch that is to
// be left.
void AnchoredFriction::follow(const FrictionContact& c, const Points& points,
                              const ContactSurface* other, const Vec3d& kept, Spring& s) {
  ContactMemory m = s.memory;
  if (!anchor_at(at(points.x, c.a) - kept, c, other, points.x, m)) return;
  const Vec3d stretch = s.apart(points.x_start) - s.offset;
  hold(m, other, points.x_start, s);
  s.a = c.a;
  s.offset = s.apart(points.x_start) - stretch;
  s.moved = true;
}

AnchoredFriction::Pull AnchoredFriction::pull(const Spring& s, double r) const {
  const double L = s.limit, k = s.stiffness, e = reach_;
  if (e > 0) {
    if (r >= e) return {L * r, L / r, 0, false};
    return {L * (r * r / e - r * r * r / (3 * e * e) + e / 3), L * (2 - r / e) / e,
            2 * L * (1 - r / e) / e, true};
  }
  if (k * r <= L) return {0.5 * k * r * r, k, k, true};
  return {L * r - 0.5 * L * L / k, L / r, 0, false};
}

Energy AnchoredFriction::evaluate(const Evaluation& e) const {
  Energy total;
  for (const Spring& s : springs_) {
    if (!(s.limit > 0)) continue;
    const Vec3d d = s.stretch(*e.points);
    const double r = norm(d);
    const Pull p = pull(s, r);
    total += {p.energy, p.energy};
    if (!e.assembly) continue;
    const Vec3d force = d * p.force_per_length;
    e.assembly->add_gradient(s.a, force);
    if (s.b.count > 0) e.assembly->add_gradient(s.b, -force);
    if (!e.assembly->wants_hessian()) continue;
    const Mat3d P = Mat3d::identity() - outer(s.normal, s.normal);
    Mat3d H = P * p.force_per_length;
    // Of a spring that slips the curvature that keeps the model above the energy, until the rest
    // is nearly done: its own is 0 along d, and a step that turns it round would not see the other
    // edge of the cone.
    if (e.caution == 0 && p.second != p.force_per_length && r > 0)
      H += outer(d, d) * ((p.second - p.force_per_length) / (r * r));
    e.assembly->add_hessian(s.a, s.a, H, true);
    if (s.b.count == 0) continue;
    e.assembly->add_hessian(s.b, s.b, H, true);
    e.assembly->add_hessian(s.a, s.b, H * -1.0, false);
  }
  return total;
}

void AnchoredFriction::finish(const FrictionContact& c, const Points& points,
                              const ContactSurface* other, std::int64_t step) {
  const Spring* spring = find_spring(c.key);
  if (!spring) return;
  const Spring& s = *spring;
  ContactMemory m = s.memory;
  m.normal_force = c.normal_force;
  if (m.first_step < 0) m.first_step = step;
  const Vec3d d = s.stretch(points);
  const double r = norm(d);
  const Pull p = pull(s, r);
  const bool sticks = p.sticks;
  m.slipping = !sticks;
  forces_.push_back({c.key, r > 0 ? d * -p.force_per_length : Vec3d::zero(), sticks, c.record});
  if (reach_ > 0) return;  // the smoothed law remembers nothing
  if (!sticks || s.strikes || s.moved) {
    // The spring keeps its force, from where the surfaces touch now.
    const Vec3d from = at(points.x, c.a);
    const Vec3d kept = d * (p.force_per_length / (s.strikes ? c.stiffness : s.stiffness));
    if (!anchor_at(from - kept, c, other, points.x, m)) return;
  }
  // Of a spring that is there, whose memory nobody reads before the next step.
  auto& kept = springs_[static_cast<std::size_t>(spring - springs_.data())];
  kept.memory = m;
  kept.kept = true;
}

}  // namespace haptos
