"""The data files that a language may have, and the sections of each. `data.py` says what a section looks like.

A file that a language does not have, and a section that a file does not have, is empty: its words are none and its
patterns fit nothing.
"""

from msgspec import Struct

from memfort.language.data import NEVER, OrderedWords, Pattern, PhraseGroups, Phrases, Rules, WordGroups, Words

_NO_WORDS: frozenset[str] = frozenset()


class LanguageFile(Struct, frozen=True):
    """`language.txt`: what every language has."""

    about: WordGroups = {}  # its `name`; its `stemmer`, its `script` and its `precedence`, if it has one
    letters: OrderedWords = ()  # that English does not have
    stop_words: OrderedWords = ()  # as they are folded: in lower case and without accents
    names: Words = _NO_WORDS  # stop words that are names too


class NamesFile(Struct, frozen=True):
    """`names.txt`: how people are named."""

    speaker: Words = _NO_WORDS
    speaker_in_capitals: Words = _NO_WORDS
    speaker_is: Words = _NO_WORDS
    introducing: Phrases = ()
    others: Words = _NO_WORDS
    relations: WordGroups = {}  # the English word that each is kept under, with all words for it
    only_one: Words = _NO_WORDS  # in English only: the relations that a person has one of
    several: Words = _NO_WORDS
    own: Words = _NO_WORDS
    former: Words = _NO_WORDS
    pets: Words = _NO_WORDS
    compounds: Words = _NO_WORDS
    mine: Words = _NO_WORDS
    of_others: Words = _NO_WORDS
    of: Words = _NO_WORDS
    articles: Words = _NO_WORDS
    descriptions: Words = _NO_WORDS
    naming: Phrases = ()
    being: Phrases = ()
    name_is: Phrases = ()
    being_someone: Words = _NO_WORDS
    joining: Words = _NO_WORDS
    company: Words = _NO_WORDS
    before_people: Words = _NO_WORDS
    titles: Words = _NO_WORDS
    adverbs: Words = _NO_WORDS
    people_do: Words = _NO_WORDS
    only_people: Words = _NO_WORDS
    contracted: Words = _NO_WORDS
    not_names: Words = _NO_WORDS
    first_names: Words = _NO_WORDS


class SharingFile(Struct, frozen=True):
    """`sharing.txt`: what keeps a statement in its conversation, or with its owner."""

    passing: Pattern = NEVER
    owner_words: Words = _NO_WORDS
    group_words: Words = _NO_WORDS  # first person plural
    false_group_words: Words = _NO_WORDS  # that are group words of another language
    short_lived: Pattern = NEVER


class SensitivityFile(Struct, frozen=True):
    """`sensitivity.txt`: what is private, by category."""

    levels: WordGroups = {}  # in `shared/` only: the categories of each level, the gravest first
    ordinary: Pattern = NEVER  # what sounds alike and is about no person
    rule: Rules = ()


class TypesFile(Struct, frozen=True):
    """`types.txt`: what type a statement is, and what type of event."""

    type: Rules = ()
    event: Rules = ()
    naming_a_relation: Pattern = NEVER
    naming_what_was_joined: Pattern = NEVER


class SlotsFile(Struct, frozen=True):
    """`slots.txt`: attributes that have one value at a time."""

    slot: Rules = ()
    words_of_forms: Words = _NO_WORDS
    pronouns: Words = _NO_WORDS
    determiners: Words = _NO_WORDS
    not_in_a_subject: Words = _NO_WORDS
    not_in_a_value: Words = _NO_WORDS
    allowed: WordGroups = {}
    no_values: WordGroups = {}
    not_before: WordGroups = {}
    in_days: Words = _NO_WORDS
    numbers: WordGroups = {}
    ordinal_endings: Pattern = NEVER
    same_meaning: WordGroups = {}


class ProfileFile(Struct, frozen=True):
    """`profile.txt`: facts that speakers state about themselves."""

    noun: Rules = ()
    my: Pattern = NEVER
    linking: Pattern = NEVER
    fact: Rules = ()
    fact_with_capital: Rules = ()
    whole_fact: Rules = ()
    signs: WordGroups = {}
    clause_links: Pattern = NEVER
    clause_beginnings: Pattern = NEVER
    not_stated: Words = _NO_WORDS
    before_values: Pattern = NEVER
    contrast: Pattern = NEVER
    after_values: Pattern = NEVER
    no_values: Words = _NO_WORDS


