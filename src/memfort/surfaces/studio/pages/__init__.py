"""The pages, in the order in which they are listed."""

from __future__ import annotations

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.pages import home, memories, recall_lab, two_people

PAGES: tuple[Page, ...] = (home.PAGE, memories.PAGE, recall_lab.PAGE, two_people.PAGE)
UNLISTED: tuple[Page, ...] = ()  # reached from other pages
