"""The report: every section from runs made up here, the raw data there and back, and what the figures are made of."""

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from benchmarks import blackbox, headline
from benchmarks.methods import ABLATIONS
from benchmarks.named import problem_named
from benchmarks.paper import document, figures, rawdata
from benchmarks.paper.document import Section, Table
from benchmarks.paper.experiments import (
    EXPERIMENTS,
    ablations,
    answers,
    bbob,
    classifier,
    cpu,
    illustrative,
    multiobjective,
    noise,
    people,
    questions,
)
from benchmarks.paper.plan import SCALES, all_keys, round_of, scaled
from benchmarks.paper.report import _checkout, sections_of, with_seeds, write_report
from benchmarks.paper.tables import duels, duels_table, medians_table, ratio_table
from benchmarks.paper.verdicts import verdicts
from benchmarks.problems import PROBLEMS, range_of
from benchmarks.results import Key, Run

SPEED = {"posterior": 6.0, "glisp": 5.0, "glisp-pi": 4.5, "pbo": 4.0, "glis": 3.5, "random": 1.0}
CPU = {"posterior": 0.02, "glisp": 0.01, "glisp-pi": 0.01, "pbo": 0.03, "random": 1e-5}


def made_up(key: Key) -> Run:
    """A run that nears the minimum at its method's speed."""
    method, problem, seed, noise = key
    known = problem_named(problem)
    count = known.samples - 1
    speed = SPEED.get(method, 3.0) * (1 + 0.1 * round_of(key)) / (1 if noise == "none" else 2)
    regrets = range_of(known) * np.exp(-speed * np.arange(count) / count)
    seconds = CPU.get(method, 0.4) * np.linspace(1, 3, count)
    return Run(
        method,
        problem,
        seed,
        noise,
        regrets=[float(f"{value:.6g}") for value in regrets],
        seconds=seconds.tolist(),
        initial=known.initial,
        recommended=[0.25] * known.dimension,
        status="ValueError: no | square root" if method == "optuna" and seed == 1 else "ok",
        versions={"python": "3.11", "numpy": "2"},
        machine="a machine, 2 cores, Linux",
        commit="0123456789",
        dirty=False,
        samples=list(range(2, count + 2)),
        calibrating=float(seconds.sum() / 2) if method in ("glisp", "glisp-pi", "pbo", "posterior") else None,
        wall=1.0,
    )


def is_kept(key: Key) -> bool:
    """Three seeds; of BBOB, the first instance of twelve functions in two dimensions, and of three in three."""
    parts = blackbox.parts_of(key[1])
    return round_of(key) < 3 if parts is None else (parts[0] <= {2: 12, 3: 3}.get(parts[1], 0)) and parts[2] == 1


RUNS = {key: made_up(key) for key in all_keys(EXPERIMENTS) if is_kept(key)}


@pytest.fixture(scope="module")
def sections() -> list[Section]:
    return sections_of(EXPERIMENTS, RUNS, "full", digest="0" * 64)


def by_title(sections: list[Section], title: str) -> Section:
    return next(section for section in sections if section.title == title)


def table(section: Section, words: str) -> Table:
    return next(block for block in section.blocks if isinstance(block, Table) and words in block.caption)


def test_every_experiment_writes_its_section_with_runs_and_without(sections: list[Section]) -> None:
    for experiment in EXPERIMENTS:
        full, empty = by_title(sections, experiment.title), experiment.write([])
        assert empty.title == full.title == experiment.title
        assert len(empty.blocks) < len(full.blocks) or not experiment.parts
    names = [figure.name for section in sections for figure in section.figures]
    assert len(names) == len(set(names)) >= 10


def test_the_files_are_written_well_formed_and_old_figures_go(tmp_path: Path) -> None:
    stale = tmp_path / "images" / "benchmarks" / "stale.svg"
    stale.parent.mkdir(parents=True)
    stale.write_text("<svg/>")
    out = tmp_path / "out"
    page = write_report(tmp_path, out, [e for e in EXPERIMENTS if e.name in ("questions", "noise")], RUNS, "full")
    text = page.read_text()
    assert not stale.exists()
    images = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    assert len(images) == len(set(images)) == 3
    for image in images:
        assert ET.parse(tmp_path / image).getroot().tag.endswith("svg")
    for link in re.findall(r"\]\((#[^)]+)\)", text):
        assert any(document.anchor(title) == link[1:] for title in re.findall(r"^## (.+)$", text, re.MULTILINE))
    html = (out / "benchmarks.html").read_text()
    assert html.count("<svg") == len(images)
    assert html.count("<table") == html.count("</table>") >= 6
    assert "nan" not in text
    assert rawdata.digest(out / "benchmarks.csv.gz") in text


