"""Configuration: composition, overrides, sweeps, and every trap that users are protected from (design 3)."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import UsageError
from engine.plan.compose import Job, Typed, compose_all, run_many, run_one
from engine.plan.conf_files import groups
from engine.plan.settings import Settings
from engine.store.workspace import Workspace, packaged
from engine.targets.search_fts import PythonDocs
from tests.workspaces import ROOT, workspace

GLOBAL = "# @package _global_\n"


def compose(folder: Path, *overrides: str) -> Job:
    return run_one(Typed(Workspace(folder), overrides), lambda job: job)


def mistakes(folder: Path, *overrides: str) -> str:
    with pytest.raises(UsageError) as caught:
        compose(folder, *overrides)
    return "\n".join(map(str, caught.value.problems))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return workspace(tmp_path)


def test_the_defaults_are_complete_and_are_what_base_yaml_says(folder: Path) -> None:
    """A54: defaults, resolved configuration as text."""
    job = compose(folder)

    assert (job.settings.queries, job.settings.rubric, job.settings.repeats) == ("core", "search", 1)
    assert "queries: core" in job.config
    assert job.overrides == ()


@pytest.mark.parametrize("name", groups(Workspace(packaged()))["experiment"])
def test_every_committed_experiment_composes(folder: Path, name: str) -> None:
    assert compose(folder, f"experiment={name}").settings.experiment.name == (None if name == "none" else name)


def limit_of(settings: Settings) -> int:
    assert isinstance(settings.target, PythonDocs)
    return settings.target.limit


_OWN = {"model": "m", "url": "https://example.com/v1", "call": "shop:answer", "app": "shop:app", "tool": "ask"}
"""What a person has to fill in."""


@pytest.mark.parametrize("role", ["target", "judge"])
def test_every_committed_target_and_judge_composes(folder: Path, role: str) -> None:
    for name in groups(Workspace(packaged()))[role]:
        if name in ("replay", "mcp", "panel"):  # these need lists or a choice
            continue
        text = (ROOT / f"conf/{role}/{name}.yaml").read_text("utf-8")
        missing = [f"{role}.{key}={_OWN[key]}" for key in re.findall(r"^(\w+): \?\?\?", text, re.MULTILINE)]
        settings = compose(folder, f"{role}={name}", *missing).settings
        assert (settings.target if role == "target" else settings.judge).kind == name


def test_an_experiment_wins_over_the_defaults_and_the_command_line_over_both(folder: Path) -> None:
    """A54."""
    workspace(folder, {"conf/experiment/mine.yaml": f"{GLOBAL}repeats: 3\ntarget: {{limit: 7}}\n"})

    assert compose(folder, "experiment=mine").settings.repeats == 3
    assert compose(folder, "experiment=mine", "repeats=5").settings.repeats == 5
    assert limit_of(compose(folder, "experiment=mine").settings) == 7


def test_a_workspace_file_wins_over_the_packaged_one(folder: Path) -> None:
    workspace(folder, {"conf/target/python_docs.yaml": "kind: python_docs\nlimit: 4\n"})

    assert limit_of(compose(folder).settings) == 4


@pytest.mark.parametrize(
    ("override", "said"),
    [
        ("target.limt=3", "'target.limt' is not a setting. Did you mean 'target.limit'?"),
        ("target=python_doc", "there is no conf/target/python_doc.yaml. Choices: "),
        ("target=python_doc", "did you mean target=python_docs?"),
        ("repeats=0", "'repeats' must be at least 1, not 0"),
        ("repeats=true", "'repeats' must be a whole number, not true"),
        ("rubric=1.10", "rubric='\"1.10\"'"),
        ("output=loud", "it can be: 'verbose', 'quiet' or 'silent'"),
        ("queries=core,other", "add -m to make a run of each, or write queries=[core,other]"),
        ("compare.dimensions={ranking: {regresion: 0.1}}", "Did you mean 'compare.dimensions.ranking.regression'?"),
        ("compare.regression=.nan", "'compare.regression'"),
        ("hydra.run.dir=x", "not for changing"),
        ("+a@hydra.callbacks=b", "not the name of a setting"),
        ("~target", "does not say what to set"),
        ("~target=folder", "cannot be removed"),
        ("core", "write it as name=value: queries=core"),
        ("target.limit=${nope}", "'nope' not found"),
    ],
)
def test_a_mistake_on_the_command_line_is_explained(folder: Path, override: str, said: str) -> None:
    """A55: unknown and wrong settings, with a did-you-mean and a next step."""
    told = mistakes(folder, override)

    assert said in told
    assert "command line" in told


def test_a_mistake_in_a_file_is_named_with_line_and_column(folder: Path) -> None:
    workspace(
        folder, {"conf/experiment/typo.yaml": f"{GLOBAL}experiment:\n  name: typo\n  qestion: why\nrepeats: many\n"}
    )

    told = mistakes(folder, "experiment=typo")

    assert (
        "conf/experiment/typo.yaml:4:3: 'experiment.qestion' is not a setting. Did you mean 'experiment.question'?"
        in told
    )
    assert "conf/experiment/typo.yaml:5:1: 'repeats' must be a whole number, not 'many'." in told


def test_a_forgotten_package_header_gets_its_own_message(folder: Path) -> None:
    workspace(folder, {"conf/experiment/bare.yaml": "repeats: 3\n"})

    assert "`# @package _global_` missing" in mistakes(folder, "experiment=bare")


def test_yaml_that_reads_no_as_false_is_explained(folder: Path) -> None:
    workspace(folder, {"conf/experiment/norway.yaml": f"{GLOBAL}experiment:\n  name: NO\n"})

    told = mistakes(folder, "experiment=norway")

    assert "conf/experiment/norway.yaml:3:3: 'experiment.name' is text, and YAML reads this as false." in told
    assert "in quotes" in told


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("conf/experiment/a.yaml", "a: 1\na: 2\n", "conf/experiment/a.yaml:2"),
        ("conf/experiment/a.yaml", "a: [1\n", "conf/experiment/a.yaml"),
        ("conf/experiment/a.yml", "repeats: 2\n", "rename it to a.yaml"),
        (
            "conf/experiment/a.yaml",
            "a: &a [1,1,1,1,1,1,1,1,1]\n"
            + "".join(f"{b}: &{b} [{','.join(['*' + c] * 9)}]\n" for c, b in zip("abcdefgh", "bcdefghi", strict=True)),
            "alias",
        ),
    ],
    ids=["duplicate-key", "syntax", "yml", "alias-bomb"],
)
def test_a_broken_conf_file_is_named_before_hydra_reads_it(folder: Path, name: str, text: str, said: str) -> None:
    """J6. One that nobody uses disturbs nobody, except that a misnamed one is said."""
    workspace(folder, {name: text})

    assert said in mistakes(folder, *(("experiment=a",) if name.endswith(".yaml") else ()))
    if name.endswith(".yaml"):
        assert compose(folder).settings.queries == "core"


TWO = {"conf/target/two.yaml": "kind: python_docs\nlimit: 2\n"}


def test_an_experiment_can_choose_another_target(folder: Path) -> None:
    """In a plain workspace, and in one that has chosen a target of its own."""
    workspace(folder, {**TWO, "conf/experiment/t.yaml": f"{GLOBAL}defaults:\n  - override /target: two\n"})
    assert limit_of(compose(folder, "experiment=t").settings) == 2

    own = "defaults: [base, target: python_docs, judge: none, _self_, experiment: none]\n"
    workspace(folder, {"conf/config.yaml": own})
    assert limit_of(compose(folder, "experiment=t").settings) == 2
    assert limit_of(compose(folder, "experiment=t", "target=python_docs").settings) == 10


def test_a_choice_that_would_be_ignored_is_refused(folder: Path) -> None:
    """Hydra lets the first override win and says nothing; the unchanged system would be measured."""
    own = "defaults:\n  - base\n  - target: python_docs\n  - judge: none\n  - _self_\n  - experiment: none\n"
    workspace(
        folder,
        {
            **TWO,
            "conf/config.yaml": f"{own}  - override target: python_docs\n",
            "conf/experiment/t.yaml": f"{GLOBAL}defaults:\n  - override /target: two\n",
        },
    )

    told = mistakes(folder, "experiment=t")

    assert "conf/experiment/t.yaml: `override /target: two` has no effect" in told
    assert "conf/config.yaml" in told


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("- t", "conf/experiment/t.yaml:3:5: a file cannot include itself"),
        ("- /experiment/t", "a file cannot include itself"),
        ("- /experiment: no_stemming", "is chosen already"),
        ("- /target: python_docs", "is chosen already"),
        ("- ../../../etc/passwd", "cannot be included"),
        ("- {a: b, c: d}", "says one thing"),
        ("- [a]", "is a name"),
        ("- override /target@hydra.callbacks: two", "cannot be chosen"),
        ("- override /target: nope", "conf/experiment/t.yaml:3:3: there is no conf/target/nope.yaml."),
    ],
)
def test_a_slip_in_the_defaults_is_explained(folder: Path, entry: str, said: str) -> None:
    workspace(folder, {"conf/experiment/t.yaml": f"{GLOBAL}defaults:\n  {entry}\n"})

    assert said in mistakes(folder, "experiment=t")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("defaults: nope\n", "conf/config.yaml:1:11: `defaults` is a list"),
        ("defaults: [config]\n", "a file cannot include itself"),
        ("defaults: [bass, _self_]\n", "conf/config.yaml:1:11: there is no conf/bass.yaml.\n  → did you mean base?"),
        ("defaults: [_self_, base, target: python_docs, judge: none, experiment: none]\n", "put it after base"),
        ("defaults: [base, target: python_docs, judge: none, experiment: none, _self_]\n", "put it after _self_"),
    ],
)
def test_a_slip_in_config_yaml_is_explained(folder: Path, text: str, said: str) -> None:
    workspace(folder, {"conf/config.yaml": text})

    assert said in mistakes(folder)


def test_files_that_include_each_other_are_no_traceback(folder: Path) -> None:
    workspace(folder, {"conf/target/a.yaml": "defaults: [b]\n", "conf/target/b.yaml": "defaults: [a]\n"})

    assert "lead back to where they came from" in mistakes(folder, "target=a")


def test_a_byte_order_mark_is_named_because_it_hides_the_first_line(folder: Path) -> None:
    workspace(folder, {"conf/experiment/t.yaml": f"\ufeff{GLOBAL}repeats: 2\n"})

    assert "conf/experiment/t.yaml:1:1: this file starts with an invisible byte order mark" in mistakes(
        folder, "experiment=t"
    )


@pytest.mark.parametrize("written", ["012", "1_0", "0x10", "1:30"])
def test_a_number_that_readers_of_yaml_disagree_on_is_refused(folder: Path, written: str) -> None:
    """J6."""
    workspace(folder, {"conf/experiment/t.yaml": f"{GLOBAL}target: {{limit: {written}}}\n"})

    assert "conf/experiment/t.yaml:2:17" in mistakes(folder, "experiment=t")


@pytest.mark.parametrize("name", ["2025", "true", "1.10", "null"])
def test_a_query_set_may_have_a_name_that_looks_like_a_number(folder: Path, name: str) -> None:
    assert compose(folder, f"queries={name}").settings.queries == name


def test_a_kind_that_there_is_not_is_told_with_those_that_there_are(folder: Path) -> None:
    workspace(folder, {"conf/target/odd.yaml": "kind: pythn_docs\nlimit: 2\n"})
    said = mistakes(folder, "target=odd")
    assert "conf/target/odd.yaml:1:1: 'target.kind' cannot be 'pythn_docs'." in said
    assert "'python_docs'" in said
    assert said.count("odd.yaml") == 1  # nothing about its other settings


def test_the_kind_of_a_target_is_chosen_with_its_file(folder: Path) -> None:
    said = mistakes(folder, "target.kind=replay")
    assert "write target=NAME; there is: " in said
    assert ", folder, " in said

    workspace(folder, {"conf/target/empty.yaml": ""})
    assert "conf/target/empty.yaml: 'target.kind'" in mistakes(folder, "target=empty")


def test_a_pipe_among_the_files_keeps_nobody_waiting(folder: Path) -> None:
    (folder / "conf/experiment").mkdir(parents=True)
    os.mkfifo(folder / "conf/experiment/x.yaml")

    assert compose(folder).settings.queries == "core"
    assert "there is no conf/experiment/x.yaml" in mistakes(folder, "experiment=x")


ATTACKS: dict[str, str] = {
    "target": f"{GLOBAL}target:\n  _target_: os.system\n",
    "alias": f"{GLOBAL}experiment:\n  name: {{_target_: logging.os.system, command: touch OWNED}}\n",
    "nested": f"{GLOBAL}where:\n  a:\n    - {{_target_: subprocess.run}}\n",
    "partial": f"{GLOBAL}target: {{_partial_: true}}\n",
    "args": f"{GLOBAL}target: {{_args_: [1]}}\n",
    "environment": f"{GLOBAL}rubric: ${{oc.env:CANARY}}\n",
    "environment-default": f"{GLOBAL}rubric: ${{oc.env:CANARY,x}}\n",
    "decode": f"{GLOBAL}rubric: ${{oc.decode:abc}}\n",
    "now": f"{GLOBAL}rubric: ${{now:%Y}}\n",
    "hydra-resolver": f"{GLOBAL}rubric: ${{hydra:runtime.cwd}}\n",
    "create": f"{GLOBAL}where: ${{oc.create:x}}\n",
    "callbacks": f"{GLOBAL}hydra:\n  callbacks:\n    x: {{_target_: os.system}}\n",
    "callbacks-flow": f"{GLOBAL}{{hydra: {{callbacks: {{x: {{_target_: os.system}}}}}}}}\n",
    "callbacks-quoted": f'{GLOBAL}"hydra": {{callbacks: {{x: {{_target_: os.system}}}}}}\n',
    "launcher": f"{GLOBAL}hydra:\n  launcher: {{_target_: os.system}}\n",
    "defaults": f"{GLOBAL}defaults:\n  - override /hydra/launcher: basic\n",
    "defaults-package": f"{GLOBAL}defaults:\n  - /experiment@hydra.callbacks: none\n",
    "package": "# @package hydra.callbacks\nx: {_target_: os.system}\n",
    "package-hydra": "# @package hydra\ncallbacks: {x: {_target_: os.system}}\n",
    "env-set": f"{GLOBAL}hydra: {{job: {{env_set: {{PATH: /tmp}}}}}}\n",
    "searchpath": f"{GLOBAL}hydra: {{searchpath: [file:///tmp]}}\n",
    "tag": f"{GLOBAL}rubric: !!python/object/apply:os.system [touch OWNED]\n",
    "tag-name": f"{GLOBAL}rubric: !!python/name:os.system\n",
    "merge": f"{GLOBAL}x: &x {{_target_: os.system}}\ntarget:\n  <<: *x\n",
    "resolver-nested": f"{GLOBAL}rubric: a${{b${{oc.env:HOME}}}}\n",
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_no_config_file_can_run_code_or_read_the_environment(
    folder: Path, attack: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S1, S2: refused, with nothing executed, nothing read and nothing written."""
    monkeypatch.setenv("CANARY", "canary-value-1234567")
    ran: list[str] = []
    monkeypatch.setattr(os, "system", ran.append)
    workspace(folder, {"conf/experiment/evil.yaml": ATTACKS[attack]})
    before = sorted(folder.rglob("*"))

    told = mistakes(folder, "experiment=evil")

    assert "canary-value" not in told
    assert not ran
    assert sorted(folder.rglob("*")) == before


