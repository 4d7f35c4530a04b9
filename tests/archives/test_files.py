"""Files, folders, zips and bytes: the same archive in every form, and what a hostile one can not do."""

from __future__ import annotations

import io
import json
import os
import tracemalloc
import zipfile

import pytest
from tests.archives.builders import as_json, as_lines, as_zip, chatgpt, message

from memfort import InvalidInput
from memfort.capture.importers import json_stream
from memfort.operations.transfer import archive_files

DATA = as_json([chatgpt(("user", "I live in Lyon."), ("assistant", "Fine."))])


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "given"
    made.mkdir()
    return made


@pytest.fixture
def alice(memory):
    return memory.as_user("alice")


def turns(reader):
    return sorted(item.text for item in reader.list(limit=1000) if item.kind == "short_term")


# -- where it comes from ----------------------------------------------------------------------------------------------


def test_a_file_a_folder_and_a_zip_bring_the_same(open_memory, folder):
    (folder / "one.json").write_bytes(DATA)
    (folder / "folder" / "deep").mkdir(parents=True)
    (folder / "folder" / "deep" / "conversations-000.json").write_bytes(DATA)
    (folder / "folder" / "picture.png").write_bytes(b"\x89PNG\x00")
    (folder / "all.zip").write_bytes(as_zip({"conversations.json": DATA, "__MACOSX/x": b"{}"}))
    found = []
    for name in ("one.json", "folder", "all.zip"):
        alice = open_memory().as_user("alice")
        report = alice.import_(path=str(folder / name))
        assert alice.sources()[0].filename == name
        assert alice.import_(path=str(folder / name)).already_imported
        found.append((turns(alice), report.counts["turns"]))
    assert found == [(["Fine.", "I live in Lyon."], 2)] * 3


def test_a_folder_is_known_by_the_contents_of_its_files(alice, folder):
    (folder / "a.json").write_bytes(DATA)
    first = alice.import_(path=str(folder))
    os.utime(folder / "a.json", (1, 1))
    assert alice.import_(path=str(folder)).already_imported
    (folder / "b.json").write_bytes(as_json([chatgpt(("user", "I keep bees."), id="c-2")]))
    again = alice.import_(path=str(folder))
    assert (again.source != first.source, again.counts["turns"], again.counts["duplicate"]) == (True, 1, 2)


def test_bytes_or_a_path_are_needed_and_not_both(alice, tmp_path):
    for given in ({}, {"data": DATA, "path": str(tmp_path)}):
        with pytest.raises(InvalidInput, match="one of data and path"):
            alice.import_(**given)
    for path in (str(tmp_path / "none"), "a\x00b", ""):
        with pytest.raises(InvalidInput):
            alice.import_(path=path)


def test_shards_are_read_in_order(alice):
    shards = {f"conversations-{n:03}.json": as_json([chatgpt(("user", f"Town {n}."), id=f"c{n}")]) for n in range(3)}
    assert alice.import_(as_zip(shards)).counts["turns"] == 3


# -- what is broken ---------------------------------------------------------------------------------------------------


def test_a_broken_record_takes_no_neighbour_with_it(alice):
    good, late = chatgpt(("user", "I sing."), id="a"), chatgpt(("user", "I swim."), id="b")
    broken = b'[%s,{"mapping": {broken}},%s,%s' % (as_json(good), as_json(late), b'{"mapping": {"x"')
    report = alice.import_(broken)
    assert turns(alice) == ["I sing.", "I swim."]
    assert report.counts["invalid"] == 3
    assert report.problems[0].startswith("record 2: it is not JSON")
    assert "the file ends before its list does" in report.problems[2]


def test_bytes_that_are_not_utf8_and_half_characters_are_replaced(alice):
    data = as_json([chatgpt(("user", "I like XX."), id="a"), chatgpt(("user", "I like YY."), id="b")])
    report = alice.import_(data.replace(b"XX", b"\xff").replace(b"YY", b"\\ud83d"))
    assert report.counts["repaired"] == 2
    assert turns(alice) == ["I like ?.", "I like \ufffd."]


