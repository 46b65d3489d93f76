// Points of a slave surface that friction holds on to, and how what presses between them is shared:
// every triangle is divided n times along each edge, and a place of a small triangle belongs to its
// corners by its barycentric weights.
#pragma once

#include "haptos/contact/surface.h"

namespace haptos {

class SlaveLattice {
 public:
  SlaveLattice(const ContactSurface& surface, int divisions)
      : points_(surface_samples(surface, divisions, &lattice_)),
        n_(divisions),
        each_(static_cast<std::size_t>((n_ + 1) * (n_ + 2) / 2)) {}

  const std::vector<SurfaceSample>& points() const { return points_; }

  struct Share {
    int point[3];
    double weight[3];
  };
  /// Of a place on a triangle, with weights u and v of its second and third corner.
  Share share(int triangle, double u, double v) const;

 private:
  int number(int triangle, int i, int j) const {
    const int row = i * (n_ + 1) - i * (i - 1) / 2;  // rows get shorter by one
    const std::size_t first = static_cast<std::size_t>(triangle) * each_;
    return lattice_[first + static_cast<std::size_t>(row + j)];
  }

  std::vector<int> lattice_;
  std::vector<SurfaceSample> points_;
  int n_;
  std::size_t each_;  // points of a triangle
};

}  // namespace haptos
