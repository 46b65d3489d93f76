#include "haptos/files/light_file.h"

#include <cmath>

#include "haptos/files/yaml/yaml_value.h"

namespace haptos {
namespace {

using yaml::Value;

void read_if(const Value& v, const char* key, const std::string& unit, double low, double high,
             double& out) {
  if (const auto found = v.find(key)) out = found->number(unit, low, high);
}

Vec3d colour(const Value& v) {
  v.list(3, 3);
  Vec3d c;
  for (std::size_t k = 0; k < 3; ++k) c[static_cast<int>(k)] = v.item(k).number("", 0, 1e5);
  return c;
}

/// A path that stays in the folder of the file.
std::string inside(const Value& v) {
  std::string path = v.text();
  const auto bad = [&](const char* rule) {
    v.fail('"' + path + '"', rule, "put it beside this file and give its name");
  };
  if (path.empty()) bad("must name a file");
  if (path[0] == '/' || path[0] == '~' || path.find('\\') != std::string::npos ||
      path.find(':') != std::string::npos)
    bad("must be a path relative to this file");
  for (std::size_t from = 0; from <= path.size();) {
    const std::size_t to = std::min(path.find('/', from), path.size());
    if (path.substr(from, to - from) == "..") bad("must stay in the folder of this file");
    from = to + 1;
  }
  return path;
}

constexpr int kMostLights = 64;

/// Adds a light, or a row of them that share its colour: LEDs side by side, or a wall that they
/// shine through.
void read_light(const Value& v, std::vector<TactileLight>& lights) {
  v.keys({"position", "to", "count", "direction", "colour", "intensity"});
  TactileLight light;
  const auto position = v.find("position"), direction = v.find("direction");
  if (position.has_value() == direction.has_value())
    v.fail("", "must have either a position or a direction",
           "a point light has a position, a distant one a direction");
  light.kind = position ? TactileLight::Kind::kPoint : TactileLight::Kind::kDirectional;
  light.at = position ? position->vector("m") : direction->vector("");
  light.colour = colour(v.at("colour", "give red, green and blue, for example [255, 0, 0]"));
  double intensity = 1;
  read_if(v, "intensity", "", 0, 1e5, intensity);
  light.colour = light.colour * intensity;
  LightRig one;
  one.lights.push_back(light);
  try {
    one.check();
  } catch (const InputError& e) {
    Diagnostic d = v.where();
    const std::string& element = e.diagnostic.element;
    d.element += element.substr(std::min(element.find('.'), element.size()));
    d.value = e.diagnostic.value, d.rule = e.diagnostic.rule, d.remedy = e.diagnostic.remedy;
    throw InputError(d);
  }
  const auto to = v.find("to"), count = v.find("count");
  if (to.has_value() != count.has_value() || (to && !position))
    v.fail("", "a row of lights goes from a position to another one, with a count",
           "write position, to and count, or leave out to and count");
  const int n = count ? count->integer(2, kMostLights) : 1;
  if (lights.size() + static_cast<std::size_t>(n) > kMostLights)
    v.fail("", "makes more than 64 lights", "write rows of fewer lights");
  const Vec3d from = light.at, way = to ? to->vector("m") - from : Vec3d::zero();
  light.colour = light.colour * (1.0 / n);
  for (int i = 0; i < n; ++i) {
    if (n > 1) light.at = from + way * (static_cast<double>(i) / (n - 1));
    lights.push_back(light);
  }
}

TactileNoise read_noise(const Value& v) {
  v.keys({"morphology", "blur", "texture", "rgb", "gain", "gain_std", "offset", "offset_std",
          "jitter", "loss", "interval", "fabrication", "rotation", "translation"});
  TactileNoise n;
  constexpr double kMost = 1e9;  // check() knows the ranges
  if (const auto m = v.find("morphology")) n.morphology = m->integer(0, 101);
  read_if(v, "blur", "", 0, kMost, n.blur);
  read_if(v, "texture", "m", 0, kMost, n.texture);
  read_if(v, "rgb", "", 0, kMost, n.rgb);
  read_if(v, "gain", "", 0, kMost, n.gain);
  read_if(v, "gain_std", "", 0, kMost, n.gain_std);
  read_if(v, "offset", "", -kMost, kMost, n.offset);
  read_if(v, "offset_std", "", 0, kMost, n.offset_std);
  read_if(v, "jitter", "", 0, kMost, n.jitter);
  read_if(v, "loss", "", 0, kMost, n.loss);
  read_if(v, "interval", "", 0, kMost, n.interval);
  read_if(v, "fabrication", "m", 0, kMost, n.fabrication);
  read_if(v, "rotation", "rad", 0, kMost, n.rotation);
  read_if(v, "translation", "m", 0, kMost, n.translation);
  try {
    n.check();
  } catch (const InputError& e) {
    Diagnostic d = v.where();
    d.element = e.diagnostic.element;
    d.value = e.diagnostic.value, d.rule = e.diagnostic.rule, d.remedy = e.diagnostic.remedy;
    throw InputError(d);
  }
  return n;
}

}  // namespace

LightFile parse_light_file(std::string_view text, const std::string& name) {
  yaml::Limits limits;
  limits.max_bytes = 1 << 20;
  limits.max_nodes = 10'000;
  const yaml::Document document(text, name, limits);
  const Value v(document);
  v.keys({"image", "lights", "ambient", "diffuse", "specular", "shininess", "background", "table",
          "model", "smoothing", "noise", "backgrounds"});
  LightFile f;
  if (const auto image = v.find("image")) {
    image->keys({"width", "height", "pitch"});
    f.width = image->at("width", "give pixels").integer(1, 16384);
    f.height = image->at("height", "give pixels").integer(1, 16384);
    read_if(*image, "pitch", "m", 1e-7, 1e-2, f.pitch);
  }
  if (const auto lights = v.find("lights")) {
    f.has_lights = true;
    for (std::size_t i = 0, n = lights->list(0, kMostLights); i < n; ++i)
      read_light(lights->item(i), f.rig.lights);
  }
  if (const auto ambient = v.find("ambient")) f.rig.ambient = colour(*ambient), f.has_lights = true;
  read_if(v, "diffuse", "", 0, 1e3, f.rig.diffuse);
  read_if(v, "specular", "", 0, 1e3, f.rig.specular);
  if (const auto s = v.find("shininess")) f.rig.shininess = s->integer(1, 256);
  if (const auto b = v.find("background")) f.background = inside(*b);
  if (const auto b = v.find("backgrounds"))
    for (std::size_t i = 0, n = b->list(1, 1000); i < n; ++i)
      f.backgrounds.push_back(inside(b->item(i)));
  if (const auto t = v.find("table")) f.table = inside(*t);
  read_if(v, "smoothing", "", 0, 100, f.smoothing);
  if (const auto n = v.find("noise")) f.noise = read_noise(*n);
  if (!f.has_lights && f.table.empty())
    v.fail("", "describes neither lights nor a table", "write lights: or table:");
  f.model = f.table.empty() ? "lights" : "table";
  if (const auto m = v.find("model")) {
    f.model = m->text();
    if (f.model != "lights" && f.model != "table")
      m->fail('"' + f.model + '"', "must be lights or table", "write for example model: lights");
    if (f.model == "lights" ? !f.has_lights : f.table.empty())
      m->fail('"' + f.model + '"', "is not described in this file",
              "write " + (f.model == "lights" ? std::string("lights:") : std::string("table:")));
  }
  return f;
}

}  // namespace haptos
