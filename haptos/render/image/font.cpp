#include "haptos/render/image/font.h"

#include <map>

namespace haptos {
namespace {

/// A glyph as text: strokes parted by blanks, each a run of points "xy" in digits with y counted
/// from the lowest descender (so the base line is 2). A stroke after ~ is drawn round: its points
/// are the control polygon of a quadratic B-spline, closed when it ends where it began.
struct Drawing {
  char32_t c;
  const char* strokes;
  double x_scale = 1;
};

constexpr Drawing kDrawings[] = {
    {'0', "~0242480802"},
    {'1', "062822"},
    {'2', "~0708484602 0242"},
    {'3', "~0708484525 ~2545420203"},
    {'4', "32380444"},
    {'5', "480805 ~051646420203"},
    {'6', "~47480804 ~0242460602"},
    {'7', "084812"},
    {'8', "~0545480805 ~0242450502"},
    {'9', "~0444480804 ~46420203"},
    {'A', "022842 1434"},
    {'B', "0208 ~08383505 ~05454202"},
    {'C', "~474808024243"},
    {'D', "0208 ~08484202"},
    {'E', "48080242 0535"},
    {'F', "480802 0535"},
    {'G', "~474808024245 4525"},
    {'H', "0208 4248 0545"},
    {'I', "0208"},
    {'J', "~3834320203"},
    {'K', "0208 4804 1542"},
    {'L', "080242"},
    {'M', "0208244842"},
    {'N', "02084248"},
    {'O', "~0252580802"},
    {'P', "0208 ~08484505"},
    {'Q', "~0252580802 3351"},
    {'R', "0208 ~08484505 2542"},
    {'S', "~4748080545420203"},
    {'T', "0848 2822"},
    {'U', "~080402424448"},
    {'V', "082248"},
    {'W', "0822364268"},
    {'X', "0248 0842"},
    {'Y', "082548 2522"},
    {'Z', "08480242"},
    {'a', "~0232360602 3632"},
    {'b', "0208 ~0232360602"},
    {'c', "~353606023233"},
    {'d', "3238 ~0232360602"},
    {'e', "0434 ~343606023233"},
    {'f', "~28181612 0626"},
    {'g', "~0232360602 ~3632300001"},
    {'h', "0208 ~0406363432"},
    {'i', "0206 08"},
    {'j', "~16121000 18"},
    {'k', "0208 3604 1532"},
    {'l', "0208"},
    {'m', "0206 ~0406363432 ~3436666462", 0.85},
    {'n', "0206 ~0406363432"},
    {'o', "~0232360602"},
    {'p', "0600 ~0232360602"},
    {'q', "3630 ~0232360602"},
    {'r', "0206 ~040626"},
    {'s', "~3536060434320203"},
    {'t', "~18141222 0626"},
    {'u', "~0604023234 3632"},
    {'v', "062246", 0.85},
    {'w', "0622354266", 0.85},
    {'x', "0236 0632"},
    {'y', "0622 4610", 0.85},
    {'z', "06360232"},
    {'.', "02"},
    {',', "1200", 0.6},
    {':', "02 06"},
    {';', "16 1200", 0.6},
    {'-', "0535"},
    {'+', "0545 2327"},
    {'=', "0444 0646"},
    {'<', "380532"},
    {'>', "083502"},
    {'(', "~19070311"},
    {')', "~09171301"},
    {'[', "19090111"},
    {']', "09191101"},
    {'/', "0139"},
    {'|', "0109"},
    {'_', "0141"},
    {'*', "2428 0446 4406", 0.8},
    {'!', "0408 02"},
    {'?', "~070848452524 22"},
    {'\'', "0608"},
    {'"', "0608 1618"},
    {'%', "~0626280806 ~3252543432 0258"},
    {'^', "062826"},
    {U'\u00b0', "~0626280806"},
    {U'\u00b2', "~0728282604 0424", 0.8},
    {U'\u00b5', "0006 ~0604023234 3632"},
    {U'\u00b7', "05"},
    {U'\u00d7', "0337 0733", 0.9},
    {U'\u0394', "0228420202"},
    {U'\u03b8', "~0232380802 0535"},
};

/// Cuts the corners of a control polygon three times.
GlyphStroke rounded(GlyphStroke p) {
  const bool closed = p.size() > 2 && squared_norm(p.front() - p.back()) == 0;
  for (int pass = 0; pass < 3; ++pass) {
    GlyphStroke q;
    if (!closed) q.push_back(p.front());
    for (std::size_t k = 0; k + 1 < p.size(); ++k) {
      q.push_back(p[k] * 0.75 + p[k + 1] * 0.25);
      q.push_back(p[k] * 0.25 + p[k + 1] * 0.75);
    }
    q.push_back(closed ? q.front() : p.back());
    p = std::move(q);
  }
  return p;
}

struct Glyph {
  std::vector<GlyphStroke> strokes;
  double advance = 0;
};

Glyph parse(const Drawing& d) {
  Glyph g;
  double right = 0;
  for (const char* s = d.strokes; *s;) {
    if (*s == ' ') {
      ++s;
      continue;
    }
    const bool round = *s == '~';
    if (round) ++s;
    GlyphStroke stroke;
    for (; s[0] && s[0] != ' ' && s[1] && s[1] != ' '; s += 2) {
      stroke.push_back({{(s[0] - '0') * d.x_scale, s[1] - '2' + 0.0}});
      right = stroke.back()[0] > right ? stroke.back()[0] : right;
    }
    if (s[0] && s[0] != ' ') ++s;  // half a point, which a drawing must not have
    g.strokes.push_back(round ? rounded(std::move(stroke)) : std::move(stroke));
  }
  g.advance = right + kGlyphGap;
  return g;
}

const Glyph& find(char32_t c) {
  static const std::map<char32_t, Glyph> glyphs = [] {
    std::map<char32_t, Glyph> m;
    for (const Drawing& d : kDrawings) m[d.c] = parse(d);
    m[U' '] = {{}, 2.6};
    return m;
  }();
  static const Glyph box = parse({0, "0242480802"});
  const auto it = glyphs.find(c);
  return it == glyphs.end() ? box : it->second;
}

}  // namespace

const std::vector<GlyphStroke>& glyph(char32_t c) { return find(c).strokes; }

double glyph_advance(char32_t c) { return find(c).advance; }

std::u32string characters(std::string_view s) {
  std::u32string out;
  for (std::size_t i = 0; i < s.size();) {
    const unsigned char b = static_cast<unsigned char>(s[i]);
    const std::size_t extra = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc0 ? 1 : 0;
    char32_t c = extra == 3 ? b & 0x07u : extra == 2 ? b & 0x0fu : extra == 1 ? b & 0x1fu : b;
    if (i + extra >= s.size()) {
      out.push_back(b);
      ++i;
      continue;
    }
    for (std::size_t k = 1; k <= extra; ++k)
      c = (c << 6) | (static_cast<unsigned char>(s[i + k]) & 0x3fu);
    out.push_back(c);
    i += extra + 1;
  }
  return out;
}

}  // namespace haptos
