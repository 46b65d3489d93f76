// Contact at the nodes of a grid that lie behind what its points touch.
//
// Points touch with one velocity each, a sum of the 27 nodes about them. A node on the far side of
// the surface has hardly any weight in it, but its gradient counts: a liquid gets room by moving
// such nodes away, in which no point is, while its points gather at the wall. So for a liquid these
// nodes touch too: node i and point p with the normal n at the surface place q, if
//
//   (x_i - q) . n <= 0
//
// The normal of a node is the mean of those of its points, weighted by w_ip; where they differ much
// (a corner) it has one contact for each of up to three directions. Its gap is 0: it may leave the
// surface, and not come nearer.
#pragma once

#include <array>
#include <vector>

#include "haptos/contact/frozen/sampler.h"

namespace haptos {

class NodeSamples {
 public:
  void clear();
  /// A point that touches, or is next to what does: the parts of its place, the normal there, and
  /// how far its surface place is from it along -n [m].
  /// @param place  of a node, by its number among the points of the step
  template <class Place>
  void add(const Points::Part* parts, int count, const Vec3d& x, const Vec3d& n, double depth,
           const Place& place) {
    for (int k = 0; k < count; ++k) {
      const Vec3d at = place(parts[k].point);
      if (dot(at - x, n) + depth <= 0) given_.push_back({parts[k].point, parts[k].weight, n, at});
    }
  }
  /// The samples of the nodes.
  /// @param area  that each stands for [m2]
  /// @param id    of a node, the same in every step
  template <class Id>
  void finish(double area, const Id& id) {
    finish(area);
    for (std::size_t k = 0; k < samples_.size(); ++k) samples_[k].feature_a = id(parts_[k].point);
  }

  const std::vector<ContactSample>& samples() const { return samples_; }
  const SamplePlace* places() const { return places_.data(); }

 private:
  void finish(double area);

  struct Given {
    int node;
    double weight;
    Vec3d n, at;
  };
  std::vector<Given> given_;
  std::vector<ContactSample> samples_;
  std::vector<Points::Part> parts_;
  std::vector<SamplePlace> places_;
};

}  // namespace haptos
