// Finished pictures for reports: tactile maps with axes and colour bars, marker flow, and the two
// standard views of a scene. Plain arrays in, Image out, so that any sensor or script can use them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "haptos/base/math/math.h"
#include "haptos/render/image/colormap.h"
#include "haptos/render/image/image.h"
#include "haptos/render/render.h"

namespace haptos {

/// A measured quantity over an image: (height, width), top row first; not-a-number is left grey.
struct ScalarField {
  int width = 0, height = 0;
  std::span<const float> values;
  double pitch = 1;  ///< metres per pixel
};

struct FieldPictureOptions {
  int scale = 2;                         ///< screen pixels per field pixel, each way
  std::string title;                     ///< above the picture
  std::string quantity = "depth [mm]";   ///< above the colour bar, with the unit shown
  double unit = 1e3;                     ///< values are multiplied by this before they are shown
  std::optional<double> lo, hi;          ///< range shown, in the unit shown; otherwise the data's
  Colormap map = Colormap::kSequential;  ///< kDiverging makes the range even about zero
};

/// Colour-mapped field with axes in millimetres from the image's centre and a colour bar.
/// Throws InputError when the sizes do not match or the picture would be larger than 16384 pixels.
Image field_picture(const ScalarField& field, const FieldPictureOptions& options);

/// The depth of a tactile gel [m], shown in millimetres, pressed bright.
Image depth_picture(const ScalarField& depth, int scale = 2, const std::string& title = "");

/// A normal map (3, height, width) as colours: x, y and z of the normal to red, green and blue.
Image normal_picture(int width, int height, std::span<const float> normal, int scale = 2);

/// Discs at (column, row); entries with visible == 0 are left out (empty: all are drawn).
void draw_markers(Image& image, std::span<const Vec2d> pixels,
                  std::span<const std::uint8_t> visible, double radius,
                  Color color = {0.10f, 0.11f, 0.13f}, double opacity = 1);

/// An arrow from each `from` along gain times (to - from), coloured by the length of the flow from
/// 0 to `longest` pixels; zero or less: the longest of the data.
void draw_flow(Image& image, std::span<const Vec2d> from, std::span<const Vec2d> to,
               std::span<const std::uint8_t> visible, double gain = 1, double width = 2,
               double longest = 0);

struct FlowPictureOptions {
  int scale = 2;
  double gain = 1;             ///< arrows are drawn this many times their length
  double marker_radius = 2.5;  ///< [field pixel]
  std::string title;
};

/// Markers now (dark), where they were (rings) and their flow, on a pale copy of `under` when
/// given.
Image flow_picture(int width, int height, double pitch, std::span<const Vec2d> from,
                   std::span<const Vec2d> to, std::span<const std::uint8_t> visible,
                   const FlowPictureOptions& options = {}, const ScalarField* under = nullptr);

/// The scene seen from the front, a third of a right angle and more above the horizon.
Image view_above(const RenderScene& scene, const RenderOptions& options = {});

/// The scene cut along the plane through `centre` that faces the viewer, seen almost level.
Image view_side_cutaway(RenderScene scene, const Vec3d& centre, const RenderOptions& options = {});

/// Writes a line of text in the top left corner.
void caption(Image& image, const std::string& text, double size = 16);

/// Pictures side by side on white, aligned at their tops.
Image beside(std::span<const Image> images, int gap = 24);

}  // namespace haptos
