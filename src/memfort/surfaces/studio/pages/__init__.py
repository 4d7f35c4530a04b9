"""The pages, in the order in which they are listed."""

from __future__ import annotations

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages import (
    chat,
    home,
    imports,
    memories,
    people,
    phases,
    policy,
    recall_lab,
    review,
    trail,
    two_people,
)

PAGES: tuple[Page, ...] = (
    home.PAGE,
    memories.PAGE,
    recall_lab.PAGE,
    two_people.PAGE,
    review.PAGE,
    policy.PAGE,
    people.PAGE,
    trail.PAGE,
    phases.PAGE,
    imports.PAGE,
    chat.PAGE,
)
UNLISTED: tuple[Page, ...] = ()  # reached from other pages
