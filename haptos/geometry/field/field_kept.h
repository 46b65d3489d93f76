// Distance fields of meshes, kept in the user's cache folder: they take a second to sample and
// milliseconds to read. They are found again by the bytes of the mesh, the resolution, and the code
// that makes them.
#pragma once

#include <memory>
#include <string>

#include "haptos/geometry/field/sampled_field.h"

namespace haptos {

/// As the constructor of SampledField, with the same bits, read where it was kept.
std::shared_ptr<const SampledField> kept_field(const TriMesh& mesh, int resolution,
                                               const std::string& element = "mesh");

}  // namespace haptos
