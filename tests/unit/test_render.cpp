#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <filesystem>

#include "haptos/base/parallel.h"
#include "haptos/base/text/error.h"
#include "haptos/render/image/draw.h"
#include "haptos/render/pictures.h"

namespace haptos {
namespace {

RenderMesh box_mesh(const Vec3d& lo, const Vec3d& hi) {
  RenderMesh m;
  for (int k = 0; k < 8; ++k)
    m.vertices.push_back({{k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]}});
  m.triangles = {{{0, 2, 3}}, {{0, 3, 1}}, {{4, 5, 7}}, {{4, 7, 6}}, {{0, 1, 5}}, {{0, 5, 4}},
                 {{2, 6, 7}}, {{2, 7, 3}}, {{0, 4, 6}}, {{0, 6, 2}}, {{1, 3, 7}}, {{1, 7, 5}}};
  return m;
}

RenderOptions quick(int width, int height) {
  RenderOptions o;
  o.width = width;
  o.height = height;
  o.samples = 2;
  o.shadows = o.ambient_occlusion = false;
  return o;
}

Camera front(double height) {
  Camera c;
  c.eye = {{0, -10, 0}};
  c.target = {{0, 0, 0}};
  c.orthographic = true;
  c.ortho_height = height;
  return c;
}

RenderMesh unlit(RenderMesh m, Color color) {
  m.finish = Finish::kUnlit;
  m.color = color;
  return m;
}

int count_near(const Image& image, int r, int g, int b) {
  int n = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    n += std::abs(image.rgb[i] - r) <= 2 && std::abs(image.rgb[i + 1] - g) <= 2 &&
         std::abs(image.rgb[i + 2] - b) <= 2;
  return n;
}

constexpr Color kRed{0.6f, 0.1f, 0.1f};  // 153, 26, 26: below the shoulder of the tone curve

TEST(Render, AnUnlitBoxCoversItsProjectionToThePixel) {
  RenderScene s;
  s.meshes.push_back(unlit(box_mesh({{-1, -1, -0.5}}, {{1, 1, 0.5}}), kRed));
  const Image image = render(s, front(4), quick(160, 120));  // 30 pixels per unit
  EXPECT_EQ(count_near(image, 153, 26, 26), 60 * 30);
  EXPECT_NEAR(image.at(60, 80)[0], 153, 1);
  EXPECT_GT(image.at(44, 80)[0], 200);  // one row above the box
  EXPECT_NEAR(image.at(45, 80)[0], 153, 1);
}

TEST(Render, TheNearerMeshHidesTheFartherOne) {
  RenderScene s;
  s.meshes.push_back(unlit(box_mesh({{-1, -2, -1}}, {{0, -1, 1}}), kRed));
  s.meshes.push_back(unlit(box_mesh({{-1, 1, -1}}, {{1, 2, 1}}), {0.1f, 0.1f, 0.6f}));
  for (const bool orthographic : {true, false}) {
    Camera c = front(4);
    c.orthographic = orthographic;
    const Image image = render(s, c, quick(160, 120));
    EXPECT_NEAR(image.at(60, 70)[0], 153, 1) << orthographic;
    EXPECT_NEAR(image.at(60, 90)[2], 153, 1) << orthographic;
  }
}

TEST(Render, APictureIsTheSameForAnyNumberOfThreads) {
  RenderScene s;
  s.meshes.push_back(box_mesh({{-2, -2, -1}}, {{2, 2, 0}}));
  s.meshes[0].finish = Finish::kGel;
  s.meshes.push_back(sphere_mesh({{0, 0, 0.7}}, 0.8, 20));
  s.meshes.push_back(sphere_mesh({{1, 0, 0.7}}, 0.4, 12));
  s.meshes.back().opacity = 0.4;
  s.arrows.push_back({{{0, 0, 1.5}}, {{0, 0, 2.5}}, 0.06});
  s.ground = -1.0;
  RenderOptions o = quick(120, 90);
  o.shadows = o.ambient_occlusion = true;
  const Camera c = frame_scene(s, {{0.5, 1, -0.6}}, 4.0 / 3);
  set_thread_count(1);
  const Image one = render(s, c, o);
  set_thread_count(4);
  const Image four = render(s, c, o);
  set_thread_count(0);
  EXPECT_EQ(one.rgb, four.rgb);
}

TEST(Render, TheClipPlaneOpensABoxAndClosesTheCutWithACap) {
  RenderScene s;
  RenderMesh m = unlit(box_mesh({{-1, -1, -1}}, {{1, 1, 1}}), kRed);
  m.cap_color = {0.1f, 0.5f, 0.1f};
  s.meshes.push_back(m);
  // A ball inside that is not cut stands out of the cap by half.
  RenderMesh ball = unlit(sphere_mesh({{0, 0, 0}}, 0.5, 32), {0.1f, 0.1f, 0.6f});
  ball.clipped = false;
  s.meshes.push_back(ball);
  s.clip = ClipPlane{{{0, -1, 0}}, 0};  // keeps y >= 0
  const Image image = render(s, front(4), quick(160, 120));
  const int ball_pixels = count_near(image, 26, 26, 153);
  EXPECT_NEAR(ball_pixels, 3.14159 * 15 * 15, 60);
  EXPECT_EQ(count_near(image, 153, 26, 26), 0);  // no wall of the box is seen, inside or out
  // The cap is a shade of its colour, everywhere on the rest of the cut.
  const std::uint8_t* p = image.at(60, 105);
  EXPECT_GT(p[1], 2.5 * p[0]);
  EXPECT_GT(count_near(image, p[0], p[1], p[2]), 3600 - ball_pixels - 110);  // rim of the ball
}

TEST(Render, ABallDarkensTheGroundInItsShadowOnly) {
  RenderScene s;
  s.meshes.push_back(sphere_mesh({{0, 0, 1}}, 0.5, 24));
  s.ground = 0.0;
  Camera c;
  c.eye = {{0, -0.01, 10}};
  c.orthographic = true;
  c.ortho_height = 8;
  RenderOptions o = quick(160, 120);
  o.key_direction = {{-1, 0, 1}};  // from the left at 45 degrees: the shadow falls one unit right
  o.shadows = true;
  const Image lit = render(s, c, o);
  EXPECT_LT(lit.at(60, 95)[1], 215);
  EXPECT_GT(lit.at(60, 65)[1], 235);
  o.shadows = false;
  EXPECT_GT(render(s, c, o).at(60, 95)[1], 235);
}

TEST(Render, AutomaticFramingKeepsTheSceneInsideThePicture) {
  RenderScene s;
  s.meshes.push_back(unlit(box_mesh({{3, 4, 5}}, {{7, 6, 5.5}}), kRed));
  for (const bool orthographic : {true, false}) {
    const Camera c = frame_scene(s, {{0.3, 1, -0.7}}, 4.0 / 3, 0.6, 0.1, orthographic);
    const Image image = render(s, c, quick(160, 120));
    int left = 160, right = -1, top = 120, bottom = -1;
    for (int r = 0; r < 120; ++r)
      for (int col = 0; col < 160; ++col)
        if (image.at(r, col)[1] < 60) {
          left = std::min(left, col), right = std::max(right, col);
          top = std::min(top, r), bottom = std::max(bottom, r);
        }
    EXPECT_NEAR(left, 8, 2) << orthographic;  // a tenth is free, half of it on either side
    EXPECT_NEAR(right, 151, 2) << orthographic;
    EXPECT_NEAR(top, 119 - bottom, 2) << orthographic;
  }
}

TEST(Render, BadInputNamesItsElement) {
  RenderScene s;
  s.meshes.push_back(box_mesh({{-1, -1, -1}}, {{1, 1, 1}}));
  EXPECT_THROW(render(s, front(4), quick(0, 10)), InputError);
  Camera c = front(4);
  c.target = c.eye;
  EXPECT_THROW(render(s, c, quick(16, 16)), InputError);
  s.meshes[0].triangles[3][1] = 8;
  EXPECT_THROW(render(s, front(4), quick(16, 16)), InputError);
  s.meshes[0].triangles[3][1] = 2;
  s.meshes[0].vertices[2][0] = std::nan("");
  EXPECT_THROW(render(s, front(4), quick(16, 16)), InputError);
}

TEST(Render, AnEmptySceneIsTheBackground) {
  const Image image = render({}, front(4), quick(32, 24));
  for (int r = 0; r < 24; ++r) EXPECT_GE(image.at(r, 16)[2], 235);
}

TEST(Colormap, LightnessOfTheSequentialMapRisesEvenly) {
  for (int i = 0; i < 64; ++i) {
    const double t = i / 64.0;
    const float step = lightness(map_color(Colormap::kSequential, t + 1 / 64.0)) -
                       lightness(map_color(Colormap::kSequential, t));
    ASSERT_NEAR(step, 0.70 / 64, 0.002) << t;
  }
}

TEST(Colormap, TheDivergingMapIsNeutralAtZeroAndEvenInLightnessAboutIt) {
  const Color mid = map_color(Colormap::kDiverging, 0.5);
  EXPECT_NEAR(mid.r, mid.g, 0.02);
  EXPECT_NEAR(mid.b, mid.g, 0.02);
  for (double d = 0.05; d <= 0.5; d += 0.05) {
    const Color lo = map_color(Colormap::kDiverging, 0.5 - d),
                hi = map_color(Colormap::kDiverging, 0.5 + d);
    ASSERT_NEAR(lightness(lo), lightness(hi), 0.01);
    ASSERT_GT(lo.b, lo.r);
    ASSERT_GT(hi.r, hi.b);
  }
}

TEST(Draw, ADiscCoversItsAreaAndALineItsLengthTimesItsWidth) {
  const auto ink = [](const Image& image) {
    double sum = 0;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) sum += 1 - image.rgb[i] / 255.0;
    return sum;
  };
  Image a(64, 64);
  draw_disc(a, {{31.3, 30.7}}, 11.5, {0, 0, 0});
  EXPECT_NEAR(ink(a), 3.14159 * 11.5 * 11.5, 3);
  Image b(64, 64);
  draw_line(b, {{10, 12}}, {{50, 42}}, 3, {0, 0, 0});
  EXPECT_NEAR(ink(b), 50 * 3 + 3.14159 * 1.5 * 1.5, 3);  // round ends
  Image c(64, 64);
  draw_disc(c, {{-100, 1e9}}, 5, {0, 0, 0});
  draw_line(c, {{std::nan(""), 0}}, {{3, 3}}, 1, {0, 0, 0});
  EXPECT_EQ(ink(c), 0);
}

