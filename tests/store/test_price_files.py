"""Price files: strict, own prices win, and a list from elsewhere never costs a person what they wrote."""

import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.model.usage import Price
from engine.store.price_document import PriceEntry, PriceFile, parse_prices
from engine.store.price_edit import Merged, Offered, entry_text, merge_prices
from engine.store.price_files import decimal_text, price_files, price_table, read_prices
from engine.store.price_import import read_price_list
from engine.store.workspace import Workspace
from tests.workspaces import ROOT

HEAD = "version: 2026-11-30\nmodels:\n"


def _price(read: str, written: str, cached: str | None = None) -> Price:
    return Price(Decimal(read), Decimal(written), None if cached is None else Decimal(cached))


def _own(folder: Path, text: str) -> Workspace:
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / "prices.yaml").write_text(text, "utf-8")
    return Workspace(folder)


def _problems(text: str) -> list[str]:
    with pytest.raises(UsageError) as caught:
        parse_prices(text, "p.yaml")
    return list(map(str, caught.value.problems))


def test_the_packaged_table_says_what_it_is(tmp_path: Path) -> None:
    """Dated, hashed, with its source; and every price in it is one that can be."""
    table = read_prices(Workspace(tmp_path))
    (file,) = price_files(Workspace(tmp_path))

    assert table.label == f"prices@{file.version} ({table.sha256[:12]})"
    assert len(table.sha256) == 64
    assert file.source.startswith("genai-prices 0.2.3")
    assert 50 < len(file.entries) < 120
    assert table.prices["gpt-4o-mini-2024-07-18"] == _price("0.15", "0.6", "0.075")
    assert table.prices["gpt-4o-2024-05-13"] == _price("5", "15")
    assert table.prices["claude-haiku-4-5-20251001"] is table.prices["claude-haiku-4-5"]
    assert "272,000" in file.entries["gpt-5.5"].note


def test_no_name_in_the_packaged_table_is_another_offer() -> None:
    """A fast mode or a search costs more; such a name is not an alias of the plain model."""
    names = parse_prices((ROOT / "conf/prices.yaml").read_text("utf-8"), "p").entries
    aliases = [alias for entry in names.values() for alias in entry.aliases]

    assert len(aliases) > 50
    assert not [name for name in aliases if any(word in name for word in ("fast", "search", "audio", "image", "batch"))]


def test_own_prices_win_model_by_model_dated_names_too(tmp_path: Path) -> None:
    packaged = read_prices(Workspace(tmp_path))
    text = f"{HEAD}  gpt-4o: {{input: 1, output: 2}}\n  mine: {{input: 3, output: 4, aliases: [claude-opus-4-1]}}\n"
    table = read_prices(_own(tmp_path, text))

    for name in ("gpt-4o", "gpt-4o-2024-08-06"):
        assert table.prices[name] == _price("1", "2")
    for name in ("mine", "claude-opus-4-1", "claude-opus-4-1-20250805"):
        assert table.prices[name] == _price("3", "4")
    assert table.prices["gpt-4o-mini"] == packaged.prices["gpt-4o-mini"]
    assert table.label.startswith(f"conf/prices.yaml@2026-11-30 + prices@{packaged.version} (")
    assert table.sha256 != packaged.sha256


def test_a_dated_name_can_be_overruled_alone(tmp_path: Path) -> None:
    table = read_prices(_own(tmp_path, f"{HEAD}  gpt-4o-2024-08-06: {{input: 1, output: 2}}\n"))

    assert table.prices["gpt-4o-2024-08-06"] == _price("1", "2")
    assert table.prices["gpt-4o"] == table.prices["gpt-4o-2024-11-20"] == _price("2.5", "10", "1.25")


def test_the_hash_is_of_the_prices_and_not_of_remarks(tmp_path: Path) -> None:
    def hashed(line: str) -> str:
        return read_prices(_own(tmp_path, HEAD + line)).sha256

    first = hashed("  a: {input: 0.60, output: 1}\n")

    assert hashed("  # said again\n  a: {output: 1.0, input: 6e-1, note: other}\n") == first
    assert hashed("  a: {input: 0.61, output: 1}\n") != first
    assert hashed("  a: {input: 0.60, output: 1, cached: 0.6}\n") != first
    assert hashed("  b: {input: 0.60, output: 1}\n") != first