def test_a_cycle_and_missing_fields_do_not_stop_an_import(alice):
    loop = chatgpt(("user", "I sing."), ("user", "I swim."), id="loop")
    loop["mapping"]["root"]["parent"] = "loop-1"
    bare = {"mapping": {"a": {"message": {"content": {"parts": ["no author"]}}}, "b": None, "c": {"parent": 5}}}
    lost = chatgpt(("user", "I draw."), id="lost", current_node="nowhere", create_time=None)
    odd = chatgpt(message("user", {"content_type": "text", "parts": [None, 5, {"x": 1}]}, "odd", at="soon"), id=7)
    empty = {"mapping": {}}
    report = alice.import_(as_json([loop, bare, lost, odd, empty]))
    assert turns(alice) == ["I draw.", "I sing.", "I swim."]
    assert report.counts.get("invalid", 0) == 0


def test_a_record_that_is_too_large_is_skipped_and_its_neighbours_are_kept(alice, monkeypatch):
    monkeypatch.setattr(json_stream.read_records, "__defaults__", (10_000,))
    talks = [
        chatgpt(("user", "I sing."), id="a"),
        chatgpt(("user", "x" * 20_000), id="b"),
        chatgpt(("user", "I swim.")),
    ]
    report = alice.import_(as_json(talks))
    assert turns(alice) == ["I sing.", "I swim."]
    assert "a record may have 10000" in report.problems[0]


def test_deep_nesting_is_reported(alice):
    deep = b"[" * 100_000 + b"]" * 100_000
    report = alice.import_(b"[%s,%s]" % (as_json(chatgpt(("user", "I sing."))), b'{"mapping":%s}' % deep))
    assert "nested too deeply" in report.problems[0]
    assert turns(alice) == ["I sing."]


def test_a_date_in_the_future_is_none(alice):
    alice.import_(as_json([chatgpt(("user", "I sing."), begun=9e9), chatgpt(("user", "I swim."), id="b", begun=1e300)]))
    assert {item.observed_at for item in alice.list(limit=10)} == {None}
    assert turns(alice) == ["I sing.", "I swim."]


def test_a_message_that_is_too_long_is_reported_alone(alice):
    report = alice.import_(as_json([chatgpt(("user", "I like tea. " * 500_000), ("user", "I sing."))]))
    assert (report.counts["invalid"], report.counts["read"], turns(alice)) == (1, 2, ["I sing."])
    assert report.problems == ("record 1: a message has more than 65536 bytes, and is left out",)


def test_an_endless_message_of_a_transcript_is_held_in_part_only(alice):
    data = b"User: I sing.\nAssistant: Fine.\nUser: hm\n" + b"x" * 1000 * 1000 + b"\n" + b"more\n" * 1_000_000
    report = alice.import_(data + b"Assistant: Good.\n")
    assert (report.counts["invalid"], turns(alice)) == (1, ["Fine.", "Good.", "I sing."])


def test_a_broken_first_line_takes_no_other_line_with_it(alice):
    data = b'{"role": broken}\n' + as_lines({"role": "user", "content": "I sing."})
    report = alice.import_(data)
    assert (report.counts["invalid"], turns(alice)) == (1, ["I sing."])


# -- what is hostile --------------------------------------------------------------------------------------------------


def test_a_zip_bomb_is_refused_before_it_is_unpacked(alice, monkeypatch):
    bomb = as_zip({"conversations.json": b"[" + b" " * 20_000_000 + b"]"})
    assert len(bomb) < 50_000
    with pytest.raises(InvalidInput, match="more than 200 times as large as it is packed"):
        alice.import_(bomb)
    monkeypatch.setattr(archive_files, "MAX_FILES", 10)
    with pytest.raises(InvalidInput, match="it holds 11 files"):
        alice.import_(as_zip({f"{n}.json": DATA for n in range(11)}))
    monkeypatch.setattr(archive_files, "MAX_TOTAL_BYTES", 100)
    with pytest.raises(InvalidInput, match="it unpacks to"):
        alice.import_(as_zip({"conversations.json": DATA}))
    assert (turns(alice), alice.sources()) == ([], [])


