// Pressure fields that do not fit the weight of the bodies that have them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "haptos/base/text/text.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"

namespace haptos {
namespace {

// Of its radius, how deep a ball may sink under its weight; of the force of a ball, how much its
// samples may take away, and how much they should.
constexpr double kDeep = 0.5, kOff = 0.5, kGood = 0.1;
constexpr int kFinest = 512;

// To one digit.
double round_to(double x) {
  const double digit = std::pow(10.0, std::floor(std::log10(x)));
  return std::round(x / digit) * digit;
}

// How deep a ball sinks into a rigid plane under W = 2 pi R int_0^d p, which is pi k R d^2 by a
// modulus. As deep as that by its steepest slope at least.
double sinks_by(const PressureLaw& law, double weight, double radius) {
  const double wanted = weight / (2 * std::numbers::pi * radius);
  double depth = std::sqrt(2 * wanted / law.modulus());
  if (!law.is_table()) return depth;
  const auto held = [&](double d) {
    double sum = 0;
    constexpr int kParts = 200;
    for (int i = 0; i < kParts; ++i) sum += law.pressure(d * (i + 0.5) / kParts) * d / kParts;
    return sum;
  };
  while (held(depth) < wanted) depth *= 1.1;
  return depth;
}

// That, and its samples take about .4 h^2 / (R d) of the force (docs/contact/hydroelastic.md).
void doubt_field(const RobotBody& b, const DistanceField& field, const PressureLaw& law,
                 double weight, std::vector<std::string>& out) {
  const std::string title = "Rigid body \"" + printable(b.name) + "\"";
  const Vec3d size = field.box().extent();
  const double radius = 0.5 * std::max({size[0], size[1], size[2]});
  const double modulus = law.modulus(), sinks = sinks_by(law, weight, radius);
  const std::string has =
      law.is_table() ? "a table of pressures" : "hydroelastic = " + to_text(modulus) + " Pa/m";
  const std::string under = title + " has " + has +
                            ", so under its weight a round part of it sinks by about " +
                            length_text(sinks);
  if (sinks > kDeep * radius) {
    const double better = modulus * square(sinks / (0.05 * radius));
    out.push_back(under + " of its " + length_text(2 * radius) +
                  (law.is_table() ? "; check the units of its rows."
                                  : "; check the unit, pressure per depth, or take " +
                                        to_text(round_to(better)) + " Pa/m."));
    return;
  }
  const double cell = field.cell(), off = 0.4 * cell * cell / (radius * sinks);
  if (!(off > kOff)) return;
  const int finer = static_cast<int>(std::ceil(b.field_resolution * std::sqrt(off / kGood)));
  const std::string remedy =
      finer <= kFinest ? "field_resolution = " + std::to_string(finer)
      : law.is_table()
          ? std::string("a softer table")
          : "hydroelastic = " + to_text(round_to(modulus * square(kGood / off))) + " Pa/m";
  out.push_back(under + ", and the cells of its distance field are " + length_text(cell) +
                ": far too coarse for that, its force may be lost by half; take " + remedy + ".");
}

}  // namespace

void doubt_fields(const Model& model, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    const RobotBody& b = model.scene.robots[i];
    if (r.fields.empty() || r.robot.links.size() != 1 || r.tree->links[0].body < 0) continue;
    const double weight = r.robot.links[0].mass * norm(model.scene.sim.gravity());
    if (!(weight > 0)) continue;
    for (std::size_t k = 0; k < r.fields[0].size(); ++k) {
      const PressureLaw& law = hydroelastic_of(b, r.robot.links[0].collisions[k]);
      if (!(law.modulus() > 0) || !r.fields[0][k] || !r.fields[0][k]->bounded()) continue;
      doubt_field(b, *r.fields[0][k], law, weight, out);
      break;
    }
  }
}

}  // namespace haptos