def test_every_problem_is_told_with_its_place() -> None:
    told = "\n".join(
        _problems(
            "version: soon\nsorce: x\nmodels:\n"
            "  a: {input: -1, output: .nan, cashed: 1}\n"
            '  b: {input: "$0.15", output: true, aliases: [a]}\n'
            "  c: {input: 1}\n"
            "  d: 0.15\n"
            "  e: {input: 1.5e-07, output: 6e-07}\n"
            "  f: {input: 1, output: 200000, currency: EUR}\n"
            "  g: {input: null, output: .inf, aliases: x}\n"
        )
    )

    for line in (
        "p.yaml:1:10: version: is no day",
        'p.yaml:2:1: "sorce" is not known here\n  → did you mean source?',
        "p.yaml:4:14: input: -1 is no amount of 0 or more",
        'p.yaml:4:26: output: ".nan" is not a number',
        '"cashed" is not known here\n  → did you mean cached?',
        'p.yaml:5:14: input: "$0.15" is not a number\n  → write dollars per million tokens, as a number: input: 0.15',
        'output: "True" is not a number',
        "a has two prices, the first at p.yaml:4:3",
        "p.yaml:6:6: c: output is missing",
        "p.yaml:7:6: d: has no input and output",
        "input: 1.5e-07 is less than 0.001 dollars for a million tokens: is it the price of one token?",
        "output: 200000 is more than 100,000 dollars",
        "prices are in US dollars",
        "input: nothing is not a number",
        'output: ".inf" is not a number',
        "aliases: is no list",
    ):
        assert line in told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "this is not a price file"),
        ("models: {}", "there is no day"),
        ("version: 2026-02-30\nmodels: {}", "version: is no day"),
        ("version: 2026-11-30", "models: is missing"),
        ("version: 2026-11-30\nmodels: [a]", "no list of names with prices"),
        (f"{HEAD}  a: {{input: 1, output: 1}}\n  a: {{input: 2, output: 2}}\n", 'the key "a" is given twice'),
        (f"{HEAD}  a: {{input: 1, output: 1, aliases: [b, b]}}\n", "b has two prices"),
        (f"{HEAD}  a: {{input: 1, output: 1, aliases: [a]}}\n", "a has two prices"),
        (f"{HEAD}  a: {{input: 1, output: 1, aliases: [1]}}\n", "name of a model is text"),
        (f"{HEAD}  a: {{input: 1, output: 1, free: true}}\n", "write input: 0, output: 0"),
    ],
)
def test_what_is_wrong_is_refused(text: str, told: str) -> None:
    assert told in "\n".join(_problems(text))


def test_zero_is_a_price_and_a_request_can_have_one() -> None:
    file = parse_prices(f"{HEAD}  a: {{input: 0, output: 0.0, request: 0.005}}\n", "p.yaml")

    assert file.entries["a"].price == Price(Decimal(0), Decimal(0), request=Decimal("0.005"))


_texts = st.text(min_size=1, max_size=12).map(str.strip).filter(lambda text: text and text.isprintable())
_numbers = st.decimals(min_value=Decimal("0.001"), max_value=100_000, places=5)
_prices = st.builds(
    Price, _numbers, _numbers, st.none() | _numbers, st.none() | _numbers, st.just(Decimal(0)) | _numbers
)


@given(_texts, _prices, _texts)
def test_what_is_written_reads_as_it_was(name: str, price: Price, note: str) -> None:
    entry = PriceEntry(name, price, (f"{name}-2",), note)

    assert parse_prices(HEAD + entry_text(entry), "p.yaml").entries == {name: entry}
    assert decimal_text(price.input) == decimal_text(price.input.normalize())


@pytest.mark.parametrize("name", ["12", "1e9", "true", "null", "~", "a: b", "#", "a/b@1:0", "\U0001f600"])
def test_a_name_that_looks_like_something_else_stays_a_name(name: str) -> None:
    entry = PriceEntry("m", _price("1", "2"), (name,))

    assert parse_prices(HEAD + entry_text(entry), "p.yaml").entries == {"m": entry}


OWN = """\
# my prices
version: 2025-01-01   # when I looked
models:
  # negotiated
  first: {input: 1, output: 2, aliases: [other]}  # do not touch
  second:
    input: 3
    # half of the list
    output: 4

  third: {input: 5,
     output: 6}
# the end
source: a contract
"""


def _merge(path: Path, *names: str, replace: bool = False, read: str = "9") -> Merged:
    entries = tuple(PriceEntry(name, _price(read, "9")) for name in names)
    return merge_prices(path, "own", Offered(entries, "2026-12-01", "a list"), replace=replace)


