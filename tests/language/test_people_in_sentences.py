"""Whom sentences speak of, in ten languages: how many of the people are found, and how many of those found are people.

Each line is a sentence and whom it speaks of: `wife` for the speaker's wife, `sister of Sarah`, a name, `?` for
somebody who cannot be told, `me` for the speaker, and nothing if it is about nobody. What is only perhaps a person ends
in `?`: it counts only in statements that are not public. The list says what is found, not what should be; `WRONG` names
the lines that find too much. None finds too little.
"""

from __future__ import annotations

import pytest

from memfort.language.mentions import THE_SPEAKER, Spoken, mentions

SENTENCES = {
    "en": """
        My wife has anxiety = wife
        my husband was diagnosed with diabetes = husband
        Our daughter is allergic to nuts = daughter
        My sister's salary is $150k = sister
        My older brother lost his job = brother
        My boss Tom was diagnosed with cancer = Tom boss
        Tom, my boss, is away = Tom boss
        Sarah's sister is pregnant = sister of Sarah
        our neighbour's son was arrested = son of neighbor
        the son of our neighbour was arrested = son of neighbor
        My mother-in-law moved in = mother-in-law
        my best friend drinks too much = friend
        my ex-wife sued me = former wife, me
        My ex has depression = former partner
        Sarah is my wife = Sarah wife
        My wife is called Sarah = Sarah wife
        My wife's name is Sarah = Sarah wife
        Tom is my boss = Tom boss
        @bob is my best friend = @bob friend
        Bob's wife has cancer = wife of Bob
        Mom has cancer = mother
        Dad called this morning = father
        Wife has anxiety = wife
        Tom was diagnosed with cancer = Tom
        Dave and @bob both have anxiety = Dave, @bob
        Carol and Dan are getting divorced = Carol, Dan
        Dr Okonkwo prescribed it = Okonkwo
        Zoltan was diagnosed with asthma = Zoltan
        Zoltan's birthday is in May = Zoltan
        Emily told me that she quit = Emily, me
        Emily moved to Lisbon = Emily
        had dinner with Sarah = Sarah
        Met Carol and Dan at the station = Carol, Dan
        my wife and Tom have the flu = wife, Tom
        I and my wife moved to Rome = wife, me
        My wife and I moved to Rome = wife, me
        I love my wife = wife, me
        I am Tom's brother = Tom, me
        I told my manager about my burnout = manager, me
        my parents are divorced = ?
        Our kids have asthma = ?
        She is HIV positive = ??
        His wife left him = ??
        A colleague has cancer = ??
        a friend of mine was fired = friend
        Acme is hiring = Acme?
        Initech was acquired = Initech?
        I have anxiety = me
        My salary is $150k = me
        My name is Tom = me
        I'm Sarah and I like tea = me
        My dog Max has cancer = me
        My doctor appointment is on Monday = me
        I am a teacher = me
        I became a father = me
        Has a dog named Max =
        Prefers dark mode =
        The project uses Python =
        Python is slow =
        Berlin is cold in January =
        Monday is fine =
        The build takes ten minutes =
        Lives in San Francisco =
        Docker was upgraded =
        Slack is down =
        Christmas is coming =
        Standup is at nine =
        the server has two disks =
        GitHub was slow on Friday =
        My kids are Noah (9) and Ruby (6) = Noah child, Ruby child
        My friends Tom, Jane and Petra moved = Tom friend, Jane friend, Petra friend
        My kids are Muslim = ?
        I have a friend who has HIV = friend
        I have a sister in Cork = sister
        I have a student loan = me
        My tech lead is Farida = Farida manager
        my daughter Ruby is ill = Ruby daughter
        The backend is written in Ruby =
        """,
    "de": """
        Mein Bruder hat Krebs = brother
        meine Frau ist schwanger = wife
        Meine Schwester Anna wurde entlassen = Anna sister
        Mein Chef heißt Jürgen = Jürgen boss
        Jürgen ist mein Chef = Jürgen boss
        Sarahs Schwester ist schwanger = sister of Sarah
        Die Schwester von Sarah ist schwanger = sister of Sarah
        Der Sohn unseres Nachbarn wurde verhaftet = son of neighbor
        Mama hat Depressionen = mother
        Unsere Tochter hat Asthma = daughter
        Meine Eltern sind geschieden = ?
        Mein bester Freund trinkt = boyfriend
        Ich liebe meine Frau = wife, me
        Ich habe Krebs = me
        Mein Gehalt ist 5000 Euro = me
        Ich heiße Stefan = me
        Die Wohnung ist kalt =
        Der Server hat zwei Platten =
        Meine Kinder heißen Jonas und Swantje = Jonas child, Swantje child
        Ich habe eine Schwester in Köln = sister
        Jetzt ist das Büro zu =
        """,
    "fr": """
        Ma femme est enceinte = wife
        Mon mari a le cancer = husband
        Ma sœur s'appelle Ana = Ana sister
        La sœur de Sarah est enceinte = sister of Sarah
        La femme de mon frère est malade = wife of brother
        Le fils de notre voisin a été arrêté = son of neighbor
        Mon chef Pierre a été licencié = Pierre boss
        Maman est malade = mother
        Mes parents sont divorcés = ?
        Nicolas est mon chef = Nicolas boss
        J'aime ma femme = wife, me
        J'ai le cancer = me
        Mon salaire est bas = me
        Je m'appelle Nicolas = me
        Le serveur est lent =
        Mes enfants s'appellent Hugo et Ewen = Hugo child, Ewen child
        J'ai un frère malade = brother
        On garde la voiture = me, ??
        On a opéré le voisin = me, ??
        Je crois que Maëlane est malade = Maëlane?, me
        """,
    "es": """
        Mi esposa tiene cáncer = wife
        mi hermana se llama Ana = Ana sister
        La hermana de Ana está embarazada = sister of Ana
        El hijo de nuestro vecino fue detenido = son of neighbor
        Mi jefe Pedro fue despedido = Pedro boss
        Pedro es mi jefe = Pedro boss
        Mi mejor amigo bebe demasiado = friend
        Mamá está enferma = mother
        Mis padres están divorciados = ?
        Yo quiero a mi esposa = wife, me
        Tengo cáncer = me
        Mi salario es bajo = me
        Me llamo Pedro = me
        El servidor es lento =
        Mis hijos, Bruno y Elisa, están de vacaciones = Bruno child, Elisa child
        Tengo una hermana en Bilbao = sister
        Pago 620 euros de alquiler = me, ??
        Creo que Maitane está enferma = Maitane?, me
        Ayer aprobé el examen = me
        Al final no vamos a Asturias = me
        Ahora las clases son los miércoles =
        """,
    "pt": """
        Minha irmã tem câncer = sister
        Meu marido está desempregado = husband
        Minha mãe se chama Teresa = Teresa mother
        A irmã da Joana está grávida = sister of Joana
        O filho do nosso vizinho foi preso = son of neighbor
        O meu chefe João foi demitido = João boss
        João é meu chefe = João boss
        Meus pais são divorciados = ?
        Eu amo minha esposa = wife, me
        Tenho câncer = me
        Meu salário é baixo = me
        O servidor é lento =
        """,
    "it": """
        Mia moglie è incinta = wife
        Mio fratello si chiama Luca = Luca brother
        La sorella di Chiara è incinta = sister of Chiara
        Il figlio del nostro vicino è stato arrestato = son of neighbor
        Il mio capo Marco è malato = Marco boss
        Marco è il mio capo = Marco boss
        La mamma è malata = ??
        I miei genitori sono divorziati = ?, me
        Io amo mia moglie = wife, me
        Ho il cancro = me
        Il mio stipendio è basso = me
        Il server è lento = ??
        """,
    "nl": """
        Mijn broer heeft kanker = brother
        Mijn vrouw is zwanger = wife
        Mijn zus heet Sanne = Sanne sister
        Sarahs zus is zwanger = sister of Sarah
        De zus van Sanne is zwanger = sister of Sanne
        De zoon van onze buurman is opgepakt = son of neighbor
        Mijn baas Henk is ontslagen = Henk boss
        Mijn ouders zijn gescheiden = ?
        Ik hou van mijn vrouw = wife, me
        Ik heb kanker = me
        Mijn salaris is laag = me
        De server is traag =
        """,
    "pl": """
        Moja żona ma depresję = wife
        Mój brat ma raka = brother
        Moja siostra ma na imię Kasia = Kasia sister
        Żona mojego brata jest w ciąży = wife of brother
        Syn naszego sąsiada został aresztowany = son of neighbor
        Mój szef Marek jest chory = Marek boss
        Marek jest moim szefem = Marek boss
        Moi rodzice są rozwiedzeni = ?
        Ja kocham moją żonę = wife, me
        Mam raka = me
        Moja pensja jest niska = me
        Serwer jest wolny =
        """,
    "zh": """
        我老婆怀孕了 = wife
        我的姐姐有抑郁症 = sister
        我妈妈得了癌症 = mother
        我们邻居的儿子被捕了 = son of neighbor
        我哥哥的妻子怀孕了 = wife of brother
        我老板被解雇了 = boss
        我和我妻子搬到了罗马 = wife, me
        我爱我妻子 = wife, me
        她得了癌症 = ??
        我父母离婚了 = ?
        我有焦虑症 = me
        服务器很慢 =
        我的同事小周怀孕了 = 小周 colleague
        我的助理叫小赵 = 小赵 assistant
        我儿子王乐明年高考 = 王乐 son
        我导师是刘教授 = 刘教授 mentor
        我室友叫苏苏，晚上十一点睡觉 = 苏苏 roommate
        我们有个女儿叫朵朵，对鸡蛋过敏 = 朵朵 daughter
        我跟男朋友分手了 = boyfriend, me
        小王喜欢喝茶 = 小王
        我同事周末在加班 = colleague
        我儿子高烧不退 = son
        我妈叫大家来 = mother
        """,
    "ja": """
        妻が妊娠しています = wife
        私の母は癌です = mother
        父は糖尿病です = father
        弟の妻は病気です = wife of brother
        隣人の息子が逮捕された = ?
        私の上司は解雇された = boss
        私と妻はローマに引っ越した = wife, me
        田中さんは癌です = 田中さん?
        彼女は癌です = ??
        両親は離婚した = ?
        私は不安症です = me
        大丈夫です =
        サーバーが遅い =
        """,
}
WRONG = {"Acme is hiring", "Initech was acquired", "Standup is at nine", "Il server è lento",
         "I miei genitori sono divorziati", "Mein bester Freund trinkt"}  # fmt: skip
