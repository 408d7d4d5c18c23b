"""The runners of all kinds of target. This is the only place that lists them; a test compares it with `Target`."""

from __future__ import annotations

from msgspec import Struct

from duetime.clock.port import Clock
from duetime.executor.targets.apprise.runner import AppriseRunner
from duetime.executor.targets.broadcast import NO_WORKERS, BroadcastRunner, Spread
from duetime.executor.targets.http.outgoing import OutgoingRules
from duetime.executor.targets.http.runner import HttpRunner
from duetime.executor.targets.kafka.runner import KafkaAccess, KafkaRunner
from duetime.executor.targets.log import LogRunner
from duetime.executor.targets.mail import MailRunner, MailServer
from duetime.executor.targets.port import Runner
from duetime.executor.targets.queue import QueueRunner
from duetime.executor.targets.shell.access import ProgramAccess
from duetime.executor.targets.shell.runner import ShellRunner
from duetime.executor.targets.workflow import NO_WORKFLOWS, StartWorkflow, WorkflowRunner
from duetime.model.targets.apprise import AppriseTarget
from duetime.model.targets.broadcast import BroadcastTarget
from duetime.model.targets.http import HttpTarget
from duetime.model.targets.kafka import KafkaTarget
from duetime.model.targets.log import LogTarget
from duetime.model.targets.mail import MailTarget
from duetime.model.targets.port import TargetKind
from duetime.model.targets.queue import QueueTarget
from duetime.model.targets.shell import ShellTarget
from duetime.model.targets.workflow import WorkflowTarget
from duetime.tracing.port import Traces


class RunnerSettings(Struct, frozen=True):
    """What runners need to know of their node."""

    clock: Clock
    slots: int
    outgoing: OutgoingRules
    spread: Spread = NO_WORKERS
    """Creates the jobs of a broadcast."""
    kafka: KafkaAccess = KafkaAccess()
    programs: ProgramAccess = ProgramAccess()
    mail: MailServer | None = None
    """None where the operator has configured none."""
    traces: Traces | None = None
    """None where no spans are made."""
    apprise: tuple[str, ...] = ()
    """The services of Apprise that the operator allows."""
    start_workflow: StartWorkflow = NO_WORKFLOWS


def make_runners(settings: RunnerSettings) -> dict[type[TargetKind], Runner]:
    """Returns a runner for every kind of target."""
    return {
        LogTarget: LogRunner(),
        QueueTarget: QueueRunner(),
        BroadcastTarget: BroadcastRunner(settings.spread),
        HttpTarget: HttpRunner(settings.outgoing, clock=settings.clock, slots=settings.slots, traces=settings.traces),
        KafkaTarget: KafkaRunner(settings.kafka, settings.traces),
        ShellTarget: ShellRunner(settings.programs, settings.clock, settings.traces),
        MailTarget: MailRunner(settings.mail),
        AppriseTarget: AppriseRunner(settings.apprise),
        WorkflowTarget: WorkflowRunner(settings.start_workflow),
    }
