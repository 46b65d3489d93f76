// Soups of large meshes, kept in the user's cache folder: a million triangles take two seconds to
// prepare and a tenth of one to read. They are found again by the bytes of the mesh, what is asked
// of its sides, by how much it shrinks, and the code that makes them.
#pragma once

#include <memory>
#include <string>

#include "haptos/geometry/soup/soup.h"

namespace haptos {

/// As the constructor of TriangleSoup, with the same bits, read where it was kept.
std::shared_ptr<const TriangleSoup> kept_soup(
    const TriMesh& mesh, const std::string& element = "mesh",
    TriangleSoup::Sides sides = TriangleSoup::Sides::kLookFor, double shrink_by = 0);

/// Triangles from which on soups are kept.
constexpr std::size_t kKeptTriangles = 50'000;

}  // namespace haptos
