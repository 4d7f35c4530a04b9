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
    small_talk: Words = _NO_WORDS  # folded as stop words are; a turn of these and stop words states nothing


class NamesFile(Struct, frozen=True):
    """`names.txt`: how people are named."""

    speaker: Words = _NO_WORDS
    speaker_in_capitals: Words = _NO_WORDS
    speaker_at_the_start: Words = _NO_WORDS  # only with a capital: inside a sentence it is something else
    speaker_is: Words = _NO_WORDS
    introducing: Phrases = ()
    others: Words = _NO_WORDS
    relations: WordGroups = {}  # the English word that each is kept under, with all words for it
    only_one: Words = _NO_WORDS  # in English only: the relations that a person has one of
    several: Words = _NO_WORDS
    each_of_several: WordGroups = {}  # what each of several people is, by the word that it is kept under
    having: Words = _NO_WORDS
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
    things_with_names: Words = _NO_WORDS  # that are somebody's and no person: "my bank Santander"
    contracted: Words = _NO_WORDS
    not_names: Words = _NO_WORDS
    surnames: Words = _NO_WORDS  # in Chinese only, where they show a name
    name_forms: Words = _NO_WORDS  # in Chinese only: what stands before or after a surname
    first_names: Words = _NO_WORDS


class SharingFile(Struct, frozen=True):
    """`sharing.txt`: what keeps a statement in its conversation, or with its owner."""

    passing: Pattern = NEVER
    owner_words: Words = _NO_WORDS
    group_words: Words = _NO_WORDS  # first person plural
    false_group_words: Words = _NO_WORDS  # that are group words of another language
    shared_words: Words = _NO_WORDS  # that are the commonest words of other languages, and here ordinary ones
    subject_left_out: Words = _NO_WORDS  # how a statement begins that leaves out who it is about
    short_lived: Pattern = NEVER


class SensitivityFile(Struct, frozen=True):
    """`sensitivity.txt`: what is private, by category."""

    levels: WordGroups = {}  # in `shared/` only: the categories of each level, the gravest first
    ordinary: Pattern = NEVER  # what sounds alike and is about no person
    rule: Rules = ()  # forms that the encoder may overrule
    certain: Rules = ()  # forms that it may not
    instructions: Pattern = NEVER  # how a sentence begins that asks for something and states nothing
    reasons: Pattern = NEVER  # inside a question: what stands beside them is stated
    harmless_words: Words = _NO_WORDS  # a sentence of nothing but these and stop words is public
    harmless: Pattern = NEVER  # whole sentences that are public


class SecretsFile(Struct, frozen=True):
    """`secrets.txt`: words around a secret. Compared without accents and case."""

    passwords: Phrases = ()  # that name a password, inside longer words too
    short_passwords: Phrases = ()  # the same, but only as whole words: they may be something else
    pins: Phrases = ()  # that name a secret number
    one_time_codes: Phrases = ()
    codes: Phrases = ()  # that name any code: secret only with more that speaks for it
    locks: Phrases = ()  # what a code opens
    arrivals: Phrases = ()  # how a one-time code comes
    purposes: Phrases = ()  # what it is for, and that it expires
    services: Phrases = ()  # who sends such codes, and where people have accounts
    entering: Phrases = ()  # what one does with a code or a password
    networks: Phrases = ()  # what has a password that people hand around
    figures: Phrases = ()  # how many figures a code has, and where they stand
    turns: Phrases = ()  # how a dial is turned
    spelling: Phrases = ()  # how a password is spelled
    digits: Phrases = ()  # the names of the digits
    units: Phrases = ()  # behind a number: it counts something
    before_amounts: Phrases = ()  # before a number: it is a time, a year or an amount
    harmless_codes: Phrases = ()  # before or behind a word for a code: it is none of these
    keys: Phrases = ()  # that name a key or a token of a program
    plain_keys: Phrases = ()  # words for any key: secret only with a value that nobody types
    harmless_keys: Phrases = ()  # beside such a word: it is none of these
    logins: Phrases = ()  # before a user's name and a password
    phrases: Phrases = ()  # that name the words of a wallet
    passphrases: Phrases = ()  # that name a password of several words
    seeds: Phrases = ()  # that name the secret of an authenticator
    links: Phrases = ()  # between a name and its value
    serving_as: Phrases = ()  # between a plain word and the name of a password behind it
    being: Phrases = ()  # those that stand before a value even if it is a plain word
    not_values: Phrases = ()  # behind a link, and no password
    endings: Phrases = ()  # of words that say something about a password
    references: Phrases = ()  # that name a number or code which is no secret
    tools: Phrases = ()  # that keep or rule passwords: "password manager"
    public_numbers: Phrases = ()  # that everybody may know, as a postal code, whatever is opened beside them


