// The patches of a pressure surface by kernels, on the host or on a device: they are counted leaf
// by leaf, then allocated, then written, in the order of the leaves.
#pragma once

#include <vector>

#include "haptos/geometry/field/kernel_field.h"
#include "haptos/geometry/pressure/leaf_cutter.h"

namespace haptos {

class LeafKernels {
 public:
  /// @param own, other  the fields of the pairs that are given to cut()
  LeafKernels(const DistanceField& own, const DistanceField& other, MemorySpace space);

  /// @param pair, grid, leaves  of PressureSurface
  std::vector<PressurePatch> cut(const PressurePair& pair, const PressureGrid& grid,
                                 const std::vector<PressureLeaf>& leaves) const;

 private:
  MemorySpace space_;
  KernelField own_, other_;
  Array<CellPolygons> cases_;
};

/// phi at places in the frame of a field, three coordinates each.
void sample_field(const KernelField& field, ArrayView<const double> places, ArrayView<double> phi);

}  // namespace haptos
