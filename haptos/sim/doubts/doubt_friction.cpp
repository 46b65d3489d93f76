// Friction that one of two bodies lacks.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

// A body in live contact, which takes its coefficient from both sides; or a soft one in frozen
// contact, which does so with prescribed bodies (half-spaces leave theirs to the other there).
struct Side {
  enum Kind : std::uint8_t { kPrescribed, kHalfSpace, kLink, kFrozen, kAffine, kSoft };
  Kind kind;
  std::string name;
  double friction;
  bool given;  // a 0 is meant
};

std::vector<Side> sides(const Scene& s) {
  std::vector<Side> all;
  const auto add = [&](Side::Kind kind, const auto& b) {
    const Friction& f = b.friction;
    all.push_back({kind, b.name, f.sticking, f.sticking > 0 || f.sliding >= 0});
  };
  for (const auto& b : s.prescribed)
    if (!b.surface.empty()) add(Side::kPrescribed, b);
  for (const auto& b : s.half_spaces) add(Side::kHalfSpace, b);
  for (const auto& b : s.affine) add(Side::kAffine, b);
  for (const auto& b : s.soft) add(b.is_frozen() ? Side::kFrozen : Side::kSoft, b);
  for (const RobotBody& r : s.robots) {
    const std::vector<std::string> names = link_body_names(r);
    for (std::size_t i = 0; i < names.size(); ++i) {
      double most = -1;
      for (const RobotShape& c : r.robot.links[i].collisions)
        most = std::max(most, c.friction >= 0 ? c.friction : r.friction);
      if (most >= 0) all.push_back({Side::kLink, names[i], most, true});
    }
  }
  return all;
}

// Whether the two meet in such contact at all.
bool meet(const Side& a, const Side& b) {
  if (a.kind == Side::kFrozen || b.kind == Side::kFrozen)
    return a.kind == Side::kPrescribed || b.kind == Side::kPrescribed;
  const bool soft_or_affine = a.kind >= Side::kAffine || b.kind >= Side::kAffine;
  const bool link = (a.kind == Side::kLink && b.kind == Side::kPrescribed) ||
                    (b.kind == Side::kLink && a.kind == Side::kPrescribed);
  return soft_or_affine || link;
}

bool makes_zero(int rule) {
  const auto combine = static_cast<Combine>(rule);
  return combine == Combine::kMultiply || combine == Combine::kMin ||
         combine == Combine::kGeometric;
}

std::string quoted(const std::vector<const Side*>& bodies) {
  std::string text;
  for (std::size_t i = 0; i < bodies.size() && i < 3; ++i)
    text += (i > 0 ? ", \"" : "\"") + printable(bodies[i]->name) + "\"";
  if (bodies.size() > 3) text += " and " + std::to_string(bodies.size() - 3) + " more";
  return text;
}

}  // namespace

void doubt_friction(const Scene& scene, std::vector<std::string>& out) {
  if (!makes_zero(scene.contact.combine)) return;
  const std::vector<Side> all = sides(scene);
  std::vector<const Side*> without;
  const Side* rough = nullptr;  // the first that has some
  for (const Side& a : all) {
    if (a.given || a.friction != 0) continue;
    const auto partner = std::find_if(all.begin(), all.end(), [&](const Side& b) {
      if (!(b.friction > 0) || !meet(a, b) || !may_touch(scene, a.name, b.name)) return false;
      const PairOptions* p = pair_options(scene, a.name, b.name);
      return !p || p->friction.sticking < 0;
    });
    if (partner == all.end()) continue;
    without.push_back(&a);
    if (!rough) rough = &*partner;
  }
  if (without.empty()) return;
  const bool one = without.size() == 1;
  out.push_back(
      quoted(without) + (one ? " has" : " have") + " no friction and \"" + printable(rough->name) +
      "\", which " + (one ? "it" : "they") + " may touch, has a coefficient of " +
      to_text(rough->friction) + ": contact.combine (" + option_word(scene.contact, "combine") +
      ") makes 0 of the two, so they slide freely on each other; give " + (one ? "it" : "them") +
      " a friction too, or set that of the pair, or write friction: 0 if none is meant.");
}

}  // namespace haptos