class OtherLanguagesFile(Struct, frozen=True):
    """`other_languages.txt`, in `shared/` only: what shows a language in Latin letters that has no folder here."""

    words: WordGroups = {}  # its commonest words, folded
    letters: WordGroups = {}


class CommonWordsFile(Struct, frozen=True):
    """`common_words.txt`, in `shared/` only: the commonest words of the languages with sensitivity data."""

    words: WordGroups = {}


class TypesFile(Struct, frozen=True):
    """`types.txt`: what type a statement is, and what type of event."""

    type: Rules = ()
    event: Rules = ()
    naming_a_relation: Pattern = NEVER
    naming_what_was_joined: Pattern = NEVER


class SlotsFile(Struct, frozen=True):
    """`slots.txt`: attributes that have one value at a time."""

    slot: Rules = ()
    loose: Rules = ()  # the same with more words behind the value
    words_of_forms: Words = _NO_WORDS
    roles: Words = _NO_WORDS  # what one person is to somebody: "my landlord is called Petrov" is about the landlord
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
    openings: Pattern = NEVER  # before a statement, and no part of it: "actually"
    change_words: Words = _NO_WORDS  # say that it was otherwise before
    clause_joints: Pattern = NEVER  # between two statements in one sentence
    clause_verbs: Words = _NO_WORDS  # with which a statement without its subject may begin
    only_if_changed: Words = _NO_WORDS  # attributes of which one may have several: a change has to be said
    only_if_named: Words = _NO_WORDS  # the same, and the earlier value has to be said too


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
    not_word: Pattern = NEVER
    before_values: Pattern = NEVER
    contrast: Pattern = NEVER
    after_values: Pattern = NEVER
    no_values: Words = _NO_WORDS


class AttributesFile(Struct, frozen=True):
    """`attributes.txt`: what is asked for in other words than it is told in. The rules are named by the noun."""

    nouns: WordGroups = {}  # for each attribute the words for it, folded
    asked: Rules = ()
    own: Rules = ()  # how a speaker states it of themselves
    others: Rules = ()


class ConceptsFile(Struct, frozen=True):
    """`concepts.txt`: what a statement is about, each concept by the words that stand for it. Read without accents."""

    concepts: PhraseGroups = {}  # a star stands for any letters
    members: PhraseGroups = {}  # more words of these, in statements only
    introductions: Pattern = NEVER  # how one says one's name; read as it is written, and a form fits the beginning


class UpdatesFile(Struct, frozen=True):
    """`updates.txt`: how something that was said before is otherwise now, without being called a correction. Its forms
    read folded text, like those of `conversation.txt`."""

    news: Pattern = NEVER  # beside another day, time or number
    adding: Pattern = NEVER  # says that it is one more: nothing ends
    because: Pattern = NEVER
    wrong: Pattern = NEVER  # the speaker was wrong
    over: Pattern = NEVER  # something has ended or comes to nothing
    instead: Pattern = NEVER  # something else is in its place
    left: Pattern = NEVER  # somebody is no longer there
    not_numbers: Words = _NO_WORDS  # "one" in "the bad one"
    then: Pattern = NEVER  # between two things that one statement says
    no_topics: Words = _NO_WORDS  # words that name nothing that could end


class OverviewFile(Struct, frozen=True):
    """`overview.txt`: questions for all that is known. Read in lower case, with every letter; a form fits the whole."""

    about_me: Pattern = NEVER
    everything: Pattern = NEVER
    people: Pattern = NEVER
    somebody: Pattern = NEVER  # how a question begins that asks for all about a person, whose name ends it


