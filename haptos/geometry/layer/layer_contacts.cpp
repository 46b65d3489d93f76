#include "haptos/geometry/layer/layer_contacts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "haptos/base/math/index.h"
#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"

namespace haptos {
namespace {

// What is cut where depth is zero has corners there, on whichever side they are rounded to: their
// areas count all the same.
constexpr double kRound = 1e-9;
// Where nothing touches yet: what is nearer than as much again, and this part of R, comes together.
constexpr double kTogether = 2e-4;
// Of groups of faces, and of pairs of faces, so many are worth handing to another thread.
constexpr std::size_t kMeetings = 128, kFaces = 64;

}  // namespace

Vec3d LayerContacts::at(int side, int vertex) const {
  const Vec3d& x = soup(side).vertices()[at_index(vertex)];
  return side == 0 ? r_ * x + p_ : x;
}

Vec3d LayerContacts::plane_normal(int side, int plane) const {
  return turned(side, soup(side).planes()[at_index(plane)].n);
}

double LayerContacts::plane_offset(int side, int plane) const {
  const double d = soup(side).planes()[at_index(plane)].offset;
  return side == 0 ? d + dot(plane_normal(0, plane), p_) : d;
}

// False for a pose that is not finite.
bool LayerContacts::take(const LayerSurface& a, const LayerSurface& b) {
  if (!(a.width + b.width > 0))
    throw InputError({"", 0, 0, "layer", "0", "is zero on both sides of a pair",
                      "give one of the two surfaces a layer"});
  surface_[0] = a, surface_[1] = b;
  const Mat3d rb = to_matrix(b.pose.q);
  r_ = transpose(rb) * to_matrix(a.pose.q);
  p_ = transpose(rb) * (a.pose.p - b.pose.p);
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(p_[k]) || !std::isfinite(r_(k, k))) return false;
  R_ = a.width + b.width;
  return true;
}

// Each face of the first one is looked at by itself, those of the second one four at a time.
bool LayerContacts::take_coarser_first(const LayerSurface& a, const LayerSurface& b) {
  const auto fine = [](const LayerSurface& s) {
    return static_cast<double>(s.soup->faces().size()) / square(s.soup->extent());
  };
  exchanged_ = fine(b) < fine(a);
  return exchanged_ ? take(b, a) : take(a, b);
}

void LayerContacts::find(const LayerSurface& a, const LayerSurface& b, double reach,
                         std::vector<ContactSample>& out) {
  if (!take_coarser_first(a, b)) return;
  reach_ = reach;
  samples_.clear();
  find_pairs();
  const bool alone = thread_count() == 1 || meetings_.size() <= kMeetings;
  if (alone) {
    pair_up_all(meetings_);
    std::sort(faces_.begin(), faces_.end());
    find_facing(faces_);
    find_sharp(0), find_sharp(1);
  } else {
    find_in_parts();
  }
  write(out);
}

// The same samples in the same order, by several threads.
void LayerContacts::find_in_parts() {
  const auto chunks = (meetings_.size() + kMeetings - 1) / kMeetings;
  each_part(chunks, [&](LayerContacts& part, std::size_t k) {
    const std::span<const Meeting> all = meetings_;
    part.pair_up_all(all.subspan(k * kMeetings, std::min(kMeetings, all.size() - k * kMeetings)));
  });
  faces_.clear();
  for (std::size_t k = 0; k < chunks; ++k)
    faces_.insert(faces_.end(), parts_[k]->faces_.begin(), parts_[k]->faces_.end());
  std::sort(faces_.begin(), faces_.end());
  starts_.clear();
  for (std::size_t i = 0; i < faces_.size();) {
    starts_.push_back(i);
    i = std::min(i + kFaces, faces_.size());
    while (i < faces_.size() && faces_[i].same_planes(faces_[i - 1])) ++i;
  }
  starts_.push_back(faces_.size());
  const std::size_t facing = starts_.size() - 1;
  each_part(facing + 2, [&](LayerContacts& part, std::size_t k) {
    if (k < facing) return part.find_facing({&faces_[starts_[k]], starts_[k + 1] - starts_[k]});
    part.find_sharp(static_cast<int>(k - facing));
  });
  for (std::size_t k = 0; k < facing + 2; ++k)
    samples_.insert(samples_.end(), parts_[k]->samples_.begin(), parts_[k]->samples_.end());
}

