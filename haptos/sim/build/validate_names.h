// Names of a scene: no two alike, and none that names nothing.
#pragma once

#include "haptos/scene/scene.h"

namespace haptos {

/// @throws InputError naming the entry, the name and what was meant
void check_names(const Scene& s);

}  // namespace haptos
