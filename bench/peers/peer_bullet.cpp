// Bullet's driver of bench/peers (peer.h), double precision. Options: solver si (sequential
// impulses), nncg or dantzig (the LCP of each island); iterations; ground plane or box; split 0 or
// 1 (split impulses for penetration); erp.
#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <btBulletDynamicsCommon.h>

#include <memory>

#include "peer.h"

namespace {

using peers::Scene;
using peers::Vec;

struct Bullet final : peers::Engine {
  const Scene& scene;
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broad_phase;
  btDantzigSolver dantzig;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver;
  std::unique_ptr<btDiscreteDynamicsWorld> world;
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;  // the ground last
  btRigidBody* ground = nullptr;

  explicit Bullet(const Scene& s) : scene(s) {
    const std::string name = s.word("solver", "si");
    if (name == "nncg")
      solver = std::make_unique<btNNCGConstraintSolver>();
    else if (name == "dantzig")
      solver = std::make_unique<btMLCPSolver>(&dantzig);
    else
      solver = std::make_unique<btSequentialImpulseConstraintSolver>();
    world = std::make_unique<btDiscreteDynamicsWorld>(&dispatcher, &broad_phase, solver.get(),
                                                      &configuration);
    world->setGravity(btVector3(0, 0, -s.gravity));
    btContactSolverInfo& info = world->getSolverInfo();
    info.m_numIterations = static_cast<int>(s.number("iterations", info.m_numIterations));
    info.m_splitImpulse = static_cast<int>(s.number("split", info.m_splitImpulse));
    info.m_erp2 = s.number("erp", info.m_erp2);
    info.m_splitImpulsePenetrationThreshold =
        s.number("split_from", info.m_splitImpulsePenetrationThreshold);
    if (s.number("directions", 1) == 2) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
    if (s.number("warm", 1) == 0) info.m_solverMode &= ~SOLVER_USE_WARMSTARTING;
    if (name == "dantzig") info.m_minimumSolverBatchSize = 1;
    for (const peers::Body& b : s.bodies) {
      if (b.box)
        shapes.push_back(
            std::make_unique<btBoxShape>(btVector3(b.size / 2, b.size / 2, b.size / 2)));
      else
        shapes.push_back(std::make_unique<btSphereShape>(b.size));
      // The factors of two bodies are multiplied; the square root of mu gives mu for any two.
      add(*shapes.back(), b.mass, btVector3(b.p[0], b.p[1], b.p[2]),
          btQuaternion(b.q[1], b.q[2], b.q[3], b.q[0]));
    }
    const btVector3 n(s.normal[0], s.normal[1], s.normal[2]);
    if (s.word("ground", "plane") == "plane") {
      shapes.push_back(std::make_unique<btStaticPlaneShape>(n, 0));
      add(*shapes.back(), 0, btVector3(0, 0, 0), btQuaternion::getIdentity());
    } else {
      const double half = 50;
      shapes.push_back(std::make_unique<btBoxShape>(btVector3(half, half, 1)));
      add(*shapes.back(), 0, -n, shortestArcQuat(btVector3(0, 0, 1), n));
    }
    ground = bodies.back().get();
  }
  void add(btCollisionShape& shape, double mass, const btVector3& p, const btQuaternion& q) {
    btVector3 inertia(0, 0, 0);
    if (mass > 0) shape.calculateLocalInertia(mass, inertia);
    btRigidBody::btRigidBodyConstructionInfo info(mass, nullptr, &shape, inertia);
    info.m_startWorldTransform = btTransform(q, p);
    info.m_friction = std::sqrt(scene.mu);
    bodies.push_back(std::make_unique<btRigidBody>(info));
    bodies.back()->setActivationState(DISABLE_DEACTIVATION);
    world->addRigidBody(bodies.back().get());
  }
  ~Bullet() override {
    for (auto& b : bodies) world->removeRigidBody(b.get());
  }
  void step() override { world->stepSimulation(scene.dt, 0); }
  Vec position(size_t body) const override {
    const btVector3& p = bodies[body]->getCenterOfMassPosition();
    return {{p.x(), p.y(), p.z()}};
  }
  int contacts() const override {
    int n = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) n += manifold(i)->getNumContacts();
    return n;
  }
  const btPersistentManifold* manifold(int i) const {
    return const_cast<btCollisionDispatcher&>(dispatcher).getManifoldByIndexInternal(i);
  }
  double ground_force() const override {
    double sum = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); ++i) {
      const btPersistentManifold* m = manifold(i);
      if (m->getBody0() != ground && m->getBody1() != ground) continue;
      for (int k = 0; k < m->getNumContacts(); ++k)
        sum += m->getContactPoint(k).getAppliedImpulse() / scene.dt;
    }
    return sum;
  }
};

}  // namespace

int main() {
  Scene scene;
  while (peers::read_scene(std::cin, scene)) {
    Bullet engine(scene);
    peers::run_and_print(scene, engine, PEER_VERSION);
  }
}
