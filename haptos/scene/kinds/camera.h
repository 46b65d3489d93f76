// Cameras of a scene as a person describes them: pinholes that see colours and depth. What they
// see: docs/sensors/cameras.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "haptos/scene/parts/field.h"

namespace haptos {

struct SceneCamera {
  std::string name;
  std::string frame;  ///< what carries it: a body or a link; empty: the world
  /// Of the camera in that frame: x along the rows of its pictures, y down, z forward.
  Pose pose;
  /// Point in the frame that is in the middle of the picture, in place of the turn of `pose`; the
  /// frame's z points up there.
  std::optional<Vec3d> look_at;
  int width = 320, height = 240;  ///< [pixel]
  double fov = 0.8;               ///< angle from the top of a picture to its bottom [rad]
  double near = 0.01, far = 10;   ///< what is nearer or farther along z is not seen [m]
  int samples = 2;                ///< of colours, per pixel, each way
  bool shadows = true;
};

template <>
struct FieldsOf<SceneCamera> {
  static constexpr const char* kKind = "camera";
  static constexpr const char* kSection = "cameras";
  static const std::vector<Field<SceneCamera>>& table() {
    using S = SceneCamera;
    static const std::vector<Field<S>> t = {
        name_row<S>(),
        {{"frame", "", 0, 0,
          "prescribed, affine or rigid body, or link (`robot/link`), that carries it", "the world"},
         {}},
        {{"pose", "", 0, 0,
          "`{position, rotation}` in that frame: x along the rows of a picture, y down, z forward",
          "origin, no turn"},
         &S::pose},
        {{"look_at", "m", -limits::kLargestLength, limits::kLargestLength,
          "point in the frame that it looks at, its rows across the frame's z; in place of a "
          "rotation"},
         &S::look_at},
        {{"width", "", 1, 4096, "pixels of a row"}, &S::width},
        {{"height", "", 1, 4096, "rows of pixels"}, &S::height},
        {{"fov", "rad", 1e-3, 3.0, "angle from the top of a picture to its bottom"}, &S::fov},
        {{"near", "m", 1e-4, 1e3, "what is nearer, along z, is not seen"}, &S::near},
        {{"far", "m", 1e-3, 1e4, "what is farther, along z, is not seen"}, &S::far},
        {{"samples", "", 1, 6, "of colours, per pixel each way"}, &S::samples},
        {{"shadows", "", 0, 1, "whether things throw shadows on each other"}, &S::shadows},
    };
    return t;
  }
};

/// The camera's pose in its frame, turned to what it looks at.
Pose camera_pose(const SceneCamera& camera);

}  // namespace haptos
