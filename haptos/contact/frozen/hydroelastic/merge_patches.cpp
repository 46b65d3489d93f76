#include "haptos/contact/frozen/hydroelastic/merge_patches.h"

#include <algorithm>
#include <cmath>

#include "haptos/base/math/index.h"

namespace haptos {
namespace {

// Spacings across a patch, and across what is far longer in one way.
constexpr double kLeastAcross = 3;
// Cosines to the push from which on, and up to which, a patch pushes forward and back.
constexpr double kForward = 0.3;
// Part of all forces below which they have no direction in common.
constexpr double kScattered = 0.1;
// Corners of the lattice on either side of its middle.
constexpr int kHalf = 1 << 14;

Vec3d where(const ContactSample& s) { return 0.5 * (s.p_a + s.p_b); }
double stiffness(const ContactSample& s) { return s.area * s.stiffer; }
double force(const ContactSample& s) { return -s.gap * stiffness(s); }

}  // namespace

// The lattice: its third axis the way that all of it pushes, the first as near to an axis of the
// body as can be. What pushes all ways has the body's axes. False: nothing pushes.
bool PatchMerge::lay(const std::vector<ContactSample>& samples, const Mat3d& turn) {
  Vec3d push = Vec3d::zero(), middle = Vec3d::zero();
  double sum = 0;
  for (const ContactSample& s : samples) {
    const double f = force(s);
    push += f * s.n, middle += f * where(s), sum += f;
  }
  if (!(sum > 0)) return false;
  origin_ = middle * (1 / sum);
  lattice_ = turn;
  if (norm(push) > kScattered * sum) {
    const Vec3d n = normalized(push), local = transpose(turn) * n;
    const Vec3d e = column(turn, vabs(local[0]) <= vabs(local[1]) ? 0 : 1);
    const Vec3d first = normalized(e - dot(e, n) * n);
    lattice_ = columns(first, cross(n, first), n);
  }
  double square_x = 0, square_y = 0;
  for (const ContactSample& s : samples) {
    const Vec3d u = transpose(lattice_) * (where(s) - origin_);
    square_x += force(s) / sum * u[0] * u[0], square_y += force(s) / sum * u[1] * u[1];
  }
  // Of an even square the root of the mean square is its side over the root of 12.
  spacing_ = std::sqrt(12 * std::max(square_x, square_y)) / across_;
  return spacing_ > 0;
}

void PatchMerge::hand_out(const std::vector<ContactSample>& samples) {
  handed_.clear();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3d u = transpose(lattice_) * (where(samples[i]) - origin_) * (1 / spacing_);
    int low[2];
    double part[2];
    for (int k = 0; k < 2; ++k) {
      const double at = clamp(u[k], -kHalf + 2.0, kHalf - 2.0);
      low[k] = static_cast<int>(std::floor(at)), part[k] = at - low[k];
    }
    const double along =
        clamp(0.5 + 0.5 * dot(samples[i].n, column(lattice_, 2)) / kForward, 0.0, 1.0);
    const double way[2] = {along * along * (3 - 2 * along), 1 - along * along * (3 - 2 * along)};
    for (int c = 0; c < 8; ++c) {
      const int x = c & 1, y = c >> 1 & 1, back = c >> 2;
      const double w = (x ? part[0] : 1 - part[0]) * (y ? part[1] : 1 - part[1]) * way[back];
      if (!(w > 0)) continue;
      const auto place = [](int p) { return static_cast<std::uint32_t>(p + kHalf) & 0x7fff; };
      handed_.push_back(
          {place(low[0] + x) << 16 | place(low[1] + y) << 1 | static_cast<std::uint32_t>(back),
           static_cast<int>(i), w});
    }
  }
  std::sort(handed_.begin(), handed_.end(), [](const Handed& a, const Handed& b) {
    return a.corner != b.corner ? a.corner < b.corner : a.sample < b.sample;
  });
}

void PatchMerge::gather(const std::vector<ContactSample>& samples) {
  merged_.clear();
  for (std::size_t i = 0; i < handed_.size();) {
    const std::uint32_t corner = handed_[i].corner;
    Vec3d f = Vec3d::zero();
    double k = 0, area = 0, share = 0, height = 0, sum = 0;
    for (; i < handed_.size() && handed_[i].corner == corner; ++i) {
      const ContactSample& s = samples[at_index(handed_[i].sample)];
      const double w = handed_[i].weight, one = w * force(s);
      f += one * s.n, sum += one;
      height += one * dot(column(lattice_, 2), where(s) - origin_);
      k += w * stiffness(s), area += w * s.area, share += w * s.share;
    }
    const double size = norm(f);
    if (!(size > 0)) continue;
    ContactSample m;
    m.n = f * (1 / size);
    m.gap = -size / k;
    m.area = area, m.share = share, m.stiffer = k / area;
    const auto place = [](std::uint32_t p) { return static_cast<int>(p & 0x7fff) - kHalf; };
    m.p_a = m.p_b = origin_ + lattice_ * Vec3d{{spacing_ * place(corner >> 16),
                                                spacing_ * place(corner >> 1), height / sum}};
    m.feature_a = static_cast<std::int64_t>(corner) | std::int64_t{1} << 60;
    m.feature_b = samples.front().feature_b;
    merged_.push_back(m);
  }
}

// Moves contacts so that all of them have this moment about the origin: each by l x F, the least
// change by squares. Along a force that all of them share there is none.
void PatchMerge::mend_moment(const Vec3d& moment) {
  Vec3d missing = moment;
  Mat3d a = Mat3d::zero();
  double scale = 0;
  for (const ContactSample& m : merged_) {
    const Vec3d f = force(m) * m.n;
    missing -= cross(m.p_a - origin_, f);
    const double f2 = squared_norm(f);
    scale += f2;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) a(i, j) += (i == j ? f2 : 0) - f[i] * f[j];
  }
  for (int i = 0; i < 3; ++i) a(i, i) += 1e-9 * scale;
  const Vec3d l = inverse(a) * missing;  // (l x F) x F = -(|F|^2 - F F^T) l
  for (ContactSample& m : merged_) m.p_a = m.p_b = m.p_a - cross(l, force(m) * m.n);
}

void PatchMerge::merge(std::vector<ContactSample>& samples, const Mat3d& turn, int most) {
  if (most <= 0 || samples.size() <= at_index(most)) return;
  across_ = std::max(kLeastAcross, std::sqrt(0.5 * most));
  if (!lay(samples, turn)) return;
  hand_out(samples);
  gather(samples);
  if (merged_.size() >= samples.size()) return;
  Vec3d moment = Vec3d::zero();
  for (const ContactSample& s : samples) moment += cross(where(s) - origin_, force(s) * s.n);
  mend_moment(moment);
  for (ContactSample& m : merged_) {
    const Vec3d half = (0.5 * m.gap) * m.n;
    m.p_a += half, m.p_b -= half;
  }
  samples.swap(merged_);
}

}  // namespace haptos
