// ODE's driver of bench/peers (peer.h). Options: stepper exact (dWorldStep, Dantzig's LCP) or quick
// (dWorldQuickStep, SOR); iterations of the latter; erp, cfm (ODE's own defaults where left out).
#include <ode/ode.h>

#include "peer.h"

namespace {

using peers::Scene;
using peers::Vec;

struct Ode final : peers::Engine {
  static constexpr int kMost = 8;  // contacts of a pair
  const Scene& scene;
  dWorldID world;
  dSpaceID space;
  dGeomID plane;
  dJointGroupID joints;
  std::vector<dBodyID> bodies;
  std::vector<dJointFeedback> feedback;  // of the contacts with the ground, the first `on_ground`
  size_t on_ground = 0;
  int count = 0;
  bool quick, read_force;

  explicit Ode(const Scene& s) : scene(s) {
    world = dWorldCreate();
    space = dHashSpaceCreate(nullptr);
    joints = dJointGroupCreate(0);
    dWorldSetGravity(world, 0, 0, -s.gravity);
    quick = s.word("stepper", "quick") == "quick";
    dWorldSetQuickStepNumIterations(world, static_cast<int>(s.number("iterations", 20)));
    dWorldSetERP(world, s.number("erp", dWorldGetERP(world)));
    dWorldSetCFM(world, s.number("cfm", dWorldGetCFM(world)));
    dWorldSetAutoDisableFlag(world, 0);
    read_force = s.force_steps > 0;
    plane = dCreatePlane(space, s.normal[0], s.normal[1], s.normal[2], 0);
    feedback.resize(64 * kMost);
    for (const peers::Body& b : s.bodies) {
      const dBodyID body = dBodyCreate(world);
      dMass m;
      if (b.box)
        dMassSetBoxTotal(&m, b.mass, b.size, b.size, b.size);
      else
        dMassSetSphereTotal(&m, b.mass, b.size);
      dBodySetMass(body, &m);
      dBodySetPosition(body, b.p[0], b.p[1], b.p[2]);
      const dQuaternion q = {b.q[0], b.q[1], b.q[2], b.q[3]};
      dBodySetQuaternion(body, q);
      dGeomSetBody(b.box ? dCreateBox(space, b.size, b.size, b.size) : dCreateSphere(space, b.size),
                   body);
      bodies.push_back(body);
    }
  }
  static void near(void* self, dGeomID a, dGeomID b) { static_cast<Ode*>(self)->touch(a, b); }
  void touch(dGeomID a, dGeomID b) {
    dContact c[kMost];
    const int n = dCollide(a, b, kMost, &c[0].geom, sizeof(dContact));
    for (int i = 0; i < n; ++i) {
      c[i].surface = {};
      c[i].surface.mode = dContactApprox1;
      c[i].surface.mu = scene.mu;
      const dJointID j = dJointCreateContact(world, joints, &c[i]);
      dJointAttach(j, dGeomGetBody(a), dGeomGetBody(b));
      if (read_force && (a == plane || b == plane) && on_ground < feedback.size())
        dJointSetFeedback(j, &feedback[on_ground++]);
      ++count;
    }
  }
  ~Ode() override {
    dJointGroupDestroy(joints);
    dSpaceDestroy(space);
    dWorldDestroy(world);
  }
  void step() override {
    dJointGroupEmpty(joints);
    on_ground = 0;
    count = 0;
    dSpaceCollide(space, this, &near);
    if (quick)
      dWorldQuickStep(world, scene.dt);
    else
      dWorldStep(world, scene.dt);
  }
  Vec position(size_t body) const override {
    const dReal* p = dBodyGetPosition(bodies[body]);
    return {{p[0], p[1], p[2]}};
  }
  int contacts() const override { return count; }
  double ground_force() const override {
    double sum = 0;
    for (size_t i = 0; i < on_ground; ++i) {
      const dReal* f = feedback[i].f1;  // on the body: a joint with one body has it first
      sum += f[0] * scene.normal[0] + f[1] * scene.normal[1] + f[2] * scene.normal[2];
    }
    return sum;
  }
};

}  // namespace

int main() {
  dInitODE2(0);
  Scene scene;
  while (peers::read_scene(std::cin, scene)) {
    Ode engine(scene);
    peers::run_and_print(scene, engine, PEER_VERSION);
  }
}
