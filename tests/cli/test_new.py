"""Making a study: from a file, from flags, by being asked; and what is wrong with each."""

import pytest

import prefero as pf
from prefero.cli import recipe
from tests.cli.conftest import COFFEE


def opened(name: str = "coffee") -> pf.Study:
    return pf.Study.open(name, "sqlite:///prefero.db")


def test_a_file_says_everything(coffee):
    study = opened()
    assert study.space.to_dict() == pf.Space({
        "dose": pf.Real(12, 22, unit="g"), "degrees": pf.Integer(85, 98), "milk": pf.Choice(["none", "oat"])
    }).to_dict()  # fmt: skip
    assert (study.settings.name, study.settings.question, study.settings.comparisons, study.settings.seed) == (
        "coffee",
        "Which cup is better?",
        12,
        1,
    )


def test_a_file_may_say_more(here, prefero):
    (here / "box.toml").write_text(
        """
        name = "box"
        sides = "incumbent first"
        max_step = {width = 2.5}
        hide_parameters = true
        strengths = true
        ratings = true
        language = "it"
        [proposer]
        name = "glisp"
        exploration = 1.5
        [variables.width]
        lower = 1
        upper = 10
        scale = "log"
        [variables.height]
        lower = 0
        upper = 10
        [[constraints]]
        coefficients = {width = 1, height = 2}
        upper = 12
        [[start]]
        width = 2
        height = 3
        """,
        encoding="utf-8",
    )
    prefero("new", "box.toml", "--json").fine()
    study = opened("box")
    assert study.proposer.exploration == 1.5
    assert study.space.variables["width"].log
    assert study.settings.sides == "incumbent first"
    assert study.settings.hide_parameters
    assert study.settings.strengths
    assert study.settings.ratings
    assert study.settings.language == "it"
    assert study.log.records[0].event.max_step == {"width": 2.5}
    assert study.log.records[0].event.start == [{"width": 2.0, "height": 3.0}]
    assert not study.space.admits(study.space.candidate([10, 5]))


def test_rows_make_a_catalogue(here, prefero):
    rows = "".join(
        f"[[rows]]\nrent = {rent}\nplace = '{place}'\n" for rent, place in ((900, "x"), (800, "y"), (700, "z"))
    )
    (here / "flats.toml").write_text(f"name = 'flats'\n{rows}", encoding="utf-8")
    prefero("new", "flats.toml").fine()
    assert isinstance(opened("flats").space, pf.Catalogue)


FLATS = "id,rent,place,photo\n" + "".join(f"{k},{900 - k},{'xyz'[k % 3]},{k}.png\n" for k in range(12))


def test_a_catalogue_from_a_table_says_what_it_learns_from(here, prefero):
    (here / "flats.csv").write_text(FLATS, encoding="utf-8")
    told = prefero("new", "--name", "flats", "--catalogue", "flats.csv").fine().out
    assert "Learned from: rent, place." in told
    assert "Shown only: id (a different number in every row)." in told
    assert "File of each row: photo (it holds the names of files)." in told
    assert "guesses" in told
    assert opened("flats").space.varying == ("rent", "place")
    shown = prefero("ask", "flats").fine().out
    assert "photo" in shown
    prefero("new", "--name", "rents", "--catalogue", "flats.csv", "--features", "rent").fine()
    assert opened("rents").space.varying == ("rent",)


def test_a_file_names_its_table_and_pictures_are_stored_with_the_study(here, prefero):
    (here / "data").mkdir()
    (here / "data" / "flats.csv").write_text(FLATS, encoding="utf-8")
    toml = "name = 'flats'\n[catalogue]\npath = 'flats.csv'\nlabels = ['place']\nlog = ['rent']\n"
    (here / "data" / "flats.toml").write_text(toml, encoding="utf-8")
    for k in range(11):
        (here / "data" / f"{k}.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    refused = prefero("new", "data/flats.toml")
    assert "11.png" in refused.err  # one picture is missing, and nothing is created
    (here / "data" / "11.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    assert "12 files stored" in prefero("new", "data/flats.toml").fine().out
    study = opened("flats")
    assert (study.space.varying, study.space.log) == (("rent",), ("rent",))
    assert study.log.measured(study.space.rows[3]).files["photo"]["media_type"] == "image/png"


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("[catalogue]\npath = 3\n", ("catalogue.path", "3")),
        ("[catalogue]\nfile = 'photo'\n", ("catalogue.path", "None")),
        ("[catalogue]\nroles = 3\n", ("catalogue.roles", "only the keys")),
        ("[catalogue]\npath = 'none.csv'\n", ("cannot read", "none.csv")),
        ("[catalogue]\npath = 'none.csv'\n[variables.x]\nlower = 0\nupper = 1\n", ("not both",)),
    ],
)
def test_a_catalogue_that_cannot_be_made_is_refused(here, prefero, toml, words):
    (here / "bad.toml").write_text(f"name = 'bad'\n{toml}", encoding="utf-8")
    ended = prefero("new", "bad.toml")
    assert ended.code == 2
    assert all(word in ended.err for word in words)


