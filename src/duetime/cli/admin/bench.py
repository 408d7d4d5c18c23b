"""`duetime bench`: measures Duetime on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from duetime.cli.shared.options import AsJson
from duetime.cli.shared.output import print_json, print_line
from duetime.model.errors import Invalid

EXAMPLES = """Each benchmark starts Duetime with an empty database in TMPDIR and the default settings, in which every \
write is durable. Figures of different machines or runs do not compare.

\b
Examples:
  duetime bench --quick
  duetime bench limit b3 b5
  duetime bench b4 --rounds 5 --out ./figures"""

Names = Annotated[
    list[str] | None, typer.Argument(metavar="[NAME]...", help="The benchmarks to run, such as b3. Default: all.")
]
Rounds = Annotated[
    int | None, typer.Option(min=1, metavar="N", help="How often to run each. Default: 3, or 1 with --quick.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Use small sizes, to see that everything works.")]
Out = Annotated[
    Path | None, typer.Option(metavar="DIRECTORY", help="Where to write the results. Default: ./bench-results/DATE.")
]
Listed = Annotated[bool, typer.Option("--list", help="List the benchmarks and run none.")]


def bench(
    names: Names = None,
    rounds: Rounds = None,
    quick: Quick = False,
    out: Out = None,
    listed: Listed = False,
    as_json: AsJson = False,
) -> None:
    """Measure rates, lateness, growth and fairness here."""
    from duetime.bench.measure import SUITE, measure

    if listed:
        if names or rounds is not None or quick or out is not None:
            raise Invalid("--list runs no benchmark: leave the other arguments out.")
        titles = {name: benchmark.TITLE for name, benchmark in SUITE.items()}
        if as_json:
            print_json(titles)
            return
        for name, title in titles.items():
            print_line(f"{name:6} {title}")
        return
    unknown = [name for name in names or [] if name not in SUITE]
    if unknown:
        raise Invalid(f"There is no benchmark {', '.join(unknown)}; there are {', '.join(SUITE)}.")
    chosen = [SUITE[name] for name in names or SUITE]
    run = measure(chosen, rounds=rounds, quick=quick, results=Path("bench-results"), out=out)
    if as_json:
        import msgspec

        print_json(msgspec.to_builtins(run))
    raise typer.Exit(1 if run.failed else 0)