class EndsFile(Struct, frozen=True):
    """`ends.txt`: how a statement says until when it holds. Read in lower case, with every letter."""

    days: PhraseGroups = {}  # the words for today, tomorrow, this week and so on
    weekdays: OrderedWords = ()  # from Monday on
    until: Pattern = NEVER
    next: Pattern = NEVER
    only_before: Pattern = NEVER
    only_after: Pattern = NEVER
    present: Pattern = NEVER
    not_an_end: Pattern = NEVER


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
    # What follows is read by `dates/event_phrases.py`, for every language that has it. It is written as texts are
    # folded: in lower case and without accents.
    customs: Words = _NO_WORDS  # `month_first`: 10/3 is in October; `twelve_hours`: "at 3" may be in the afternoon
    weekday_names: WordGroups = {}  # from Monday on, each with its short forms
    ordinals: OrderedWords = ()  # from first on: days of a month in words
    days_away: PhraseGroups = {}  # by how many days from today: `1: tomorrow`
    which_one: PhraseGroups = {}  # `next`, `last`, `this`, `coming`, `after_next`, `before_last`
    unit_words: PhraseGroups = {}  # by the unit: `week: week, weeks`
    holidays: PhraseGroups = {}  # by month and day: `12-25: christmas`; `movable.py` says how others are written
    day_halves: PhraseGroups = {}  # `am`, `pm`
    named_hours: PhraseGroups = {}  # by the hour: `12: noon`
    named_minutes: PhraseGroups = {}  # by the minute: `30: half`
    range_endings: PhraseGroups = {}  # behind a day: `before: 之前`
    # Forms in which <day>, <month> and so on are the parts: `date`, `ago`, `ahead`, `past`, `span`, `clock`; `none` is
    # what only looks like one of them.
    event: Rules = ()
    event_links: Pattern = NEVER  # between two names of one time: "Wednesday at 3 pm"
    event_spans: Pattern = NEVER  # between the two ends of a span
    event_pairs: PhraseGroups = {}  # words that make one of what joins two: `between: and`
    event_clauses: Pattern = NEVER  # between clauses that may be in another tense
    arrangements: Pattern = NEVER  # what is arranged lies ahead, even if the arranging is over: "booked"
    before_plans: Pattern = NEVER  # directly before a time that lies ahead: "due"
    before_reports: Pattern = NEVER  # directly before a time that lies back: "since"
    before_denied: Pattern = NEVER  # directly before a time that is not meant: "not on Friday, on Saturday"
    plans: Pattern = NEVER
    reports: Pattern = NEVER
    not_reports: Pattern = NEVER  # looks like the past and is not: "is called"
    accented_plans: Pattern = NEVER  # these two with their accents, and with the signs around them
    accented_reports: Pattern = NEVER
    not_accented_reports: Words = _NO_WORDS  # words that end as these do
    recurring: Pattern = NEVER
    moved: Pattern = NEVER  # verbs that put something off or forward
    moved_to: Pattern = NEVER  # behind them, directly before the time that holds now
    ordinal_nouns: Words = _NO_WORDS  # behind a number with a dot they are counted; anything else makes it a day


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


class OrdersFile(Struct, frozen=True):
    """`orders.txt`: how a text gives orders to a model. Written as texts are folded: in lower case, without accents."""

    order: Rules = ()  # by family; only where an order can begin
    anywhere: Rules = ()  # by family; wherever it stands
    before_orders: Pattern = NEVER  # words after which an order can begin
    about: Pattern = NEVER  # words of a sentence that speaks about such texts
    about_tokens: Pattern = NEVER  # words of a sentence that speaks about special tokens
    naming: Pattern = NEVER  # directly before a text that is named and not given: "attacks like"


