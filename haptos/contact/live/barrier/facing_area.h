// The area that a sample of a stiff body stands for, as it faces what it presses on:
//
//   A_s = sum over its triangles of  a_t max(0, -n_t . n)        a_t their parts of the quadrature
//
// n from the other surface to the sample. A corner between a flat end and the walls beside it
// stands for the end alone, so that a flat end presses evenly up to its rim. At least a thousandth
// of all of it is left, whichever way a surface faces.
//
// Frozen where candidates are found, as the areas of the other surface's corners are.
#pragma once

#include <span>

#include "haptos/contact/surface.h"

namespace haptos {

class FacingArea {
 public:
  FacingArea() = default;
  /// @param lattice  of surface_samples()
  FacingArea(const ContactSurface& surface, const std::vector<SurfaceSample>& samples,
             const std::vector<int>& lattice, int divisions);
  /// Of a sample, with the surface's points at x and n from what it faces to it.
  double area(const std::vector<Vec3d>& x, int sample, const Vec3d& n) const;
  /// Of a sample at p near these cells of the other surface, along the shortest distance; all of it
  /// beside loose cells.
  double area(const std::vector<Vec3d>& x, int sample, const Vec3d& p, const ContactSurface& other,
              std::span<const int> near) const;
  bool empty() const { return start_.empty(); }

 private:
  const ContactSurface* surface_ = nullptr;
  std::vector<int> start_, triangle_;  // of each sample its triangles
  std::vector<double> part_;           // of the triangle's area
  std::vector<double> whole_;          // [m2]
};

}  // namespace haptos
