"""store create, upgrade, check, copy: hand-written, because they prepare the database that other commands open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memfort.errors import InvalidInput
from memfort.model.value import count_noun
from memfort.surfaces.cli.failure import Exit
from memfort.surfaces.cli.options import Verb
from memfort.surfaces.cli.session import Session

if TYPE_CHECKING:
    from memfort.store.postgres.setup import Created


@click.command("create", cls=Verb)
@click.argument("url", metavar="URL")
@click.option("--user", metavar="NAME", help="The login that programs will use; it is made if it is not there.")
@click.option(
    "--partitions",
    type=int,
    metavar="N",
    default=16,
    show_default=True,
    help="Into how many parts the large tables are cut; 64 for a large store. It cannot be changed later.",
)
@click.pass_obj
def store_create_command(session: Session, url: str, user: str | None, partitions: int) -> int:
    """Make a store in a PostgreSQL database.

    URL is that of an administrator: `postgresql://postgres@host/database`. The database has to be there. Programs use
    the store as another user, who owns nothing and is held back by row-level security: `--user` makes one, with the
    password in MEMFORT_NEW_PASSWORD. The store's key goes into a file on this machine, which every machine that uses
    the store needs. In a database that has a store already, only the user is let in.
    """
    _check_is_database(url)
    from memfort.store.postgres.setup import create_store

    with session.output.progress("making the store"):
        made = create_store(url, login=user, partitions=partitions)
    document = {"database": made.database, "key_file": str(made.key_file), "user": made.login}
    session.output.answer(document, *_lines(made))
    return Exit.OK


def _lines(made: Created) -> list[str]:
    lines = [
        f"there is a store in {made.database}",
        f"its key is in {made.key_file}; copy it to every machine that uses it",
    ]
    if made.login is None:
        lines.append("nobody may use it yet; let a user in with `--user NAME`")
    elif made.login_is_new and not made.has_password:
        lines.append(
            f"`{made.login}` may use it, and has no password; give it one with `alter role`, or use certificates"
        )
    else:
        lines.append(f"`{made.login}` may use it")
    return lines


@click.command("upgrade", cls=Verb)
@click.argument("url", metavar="URL")
@click.pass_obj
def store_upgrade_command(session: Session, url: str) -> int:
    """Bring the store in a PostgreSQL database up to date.

    URL is that of an administrator. Everything is done in one transaction, or nothing is.
    """
    _check_is_database(url)
    from memfort.store.postgres.setup import upgrade_store

    with session.output.progress("upgrading the store"):
        done = upgrade_store(url)
    said = f"applied {', '.join(done.applied)}" if done.applied else "the store is up to date"
    session.output.answer({"database": done.database, "applied": list(done.applied)}, said)
    return Exit.OK


@click.command("check", cls=Verb)
@click.argument("url", metavar="URL", required=False)
@click.pass_obj
def store_check_command(session: Session, url: str | None) -> int:
    """Say what keeps a database from being served, and what mends it.

    URL is what programs are given; without it, the store of the settings is looked at. The same is asked whenever a
    store is opened.
    """
    address = url or session.database
    if address is None:
        raise InvalidInput("url", "no database is named", "give its URL, or use `memfort doctor` for a store in a file")
    _check_is_database(address)
    from memfort.store.postgres.setup import check_store

    found = check_store(address)
    document = {"ok": not found, "problems": found}
    session.output.answer(document, *(found or ["the store can be served"]))
    return Exit.FAILURE if found else Exit.OK


@click.command("copy", cls=Verb)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_obj
def store_copy_command(session: Session, source: str, target: str) -> int:
    """Copy a whole store to another file or database.

    FROM and TO are files or `postgresql://` addresses. Ids, the trail with its signatures, and receipts stay valid. A
    file is made; a database needs an empty store with the same key: `memfort store create URL?key_file=FILE`, with a
    copy of the key file of FROM. Stop what writes to FROM first. Interrupted, the same command goes on where it
    was. Every row and every chain is compared before the copy can be opened.
    """
    from memfort.store.copying import copy_store

    with session.output.progress("copying") as progress:
        copied = copy_store(source, target, progress)
    document = {"memories": copied.memories, "events": copied.events}
    said = f"copied and compared {count_noun(copied.memories, 'memory')} and {count_noun(copied.events, 'event')}"
    session.output.answer(document, said)
    return Exit.OK


def _check_is_database(url: str) -> None:
    if not url.startswith(("postgresql://", "postgres://")):
        problem = "it is no address of a PostgreSQL database"
        raise InvalidInput(
            "url", problem, "write `postgresql://user@host/database`; a store in a file is made when it is used"
        )
    from memfort.store.postgres.engine import check_installed

    check_installed()
