// What colours a tactile sensor's images: its lights, or a table fitted to pictures. How an image
// comes of them: sensors/optics/photometric.h and sensors/optics/rgb_table.h.
#pragma once

#include <string>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

struct TactileLight {
  enum class Kind { kPoint, kDirectional };
  Kind kind = Kind::kPoint;
  Vec3d at = {{0.02, 0, -0.01}};     ///< position [m], or direction from the gel to the light
  Vec3d colour = {{255, 255, 255}};  ///< red, green, blue [grey value]
};

struct LightRig {
  std::vector<TactileLight> lights;
  Vec3d ambient = {{0, 0, 0}};  ///< [grey value]
  double diffuse = 1;           ///< k_d
  double specular = 0;          ///< k_s
  int shininess = 8;            ///< alpha, 1 to 256

  /// Throws InputError on a light or a number that cannot be used.
  void check() const;
};

struct ShadowTable {
  int directions = 0, depths = 0, steps = 0;
  std::vector<float> change;     ///< (3, directions, depths, steps) [grey value], at most 0
  std::vector<float> direction;  ///< of the ray in the image, rad, x right, y down, ascending
  std::vector<float> depth;      ///< of the press [m], ascending
  double step = 1.25;            ///< [pixel]
  double fan = 0.1;              ///< half angle [rad]
  int fan_rays = 3;
  double blur = 2;          ///< standard deviation [pixel]
  double threshold = 5e-5;  ///< depth where contact begins [m]

  bool empty() const { return change.empty(); }
  void check() const;  ///< throws InputError
};

/// The colours of a sensor as read from a file (docs/sensors/rgb.md).
struct TactileColours {
  enum class Kind { kLights, kTable };
  Kind kind = Kind::kLights;
  std::string file;                 ///< that it came from
  double pitch = 0;                 ///< metres per pixel, for noise of the depth; 0: the camera's
  LightRig rig;                     ///< of lights
  int bins = 0;                     ///< of a table, each way
  std::vector<float> coefficients;  ///< of a table, (3, bins, bins, 6)
  double smoothing = 0;             ///< of a table [pixel]
  ShadowTable shadow;               ///< of a table; may be empty
  /// Without contact the sensor shows one of these, (height, width, 3) grey values; which one is
  /// drawn from the noise's key. One that is empty is what the lights show.
  std::vector<std::vector<float>> backgrounds = {{}};
};

}  // namespace haptos