def test_a_large_figure_is_kept_as_a_picture() -> None:
    drawing, (axes,) = figures.new(1, 1)
    axes.plot([0, 1])
    assert document.Figure("small", drawing, "a line").file[0] == "small.svg"
    rng = np.random.default_rng(0)
    axes.scatter(*rng.uniform(size=(2, 3000)))
    name, content = document.Figure("large", drawing, "many points").file
    assert name == "large.png"
    assert content.startswith(b"\x89PNG")
    assert len(content) < document.LARGEST_SVG


def test_raw_data_go_there_and_back(tmp_path: Path) -> None:
    first = replace(
        made_up(("glisp", "adjiman", 0, "none")),
        regrets=[2.0, 2.0, 1.5, 1.5, -1e-16, -1e-16, 3.0],
        seconds=[0.01] * 7,
        samples=[2, 4, 6, 6, 6, 7, 8],
    )
    second = replace(
        made_up(("optuna", "ackley", 1, "none")), calibrating=None, wall=None, recommended=[], samples=[], dirty=None
    )
    path = tmp_path / "raw.csv.gz"
    rawdata.write(path, [first, second], EXPERIMENTS)
    back = rawdata.read(path)
    assert [r.key for r in back] == [first.key, second.key]
    assert [r.regrets for r in back] == [first.regrets, second.regrets]
    np.testing.assert_allclose(back[0].seconds, first.seconds, rtol=0.006)
    assert (back[1].status, back[1].calibrating, back[1].wall) == (second.status, None, None)
    assert [r.samples for r in back] == [first.samples, second.samples]
    assert (back[0].dirty, back[1].dirty) == (False, None)
    rawdata.write(tmp_path / "again.csv.gz", back, EXPERIMENTS)
    assert (tmp_path / "again.csv.gz").read_bytes() == path.read_bytes()


def test_the_report_says_what_failed_and_what_is_missing(sections: list[Section]) -> None:
    failed = by_title(sections, "Runs that failed")
    rows = table(failed, "Failed runs").rows
    assert {row[0] for row in rows} == {"Optuna"}
    text = document.markdown("T", sections, document.linked("images"))
    assert "ValueError: no \\| square root" in text
    missing = len(all_keys(EXPERIMENTS)) - len(RUNS)
    assert f"**{missing} planned runs are missing**" in text
    assert f"**This is a part of the campaign**: {len(RUNS)} of {len(RUNS) + missing} planned runs" in text
    made = table(by_title(sections, "Where the numbers come from"), "as planned").rows[0][2]
    assert made == f"{sum(blackbox.parts_of(key[1]) is not None for key in RUNS)} of {len(EXPERIMENTS[0].needs())}"


def test_a_section_needs_more_than_another_experiments_runs() -> None:
    known = {
        key: run
        for key, run in RUNS.items()
        if run.problem == "adjiman" and run.noise == "none" and run.method == "glisp"
    }
    written = sections_of(EXPERIMENTS, known, "full", digest="0" * 64)
    titles = {section.title for section in written}
    assert "Ten benchmark functions" in titles
    assert not titles & {noise.TITLE, ablations.TITLE}
    assert f"{ablations.TITLE}, {noise.TITLE}" in document.markdown("T", written, document.linked("images"))


