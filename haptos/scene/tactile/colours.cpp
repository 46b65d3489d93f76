#include "haptos/scene/tactile/colours.h"

#include <cmath>

#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"

namespace haptos {
namespace {

constexpr int kMostLights = 64;

std::string shown(const Vec3d& v) {
  return to_text(v[0]) + " " + to_text(v[1]) + " " + to_text(v[2]);
}

bool finite(const Vec3d& v) { return std::isfinite(v[0] + v[1] + v[2]); }

void ascending(const char* element, const std::vector<float>& v, int wanted) {
  if (v.size() != static_cast<std::size_t>(wanted))
    refuse(element, std::to_string(v.size()) + " numbers", "must be " + std::to_string(wanted),
           "one for each row of the shadow table");
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!std::isfinite(v[i]) || (i > 0 && !(v[i] > v[i - 1])))
      refuse(element, to_text(v[i]), "must be finite and ascending", "sort them");
}

}  // namespace

void LightRig::check() const {
  const auto colour = [](const std::string& element, const Vec3d& c) {
    for (int k = 0; k < 3; ++k)
      if (!(c[k] >= 0 && c[k] <= 1e5))
        refuse(element, shown(c), "must have three grey values of 0 to 1e5", "for example 255 0 0");
  };
  if (lights.size() > kMostLights)
    refuse("lights", std::to_string(lights.size()), "must be at most 64", "join lights");
  for (std::size_t i = 0; i < lights.size(); ++i) {
    const TactileLight& l = lights[i];
    const std::string name = "lights[" + std::to_string(i) + "]";
    colour(name + ".colour", l.colour);
    if (l.kind == TactileLight::Kind::kPoint) {
      if (!finite(l.at) || !(norm(l.at) < 10))
        refuse(name + ".position", shown(l.at), "must be within 10 m of the gel",
               "give the position in metres, or with its unit");
      if (!(l.at[2] <= -1e-4))
        refuse(name + ".position", shown(l.at), "must lie below the coat, z at most -0.1 mm",
               "z points out of the gel, so a light inside has a negative z");
    } else if (!finite(l.at) || !(norm(l.at) > 1e-6 && norm(l.at) < 1e6)) {
      refuse(name + ".direction", shown(l.at), "must be a direction",
             "give the vector from the gel to the light, for example 1 0 -0.5");
    }
  }
  colour("ambient", ambient);
  if (!(diffuse >= 0 && diffuse <= 1e3))
    refuse("diffuse", to_text(diffuse), "must be 0 to 1000", "1 is usual");
  if (!(specular >= 0 && specular <= 1e3))
    refuse("specular", to_text(specular), "must be 0 to 1000", "0.1 to 0.5 is usual");
  if (shininess < 1 || shininess > 256)
    refuse("shininess", std::to_string(shininess), "must be 1 to 256", "5 to 50 is usual");
}

void ShadowTable::check() const {
  if (change.empty()) return;
  if (directions < 1 || depths < 1 || steps < 1 || directions > 10'000 || depths > 10'000 ||
      steps > 10'000 ||
      change.size() != 3ul * static_cast<std::size_t>(directions) *
                           static_cast<std::size_t>(depths) * static_cast<std::size_t>(steps))
    refuse("shadow table", std::to_string(change.size()) + " numbers",
           "must be three colours times directions times depths times steps", "check its shape");
  for (float v : change)
    if (!(v <= 0 && v >= -255))
      refuse("shadow table", to_text(v), "must be a change of grey value, -255 to 0",
             "subtract the background");
  ascending("shadow directions", direction, directions);
  ascending("shadow depths", depth, depths);
  if (!(step >= 0.25 && step <= 100))
    refuse("shadow step", to_text(step), "must be 0.25 to 100 pixels", "1.25 is usual");
  if (!(fan >= 0 && fan <= 1))
    refuse("shadow fan", to_text(fan), "must be 0 to 1 rad", "0.1 is usual");
  if (fan_rays < 1 || fan_rays > 101)
    refuse("shadow fan rays", std::to_string(fan_rays), "must be 1 to 101", "3 is usual");
  if (!(blur >= 0 && blur <= 100))
    refuse("shadow blur", to_text(blur), "must be 0 to 100 pixels", "2 is usual");
  if (!(threshold > 0 && threshold < 1))
    refuse("shadow threshold", to_text(threshold), "must be a depth in metres", "5e-5 is usual");
}

}  // namespace haptos
