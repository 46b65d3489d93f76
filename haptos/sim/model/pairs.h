// Which options of a scene hold for contact between two of its bodies.
#pragma once

#include "haptos/scene/scene.h"

namespace haptos {

/// The entry of scene.pairs for these bodies, in either order: the one that names them most
/// closely, by themselves, by the robot of a link, or by their groups; nullptr where there is none.
const PairOptions* pair_options(const Scene& scene, const std::string& a, const std::string& b);

/// Whether a constraint joins the two, so that they do not touch.
bool joined(const Scene& scene, const std::string& a, const std::string& b);

/// Whether the two may touch: not glued together, not joined and not switched off.
bool may_touch(const Scene& scene, const std::string& a, const std::string& b);

}  // namespace haptos