def test_verdicts_follow_the_numbers() -> None:
    runs = list(RUNS.values())
    text = "\n".join(verdicts(runs))
    assert "RBF+IDW is better than glis IDW" in text
    assert "on 10 of 10" in text
    assert "RBF+IDW approaches the minimum better than PBO **holds**" in text
    few = "on the ten functions, with as few as 3 seeds"
    assert (
        f"RBF+IDW is lighter than PBO **holds** {few}: less CPU time on 10 of 10 functions, 0.333 [0.33, 0.33] of PBO's"
        in text
    )
    assert "on 10 of 10 functions**, with as few as 3 seeds" in text
    swapped = {"glisp": "pbo", "pbo": "glisp", "posterior": "random", "random": "posterior"}
    text = "\n".join(verdicts([replace(r, method=swapped.get(r.method, r.method)) for r in runs]))
    assert "RBF+IDW approaches the minimum better than PBO **fails**" in text
    assert "RBF+IDW is lighter than PBO **fails**" in text
    assert "on 0 of 10" in text
    assert verdicts([]) == []


def on_bbob(method: str, functions: int, dimension: int = 2) -> list[Run]:
    """A run on the first instance of so many functions."""
    names = [blackbox.name_of(function, dimension, 1) for function in range(1, functions + 1)]
    return [made_up((method, name, blackbox.seed_of(name), "none")) for name in names]


def test_the_headline_is_bbob_and_names_runs_that_go_astray() -> None:
    runs = [run for method in ("posterior", "random", "optuna-gp") for run in on_bbob(method, 12)]
    said = verdicts([*runs, *on_bbob("posterior", 12, dimension=3)])
    assert said[0].startswith("On BBOB, **posterior ends within 5 % of the range in 100 % [100, 100] of its runs**")
    assert said[0].endswith("(12 runs on 12 functions).")  # in 3-D there is nothing to compare with
    assert said[2].endswith("for good after 16 of 29 answers in 2-D, 21 of 39 answers in 3-D.")
    better = "On the 12 BBOB problems (12 functions) that both have, **posterior is better than Optuna GPSampler, told numbers**"
    assert said[4].startswith(better)
    assert said[4].endswith("at equal questions and 0.0552 [0.055, 0.055] at equal samples.")
    right = replace(made_up(("glisp", "sasena", 0, "none")), recommended=[2.7, 2.4])
    wrong = replace(right, recommended=[0.1, 4.0])
    astray = [replace(wrong if seed < 3 else right, seed=seed) for seed in range(10)]
    assert any("RBF+IDW 3 of 10." in sentence for sentence in verdicts(astray))
    assert verdicts(astray[:9]) == []


def test_what_rests_on_too_few_functions_is_named_and_not_judged() -> None:
    runs = [*on_bbob("posterior", 24), *on_bbob("random", 24), *on_bbob("glis", 11), *on_bbob("thompson", 12)]
    said = verdicts(runs)
    assert said[-1] == "BBOB functions that posterior shares with these are too few to judge: glis IDW (11)."
    assert sum("**posterior is" in sentence for sentence in said) == 2
    section = bbob.write(runs)
    assert section.blocks[1] == "Too few functions for a place in the tables: glis IDW (11)."
    captions = [block.caption for block in section.blocks if isinstance(block, Table)]
    assert "The same on the 12 problems that all of these have (2-D)" in captions
    assert any("on the 12 problems that all methods have" in caption for caption in captions)


def test_a_profile_compares_methods_on_the_same_problems() -> None:
    runs = [*on_bbob("posterior", 24), *on_bbob("posterior", 24, dimension=3), *on_bbob("glis", 14)]
    assert {headline.case_of(run) for run in bbob.alike(runs)} == {headline.case_of(run) for run in on_bbob("glis", 14)}
    few = [run for run in runs if run.method != "glis" or int(run.problem[1:3]) <= 11]
    assert {run.method for run in bbob.alike(few)} == {"posterior"}
    (drawn,) = bbob.write(runs).figures
    assert drawn.caption.endswith("on the 14 problems that all methods of the figure have.")


def test_equal_questions_and_equal_samples_may_say_different_things() -> None:
    ours = [replace(run, regrets=[0.4, 0.1], samples=[2, 4]) for run in on_bbob("posterior", 12)]
    theirs = [replace(run, regrets=[0.4, 0.4], samples=[2, 3]) for run in on_bbob("glis", 12)]
    (said,) = [sentence for sentence in verdicts([*ours, *theirs]) if "glis" in sentence]
    assert (
        "**posterior is better than glis IDW at equal questions and not told apart from it at equal samples**" in said
    )
    assert said.endswith("the ratio of regrets is 0.25 [0.25, 0.25] at equal questions and 1 [1, 1] at equal samples.")


