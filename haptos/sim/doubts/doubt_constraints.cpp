// Hinges and sliders whose numbers can hardly be meant.
#include <cmath>
#include <optional>
#include <utility>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/bodies/joints/free_axis.h"
#include "haptos/sim/doubts/doubts.h"

namespace haptos {
namespace {

constexpr double kTurn = 6.3;    // a little more than a full turn [rad]
constexpr double kSlack = 1e-6;  // [rad] or [m]

double start_of(const Scene& scene, const Constraint& c) {
  const auto at = [&](const std::string& name) {
    return name.empty() ? Pose{} : start_pose(scene, name);
  };
  if (!c.other) return 0;
  return free_coordinate(compose(at(c.a), c.pose), compose(at(c.b), *c.other), c.turns(),
                         c.starts_near());
}

// An angle that is a whole number beyond a full turn is more often one in degrees.
std::optional<double> in_degrees(const Constraint& c) {
  const double told = c.motor ? c.motor->position.value_or(0) : 0;
  for (const double q : {c.lower, c.upper, c.reference, told})
    if (c.turns() && std::isfinite(q) && std::abs(q) > kTurn && q == std::round(q)) return q;
  return {};
}

}  // namespace

void doubt_constraints(const Scene& scene, std::vector<std::string>& out) {
  for (const Constraint& c : scene.constraints) {
    if (!c.has_axis()) continue;
    const std::string name = "Constraint \"" + printable(c.name) + "\"";
    if (const auto angle = in_degrees(c)) {
      out.push_back(name + " has an angle of " + to_text(*angle) +
                    " rad, more than a full turn: angles are in rad; is it meant in degrees?");
      continue;
    }
    const double q = start_of(scene, c);
    if (q >= c.lower - kSlack && q <= c.upper + kSlack) continue;
    std::string text = name + " starts at " + to_text(q) + ", outside its limits ";
    text += to_text(c.lower) + " to " + to_text(c.upper) + (c.turns() ? " rad" : " m");
    text +=
        ", so its first steps drive it there; 0 is where the bodies are at the start, or where the "
        "frames of `pose` and `other` meet.";
    out.push_back(std::move(text));
  }
}

}  // namespace haptos
