"""Drake's driver of bench/peers (scene.py): a discrete MultibodyPlant.

Balls are in point contact; a box has one point against a plane there, so boxes are compliant
hydroelastic shapes on a rigid plane, or, on the slope, balls of 1 mm in their corners. Options: law
(sap, lagged, similar, tamsi), stiffness [N/m] of balls, modulus [Pa] of boxes, corners (1),
relaxation_time [s], dissipation [s/m], near_rigid.
"""

import importlib.metadata

import numpy as np
from pydrake.common.eigen_geometry import Quaternion
from pydrake.geometry import (
    AddCompliantHydroelasticProperties,
    AddContactMaterial,
    AddRigidHydroelasticProperties,
    Box,
    HalfSpace,
    ProximityProperties,
    Sphere,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import (
    AddMultibodyPlant,
    CoulombFriction,
    MultibodyPlantConfig,
)
from pydrake.multibody.tree import SpatialInertia, UnitInertia
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from scene import Scene, drive


class Drake:

    def __init__(self, s: Scene) -> None:
        config = MultibodyPlantConfig(time_step=s.dt, contact_model="hydroelastic_with_fallback",
                                      discrete_contact_approximation=s.options.get("law", "lagged"),
                                      sap_near_rigid_threshold=s.number("near_rigid", 1))
        builder = DiagramBuilder()
        self.plant, _ = AddMultibodyPlant(config, builder)
        plant = self.plant
        plant.mutable_gravity_field().set_gravity_vector([0, 0, -s.gravity])

        def properties(moves: bool, box: bool) -> ProximityProperties:
            p = ProximityProperties()
            AddContactMaterial(dissipation=s.number("dissipation", 50),
                               point_stiffness=s.number("stiffness", 1e6),
                               friction=CoulombFriction(s.mu, s.mu), properties=p)
            p.AddProperty("material", "relaxation_time", s.number("relaxation_time", 0.1))
            if box and moves:
                AddCompliantHydroelasticProperties(1.0, s.number("modulus", 1e7), p)
            elif box:
                AddRigidHydroelasticProperties(p)
            return p

        corners = s.options.get("corners") == "1"
        boxes = any(b.box for b in s.bodies) and not corners
        plant.RegisterCollisionGeometry(plant.world_body(),
                                        HalfSpace.MakePose(s.normal, np.zeros(3)), HalfSpace(),
                                        "ground", properties(False, boxes))
        self.bodies = []
        for k, b in enumerate(s.bodies):
            unit = (UnitInertia.SolidCube(b.size) if b.box else UnitInertia.SolidSphere(b.size))
            body = plant.AddRigidBody(f"body{k}", SpatialInertia(b.mass, np.zeros(3), unit))
            if corners:
                r = 1e-3
                for i, at in enumerate(np.ndindex(2, 2, 2)):
                    p = (np.array(at) - 0.5) * (b.size - 2 * r)
                    plant.RegisterCollisionGeometry(body, RigidTransform(p), Sphere(r),
                                                    f"corner{k}_{i}", properties(True, False))
            else:
                shape = Box(b.size, b.size, b.size) if b.box else Sphere(b.size)
                plant.RegisterCollisionGeometry(body, RigidTransform(), shape, f"shape{k}",
                                                properties(True, b.box))
            self.bodies.append(body)
        plant.Finalize()
        diagram = builder.Build()
        self.simulator = Simulator(diagram)
        self.context = plant.GetMyMutableContextFromRoot(self.simulator.get_mutable_context())
        for body, b in zip(self.bodies, s.bodies, strict=True):
            plant.SetFreeBodyPose(self.context, body,
                                  RigidTransform(Quaternion(b.q / np.linalg.norm(b.q)), b.p))
        self.simulator.Initialize()
        self.dt, self.n, self.normal = s.dt, 0, s.normal
        self.version, self.not_converged = importlib.metadata.version("drake"), 0
        self.iterations = 0

    def step(self) -> None:
        self.n += 1
        self.simulator.AdvanceTo(self.n * self.dt)

    def positions(self) -> np.ndarray:
        return self.plant.GetPositions(self.context).reshape(-1, 7)[:, 4:].copy()

    def _results(self):
        return self.plant.get_contact_results_output_port().Eval(self.context)

    def contacts(self) -> int:
        r = self._results()
        return r.num_point_pair_contacts() + sum(
            r.hydroelastic_contact_info(k).contact_surface().num_faces()
            for k in range(r.num_hydroelastic_contacts()))

    def ground_force(self) -> float:
        r, world, sum_ = self._results(), self.plant.world_body().index(), 0.0
        inspector = None
        for k in range(r.num_point_pair_contacts()):
            c = r.point_pair_contact_info(k)
            if world in (c.bodyA_index(), c.bodyB_index()):
                sum_ += abs(float(c.contact_force() @ self.normal))
        for k in range(r.num_hydroelastic_contacts()):
            c = r.hydroelastic_contact_info(k)
            ids = (c.contact_surface().id_M(), c.contact_surface().id_N())
            if inspector is None:
                port = self.plant.get_geometry_query_input_port()
                inspector = port.Eval(self.context).inspector()
            frames = [self.plant.GetBodyFromFrameId(inspector.GetFrameId(i)).index() for i in ids]
            if world in frames:
                sum_ += abs(float(c.F_Ac_W().translational() @ self.normal))
        return sum_


if __name__ == "__main__":
    drive(Drake)