def test_flags_say_it_too(prefero):
    flags = ["-v", "gain=0.1:10:log", "-v", "taps=1:8:integer:mm", "-v", "window=hann,flat", "-v", "time=0:5:s"]
    ended = prefero("new", "--name", "line 3", *flags, "--proposer", "posterior", "-n", 9, "--seed", 4, "--json").fine()
    assert (ended.data["study"], ended.data["seed"]) == ("line 3", 4)
    study = opened("line 3")
    assert study.space.variables == {
        "gain": pf.Real(0.1, 10, log=True),
        "taps": pf.Integer(1, 8, unit="mm"),
        "window": pf.Choice(["hann", "flat"]),
        "time": pf.Real(0, 5, unit="s"),
    }
    assert (study.settings.comparisons, type(study.proposer)) == (9, pf.Posterior)


def test_a_flag_has_the_last_word(coffee, prefero):
    prefero("new", coffee, "--name", "tea", "-v", "dose=1:5:g", "--question", "Which tea?").fine()
    tea = opened("tea")
    assert tea.space.variables["dose"] == pf.Real(1, 5, unit="g")
    assert list(tea.space.variables) == ["dose", "degrees", "milk"]
    assert tea.settings.question == "Which tea?"


def test_given_neither_it_asks_and_asks_again_what_will_not_do(prefero):
    said = ["a/b", "line 3", "Which is calmer?", "gain", "colour", "log", "0", "ten", "10", "V", "0.1", "10", "V"]
    said += ["window", "ch", "hann", "hann, flat", "taps", "integer", "1", "8", "", ""]
    ended = prefero("new", stdin="\n".join(said) + "\n").fine()
    assert "name: got 'a/b'" in ended.out
    assert "To: got 'ten'; allowed: a number\n" in ended.out
    study = opened("line 3")
    assert study.settings.question == "Which is calmer?"
    assert study.space.variables == {
        "gain": pf.Real(0.1, 10, log=True, unit="V"),
        "window": pf.Choice(["hann", "flat"]),
        "taps": pf.Integer(1, 8),
    }


def test_a_name_that_is_taken_is_refused_before_the_other_questions(coffee, prefero):
    ended = prefero("new", stdin="coffee\ntea\n\nheat\nreal\n80\n98\n\n\n").fine()
    assert ended.out.startswith(
        "Name of the study: coffee\n  the study 'coffee' exists already\nName of the study: tea\n"
    )
    assert opened("tea").space.variables == {"heat": pf.Real(80, 98)}


def test_a_variable_that_is_described_already_is_not_asked_for_again(prefero):
    ended = prefero("new", stdin="tea\n\nheat\nreal\n80\n98\n\nheat\n\n").fine()
    assert "variable: got 'heat'; allowed: a name that was not given before" in ended.out
    assert opened("tea").space.variables == {"heat": pf.Real(80, 98)}


def test_a_name_has_to_be_given(here, prefero):
    prefero("new", "-v", "gain=1:2").refused("name: it is missing", "--name")
    assert list(here.iterdir()) == []