TEST(Draw, TextFillsTheWidthItReports) {
  for (const char* text : {"0.25 mm", "Force [N]", "10 \u00b5m \u00d7 3"}) {
    Image image(300, 60);
    draw_text(image, {{20, 40}}, text, 18, {0, 0, 0});
    int left = 300, right = -1;
    for (int r = 0; r < 60; ++r)
      for (int c = 0; c < 300; ++c)
        if (image.at(r, c)[0] < 128) left = std::min(left, c), right = std::max(right, c);
    EXPECT_NEAR(left, 20, 3) << text;
    EXPECT_NEAR(right, 20 + text_width(text, 18), 3) << text;
  }
}

TEST(Draw, TicksAreRoundAndCoverTheRange) {
  EXPECT_EQ(round_ticks(0, 1, 5).size(), 6u);
  const std::vector<double> t = round_ticks(-0.07, 1.2, 6);
  ASSERT_EQ(t.size(), 7u);
  EXPECT_NEAR(t.front(), 0, 1e-15);
  EXPECT_NEAR(t.back(), 1.2, 1e-12);
  EXPECT_EQ(tick_label(0.30000000000000004, 0.1), "0.3");
  EXPECT_EQ(tick_label(-1e-17, 0.1), "0.0");
  EXPECT_EQ(tick_label(-5, 5), "-5");
  EXPECT_TRUE(round_ticks(1, 1, 4).empty());
}

