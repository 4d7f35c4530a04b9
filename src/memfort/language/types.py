"""Which of seed 002's eight types a statement is, by its words: how long it is worth keeping hangs on that.

The first rule that fits decides, so the same words always get the same answer. The order is the judgement: what has to
be done is a task however it is put, a lasting liking counts more than that it was mentioned, and somebody's home or job
more than that it is so at the moment. What changes how things stand, such as moving, marrying or deciding, is no
passing event: it is of the type of what it leads to.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from memfort.language.event_types import PREFERENCE
from memfort.language.mentions import RELATION_TERMS
from memfort.language.normalise import LazyPattern, any_of, compile_set, plain, read, wording
from memfort.language.profile_facts import find_facts

_IDENTITY_KEYS = ("name", "timezone", "language")  # facts about a person; the other keys are about their tools


def infer_type(text: str) -> str | None:
    """The type that the words of `text` show, or None when they show none."""
    found = _rule_patterns().Match(plain(text)) or ()
    if not found:  # as of most texts
        return "identity" if find_facts(text, _IDENTITY_KEYS) else None
    if _NAME_JOINED in found and _names_what_was_joined(text):
        found = [*found, _TURNING_POINT]
    for place, (name, _) in enumerate(_RULES):
        if place in found or (name == "preference" and _PREFERRING in found):
            return name
        if name == "relationship" and _RELATION_NAMED in found and _names_a_relation(text):
            return name
        if name == "identity" and find_facts(text, _IDENTITY_KEYS):
            return name
    return None


def _names_a_relation(text: str) -> bool:
    """ "My boss is Carol" says who somebody is, "my boss is tired" how they are: only the capital tells them apart."""
    reading = read(text)
    found = _MY_RELATION_IS.search(reading.text)
    return bool(found) and text[reading.places[found.start(1)]].isupper()


def _names_what_was_joined(text: str) -> bool:
    """ "Joined Acme" and "left Acme in May" tell of a job or a home, "left early" of an evening."""
    reading = read(text)
    return any(text[reading.places[found.start(1)]].isupper() for found in _JOINED_NAME.finditer(reading.text))


def _rule(*forms: str) -> LazyPattern:
    whole = (rf"(?:{form})(?:\b|$)" for form in forms)
    return LazyPattern(rf"\b{any_of(*whole)}")


_RELATION = any_of(*sorted(RELATION_TERMS), "ex-wife", "ex-husband") + "(?:-in-law| in law)?"
_RELATIONS = any_of(rf"{_RELATION}s?", "kids?", "child(?:ren)?", "siblings?", "pets?", "twins", "parents", "in-laws")
_WHOSE = r"(?:my|our|his|her|their|your|[a-z0-9_]+'s|[a-z0-9_]+s')"
_I_AM = any_of("is", "are", "was", "am", "i'm", "he's", "she's", "they're", "we're", "you're")
_WE = any_of("i", "we", "they", "you", "people")
_DAY = any_of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MY_RELATION_IS = wording(rf"\b{_WHOSE} (?:[a-z]+ )?{_RELATION} is ([a-z_]+)\s*[.!]?\s*$")

_TRADE = any_of(
    "engineer",
    "developer",
    "programmer",
    "doctor",
    "nurse",
    "teacher",
    "student",
    "designer",
    "manager",
    "lawyer",
    "artist",
    "writer",
    "author",
    "musician",
    "chef",
    "cook",
    "architect",
    "analyst",
    "consultant",
    "professor",
    "pilot",
    "accountant",
    "researcher",
    "freelancer",
    "founder",
    "plumber",
    "carpenter",
    "mechanic",
    "farmer",
    "driver",
    "baker",
    "editor",
    "photographer",
    "actor",
    "electrician",
    "pharmacist",
    "therapist",
    "veterinarian",
    "[a-z]+ologist",
    "[a-z]+ician",
    "scientist",
    "journalist",
    "economist",
    "vegetarian",
    "vegan",
    "citizen",
    "native",
    "american",
    "morning person",
    "night owl",
    "only child",
    "introvert",
    "extrovert",
    "christian",
    "muslim",
    "catholic",
    "atheist",
)
_HAPPENING = any_of(
    "flight",
    "meeting",
    "appointment",
    "party",
    "interview",
    "exam",
    "concert",
    "wedding",
    "call",
    "conference",
    "trip",
    "game",
    "match",
    "deadline",
    "presentation",
    "reservation",
    "surgery",
    "disclosure",
    "recital",
    "workshop",
)
_THING = any_of(
    "project(?: [a-z0-9_]+)?",
    "company",
    "team",
    "service",
    "api",
    "server",
    "database",
    "app",
    "repo",
    "repository",
    "build",
    "library",
    "module",
    "office",
    "script",
    "file",
    "folder",
    "code",
    "codebase",
    "config",
    "pipeline",
    "site",
    "website",
    "tool",
    "printer",
    "wifi",
    "documentation",
    "docs",
    "test suite",
    "cluster",
    "store",
    "frontend",
    "backend",
)

_ONES = any_of("my", "our", "his", "her", "their", "your", "the", "a", "an")
_A = rf"{_ONES} (?:[a-z0-9'-]+ ){{0,2}}?"  # with what it is like: "an old stone house"
_HOME = any_of("house", "home", "flat", "apartment", "condo", "cottage", "cabin", "villa", "farm", "property", "place")
_VENTURE = any_of(
    "bakery",
    "shop",
    "company",
    "business",
    "restaurant",
    "store",
    "studio",
    "bar",
    "cafe",
    "practice",
    "gallery",
    "startup",
    "firm",
)
_GOODS = any_of(
    _HOME,
    _VENTURE,
    "car",
    "van",
    "truck",
    "boat",
    "motorbike",
    "motorcycle",
    "horse",
    "puppy",
    "kitten",
    "dog",
    "cat",
    "piano",
    "tattoo",
)
_JOB = any_of("jobs?", "position", "role", "careers?", "apprenticeship", "internship", "studies", "degree", "phd")
_PAPER = any_of(
    "degree",
    "licen[cs]e",
    "diploma",
    "citizenship",
    "visa",
    "green card",
    "phd",
    "doctorate",
    "tenure",
    "certificate",
    "certification",
    "driving test",
    "bar exam",
    "black belt",
)
_BODY = any_of(
    "team",
    "company",
    "firm",
    "startup",
    "army",
    "navy",
    "military",
    "police",
    "board",
    "band",
    "union",
    "department",
    "organi[sz]ation",
)
_CALLED_OFF = any_of(
    "moved",
    "postponed",
    "delayed",
    "scheduled",
    "rescheduled",
    "planned",
    "booked",
    "pushed",
    "cancell?ed",
    "brought forward",
)
_MONTH = any_of(
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_JOINED_NAME = wording(
    rf"\b(?:joined|left|quit) ([a-z_][a-z0-9_&.-]*)(?:\s*$|\s*[.!,;]| as | after | to | in (?:{_MONTH}|[0-9]{{4}})"
    rf"| last (?:week|month|year|{_MONTH}))"
)

_RULES = (
    (
        "task",
        _rule(
            r"(?:needs?|ha(?:s|ve)|ought|supposed|promised|agreed|forgot|plans?|meaning) to (?:[a-z]+ )?[a-z]+",
            r"(?:remember|don't forget|do not forget|remind [a-z0-9_@]+) to",
            r"remind [a-z0-9_@]+ (?:about|of)",
            r"(?:must|should|gotta|'ll|will) (?:[a-z]+ )?(?:call|buy|send|finish|pay|book|write|email|mail|fix|ask"
            r"|order|pick"
            r"|return|submit|schedule|prepare|review|clean|renew|cancel|bring|check|update|follow|reply|visit|see|go)",
            r"(?:todo|to-do|to do|action item)s?\s*:?",
            r"(?:owes|owe) [a-z0-9_]+ (?:a|an|the)",
            r"(?:is|are) due (?:on|by|next|this|tomorrow|today|in)",
            r"(?:wants?|asked|told|expects?) (?:me|us|him|her|them) to",
            r"^(?:please )?(?:pick up|make sure|renew|call|buy|send|book|pay|order|return|submit|cancel|schedule|fix"
            r"|bring|ask"
            r"|email|finish|feed|wash|clean|reply to|follow up)",
            r"by (?:eod|end of (?:the )?day|tomorrow|tonight)",
        ),
    ),
    (
        "observation",
        _rule(
            r"(?:seem|seems|seemed|sounds|sounded|looks|looked|appears|appeared) (?:to be |to |like |a bit "
            r"|a little |rather "
            r"|very |really |so |quite |kind of )*[a-z]+",
        ),
    ),
    (
        "preference",
        _rule(
            r"(?:likes|loves|enjoys|prefers|hates|dislikes|adores|detests|fancies|wants|favou?rs)",
            rf"{_WE} (?:[a-z]+ )?(?:like|love|enjoy|prefer|hate|dislike|adore|detest|want)",
            r"(?:doesn't|don't|does not|do not|didn't) (?:[a-z]+ )?(?:like|enjoy|want|care for|eat|drink)",
            r"favou?rite|can(?:'t| ?not) stand|fan of|into [a-z]+ing|allergic to being|fond of|keen on|obsessed with",
            r"(?:would|i'd|he'd|she'd|they'd) rather|rather (?:have|than)|prefer|preferred",
            r"always (?:orders?|uses?|takes?|drinks?|eats?|picks?|chooses?|wants?|answers?|asks? for)",
            r"never (?:orders?|takes?|drinks?|eats?|wants?|wears?)",
            r"swears by|(?:eats?|drinks?|wears?|reads?) only|only (?:eats?|drinks?|wears?|reads?)",
            r"finds? [a-z0-9 ]+ (?:boring|annoying|relaxing|fun|delicious|ugly|beautiful|tiring|overrated)",
            rf"{_I_AM} (?:not )?(?:picky|into|crazy about|particular) (?:about )?",
        ),
    ),
    (
        "relationship",
        _rule(
            rf"(?:{_I_AM}|became) {_WHOSE} (?:[a-z-]+ ){{0,2}}{_RELATIONS}",
            rf"(?:has|have|got|adopted|i've) (?:a|an|one|two|three|four|five|[0-9]+|no|several|many) (?:[a-z]+ ){{0,2}}"
            rf"{_RELATIONS}(?: (?:named|called|and|who|aged|in|from|at|with)|\s*[.,!]|\s*$)",
            rf"{_WHOSE} (?:[a-z]+ )?{_RELATION}(?:'s name)? is (?:named|called|[a-z]+ and)",
            rf"{_WHOSE} (?:[a-z]+ )?{_RELATION}'s name",
            r"(?:married|engaged|related) to|dating|in a relationship with|reports? to|(?:best )?friends with"
            r"|divorced from",
            r"are (?:a|an) (?:couple|item|team)|(?:mother|father|parent) of (?:two|three|four|five|one|twins|[0-9])",
            rf"(?:lives?|living) with {_WHOSE}",
            r"(?:and [a-z0-9_]+|they|we|who) are (?:[a-z]+ )?(?:siblings|brothers|sisters|friends|married|colleagues"
            r"|partners"
            r"|cousins|roommates|twins|neighbou?rs|engaged)",
            r"(?:met|knows?) [a-z0-9_]+ (?:in|from|through|at) (?:school|college|university|work|church|the army)",
        ),
    ),
    (
        "observation",
        _rule(
            r"(?:mentioned|noticed|remarked|complained|hinted|joked|admitted|sighed|observed)",
            rf"{_I_AM} (?:a bit |a little |rather |very |really |so |quite |feeling |in a )*(?:tired|exhausted"
            r"|stressed|happy|sad"
            r"|angry|upset|excited|nervous|bored|hungry|sleepy|frustrated|grumpy|worried|busy|quiet|good mood|bad mood"
            r"|distracted|annoyed|cold|late|sick|ill|hungover|overwhelmed|relieved|confused|under the weather)",
            r"(?:is|are|was) (?:wearing|smiling|limping|crying|laughing|in a hurry)|kept [a-z]+ing",
            r"(?:feels|felt|is feeling|feeling) [a-z]+|not feeling|yawn(?:s|ed|ing)|laughed|in (?:a )?(?:good"
            r"|bad) mood",
        ),
    ),
    (
        "knowledge",
        _rule(
            rf"^(?:(?:the|our|this|my|their|all|every) )?(?:[a-z0-9-]+ ){{0,2}}?{_THING}s? (?:is|are|uses?|runs?"
            r"|lives?|has"
            r"|have|returns?|stores?|requires?|supports?|depends?|costs?|closes?|opens?|deploys?)",
        ),
    ),
    (
        "identity",
        _rule(
            r"works? (?:as|at|for|in|remotely|from home|part[- ]time|full[- ]time|nights)|working (?:as|at|for)"
            r"|employed (?:at|by|as)",
            r"(?:lives?|living|resides?|based|grew up|born|raised|lived) (?:in|at|near|on|abroad|alone)",
            rf"(?:{_I_AM}|comes?|came|originally) from",
            r"[0-9]{1,3} (?:years old|year old|cm tall)|[0-9]{1,3}-year-old",
            rf"{_I_AM} [0-9]{{1,3}}\s*[.!]?\s*$",
            r"birthday|date of birth|was born|born on|(?:full |first |last |middle |maiden )?name is|goes by|pronouns",
            r"speaks?(?: [a-z]+)* (?:english|german|french|spanish|italian|chinese|japanese|russian|portuguese|dutch"
            r"|arabic"
            r"|hindi|[0-9]+ languages|(?:two|three|four|five) languages|fluently)|fluent in|native (?:speaker"
            r"|language)|bilingual",
            rf"{_I_AM} (?:a |an |the )?(?:[a-z-]+ ){{0,3}}?{_TRADE}",
            r"(?:studied|studies|graduated|majored)|has an? (?:[a-z]+ )?(?:degree|phd|diploma)|went to (?:school"
            r"|college|university)",
            rf"{_I_AM} (?:american|british|german|french|dutch|spanish|italian|indian|chinese|japanese"
            r"|canadian|irish"
            r"|polish|russian|brazilian|mexican|swiss|swedish|australian)",
            r"(?:runs?|owns?) (?:a|an|the|his|her|their) (?:[a-z]+ )?(?:bakery|shop|company|business|restaurant|farm"
            r"|store|studio)",
            r"vegetarian|vegan|left-handed|right-handed|colou?r-?blind|allergic to|retired|single|drives an?|owns an?",
            r"time ?zone is|nationality|citizenship|zodiac|shoe size|(?:is|am) [0-9.]+ (?:feet|foot|meters"
            r"|metres) tall",
        ),
    ),
    (
        "event",  # of plans, which change
        _rule(
            rf"{_HAPPENING} (?:was |is |has been |got )?{_CALLED_OFF}",
            rf"{_CALLED_OFF} (?:back |up |forward )?(?:to|for|until|from) (?:the )?(?:{_DAY}|{_MONTH}|tomorrow|today"
            r"|tonight|next|this|later|noon|[0-9])",
        ),
    ),
    (
        "decision",
        _rule(
            r"decided|chose|opted (?:for|to|out|in|against)|settled on|agreed (?:on|that)|resolved to|ruled out"
            r"|went with|standardi[sz]ed on|made up (?:my|our|his|her|their) minds?",
            r"(?:switched|migrated|changed over) (?:[a-z0-9_]+ ){0,4}?(?:to|from)",
            r"(?:start|stopp)ed using|renamed|deprecated|phased out|dropped support|replaced [a-z0-9_ ]+ (?:with|by)",
        ),
    ),
    (
        "identity",  # turning points of a life
        _rule(
            r"(?:re)?married|divorced|widowed|(?:got|getting|gets|became) engaged|(?:broke|broken|split) up"
            r"|separated from",
            rf"gave birth|had (?:{_ONES} )?(?:[a-z]+ )?(?:baby|son|daughter|child|twins|triplets)|adopted",
            rf"passed away|{_RELATIONS} (?:[a-z]+ )?died|(?:he|she|they|who) died|died (?:of|from|aged)",
            rf"lost (?:my|our|his|her|their) (?:[a-z]+ ){{0,2}}?(?:{_RELATIONS}|{_HOME}|job|sight|eyesight|disclosure"
            r"|leg|arm|hand|eye|finger)",
            r"moved (?:house|home|flats?|apartments?|offices|in|into|out|away|abroad|overseas|here|back|to|from)",
            r"relocated|e?migrated to|(?:em|im)igrated|resettled|settled (?:in|down)",
            rf"(?:got|landed|took|found|accepted|started|began|finished|left|quit|changed|switched) (?:{_A})?{_JOB}",
            r"(?:started|began|finished|left|quit|dropped out of) (?:[a-z]+ )?(?:school|university|college|uni)",
            r"(?:started|began) (?:as|working (?:as|at|for|in|with)"
            r"|(?:learning|studying|playing|teaching|volunteering|training|collecting|seeing|dating))",
            r"(?:got|was|were|been|been just|were just|was just|just got) (?:[a-z]+ )?(?:promoted|demoted|hired|fired"
            r"|laid off|made redundant|appointed|elected|ordained|naturali[sz]ed|expelled|(?:accepted|admitted)"
            r" (?:to|into|at|by))",
            r"promoted to|resigned|dropped out|enrolled (?:in|at)|enlisted|quit [a-z]+ing|got a (?:raise|new job)",
            r"became (?:my|our|his|her|their|a|an|the|friends|parents|partners|[a-z]?c[a-z]o|head|director|president)",
            rf"joined (?:{_A})(?:{_BODY}|club|gym|choir)|joined (?:[a-z0-9_]+ )as|(?:left|quit) (?:{_A}){_BODY}",
            rf"(?:bought|purchased|sold|inherited|built|got|acquired) {_A}{_GOODS}",
            rf"(?:rented|leased) {_A}{_HOME}|(?:opened|closed|started|founded) {_A}{_VENTURE}|signed {_A}lease",
            rf"(?:got|earned|received|obtained|passed|completed|finished|failed|lost) {_A}{_PAPER}",
            r"learn(?:ed|t) (?:how )?to [a-z]+|turned [0-9]+|converted to|came out (?:as|to)|transitioned"
            r"|changed (?:my|his|her|their|our) (?:[a-z]+ )?(?:names?|gender|religion|citizenship)",
            r"diagnosed|(?:became|went|gone) (?:blind|deaf|vegan|vegetarian)|paraly[sz]ed",
            r"had (?:a |an )?(?:[a-z]+ )?(?:stroke|heart attack|miscarriage|transplant|amputation)",
        ),
    ),
    (
        "context",
        _rule(r"(?:focused|blocked|stuck|swamped) (?:on|by|with)"),
    ),
    (
        "knowledge",  # what is so from then on, and what is done as a rule: "backups are copied to the vault"
        _rule(
            r"for good|permanently|for ?ever|beyond repair|once and for all|burn(?:ed|t) down|torn down",
            r"(?:is|are|am|i'm|he's|she's|it's|we're|they're|isn't|aren't) (?:[a-z]+ )?[a-z]{2,}ed (?:in|on|at|for"
            r"|from|to|into|with|about|by)",
            r"(?:co-)?founded|invented|discovered",
            r"(?:years|decades|centuries|ages|long|time|a lifetime) (?:ago|back)|in the (?:[a-z]+ )?[0-9]{2,4}'?s"
            r"|(?:when|while) (?:i|he|she|we|they) (?:was|were) (?:a |an |in |at |little|young|small|[0-9])[a-z0-9 ]*"
            r"|as (?:a|an) (?:[a-z]+ )?(?:child|kid|boy|girl|teenager|student|baby)|growing up|back in the day"
            r"|in (?:my|his|her|their|our) (?:childhood|youth|teens|twenties|thirties|forties|[0-9]{2}'?s)"
            r"|at the age of|at age [0-9]+|when [a-z]+ was (?:born|[0-9]+|little|young)",
        ),
    ),
    (
        "event",
        _rule(
            r"had (?:[a-z]+ )?(?:a |an |the )?(?:[a-z]+ )?(?:dinner|lunch|breakfast|coffee|drinks|brunch|baby"
            r"|accident|argument"
            rf"|fun|date|{_HAPPENING})",
            r"(?:went|met|visited|attended|flew|travell?ed|bought|sold|moved|started|finished|completed|celebrated"
            r"|won|lost"
            r"|saw|watched|returned|came back|joined|left|booked|signed|launched|released|presented|hosted|threw|fell"
            r"|missed|received|hiked|ran|ate|cooked|passed|failed|quit|adopted|broke|arrived|drove|spoke"
            r"|talked)",
            r"(?:got|getting|gets) (?:married|engaged|promoted|divorced|hired|fired|back|a (?:new )?(?:job|puppy"
            r"|raise|car|cat))",
            rf"yesterday|last (?:week|night|month|year|weekend|summer|winter|spring|fall|{_DAY})|ago"
            r"|earlier (?:today|this)",
            rf"(?:has|have|got|there is|there's|is having|are having) (?:a|an) (?:[a-z]+ ){{0,2}}{_HAPPENING} (?:on"
            r"|at|in|tomorrow"
            rf"|next|this|with|{_DAY})",
            rf"{_HAPPENING} is (?:on|at|in|tomorrow|next|this)",
            r"[a-z]{2,}ed (?:his|her|my|their|our|the|a|an|on|in|at|for|from|to|into|with|about)",
            r"(?:took place|happened|turned [0-9]+|was (?:cancelled|canceled|postponed|held))",
        ),
    ),
    (
        "context",
        _rule(
            r"working on|currently|right now|at the moment|these days|this (?:week|month|sprint|quarter|semester)"
            r"|for now|today"
            r"|tonight|nowadays|at present|until [a-z]+",
            r"busy (?:with|preparing)|in the middle of|preparing (?:for|to)|getting ready|trying to|focus(?:ed|ing"
            r"|es) on",
            rf"{_I_AM} (?:[a-z]+ )?(?:learning|reading|writing|planning|debugging|travell?ing|visiting|waiting"
            r"|looking|thinking"
            r"|considering|presenting|training|studying|moving|migrating|staying|building|watching|playing|testing"
            r"|taking"
            r"|organi[sz]ing|renovating|job hunting|searching|blocked|stuck|away|abroad|offline|next)",
            r"on (?:vacation|holiday|leave|a trip|the road|parental leave|call|a call|a train|the way|a diet"
            r"|sabbatical)",
            r"^(?:learning|reading|planning|debugging|travell?ing|visiting|waiting for|looking (?:for|into)"
            r"|thinking about)",
            r"halfway through|on a (?:tight )?deadline|between (?:flats|homes|jobs)",
            rf"{_I_AM} (?:[a-z]+ )?(?:re)?[a-z]{{3,}}ing (?:the|a|an|my|his|her|their|our|for|on|to|in|with)",
            r"out of (?:the )?office|temporarily|staying (?:in|at|with)|between jobs|in town",
        ),
    ),
    (
        "knowledge",
        _rule(
            r"uses?|runs? on|written in|hosted (?:on|in|at|by)|depends? on|supports?|requires?|stands? for|means"
            r"|located (?:in|at)"
            r"|built (?:with|on|in)|costs?|consists? of|contains?|capital of|stored in|connects? to|deployed (?:to|on)"
            r"|defined (?:in|as)|spelled|opens? at|closes? at|invented|founded|discovered|equals|converts? to|made of",
            rf"(?:standup|stand-up|retro|sync|all-hands|review|office hours) (?:is|are) (?:at|on|every|from|{_DAY})",
            r"(?:the|a|an) [a-z0-9 -]+ (?:is|are) (?:the|a|an|in|on|at|called|kept|part|not|always|never)",
        ),
    ),
)


# Their places after the rules
_PREFERRING, _RELATION_NAMED, _NAME_JOINED = range(len(_RULES), len(_RULES) + 3)
_TURNING_POINT = max(place for place, (name, _) in enumerate(_RULES) if name == "identity")


@lru_cache(maxsize=1)
def _rule_patterns() -> Any:
    """All rules, searched for at once."""
    named = (PREFERENCE.pattern, _MY_RELATION_IS.pattern, _JOINED_NAME.pattern)
    return compile_set([*(rule.pattern for _, rule in _RULES), *named])
