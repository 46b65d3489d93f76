// The contact field as an image: forces, areas and tractions per bin, none lost.
//
// The image of the camera is divided into width x height equal bins (its pixels, or fewer). Each
// triangle of the present coat is projected, cut at the borders of the bins, and each piece hands
// its force
//
//   int_piece t dA = (area of the piece on the coat) * t(centroid of the piece)
//
// to its bin, which is exact for a traction that is linear over the triangle. What lies outside the
// image is summed apart, so bins + outside = the field's force to round-off. Both sheets of a fold
// count. Under parallel rays and a pinhole the cuts are exact; a distorted camera projects corners
// and takes edges as straight, which moves forces by no more than the sagitta of an edge.
#pragma once

#include "haptos/scene/tactile/tactile_camera.h"
#include "haptos/sensors/field/contact_field.h"

namespace haptos {

/// Row-major, top row first; vectors have x, y, z as planes: (3, height, width).
struct ForceImage {
  int width = 0, height = 0;
  std::vector<double> force;     ///< on the gel in each bin [N], (3, height, width)
  std::vector<double> area;      ///< of the present coat in each bin [m2]
  std::vector<double> touched;   ///< the part of it that is in contact [m2]
  std::vector<double> pressure;  ///< mean over the bin's coat [Pa]; 0 where there is none
  std::vector<double> shear;     ///< mean tangential traction [Pa], (3, height, width)
  Vec3d outside{{0, 0, 0}};      ///< force on coat that the image does not show [N]
};

/// @param width, height  number of bins; 0: the camera's pixels
/// Throws InputError for a size that cannot be used.
ForceImage force_image(const TactileCamera& camera, const Coat& coat, const ContactField& field,
                       int width = 0, int height = 0);

}  // namespace haptos
