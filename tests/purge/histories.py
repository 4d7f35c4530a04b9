"""Random histories: who does what, from which standpoint, in a small world of people, agents, chats and groups.

A history is plain data, made from a number alone, so a failure is reproduced by its number. Steps refer to what earlier
steps made (`Ref`), never to ids: an id is known only when the history is played. Half of the histories begin with a
scene: a few steps that chance would hardly ever put together.
"""

from __future__ import annotations

from tests.purge import ending, hosting, naming, reading, talking, writing
from tests.purge.composer import Composer, Steps
from tests.purge.ending_scenes import ENDING_SCENES
from tests.purge.scenes import SCENES
from tests.purge.steps import History

KINDS: Steps = {
    **writing.STEPS,
    **ending.STEPS,
    **talking.STEPS,
    **naming.STEPS,
    **hosting.STEPS,
    **reading.STEPS,
}
_WEIGHTS = [weight for weight, _ in KINDS.values()]
_COMPOSERS = [compose for _, compose in KINDS.values()]


def generate(seed: int) -> History:
    composer = Composer(seed)
    composer.build_world()
    draw = composer.random.random()
    scenes = SCENES if draw < 0.35 else ENDING_SCENES if draw < 0.6 else ()
    scene = composer.random.choice(scenes) if scenes else None
    composer.choose_observer(scene(composer) if scene else composer.standpoint(stranger=0.06))
    length = composer.random.randint(7, 16) if scene else composer.random.randint(10, 22)
    for place in range(length):
        composer.random.choices(_COMPOSERS, _WEIGHTS)[0](composer)
        if place == length // 2 and composer.random.random() < 0.5:
            reading.look(composer, composer.observer, 10)
    reading.look(composer, composer.observer, 22)
    return History(seed, composer.memberships, composer.observer, tuple(composer.steps), composer.forget_requests)
