#include "haptos/sim/build/validate_names.h"

#include <map>

#include "haptos/base/text/options.h"
#include "haptos/base/text/refuse.h"
#include "haptos/base/text/text.h"
#include "haptos/base/text/utf8.h"
#include "haptos/sim/model/robots.h"

namespace haptos {
namespace {

std::string some_links(const Scene& s, const std::string& robot) {
  std::string text;
  for (const auto& b : s.robots) {
    if (b.name != robot) continue;
    const std::vector<std::string> all = link_body_names(b);
    for (std::size_t i = 0; i < all.size() && i < 5; ++i)
      text += (i > 0 ? ", \"" : "\"") + all[i] + "\"";
    if (all.size() > 5) text += " ...";
  }
  return text;
}

}  // namespace

void check_names(const Scene& s) {
  std::map<std::string, std::string> seen;
  auto add = [&](const std::string& kind, const std::string& name) {
    if (name.empty()) refuse(kind, "\"\"", "needs a name", "add a name");
    if (!is_plain_text(name))
      refuse(kind, "\"" + printable(name) + "\"", "must be of printable characters in UTF-8",
             "rename it");
    const auto [it, fresh] = seen.emplace(name, kind);
    if (!fresh)
      refuse(kind + " \"" + name + "\"", "", "has the name of a " + it->second + " of this scene",
             "give every body a name of its own");
  };
  each_kind(s, [&](const auto& list) {
    using Kind = typename std::decay_t<decltype(list)>::value_type;
    for (const Kind& b : list) add(FieldsOf<Kind>::kKind, b.name);
  });
  const auto add_group = [&](const std::string& group) {
    if (group.empty()) return;
    const auto it = seen.emplace(group, "group").first;
    if (it->second != "group")
      refuse("group \"" + group + "\"", "", "has the name of a " + it->second + " of this scene",
             "give groups names of their own");
  };
  each_kind(s, [&](const auto& list) {
    for (const auto& b : list)
      if constexpr (IsBody<std::decay_t<decltype(b)>>) add_group(b.group);
  });
  for (const auto& b : s.robots)
    for (const std::string& link : link_body_names(b)) seen.emplace(link, "link");
  std::vector<std::string> names;
  names.reserve(seen.size());
  for (const auto& [name, kind] : seen) names.push_back(name);
  auto must_exist = [&](const std::string& where, const std::string& name) {
    if (seen.count(name)) return;
    const std::string near = nearest_name(name, names);
    std::string remedy = near.empty() ? "known names are" : "did you mean \"" + near + "\"?";
    if (near.empty())
      for (const std::string& n : names) remedy += " \"" + n + "\"";
    refuse(where, "\"" + name + "\"", "names nothing in this scene", remedy);
  };
  for (const PairOptions& p : s.pairs) {
    must_exist("contact pair", p.a);
    must_exist("contact pair", p.b);
  }
  for (const Constraint& c : s.constraints)
    for (const std::string* name : {&c.a, &c.b}) {
      if (name == &c.b && name->empty()) continue;  // the world
      const std::string who = "constraint \"" + c.name + "\", bodies";
      must_exist(who, *name);
      if (find_link(s, *name).robot >= 0 || seen[*name] == "affine body" ||
          seen[*name] == "prescribed body")
        continue;
      if (seen[*name] == "robot")
        refuse(who, "\"" + *name + "\"", "is a robot of several links",
               "name one of its links: " + some_links(s, *name));
      refuse(who, "\"" + *name + "\"",
             "must be an affine, a rigid or a prescribed body or a link, not a " + seen[*name],
             seen[*name] == "soft body" ? "glue soft bodies" : "leave it out to mean the world");
    }
  for (const Constraint& c : s.constraints)
    if (seen[c.a] == "prescribed body" && (c.b.empty() || seen[c.b] == "prescribed body"))
      refuse("constraint \"" + c.name + "\", bodies",
             "\"" + c.a + "\"" + (c.b.empty() ? "" : " and \"" + c.b + "\""),
             "must have one that is free to move: prescribed bodies only follow their paths",
             "name an affine body, a rigid body or a link of a robot");
  for (const SceneCamera& c : s.cameras) {
    if (c.frame.empty()) continue;
    const std::string who = "camera \"" + c.name + "\", frame";
    must_exist(who, c.frame);
    const std::string& kind = seen[c.frame];
    if (find_link(s, c.frame).robot >= 0 || kind == "affine body" || kind == "prescribed body")
      continue;
    refuse(who, "\"" + c.frame + "\"",
           kind == "robot" ? "is a robot of several links"
                           : "must be a prescribed, affine or rigid body or a link, not a " + kind,
           kind == "robot" ? "name one of its links: " + some_links(s, c.frame)
                           : "leave it out to mean the world");
  }
  for (const auto& b : s.soft)
    for (const Glue& g : b.glue) {
      must_exist("soft body \"" + b.name + "\", glue", g.body);
      if (find_link(s, g.body).robot >= 0) continue;
      if (seen[g.body] == "robot")
        refuse("soft body \"" + b.name + "\", glue", "\"" + g.body + "\"",
               "is a robot of several links", "name one of its links: " + some_links(s, g.body));
      if (seen[g.body] != "prescribed body" && seen[g.body] != "affine body")
        refuse(
            "soft body \"" + b.name + "\", glue", "\"" + g.body + "\"",
            "must be a prescribed body, an affine body or a link of a robot, not a " + seen[g.body],
            "glue to a prescribed body (it may be one without a surface)");
    }
}

}  // namespace haptos
