// What can be simulated but is hardly meant: one function per subject, each adding sentences that
// say what, why it matters, and what to do. They are among find_warnings() (scene.h, model.h), and
// sim.strict makes an error of the first.
//
// Thresholds are wide on purpose: a warning that is often wrong is not read. Each says where its
// number comes from.
#pragma once

#include <string>
#include <vector>

#include "haptos/sim/model/model.h"

namespace haptos {

/// Contact without friction between a body that has a coefficient and one to which none was given,
/// where the scene's rule makes 0 of the two. A 0 that is given, {0, 0}, is meant.
void doubt_friction(const Scene& scene, std::vector<std::string>& out);

/// Bodies a hundred times as large as a soft body that they may touch, or a thousandth of it, and
/// bodies of 10 m and more that move: a slip between m and mm.
void doubt_sizes(const Scene& scene, std::vector<std::string>& out);

/// Quaternions at the start that read as a half turn about z, or about an axis askew, and as no
/// turn, or a turn about one axis, where x y z w were meant. Written with the signs turned round
/// (0 0 0 -1) the same turn is meant.
void doubt_quaternions(const Scene& scene, std::vector<std::string>& out);

/// Layers of boundary-layer contact thicker than half of their shape, or so thin that the mesh may
/// be in millimetres, and bodies that cross their layers in a step.
void doubt_layers(const Scene& scene, std::vector<std::string>& out);

/// Bodies that are to shrink by their layer, and are too thin, enclose nothing, or have none.
void doubt_shrinks(const Model& model, std::vector<std::string>& out);

/// Rigid bodies in hydroelastic contact that would sink by a quarter of their size under their
/// weight, and those whose distance field is far too coarse for how little they sink.
void doubt_fields(const Model& model, std::vector<std::string>& out);

/// Bodies that cross their own size in a step, by their speed or under gravity.
void doubt_steps(const Scene& scene, std::vector<std::string>& out);

/// Hinges and sliders that start outside their limits, and angles that may be in degrees.
void doubt_constraints(const Scene& scene, std::vector<std::string>& out);

/// Loop closures of robots, and welds, balls and rods between bodies, that are open at the start.
void doubt_openings(const Model& model, std::vector<std::string>& out);

/// Motors of hinges and sliders stiffer than the step resolves, but for those on links of robots
/// with joints.
void doubt_constraint_motors(const Model& model, std::vector<std::string>& out);

/// The rate of inertia a + kd v + kp q = 0 [1/s], the slower of two or the frequency of a swing,
/// where steps of h [s] cannot follow it; else 0.
double unresolved_rate(double kp, double kd, double inertia, double h);

/// The largest round step that follows such a rate [s].
double step_for(double rate);

/// Of robots: impossible inertia, starts and trajectories beyond limits, motors stiffer than the
/// step resolves, and in statics those that only damp.
void doubt_robots(const Model& model, std::vector<std::string>& out);

/// Robots that swing faster under gravity than steps follow.
void doubt_swings(const Model& model, std::vector<std::string>& out);

/// Two links, or a link and a half-space, whose shapes overlap at the start by so much that frozen
/// contact parts them (parts_overlap in contact/frozen/point/point_contact.h). With layers: whose
/// surfaces cross, or overlap beyond the layers.
void doubt_overlaps(const Model& model, std::vector<std::string>& out);

/// Rigid bodies that may touch, and whose shapes have no contact: two meshes in point contact.
void doubt_meetings(const Model& model, std::vector<std::string>& out);

/// Bodies of material points with few points in a cell or thinner than two cells, and those that
/// may touch what they have no contact with.
void doubt_points(const Model& model, std::vector<std::string>& out);

/// Cameras inside of a shape of the link that carries them, where they see nothing else.
void doubt_cameras(const Scene& scene, std::vector<std::string>& out);

/// Bodies that fit into a passage of others, but not with their layers and those of its sides.
/// Looks from at most 256 faces of each shape.
void doubt_passages(const Model& model, std::vector<std::string>& out);

/// All of these. What readers of files left out, links of one robot that overlap at the start and
/// open collision surfaces are warnings too, but often as they must be, and not among them.
std::vector<std::string> find_doubts(const Model& model);

/// Throws InputError with the first of these: what sim.strict asks for.
void require_no_doubts(const std::vector<std::string>& warnings);

/// Of a box [m]; 0 where it is empty or not finite.
double largest_side(const Aabb& box);
/// "12 um", "25.2 mm", "8 m".
std::string length_text(double metres);

/// What to do about two lengths [m] of which one looks like millimetres taken for metres; "" where
/// they are less than a hundredfold apart.
std::string unit_hint(const std::string& a, double size_a, const std::string& b, double size_b);

}  // namespace haptos
