"""How private a statement is, by its words alone: what it says about somebody's health, money, loves or troubles.

A word is not enough. "Depression" is also a hollow in the ground and "debt" what code has, so a rule wants the word
together with somebody who has it: "has anxiety", "my debts". What sounds alike and means no person is taken out first.
Rules miss things; that is why they only ever raise what a caller says, and why nothing is ever lowered by them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from msgspec import Struct

from memfort.language.normalise import LazyPattern, any_of, compile_set, plain
from memfort.model.item import Sensitivity

EPHEMERAL_TYPES = frozenset({"context", "event", "task", "observation"})


def classify(text: str) -> tuple[Sensitivity, str | None]:
    """The sensitivity of `text`, and the rule that says so; public and no rule when none fits. The gravest wins."""
    seen = plain(text)
    found = _rule_patterns().Match(seen) or ()
    if found != [_EMPTY]:  # as it is of most texts
        found = _rule_patterns().Match(_ORDINARY.sub(" _ ", seen)) or ()
    place = min(found, default=_EMPTY)
    return (Sensitivity.PUBLIC, None) if place >= _EMPTY else (_RULES[place].sensitivity, _RULES[place].name)


def stricter(given: Sensitivity, found: Sensitivity) -> Sensitivity:
    """The graver of what was asked for and what was found."""
    return given if given is found else max(given, found, key=_GRAVITY.index)


def private_chat_floor(type: str, sensitivity: Sensitivity, *, learned_in_private: bool) -> Sensitivity:
    """What passes in a private chat and is soon over is at least personal: it was said to one person, in passing."""
    if learned_in_private and type in EPHEMERAL_TYPES:
        return stricter(sensitivity, Sensitivity.PERSONAL)
    return sensitivity


_GRAVITY = tuple(Sensitivity)  # they are declared from the least to the gravest


class _Rule(Struct, frozen=True):
    name: str
    sensitivity: Sensitivity
    pattern: LazyPattern


_END = r"(?:\s*[.,;:!?)]|\s*$)"


def _rule(name: str, sensitivity: Sensitivity, *forms: str) -> _Rule:
    """A rule that fits where any of these forms stands between word borders; `_END` is a border of its own."""
    whole = [form if form.endswith(_END) else rf"(?:{form})\b" for form in forms]
    return _Rule(name, sensitivity, LazyPattern(rf"\b{any_of(*whole)}"))


# Who has it.
_MY = r"(?:my|his|her|their|[a-z0-9_]+'s)"
_HAS = (
    any_of(
        "has",
        "have",
        "had",
        "having",
        "i've",
        "got",
        "gets?",
        "developed",
        "needs",
        "survived",
        "survivor of",
        "suffer(?:s|ed|ing)? (?:from|with)",
        "struggl(?:es?|ed|ing) with",
        "deal(?:s|t|ing)? with",
        "coping with",
        "liv(?:es?|ing) with",
        "battl(?:es?|ed|ing)",
        "fighting",
        "history of",
        "treated for",
        "medication for",
        "recover(?:s|ed|ing)? from",
        "hospitali[sz]ed (?:for|with)",
        "tested (?:positive )?for",
        "diagnos(?:ed with|is of)",
        _MY,
    )
    + r"(?: [a-z0-9_'-]+){0,3}? "
)
_BE = any_of("is", "am", "are", "was", "were", "be", "been", "being", "i'm", "he's", "she's", "they're", "we're")
_BEING = rf"{_BE}(?: (?:also|still|now|currently|really|very|a|an|openly|again|severely|pretty|so|not))*"
_SEES = rf"(?:sees?|seeing|saw|visit(?:s|ed|ing)?|{_MY})(?: (?:a|an|the|new|own))?(?: [a-z]+)?"
_TAKES = rf"(?:takes?|taking|took|on|prescribed|started|trying|undergo(?:es|ing)?|underwent|doing|{_MY})(?: [a-z]+)?"

# What they have.
_ILLNESS = any_of(
    "cancer",
    "tumou?rs?",
    "leuk[a]?emia",
    "diabetes",
    "epilepsy",
    "arthritis",
    "hypertension",
    "high blood pressure",
    "heart (?:disease|condition|attack|failure)",
    "(?:kidney|liver|lung|thyroid|autoimmune) (?:disease|failure)",
    "hepatitis",
    "tuberculosis",
    "lupus",
    "crohn's",
    "colitis",
    "celiac",
    "multiple sclerosis",
    "parkinson's",
    "alzheimer's",
    "dementia",
    "endometriosis",
    "pcos",
    "infertility",
    "hiv",
    "aids",
    "herpes",
    "chlamydia",
    "an? st[di]",
    "asthma",
    "chronic (?:pain|illness|fatigue|disease)",
    "a stroke",
    "seizures?",
    "thyroid",
    "migraines",
    "fibromyalgia",
    "osteoporosis",
    "glaucoma",
    "long covid",
    "a disability",
    "disclosure aids?",
)
_TREATMENT = any_of(
    "surgery",
    "biopsy",
    "transplant",
    "dialysis",
    "colonoscopy",
    "c-section",
    "abortion",
    "miscarriage",
    "mastectomy",
    "hysterectomy",
    "vasectomy",
    "(?:radiation|physical) therapy",
    "(?:lab|blood|mri|test) results",
)
_MEDICINE = any_of(
    "insulin", "metformin", "chemo", "chemotherapy", "blood thinners", "methadone", "hrt", "ivf", "birth control"
)
_MIND = any_of(
    "anxiety",
    "depression",
    "panic (?:attacks?|disorder)",
    "ptsd",
    "ocd",
    "adhd",
    "autism",
    "schizophrenia",
    "anorexia",
    "bulimia",
    "eating disorder",
    "bipolar disorder",
    "burnout",
    "insomnia",
    "psychosis",
    "addiction",
    "(?:nervous|mental) breakdown",
    "suicidal thoughts",
    "mental health (?:issues?|problems?|struggles?)",
    "(?:drinking|drug|gambling) problem",
)
_MIND_MEDICINE = any_of(
    "antidepressants?",
    "lithium",
    "ssris?",
    "prozac",
    "zoloft",
    "lexapro",
    "xanax",
    "adderall",
    "ritalin",
    "antipsychotics?",
)
_LOVE = any_of(
    "gay",
    "lesbian",
    "bisexual",
    "homosexual",
    "queer",
    "asexual",
    "pansexual",
    "transgender",
    "trans",
    "transsexual",
    "non-binary",
    "nonbinary",
    "genderqueer",
    "intersex",
)
_RELATIVE = any_of(
    "father",
    "mother",
    "dad",
    "mom",
    "mum",
    "brother",
    "sister",
    "son",
    "daughter",
    "wife",
    "husband",
    "grand[a-z]+",
    "uncle",
    "aunt",
    "cousin",
    "friend",
    "baby",
    "dog",
    "cat",
)
_FAITHFUL = any_of(
    "muslim",
    "jewish",
    "jew",
    "christian",
    "catholic",
    "protestant",
    "hindu",
    "buddhist",
    "sikh",
    "mormon",
    "atheist",
    "agnostic",
)
# Signs of money other than the dollar read as a space, so an amount is also what is written like one.
_MONEY = any_of(
    r"\$\s*[0-9][0-9.,]*k?",
    r"[0-9][0-9.,]*k",
    r"[0-9]{1,3}(?:,[0-9]{3})+",
    r"[0-9][0-9.,]* (?:dollars|euros?|pounds|usd|eur|gbp)",
)

# What sounds alike. It is taken out before the rules look.
_ORDINARY = LazyPattern(
    r"\b"
    + any_of(
        rf"(?:{_ILLNESS}|{_MIND}|{_MEDICINE}) (?:research|researchers?|dataset|data|papers?|study|studies|clinics?"
        r"|wards?|charity|awareness|apps?|models?|classifiers?|detection|screening|books?|module|song)",
        r"(?:it|that|what|let|there|here|who|how)'s",  # an "is", nobody's
        r"(?:great|economic) depression",
        r"depression in the [a-z]+",
        r"surgery on the (?:code|codebase|schema|database|table|module|repo|repository|build|system|architecture)",
        r"pregnant (?:pause|with)",
        r"(?:therapist|psychiatrist) (?:bot|chatbot|app|agent|prompt)",
        r"bipolar (?:transistors?|junction)",
        r"(?:technical|tech|code|design|data) debt",
        r"(?:salary|salaries|income|payroll|wage|mortgage|loan|debt|savings) (?:module|table|column|field|page|form"
        r"|statements?|calculator|app|class|service|api|data|report|ceiling|funds?)",
        r"new jobs? (?:queue|runner|scheduler|id|type|in the queue)",
        r"(?:cron|batch|background|nightly|build|ci) jobs?",
        r"(?:quit|leave|leaving|left) the (?:app|game|room|meeting|call|loop|program|terminal|shell|editor)",
        r"vot(?:es|ed|ing) for (?:option|proposal|answer|plan|candidate|name|it|this|that|you|us|me)",
    )
    + r"\b"
)

_SENSITIVE, _PERSONAL = Sensitivity.SENSITIVE, Sensitivity.PERSONAL
# The gravest first: the first rule that fits gives the answer.
_RULES = (
    _rule(
        "mental_health",
        _SENSITIVE,
        rf"{_HAS}{_MIND}",
        rf"{_TAKES} {_MIND_MEDICINE}",
        rf"{_BEING} (?:bipolar|depressed|autistic|suicidal|anorexic|bulimic|schizophrenic|alcoholic|burn(?:ed|t) out"
        r"|in rehab|in therapy|addicted|addict|self-harming)",
        r"feel(?:s|ing)?(?: [a-z]+)? (?:suicidal|depressed)",
        r"(?:attempted|thinking (?:of|about)|consider(?:ed|ing)) suicide",
        rf"{_SEES} (?:therapist|psychiatrist|psychologist|psychotherapist)",
        r"(?:go|goes|going|went|been) to (?:therapy|rehab|aa meetings|na meetings|couples counsell?ing)",
        r"(?:cuts?|cutting|harms?|harming) (?:herself|himself|myself|themselves)",
        r"relapsed|(?:is|been|i'm|am|getting|stay(?:s|ing)?) sober",
        r"(?:struggl(?:es?|ed|ing)|problems|issues) with (?:[a-z]+ )?mental health",
        r"therapy (?:intake|sessions? (?:with|on|at))",
    ),
    _rule(
        "health",
        _SENSITIVE,
        rf"{_HAS}(?:{_ILLNESS}|{_TREATMENT})",
        rf"(?:scheduled for|awaiting|undergo(?:es|ing)?|underwent) (?:[a-z-]+ ){{0,2}}{_TREATMENT}",
        rf"{_TAKES} {_MEDICINE}",
        rf"{_TAKES} (?:medication|meds|medicine) (?:for|because)",
        r"(?:was|were|is|am|are|got|been) (?:[a-z]+ )?diagnosed with",
        rf"{_MY} (?:[a-z]+ )?(?:diagnosis|prescription|pregnancy|symptoms)",
        rf"{_BEING} (?:[0-9a-z]+ (?:weeks|months) )?pregnant",
        r"(?:got|gets|getting|get|become) pregnant",
        rf"{_BE} (?:expecting|having) (?:a (?:baby|child|boy|girl)|twins|triplets)",
        rf"{_BEING} (?:diabetic|epileptic|hiv positive|infertile|terminally ill|chronically ill|going blind)",
        r"(?:i am|i'm|he is|he's|she is|she's) disabled",
        r"(?:uses?|using|needs?|in) a wheelchair",
        rf"{_MY} (?:blood pressure|blood sugar|kidneys?|liver|cholesterol) (?:is|are|has|have|was|were)",
        r"found a (?:lump|tumou?r)|lost (?:the|her|our|my|their) baby|needs? a new (?:hip|knee|kidney|heart|liver)",
        r"in (?:the )?(?:intensive care|icu)",
        rf"{_SEES} (?:oncologist|cardiologist|neurologist|urologist|fertility (?:clinic|doctor))",
        r"(?:oncology|hematology|rheumatology|endocrinology|nephrology|cardiology|neurology|psychiatry|gynecology)"
        r" (?:visit|appointment|clinic|follow-up|referral)",
        r"[0-9]+\s*(?:mg|milligrams) (?:[a-z]+ )?(?:daily|dose|every|twice|once|at night)",
    ),
    _rule(
        "abuse",
        _SENSITIVE,
        r"(?:abused|raped|molested|assaulted|stalked|beats?) (?:me|him|her)|hits (?:her|him|me)",
        rf"{_BEING} (?:(?:sexually|physically|emotionally) )?(?:abused|raped|molested|assaulted|stalked)",
        r"(?:a|the) (?:victim|survivor) of (?:[a-z]+ )?(?:abuse|violence|rape|assault)",
        r"abusive (?:[a-z-]+ )?(?:father|mother|parents?|husband|wife|partner|boyfriend|girlfriend|relationship"
        r"|marriage|ex|home|family)",
    ),
    _rule(
        "sexuality",
        _SENSITIVE,
        rf"{_BEING} {_LOVE}(?: (?:woman|man|girl|boy|person|and|but|too|as|since|at))?{_END}",
        rf"(?:{_BEING}|as a|as an|{_MY}) {_LOVE} (?:woman|man|girl|boy|person|guy|and|but|too"
        r"|experience|journey|identity)",
        r"came out (?:to (?:me|us|his|her|their|my)|as [a-z]+)",
        r"attracted to (?:men|women|both|other)|(?:she|he) (?:likes|dates) (?:women|men)",
        rf"not out (?:at work|to {_MY})|in the closet",
        rf"{_MY} (?:sexual orientation|sexuality|sex life|gender (?:transition|identity))",
        rf"(?:my|his|her) transition{_END}",
        r"transitioning (?:from (?:male|female)|was(?:n't)? (?:easy|hard))",
    ),
    _rule(
        "legal",
        _SENSITIVE,
        rf"(?:{_BE}|got) (?:arrested|convicted|indicted|jailed|imprisoned|deported|sued|incarcerated)",
        r"on (?:probation|parole|bail)",
        rf"{_BEING} (?:in (?:prison|jail)|undocumented|facing (?:charges|trial|deportation|eviction)"
        r"|under investigation|suing|felon)",
        r"(?:went|going|been|sent) to (?:prison|jail|court)|(?:years|months|days|time) in (?:prison|jail)",
        r"(?:has|have|had|with|got) a (?:criminal record|conviction|felony|warrant|dui)",
        r"restraining order",
        r"(?:visa|asylum|green card)(?: application| request)? (?:was|got|is|has) (?:been )?(?:denied|rejected|expired"
        r"|refused|revoked)",
        rf"{_BE} (?:charged with|accused of) (?:a )?(?:fraud|theft|murder|assault|crime|felony|tax evasion)",
        r"custody (?:battle|fight|disclosure|dispute)",
    ),
    _rule(
        "money",
        _SENSITIVE,
        rf"{_MY} (?:[a-z]+ ){{0,3}}?(?:salary|wages?|income|net worth|credit score|debts?|savings|paycheck"
        r"|inheritance|student loans?|(?:mortgage|rent) payments?)",
        r"^\s*(?:[a-z]+ )?(?:salary|income|net worth|credit score|wage) (?:is|was|of)",
        rf"(?:salary|income|wage|raise|bonus|earn(?:s|ed|ing)?) (?:[a-z]+ ){{0,4}}{_MONEY}",
        rf"(?:makes?|making|made|earns?|paid) (?:[a-z]+ ){{0,2}}{_MONEY} (?:an?|per|each|every) "
        r"(?:hour|day|week|month|year)",
        r"(?:in|into|out of) (?:[a-z]+ )?debt",
        rf"ow(?:es?|ing|ed) (?:[a-z']+ ){{0,3}}(?:{_MONEY}|money|rent|[a-z]+ (?:hundred|thousand|grand|million))",
        r"(?:fil(?:ed|ing|es) for|declared) bankruptcy|(?:went|go|going|is|am|i'm) bankrupt",
        r"(?:can't|cannot|couldn't|unable to) (?:afford|pay|make)(?: [a-z]+)? (?:rent|mortgage|bills|food|tuition)",
        r"behind on (?:[a-z]+ )?(?:rent|mortgage|bills|payments|loan|child support)",
        rf"{_MONEY} in (?:[a-z]+ ){{0,2}}(?:loans?|debt|savings|the bank)",
        r"(?:has|have|had|took out|paying off|paid off) (?:[a-z]+ ){0,2}(?:student|payday|personal) loans?",
        r"(?:money|financial) (?:problems|troubles?|difficulties|worries)",
        r"inherited (?:[a-z$0-9.,]+ ){0,4}?(?:money|million|thousand|from)",
        rf"{_BE} (?:flat |completely )?broke(?: (?:until|since|after|and|right|again|this)|{_END})",
        rf"(?:take-home pay|makes? (?:six|seven) figures|paycheck to paycheck|los(?:e|ing) {_MY} house)",
        r"maxed out (?:[a-z]+ ){0,2}cards?",
        r"gambled away|on (?:welfare|food stamps|unemployment benefits?)",
    ),
    _rule(
        "career",
        _PERSONAL,
        r"(?:looking|searching|hunting|applying|applied|apply) for (?:(?:a|an|other|another|new|some|[a-z]+) ){0,2}"
        r"(?:jobs?|positions?|employer)",
        r"job[- ](?:hunting|hunt|searching|search|offer|interviews?)",
        r"interview(?:ing|ed) (?:at|elsewhere)|interview (?:at|for (?:a|an|another) (?:[a-z]+ ){0,2}(?:job"
        r"|position|role|internship))",
        rf"(?:quit|quitting|leav(?:e|ing)|resign(?:ing)? from|lost|losing|hates?) (?:the|{_MY}) (?:[a-z]+ )?"
        r"(?:job|company|firm)",
        r"(?:wants?|plan(?:s|ning)?|thinking (?:of|about)|going|decided|about) (?:to )?(?:quit|resign)(?:t?ing)?"
        rf"(?: (?:after|before|next|soon|in|{_MY}|the company)|{_END})",
        rf"(?:handed|handing|gave|giving|put)(?: in)? {_MY} (?:[a-z']+ ){{0,2}}(?:notice|resignation)",
        rf"(?:{_BE}|got|getting|get) (?:laid off|let go|demoted|made redundant|furloughed|passed over for"
        r"|put on (?:a |an )?(?:pip|performance))",
        r"(?:got|getting|been) fired|(?:was|were|is being) fired (?:from|by|for|last|yesterday|today|in|after)",
        rf"{_BEING} (?:unhappy|miserable|underpaid) (?:at work|(?:at|in|with) (?:the|{_MY}))",
        r"(?:talking|talked|speaking) (?:to|with) (?:[a-z]+ )?(?:recruiters?|headhunters?)",
        r"performance improvement plan",
        rf"{_BEING} unemployed",
    ),
    _rule(
        "family",
        _PERSONAL,
        rf"(?:{_BE}|get|got|gets|getting) (?:a )?(?:divorced?|separated from)",
        rf"(?:fil(?:ed|ing|es) for|going through a|{_MY}(?: [a-z]+)?) divorce",
        r"(?:husband|wife|partner|parents|they|we)(?: (?:have|are|were|recently|just))* (?:separated|split up)"
        rf"(?: (?:in|last|this|after|and)|{_END})",
        r"(?:broke|breaking|break) up with",
        r"cheat(?:s|ing|ed)? on|(?:having|had) an affair",
        rf"{_RELATIVE} (?:just |recently |has )?(?:died|passed away)",
        rf"lost {_MY} (?:[a-z]+ )?{_RELATIVE}",
        r"estranged from|on speaking terms with",
    ),
    _rule(
        "religion",
        _PERSONAL,
        rf"{_BEING} (?:[a-z]+ )?{_FAITHFUL}",
        r"converted to (?:islam|judaism|christianity|catholicism|hinduism|buddhism)",
        r"(?:go|goes|going|went) to (?:church|mosque|synagogue|mass|the mosque|the synagogue)",
        rf"(?:{_MY}|from|join(?:ed|ing)? a(?: [a-z]+)?) (?:church|mosque|synagogue)|my faith",
        r"keeps? (?:kosher|halal|the sabbath)|(?:fasts?|fasting) (?:during|for) (?:ramadan|lent)",
        r"(?:i|he|she|they|we) prays?|prays (?:every|five|daily|before)",
    ),
    _rule(
        "politics",
        _PERSONAL,
        r"vot(?:es|ed|ing) for (?:the )?[a-z]{2,}",
        rf"{_BEING} (?:[a-z]+ )?(?:republican|democrat|socialist|communist|libertarian|anarchist|monarchist)",
        r"(?:member of|joined|supports?|campaigns for) (?:the |a )?(?:[a-z]+ )?(?:party|labor union|trade union)",
    ),
    _rule(
        "minor_health",
        _PERSONAL,
        rf"(?:{_BEING}|got) (?:[a-z]+ )?(?:intolerant|allergic)",
        rf"(?:has|have|i've|{_MY}) (?:got )?(?:an? )?(?:[a-z]+ ){{0,2}}(?:allergy|allergies|intolerance)",
        r"(?:has|have|had|got|caught) (?:a|the|an) (?:[a-z]+ )?(?:flu|cold|fever|cough|stomach bug|sore throat|headache"
        rf"|migraine|infection)(?: (?:today|and|since|this|again|so|right)|{_END})",
        r"(?:has|have|had|got|caught) covid",
        rf"(?:hurt|broke|sprained|twisted|injured) {_MY} (?:[a-z]+ )?(?:leg|arm|ankle|wrist|foot|knee|back|hip)",
        rf"(?:i am|i'm|he's|she's|we are|they are|is|was) (?:home |off |out )?(?:sick|ill)"
        rf"(?: (?:today|and|since|this|again|so|with|at|right|in)|{_END})",
        r"(?:throw(?:s|ing)?|threw) up|(?:can't|cannot|doesn't) (?:eat|tolerate) (?:gluten|dairy|lactose|nuts)",
        r"call(?:s|ed|ing)? in sick|on sick leave",
    ),
)


@lru_cache(maxsize=1)
def _rule_patterns() -> Any:
    """All rules, searched for at once, the gravest first; then the empty pattern, which is in every text that RE2 did
    not give up at, and what is ordinary."""
    return compile_set([*(rule.pattern.pattern for rule in _RULES), "", _ORDINARY.pattern])


_EMPTY = len(_RULES)
