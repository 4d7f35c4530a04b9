"""What is worked out of a statement on its way through the gates."""

from __future__ import annotations

from msgspec import Struct, field

from memfort.engine.engine import Digests
from memfort.engine.indexing.statement_text import StatementText
from memfort.policy.admission import Admission
from memfort.policy.gates.supersession import ClaimsOfTexts
from memfort.store.port import WriteContext


class Analysis(Struct, frozen=True):
    """What is known of a statement so far. A batch works some of it out before the statement's turn; `decide` does what
    is missing."""

    text: StatementText | None = None
    admission: Admission | None = None  # what the gates say that need only the statement
    digests: Digests | None = None  # what it is compared and found by
    context: WriteContext | None = None  # what the store knows of it, as of now
    claims: ClaimsOfTexts = field(default_factory=ClaimsOfTexts)  # of it and of what it is compared with