CASES = [
    (code, *(part.strip() for part in line.split(" =")))
    for code, lines in SENTENCES.items()
    for line in lines.strip().splitlines()
]


def spelled(one: Spoken) -> str:
    """A person as a line of the list above spells them."""
    if one.name is None and one.term is None:
        return "?" if one.is_sure else "??"
    owner = "" if one.owner in (None, THE_SPEAKER) else f" of {spelled(one.owner)}"
    known = " ".join(part for part in (one.name, one.term) if part)
    return known + owner + ("" if one.is_sure else "?")


def found_in(text: str) -> set[str]:
    found = mentions(text)
    return {*map(spelled, found.people), *(["me"] if found.first_person else [])}


@pytest.mark.parametrize(("code", "text", "expected"), CASES)
def test_the_people_of_a_sentence(code, text, expected):
    assert found_in(text) == {part.strip() for part in expected.split(",") if part.strip()}


def test_there_are_sentences_in_ten_languages():
    assert len(SENTENCES) == 10
    assert len(CASES) >= 150
    assert all(sum(code == one for one, *_ in CASES) >= 12 for code in SENTENCES)


def test_few_sentences_find_somebody_who_is_not_there():
    assert {text for _, text, _ in CASES} >= WRONG
    assert len(WRONG) / len(CASES) < 0.05
