"""What holds for every kind of target, and that a kind and its runner are listed together."""

from __future__ import annotations

import re
from inspect import iscoroutinefunction
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import msgspec
import pytest

import duetime
from duetime.clock.manual import ManualClock
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.runners import RunnerSettings, make_runners
from duetime.model.definition import Definition, decode_definition, encode_definition
from duetime.model.errors import Invalid
from duetime.model.outcome import Result
from duetime.model.targets import Answer, Target
from duetime.model.targets.apprise import AppriseAnswer, AppriseTarget
from duetime.model.targets.broadcast import BroadcastAnswer, BroadcastTarget
from duetime.model.targets.headers import is_shown
from duetime.model.targets.http import BasicAuth, BearerAuth, HttpAnswer, HttpTarget
from duetime.model.targets.kafka import KafkaAnswer, KafkaTarget
from duetime.model.targets.log import LogTarget
from duetime.model.targets.mail import MailAnswer, MailTarget
from duetime.model.targets.port import HIDDEN, AnswerKind, TargetKind
from duetime.model.targets.queue import QueueAnswer, QueueTarget
from duetime.model.targets.shell import ShellAnswer, ShellTarget
from duetime.model.targets.workflow import WorkflowAnswer, WorkflowTarget

CANARY = "s3cret-canary"
URL = "https://example.com:8443/hook"

EXAMPLES: list[TargetKind] = [
    LogTarget(),
    HttpTarget(URL),
    HttpTarget(URL, method="GET", headers={"Accept": "text/plain"}, follow_redirects=2),
    HttpTarget(URL, auth=BearerAuth(CANARY)),
    HttpTarget(URL, auth=BasicAuth("ada", CANARY)),
    HttpTarget(f"{URL}?a=1&access_token={CANARY}&author=ada&sig={CANARY}"),
    QueueTarget("mail"),
    QueueTarget("mail", "send", stall_after=30.0),
    BroadcastTarget("cache", "clear"),
    KafkaTarget("orders"),
    KafkaTarget("orders", "eu", "k", {"a": "b"}, 3, "dg==", ("value",)),
    KafkaTarget("orders", envelope=True),
    ShellTarget(("backup", "--all")),
    ShellTarget(("backup",), env={"A": "b"}, secret_env={"KEY": CANARY}, cwd="/srv", fail_codes=(2,)),
    ShellTarget(script="echo $1", interpreter=("/bin/bash", "-eu")),
    HttpTarget(URL, headers={"X-Api-Key": CANARY, "Cookie": CANARY, "Accept": "text/plain"}),
    HttpTarget(URL, signing_secret=CANARY),
    MailTarget(),
    AppriseTarget(CANARY),
    WorkflowTarget(),
]
"""Targets that a client may send. Every kind has some; where a kind has secrets, they are the canary."""

ANSWERS: list[AnswerKind] = [
    HttpAnswer(200, {"a": "b"}, "thanks", body_cut=False),
    HttpAnswer(503, {}, "busy", body_cut=True, address="192.0.2.7"),
    QueueAnswer({"id": 7}),
    QueueAnswer(trace="line 1"),
    BroadcastAnswer([1025]),
    KafkaAnswer("orders", 3, 17),
    MailAnswer("250 OK"),
    AppriseAnswer("tgram"),
    WorkflowAnswer(1025),
    ShellAnswer(0, None, "out", "", 3, 0.01, 4096),
    ShellAnswer(None, "SIGKILL"),
]


def members(union: object) -> set[Any]:
    return set(get_args(union)) if isinstance(union, UnionType) else {union}


KINDS, ANSWER_KINDS = members(Target), members(Answer)


def test_every_kind_has_a_runner_and_every_runner_a_kind() -> None:
    settings = RunnerSettings(ManualClock(), 1, OutgoingRules())
    assert set(make_runners(settings)) == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS, key=str))
def test_a_kind_is_one_module_with_its_name(kind: type[TargetKind]) -> None:
    assert kind.__module__ == f"duetime.model.targets.{kind.__struct_config__.tag}"


def test_every_kind_and_every_answer_has_examples_here() -> None:
    assert {type(one) for one in EXAMPLES} == KINDS
    assert {type(one) for one in ANSWERS} == ANSWER_KINDS


def test_an_answer_has_the_name_of_a_kind() -> None:
    names = {kind.__struct_config__.tag for kind in KINDS}
    assert {answer.__struct_config__.tag for answer in ANSWER_KINDS} <= names
    assert len(names) == len(KINDS)


def test_a_runner_waits_exactly_if_its_run_is_asynchronous_and_takes_a_slot() -> None:
    for kind, runner in make_runners(RunnerSettings(ManualClock(), 1, OutgoingRules())).items():
        assert bool(runner.waits) is kind.takes_slot
        if runner.waits != "report":
            assert runner.waits is iscoroutinefunction(runner.run)


