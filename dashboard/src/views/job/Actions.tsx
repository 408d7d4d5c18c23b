// What can be done with a job in its state.
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { MOUNT, send } from "../../api/client";
import type { Job } from "../../api/types";
import { ended } from "../../format/states";
import { bodyLike, curl } from "../../format/targets";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Confirm } from "../../parts/Dialog";
import { useKeys } from "../../shell/keys";
import { EditJob } from "./EditJob";

export function Actions({ job }: { job: Job }) {
  const [shown, show] = useState<"edit" | "cancel" | "discard" | null>(null);
  const navigate = useNavigate();
  const path = `me/jobs/${job.id}`;
  const runNow = useAction(() => send("POST", `${path}/run-now`), { say: () => "It is due at once." });
  const cancel = useAction(() => send<Job>("POST", `${path}/cancel`), {
    say: (answer) => (answer.status === "cancelled" ? "Cancelled." : "It runs, and was asked to stop."), onDone: () => show(null), inPlace: true,
  });
  const redrive = useAction(() => send("POST", `me/dead-letters/${job.id}/redrive`, {}), { say: () => "It goes again, with all its attempts." });
  const discard = useAction(() => send("POST", "me/dead-letters/discard", { ids: [job.id] }), { say: () => "Given up: it is cancelled now.", onDone: () => show(null), inPlace: true });
  const waiting = job.status === "created";
  const dead = job.status === "dead";
  useKeys({
    r: () => (waiting ? runNow.mutate(undefined) : dead ? redrive.mutate(undefined) : undefined),
    e: () => (waiting || dead) && show("edit"),
    Escape: () => history.back(),
  });
  return (
    <>
      {waiting && <Button look="solid" hotkey="r" disabled={runNow.isPending} onClick={() => runNow.mutate(undefined)}>Run now</Button>}
      {dead && <Button look="solid" hotkey="r" disabled={redrive.isPending} onClick={() => redrive.mutate(undefined)}>Send again</Button>}
      {waiting && <Button hotkey="e" onClick={() => show("edit")}>Edit</Button>}
      {dead && <Button hotkey="e" onClick={() => show("edit")}>Edit and send again</Button>}
      <Button onClick={() => void navigate({ to: "/jobs", search: { like: String(job.id) } })}>Create one like it</Button>
      <Button onClick={() => void copy(curl(MOUNT.href, "POST", "/api/v1/me/jobs", bodyLike(job)), "Copied as a curl command, without its instant.")}>Copy as curl</Button>
      {!ended(job.status) && <Button look="risk" onClick={() => show("cancel")}>Cancel…</Button>}
      {dead && <Button look="risk" onClick={() => show("discard")}>Discard…</Button>}
      {shown === "edit" && <EditJob job={job} onClose={() => show(null)} />}
      {shown === "cancel" && (
        <Confirm title={`Cancel job ${job.id}?`} verb="Cancel this job" busy={cancel.isPending} error={cancel.error?.message} onClose={() => show(null)} onConfirm={() => cancel.mutate(undefined)}>
          <p className="small">{job.status === "running" ? "It runs now: it is asked to stop, and may still finish." : "It will not run. This cannot be undone; create one like it instead."}{job.schedule_id ? " Its schedule goes on with the next instant." : ""}</p>
        </Confirm>
      )}
      {shown === "discard" && (
        <Confirm title={`Discard dead letter ${job.id}?`} verb="Discard 1 dead letter" busy={discard.isPending} error={discard.error?.message} onClose={() => show(null)} onConfirm={() => discard.mutate(undefined)}>
          <p className="small">It becomes cancelled, and is not sent again. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}
