"""A person with a browser before Studio: opens pages, and notes whatever the browser complains about."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Browser, ConsoleMessage, Page, Response
from tests.studio.visits import NEWEST

WIDE, MIDDLE, PHONE = (1440, 900), (1024, 800), (390, 844)


class Visitor:
    """One browser, signed in or not. Its cookies are its own."""

    def __init__(
        self, browser: Browser, url: str, *, size: tuple[int, int] = WIDE, dark: bool = False, scripts: bool = True
    ) -> None:
        self.url = url
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
            reduced_motion="reduce",
        )
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(15_000)
        self.complaints: list[str] = []
        self.kept: dict[str, str] = {}
        self.page.on("console", self._note_message)
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def close(self) -> None:
        self.context.close()

    def sign_in(self, key: str, looks_as: str = "", at: str = "") -> None:
        """Through the form, as a person does."""
        self.page.goto(f"{self.url}/studio/sign-in")
        self.page.get_by_label("Key, or token").fill(key)
        self.page.get_by_role("button", name="Sign in").click()
        self.page.wait_for_url("**/studio/*")
        self.kept = {name: value for name, value in (("as", looks_as), ("at", at)) if value}

    def open(self, page: str, **parameters: Any) -> Response:
        """A page, as the same person from the same place."""
        if NEWEST in parameters.values():
            found = self.page.goto(f"{self.url}/studio/memories?{urlencode(self.kept)}")
            assert found is not None
            newest = self.page.locator(".pickbox input").first.get_attribute("value")
            parameters = {name: newest if value == NEWEST else value for name, value in parameters.items()}
        query = urlencode({**self.kept, **{name.rstrip("_"): value for name, value in parameters.items()}}, doseq=True)
        response = self.page.goto(f"{self.url}/studio/{page}" + (f"?{query}" if query else ""))
        assert response is not None
        return response

    @property
    def text(self) -> str:
        """What a person reads in the page itself, without the frame around it."""
        return self.page.locator("main").inner_text()

    def _note_message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)
