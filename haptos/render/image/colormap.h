// Colour maps for measured quantities, made by formula in the Oklab colour space (B. Ottosson 2020,
// "A perceptual color space for image processing"), so that equal steps of the value look equal.
//   sequential  lightness rises evenly from dark violet through green to yellow
//   diverging   dark blue - near white at zero - dark red, both arms of the same lightness
//   grey        lightness alone
// Chroma is lowered where the screen cannot show it; lightness and hue are kept.
#pragma once

#include "haptos/render/image/image.h"

namespace haptos {

enum class Colormap { kSequential, kDiverging, kGrey };

/// The colour of v in 0 .. 1 (held to that range); the diverging map is neutral at 0.5.
/// Not-a-number gives a mid grey.
Color map_color(Colormap map, double v);

/// Oklab lightness of a colour, 0 (black) .. 1 (white).
float lightness(Color c);

/// The sRGB colour nearest to Oklch (lightness, chroma, hue in radians) that a screen can show.
Color color_from_oklch(float lightness, float chroma, float hue);

}  // namespace haptos