TEST(Pictures, MarkersAndFlowAreDrawnWhereTheyAreAndHiddenOnesAreNot) {
  Image image(64, 64);
  const std::vector<Vec2d> from = {{{10, 10}}, {{40, 40}}}, to = {{{20, 10}}, {{40, 50}}};
  const std::vector<std::uint8_t> visible = {1, 0};
  draw_markers(image, from, visible, 3);
  EXPECT_LT(image.at(10, 10)[0], 40);
  EXPECT_EQ(image.at(40, 40)[0], 255);
  draw_flow(image, from, to, visible, 2, 2);
  EXPECT_LT(image.at(10, 27)[0], 200);  // twice its length: it ends at column 30
  EXPECT_EQ(image.at(10, 33)[0], 255);
  EXPECT_EQ(image.at(45, 40)[0], 255);
  EXPECT_THROW(draw_markers(image, from, std::vector<std::uint8_t>{1}, 3), InputError);
}

TEST(Pictures, ADepthPictureShowsItsFieldAndRefusesAWrongSize) {
  std::vector<float> depth(40 * 30, 0.0f);
  for (std::size_t k : {15 * 40 + 20, 15 * 40 + 21, 16 * 40 + 20, 16 * 40 + 21}) depth[k] = 1e-3f;
  depth[0] = std::nanf("");
  const ScalarField field{40, 30, depth, 1e-4};
  const Image image = depth_picture(field, 4, "two by two pixels");
  EXPECT_GT(image.width, 160);
  const Color peak = map_color(Colormap::kSequential, 1),
              flat = map_color(Colormap::kSequential, 0);
  const auto byte = [](float v) { return static_cast<int>(nearest_byte(v * 255)); };
  EXPECT_GT(count_near(image, byte(flat.r), byte(flat.g), byte(flat.b)), 40 * 30 * 16 * 0.95);
  EXPECT_GT(count_near(image, byte(peak.r), byte(peak.g), byte(peak.b)), 15);
  EXPECT_THROW(depth_picture({41, 30, depth, 1e-4}), InputError);
}

TEST(Pictures, APixmapComesBackByteForByte) {
  Image image(5, 3, {0.2f, 0.4f, 0.6f});
  image.at(1, 2)[1] = 7;
  const auto path = std::filesystem::temp_directory_path() / "haptos_test_image.ppm";
  write_ppm(image, path.string());
  std::FILE* f = std::fopen(path.c_str(), "rb");
  ASSERT_NE(f, nullptr);
  char text[16] = {};
  std::vector<std::uint8_t> data(45);
  EXPECT_EQ(std::fread(text, 1, 11, f), 11u);
  EXPECT_STREQ(text, "P6\n5 3\n255\n");
  EXPECT_EQ(std::fread(data.data(), 1, 45, f), 45u);
  std::fclose(f);
  std::filesystem::remove(path);
  EXPECT_EQ(data, image.rgb);
  EXPECT_THROW(write_ppm(image, "/nonexistent/folder/a.ppm"), InputError);
}

}  // namespace
}  // namespace haptos
