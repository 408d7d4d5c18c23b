"""The whole store in memory, seen over one link."""

from __future__ import annotations

from duetime.store.placement import Placement
from duetime.store.stores import Stores
from simulation.memory.accounts import MemoryAccounts
from simulation.memory.activity import MemoryActivity
from simulation.memory.calendars import MemoryCalendars
from simulation.memory.control import MemoryControl
from simulation.memory.dead import MemoryDead
from simulation.memory.due import MemoryDue
from simulation.memory.gates import MemoryGates
from simulation.memory.insight import MemoryInsight
from simulation.memory.launch import MemoryLaunch
from simulation.memory.link import Link
from simulation.memory.mint import MemoryMint
from simulation.memory.retention import MemoryRetention
from simulation.memory.schedules import MemorySchedules
from simulation.memory.sessions import MemorySessions
from simulation.memory.settle import MemorySettle
from simulation.memory.submit import MemorySubmit
from simulation.memory.tables import Tables


def memory_stores(tables: Tables, link: Link, places: Placement) -> Stores:
    """Every port, over one link."""
    return Stores(
        submit=MemorySubmit(tables, link),
        due=MemoryDue(tables, link),
        launch=MemoryLaunch(tables, link),
        settle=MemorySettle(tables, link),
        mint=MemoryMint(tables, link),
        control=MemoryControl(tables, link),
        dead=MemoryDead(tables, link),
        insight=MemoryInsight(tables, link),
        accounts=MemoryAccounts(tables, link),
        sessions=MemorySessions(),
        activity=MemoryActivity(),
        gates=MemoryGates(tables, link),
        schedules=MemorySchedules(tables, link),
        calendars=MemoryCalendars(tables),
        retention=MemoryRetention(tables),
        placement=places,
    )
