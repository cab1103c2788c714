"""`python -m benchmarks.forgiveness`: what a slip or a changed sign costs the author of a rubric, in one table."""

import argparse
import random
import sys

from benchmarks.forgiveness.damage import DAMAGE, harmed
from benchmarks.forgiveness.fuzz import HOSTILE, complaint, mutated, noise, seconds
from benchmarks.forgiveness.harmless import HARMLESS, changed
from benchmarks.forgiveness.slips import PLACES, Figures, Slip, measured
from benchmarks.forgiveness.sources import sources


def main() -> int:
    """Measure and print, each row as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forgiveness", description=__doc__)
    parser.add_argument("--slips", type=int, default=1000, help="random slips of each family (default 1000)")
    parser.add_argument("--texts", type=int, default=5000, help="how many random texts (default 5000)")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--show", action="store_true", help="also print every slip that was not explained well")
    args = parser.parse_args()
    print(f"{len(sources())} rubrics that read without errors\n")
    _harmless()
    _slips(args.slips, args.seed, args.show)
    _damage(args.slips // 100, args.seed)
    _fuzz(args.texts, args.seed)
    return 0


def _harmless() -> None:
    print(f"{'harmless damage':36} {'n':>5} {'same hash':>10}")
    total = 0
    for name, damage in HARMLESS.items():
        lost = [source.name for source in sources() if changed(source, damage)]
        total += len(lost)
        kept = len(sources()) - len(lost)
        print(f"{name:36} {len(sources()):>5} {_share(kept, len(sources())):>10}  {' '.join(lost)}".rstrip())
    cases = len(HARMLESS) * len(sources())
    print(f"{'all':36} {cases:>5} {_share(cases - total, cases):>10}\n")


def _slips(count: int, seed: int, show: bool) -> None:
    heads = ("n", "harmless", "accepted", "on its line", "right word", "mend", "restores", "one error")
    print(f"{'one wrong letter in a':24}" + "".join(f"{head:>13}" for head in heads))
    for family in PLACES:
        figures, fates = measured(family, count, seed)
        print(f"{family:24}" + "".join(f"{cell:>13}" for cell in _cells(figures)), flush=True)
        for line in sorted({_odd(slip, fate) for slip, fate in fates if show or fate.accepted} - {""}):
            print(f"    {line}")


def _odd(slip: Slip, fate: Figures) -> str:
    """What was not as it should be about one slip; empty when all was."""
    if fate.harmless or (fate.on_line and fate.named and fate.restored and fate.single):
        return ""
    short = [name for name in ("on_line", "named", "restored", "single") if not getattr(fate, name)]
    what = "accepted" if fate.accepted else f"not {', '.join(short)}"
    return f"{what}: {slip.typed!r} for {slip.place.word!r} in {slip.place.source.name}:{slip.place.line + 1}"


def _damage(times: int, seed: int) -> None:
    heads = ("n", "same hash", "refused", "warned", "unseen")
    print(f"\n{'accepted with another meaning':34}" + "".join(f"{head:>11}" for head in heads))
    for name in DAMAGE:
        fates = harmed(name, sources(), times, seed)
        parts = (fates.same, fates.refused, fates.warned, len(fates.unseen))
        cells = (str(fates.texts), *(_share(part, fates.texts) for part in parts))
        print(f"{name:34}" + "".join(f"{cell:>11}" for cell in cells), flush=True)
        for text in sorted(set(fates.unseen)):
            print(f"    {text}")


def _fuzz(texts: int, seed: int) -> None:
    rng, wrong = random.Random(seed), 0
    for number in range(texts):
        text = (noise if number % 2 else mutated)(rng)
        said = complaint(text)
        if said:
            wrong += 1
            print(f"{said}: {text!r}")
    print(f"\n{texts:,} random texts and damaged rubrics: {wrong} without a message for people\n")
    print("the largest file of nothing but")
    for name, row in HOSTILE.items():
        print(f"  {name:24} {seconds(row):6.1f} s", flush=True)


def _cells(figures: Figures) -> tuple[str, ...]:
    shares = (figures.on_line, figures.named, figures.offered)
    return (
        str(figures.slips),
        _share(figures.harmless, figures.slips),
        _share(figures.accepted, figures.slips),
        *(_share(part, figures.refused) for part in shares),
        _share(figures.restored, figures.offered),
        _share(figures.single, figures.refused),
    )


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


if __name__ == "__main__":
    sys.exit(main())
