"""Pushing, showing and removing artifacts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from duetime.api.artifacts.bodies import CompleteBody, PushBody, RemoveQuery, UploadQuery
from duetime.api.artifacts.views import (
    ArtifactView,
    PushedView,
    RemovedView,
    StoredView,
    UploadView,
    VersionView,
    artifact_view,
    version_view,
)
from duetime.api.server.body import read_parts
from duetime.api.server.route import Call, Route
from duetime.engine.asking.artifacts import Artifacts
from duetime.model.artifact import NewVersion
from duetime.model.errors import Conflict, Invalid, NotFound, NotYetActive, OverLimit, TooLarge

TAG: Final = "artifacts"


def _artifacts(call: Call[Any, Any]) -> Artifacts:
    found = call.services.artifacts
    if found is None:
        raise NotYetActive("This server keeps no artifacts.")
    return found


def _version(body: PushBody) -> NewVersion:
    return NewVersion(body.name, body.digest, body.size, body.filename, body.unpack)


async def push_artifact(call: Call[PushBody, None]) -> PushedView:
    """Begins a push."""
    begun = await _artifacts(call).begin(call.user.id, _version(call.body), call.user.id)
    upload, request = begun.upload, begun.request
    if upload is None:
        return PushedView(None if begun.version is None else version_view(begun.version), None)
    url = call.parts.signed_uploads.path(upload) if request is None else request.url
    headers = {} if request is None else request.headers
    return PushedView(None, UploadView(upload.content, "PUT", url, headers, upload.expires_at))


async def upload_artifact(call: Call[None, UploadQuery]) -> StoredView:
    """Stores a content while it comes."""
    query = call.query
    signed = call.parts.signed_uploads
    upload = signed.read(call.key, query.digest, query.size, query.expires, query.signature)
    if upload is None:
        raise NotFound("This is not the address of an upload: push again.")
    await _artifacts(call).write(upload, _content(call, upload.size))
    return StoredView(upload.size)


async def _content(call: Call[None, UploadQuery], size: int) -> AsyncIterator[bytes]:
    async for part, _ in read_parts({"headers": call.headers}, call.receive, size):
        if part:
            yield part


async def complete_artifact(call: Call[CompleteBody, None]) -> VersionView:
    """Makes a version of an upload."""
    body = call.body
    return version_view(await _artifacts(call).complete(call.user.id, body.upload, _version(body), call.user.id))


async def list_artifacts(call: Call[None, None]) -> list[ArtifactView]:
    """The user's artifacts."""
    return [artifact_view(one) for one in await _artifacts(call).list(call.user.id)]


async def show_artifact(call: Call[None, None]) -> list[VersionView]:
    """The versions of an artifact."""
    return [version_view(one) for one in await _artifacts(call).versions(call.user.id, call.key)]


async def remove_artifact(call: Call[None, RemoveQuery]) -> RemovedView:
    """Removes versions."""
    try:
        removed = await _artifacts(call).remove(call.user.id, call.key, call.user.id, force=call.query.force)
    except Invalid:
        raise NotFound(f"There is no artifact '{call.key[:80]}'.") from None
    return RemovedView(removed)


ROUTES = (
    Route(
        "POST",
        "/api/v1/me/artifacts",
        push_artifact,
        "Push an artifact",
        body=PushBody,
        answer=PushedView,
        status=201,
        tag=TAG,
        errors=(TooLarge, OverLimit),
        description="If you have this content already, it is a version of the name at once. Else send the content to "
        "`upload.url`, and then complete the push.",
        example={"name": "nightly", "digest": f"sha256:{'0' * 64}", "size": 4096, "filename": "job.py"},
    ),
    Route(
        "PUT",
        "/api/v1/artifacts/uploads/{key}",
        upload_artifact,
        "Upload a content",
        query=UploadQuery,
        answer=StoredView,
        auth="none",
        tag=TAG,
        errors=(NotFound, TooLarge),
        streams=True,
        description="The address, which is signed and expires, is the permission. The body is the content.",
    ),
    Route(
        "POST",
        "/api/v1/me/artifacts/complete",
        complete_artifact,
        "Complete a push",
        body=CompleteBody,
        answer=VersionView,
        status=201,
        tag=TAG,
        errors=(NotFound,),
        description="Checks the content that was uploaded, and makes it the latest version. A repeat is harmless.",
        example={"upload": "1/00-aa", "name": "nightly", "digest": f"sha256:{'0' * 64}", "size": 4096},
    ),
    Route("GET", "/api/v1/me/artifacts", list_artifacts, "List your artifacts", answer=list[ArtifactView], tag=TAG),
    Route(
        "GET",
        "/api/v1/me/artifacts/{key}",
        show_artifact,
        "Show the versions of an artifact",
        answer=list[VersionView],
        tag=TAG,
        errors=(NotFound,),
        description="The latest first.",
    ),
    Route(
        "DELETE",
        "/api/v1/me/artifacts/{key}",
        remove_artifact,
        "Remove versions of an artifact",
        query=RemoveQuery,
        answer=RemovedView,
        tag=TAG,
        errors=(NotFound, Conflict),
        description="`nightly` removes all versions, `nightly@sha256:…` and `nightly@latest` one. What jobs or "
        "schedules name is not removed without `force`.",
    ),
)
