"""The whole store over several databases."""

from __future__ import annotations

from duetime.clock.port import Clock
from duetime.store.spread.accounts import SpreadAccounts
from duetime.store.spread.calendars import SpreadCalendars
from duetime.store.spread.control import SpreadControl
from duetime.store.spread.dead import SpreadDead
from duetime.store.spread.definitions import DefinitionCopies
from duetime.store.spread.due import SpreadDue
from duetime.store.spread.gates import SpreadGates
from duetime.store.spread.insight import SpreadInsight
from duetime.store.spread.launch import SpreadLaunch
from duetime.store.spread.members import Members
from duetime.store.spread.mint import SpreadMint
from duetime.store.spread.offers import SpreadOffers
from duetime.store.spread.places import SpreadPlaces
from duetime.store.spread.retention import SpreadRetention
from duetime.store.spread.schedules import SpreadSchedules
from duetime.store.spread.settle import SpreadSettle
from duetime.store.spread.submit import SpreadSubmit
from duetime.store.stores import Stores


def spread_stores(members: Members, clock: Clock) -> Stores:
    """Every port, over all databases."""
    copies, places, calendars = DefinitionCopies(members), SpreadPlaces(members), SpreadCalendars(members)
    return Stores(
        submit=SpreadSubmit(members, copies),
        due=SpreadDue(members),
        launch=SpreadLaunch(members),
        settle=SpreadSettle(members),
        mint=SpreadMint(members),
        control=SpreadControl(members, places, copies),
        dead=SpreadDead(members, places),
        insight=SpreadInsight(members),
        accounts=SpreadAccounts(members, clock),
        gates=SpreadGates(members),
        schedules=SpreadSchedules(members, places, copies, calendars),
        calendars=calendars,
        retention=SpreadRetention(members),
        placement=places,
        offers=SpreadOffers(members),
    )
