"""The whole store on one PostgreSQL database."""

from __future__ import annotations

from duetime.postgres.pool import Pool
from duetime.store.placement import SingleDatabase
from duetime.store.postgres.accounts import PostgresAccounts
from duetime.store.postgres.activity import PostgresActivity
from duetime.store.postgres.artifacts import PostgresArtifacts
from duetime.store.postgres.audit import PostgresAudit
from duetime.store.postgres.calendars import PostgresCalendars
from duetime.store.postgres.control import PostgresControl
from duetime.store.postgres.dead import PostgresDead
from duetime.store.postgres.due import PostgresDue
from duetime.store.postgres.enqueued import PostgresEnqueued
from duetime.store.postgres.fence import held_still
from duetime.store.postgres.files import PostgresFiles
from duetime.store.postgres.gates import PostgresGates
from duetime.store.postgres.injection import PostgresInjection
from duetime.store.postgres.insight import PostgresInsight
from duetime.store.postgres.launch import PostgresLaunch
from duetime.store.postgres.logs import PostgresLogs
from duetime.store.postgres.mint import PostgresMint
from duetime.store.postgres.notifications import PostgresNotifications
from duetime.store.postgres.offers import PostgresOffers
from duetime.store.postgres.outbox import PostgresOutbox
from duetime.store.postgres.placed import PlacedSubmit
from duetime.store.postgres.retention import PostgresRetention
from duetime.store.postgres.schedules import PostgresSchedules
from duetime.store.postgres.sessions import PostgresSessions
from duetime.store.postgres.settle import PostgresSettle
from duetime.store.postgres.signals import PostgresSignals
from duetime.store.postgres.submit import PostgresSubmit
from duetime.store.postgres.worker_insight import PostgresWorkerInsight
from duetime.store.postgres.workers import PostgresWorkers
from duetime.store.postgres.workflows import PostgresWorkflows
from duetime.store.stores import Stores


def postgres_stores(pool: Pool) -> Stores:
    """Returns every port over one pool: the whole store in one database."""
    return Stores(
        submit=PostgresSubmit(pool),
        due=PostgresDue(pool),
        launch=PostgresLaunch(pool),
        settle=PostgresSettle(pool),
        mint=PostgresMint(pool),
        control=PostgresControl(pool),
        dead=PostgresDead(pool),
        insight=PostgresInsight(pool),
        accounts=PostgresAccounts(pool),
        sessions=PostgresSessions(pool),
        activity=PostgresActivity(pool),
        gates=PostgresGates(pool),
        schedules=PostgresSchedules(pool),
        calendars=PostgresCalendars(pool),
        retention=PostgresRetention(pool),
        placement=SingleDatabase(),
        offers=PostgresOffers(pool),
        outbox=PostgresOutbox(pool),
        workers=PostgresWorkers(pool),
        worker_insight=PostgresWorkerInsight(pool),
        signals=PostgresSignals(pool),
        enqueued=PostgresEnqueued(pool),
        injection=PostgresInjection(pool),
        files=PostgresFiles(pool),
        notifications=PostgresNotifications(pool),
        audit=PostgresAudit(pool),
        logs=PostgresLogs(pool),
        artifacts=PostgresArtifacts(pool),
        workflows=PostgresWorkflows(pool),
    )


def placed_stores(pool: Pool, submit: PlacedSubmit) -> Stores:
    """Returns every port over one database of several. Verbs that add jobs first check that the shards are here."""
    return postgres_stores(pool)._replace(
        submit=submit,
        schedules=PostgresSchedules(pool, held_still),
        dead=PostgresDead(pool, held_still),
        workflows=PostgresWorkflows(pool, held_still),
    )
