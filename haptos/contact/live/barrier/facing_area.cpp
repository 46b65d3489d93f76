#include "haptos/contact/live/barrier/facing_area.h"

#include <algorithm>

#include "haptos/base/math/index.h"
#include "haptos/contact/live/pairs/affine_pairs.h"
#include "haptos/geometry/query/distance.h"

namespace haptos {
// Samples and their parts in the order of surface_samples().
FacingArea::FacingArea(const ContactSurface& surface, const std::vector<SurfaceSample>& samples,
                       const std::vector<int>& lattice, int n)
    : surface_(&surface), start_(samples.size() + 1, 0) {
  for (const int s : lattice) ++start_[at_index(s) + 1];
  for (std::size_t k = 1; k < start_.size(); ++k) start_[k] += start_[k - 1];
  triangle_.resize(lattice.size());
  part_.resize(lattice.size());
  std::vector<int> next(start_.begin(), start_.end() - 1);
  auto sample = lattice.begin();
  for (int t = 0; t < static_cast<int>(surface.triangles.size()); ++t)
    for (int i = 0; i <= n; ++i)
      for (int j = 0; i + j <= n; ++j) {
        const int used = (i > 0) + (j > 0) + (i + j < n);
        const std::size_t k = at_index(next[at_index(*sample++)]++);
        triangle_[k] = t;
        // Of the n^2 small triangles a corner touches one, an edge sample three, an inner one six.
        part_[k] = (used == 1 ? 1.0 : used == 2 ? 3.0 : 6.0) / (3.0 * n * n);
      }
  for (const SurfaceSample& s : samples) whole_.push_back(s.area);
}

double FacingArea::area(const std::vector<Vec3d>& x, int sample, const Vec3d& n) const {
  double sum = kLeastFacing * whole_[at_index(sample)];
  for (int k = start_[at_index(sample)]; k < start_[at_index(sample) + 1]; ++k) {
    const Vec3i& c = surface_->triangles[at_index(triangle_[at_index(k)])];
    const Vec3d& p = surface_->position(x, c[0]);
    const Vec3d twice = cross(surface_->position(x, c[1]) - p, surface_->position(x, c[2]) - p);
    sum += part_[at_index(k)] * std::max(-0.5 * dot(twice, n), 0.0);
  }
  return sum;
}

double FacingArea::area(const std::vector<Vec3d>& x, int sample, const Vec3d& p,
                        const ContactSurface& other, std::span<const int> near) const {
  double best = 1e300;
  Vec3d n = Vec3d::zero();
  for (const int cell : near) {
    if (!other.is_triangle(cell)) return whole_[at_index(sample)];
    const Vec3i& c = other.triangles[at_index(cell)];
    const Stencil<double> s = point_triangle_stencil(
        p, other.position(x, c[0]), other.position(x, c[1]), other.position(x, c[2]));
    if (s.d < best) best = s.d, n = s.n;
  }
  return best < 1e300 ? area(x, sample, n) : whole_[at_index(sample)];
}

}  // namespace haptos