def test_an_input_that_ends_makes_nothing(here, prefero):
    prefero("new", stdin="line 3\n").refused("the input ended", "nothing was created")
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("dose]", "dose"), ("coffee.toml", "line 6, column 16", "Expected ']'")),
        (('unit = "g"', "unit = g"), ("line 9, column 8", "Invalid value")),
        (('levels = ["none", "oat"]\n', 'levels = ["none",'), ("line 17, column 18",)),
        (("upper = 22", "upper = 'x'"), ("variables.dose", "high", "'x'")),
        (("lower = 12\n", ""), ("variables.dose", "lower")),
        (("lower = 12", "low = 12"), ("variables.dose.low", "only the keys", "lower, upper")),
        (
            ('kind = "integer"', 'kind = "whole"'),
            ("variables.degrees.kind", "'whole'", "real, integer, ordinal or choice"),
        ),
        (('kind = "integer"', 'kind = "integer"\nscale = "cubic"'), ("variables.degrees.scale", "'cubic'")),
        (('levels = ["none", "oat"]', 'levels = ["none"]'), ("variables.milk", "at least two different levels")),
        (("seed = 1", "seeds = 1"), ("seeds", "only the keys")),
        (("seed = 1", "seed = -1"), ("seed", "-1")),
        (("comparisons = 12", "comparisons = 'many'"), ("comparisons", "'many'")),
        (("seed = 1", "proposer = 'magic'"), ("proposer", "'magic'", "glisp")),
        (("seed = 1", "proposer = {name = 'glisp', magic = 1}"), ("proposer", "magic")),
        (("seed = 1", "[[constraints]]\nupper = 3"), ("constraints[0].coefficients",)),
        (("seed = 1", "constraints = [{coefficients = {milk = 1}, upper = 3}]"), ("constraints[0]", "milk")),
        (("seed = 1", "constraints = [{coefficients = {dose = 'x'}, upper = 3}]"), ("constraints[0]", "'x'")),
        (("seed = 1", "constraints = [{coefficients = {dose = 1}, upper = 3}]"), ("constraint",)),
        (("seed = 1", "constraints = 3"), ("constraints", "[[constraints]]")),
        (("seed = 1", "rows = [{a = 1}, {a = 2}]"), ("rows", "not both")),
        (("seed = 1", "max_step = {milk = 1}"), ("max_step", "'milk'")),
        (('name = "coffee"\n', ""), ("name: it is missing", "--name")),
        (('name = "coffee"', 'name = " "'), ("name", "' '")),
    ],
)
def test_a_mistake_in_the_file_is_named_and_makes_nothing(here, prefero, change, words):
    assert change[0] in COFFEE
    (here / "coffee.toml").write_text(COFFEE.replace(*change), encoding="utf-8")
    prefero("new", "coffee.toml").refused(*words)
    assert [path.name for path in here.iterdir()] == ["coffee.toml"]


@pytest.mark.parametrize(
    ("flag", "words"),
    [
        ("gain", ("'gain'", "NAME=LOWER:UPPER")),
        ("=1:2", ("'=1:2'", "NAME=LOWER:UPPER")),
        ("gain=5", ("gain", "NAME=LOWER:UPPER")),
        ("gain=a:b", ("gain", "NAME=LOWER:UPPER")),
        ("gain=2:1", ("variable gain", "low below high")),
        ("gain=0:1:log", ("variable gain", "positive")),
        ("gain=0.5:2:integer", ("variable gain", "whole numbers")),
        ("window=hann,hann", ("variable window", "at least two different levels")),
        ("window=hann,,flat", ("variable window", "'hann,,flat'", "without empty levels")),
        ("window=hann,flat,", ("variable window", "'hann,flat,'", "without empty levels")),
        ("gain=1:2:int", ("variable gain: unit: got 'int'", "real, integer and log")),
        ("gain=1:2:Integer", ("variable gain", "'Integer'", "real, integer and log")),
        ("gain=1:2:intger", ("variable gain", "'intger'", "real, integer and log")),
        ("gain=1:2:float:V", ("variable gain", "'float:V'", "real, integer and log")),
        ("gain=1:2:V:real", ("variable gain", "'V:real'", "real, integer and log")),
        ("gain=1:2:real:integer", ("variable gain", "'integer'", "one of real and integer")),
        ("gain=1:2:0.1", ("variable gain", "'0.1'", "a unit")),
        ("gain=1:2:3:4:5", ("variable gain", "'3:4:5'", "a unit")),
    ],
)
def test_a_mistake_in_a_flag_is_named_and_makes_nothing(here, prefero, flag, words):
    prefero("new", "--name", "x", "-v", flag).refused(*words)
    assert list(here.iterdir()) == []


def test_a_variable_is_given_once(here, prefero):
    prefero("new", "--name", "x", "-v", "gain=1:2", "-v", "gain=2:3").refused(
        "variable gain", "'gain=2:3'", "not given before"
    )
    assert list(here.iterdir()) == []


def test_a_change_gives_a_variable_once(coffee, prefero):
    prefero("change", "-v", "dose=1:30:g", "-v", "dose=1:40:g").refused(
        "variable dose", "'dose=1:40:g'", "not given before"
    )


