"""Tasks to learn, registered with Gymnasium: gymnasium.make("haptos/PushPuck-v0"), make_vec(...).

Needs the extra learn. docs/learning.md describes them.
"""

from __future__ import annotations

from haptos.learn import need_gymnasium

_TASKS = {"PushPuck": ("push_puck", 100), "Lift": ("lift", 60)}  # module, actions of an episode


def _register() -> None:
    gymnasium = need_gymnasium("haptos.tasks")
    for name, (module, steps) in _TASKS.items():
        gymnasium.register(f"haptos/{name}-v0", entry_point=f"haptos.tasks.{module}:make_single",
                           vector_entry_point=f"haptos.tasks.{module}:{name}",
                           max_episode_steps=steps)


_register()
