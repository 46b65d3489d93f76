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
// Corners of the lattice on either side of its middle; what is farther away is handed to the last.
constexpr int kHalf = 128;

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

// To each corner what its patches hand it, in their order.
void PatchMerge::hand_out(const std::vector<ContactSample>& samples) {
  places_.clear();
  int lo[2] = {kHalf, kHalf}, hi[2] = {-kHalf, -kHalf};
  for (const ContactSample& s : samples) {
    const Vec3d u = transpose(lattice_) * (where(s) - origin_);
    Place p;
    for (int k = 0; k < 2; ++k) {
      const double at = clamp(u[k] * (1 / spacing_), -kHalf + 2.0, kHalf - 2.0);
      p.low[k] = static_cast<int>(std::floor(at)), p.part[k] = at - p.low[k];
      lo[k] = std::min(lo[k], p.low[k]), hi[k] = std::max(hi[k], p.low[k] + 1);
    }
    p.height = u[2];
    places_.push_back(p);
  }
  first_ = {{lo[0], lo[1]}};
  across_y_ = hi[1] - lo[1] + 1;
  handed_.assign(at_index(2 * (hi[0] - lo[0] + 1) * across_y_), Handed());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const ContactSample& s = samples[i];
    const Place& p = places_[i];
    const double along = clamp(0.5 + 0.5 * dot(s.n, column(lattice_, 2)) / kForward, 0.0, 1.0);
    const double way[2] = {along * along * (3 - 2 * along), 1 - along * along * (3 - 2 * along)};
    const double whole = force(s), stiff = stiffness(s);
    for (int c = 0; c < 8; ++c) {
      const int x = c & 1, y = c >> 1 & 1, back = c >> 2;
      const double w =
          (x ? p.part[0] : 1 - p.part[0]) * (y ? p.part[1] : 1 - p.part[1]) * way[back];
      if (!(w > 0)) continue;
      Handed& to =
          handed_[at_index(2 * ((p.low[0] + x - lo[0]) * across_y_ + p.low[1] + y - lo[1]) + back)];
      const double one = w * whole;
      to.force += one * s.n, to.sum += one, to.height += one * p.height;
      to.stiffness += w * stiff, to.area += w * s.area, to.share += w * s.share;
    }
  }
}

void PatchMerge::gather(const std::vector<ContactSample>& samples) {
  merged_.clear();
  for (std::size_t i = 0; i < handed_.size(); ++i) {
    const Handed& h = handed_[i];
    const double size = norm(h.force);
    if (!(size > 0)) continue;
    const int corner = static_cast<int>(i) / 2, x = first_[0] + corner / across_y_,
              y = first_[1] + corner % across_y_;
    ContactSample m;
    m.n = h.force * (1 / size);
    m.gap = -size / h.stiffness;
    m.area = h.area, m.share = h.share, m.stiffer = h.stiffness / h.area;
    m.p_a = m.p_b = origin_ + lattice_ * Vec3d{{spacing_ * x, spacing_ * y, h.height / h.sum}};
    const auto bits = [](int p) { return std::int64_t{p + kHalf}; };
    m.feature_a =
        bits(x) << 16 | bits(y) << 1 | static_cast<std::int64_t>(i % 2) | std::int64_t{1} << 60;
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

bool PatchMerge::merge(std::vector<ContactSample>& samples, const Mat3d& turn, int most) {
  if (most <= 0 || samples.size() <= at_index(most)) return false;
  across_ = std::max(kLeastAcross, std::sqrt(0.5 * most));
  if (!lay(samples, turn)) return false;
  hand_out(samples);
  gather(samples);
  if (merged_.size() >= samples.size()) return false;
  Vec3d moment = Vec3d::zero();
  for (const ContactSample& s : samples) moment += cross(where(s) - origin_, force(s) * s.n);
  mend_moment(moment);
  for (ContactSample& m : merged_) {
    const Vec3d half = (0.5 * m.gap) * m.n;
    m.p_a += half, m.p_b -= half;
  }
  samples.swap(merged_);
  return true;
}

}  // namespace haptos
