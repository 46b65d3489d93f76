// Boundary layers that do not fit the bodies that have them.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos {
namespace {

// Of the size of a shape: a layer is a skin, and one of millimetres on kilometres is a scan whose
// millimetres were taken for metres.
constexpr double kThickest = 0.5, kThinnest = 3e-6;

double size_of(const RobotShape& c) {
  return c.shape.kind == ShapeKind::kHalfSpace ? 0 : largest_side(shape_bounds(c.shape, c.frame));
}

void doubt_width(const std::string& title, double layer, double size,
                 std::vector<std::string>& out) {
  if (!(layer > 0) || !(size > 0)) return;
  if (layer > kThickest * size)
    out.push_back(title + " is " + length_text(size) + " in size and its layer " +
                  length_text(layer) +
                  ", so it looks like a ball; a layer is a skin: check its unit.");
  if (layer < kThinnest * size)
    out.push_back(title + " is " + length_text(size) + " in size and its layer " +
                  length_text(layer) +
                  ", so its mesh may be in millimetres; give it a scale of 0.001.");
}

// What moves by more than R in a step meets others at places that the start of the step does not
// show.
void doubt_speed(const Scene& scene, const RobotBody& b, const std::string& title,
                 std::vector<std::string>& out) {
  if (b.robot.links.size() != 1 || b.velocity.size() != 6) return;
  double others = 0;
  for (const RobotBody& o : scene.robots)
    if (&o != &b) others = std::max(others, widest_layer(o));
  for (const HalfSpace& h : scene.half_spaces) others = std::max(others, h.layer);
  const double whole = widest_layer(b) + others, h = scene.sim.dt;
  const double moves = h * std::hypot(b.velocity[0], b.velocity[1], b.velocity[2]);
  if (!(whole > 0) || !(moves > whole)) return;
  out.push_back(title + " moves " + length_text(moves) + " in a step of " + to_text(h) +
                " s, and its layer and the widest other one are " + length_text(whole) +
                " together, so its edges may pass through those of others; take layers of " +
                length_text(moves) + " together, or sim.dt of " +
                to_text(std::floor(1e6 * h * whole / moves * (1 + 1e-9)) / 1e3) + " ms or less.");
}

}  // namespace

void doubt_layers(const Scene& scene, std::vector<std::string>& out) {
  for (const RobotBody& b : scene.robots) {
    const bool one = b.robot.links.size() == 1;
    const std::string body = (one ? "Rigid body \"" : "Robot \"") + printable(b.name) + "\"";
    doubt_speed(scene, b, body, out);
    for (const RobotLink& l : b.robot.links)
      for (const RobotShape& c : l.collisions)
        doubt_width(one ? body : body + ", link \"" + printable(l.name) + "\"", layer_of(b, c),
                    size_of(c), out);
  }
}

}  // namespace haptos
