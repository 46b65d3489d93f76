// Pads that are layers on what carries them: what a model holds of them.
#pragma once

#include <string>
#include <vector>

namespace haptos {

struct Model;
struct Scene;

/// Condenses the pads of model hydroelastic; returns whether there are any. After soft bodies.
/// @throws InputError for a pad that cannot be one
bool compile_coats(const Scene& scene, Model& model);

/// Prescribed bodies that no coat touches, since they have no inside.
void doubt_coats(const Model& model, std::vector<std::string>& out);

}  // namespace haptos
