#include "haptos/sim/coats/coats.h"

#include <algorithm>

#include "haptos/base/text/error.h"
#include "haptos/base/text/text.h"
#include "haptos/geometry/field/distance_field.h"
#include "haptos/sim/coats/condense.h"
#include "haptos/sim/model/model.h"

namespace haptos {
namespace {

// Cells along the longest side of a prescribed body.
constexpr int kResolution = 128;

std::shared_ptr<const DistanceField> field_of(const PrescribedBody& b) {
  if (b.surface.triangles.empty()) return nullptr;
  Shape shape;
  shape.kind = ShapeKind::kMesh;
  shape.mesh = std::make_shared<const TriMesh>(b.surface);
  try {
    return std::make_shared<DistanceField>(shape, kResolution,
                                           "prescribed body \"" + b.name + "\"");
  } catch (const InputError&) {
    return nullptr;
  }
}

}  // namespace

bool compile_coats(const Scene& scene, Model& model) {
  bool any = false;
  for (const SoftBody& b : scene.soft) {
    const bool layer = b.is_layer();
    model.coats.push_back(layer ? kept_compliance(b) : nullptr);
    any = any || layer;
  }
  if (any)
    for (const PrescribedBody& b : scene.prescribed) model.prescribed_fields.push_back(field_of(b));
  return any;
}

void doubt_coats(const Model& model, std::vector<std::string>& out) {
  for (std::size_t i = 0; i < model.prescribed_fields.size(); ++i) {
    const PrescribedBody& b = model.scene.prescribed[i];
    if (b.surface.empty() || model.prescribed_fields[i]) continue;
    out.push_back("Prescribed body \"" + printable(b.name) +
                  "\" has no inside, so pads of model hydroelastic do not touch it: close its "
                  "surface, or take model: elastic.");
  }
}

}  // namespace haptos