@pytest.mark.parametrize(
    "override",
    [
        "experiment.name=sk-abcdefghijklmnop1234567",
        "target.api_key=ghp_0123456789abcdefghijABCDEFGHIJ",
        "experiment.name=canary-value-1234567",
        "target.x=Bearer abcdef0123456789abcdef",
        "experiment.question=https://user:pw@host/",
        "sk-abcdefghijklmnop1234567",
        "sk-abcdefghijklmnop1234567=1",
    ],
)
def test_a_pasted_secret_is_refused_without_repeating_it(
    folder: Path, override: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """S2, S3."""
    monkeypatch.setenv("MY_API_KEY", "canary-value-1234567")

    told = mistakes(folder, override)

    assert override.partition("=")[2][:12] not in told or not override.partition("=")[2]
    assert "sk-abc" not in told
    assert "key or password" in told


def test_a_secret_in_a_file_is_refused_with_its_place(folder: Path) -> None:
    workspace(folder, {"conf/experiment/key.yaml": f"{GLOBAL}experiment:\n  question: sk-abcdefghijklmnop1234567\n"})

    told = mistakes(folder, "experiment=key")

    assert "conf/experiment/key.yaml:3:3" in told
    assert "sk-abc" not in told


@pytest.mark.parametrize(
    "value",
    [
        "https://a.example/?b=c",
        "a=b",
        "é",
        "a[b",
        "it's",
        'say "hi"',
        "back\\slash",
        "cost is $5, or so",
        "{{x}}",
        "{%",
    ],
)
def test_values_that_hydras_grammar_refuses_are_taken_as_text(folder: Path, value: str) -> None:
    """F39."""
    typed = f'experiment.question="{value}"' if value.startswith("cost") else f"experiment.question={value}"

    assert compose(folder, typed).settings.experiment.question == value


def test_a_setting_given_twice_is_refused(folder: Path) -> None:
    assert "given twice: limit=3 and limit=4" in mistakes(folder, "limit=3", "limit=4")


def test_a_threshold_of_zero_is_kept_and_an_absent_one_is_the_default(folder: Path) -> None:
    """F41: 0 is a value, not "not given"; text is refused."""
    assert compose(folder).settings.compare.regression == 0.05
    assert compose(folder, "compare.regression=0").settings.compare.regression == 0
    assert compose(folder, "compare.regression=0.0").settings.compare.regression == 0
    assert "must be a number" in mistakes(folder, "compare.regression='\"0.5\"'")


def test_a_sweep_names_every_mistake_of_every_job(folder: Path) -> None:
    workspace(
        folder,
        {"conf/experiment/bad.yaml": f"{GLOBAL}repeats: x\n", "conf/experiment/bad2.yaml": f"{GLOBAL}ouput: quiet\n"},
    )

    with pytest.raises(UsageError) as caught:
        compose_all(Typed(Workspace(folder), ("experiment=none,bad,bad2",)))

    assert [p.place for p in caught.value.problems] == ["conf/experiment/bad.yaml:2:1", "conf/experiment/bad2.yaml:2:1"]


def test_a_sweep_makes_one_job_per_combination(folder: Path) -> None:
    jobs = compose_all(Typed(Workspace(folder), ("target.limit=3,4", "repeats=1,2")))

    assert [job.overrides for job in jobs] == [
        ("target.limit=3", "repeats=1"),
        ("target.limit=3", "repeats=2"),
        ("target.limit=4", "repeats=1"),
        ("target.limit=4", "repeats=2"),
    ]


def test_a_sweep_over_a_group_can_use_a_pattern(folder: Path) -> None:
    jobs = compose_all(Typed(Workspace(folder), ("experiment=glob(no*)",)))

    assert [job.settings.experiment.name for job in jobs] == ["no_stemming", None]


def test_run_many_hands_the_same_jobs_to_the_task_and_survives_what_it_raises(folder: Path, tmp_path: Path) -> None:
    typed = Typed(Workspace(folder), ("target.limit=3,4",))
    swept = tmp_path / "sweep ${x} 'q'"
    swept.mkdir()

    jobs = run_many(typed, swept, lambda job: job)

    assert [job.overrides for job in jobs] == [job.overrides for job in compose_all(typed)]
    assert [path.name for path in swept.iterdir()] == ["multirun.yaml"]


def test_what_a_task_raises_reaches_the_caller_in_our_words_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: Job) -> None:
        raise UsageError("no")

    with pytest.raises(UsageError, match="no"):
        run_one(Typed(Workspace(folder), ()), fail)

    assert capsys.readouterr().err == ""


def test_composing_writes_nothing(folder: Path) -> None:
    before = sorted(folder.rglob("*"))

    compose(folder, "target.limit=3")
    compose_all(Typed(Workspace(folder), ("repeats=1,2",)))

    assert sorted(folder.rglob("*")) == before


def test_ten_thousand_queries_never_pass_through_hydra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Data is not configuration: a query set that is not even YAML does not disturb composing."""
    workspace(folder, {"conf/query_sets/broken.yaml": "queries: [${HOME}, {{x}}\n"})

    assert compose(folder).settings.queries == "core"


@pytest.mark.parametrize("chooser", [compose_all, lambda typed: run_one(typed, lambda job: job)])
def test_composing_twice_in_one_process_is_the_same(folder: Path, chooser: Callable[[Typed], object]) -> None:
    typed = Typed(Workspace(folder), ("target.limit=3",))

    assert chooser(typed) == chooser(typed)
