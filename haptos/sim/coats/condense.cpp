#include "haptos/sim/coats/condense.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/progress.h"
#include "haptos/base/text/refuse.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/sim/coats/coat_hats.h"
#include "haptos/sim/coats/coat_near.h"
#include "haptos/sim/model/held_body.h"

namespace haptos {
namespace {

// A matrix of 1 GiB.
constexpr std::size_t kMostNodes = 5400;
// Right-hand sides that are solved together.
constexpr int kSides = 48;

[[noreturn]] void refuse(const SoftBody& pad, const std::string& value, const std::string& rule,
                         const std::string& remedy) {
  haptos::refuse("soft body \"" + pad.name + "\", model hydroelastic", value, rule, remedy);
}

// Pressed flat between walls by a strain e the energy is V M (e^2 / 2 + c e^3 / 3).
void find_stiffening(HeldBody& pad, const SoftModel& model, CoatCompliance& c) {
  double volume = 0, part[2];
  for (const double v : pad.elements().tet_volume) volume += v;
  constexpr double kStrain[2] = {0.05, 0.1};
  std::vector<Vec3d> x;
  for (int k = 0; k < 2; ++k) {
    x = model.rest.vertices;
    for (Vec3d& v : x) v[2] *= 1 - kStrain[k];
    part[k] = pad.energy(x) / (volume * kStrain[k] * kStrain[k]);
  }
  const double third = (part[1] - part[0]) / (kStrain[1] - kStrain[0]);  // M c / 3
  c.confined = 2 * (part[0] - third * kStrain[0]);
  c.stiffening = std::max(3 * third / c.confined, 0.0);
}

// Of each probe the vertices of the refined mesh that stand for it, with equal weights.
std::vector<std::vector<int>> vertices_of(const SoftBody& pad, const CoatCompliance& c) {
  std::map<std::array<int, 2>, int> middle;
  if (pad.element == Element::kComposite) {
    const RefinedTets refined = refine(pad.mesh);
    for (std::size_t i = 0; i < refined.edges.size(); ++i)
      middle[{refined.edges[i][0], refined.edges[i][1]}] =
          static_cast<int>(pad.mesh.vertices.size() + i);
  }
  std::vector<std::vector<int>> all;
  for (const CoatCompliance::Probe& p : c.probe) {
    const int a = c.vertex[at_index(p.a)], b = c.vertex[at_index(p.b)];
    if (a == b)
      all.push_back({a});
    else if (const auto it = middle.find({std::min(a, b), std::max(a, b)}); it != middle.end())
      all.push_back({it->second});
    else
      all.push_back({a, b});
  }
  return all;
}

}  // namespace

CoatCompliance condense(const SoftBody& given) {
  SoftBody pad = given;
  pad.model = static_cast<int>(SoftKind::kElastic);
  if (pad.coat.empty())
    refuse(pad, "", "needs a coat, the triangles by which it touches",
           "give coat: top, or triangles of the surface");
  CoatCompliance c;
  const std::vector<double> probe_area = find_hats(pad, c);
  if (c.rest.size() > kMostNodes)
    refuse(pad, std::to_string(c.rest.size()) + " nodes on the coat",
           "must be at most " + std::to_string(kMostNodes), "take larger elements");
  const SoftModel model = compile_soft(pad);
  HeldBody held(pad, model);
  if (!held.firm())
    refuse(pad, "", "needs glue that holds the pad, without which it floats",
           "glue the face across from its coat to what carries it");
  const std::vector<std::vector<int>> vertices = vertices_of(pad, c);
  const std::size_t n = 3 * c.rest.size(), m = at_index(held.unknowns());
  // What each hat is on the unknowns of one axis: offsets by the axis follow.
  std::vector<std::vector<std::pair<int, double>>> hat(c.rest.size());
  for (std::size_t i = 0; i < hat.size(); ++i)
    for (int k = c.first_part[i]; k < c.first_part[i + 1]; ++k) {
      const CoatCompliance::Part& part = c.part[at_index(k)];
      const std::vector<int>& v = vertices[at_index(part.probe)];
      for (const int vertex : v)
        if (const int u = held.unknown(vertex); u >= 0)
          hat[i].emplace_back(u, part.weight / static_cast<double>(v.size()));
    }
  find_stiffening(held, model, c);
  for (const Vec3d& x : c.rest) {
    double nearest = 1e300;
    for (const int v : pad.glue.front().vertices)
      nearest = std::min(nearest, squared_norm(pad.mesh.vertices[at_index(v)] - x));
    c.thickness += sqrt(nearest) / static_cast<double>(c.rest.size());
  }
  c.matrix.assign(n * n, 0.0F);
  std::vector<double> x(m * kSides);
  for (std::size_t first = 0; first < n; first += kSides) {
    tell_progress("condensing pad \"" + pad.name + "\"",
                  static_cast<double>(first) / static_cast<double>(n));
    const std::size_t count = std::min<std::size_t>(kSides, n - first);
    std::fill(x.begin(), x.end(), 0.0);
    for (std::size_t s = 0; s < count; ++s) {
      const std::size_t column = first + s;
      for (const auto& [u, weight] : hat[column / 3]) x[s * m + at_index(u) + column % 3] += weight;
    }
    held.solve(x.data(), static_cast<int>(count));
    for_each(
        static_cast<std::ptrdiff_t>(hat.size()),
        [&](std::ptrdiff_t i) {
          for (std::size_t s = 0; s < count; ++s) {
            double u[3] = {0, 0, 0};
            for (const auto& [at, weight] : hat[at_index(i)])
              for (std::size_t r = 0; r < 3; ++r) u[r] += weight * x[s * m + at_index(at) + r];
            for (std::size_t r = 0; r < 3; ++r)
              c.matrix[(3 * at_index(i) + r) * n + first + s] = static_cast<float>(u[r]);
          }
        },
        16);
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < i; ++j)
      c.matrix[i * n + j] = c.matrix[j * n + i] =
          0.5F * (c.matrix[i * n + j] + c.matrix[j * n + i]);
  find_near(pad.material, probe_area, c);
  return c;
}

}  // namespace haptos
