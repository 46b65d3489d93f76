// Boundary layers that do not fit the bodies that have them.
#include <algorithm>
#include <cmath>

#include "haptos/base/text/text.h"
#include "haptos/geometry/shape/shape_bounds.h"
#include "haptos/geometry/soup/soup.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos {
namespace {

// Of the size of a shape: a layer is a skin, and one of millimetres on kilometres is a scan whose
// millimetres were taken for metres.
constexpr double kThickest = 0.5, kThinnest = 3e-6;
// Of a layer that should not stand out at all.
constexpr double kStandsOut = 0.05;

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

// Bodies that are to shrink by their layer and cannot, or only in part.
void doubt_shrinking(const RobotModel& r, const RobotBody& b, std::vector<std::string>& out) {
  const bool one = b.robot.links.size() == 1;
  const std::string body = (one ? "Rigid body \"" : "Robot \"") + printable(b.name) + "\"";
  if (!(widest_layer(b) > 0)) {
    out.push_back(body + " has shrink and no layer, so nothing gets smaller: give it a layer.");
    return;
  }
  for (std::size_t l = 0; l < r.layers.size(); ++l)
    for (std::size_t k = 0; k < r.layers[l].size(); ++k) {
      const LayerShape& s = r.layers[l][k];
      const double layer = shrink_of(b, b.robot.links[l].collisions[k]);
      if (!(layer > 0)) continue;
      const std::string title =
          one ? body : body + ", link \"" + printable(b.robot.links[l].name) + "\"";
      if (s.radius == 0 && s.shrunk.held == 0 && !s.soup->faces().empty() && s.soup->sided() == 0) {
        out.push_back(title + " has shrink but encloses nothing, so its layer of " +
                      length_text(layer) + " stands out on both sides: leave shrink out.");
      } else if (s.shrunk.stands_out > kStandsOut * layer) {
        out.push_back(title + " is thinner than two layers of " + length_text(layer) +
                      " in places, so the layer stands out there by up to " +
                      length_text(s.shrunk.stands_out) + " (" + std::to_string(s.shrunk.held) +
                      " vertices): take a thinner layer, or leave shrink out.");
      }
    }
}

}  // namespace

void doubt_shrinks(const Model& model, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < model.robots.size(); ++i)
    if (model.scene.robots[i].shrink) doubt_shrinking(model.robots[i], model.scene.robots[i], out);
}

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
