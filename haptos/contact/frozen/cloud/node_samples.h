// Contact at the nodes of a grid, in two ways: of points that touch, summed up, and at those that
// lie behind what points touch.
//
// Summed up, a node touches with the part of each point's area that it moves,
//
//   A_i = sum_p w_ip A_p,   n_i ~ sum_p w_ip A_p n_p,   gap_i = sum_p w_ip A_p gap_p / A_i,
//
// at its own place, on both sides, so that no moment is lost. What touches is held to the wall node
// by node, not point by point: it grips better, is stiffer by a layer of about a cell, and a
// contact adds to one block of the matrix.
//
// Behind: points touch with one velocity each, a sum of the 27 nodes about them. A node on the far
// side of the surface has hardly any weight in it, but its gradient counts: a liquid gets room by
// moving such nodes away, in which no point is, while its points gather at the wall. So for a
// liquid these nodes touch too: node i and point p with the normal n at the surface place q, if
//
//   (x_i - q) . n <= 0
//
// Its gap is 0: it may leave the surface, and not come nearer.
//
// The normal of a node is the mean of those of its points, weighted by w_ip or w_ip A_p; where they
// differ much (a corner) it has one contact for each of up to three directions.
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
      if (dot(at - x, n) + depth <= 0)
        given_.push_back({parts[k].point, parts[k].weight, 0, n, at});
    }
  }
  /// A point that touches, to be summed up: the parts of its place, and its sample.
  template <class Place>
  void sum_up(const Points::Part* parts, int count, const ContactSample& s, const Place& place) {
    for (int k = 0; k < count; ++k)
      given_.push_back(
          {parts[k].point, parts[k].weight * s.area, s.gap, s.n, place(parts[k].point)});
  }
  /// The samples of the nodes.
  /// @param area  that each stands for [m2]; 0: what was summed up
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
    double weight, gap;
    Vec3d n, at;
  };
  std::vector<Given> given_;
  std::vector<ContactSample> samples_;
  std::vector<Points::Part> parts_;
  std::vector<SamplePlace> places_;
};

}  // namespace haptos
