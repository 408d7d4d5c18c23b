"""The converter for Airflow: each DAG of `GET /api/v1/dags` (or `/api/v2/dags`) becomes a schedule that calls it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, Final, cast

import msgspec

from duetime.conversion.called import called_target
from duetime.conversion.port import CannotConvert, Converted, Rejected, read_text, refuse_unknown
from duetime.model.errors import DuetimeError
from duetime.timing.cron import Cron

_WITHOUT_INSTANTS: Final = {"None", "null", "@once", "@continuous", "Never, external triggers only", "Once"}


class _NotConvertible(DuetimeError):
    """The DAG cannot be converted."""


def convert(file: BinaryIO, options: Mapping[str, str]) -> Iterator[Converted | Rejected]:
    """Yields a schedule for each DAG that is not paused. Options: `zone`, `prefix`, and `url`, or `queue` and `task`.

    Records are counted, because JSON has no lines that mean anything.
    """
    refuse_unknown(options, "zone", "prefix", "url", "queue", "task")
    called_target(options, "")
    for number, dag in enumerate(_dags(read_text(file)), 1):
        try:
            found = _schedule(dag, options)
        except _NotConvertible as error:
            yield Rejected(number, error.message)
        else:
            if found is not None:
                yield Converted(number, found)


def _dags(text: str) -> list[object]:
    try:
        content = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise CannotConvert(f"The file is not valid JSON: {error}.") from None
    if isinstance(content, dict):
        content = cast("dict[str, object]", content).get("dags")
    if not isinstance(content, list):
        raise CannotConvert(
            "The file must be a list of DAGs, or an object with a list 'dags', as Airflow's API has it."
        )
    return cast("list[object]", content)


def _schedule(given: object, options: Mapping[str, str]) -> dict[str, Any] | None:
    dag = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
    dag_id = dag.get("dag_id")
    if not isinstance(dag_id, str) or not dag_id:
        raise _NotConvertible("The DAG has no dag_id.")
    if dag.get("is_paused") is True:
        return None
    found: dict[str, Any] = {
        "kind": "schedule",
        "name": options.get("prefix", "airflow-") + dag_id,
        **_timing(dag_id, dag, options),
        "message": {"dag_id": dag_id, "logical_date": "{{nominal}}", "conf": {}},
        "target": called_target(options, dag_id),
        "overlap": "allow" if dag.get("max_active_runs") != 1 else "skip",
    }
    tags = [one.get("name") if isinstance(one, dict) else one for one in dag.get("tags") or []]
    if tags := [str(tag) for tag in tags if tag]:
        found["labels"] = {"tags": ",".join(tags)[:255]}
    return found


def _timing(dag_id: str, dag: Mapping[str, Any], options: Mapping[str, str]) -> dict[str, Any]:
    given = dag.get("schedule_interval", dag.get("timetable_summary"))
    if isinstance(given, dict):
        interval = cast("dict[str, Any]", given)
        if interval.get("__type") == "TimeDelta":
            return {"every": _number(interval, "days") * 86_400 + _number(interval, "seconds")}
        given = interval.get("value")
    if given is None or str(given) in _WITHOUT_INSTANTS:
        raise _NotConvertible(f"'{dag_id}' has no instants of its own: it is triggered by a person or by data.")
    zone = str(dag.get("timezone") or options.get("zone") or "UTC")
    zone = zone.removeprefix("Timezone('").removesuffix("')")
    try:
        Cron.parse(str(given), zone=zone)
    except DuetimeError as error:
        raise _NotConvertible(f"'{dag_id}' has the schedule '{str(given)[:60]}': {error.message}") from None
    return {"cron": str(given), "zone": zone}


def _number(interval: Mapping[str, Any], name: str) -> int:
    value = interval.get(name, 0)
    return value if isinstance(value, int) and value >= 0 else 0
