// What a tactile sensor reads of one environment: functions of the compiled sensor, of a sample of
// the gel, and of the noise. They hold nothing; what touches each node comes from contact records
// (sensors/field/nodal_contact.h). Frames and equations: docs/sensors/tactile.md.
#pragma once

#include <cstdint>
#include <vector>

#include "haptos/sensors/gel/gel_sensor.h"

namespace haptos {

/// A gel at one time, as its sensor sees it.
struct GelSample {
  Mat3d turn = Mat3d::identity();  ///< R_WG of the gel frame
  Vec3d origin{{0, 0, 0}};         ///< p_WG [m]
  double time = 0;                 ///< [s]
  std::int64_t step = 0;           ///< numbers the noise of this sample
  std::uint64_t key = 0;           ///< of the noise (GelSensor::noise_key)
  std::vector<Vec3d> nodes;        ///< gel frame [m]
  NodalContact contact;            ///< gel frame
};

/// How a camera's image is wanted.
struct GelLook {
  bool compensated = false;  ///< of what touches, instead of the coat: moved over the gaps
  bool clean = false;        ///< without noise
  bool normals = true;       ///< whether they are asked for beside the depth
  bool raw = false;          ///< the coat's triangles as they are, not smoothed along contours
};

/// Buffers that readings reuse: one per thread or environment.
struct GelScratch {
  GelSample sample;
  DepthScratch depth;
  DepthImage image;
  std::vector<Vec3d> moved;
};

struct GelMarkers {
  MarkerReading seen;
  std::vector<Vec2d> undistorted;  ///< pixel in a pinhole without distortion
  std::vector<std::uint8_t> lost;  ///< 1 where the noise loses the marker
};

/// Depth and normals into scratch.image.
void read_surface(const GelSensor& sensor, const TactileNoise& noise, const GelSample& sample,
                  const GelLook& look, GelScratch& scratch);

/// Grey values (height, width, 3); the sensor must have colours. Clean: without noise, on the first
/// background.
/// @param dots  printed on this coat; null: none
void read_colours(const GelSensor& sensor, const TactileNoise& noise, const GelSample& sample,
                  const PrintedDots* dots, bool clean, std::vector<std::uint8_t>& out,
                  GelScratch& scratch);

/// @param printed  the markers where they are on this coat
void read_markers(const MarkerSensor& printed, const TactileNoise& noise, const GelSample& sample,
                  bool clean, GelMarkers& out);

}  // namespace haptos