class ConversationFile(Struct, frozen=True):
    """`conversation.txt`: what a user's message leaves, and what it asks to correct or to forget. Its forms read folded
    text (`fold.py`) and are written with their accents."""

    fillers: Pattern = NEVER  # in front of a sentence
    fillers_with_comma: Pattern = NEVER
    trailing_fillers: Pattern = NEVER
    small_talk: Pattern = NEVER  # as a whole sentence
    question_beginnings: Pattern = NEVER
    open_questions: Pattern = NEVER  # beginnings of a sentence that asks if nothing else is known of it
    not_question_words: Words = _NO_WORDS  # with an accent they ask, without one they do not
    hypotheticals: Pattern = NEVER
    not_hypotheticals: Pattern = NEVER  # what looks supposed and is stated
    hypotheticals_anywhere: Pattern = NEVER
    role_play: Pattern = NEVER
    jokes: Pattern = NEVER  # as a whole sentence: what came before does not count either
    jokes_anywhere: Pattern = NEVER
    quotations: Pattern = NEVER
    quoted_speech: Pattern = NEVER  # a sentence with somebody's words behind a colon: "the hero says: I live here"
    fictions: Pattern = NEVER  # a sentence that opens a story or a supposition, which goes on to the next question
    instructions: Pattern = NEVER
    not_instructions: Pattern = NEVER  # what begins like an instruction and states something
    constraints: Pattern = NEVER  # beside a request: what may not be in what is asked for
    standing_wishes: Pattern = NEVER  # instructions for all later answers, which are kept
    orders: Pattern = NEVER  # a whole sentence that may ask: an order in passing that holds for later too
    not_orders: Pattern = NEVER  # what only looks like one, and is for the work at hand
    not_standing_wishes: Pattern = NEVER
    order_leads: Pattern = NEVER  # in front of an order, and no part of the wish
    passing_states: Pattern = NEVER
    talk: Pattern = NEVER  # about the conversation itself
    passing_subjects: Pattern = NEVER
    empty_objects: Pattern = NEVER
    keep: Rules = ()  # by type
    reasons: Pattern = NEVER  # conjunctions before a clause that is stated
    joints: Pattern = NEVER
    clause_beginnings: Pattern = NEVER
    relative_pronouns: Pattern = NEVER  # behind a comma they go on with the clause, unless the sentence asks
    shared_verbs: Pattern = NEVER  # they go on with the speaker as the subject of the clause before
    shared_verbs_of_others: Pattern = NEVER  # the same with somebody else
    subject: Pattern = NEVER  # with the group `subject`, and the verb behind it
    copulas: Pattern = NEVER  # the beginning of a clause that says what somebody is, with the verb: "I'm"
    predicates: Pattern = NEVER  # what goes on with it: "allergic to nuts" of "I'm vegan and allergic to nuts"
    own_predicates: Pattern = (
        NEVER  # without spaces: a clause with nothing in it that the next may be about but the speaker
    )
    own_person: Pattern = NEVER  # with the groups `whole`, `relation` and `name`
    named: Pattern = NEVER  # with the group `name`
    introductions: Pattern = NEVER  # before the speaker's own name
    person_verbs: Pattern = NEVER  # after a name: what people are and do
    being: Pattern = NEVER
    not_names: Words = _NO_WORDS
    question_tails: Pattern = NEVER
    she: Words = _NO_WORDS
    he: Words = _NO_WORDS
    they: Words = _NO_WORDS
    it: Words = _NO_WORDS
    corrections: Pattern = NEVER  # in front of what holds instead of the sentence before
    leaves_out_i: Pattern = NEVER  # verbs that a clause begins with whose subject is the speaker: "joined a choir"
    leaves_out_i_am: Pattern = NEVER
    left_out: OrderedWords = ()  # what they leave out: the subject, and the subject with its verb; _ is a space
    slips: Pattern = NEVER  # words anywhere in a message that say that something was wrong, or is otherwise now
    inner_corrections: Pattern = NEVER  # the same inside a sentence
    correction_requests: Pattern = NEVER
    retractions: Pattern = NEVER
    endings: Pattern = NEVER
    short_endings: Pattern = NEVER  # their words that say nothing of what has ended
    changes: Pattern = NEVER
    changed: Pattern = NEVER  # the same with the group `thing`: what it was that changed
    gone: Pattern = NEVER  # a clause that says who has gone; with the group `name`
    come: Pattern = NEVER  # in a clause: somebody has come in the place of whoever has gone
    wrong: Pattern = NEVER  # a clause that says of what something wrong was said; with the group `about`
    vague: Words = _NO_WORDS  # that say nothing of what they stand behind: "the Kafka thing"
    contrast: Rules = ()  # with the groups `old` and `new`
    not_word: Pattern = NEVER
    before_values: Pattern = NEVER
    after_values: Pattern = NEVER
    value: Rules = ()  # by kind: a value is replaced by one of its own kind
    denials: Pattern = NEVER
    denied: Pattern = NEVER  # in a sentence: there is no such thing; with the group `what`
    cancelled: Pattern = NEVER  # anywhere in a clause
    about: Pattern = NEVER  # behind a retraction, with the group `about`
    happenings: Pattern = NEVER
    habits: Pattern = NEVER
    that_day: Pattern = NEVER  # the time that was spoken of before: its day, its week, its month
    that_week: Pattern = NEVER
    that_month: Pattern = NEVER
    since: Pattern = NEVER  # a day from which on something holds
    verbs: Pattern = NEVER  # that show a clause to be whole
    definite: Pattern = NEVER  # the beginning of a clause about something in particular
    asks_about_user: Pattern = NEVER  # of the assistant's last question
    asks_about_task: Pattern = NEVER
    remember_requests: Pattern = NEVER
    remember_requests_behind: Pattern = NEVER
    no_remember_requests: Pattern = NEVER
    forget_requests: Pattern = NEVER
    no_forget_requests: Pattern = NEVER
    what_was_said: Pattern = NEVER
    request_words: Words = _NO_WORDS
    addressing: Words = _NO_WORDS  # words for the assistant
    speaker: Words = _NO_WORDS
    first_person: Words = _NO_WORDS  # of them, those that are the subject of a clause
    own_verbs: Pattern = NEVER  # with accents: how a clause begins that leaves out "I" or "we", up to its verb
    not_own_verbs: Words = _NO_WORDS  # that only look so
    yes: Pattern = NEVER
    turned: Phrases = ()  # `form => words`: how a question about "you" becomes a statement of "I"
    negations: Pattern = NEVER
    beside_negations: Pattern = NEVER  # words that say nothing of what is denied
    theirs: Words = _NO_WORDS  # whose it is, where only the sentence before says who that is
    writing_tasks: Pattern = NEVER  # what is told beside one belongs into the text that is asked for
    sarcasm: Pattern = NEVER  # anywhere in a sentence
    companions: Pattern = NEVER  # with which a clause goes on to something else


class TurnsFile(Struct, frozen=True):
    """`turns.txt`, in `shared/` only: who speaks in a conversation."""

    roles: Words = _NO_WORDS
    asking_roles: Words = _NO_WORDS
    answering_roles: Words = _NO_WORDS
    label_endings: OrderedWords = ()