def test_the_first_table_is_of_shares_and_the_last_of_digits(sections: list[Section]) -> None:
    section = by_title(sections, bbob.TITLE)
    captions = [block.caption for block in section.blocks if isinstance(block, Table)]
    assert captions[0].startswith("Share of runs that end within 1 % and 5 %")
    assert captions[-1].startswith("Digits")
    assert captions[-2].startswith("Ratio of regrets to posterior's")
    row = next(row for row in table(section, "Ratio of regrets").rows if row[0] == "glis IDW")
    assert float(row[2].split()[0]) > 1
    assert row[3:5] == ["32.0", "32.0"]
    assert table(section, "by the number of variables").rows[0] == ["posterior", "100 % (12)", "100 % (3)"]


def test_samples_are_made_equal_where_the_one_that_showed_fewer_stopped() -> None:
    name = blackbox.name_of(1, 2, 1)
    ours = replace(made_up(("posterior", name, 1001, "none")), regrets=[0.4, 0.2, 0.1, 0.1], samples=[2, 4, 6, 8])
    theirs = replace(ours, method="glis", regrets=[0.4, 0.4, 0.2, 0.2], samples=[2, 3, 4, 4])
    assert headline.ratio([ours], [theirs]).value == pytest.approx(0.5)
    assert headline.ratio([ours], [theirs], equal_samples=True).value == pytest.approx(1.0)
    grid = headline.equal_samples({"ours": [ours], "theirs": [theirs]})
    assert grid is not None
    assert [row[1:3] for row in grid.rows] == [["4.0", "8.0"], ["4.0", "4.0"]]
    alone = replace(ours, seed=1002)  # the other method has no such case
    grid = headline.equal_samples({"ours": [ours, alone], "theirs": [theirs]})
    assert grid is not None
    assert "on the 1 problems" in grid.caption
    assert headline.equal_samples({"ours": [alone], "theirs": [theirs]}) is None
    assert headline.equal_samples({"ours": [replace(ours, samples=[])]}) is None


def test_regrets_below_a_thousandth_count_as_that_except_for_digits() -> None:
    name = blackbox.name_of(1, 2, 1)
    ours = replace(made_up(("posterior", name, 1001, "none")), regrets=[1e-5])
    theirs = replace(ours, method="glis", regrets=[1e-4])
    assert headline.ratio([ours], [theirs]).value == 1
    assert headline.ratio([ours], [theirs], floor=1e-6).value == pytest.approx(0.1)


def test_the_report_says_which_rows_are_not_from_one_clean_checkout() -> None:
    runs = [made_up(("glisp", "adjiman", seed, "none")) for seed in range(3)]
    assert _checkout(runs) == ["All rows come from one clean checkout, of commit `0123456789`. Times are CPU times."]
    mixed = [runs[0], replace(runs[1], dirty=True), replace(runs[2], commit="fedcba9876", dirty=None)]
    said = " ".join(_checkout(mixed))
    assert "2 commits" in said
    assert "1 rows come from a checkout with changes" in said
    assert "1 rows do not tell" in said


def test_the_section_about_people_shows_what_was_measured_or_the_command(tmp_path: Path) -> None:
    file = tmp_path / "real.json"
    assert people.COMMAND in str(people.write([], file).blocks[-1])
    rows = [["model", "right"], ["default", "0.76"]]
    said = {"commit": "abc", "dirty": True, "against": "default", "tables": [{"caption": "trips", "rows": rows}]}
    file.write_text(json.dumps(said))
    section = people.write([], file)
    assert "commit `abc`, with changes" in str(section.blocks[1])
    assert table(section, "trips").rows == [["default", "0.76"]]


def test_nets_trained_as_the_paper_says_stand_beside_its_figure() -> None:
    runs = [
        replace(made_up(("glisp-paper", "classifier-0", k, "inconsistent:0.15")), regrets=[r])
        for k, r in ((0, 42.0), (1, 84.0), (2, 210.0))
    ]
    section = classifier.write(runs)
    assert table(section, "the best of so many runs").rows[1] == [
        "classifier-0",
        "RBF+IDW as printed",
        "3",
        "4.0 %",
        "2.0 %",
    ]
    nets = table(section, "The paper's net and ours").rows
    assert [row[2:4] for row in nets[1:4]] == [["2319", "2099"], ["2315", "2022"], ["2206", "1908"]]


