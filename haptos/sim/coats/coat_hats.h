// The places of a coat: its nodes, what is midway between two of them (probes), what is midway
// between two of those (looks), and hats of nodes on probes, of probes on looks.
#pragma once

#include <vector>

#include "haptos/scene/kinds/soft_body.h"
#include "haptos/system/coat/coat_compliance.h"

namespace haptos {

/// Fills all but the compliances.
/// @return of each probe the integral of its hat [m2]
std::vector<double> find_hats(const SoftBody& pad, CoatCompliance& c);

}  // namespace haptos
