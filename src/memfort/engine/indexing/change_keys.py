"""The change keys of a statement, with the attribute that its own words name: "my editor" of "My editor is vim"."""

from __future__ import annotations

from msgspec.structs import replace

from memfort.model.item import ChangeKeys
from memfort.policy.gates.supersession import Claims
from memfort.policy.gates.supersession import change_keys_of as change_keys_by_words

_OWN = "own "  # before such an attribute: no known one begins so


def change_keys_of(claims: Claims) -> ChangeKeys:
    from memfort.capture.extract.attribute import attribute_of  # it loads the rules for reading conversations

    found, attribute = change_keys_by_words(claims), attribute_of(claims.text)
    if attribute is None or len(attribute.name) != 1:
        return found
    return replace(found, attributes=(*found.attributes, _OWN + attribute.name[0]))
