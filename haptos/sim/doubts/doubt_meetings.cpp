// Rigid bodies that may touch, and whose shapes have no contact with each other.
#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/base/text/text.h"
#include "haptos/sim/doubts/doubts.h"
#include "haptos/sim/model/pair_models.h"
#include "haptos/sim/model/pairs.h"

namespace haptos {
namespace {

// Pairs that a sentence names.
constexpr std::size_t kNamed = 3;

// A link, or a half-space.
struct Meets {
  const std::string* name = nullptr;
  const RobotModel* robot = nullptr;  // null: a half-space
  std::size_t entry = 0, link = 0;
  double layer = 0, pressure = 0;  // of a half-space
  bool moves = false;
};

std::vector<Meets> bodies(const Model& model) {
  std::vector<Meets> all;
  for (std::size_t i = 0; i < model.robots.size(); ++i) {
    const RobotModel& r = model.robots[i];
    for (std::size_t l = 0; l < r.shapes.size(); ++l)
      if (!r.shapes[l].empty())
        all.push_back({&model.body_names[at_index(r.first_body) + l], &r, i, l, 0, 0,
                       r.tree->links[l].body >= 0});
  }
  for (const HalfSpace& h : model.scene.half_spaces)
    all.push_back({&h.name, nullptr, 0, 0, h.layer, h.hydroelastic.modulus(), false});
  return all;
}

// A shape, null of a half-space, and what of other models it has.
struct Part {
  const CollisionShape* shape;
  double layer, pressure;
  bool field;
};

std::vector<Part> parts(const Model& model, const Meets& m) {
  if (!m.robot) return {{nullptr, m.layer, m.pressure, true}};
  std::vector<Part> all;
  const RobotBody& spec = model.scene.robots[m.entry];
  for (std::size_t k = 0; k < m.robot->shapes[m.link].size(); ++k) {
    const RobotShape& s = m.robot->robot.links[m.link].collisions[k];
    all.push_back({&m.robot->shapes[m.link][k], layer_of(spec, s),
                   hydroelastic_of(spec, s).modulus(),
                   !m.robot->fields.empty() && m.robot->fields[m.link][k]});
  }
  return all;
}

// Whether two shapes have a contact at all.
bool meet(const Part& a, const Part& b) {
  if (a.layer + b.layer > 0) return true;
  if (a.field && b.field && a.pressure + b.pressure > 0) return true;
  if (!a.shape || !b.shape) {
    const CollisionShape& s = a.shape ? *a.shape : *b.shape;
    return s.is_convex() || s.hull();
  }
  return a.shape->is_convex() || b.shape->is_convex();
}

bool meet(const std::vector<Part>& a, const std::vector<Part>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Part& x) {
    return std::any_of(b.begin(), b.end(), [&](const Part& y) { return meet(x, y); });
  });
}

}  // namespace

void doubt_meetings(const Model& model, std::vector<std::string>& out) {
  const std::vector<Meets> all = bodies(model);
  std::vector<std::vector<Part>> part;
  part.reserve(all.size());
  for (const Meets& m : all) part.push_back(parts(model, m));
  std::vector<std::string> named;
  std::size_t count = 0;
  for (std::size_t j = 0; j < all.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) {
      const Meets &a = all[i], &b = all[j];
      if ((!a.moves && !b.moves) || (a.robot && a.robot == b.robot)) continue;
      if (meet(part[i], part[j]) || !may_touch(model.scene, *a.name, *b.name)) continue;
      if (++count <= kNamed)
        named.push_back("\"" + printable(*a.name) + "\" and \"" + printable(*b.name) + "\"");
    }
  if (count == 0) return;
  std::string who = named[0];
  for (std::size_t k = 1; k < named.size(); ++k) who += ", " + named[k];
  if (count > named.size()) who += ", and " + std::to_string(count - named.size()) + " more pairs,";
  out.push_back(who +
                " pass through each other: point contact has none of two meshes or height fields, "
                "nor of these with a half-space where they enclose nothing; give one of the two a "
                "layer, such as 2 mm, or a hydroelastic modulus, such as 1e8 Pa/m, or its hull "
                "instead of the mesh, or switch their contact off in pairs.");
}

}  // namespace haptos
