#include "haptos/sim/coats/condense.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/progress.h"
#include "haptos/base/text/refuse.h"
#include "haptos/bodies/elastic/elastic.h"
#include "haptos/geometry/mesh/tet_refine.h"
#include "haptos/sim/coats/coat_hats.h"
#include "haptos/sim/coats/coat_near.h"
#include "haptos/solve/linear/cholesky.h"
#include "haptos/system/assembly.h"

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

// The elements of a pad held at its glue, factored.
class HeldPad {
 public:
  explicit HeldPad(const SoftBody& pad) : model_(compile_soft(pad)) {
    int blocks = 0;
    for (std::size_t v = 0; v < model_.start.size(); ++v) {
      const bool held = model_.glued_to[v] >= 0;
      block_.push_back(held ? -1 : blocks);
      if (held)
        points_.add_driven(0, 0, model_.rest.vertices[v]);
      else
        points_.add_node(blocks++, 0, 0, model_.rest.vertices[v]);
    }
    points_.finish_permanent();
    const auto elements = std::make_shared<SoftElements>(points_, model_, 0, pad.material);
    const auto term = make_elastic_term(elements, static_cast<ElasticLaw>(pad.material.law));
    std::vector<std::array<int, 2>> couplings;
    term->couplings(points_, Coupled::kAlways, couplings);
    const auto pattern =
        std::make_shared<const BlockPattern>(std::vector<int>(at_index(blocks), 3), couplings);
    Assembly assembly;
    assembly.reset(pattern);
    assembly.begin(points_, true, nullptr);
    assembly.set_factors(1, 1);
    Evaluation e;
    e.points = &points_;
    e.assembly = &assembly;
    term->refresh(points_, Sampling::kAnew);
    term->evaluate(e);
    factor_.analyze(pattern);
    if (!factor_.factor(assembly.matrix()))
      refuse(pad, "", "needs glue that holds the pad, without which it floats",
             "glue the face across from its coat to what carries it");
    unknowns_ = pattern->scalar_count();
    find_stiffening(*term, *elements);
  }

  double confined() const { return confined_; }
  double stiffening() const { return stiffening_; }

  int unknowns() const { return unknowns_; }
  /// First unknown of a vertex of the refined mesh; -1: held.
  int unknown(int vertex) const {
    const int b = block_[at_index(vertex)];
    return b < 0 ? -1 : 3 * b;
  }
  void solve(double* x, int count) const { factor_.solve(x, count, unknowns_); }

 private:
  // Pressed flat between walls by a strain e the energy is V M (e^2 / 2 + c e^3 / 3).
  void find_stiffening(Term& term, const SoftElements& elements) {
    double volume = 0, part[2];
    for (const double v : elements.tet_volume) volume += v;
    constexpr double kStrain[2] = {0.05, 0.1};
    const std::vector<Vec3d> rest = points_.x;
    for (int k = 0; k < 2; ++k) {
      for (std::size_t p = 0; p < rest.size(); ++p) {
        points_.x[p] = rest[p];
        points_.x[p][2] *= 1 - kStrain[k];
      }
      Evaluation e;
      e.points = &points_;
      term.refresh(points_, Sampling::kAnew);
      part[k] = term.evaluate(e).value / (volume * kStrain[k] * kStrain[k]);
    }
    const double third = (part[1] - part[0]) / (kStrain[1] - kStrain[0]);  // M c / 3
    confined_ = 2 * (part[0] - third * kStrain[0]);
    stiffening_ = std::max(3 * third / confined_, 0.0);
  }

  SoftModel model_;
  Points points_;
  std::vector<int> block_;
  BlockCholesky factor_;
  int unknowns_ = 0;
  double confined_ = 1, stiffening_ = 0;
};

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
  const HeldPad held(pad);
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
  c.confined = held.confined(), c.stiffening = held.stiffening();
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