def test_one_or_two_seeds_are_named_and_not_judged() -> None:
    runs = [
        run for run in RUNS.values() if run.problem in ("ackley", "adjiman") and run.noise == "none" and run.seed < 2
    ]
    pairs = (
        "RBF+IDW and glis IDW; RBF+PI and glis PI; posterior and glis IDW; posterior and Optuna; RBF+IDW and PBO; "
        "RBF+PI and PBO"
    )
    assert verdicts(runs) == [f"On the ten functions fewer than 3 seeds are too few to compare: {pairs}."]


def test_the_best_is_not_marked_among_medians_of_a_run_or_two() -> None:
    runs = [made_up((method, "ackley", seed, "none")) for method in ("glisp", "pbo") for seed in range(3)]
    lucky = replace(made_up(("posterior", "ackley", 0, "none")), regrets=[1e-3])
    row = medians_table([*runs, lucky], "").rows[0]
    assert [cell.startswith("**") for cell in row[1:]] == [False, True, False]
    assert not any("**" in cell for cell in medians_table([lucky, runs[0]], "").rows[0])


def test_a_signed_rank_test_counts_problems_not_seeds() -> None:
    names = [
        name for name in PROBLEMS if name in ("ackley", "adjiman", "hartman3", "hartman6", "camelsixhumps", "brochu-2d")
    ]
    runs = [
        made_up((method, name, seed, "none")) for method in ("glisp", "glis") for name in names for seed in range(3)
    ]
    told = ratio_table(runs, "glis", "")
    assert told is not None
    assert told.rows[0][-1] == "0.031"  # 2 / 2⁶: six problems, all on one side, however many seeds


def test_a_small_campaign_says_so_and_names_its_own_command(tmp_path: Path) -> None:
    chosen = [e for e in scaled(EXPERIMENTS, SCALES["evening"]) if e.name == "ten"]
    known = {key: made_up(key) for key in all_keys(chosen)}
    found, *_, last = sections_of(chosen, known, "evening", "0" * 64, docs="docs", out="out")
    text = str(found.blocks[-1])
    assert text.startswith(
        f"**This is the small campaign `evening`**: it plans {len(known)} of the {len(all_keys(EXPERIMENTS))} runs"
    )
    assert "This is a part of the campaign" not in text
    assert "--scale evening --report out/benchmarks.csv.gz --docs docs --out out`" in str(last.blocks[0])
    assert "This is" not in str(sections_of([], {}, "full", "")[0].blocks)
    page = write_report(tmp_path, tmp_path / "rows", chosen, {}, "evening")
    assert str(tmp_path) not in page.read_text()


def test_a_section_says_how_many_seeds_it_rests_on() -> None:
    runs = [
        made_up((m, "ackley", seed, "none"))
        for m, n in (("glisp", 12), ("posterior", 3), ("pbo", 3))
        for seed in range(n)
    ]
    block = with_seeds(Section("S", ("about", "more")), runs).blocks[1]
    words = "Seeds of each method on each problem: 3 (posterior; PBO), 12 (RBF+IDW)."
    assert block == f"{words} Fewer than 10 say little about one problem."
    assert with_seeds(Section("S", ("about",)), []).blocks == ("about",)


def test_cpu_times_stand_beside_the_papers(sections: list[Section]) -> None:
    section = by_title(sections, cpu.TITLE)
    row = next(row for row in table(section, "beside the paper").rows if row[0] == "hartman6")
    assert row[1:4] == ["1.58", "1.58", "4.74"]
    assert row[4:7] == ["57.6", "61.5", "60.6"]
    assert {cell for row in table(section, "calibrating").rows for cell in row[1:]} == {"50 %"}


def test_questions_needed_count_from_when_the_regret_stays_small() -> None:
    run, unit = made_up(("glisp", "adjiman", 0, "none")), range_of(PROBLEMS["adjiman"])
    for parts, expected in (
        ([1, 0.5, 0.005, 0.005], 3),
        ([1, 0.005, 0.5, 0.005], 4),
        ([0.001] * 4, 1),
        ([1, 0.001, 0.001, 0.02], np.inf),
    ):
        assert questions.needed(replace(run, regrets=[part * unit for part in parts])) == expected


