"""VectorEnv: any scene, many times side by side, as an environment of Gymnasium.

Seeds, resets and infos are those that Gymnasium documents; docs/learning.md is the recipe.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from haptos import _core
from haptos.base.arrays import aligned
from haptos.base.errors import refuse
from haptos.learn import need_gymnasium
from haptos.learn.actions import Action
from haptos.learn.observations import Observation
from haptos.learn.pictures import Camera
from haptos.meshes.given import kind_of
from haptos.scene.file import load_scene
from haptos.scene.scene import Scene
from haptos.scene.several import compile_scenes

gymnasium = need_gymnasium("haptos.learn.VectorEnv")

from gymnasium.utils import seeding  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402
from gymnasium.vector.utils import batch_space  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable

    from haptos.scene.sim import Sim

Array = NDArray[Any]


class VectorEnv(gymnasium.vector.VectorEnv):
    """Copies of a scene as one vector environment.

    What is to be learnt is given by functions of the Sim, or by a class of one's own that has
    reward(), terminated(), place() and info().
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"],
                                          "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        scene: Scene | str | os.PathLike[str] | Sequence[Scene | str | os.PathLike[str]],
        num_envs: int = 1,
        *,
        actions: Sequence[Action],
        observations: Sequence[Any] | Mapping[str, Any],
        reward: Callable[[Sim], Array] | None = None,
        terminated: Callable[[Sim], Array] | None = None,
        starts: Sequence[Callable[..., None]] = (),
        frame_skip: int = 1,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        render_size: tuple[int, int] = (640, 480),
        render_view: Any = "above",
        render_frame: Any = None,
    ) -> None:
        """scene: a Scene, or the path of its file, or a list of them with one for each environment
        (haptos.compile_scenes); actions: parts made by haptos.learn.actions,
        whose numbers become one row from -1 to 1, one part after the other; observations: parts
        made by haptos.learn.observations, a list for one row of float32, or a mapping for a
        dictionary;
        reward, terminated: functions of the Sim that return (env,), called after each action;
        starts: hooks of haptos.learn.starts, called in turn where an episode begins; frame_skip:
        steps of the Sim that an action lasts; max_episode_steps: actions after which an episode is
        truncated; autoreset_mode: of gymnasium.vector.AutoresetMode, or its text "NextStep",
        "SameStep", "Disabled"; render_mode: "rgb_array" or None; render_size: width and height of
        pictures; render_view: of haptos.look.aim.CAMERAS, or a direction; render_frame (2, 3): what
        they hold [m]. Raises InputError.
        """
        mode = _mode(autoreset_mode)
        for what, count in (("frame_skip", frame_skip), ("max_episode_steps", max_episode_steps)):
            if count is not None and not (isinstance(count, (int, np.integer)) and count >= 1):
                refuse(what, count, "must be a whole number of 1 or more", "for example 5")
        if render_mode not in (None, "rgb_array"):
            refuse("render_mode", render_mode, "must be rgb_array or None", "leave it out")
        several = isinstance(scene, (list, tuple))
        scenes = [s if isinstance(s, Scene) else load_scene(s) for s in (scene if several else [scene])]
        if any(s.newton.strict for s in scenes):
            refuse("newton.strict", True, "must be off where an environment learns: a step that "
                   "fails ends its episode", "leave it out")
        if several and num_envs not in (1, len(scenes)):
            refuse("num_envs", num_envs, f"must be as many as scenes, {len(scenes)}", "leave it out")
        #: the copies, or an environment of each scene; reward() and others read them
        self.sim = compile_scenes(scenes) if several else scenes[0].compile(envs=num_envs)
        scene = scenes[0]
        self.num_envs = self.sim.envs
        self.metadata = {**self.metadata, "autoreset_mode": mode,
                         "render_fps": round(1 / (scene.sim.dt * frame_skip))}
        self.render_mode = render_mode
        self.failed = np.zeros(self.num_envs, bool)  #: whose last steps set a status bit, (env,)
        self._mode, self._skip, self._limit = mode, int(frame_skip), max_episode_steps
        self._reward, self._terminated, self._starts = reward, terminated, list(starts)
        self._act(actions)
        self._see(observations)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._camera = Camera(self.sim, *render_size, view=render_view, frame=render_frame)
        self._elapsed = np.zeros(self.num_envs, np.int64)
        self._begun = np.zeros(self.num_envs, bool)  # who was ever reset
        self._ended = np.zeros(self.num_envs, bool)  # whose episode is over
        #: a generator for each environment, which its starts draw from
        self.generators = [seeding.np_random()[0] for _ in range(self.num_envs)]

    # -- what a class of one's own may have ------------------------------------------------------

    def reward(self) -> Array:
        """Of each environment after an action, (env,)."""
        return np.zeros(self.num_envs) if self._reward is None else self._reward(self.sim)

    def terminated(self) -> Array:
        """Where the task is over, (env,); a step that fails ends its episode anyway."""
        return (np.zeros(self.num_envs, bool) if self._terminated is None
                else self._terminated(self.sim))

    def place(self, mask: Array) -> None:
        """Called where mask (env,) is true when an episode begins, after the starts; draw from
        self.generators[k]."""

    def info(self) -> dict[str, Array]:
        """What else to tell, a row (env, ...) by name, after each action."""
        return {}

    # -- Gymnasium -------------------------------------------------------------------------------

    def reset(self, *, seed: int | Sequence[int | None] | None = None,
              options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins episodes, everywhere or where options["reset_mask"] (env,) is true.

        seed: environment k takes seed + k, as when it is alone; or a list with one for each.
        Returns observations of all environments, and infos.
        """
        mask = (options or {}).get("reset_mask")
        chosen = np.ones(self.num_envs, bool) if mask is None else np.asarray(mask)
        if chosen.shape != (self.num_envs,) or chosen.dtype != bool or not chosen.any():
            refuse("reset_mask", kind_of(mask), f"must be booleans of shape ({self.num_envs},), at "
                   "least one of them true", "for example terminations | truncations")
        if mask is None and (seed is None or isinstance(seed, (int, np.integer))):
            super().reset(seed=None if seed is None else int(seed))
        if seed is not None:
            for k, one in enumerate(self._seeds(seed)):
                if chosen[k] and one is not None:
                    self.generators[k] = seeding.np_random(int(one))[0]
        self._begin(chosen)
        self.failed = self.failed & ~chosen
        return self._observe(), {}

    def step(self, actions: Array) -> tuple[Any, Array, Array, Array, dict[str, Any]]:
        """Acts for frame_skip steps; returns observations, rewards, terminations, truncations and
        infos. infos["status"] names what failed where a step did."""
        values = np.asarray(actions, float)
        if values.shape != self.action_space.shape or not np.isfinite(values).all():
            refuse("actions", f"shape {values.shape}", "must be finite numbers of shape "
                   f"{self.action_space.shape}", "for example env.action_space.sample()")
        waiting = self._ended.copy()
        idle = ~self._begun | (waiting & (self._mode is AutoresetMode.DISABLED))
        if idle.any():
            refuse("step", f"environments {np.flatnonzero(idle).tolist()}", "are in no episode",
                   'call reset(), or reset(options={"reset_mask": terminations | truncations})')
        if waiting.any():
            # They step along, from a state that is good; what that does is forgotten below.
            self.sim.reset(waiting)
        status = self._advance(np.clip(values, -1.0, 1.0))
        self.failed = (status != 0) & ~waiting
        rewards = np.where(waiting, 0.0, np.asarray(self.reward(), float))
        terminations = (np.asarray(self.terminated(), bool) | self.failed) & ~waiting
        infos = self._infos(status, ~waiting)
        self._elapsed += 1
        if waiting.any():
            self._begin(waiting)
        truncations = np.zeros(self.num_envs, bool)
        if self._limit is not None:
            truncations = (self._elapsed >= self._limit) & ~waiting
        self._ended = terminations | truncations
        seen = self._observe()
        if self._mode is AutoresetMode.SAME_STEP and self._ended.any():
            seen, infos = self._begin_again(seen, infos)
        return seen, rewards, terminations, truncations, infos

    def render(self) -> tuple[Array, ...] | None:
        """A picture (height, width, 3) of each environment; None without render_mode."""
        if self.render_mode is None:
            return None
        return tuple(self._camera.take(k) for k in range(self.num_envs))

    # -- parts -----------------------------------------------------------------------------------

    def _act(self, actions: Sequence[Action]) -> None:
        """The action space, and where its numbers go."""
        if not isinstance(actions, Sequence) or not actions or not all(
                isinstance(a, Action) for a in actions):
            refuse("actions", kind_of(actions), "must be a list of parts of haptos.learn.actions",
                   'for example [actions.joint_targets("arm")]')
        period = self.sim.dt * self._skip
        self._parts = [a.bind(self.sim, period) for a in actions]
        count = sum(len(p.names) for p in self._parts)
        #: what each number of the action is of
        self.action_names = [n for p in self._parts for n in p.names]
        self.single_action_space = gymnasium.spaces.Box(-1.0, 1.0, (count,), np.float32)

    def _see(self, observations: Sequence[Any] | Mapping[str, Any]) -> None:
        """The observation space, and what is read for it."""
        by_name = isinstance(observations, Mapping)
        if not isinstance(observations, (Sequence, Mapping)) or not observations:
            refuse("observations", kind_of(observations), "must be a list or a mapping of parts of "
                   "haptos.learn.observations", 'for example [observations.joint_positions("arm")]')
        rows = observations.items() if by_name else enumerate(observations)
        self._seen = {}
        for key, part in rows:
            if not isinstance(part, Observation):
                refuse(f"observation {key}", kind_of(part), "must be made by a function of "
                       "haptos.learn.observations", "value() makes one of any function of the Sim")
            self._seen[key] = part.bind(self.sim)
        box = gymnasium.spaces.Box
        if by_name:
            self.single_observation_space = gymnasium.spaces.Dict({
                str(key): box(0, 255, s.shape, np.uint8) if s.image
                else box(s.low, s.high, s.shape, np.float32) for key, s in self._seen.items()})
            return
        if any(s.image for s in self._seen.values()):
            refuse("observations", "a list", "holds pictures, which are no row of numbers",
                   'give a mapping, for example {"picture": observations.camera()}')
        sizes = [int(np.prod(s.shape)) for s in self._seen.values()]
        low, high = (np.repeat([getattr(s, side) for s in self._seen.values()], sizes)
                     .astype(np.float32) for side in ("low", "high"))
        self.single_observation_space = box(low, high, dtype=np.float32)

    def _observe(self) -> Any:
        """The observations of all environments; memory of their own."""
        n = self.num_envs
        if isinstance(self.single_observation_space, gymnasium.spaces.Dict):
            out = {}
            for key, part in self._seen.items():
                out[str(key)] = aligned((n, *part.shape), np.uint8 if part.image else np.float32)
                out[str(key)][...] = part.read()
            return out
        row = aligned((n, *self.single_observation_space.shape), np.float32)
        at = 0
        for part in self._seen.values():
            values = np.asarray(part.read()).reshape(n, -1)
            row[:, at:at + values.shape[1]] = values
            at += values.shape[1]
        return row

    def _seeds(self, seed: int | Sequence[int | None]) -> list[int | None]:
        if isinstance(seed, (int, np.integer)):
            return [int(seed) + k for k in range(self.num_envs)]
        if not isinstance(seed, Sequence) or len(seed) != self.num_envs:
            refuse("seed", kind_of(seed), f"must be a whole number, or a list of {self.num_envs}",
                   "for example 7")
        return list(seed)

    def _advance(self, values: Array) -> Array:
        """Sends the actions and steps; returns the status bits that were set, (env,)."""
        at = 0
        for part in self._parts:
            mine = values[:, at:at + len(part.names)]
            part.apply(part.low + 0.5 * (mine + 1) * (part.high - part.low))
            at += len(part.names)
        status = np.zeros(self.num_envs, np.uint32)
        for _ in range(self._skip):
            status |= self.sim.step().status
        return status

    def _begin(self, chosen: Array) -> None:
        """Begins an episode in the chosen environments."""
        noise = [int(g.integers(2**63)) if there else 0
                 for g, there in zip(self.generators, chosen, strict=True)]
        self.sim.reset(chosen, noise)
        for start in self._starts:
            start(self.sim, chosen, self.generators)
        self.place(chosen)
        self.sim.restart_sensors(chosen, noise)
        self._elapsed[chosen] = 0
        self._begun[chosen] = True
        self._ended[chosen] = False

    def _begin_again(self, seen: Any, infos: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Begins episodes where they ended; the last observation and info go into the infos."""
        ended = self._ended.copy()
        last, final = np.full(self.num_envs, None, object), {}
        for k in np.flatnonzero(ended):
            last[k] = ({key: v[k].copy() for key, v in seen.items()} if isinstance(seen, dict)
                       else seen[k].copy())
        for key in [k for k in infos if not k.startswith("_")]:
            there = infos[f"_{key}"] & ended
            if there.any():
                final[key], final[f"_{key}"] = infos[key].copy(), there
            infos[f"_{key}"] &= ~ended
            if not infos[f"_{key}"].any():
                del infos[key], infos[f"_{key}"]
        self._begin(ended)
        infos |= {"final_obs": last, "_final_obs": ended, "final_info": final,
                  "_final_info": ended.copy()}
        return self._observe(), infos

    def _infos(self, status: Array, where: Array) -> dict[str, Any]:
        """Rows by name, each with a row of whether it says something."""
        infos: dict[str, Any] = {}
        for key, row in self.info().items() if where.any() else ():
            infos[key], infos[f"_{key}"] = np.array(row), where.copy()
        if self.failed.any():
            texts = np.full(self.num_envs, None, object)
            for k in np.flatnonzero(self.failed):
                texts[k] = _core.describe_status(int(status[k]))
            infos |= {"status": texts, "_status": self.failed.copy()}
        return infos


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    if isinstance(given, AutoresetMode):
        return given
    known = {m.value: m for m in AutoresetMode}
    if given not in known:
        refuse("autoreset_mode", given, "must be one of " + ", ".join(known), "leave it out")
    return known[given]