def test_no_other_code_names_a_kind() -> None:
    """The rest asks a target through the methods of `TargetKind`. The default of a definition is the one exception."""
    names = re.compile("|".join(rf"\b{kind.__name__}\b" for kind in KINDS | ANSWER_KINDS))
    root = Path(str(duetime.__file__)).parent
    own = {"model/targets", "executor/targets"}
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if names.search(path.read_text()) and not any(path.is_relative_to(root / place) for place in own)
    }
    assert found == {"model/definition.py"}


@pytest.mark.parametrize("target", EXAMPLES)
def test_a_target_is_accepted_and_stored_as_it_was_sent(target: Any) -> None:
    target.check()
    target.check_secrets()
    stored = encode_definition(Definition(target))
    assert decode_definition(stored) == Definition(target)
    assert msgspec.json.decode(stored)["target"]["kind"] == target.kind


@pytest.mark.parametrize("target", EXAMPLES)
def test_a_shown_target_has_no_secret_and_otherwise_nothing_changed(target: TargetKind) -> None:
    secrets, before = target.secrets(), msgspec.json.encode(target)
    shown = target.redacted()
    assert set(secrets.values()) <= {CANARY}
    assert (CANARY in before.decode()) == bool(secrets), "`secrets` names all of them"
    assert shown.secrets() == dict.fromkeys(secrets, HIDDEN)
    assert msgspec.json.encode(shown).decode() == before.decode().replace(CANARY, HIDDEN)
    assert msgspec.json.encode(target) == before, "the target itself stays as it is"


@pytest.mark.parametrize("target", [one for one in EXAMPLES if one.secrets()])
def test_a_shown_target_cannot_be_sent_back_in_place_of_the_secret(target: TargetKind) -> None:
    with pytest.raises(Invalid, match="real one") as caught:
        target.redacted().check_secrets()
    assert caught.value.details["field"] in {f"target.{path}" for path in target.secrets()}


@pytest.mark.parametrize("target", EXAMPLES)
def test_a_breaker_key_has_no_secret(target: TargetKind) -> None:
    assert CANARY not in (target.breaker_key() or "")


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_is_kept_under_the_name_that_clients_know(answer: Any) -> None:
    kept = msgspec.json.encode(Result(answer=answer))
    assert msgspec.json.decode(kept)["response"]["kind"] == answer.kind
    assert msgspec.json.decode(kept, type=Result).answer == answer
    assert answer.summary()


def test_the_address_that_answered_is_not_shown() -> None:
    shown = msgspec.to_builtins(ANSWERS[1].shown())
    assert shown == {"kind": "http", "status": 503, "headers": {}, "body": "busy", "body_cut": True}


@pytest.mark.parametrize("name", ["Accept", "Content-Type", "User-Agent", "X-Request-Id", "X-RateLimit-Limit"])
def test_ordinary_headers_are_shown(name: str) -> None:
    assert is_shown(name)


@pytest.mark.parametrize(
    "name",
    [
        "Authorization",
        "Proxy-Authorization",
        "Cookie",
        "Set-Cookie",
        "X-Api-Key",
        "Api-Key",
        "apikey",
        "X-Auth",
        "X-Auth-Token",
        "X-Access-Token",
        "X-Session",
        "X-Session-Id",
        "X-Csrf",
        "X-Xsrf-Token",
        "X-Secret",
        "X-Client-Secret",
        "X-Password",
        "X-Pass",
        "X-Credential",
        "X-Signature",
        "X-Hub-Signature-256",
        "X-Amz-Security-Token",
        "X-Goog-Iam",
        "X-Vault-Namespace",
        "PRIVATE-TOKEN",
        "JWT",
        "X-Jwt-Assertion",
        "Key",
        "Pwd",
        "Ocp-Apim-Subscription-Key",
        "X-Shopify-Hmac-Sha256",
        "X-Anything",
    ],
)
def test_no_other_header_is_shown_whatever_its_name(name: str) -> None:
    assert not is_shown(name)
    target = HttpTarget(URL, headers={name: CANARY})
    assert target.secrets() == {f"headers.{name}": CANARY}
    assert target.redacted().headers == {name: HIDDEN}


def test_http_targets_share_a_breaker_by_scheme_host_and_port() -> None:
    assert HttpTarget("HTTP://Example.com:80/a?b").breaker_key() == "http://example.com:80"
    assert HttpTarget("https://example.com/a").breaker_key() == HttpTarget("https://example.com/b?c").breaker_key()
    assert LogTarget().breaker_key() is None
