"""Home: the state of governance in sentences."""

from __future__ import annotations

from starlette.responses import Response

from memfort.surfaces.studio.page import Page
from memfort.surfaces.studio.visit import Visit


async def show(visit: Visit) -> Response:
    return visit.page("home.html")


PAGE = Page("", "Home", show, group=0, key="h", on_phone=True)