def test_a_performance_profile_is_one_for_the_best_and_infinite_for_the_absent() -> None:
    runs = [run for run in RUNS.values() if run.problem in ("ackley", "adjiman") and run.noise == "none"]
    runs = [run for run in runs if (run.method, run.problem) != ("random", "adjiman")]
    profile = questions.profile(runs)
    assert profile["posterior"].tolist() == [1, 1]
    assert sorted(profile["random"])[1] == np.inf
    assert np.all(profile["glisp"] > 1)


def test_the_cost_at_so_many_answers_and_its_exponent() -> None:
    run = made_up(("glisp", "rosenbrock8@501", 0, "none"))
    square = replace(run, seconds=[1e-6 * (1 + k) ** 2 for k in range(500)], initial=10)
    times = [answers.milliseconds_at([square], place) for place in answers.PLACES]
    assert answers.exponent(times) == pytest.approx(2, abs=0.1)
    assert np.isnan(answers.milliseconds_at([replace(square, seconds=square.seconds[:150])], 200))
    assert np.isnan(answers.exponent([1.0, 2.0, *[float("nan")] * 7]))


def test_typical_regret_under_noise_needs_every_function() -> None:
    runs = [run for run in RUNS.values() if run.problem in noise.FIVE]
    quiet, loud = (noise.typical(runs, "posterior", kind) for kind in ("none", "flips:0.2"))
    assert quiet < loud
    assert np.isnan(noise.typical(runs, "optuna", "flips:0.2"))


def test_who_is_told_numbers_is_shown_and_never_the_best() -> None:
    runs = [made_up((method, "turned-ackley3", seed, "none")) for method in ("glisp", "glis") for seed in range(3)]
    told = [replace(run, method="numbers", regrets=[1e-3] * len(run.regrets)) for run in runs[:3]]
    row = medians_table([*runs, *told], "").rows[0]
    assert row[2] == "0.001"
    assert sum(cell.startswith("**") for cell in row) == 1


def test_tables_mark_the_best_and_refuse_to_test_too_few() -> None:
    runs = [run for run in RUNS.values() if run.problem == "ackley" and run.noise == "none"]
    row, seeds = medians_table(runs, "").rows
    assert set(seeds[1:]) == {"3"}
    assert [cell.startswith("**") for cell in row[1:]] == [True] + [False] * (len(row) - 2)
    few = ratio_table(runs, "glis", "")
    assert few is not None
    assert {row[-1] for row in few.rows} == {"too few"}
    lonely = ratio_table([run for run in runs if run.seed == 0], "glis", "")
    assert lonely is not None
    assert not any("[" in cell for row in lonely.rows for cell in row)
    assert ratio_table(runs, "nobody", "") is None


def test_the_best_peer_is_chosen_anew_on_each_problem() -> None:
    def run(method: str, problem: str, seed: int, regret: float) -> Run:
        return replace(made_up((method, problem, seed, "none")), regrets=[1.0, regret])

    regrets = {
        ("posterior", "ackley"): 0.1,
        ("glis", "ackley"): 1.0,
        ("optuna", "ackley"): 2.0,
        ("posterior", "hartman6"): 0.2,
        ("glis", "hartman6"): 0.4,
        ("optuna", "hartman6"): 0.1,
    }
    runs = [run(m, p, seed, value * (1 + 0.01 * seed)) for (m, p), value in regrets.items() for seed in range(4)]
    ackley, hartman = duels(runs, "posterior")
    assert (ackley.peer, ackley.median, ackley.proven) == ("glis", pytest.approx(0.1), True)
    assert (hartman.peer, hartman.median, hartman.proven) == ("optuna", pytest.approx(2.0), False)
    assert duels_table(runs, "posterior", "").rows[1][:3] == ["hartman6", "Optuna", "2"]
    assert not duels(runs[:4], "posterior")
    assert not any(duel.proven for duel in duels([run for run in runs if run.seed < 2], "posterior"))


