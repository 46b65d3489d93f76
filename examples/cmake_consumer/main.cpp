// Prints the volume of a tetrahedron with legs of 10 mm, computed with Haptos' types.
#include <cmath>
#include <cstdio>
#include <string>

#include "haptos/base/math/math.h"
#include "haptos/base/text/error.h"
#include "haptos/geometry/mesh.h"
#include "haptos/version.h"

int main() {
  using haptos::Vec3d;
  haptos::TetMesh mesh;
  mesh.vertices = {{{0, 0, 0}}, {{0.01, 0, 0}}, {{0, 0.01, 0}}, {{0, 0, 0.01}}};  // [m]
  mesh.tets = {{{0, 1, 2, 3}}};

  const Vec3d origin = mesh.vertices[0];
  const double volume = dot(cross(mesh.vertices[1] - origin, mesh.vertices[2] - origin),
                            mesh.vertices[3] - origin) /
                        6;  // [m^3]
  haptos::Diagnostic note;  // a function of the library itself, so that linking is tested too
  note.element = "volume";
  note.value = std::to_string(volume * 1e9) + " mm^3";
  std::printf("haptos %s: %s\n", haptos::kVersion, note.sentence().c_str());
  return std::abs(volume - 1e-6 / 6) < 1e-18 ? 0 : 1;
}
