#include "haptos/sim/coats/coats.h"

#include <algorithm>

#include "haptos/base/text/text.h"
#include "haptos/sim/coats/condense.h"
#include "haptos/sim/model/model.h"

namespace haptos {

bool compile_coats(const Scene& scene, Model& model) {
  bool any = false;
  for (const SoftBody& b : scene.soft) {
    const bool layer = b.is_layer();
    model.coats.push_back(layer ? kept_compliance(b) : nullptr);
    any = any || layer;
  }
  return any;
}

void doubt_coats(const Model& model, std::vector<std::string>& out) {
  const auto& coats = model.coats;
  if (std::none_of(coats.begin(), coats.end(), [](const auto& c) { return !!c; })) return;
  for (std::size_t i = 0; i < model.prescribed_fields.size(); ++i) {
    const PrescribedBody& b = model.scene.prescribed[i];
    if (b.surface.empty() || model.prescribed_fields[i]) continue;
    out.push_back("Prescribed body \"" + printable(b.name) +
                  "\" has no inside, so pads of model hydroelastic do not touch it: close its "
                  "surface, or take model: elastic.");
  }
}

}  // namespace haptos