def test_a_zip_that_is_sent_holds_fewer_files_than_one_that_is_named(alice, tmp_path, monkeypatch):
    monkeypatch.setattr(archive_files, "MAX_FILES_IN_BYTES", 2)
    data = as_zip({f"{n}.json": as_json([chatgpt(("user", f"Town {n}."), id=f"c{n}")]) for n in range(3)})
    with pytest.raises(InvalidInput, match="send at most 2 at once, or give a path"):
        alice.import_(data)
    assert alice.sources() == []
    (tmp_path / "towns.zip").write_bytes(data)
    assert alice.import_(path=str(tmp_path / "towns.zip")).counts["turns"] == 3


def test_names_in_a_zip_are_only_names(alice, folder, monkeypatch):
    monkeypatch.chdir(folder)
    names = ["../../outside.json", "/etc/memfort.json", "C:\\windows\\x.json", "a\x1b[31m.json"]
    files = [(name, as_json([chatgpt(("user", f"Town {n}."), id=f"c{n}")])) for n, name in enumerate(names)]
    assert alice.import_(as_zip(files)).counts["turns"] == 4
    assert list(folder.iterdir()) == []


def test_a_zip_that_lies_about_its_sizes_is_refused(alice):
    data = bytearray(as_zip({"conversations.json": DATA}))
    place = data.rindex(b"PK\x01\x02") + 24  # the size after unpacking
    data[place : place + 4] = (10).to_bytes(4, "little")
    with pytest.raises(InvalidInput, match="cannot be read"):
        alice.import_(bytes(data))
    for cut in (b"PK\x03\x04", as_zip({"conversations.json": DATA})[:-30]):
        with pytest.raises(InvalidInput, match="cannot be read"):
            alice.import_(cut)


def test_an_encrypted_zip_is_refused(alice):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zipped:
        zipped.writestr("conversations.json", DATA)
    data = bytearray(made.getvalue())
    place = data.rindex(b"PK\x01\x02")
    data[place + 8] |= 1
    with pytest.raises(InvalidInput, match="encrypted"):
        alice.import_(bytes(data))


def test_links_in_a_folder_are_not_followed(alice, tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.json").write_bytes(as_json([chatgpt(("user", "Not for you."))]))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.json").write_bytes(as_json([chatgpt(("user", "I sing."), id="mine")]))
    (tmp_path / "folder" / "link.json").symlink_to(tmp_path / "outside" / "secret.json")
    (tmp_path / "folder" / "more").symlink_to(tmp_path / "outside")
    os.mkfifo(tmp_path / "folder" / "pipe")
    report = alice.import_(path=str(tmp_path / "folder"))
    assert turns(alice) == ["I sing."]
    assert (report.counts["linked"], report.counts["no_file"]) == (2, 1)
    assert "link.json: linked" in report.skipped


def test_a_zip_in_a_zip_is_not_unpacked(alice):
    report = alice.import_(as_zip({"a.json": DATA, "b.zip": as_zip({"c.json": DATA})}))
    assert (report.counts["turns"], report.counts["not_used"]) == (2, 1)


# -- splitting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_records_are_the_same_wherever_a_chunk_ends(size):
    values = [{"a": 'x,"]}\\', "b": [1, [2, {}], "\\\\"]}, 's\\"tr,[', "é", 1, None, [], {}, {"t": "\\"}]
    for data in (
        json.dumps(values).encode(),
        json.dumps(values, indent=1, ensure_ascii=False).encode(),
        as_lines(*values),
    ):
        chunks = [data[start : start + size] for start in range(0, len(data), size)]
        assert [one.value for one in json_stream.read_records(chunks)] == values


def test_a_line_of_200_megabytes_is_read_in_little_memory():
    def chunks():
        yield b'[{"n": 1}, {"text": "'
        for _ in range(800):
            yield b"x" * 256 * 1024
        yield b'"}, {"n": 2}]'

    tracemalloc.start()
    found = [one.value for one in json_stream.read_records(chunks(), limit=1024 * 1024)]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (found[0], found[2]) == ({"n": 1}, {"n": 2})
    assert isinstance(found[1], json_stream.Problem)
    assert peak < 8 * 1024 * 1024
