// Noise of a tactile sensor's images and markers. Everything is off by default.
//
// Random numbers are those of base/math/random.h, functions of (seed, env, the sensor's name,
// sample number, what they are for, pixel or marker): the same bits on every machine, for any
// number of threads, whatever other sensors there are. What is drawn once for a sensor uses the
// sample number -1. Standard deviations of N(0, std^2), all applied in this order:
//   depth     morphology: the sample is eroded or dilated by a square of 3, 5, ... `morphology`
//             pixels or left alone, each width alike; Gaussian blur of 0 to `blur` pixels
//   normals   texture: heights N(0, texture^2) on the pixel grid are added to the depth, their
//             slopes to the normals
//   image     I' = gain I + offset + N(0, rgb^2); gain and offset have a part drawn once
//   markers   the grid is wider or narrower by up to `interval` of its pitch; each marker is off
//             it by up to `fabrication` in x and y; the grid is turned by up to `rotation` about
//             its centre and moved by up to `translation`, all uniform, drawn once; pixels jitter
//             by N(0, jitter^2); each is lost with probability `loss`, by sample
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "haptos/scene/tactile/noise.h"
#include "haptos/sensors/optics/rgb.h"
#include "haptos/sensors/tactile/markers.h"

namespace haptos {

/// The key of all random numbers of one sensor of one environment.
std::uint64_t tactile_noise_key(std::uint64_t seed, std::uint32_t env, std::string_view sensor);

/// Morphology and blur of a depth image [m]; not-a-number stays where it is.
void add_depth_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample, int width,
                     int height, std::vector<float>& depth);

/// Texture on depth and normals; `pitch`: metres per pixel.
void add_texture(const TactileNoise& noise, std::uint64_t key, std::int64_t sample, int width,
                 int height, double pitch, std::vector<float>& depth, std::vector<float>& normal);

/// All noise of depth and normals: where morphology or blur change the depth, normals turn by the
/// change of its slope, so a pad that is not flat keeps its shape; then texture.
/// @param pitch  metres per pixel, greater than 0
void add_surface_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                       double pitch, DepthImage& image);

/// Gain, offset and noise of an image of grey values (height, width, 3), cut at 0 and 255.
void add_image_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                     std::vector<float>& image);

/// Where the markers of a grid were really printed, gel frame x and y [m], row by row.
std::vector<Vec2d> printed_markers(const TactileNoise& noise, std::uint64_t key,
                                   const MarkerGrid& grid);

/// Jitter of marker pixels; `seen` becomes 0 where a marker is lost, and is left alone otherwise.
void add_marker_noise(const TactileNoise& noise, std::uint64_t key, std::int64_t sample,
                      std::vector<Vec2d>& pixel, std::vector<std::uint8_t>& seen);

}  // namespace haptos