def test_the_page_is_the_markdown_rendered() -> None:
    folded = Table(["name", "value"], [["a | b", "**1**"]], "Details & more", folded=True)
    text = document.html("T", [Section("A & B", ("One **bold** `x<y` [link](#a--b).\n\n- first", folded))])
    for piece in ("<strong>bold</strong>", "<code>x&lt;y</code>", '<a href="#a--b">link</a>', "<li>first</li>"):
        assert piece in text
    assert '<h2 id="a--b">A &amp; B</h2>' in text
    assert "<details><summary>Details &amp; more</summary>\n<table>" in text
    assert "<td>a | b</td>" in text


# Sections 7.1, 7.3 and 7.4 -------------------------------------------------------------------------------------------


def test_the_illustrative_example_is_drawn_as_in_the_paper_and_needs_no_runs() -> None:
    names = [figure.name for figure in illustrative.write([]).figures]
    assert names == ["illustrative-samples", "illustrative-progress", "illustrative-surfaces"]


def test_the_outcomes_say_where_the_paper_differs() -> None:
    rows = {row[0]: row for row in table(multiobjective.write([]), "what they lead to").rows}
    assert rows["the paper's, as printed"][-1] == "0.0104"
    assert rows["the paper's, solved globally"][-1] == "0.0291"
    assert float(rows["equal, solved globally"][-1]) < float(rows["equal, as printed"][-1])
    assert rows["balanced exactly"][-1] == "0.0000"


def test_a_methods_median_run_stands_among_the_outcomes() -> None:
    runs = [
        replace(made_up(("glisp", "multiobjective", seed, "none")), recommended=[0.2, 0.1 * (seed % 3)])
        for seed in range(15)
    ]
    runs = [replace(run, regrets=[1.0, value]) for run, value in zip(runs, (0.5, 0.02, 0.001) * 5, strict=True)]
    section = multiobjective.write(runs)
    row = next(row for row in table(section, "what they lead to").rows if row[0] == "RBF+IDW, its median run")
    assert row[1:4] == ["0.2000", "0.1000", "0.7000"]
    said = "\n".join(block for block in section.blocks if isinstance(block, str))
    assert "With 40 samples, **RBF+IDW reaches** the latent value of the paper's weights, 0.029" in said
    assert "in the median: 0.02; 10 of 15 runs do." in said
    few = "\n".join(block for block in multiobjective.write(runs[:3]).blocks if isinstance(block, str))
    assert "too few runs to judge, those that reach 0.029 or less: RBF+IDW (2 of 3)." in few
    assert "**RBF+IDW" not in few


def test_the_classifiers_verdict_is_about_the_person_of_the_paper() -> None:
    noisy = [
        replace(made_up(("posterior", "classifier", k, "inconsistent:0.15")), regrets=[300.0, 100.0]) for k in range(10)
    ]
    exact = [replace(run, noise="none", regrets=[300.0, 10.0]) for run in noisy]
    section = classifier.write([*noisy, *exact])
    assert "**posterior is not within 3 % of the least cost** in the median of 10 runs: 4.2 % above it." in "".join(
        block for block in section.blocks if isinstance(block, str)
    )
    assert table(section, "inconsistent").rows == [
        ["posterior", "10", "2484", "2484", "2484", "2484", "4.2 %", "0 of 10"]
    ]
    assert table(section, "consistent, for contrast").rows[0][-1] == "10 of 10"
    assert "- Too few runs to judge: posterior (9)." in classifier.write(noisy[:9]).blocks


def test_the_papers_figure_stands_beside_ours_without_a_guess_at_its_person() -> None:
    run = made_up(("glisp", "classifier", 0, "none"))
    runs = [replace(run, regrets=[120.0]), replace(run, noise="inconsistent:0.15", regrets=[240.0])]
    said = classifier.write(runs).blocks[-1]
    assert isinstance(said, str)
    assert said.endswith(
        "5.0 % above the least cost with a consistent person (1 run) and 10.1 % with an inconsistent one (1 run)."
    )
    assert not any("2.0 %" in block for block in classifier.write(runs[:1]).blocks if isinstance(block, str))


def test_every_method_of_an_experiment_has_a_line_of_its_own() -> None:
    for experiment in EXPERIMENTS:
        named = {m for part in experiment.parts for m in part.seeds if m not in ABLATIONS}
        styles = [figures.STYLES[method] for method in named]
        assert len(set(styles)) == len(styles)
