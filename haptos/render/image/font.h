// A stroke alphabet: every glyph is a few pen strokes on a grid, drawn for this project.
// The base line is y = 0, small letters reach 4, capitals and figures 6, descenders -2.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "haptos/base/math/math.h"

namespace haptos {

constexpr double kCapHeight = 6;
constexpr double kGlyphGap = 1.8;  ///< between glyphs, part of their advance

using GlyphStroke = std::vector<Vec2d>;  ///< a polyline; a single point is a dot

/// The strokes of a Unicode character; a character without a glyph is drawn as a box.
const std::vector<GlyphStroke>& glyph(char32_t c);
/// Distance to the next character's origin, grid units.
double glyph_advance(char32_t c);

/// The characters of UTF-8 text; a byte that belongs to none counts as one of its own.
std::u32string characters(std::string_view utf8);

}  // namespace haptos
