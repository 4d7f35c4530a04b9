"""First names from many languages, as people write them there, with a public and a private statement about somebody.

They are test data: none of them is a person, and the product knows no list of them.
"""

from __future__ import annotations

# By language: the names, and two statements with a place for one.
NAMES = {
    "en": (
        "Bella Dana Harper Wyatt Savannah Brooks Tamsin Rory Blake Keira Joy",
        "{} works at Google.",
        "{} has diabetes.",
    ),
    "de": (
        "Heike Swantje Detlef Annegret Torben Wiebke Gesche Hilke Ottokar Lioba",
        "{} arbeitet bei Google.",
        "{} hat Diabetes.",
    ),
    "fr": (
        "Océane Maëlys Gaëtan Solène Thibault Ghislaine Loïc Capucine Yannick Aurore",
        "{} travaille chez Google.",
        "{} a du diabète.",
    ),
    "es": (
        "Xiomara Yolanda Ximena Nacho Maite Amparo Rocío Itziar Chema Eneko",
        "{} trabaja en Google.",
        "{} tiene diabetes.",
    ),
    "it": (
        "Ginevra Ludovica Fabrizio Mirella Gaetano Loredana Ettore Piera Ornella Nunzio",
        "{} lavora da Google.",
        "{} ha il diabete.",
    ),
    "pt": (
        "Thaís Iara Jussara Rogério Débora Nuno Anselmo Moema Ubiratan Graça",
        "{} trabalha no Google.",
        "{} tem diabetes.",
    ),
    "pl": (
        "Grażyna Wojciech Zbigniew Bożena Jadwiga Sławomir Halina Mieczysław Kinga Lech",
        "{} pracuje w Google.",
        "{} ma cukrzycę.",
    ),
    "ru": (
        "Екатерина Дмитрий Светлана Анастасия Вячеслав Людмила Тимур Злата Геннадий Ярослав",
        "{} работает в Гугле.",
        "У {} диабет.",
    ),
    "uk": (
        "Оксана Богдан Мирослава Тарас Соломія Остап Лариса Назар Зоряна Юрко",
        "{} працює в Google.",
        "{} має діабет.",
    ),
    "el": (
        "Ελένη Γιώργος Δέσποινα Σταύρος Παρασκευή Θανάσης Ζωή Κυριάκος Ευαγγελία Μανώλης",
        "Η {} δουλεύει στη Google.",
        "Η {} έχει διαβήτη.",
    ),
    "tr": (
        "Gülşen Çağla Oğuz Yağmur Şebnem Tuğba Barış Ece İpek Umut",
        "{} Google'da çalışıyor.",
        "{} şeker hastası.",
    ),
    "ar": (
        "فاطمة محمد عائشة خديجة يوسف ليلى عمر نور زينب حسين",
        "{} يعمل في جوجل.",
        "{} مصاب بالسكري.",
    ),
    "he": (
        "רבקה יעל אביגיל נועם עידו תמר איתן שירה מיכל אורי",
        "{} עובד בגוגל.",
        "{} חולה סוכרת.",
    ),
    "hi": (
        "प्रियंका राहुल दीपिका अनुज सुनीता विकास काव्या रोहन मीनाक्षी अर्जुन",
        "{} गूगल में काम करती है।",
        "{} को मधुमेह है।",
    ),
    "zh": (
        "王芳 李娜 张伟 刘洋 陈静 杨帆 赵敏 黄磊 周杰 吴倩",
        "{}在谷歌工作。",
        "{}有糖尿病。",
    ),
    "ja": (
        "さくら 健太 美咲 陽子 翔太 花子 大輔 結衣 直樹 千尋",
        "{}はグーグルで働いています。",
        "{}は糖尿病です。",
    ),
    "ko": (
        "지민 서연 민준 하은 도윤 수빈 현우 예린 준호 은지",
        "{}은 구글에서 일해요.",
        "{}은 당뇨병이 있어요.",
    ),
    "vi": (
        "Thảo Hương Tuấn Nguyệt Phượng Quỳnh Dũng Hạnh Đức Bích",
        "{} làm việc ở Google.",
        "{} bị tiểu đường.",
    ),
    "ig": (
        "Ngozi Chidi Adaeze Obinna Ifeoma Emeka Nneka Uche Chiamaka Ikenna",
        "{} works at Google.",
        "{} has diabetes.",
    ),
    "sw": (
        "Wanjiru Juma Achieng Baraka Zawadi Otieno Neema Kamau Rehema Mwangi",
        "{} anafanya kazi Google.",
        "{} ana kisukari.",
    ),
    "fi": (
        "Aino Eero Päivi Jorma Tuulikki Väinö Hilkka Reijo Sirpa Onni",
        "{} on töissä Googlella.",
        "{} sairastaa diabetesta.",
    ),
    "nb": (
        "Sigrid Bjørn Ragnhild Øystein Solveig Torstein Gro Håkon Åse Vidar",
        "{} jobber i Google.",
        "{} har diabetes.",
    ),
}
