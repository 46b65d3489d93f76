#include "haptos/geometry/fill/parting.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Bins to a reach.
constexpr int kBins = 2;
// Of the regression: lambda, the length of a at its start and by about which it ends [1/spacing],
// the longest step, iterations, and the step at which it is found.
constexpr double kBlunt = 1e-5, kStart = 13, kLongest = 4, kFound = 1e-4;
constexpr int kMostSteps = 20;

// Of a half-space that begins a depth d below a place, within 1 of it, under the weight (1 -
// r^2)^3: its volume, and that times its mean depth, both over pi / 4.
double filled(double d) {
  const double q = d * d;
  return 128.0 / 315 - d * (1 - q * (4.0 / 3 - q * (6.0 / 5 - q * (4.0 / 7 - q / 9))));
}
double lever(double d) { return std::pow(1 - d * d, 5) / 10; }

// Mean depths lever / filled by d, from -1 to 1.
class MeanDepths {
 public:
  MeanDepths() {
    for (int k = 0; k <= kCount; ++k) {
      const double d = -1 + 2.0 * k / kCount;
      mean_[at_index(k)] = k == kCount ? 1 : lever(d) / filled(d);
    }
  }
  /// The d at which the mean depth is this.
  double depth(double mean) const {
    const auto above = std::lower_bound(mean_.begin() + 1, mean_.end() - 1, mean);
    const auto k = static_cast<double>(above - mean_.begin());
    const double part = (mean - above[-1]) / (above[0] - above[-1]);
    return -1 + 2 * (k - 1 + std::clamp(part, 0.0, 1.0)) / kCount;
  }

 private:
  static constexpr int kCount = 256;
  std::array<double, kCount + 1> mean_{};
};

}  // namespace

void PartingPoints::begin(double reach) {
  reach_ = reach;
  given_.clear();
}

std::uint64_t PartingPoints::bin_of(const Vec3d& x, int dx, int dy, int dz) const {
  constexpr double kMiddle = 1 << 20;
  const std::array<int, 3> aside{dx, dy, dz};
  std::uint64_t bin = 0;
  for (int a = 0; a < 3; ++a) {
    const double at = std::floor(x[a] * (kBins / reach_)) + aside[at_index(a)] + kMiddle;
    bin = bin << 21 | static_cast<std::uint64_t>(std::clamp(at, 0.0, 2 * kMiddle - 1));
  }
  return bin;
}

void PartingPoints::add(int side, const Vec3d& x, double spacing, int id) {
  given_.push_back({bin_of(x, 0, 0, 0), x, spacing, id, side});
}

void PartingPoints::sort() {
  std::stable_sort(given_.begin(), given_.end(),
                   [](const Given& a, const Given& b) { return a.bin < b.bin; });
}

void PartingPoints::look(const Vec3d& x, int side) {
  near_.clear();
  for (int i = -kBins; i <= kBins; ++i)
    for (int j = -kBins; j <= kBins; ++j) {
      // Bins along z stand side by side.
      const std::uint64_t last = bin_of(x, i, j, kBins);
      auto g = std::lower_bound(given_.begin(), given_.end(), bin_of(x, i, j, -kBins),
                                [](const Given& a, std::uint64_t bin) { return a.bin < bin; });
      for (; g != given_.end() && g->bin <= last; ++g) {
        const Vec3d to = (g->x - x) * (1 / reach_);
        const double within = 1 - squared_norm(to);
        if (within > 0) near_.push_back({to, g->spacing / reach_, within, g->id, g->side == side});
      }
    }
}

// Towards one's own points; false: there are none, or none of the other body.
bool PartingPoints::find_normal(Vec3d& n) const {
  std::array<double, 2> weight{};
  std::array<Vec3d, 2> middle{};
  double spacing = 0;
  for (const Near& p : near_) {
    const double w = p.within * p.within;
    weight[p.own ? 1 : 0] += w;
    middle[p.own ? 1 : 0] += w * p.x;
    spacing = std::max(spacing, p.spacing);
  }
  const double all = weight[0] + weight[1];
  if (!(weight[0] > 0 && weight[1] > 0)) return false;
  for (std::size_t k : {0U, 1U}) middle[k] *= 1 / weight[k];
  const Vec3d apart = middle[1] - middle[0];
  if (!(norm(apart) > 0)) return false;
  using Vec4 = Eigen::Vector4d;
  const Vec3d start = apart * (kStart / norm(apart));
  Vec4 at;
  at << start[0], start[1], start[2], -0.5 / spacing * dot(start, middle[0] + middle[1]);
  for (int step = 0; step < kMostSteps; ++step) {
    Vec4 gradient = Vec4::Zero();
    Eigen::Matrix4d hessian = Eigen::Matrix4d::Zero();
    for (const Near& p : near_) {
      const Vec4 x(p.x[0] / spacing, p.x[1] / spacing, p.x[2] / spacing, 1);
      const double c = p.own ? 1 : -1, miss = 1 / (1 + std::exp(c * at.dot(x)));
      const double w = p.within * p.within / all;
      gradient -= w * c * miss * x;
      hessian.noalias() += (w * miss * (1 - miss)) * x * x.transpose();
    }
    gradient.head<3>() += kBlunt * at.head<3>();
    hessian.diagonal() += Vec4(kBlunt, kBlunt, kBlunt, 1e-9);
    Vec4 by = hessian.ldlt().solve(gradient);
    const double length = by.norm();
    if (!std::isfinite(length)) break;
    at -= std::min(1.0, kLongest / length) * by;
    if (length < kFound * at.head<3>().norm()) break;
  }
  n = {{at[0], at[1], at[2]}};
  const double length = norm(n);
  if (!(length > 0)) return false;
  n *= 1 / length;
  return true;
}

bool PartingPoints::find(Parting& found) const {
  static const MeanDepths kDepths;
  if (!find_normal(found.n)) return false;
  double mass = 0, moment = 0, volume = 0;
  for (const Near& p : near_) {
    if (p.own) continue;
    // Over a cube of side s: f + s^2/24 laplacian f, of w and of w times depth.
    const double q = p.within, deep = -dot(p.x, found.n);
    const double cube = p.spacing * p.spacing * p.spacing;
    const double spread = p.spacing * p.spacing / 24;
    const double w = q * q * q, laplacian = q * (24 - 42 * q);
    mass += cube * (w + spread * laplacian);
    moment += cube * deep * (w + spread * (laplacian - 12 * q * q));
    volume += cube * w;
  }
  if (!(volume > 0)) return false;
  const double depth = kDepths.depth(mass > 0 ? moment / mass : 1);
  found.distance = depth * reach_;
  const double whole = std::numbers::pi / 4 * filled(depth);
  found.part = whole > 0 ? std::max(mass, 0.0) / whole : 1;
  return true;
}

int PartingPoints::nearest() const {
  double most = 0;
  int best = -1;
  for (const Near& p : near_)
    if (!p.own && p.within > most) most = p.within, best = p.id;
  return best;
}

}  // namespace haptos
