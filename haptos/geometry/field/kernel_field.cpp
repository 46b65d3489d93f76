#include "haptos/geometry/field/kernel_field.h"

namespace haptos {

KernelField::KernelField(const DistanceField& field, MemorySpace space) : view_(field.view()) {
  const SampledField* s = field.sampled();
  if (!s) return;
  coarse_ = Array<float>(s->coarse(), space);
  block_ = Array<std::int32_t>(s->block(), space);
  value_ = Array<float>(s->value(), space);
  view_.samples.coarse = coarse_.view().data;
  view_.samples.block = block_.view().data;
  view_.samples.value = value_.view().data;
}

}  // namespace haptos
