"""The kinds of target, one module each. This is the only place that lists them.

`Target` names every kind; `Answer` names what their runs answer, for the kinds that answer something. The runners
of the same kinds are listed in `duetime.executor.targets.runners`.
"""

from __future__ import annotations

from duetime.model.targets.apprise import AppriseAnswer, AppriseTarget
from duetime.model.targets.broadcast import BroadcastAnswer, BroadcastTarget
from duetime.model.targets.http import HttpAnswer, HttpTarget
from duetime.model.targets.kafka import KafkaAnswer, KafkaTarget
from duetime.model.targets.log import LogTarget
from duetime.model.targets.mail import MailAnswer, MailTarget
from duetime.model.targets.queue import QueueAnswer, QueueTarget
from duetime.model.targets.shell import ShellAnswer, ShellTarget
from duetime.model.targets.workflow import WorkflowAnswer, WorkflowTarget

Target = (
    LogTarget
    | HttpTarget
    | KafkaTarget
    | QueueTarget
    | BroadcastTarget
    | ShellTarget
    | MailTarget
    | AppriseTarget
    | WorkflowTarget
)
Answer = (
    HttpAnswer | KafkaAnswer | QueueAnswer | BroadcastAnswer | ShellAnswer | MailAnswer | AppriseAnswer | WorkflowAnswer
)
