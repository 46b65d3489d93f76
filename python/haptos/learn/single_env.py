"""SingleEnv: a haptos.learn.VectorEnv of one environment as a gymnasium.Env."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from haptos.base.errors import refuse
from haptos.learn import need_gymnasium
from haptos.learn.vector_env import AutoresetMode, VectorEnv
from haptos.meshes.given import kind_of

gymnasium = need_gymnasium("haptos.learn.SingleEnv")


class SingleEnv(gymnasium.Env):
    """One environment. With the same seed it has the episodes of environment 0 of many."""

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["rgb_array"]}

    def __init__(self, env: VectorEnv) -> None:
        """env: a VectorEnv of one environment, with autoreset_mode="Disabled"."""
        if not isinstance(env, VectorEnv) or env.num_envs != 1:
            refuse("SingleEnv", kind_of(env), "must be given a VectorEnv of one environment",
                   "for example VectorEnv(scene, 1, ...)")
        if env.metadata["autoreset_mode"] is not AutoresetMode.DISABLED:
            refuse("autoreset_mode", env.metadata["autoreset_mode"].value, "must be Disabled: a "
                   "single environment is reset by whoever steps it",
                   'give the VectorEnv autoreset_mode="Disabled"')
        self.many = env  #: the VectorEnv
        self.metadata = {k: v for k, v in env.metadata.items() if k != "autoreset_mode"}
        self.action_space = env.single_action_space
        self.observation_space = env.single_observation_space
        self.render_mode = env.render_mode

    @property
    def sim(self) -> Any:
        """The Sim, of one environment."""
        return self.many.sim

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None
              ) -> tuple[Any, dict[str, Any]]:
        """Begins an episode; returns an observation and an info."""
        super().reset(seed=seed)
        self.many.generators[0] = self.np_random
        seen, infos = self.many.reset()
        return self._first(seen), self._info(infos)

    def step(self, action: NDArray[Any]) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Acts; returns an observation, a reward, whether the episode is terminated, whether it is
        truncated, and an info."""
        seen, rewards, terminations, truncations, infos = self.many.step(np.asarray(action)[None])
        return (self._first(seen), float(rewards[0]), bool(terminations[0]), bool(truncations[0]),
                self._info(infos))

    def render(self) -> NDArray[np.uint8] | None:
        """A picture (height, width, 3); None without render_mode."""
        frames = self.many.render()
        return None if frames is None else frames[0]

    def close(self) -> None:
        """Nothing is to be put away; Gymnasium asks for it."""
        self.many.close()

    @staticmethod
    def _first(seen: Any) -> Any:
        return {k: v[0] for k, v in seen.items()} if isinstance(seen, dict) else seen[0]

    @staticmethod
    def _info(infos: dict[str, Any]) -> dict[str, Any]:
        return {k: v[0] for k, v in infos.items() if not k.startswith("_") and infos[f"_{k}"][0]}


def single_maker(task: type[VectorEnv]) -> Callable[..., SingleEnv]:
    """The function that gymnasium.make() calls for a task: its arguments without num_envs."""
    def make(**given: Any) -> SingleEnv:
        given.setdefault("max_episode_steps", None)  # gymnasium.make() counts them itself
        return SingleEnv(task(1, autoreset_mode=AutoresetMode.DISABLED, **given))

    make.metadata = SingleEnv.metadata  # type: ignore[attr-defined]
    return make