template <class F>
void LayerContacts::each_part(std::size_t count, F&& f) {
  while (parts_.size() < count) parts_.push_back(std::make_unique<LayerContacts>());
  for_each(
      static_cast<std::ptrdiff_t>(count),
      [&](std::ptrdiff_t k) {
        LayerContacts& part = *parts_[at_index(k)];
        std::copy(surface_, surface_ + 2, part.surface_);
        part.r_ = r_, part.p_ = p_, part.R_ = R_, part.reach_ = reach_;
        part.samples_.clear();
        f(part, at_index(k));
      },
      1);
}

void LayerContacts::emit(int side, const Vec3d& own, const Vec3d& other, const Vec3d& n, double gap,
                         double area, std::int64_t own_feature, std::int64_t other_feature,
                         bool near) {
  if (!(area > 0) || gap > (R_ + reach_) * (1 + kRound)) return;
  // Behind a face is not inside: of a thin ridge that is beside its other flank.
  const bool behind = gap < -kRound * R_;
  if (behind && (gap < -R_ || !inside(1 - side, side == 0 ? own : across(1, own)))) return;
  if (side == 0)
    samples_.push_back({own, other, n, gap, area, near, own_feature, other_feature});
  else
    samples_.push_back({other, own, -n, gap, area, near, other_feature, own_feature});
}

// Shares of samples none of which touches: of what has come by the time that each of them does, as
// if all came at one speed. The first ones alone bear it all.
void LayerContacts::share_by_turns() {
  std::vector<int>& order = close_;
  order.resize(samples_.size());
  std::iota(order.begin(), order.end(), 0);
  const auto gap = [&](int i) { return std::max(0.0, samples_[at_index(i)].gap - R_); };
  std::sort(order.begin(), order.end(), [&](int i, int j) { return gap(i) < gap(j); });
  share_.resize(samples_.size());
  double before = 0, with = 0, moment = 0;  // areas up to a gap; within reach of it, times gaps too
  std::size_t own = 0, next = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const double g = gap(order[k]), span = g + kTogether * R_;
    for (; next < order.size() && gap(order[next]) <= g + span; ++next) {
      const double area = samples_[at_index(order[next])].area;
      with += area, moment += area * gap(order[next]);
    }
    for (; own < order.size() && gap(order[own]) <= g; ++own) {
      const double area = samples_[at_index(order[own])].area;
      before += area, with -= area, moment -= area * gap(order[own]);
    }
    const double later = std::max(0.0, with * (g + span) - moment) / span;
    share_[at_index(order[k])] = samples_[at_index(order[k])].area / (before + later);
  }
}

void LayerContacts::write(std::vector<ContactSample>& out) {
  const auto touches = [&](const Sample& s) { return !s.near && s.gap < R_ * (1 + kRound); };
  double touching = 0;
  for (const Sample& s : samples_)
    if (touches(s)) touching += s.area;
  if (!(touching > 0)) share_by_turns();
  const Mat3d rb = to_matrix(surface_[1].pose.q);
  const Vec3d pb = surface_[1].pose.p;
  for (std::size_t k = 0; k < samples_.size(); ++k) {
    const Sample& s = samples_[k];
    ContactSample c;
    c.n = rb * s.n;
    c.p_a = rb * s.x_a + pb - surface_[0].width * c.n;
    c.p_b = rb * s.x_b + pb + surface_[1].width * c.n;
    c.gap = s.gap - R_;
    c.area = s.area;
    // What is only near does not change how stiff the rest is.
    c.share = !(touching > 0) ? share_[k] : s.area / (touching + (touches(s) ? 0 : s.area));
    c.feature_a = s.feature_a, c.feature_b = s.feature_b;
    if (exchanged_) {
      c.n = -c.n;
      std::swap(c.p_a, c.p_b);
      std::swap(c.feature_a, c.feature_b);
    }
    out.push_back(c);
  }
}

}  // namespace haptos