@pytest.mark.parametrize("unit", ["g", "l", "1/s", "%", "mm:ss", "lot", "meter", "long tons"])
def test_a_unit_may_be_any_other_text(unit):
    assert recipe.variable(f"x=1:2:{unit}") == ("x", pf.Real(1, 2, unit=unit))
    assert recipe.variable(f"x=1:2:integer:{unit}") == ("x", pf.Integer(1, 2, unit=unit))


def test_a_name_is_taken_once(coffee, prefero):
    before = prefero("export").out
    prefero("new", coffee).refused("there is a study 'coffee'", "already")
    prefero("new", coffee, "--exist-ok").fine()
    prefero("new", coffee, "--exist-ok", "-v", "dose=1:2").refused("space")
    assert prefero("export").out == before


def test_a_file_that_is_not_there_or_not_text(here, prefero):
    prefero("new", "nowhere.toml").refused("nowhere.toml", "No such file")
    (here / "x.toml").write_bytes(b"\xff\xfe\x00")
    prefero("new", "x.toml").refused("x.toml", "UTF-8")


def test_another_proposer_and_another_space(answered, prefero):
    assert prefero("use", "posterior", "--json").fine().data["proposer"]["name"] == "posterior"
    assert prefero("use", "posterior", "--half-life", 20, "--json").fine().data["proposer"]["half_life"] == 20
    prefero("use", "posterior", "--half-life", 0).refused("half_life")
    prefero("use", "glisp", "--half-life", 20).refused("--half-life", "posterior")
    prefero("use", "magic").refused("proposer", "'magic'", "glisp")
    prefero("change", "-v", "dose=10:25:g").fine()
    prefero("change", "-v", "sugar=0:4:g").refused("fill", "sugar")
    prefero("change", "-v", "sugar=0:4:g", "--fill", "sugar=x").refused("sugar", "'x'")
    prefero("change", "-v", "sugar=0:4:g", "--fill", "sweet=1").refused("fill", "sweet=1")
    data = prefero("change", "-v", "sugar=0:4:g", "--fill", "sugar=0", "--json").fine().data
    assert [row["name"] for row in data["space"]["variables"]] == ["dose", "degrees", "milk", "sugar"]
    prefero("change").refused("--variable")
    prefero("change", "--fix", "dose=18", "--free", "dose").refused("--free", "'dose'", "--fix")
    prefero("change", "--free", "salt").refused("--free", "'salt'", "dose")
    with pf.Study.open("coffee", "sqlite:///prefero.db") as study:
        assert study.space.variables["dose"] == pf.Real(10, 25, unit="g")
        assert len(study.history) == 3


def test_the_space_may_come_from_a_file(answered, coffee, prefero):
    coffee.write_text(coffee.read_text(encoding="utf-8").replace("upper = 98", "upper = 99"), encoding="utf-8")
    assert "continues with dose [g], degrees, milk" in prefero("change", "--from", coffee).fine().out


# Deep, huge and endless descriptions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = " + "[" * 5000 + "]" * 5000, ("nested deeper than 20 levels",)),
        ("x = " + "{a = " * 3000 + "1" + "}" * 3000, ("nested deeper than 20 levels",)),
        (".".join(["a"] * 200_000) + " = 1", ("nested deeper than 20 levels",)),
        ("[" + " . ".join(['"a"'] * 50_000) + "]", ("nested deeper than 20 levels",)),
        ("\n".join(f"[{'.'.join(['a'] * 15)}.b{k}.c.d.e.f.g.h]" for k in range(3)), ("nested deeper than 20 levels",)),
        ("seed = " + "9" * 5000, ("more than 64 bits",)),
        ("seed = 0x" + "f" * 50_000, ("more than 64 bits",)),
        ("[variables.x]\nlevels = [1, 99999999999999999999]", ("more than 64 bits",)),
        ("[variables.x]\nlower = 0\nupper = " + "9" * 400, ("more than 64 bits",)),
        ("proposer = []", ("proposer: got []",)),
        ("name = '" + "x" * 1_000_000 + "'\n[variables.x]\nlower = 0\nupper = 1\n", ("name", "at most 200")),
    ],
)
def test_a_deep_or_huge_description_is_refused_in_one_line(prefero, here, text, words):
    (here / "x.toml").write_text(text, encoding="utf-8")
    prefero("new", "x.toml").refused(*words)
    assert [path.name for path in here.iterdir()] == ["x.toml"]


def test_a_description_that_never_ends(prefero, here):
    prefero("new", "/dev/zero").refused("/dev/zero is larger than 10 MB")
