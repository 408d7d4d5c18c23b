// Changing a job that has not started, or a dead letter before it is sent again: only what was changed is sent.
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import type { Job } from "../../api/types";
import { inputValue } from "../../format/instants";
import { bodyLike } from "../../format/targets";
import { zoneNow } from "../../settings";
import { draftOf } from "../jobs/draft";
import { JobDialog } from "../jobs/JobDialog";

export function EditJob({ job, onClose }: { job: Job; onClose: () => void }) {
  const dead = job.status === "dead";
  const path = dead ? `me/dead-letters/${job.id}/redrive` : `me/jobs/${job.id}`;
  const { draft, hidden } = draftOf(bodyLike(job));
  const first = dead ? { ...draft, when: "now" as const } : { ...draft, when: "at" as const, at: inputValue(Date.parse(job.execute_at), zoneNow()) };
  const save = useAction((body: Record<string, unknown>) => send(dead ? "POST" : "PATCH", path, body), {
    inPlace: true, say: () => (dead ? "Changed, and sent again." : "Changed."), onDone: onClose,
  });
  return (
    <JobDialog
      title={dead ? `Edit dead letter ${job.id} and send it again` : `Edit job ${job.id}`}
      verb={dead ? "Send again" : "Save changes"}
      first={first}
      note={hidden.length ? `Kept as it is unless you change the target: ${hidden.join(", ")}. A changed target needs it again.` : undefined}
      method={dead ? "POST" : "PATCH"}
      path={`/api/v1/${path}`}
      without={dead ? ["when", "lane", "labels"] : ["lane", "labels"]}
      part={changes}
      busy={save.isPending}
      error={save.error}
      onSubmit={(body) => save.mutate(body)}
      onClose={onClose}
    />
  );
}

/** The fields that differ. */
export function changes(body: Record<string, unknown>, first: Record<string, unknown>): Record<string, unknown> {
  const fixed = ["ordering_key", "labels"];
  return Object.fromEntries(Object.entries(body).filter(([name, value]) => !fixed.includes(name) && JSON.stringify(value) !== JSON.stringify(first[name])));
}
