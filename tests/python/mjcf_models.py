"""MJCF text for tests: one model that has everything, and random ones."""

import numpy as np

EVERYTHING = """<mujoco model="everything">
  <option timestep="0.002" gravity="0.3 -0.2 -9.7" density="1.2"/>
  <compiler angle="degree" autolimits="true"/>
  <asset>
    <mesh name="wedge" vertex="0 0 0 .2 0 0 0 .3 0 0 0 .25 .1 .1 .1"/>
    <hfield name="hill" nrow="3" ncol="4" size="1 2 .5 .1" elevation="0 1 2 3 4 5 6 7 8 9 10 11"/>
    <material name="blue" rgba="0 0 1 1"/>
  </asset>
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1" pos="0 0 -1"/>
    <geom name="hill" type="hfield" hfield="hill" pos="3 0 0"/>
    <light pos="0 0 3"/>
    <camera name="eye" pos="1 2 3"/>
    <body name="table" pos="1 0 0" euler="0 0 20">
      <geom name="top" type="box" size=".3 .2 .1" pos="0 0 -.4"/>
      <body name="turner" pos="0 0 .2" quat=".9 .1 .2 .3">
        <joint name="t1" axis="1 2 3" pos=".1 .05 -.02" ref="25" range="-50 90" damping=".3"
               armature=".02" stiffness="4" springref="10" frictionloss=".2"/>
        <joint name="t2" axis="0 1 0" pos="-.03 0 .04" actuatorfrcrange="-5 7"/>
        <joint name="t3" type="slide" axis="1 0 1" pos=".4 0 0" ref=".2" range="-1 2"/>
        <geom name="rod" type="capsule" size=".05 .2" pos=".1 0 .1" euler="30 40 50"
              friction=".7 .1 .1" rgba="1 0 0 1"/>
        <geom name="wedge" type="mesh" mesh="wedge" pos="0 .1 0" euler="10 0 0" material="blue"/>
        <geom name="cover" group="3" contype="0" conaffinity="0" size=".2" mass="0"/>
        <site name="tip" pos=".1 .2 .3" euler="10 20 30"/>
        <body name="ballbody" pos=".3 .1 0" euler="0 45 10">
          <joint name="b1" type="ball" pos=".02 .03 .04" armature=".01" damping=".5" range="0 60"/>
          <geom name="egg" type="ellipsoid" size=".2 .25 .27" condim="1"/>
          <inertial pos=".01 .02 .03" quat=".8 .1 .2 .3" mass="2" diaginertia=".1 .12 .15"/>
          <body name="slid" pos="0 .2 0">
            <joint name="s1" type="slide" axis="0 0 1" pos="0 .3 0"/>
            <joint name="s2" axis="0 1 1" pos="0 .1 0.2"/>
            <geom name="bar" type="cylinder" size=".03 .1"/>
            <body name="fixedpart" pos=".1 0 0" euler="0 90 0">
              <geom name="look" size=".04" contype="0" conaffinity="0"/>
            </body>
          </body>
        </body>
      </body>
    </body>
    <body name="flyer" pos="0 0 2" euler="10 20 30">
      <freejoint name="fly"/>
      <geom name="brick" type="box" size=".1 .2 .3" pos=".05 0 0"/>
      <body name="arm" pos="0 0 .3">
        <joint name="a1" axis="1 0 0" pos="0 0 .1"/>
        <geom name="stick" type="capsule" fromto="0 0 0 0 .3 .1" size=".02"/>
      </body>
    </body>
    <body name="g" pos="5 0 0">
      <joint name="g1" axis="0 0 1"/><joint name="g2" type="slide" axis="1 0 0"/>
      <geom name="globe" size=".1"/>
      <joint name="g3" type="ball" pos=".1 0 0"/>
    </body>
  </worldbody>
  <contact>
    <exclude body1="turner" body2="slid"/>
    <pair geom1="globe" geom2="brick"/>
  </contact>
  <tendon><fixed name="pull"><joint joint="s2" coef="-1.5"/></fixed></tendon>
  <equality>
    <connect name="hook" body1="slid" body2="flyer" anchor=".1 .2 .3"/>
    <weld name="glue" body1="arm" body2="g" relpose=".1 .2 .3 .9 .1 .3 .2"/>
    <joint name="gears" joint1="t1" joint2="t2" polycoef=".1 .5 .2 0 .3"/>
    <joint name="back" joint1="t2" joint2="t1" polycoef="0 1 .4 0 0"/>
    <joint name="lock" joint1="s1" polycoef=".15 0 0 0 0"/>
    <joint name="off" joint1="s1" joint2="s2" active="false"/>
    <weld name="sites" site1="tip" site2="other"/>
  </equality>
  <actuator>
    <motor name="m" joint="t1" gear="40" ctrlrange="-1 1" armature=".3" damping=".2"/>
    <position name="p" joint="t2" kp="30" kv="2" gear="-3" forcerange="-50 50"/>
    <velocity name="v" joint="t3" kv="7"/>
    <general name="gen" joint="s1" gear="2" gainprm="3" biastype="affine" biasprm=".5 -4 -.3"/>
    <position name="by_tendon" tendon="pull" kp="4" ctrlrange="-2 2"/>
    <muscle name="mus" joint="a1" lengthrange=".1 1"/>
    <motor name="onball" joint="b1" gear="1 0 0"/>
    <intvelocity name="iv" joint="g1" kp="3" actrange="-1 1"/>
  </actuator>
  <sensor>
    <accelerometer name="acc" site="tip" noise=".1" cutoff="30"/>
    <jointpos joint="t1"/>
    <framepos objtype="body" objname="arm" reftype="site" refname="tip"/>
  </sensor>
  <keyframe>
    <key name="home" qpos=".1 .2 .3 1 0 0 0 .1 .2  0 0 2 0 1 0 0 .3  .1 .2 1 0 0 0"
         qvel="1 2 3 4 5 6 7 8 1 2 3 4 5 6 7 8 9 10 11 12" ctrl="1 2 3 4 5 6 7 8"/>
    <key name="other" qpos=".4 .2 .3 1 0 0 0 .1 .2  0 0 2 0 1 0 0 .3  .1 .2 1 0 0 0"/>
  </keyframe>
</mujoco>
""".replace('<body name="g" pos="5 0 0">', '<body name="g" pos="5 0 0"><site name="other" pos=".1 0 .2"/>')