def test_new_prices_are_added_and_what_was_written_stays(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(OWN, "utf-8")

    merged = _merge(path, "first", "other", "third", "new")

    assert [entry.name for entry in merged.added] == ["new"]
    assert (merged.replaced, merged.kept) == ((), ("first", "other", "third"))
    assert path.read_text("utf-8") == OWN.replace("2025-01-01", "2026-12-01").replace(
        "     output: 6}\n", "     output: 6}\n  new: {input: 9, output: 9}\n"
    )


def test_replacing_changes_these_lines_and_keeps_other_names(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(OWN, "utf-8")

    merged = _merge(path, "first", "second", "other", replace=True)
    text = path.read_text("utf-8")

    assert ([entry.name for entry in merged.replaced], merged.kept) == (["first", "second"], ("other",))
    assert "  first: {input: 9, output: 9, aliases: [other]}\n  second: {input: 9, output: 9}\n\n  third:" in text
    assert text.startswith("# my prices\n")
    assert text.endswith("# the end\nsource: a contract\n")


def test_a_second_time_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "prices.yaml"
    _merge(path, "a", "b")
    before = path.stat().st_mtime_ns

    merged = _merge(path, "a", "b", replace=True)

    assert (merged.added, merged.replaced, merged.same) == ((), (), ("a", "b"))
    assert path.stat().st_mtime_ns == before
    assert path.stat().st_mode & 0o777 == 0o644


@pytest.mark.parametrize("version", ["version: 2025-01-01 # 2025-01-01", "'version':   \"2025-01-01\""])
def test_the_day_is_changed_however_it_is_written(tmp_path: Path, version: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(f"source: of 2025-01-01\n{version}\nmodels:\n  a: {{input: 1, output: 2}}\n", "utf-8")

    _merge(path, "b")
    text = path.read_text("utf-8")

    assert text.startswith(f"source: of 2025-01-01\n{version.replace('2025-01-01', '2026-12-01', 1)}\n")
    assert parse_prices(text, "p.yaml").version == "2026-12-01"


@pytest.mark.parametrize("models", ["models: {a: {input: 1, output: 2}}", "models: {}"])
def test_a_file_that_cannot_be_added_to_is_left_alone(tmp_path: Path, models: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(f"version: 2026-11-30\n{models}\n", "utf-8")

    with pytest.raises(UsageError, match="nothing was changed"):
        _merge(path, "b")
    assert path.read_text("utf-8") == f"version: 2026-11-30\n{models}\n"


@pytest.mark.parametrize("end", ["", "\n", "\n\n# more\n"])
def test_a_file_may_end_as_it_likes(tmp_path: Path, end: str) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(f"{HEAD}    a: {{input: 1, output: 2}}{end}", "utf-8")

    _merge(path, "b")

    assert [*parse_prices(path.read_text("utf-8"), "p").entries] == ["a", "b"]


# Made up, with the fields that the real list has.
LITELLM: dict[str, object] = {
    "sample_spec": {"input_cost_per_token": 0.0, "mode": "one of: chat, embedding", "max_tokens": "LEGACY parameter"},
    "plain": {
        "input_cost_per_token": 1.5010000000000002e-07,
        "output_cost_per_token": 6e-07,
        "cache_read_input_token_cost": 7.5e-08,
        "cache_creation_input_token_cost": 0.0,
        "input_cost_per_token_batches": 7.5e-08,
        "input_cost_per_token_priority": 9e-07,
        "mode": "chat",
        "litellm_provider": "openai",
        "max_tokens": 16384,
        "supports_vision": True,
    },
    "provider/tiered-v1:0": {
        "input_cost_per_token": 1.25e-06,
        "input_cost_per_token_above_200k_tokens": 2.5e-06,
        "output_cost_per_token": 1e-05,
        "output_cost_per_token_above_200k_tokens": 1.5e-05,
        "cache_read_input_token_cost": 1.25e-07,
        "cache_read_input_token_cost_above_200k_tokens": 2.5e-07,
        "cache_creation_input_token_cost": 3.75e-06,
        "cache_creation_input_token_cost_above_1hr": 6e-06,
        "search_context_cost_per_query": {"search_context_size_low": 0.035},
        "mode": "chat",
    },
    "steps": {
        "tiered_pricing": [
            {"range": [0, 256000.0], "input_cost_per_token": 4e-07, "output_cost_per_token": 1.2e-06},
            {"range": [256000.0, 1e6], "input_cost_per_token": 1.2e-06, "output_cost_per_token": 3.6e-06},
        ],
        "mode": "chat",
    },
    "thinks": {
        "input_cost_per_token": 1e-06,
        "output_cost_per_token": 2e-06,
        "output_cost_per_reasoning_token": 3e-06,
        "input_cost_per_request": 0.01,
        "mode": "responses",
    },
    "null-price": {"input_cost_per_token": None, "output_cost_per_token": 1e-06, "mode": "chat"},
    "no-price": {"mode": "chat", "max_tokens": 1},
    "zero": {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "mode": "chat"},
    "half-zero": {"input_cost_per_token": 1e-06, "output_cost_per_token": 0, "mode": "chat"},
    "text-price": {"input_cost_per_token": "1e-06", "output_cost_per_token": 1e-06, "mode": "chat"},
    "negative": {"input_cost_per_token": -1e-06, "output_cost_per_token": 1e-06, "mode": "chat"},
    "million": {"input_cost_per_token": 1.5, "output_cost_per_token": 6, "mode": "chat"},
    "embeds": {"input_cost_per_token": 1e-07, "output_cost_per_token": 0.0, "mode": "embedding"},
    "draws": {"input_cost_per_image": 0.04, "mode": "image_generation"},
    "sonar-pro": {
        "input_cost_per_token": 3e-06,
        "output_cost_per_token": 1.5e-05,
        "search_context_cost_per_query": {"search_context_size_low": 0.006},
        "mode": "chat",
    },
    "bad\u202ename": {"input_cost_per_token": 1e-06, "output_cost_per_token": 1e-06, "mode": "chat"},
}


@pytest.fixture
def litellm(tmp_path: Path) -> Path:
    path = tmp_path / "model_prices.json"
    path.write_text(json.dumps(LITELLM), "utf-8")
    return path


def test_a_list_of_litellm_is_read_at_its_dearest_and_exactly(litellm: Path) -> None:
    taken = {entry.name: entry for entry in read_price_list(litellm).entries}

    assert [*taken] == ["plain", "provider/tiered-v1:0", "steps", "thinks"]
    assert taken["plain"] == PriceEntry("plain", _price("0.1501", "0.6", "0.075"))
    tiered = taken["provider/tiered-v1:0"]
    assert tiered.price == Price(Decimal("2.5"), Decimal(15), Decimal("0.25"), Decimal("3.75"))
    assert tiered.note == "the dearest rate, for prompts above 200,000 tokens; web searches are not in it"
    assert taken["steps"].price == _price("1.2", "3.6")
    assert "256,000" in taken["steps"].note
    assert taken["thinks"].price == Price(Decimal(1), Decimal(3), request=Decimal("0.01"))


def test_what_has_no_price_is_left_out_and_named(litellm: Path) -> None:
    """Unknown is not 0: neither null, nor absent, nor the 0 that stands for it."""
    left_out = read_price_list(litellm).left_out

    assert {reason.partition(",")[0]: names for reason, names in left_out.items()} == {
        "no price for what is read": ("null-price", "no-price"),
        "a price of 0": ("zero", "half-zero"),
        "a price that is no amount": ("text-price", "negative"),
        "a price that cannot be right": ("million",),
        "no model that answers in text": ("embeds", "draws"),
        "every answer also pays for searches": ("sonar-pro",),
        "a name that cannot be written": ("bad\u202ename",),
    }


def test_patterns_choose_and_one_that_fits_nothing_is_a_mistake(litellm: Path) -> None:
    assert [entry.name for entry in read_price_list(litellm, ["p*", "steps"]).entries] == [
        "plain",
        "provider/tiered-v1:0",
        "steps",
    ]
    with pytest.raises(UsageError, match="did you mean plain"):
        read_price_list(litellm, ["plane"])


@pytest.mark.parametrize("text", ["[]", "{}", '{"a": 1}', "{", '{"a": {"input_cost_per_token": NaN}}'])
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UsageError):
        read_price_list(path)


def test_everything_imported_can_be_read_again(litellm: Path, tmp_path: Path) -> None:
    offered = Offered(read_price_list(litellm).entries, "2026-12-01", "a list: of prices")
    merge_prices(tmp_path / "conf" / "prices.yaml", "own", offered, replace=False)
    own, packaged = price_files(Workspace(tmp_path))

    assert own.source == "a list: of prices"
    assert tuple(own.entries.values()) == offered.entries
    assert price_table([own, packaged]).prices["provider/tiered-v1:0"] == own.entries["provider/tiered-v1:0"].price
    assert isinstance(packaged, PriceFile)