class DatesFile(Struct, frozen=True):
    """`dates.txt`: how days are named."""

    months: WordGroups = {}  # in order, each with its short forms
    months_that_are_words: Words = _NO_WORDS
    months_that_are_names: Words = _NO_WORDS
    seasons: WordGroups = {}  # with the numbers of their first and last month
    weekdays: OrderedWords = ()  # from Monday on
    numbers: OrderedWords = ()  # from one on
    counts: WordGroups = {}
    ordinal_endings: Pattern = NEVER
    of: Pattern = NEVER
    which: Pattern = NEVER
    before_months: Pattern = NEVER
    to: Pattern = NEVER
    prepositions: Pattern = NEVER
    after_prepositions: Pattern = NEVER
    all: Pattern = NEVER
    and_or: Pattern = NEVER
    the: Pattern = NEVER
    continuations: Words = _NO_WORDS
    relative_days: Pattern = NEVER
    units: WordGroups = {}
    yesterday: OrderedWords = ()
    current: Words = _NO_WORDS
    range_beginnings: PhraseGroups = {}
    range_joints: PhraseGroups = {}
    joint_beginnings: Pattern = NEVER
    on: Pattern = NEVER
    near: Pattern = NEVER
    parts: Pattern = NEVER
    onward: Pattern = NEVER
    apposition: Pattern = NEVER
    counted_from: Pattern = NEVER
    last: Pattern = NEVER
    this: Pattern = NEVER
    near_an_event: Pattern = NEVER
    event_beginnings: Pattern = NEVER
    sides: WordGroups = {}
    before_years: Words = _NO_WORDS
    numbered: Words = _NO_WORDS
    counted: Pattern = NEVER
    before_hyphens: Words = _NO_WORDS


class QueryFile(Struct, frozen=True):
    """`query.txt`: how a memory is asked."""

    time_questions: Pattern = NEVER
    number_questions: Pattern = NEVER
    name_questions: Pattern = NEVER
    asker: Pattern = NEVER
    requests: Pattern = NEVER
    reminders: Pattern = NEVER
    now: Pattern = NEVER
    present: Pattern = NEVER
    present_values: Pattern = NEVER
    past: Pattern = NEVER
    of_the_assistant: Pattern = NEVER
    anything_said: Words = _NO_WORDS
    anything_done: Words = _NO_WORDS
    question_words: Words = _NO_WORDS
    after_how: Words = _NO_WORDS
    persons: WordGroups = {}
    greetings: Pattern = NEVER
    opening_phrases: Pattern = NEVER


class StatementsFile(Struct, frozen=True):
    """`statements.txt`: what the words of a statement show, and which words before a colon are no speaker."""

    labels: Words = _NO_WORDS
    last_words_of_labels: Words = _NO_WORDS
    time_words: Pattern = NEVER
    number_words: Pattern = NEVER
    instructions: Pattern = NEVER
    answer_style: Pattern = NEVER
    conditions: Pattern = NEVER
    change_words: Pattern = NEVER
    changed_values: Pattern = NEVER
    cancelled: Pattern = NEVER
    owners: Pattern = NEVER
    owner_pronouns: Pattern = NEVER
    own: Pattern = NEVER
    mine: Pattern = NEVER
    the: Pattern = NEVER
    contractions: Words = _NO_WORDS
    emphasis: Pattern = NEVER
    negations: Words = _NO_WORDS
    negation_endings: OrderedWords = ()


class ValuesFile(Struct, frozen=True):
    """`values.txt`: values that a text states."""

    values: Words = _NO_WORDS
    links: Words = _NO_WORDS
    question_verbs: Words = _NO_WORDS
    doubts: Words = _NO_WORDS
    wishes: Phrases = ()
    unsure: Words = _NO_WORDS
    past: Words = _NO_WORDS
    done: Words = _NO_WORDS
    done_endings: OrderedWords = ()


class HintsFile(Struct, frozen=True):
    """`hints.txt`: wishes to have something remembered for more than the session."""

    hint: Rules = ()
    address: Rules = ()  # what is enough in front of a colon
    please: Pattern = NEVER
    stating_subjects: Words = _NO_WORDS


class TurnsFile(Struct, frozen=True):
    """`turns.txt`, in `shared/` only: who speaks in a conversation."""

    roles: Words = _NO_WORDS
    asking_roles: Words = _NO_WORDS
    answering_roles: Words = _NO_WORDS
    label_endings: OrderedWords = ()
