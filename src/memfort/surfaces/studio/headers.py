"""What a browser is told about every page: what it may load, and what it may keep."""

from __future__ import annotations

from collections.abc import Mapping

_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
}

PAGE_HEADERS: Mapping[str, str] = {
    "content-security-policy": "; ".join(f"{name} {value}" for name, value in _POLICY.items()),
    "referrer-policy": "same-origin",  # without any, a browser sends `Origin: null` with a form
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "cache-control": "no-store",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
FILE_HEADERS: Mapping[str, str] = {
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "public, max-age=31536000, immutable",  # their address changes with them
    "vary": "accept-encoding",
}
