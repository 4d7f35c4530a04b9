"""Languages: which one a text is in, what says nothing in it, and how its words are cut to their stems.

A script of its own tells a language at once. Among those in Latin letters, the little words of a text vote, and letters
that few of them have. A text is of another language than English only if more speaks for it, and English stems are
what every text in Latin letters is found by: a wrong guess adds words that nobody looks for, and loses none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import repeat
from struct import Struct
from typing import Any

ENGLISH = "english"

# Too common to tell anything apart, as they are written without accents. A query of nothing else still finds.
_LATIN: dict[str, str] = {
    ENGLISH: (
        "a an and are as at be been but by can could did do does for from had has have he her his how i if in is "
        "it its me my of on or our she so than that the their them then there they this to was we were what when "
        "where which who why will with would you your s t d m ll re ve"
    ),
    "german": (
        "aber als am an auch auf aus bei bin bis da damit das dass dein deine dem den der des die dir doch du "
        "durch ein eine einem einen einer eines er es fur gibt hat hatte haben habe hast ich ihm ihn ihr ihre im "
        "in ist ja jetzt kann kein keine mein meine meinen meiner mich mir mit nach nicht noch nur ob oder ohne "
        "sehr sein seine sich sie sind so uber um und uns unser unsere vom von vor war waren warum was wann weil "
        "welche welcher welches wenn wer werden wie wieder wird wo wurde zu zum zur"
    ),
    "french": (
        "a ai as au aux avec avez avons ce ces cet cette chez combien comme comment dans de des du elle elles en "
        "est et etait etes etre eu il ils j je l la le les leur leurs lui ma mais me mes moi mon n ne nos notre "
        "nous on ont ou par pas plus pour pourquoi quand que quel quelle quelles quels qui quoi sa sans se ses si "
        "son sont sur ta te tes ton tu un une vos votre vous d c s t m qu y"
    ),
    "spanish": (
        "a al algo como con cual cuales cuando cuanto cuantos de del desde donde el ella ellas ellos en entre era "
        "es esa ese eso esta este esto estan fue ha han hay la las le les lo los mas me mi mis muy no nos nuestra "
        "nuestro o para pero por porque que quien quienes se ser si sin sobre son su sus tambien te tiene tienen "
        "tu tus un una unas uno unos y ya yo"
    ),
    "italian": (
        "a ad al alla alle ai che chi ci come con cosa cui da dal dalla degli dei del della delle di dove e ed "
        "era essere fa gli ha hai hanno ho i il in io la le lei lo loro lui ma mi mia mie miei mio ne nei nel "
        "nella non o per perche piu quale quali quando quanto quanti questa questo qui se sei si sono sta su sua "
        "suo sul sulla tra tu tua tuo un una uno vi"
    ),
    "portuguese": (
        "a ao aos as com como da das de dela dele do dos e ela elas ele eles em entre era essa esse esta este eu "
        "foi ha isso ja la lhe mais mas me meu meus minha minhas muito na nao nas nem no nos o onde os ou para "
        "pela pelo por porque qual quais quando quanto quantos que quem se sem ser seu seus so sua suas tambem te "
        "tem tinha um uma voce"
    ),
    "dutch": (
        "aan als bij dan dat de den der deze die dit doen door een en er geen had heb hebben heeft het hier hij "
        "hoe hun ik in is je jij jouw kan maar me meer met mij mijn naar niet nog nu of om onder ons op ook over "
        "te tot uit van veel voor waar wanneer waarom was wat we wel welke wie wij worden wordt zal ze zich zij "
        "zijn zo zonder"
    ),
    "swedish": (
        "alla att av blev bli da de dem den deras det detta dig din dina dit du efter eller en ett fran for ha "
        "hade han hans har hon honom hur i icke inte ja jag kan man med men mig min mina mitt mot mycket nagon "
        "nar nu och om oss pa sa sig sin sina som till under upp ut vad var vara varfor vem vi vid vilken vilket "
        "ar over"
    ),
    "danish": (
        "af alle at blev bliver da de dem den denne der deres det dig din dine disse du efter eller en er et for "
        "fra ham han hans har havde hun hvad hvem hvis hvor hvornar hvorfor i ikke jeg kan man med meget men mig "
        "min mine mit mod nar nogen nu og om op os over pa sa sig sin som til ud var vi vil ville"
    ),
    "norwegian": (
        "alle at av ble blir da de dem den denne der deres det dette deg din dine du eller en er et etter for fra "
        "ha hadde han hans har henne hun hva hvem hvis hvor hvordan hvorfor i ikke jeg kan man med meg mellom men "
        "min mine mitt mot mye nar noe og om opp oss over pa sa seg sin som til ut var vi vil ville"
    ),
    "finnish": (
        "ei eivat en ette etta han he hanen ja jos joka kanssa kuin kuka kun koska me mika milloin minka mina "
        "minun missa miten mita mutta myos ne niin nyt oli olen olet on ovat se sen seka sina sinun sita tai tama "
        "te tuo vain voi"
    ),
    "polish": (
        "a ale by byl byla bylo byc co czy dla do gdy gdzie go i ich ile ja jak jako jego jej jest jestem juz "
        "kiedy kto ktory ktora ktore lub ma mam mi mnie moj moja moje na nad nie o od on ona oni po pod przez "
        "przy sa sie tak tam te tego tej ten to tu ty tylko w we wiec z za ze"
    ),
    "romanian": (
        "a ai al ale am ar are asta au aceasta acest ca care cand cat ce cine cu cum da de din dupa ea ei el ele "
        "este eu fi fost ia in intre isi la lor lui mai mea mei meu mi ne nu o pe pentru poate prin sa sau se si "
        "sub sunt te tu un una unde unei unui va voi"
    ),
    "hungarian": (
        "a abban ahogy aki ami az azt be csak de e egy ehhez el en es ez ezek ezt fel ha hanem hogy hol ide igen "
        "is itt jo ki kell le lesz maga meg mert mi mikor milyen mint most nagy ne nekem nem o ok olyan ott s sem "
        "szerint te tehat ti van vannak volt"
    ),
    "turkish": (
        "acaba ama ancak az ben beni benim bir biri birkac biz bize bizim bu bunu cok cunku da daha de degil en "
        "gibi hangi hem hep hic icin ile ise kac kadar ki kim kimin mi mu nasil ne neden nerede o olan oldu "
        "olarak on onlar onu onun sen senin siz sizin su ve veya ya"
    ),
}
# Letters that English does not have. One of them says as much as two words.
_LETTERS: dict[str, str] = {
    "german": "äöüß",
    "french": "àçéèêëîïœùû",
    "spanish": "áéíñóú¿¡",
    "italian": "àèìòù",
    "portuguese": "áàãçéêíóõú",
    "swedish": "åäö",
    "danish": "åæø",
    "norwegian": "åæø",
    "finnish": "äö",
    "polish": "ąćęłńóśźż",
    "romanian": "ăâîșț",
    "hungarian": "áéíóöőúüű",
    "turkish": "çğıöşü",
}
LATIN = tuple(_LATIN)
# Scripts that one of the stemmers is for. Others who write in them share more of their endings than not.
_SCRIPTS = (
    (0x0370, 0x03FF, "greek"),
    (0x1F00, 0x1FFF, "greek"),
    (0x0400, 0x052F, "russian"),
    (0x0530, 0x058F, "armenian"),
    (0x0600, 0x077F, "arabic"),
    (0x0900, 0x097F, "hindi"),
    (0x0B80, 0x0BFF, "tamil"),
)
# The same for languages with a script of their own; what is cut into ones and twos, as it is cut.
_OTHER_STOP_WORDS = (
    "и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по ее мне было вот от меня о из ему"
    " когда где кто какой какая какие чем для мы их был была были есть это мой моя мои"
    " και το τα τη την της του των ο η οι στο στη στην για με που πως ποιος ποια ποιο ειναι δεν θα να ποτε τι απο μου"
    " في من على إلى عن أن ما هل هو هي هذا هذه التي الذي مع كان لا أين متى كيف لماذا يا أو ثم"
    " का के की है हैं में से को और पर ने यह वह क्या कौन कब कहाँ कहां कैसे क्यों था थी थे मैं मेरा मेरी मेरे हम"
    " 은 는 이 가 을 를 의 에 에서 와 과 도 로 으로"
    " 的 了 是 在 我 你 他 她 它 们 吗 呢 吧 什 么 哪 谁 和 也 就 都 這 这 那 有 不 什么 怎么 哪里 我们 他们 是在 们的"
)


def foreign_language(words: Sequence[str], lower: str) -> str | None:
    """The language of a text in Latin letters if it shows that it is not English, by its words, folded, and by its
    letters in lower case."""
    if lower.isascii() and _only_foreign().isdisjoint(words):
        return None
    english, *others = _votes(words, lower)
    most = max(others)
    return LATIN[1 + others.index(most)] if most > english else None


def possible_languages(words: Sequence[str], lower: str) -> tuple[str, ...] | None:
    """The languages that a query may be in, those that the most speaks for; `None` if that cannot be told."""
    if lower.isascii() and _word_votes().keys().isdisjoint(words):
        return None  # no little word of any language, and no letter of its own
    english, *others = _votes(words, lower)
    most = max(others)
    if most == english:
        return None
    return (ENGLISH,) if english > most else tuple(LATIN[1 + place] for place, n in enumerate(others) if n == most)


def _votes(words: Sequence[str], lower: str) -> list[int]:
    total = sum(map(_word_votes().get, words, repeat(0)))
    if not lower.isascii():
        total += sum(map(_letter_votes().get, set(_MARKED_LETTERS.findall(lower)), repeat(0)))
    return list(_COUNTERS.unpack(total.to_bytes(_COUNTERS.size, "little")))


_BITS = 32
_ENGLISH_BITS = (1 << _BITS) - 1
_COUNTERS = Struct(f"<{len(LATIN)}I")  # to read all counts at once takes a tenth of the time of one after the other
_MARKED_LETTERS = re.compile("[¡¿À-ɏ]")


@lru_cache(maxsize=1)
def _word_votes() -> dict[str, int]:
    """Each little word with one vote for every language that has it: all counts in one number."""
    found: dict[str, int] = {}
    for place, words in enumerate(_LATIN.values()):
        for word in {word for word in words.split() if len(word) > 1}:  # a letter alone may be anything
            found[word] = found.get(word, 0) + (1 << _BITS * place)
    return found


@lru_cache(maxsize=1)
def _only_foreign() -> frozenset[str]:
    """The words that speak for another language and not for English. Where there are none, nothing can outvote it."""
    return frozenset(word for word, found in _word_votes().items() if not found & _ENGLISH_BITS)


@lru_cache(maxsize=1)
def _letter_votes() -> dict[str, int]:
    found: dict[str, int] = {}
    for name, letters in _LETTERS.items():
        for letter in letters:
            found[letter] = found.get(letter, 0) + (2 << _BITS * LATIN.index(name))
    return found


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str | None:
    """The language that stands for a script, if there is one."""
    code = ord(letter)
    return next((name for low, high, name in _SCRIPTS if low <= code <= high), None)


@cache
def stop_words(language: str) -> frozenset[str]:
    """What says nothing in a language in Latin letters."""
    return frozenset(_LATIN[language].split())


@lru_cache(maxsize=1)
def other_stop_words() -> frozenset[str]:
    return frozenset(_OTHER_STOP_WORDS.casefold().split())


@lru_cache(maxsize=65_536)
def stem(word: str, language: str) -> str:
    return str(_stemmer()(language, 0).stemWord(word))  # a new one: it keeps the word it is at


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    """Imported when it is first used, and not looked for again at every word."""
    from Stemmer import Stemmer

    return Stemmer
