"""Studio: web pages that show what is remembered, who may hear it, and why.

Studio has no powers of its own. Every page asks the verbs of the table of operations with the credential that the
visitor signed in with, by the same functions that answer `POST /v1/<verb>`; nothing here reads the store, the policy or
the engine. It renders on the server, works without JavaScript, and loads nothing from other hosts.

How to add a page
-----------------

1. A module in `pages/`, with a `PAGE` and an async function that shows it::

       async def show(visit: Visit) -> Response:
           found = await visit.call("recall", {"query": visit.get("q")})
           return visit.page("recall.html", found=found)

       PAGE = Page("recall", "Recall lab", show, group=1, key="l")

   `visit.call(verb, fields)` gives the JSON of the verb, as HTTP would; a refusal raises `Refused`, which becomes an
   error page unless the page catches it and shows it in place. `visit.get(name)` is a parameter of the address: the
   whole state of a page is there, but never a memory's text or a secret. `as` and `at` (who asks, and where they
   stand) are applied by `visit.call` and kept by `url(...)` in templates.
2. What a page changes is a `Page.actions` entry: `{"approve": approve}` answers `POST /studio/<page>/approve`. The
   CSRF token is checked before it runs; `visit.field(name)` and `visit.fields(name)` read the form, which begins with
   the macro `form_of(visit)`. Answer with `visit.redirect(page, flash="approved", …)`; the words for it are in
   `Page.done`. More addresses below a page (`/studio/<page>/<name>`, read only) are `Page.parts`.
3. A template in `templates/`, extending `base.html`; parts of pages (a memory, a chip, a gap, a space, an error) are
   macros of `parts.html`. Everything is escaped; there is no `|safe`. No inline style and no inline script: the policy
   of the browser refuses them, and a test fails. Charts are SVG with attributes, or uPlot (`{% block charts %}`).
4. A row in `PAGES` of `pages/__init__.py`: its place in the list of pages.
5. A test in `tests/studio/test_<page>.py` with the fixtures of `tests/studio/conftest.py`; `test_every_page.py` checks
   the rest (axe, hostile text, no JavaScript, widths and themes) once the page is named in `tests/studio/visits.py`.

Styles of one page alone stand at the end of `static/studio.css`, under its name. What a page needs that no verb gives
is added to the table of operations first, for every surface.
"""