def random_mjcf(seed):
    """A random forest: joints of all kinds at random places, several on a body, inertias at random."""
    rng = np.random.default_rng(seed)

    def row(*values):
        return " ".join(f"{v:.17g}" for v in values)

    def body(depth):
        kinds = [*rng.choice(["hinge", "slide"], size=rng.integers(0, 4)),
                 *(["ball"] if rng.random() < 0.3 else [])]
        if depth == 0 and rng.random() < 0.5:
            joints = "<freejoint/>"
        else:
            joints = "".join(
                f'<joint type="{kind}" axis="{row(*rng.normal(size=3))}" pos="{row(*rng.normal(size=3))}"'
                f' armature="{rng.random():.17g}"'
                + (f' ref="{rng.normal():.17g}"' if kind != "ball" else "") + "/>" for kind in kinds)
        moments = rng.uniform(0.5, 0.9, 3)
        below = "".join(body(depth + 1) for _ in range(rng.integers(0, 3))) if depth < 4 else ""
        return (f'<body pos="{row(*rng.normal(size=3))}" quat="{row(*rng.normal(size=4))}">{joints}'
                f'<inertial pos="{row(*rng.normal(size=3))}" quat="{row(*rng.normal(size=4))}" '
                f'mass="{rng.uniform(0.5, 3):.17g}" diaginertia="{row(*moments)}"/>'
                f'<geom size=".1"/><site pos="{row(*rng.normal(size=3))}" '
                f'quat="{row(*rng.normal(size=4))}"/>{below}</body>')

    trees = "".join(body(0) for _ in range(rng.integers(1, 4)))
    return ('<mujoco><compiler angle="radian"/><option gravity="1 -2 -9"/><worldbody>'
            + trees + "</worldbody></mujoco>")
