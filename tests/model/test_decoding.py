"""Plain data becomes a value of its type, or is refused by path, problem and remedy, and never by quoting it."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, Struct

from memfort.errors import InvalidInput
from memfort.model.serialize.decoding import check_fields, decode, invalid_input


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Wheel(Struct, frozen=True, forbid_unknown_fields=True):
    size: Annotated[int, Meta(ge=1)]
    colour: Colour = Colour.RED
    label: Annotated[str, Meta(min_length=1, max_length=5, pattern="^[a-z]*$")] = "w"

    def __post_init__(self) -> None:
        if self.size == 13:
            raise InvalidInput("size", "it brings bad luck", "give another")


class Car(Struct, frozen=True, forbid_unknown_fields=True):
    wheels: Mapping[str, Wheel] = {}
    by_colour: Mapping[Colour, tuple[Wheel, ...]] = {}
    share: Annotated[float, Meta(gt=0, le=1)] = 0.5
    seats: Annotated[tuple[str, ...], Meta(max_length=2)] = ()
    name: str | None = None
    age: float = 0.0


WHOLE = {
    "wheels": {"front": {"size": 3, "colour": "blue"}},
    "by_colour": {"red": [{"size": 1}]},
    "share": 1,
    "seats": ["a"],
    "name": "beetle",
}


def test_plain_data_becomes_a_value() -> None:
    assert decode(Car, WHOLE) == Car(
        {"front": Wheel(3, Colour.BLUE)}, {Colour.RED: (Wheel(1),)}, 1.0, ("a",), "beetle", 0.0
    )


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"zzz": 3}, "zzz: there is no such field; use one of age, by_colour, name, seats, share, wheels"),
        ({"wheel": {}}, "wheel: there is no such field; did you mean `wheels`?"),
        ({"wheels": {"a": {"size": 1}, "b": {"siz": 1}}}, "wheels.b.siz: there is no such field; did you mean `size`?"),
        ({"wheels": {"a": {"size": 1}, "b": {}}}, "wheels.b.size: it is missing; add it"),
        ({"wheels": {"a": {"size": 0}}}, "wheels.a.size: it is below 1; give at least 1"),
        ({"wheels": {"a": {"size": 13}}}, "wheels.a.size: it brings bad luck; give another"),
        ({"wheels": {"a": 3}}, "wheels.a: it is not a table; write it as a table of names and values"),
        ({"wheels": []}, "wheels: it is not a table; write it as a table of names and values"),
        ({"wheels": {"a": {"size": 1, "label": ""}}}, "wheels.a.label: it is empty; give a text"),
        ({"wheels": {"a": {"size": 1, "label": "abcdef"}}}, "wheels.a.label: it has 6 characters; use at most 5"),
        ({"wheels": {"a": {"size": 1, "label": "A"}}},
         "wheels.a.label: it does not have the required form; write it to match ^[a-z]*$"),
        ({"by_colour": {"red": [{"size": 1}, {"size": "x"}]}},
         "by_colour.red[1].size: a str does not fit; give a whole number"),
        ({"by_colour": {"green": []}}, "by_colour.green: it is not possible here; use one of red, blue"),
        ({"by_colour": {"blue": "x"}}, "by_colour.blue: it is not a list; write it as a list"),
        ({"wheels": {"a": {"size": 1, "colour": "hunter2"}}},
         "wheels.a.colour: it is not possible here; use one of red, blue"),
        ({"share": 0}, "share: it is not above 0 and at most 1; give a number above 0 and at most 1"),
        ({"seats": ["a", "b", "c"]}, "seats: it has 3 entries; use at most 2"),
        ({"name": 3}, "name: an int does not fit; give a text, or leave it out"),
        ({"share": True}, "share: a bool does not fit; give a number"),
    ],
)  # fmt: skip
def test_invalid_data_is_refused_by_path_problem_and_remedy(data: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        decode(Car, data)
    assert str(refused.value) == message
    with pytest.raises(InvalidInput) as refused:
        decode(Car, data, field="garage[2]")
    assert str(refused.value) == f"garage[2].{message}"


@pytest.mark.parametrize("value", ["hunter2", ["hunter2"], {"hunter2x": "hunter2"}, b"hunter2"])
@pytest.mark.parametrize("field", ["wheels", "by_colour", "share", "seats", "age"])
def test_a_refusal_quotes_no_value(field: str, value: Any) -> None:
    if (field, value) == ("seats", ["hunter2"]):
        assert decode(Car, {field: value}).seats == ("hunter2",)
        return
    with pytest.raises(InvalidInput) as refused:
        decode(Car, {field: value})
    assert refused.value.field.startswith(field)
    assert "hunter2" not in str(refused.value).replace("hunter2x", "")


def test_the_errors_of_a_json_decoder_are_put_into_the_same_words() -> None:
    text = b'{"wheels": {"a": {"size": 1}, "b": {"size": 0}}}'
    with pytest.raises(msgspec.ValidationError) as failed:
        msgspec.json.decode(text, type=Car)
    error = invalid_input(failed.value, Car, msgspec.json.decode(text))
    assert str(error) == "wheels.b.size: it is below 1; give at least 1"


class Checked(Car, frozen=True):
    def __post_init__(self) -> None:
        check_fields(self)


def test_a_value_made_in_python_passes_the_same_checks() -> None:
    made = Checked(wheels={"a": {"size": 2}}, by_colour={"red": [Wheel(1)]}, seats=["x"])  # type: ignore[dict-item,arg-type]
    assert made.wheels["a"] == Wheel(2)
    assert made.by_colour == {Colour.RED: (Wheel(1),)}
    assert made.seats == ("x",)
    with pytest.raises(TypeError):
        made.wheels["b"] = Wheel(3)  # type: ignore[index]
    with pytest.raises(InvalidInput, match=r"^share: it is not above 0"):
        Checked(share=2)


@pytest.mark.parametrize("age", [float("nan"), float("inf")])
def test_a_number_has_to_be_finite(age: float) -> None:
    assert Checked(age=3).age == 3.0
    with pytest.raises(InvalidInput, match=r"^age: it is not a finite number"):
        Checked(age=age)
