"""Workflows of several cells. A workflow lives in one shard, so each is in one cell as a whole."""

from __future__ import annotations

from duetime.cells.cell import Cell
from duetime.cells.cells import Cells
from duetime.cells.placement import CellRotation
from duetime.engine.intake.quota import Quota
from duetime.engine.workflows.workflows import CreatedWorkflow, SentSignal, Workflows, key_shard
from duetime.model.errors import Elsewhere, NotFound
from duetime.model.ids import shard_of
from duetime.model.workflow import NewWorkflow, Outline, Workflow, WorkflowState

TRIES = 3
"""A shard can move while a workflow is being stored in it. Each try chooses the cell again."""


class CellsWorkflows:
    """Routes what the engine's `Workflows` does."""

    def __init__(self, cells: Cells, quota: Quota) -> None:
        self._cells, self._quota, self._rotation = cells, quota, CellRotation(cells)

    async def create(self, workflow: NewWorkflow) -> CreatedWorkflow:
        """Accept a workflow."""
        for _ in range(TRIES):
            pins = await self._quota.read_pins(workflow.user_id)
            shard = key_shard(workflow, pins)
            if shard is not None:
                self._cells.refuse_closed([shard])
            cell = self._rotation.next(pins) if shard is None else self._cells.of(shard)
            try:
                return await cell.run(lambda at=cell: _of(at).create(workflow))
            except Elsewhere:
                await self._cells.look_again()
        raise Elsewhere

    async def list(
        self, user_id: int, before_id: int | None, limit: int, state: WorkflowState | None, name: str | None
    ) -> list[Workflow]:
        """Returns workflows, newest first."""
        pages = await self._cells.each_of(lambda cell: _of(cell).list(user_id, before_id, limit, state, name))
        found = {one.id: one for _, page in pages for one in page}
        return [found[one] for one in sorted(found, reverse=True)[:limit]]

    async def show(self, user_id: int, workflow_id: int) -> Outline:
        """Returns a workflow with its steps."""

        async def look(cell: Cell) -> Outline | None:
            try:
                return await _of(cell).show(user_id, workflow_id)
            except NotFound:
                return None

        found = await self._cells.first(look, self._cells.of_job(workflow_id))
        if found is None:
            raise NotFound(f"There is no workflow {workflow_id}.")
        return found

    async def cancel(self, user_id: int, workflow_id: int, actor: int) -> Outline:
        """Cancel a workflow."""
        self._cells.refuse_closed([shard_of(workflow_id)])
        cell = self._cells.of_job(workflow_id)
        return await cell.run(lambda: _of(cell).cancel(user_id, workflow_id, actor))

    async def signal(self, user_id: int, workflow_id: int, name: str, key: str, payload: str, actor: int) -> SentSignal:
        """Send a signal to a workflow."""
        self._cells.refuse_closed([shard_of(workflow_id)])
        cell = self._cells.of_job(workflow_id)
        return await cell.run(lambda: _of(cell).signal(user_id, workflow_id, name, key, payload, actor))


def _of(cell: Cell) -> Workflows:
    workflows = cell.services.workflows
    if workflows is None:
        raise Elsewhere
    return workflows
