// Samples of many triangles to few. Not for users; collide.h is.
#pragma once

#include <vector>

#include "haptos/geometry/collide/collide.h"

namespace haptos::detail {

/// Merges samples at one place (within `radius`), groups those that face one way (within 2.5
/// degrees) and keeps of every group the deepest and the corners of its outline, at most
/// `max_points`. The shares of a group keep their first moment where they can, and add up to the
/// group's part of the whole, by area where there is one. `samples` is used up.
void merge_samples(std::vector<ContactSample>& samples, double radius, double margin,
                   int max_points, std::vector<ContactSample>& out);

}  // namespace haptos::detail
