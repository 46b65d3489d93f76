// A distance field in the memory that kernels read: that of the host, or a device's.
#pragma once

#include "haptos/base/array.h"
#include "haptos/geometry/field/distance_field.h"

namespace haptos {

class KernelField {
 public:
  /// Copies the samples of a field; none of a formula.
  KernelField(const DistanceField& field, MemorySpace space);
  /// This must outlive it.
  const FieldView& view() const { return view_; }

 private:
  FieldView view_;
  Array<float> coarse_, value_;
  Array<std::int32_t> block_;
};

}  // namespace haptos
