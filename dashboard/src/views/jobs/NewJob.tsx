import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { job } from "../../api/queries";
import type { Job } from "../../api/types";
import { bodyLike } from "../../format/targets";
import { draftOf, EMPTY } from "./draft";
import { JobDialog } from "./JobDialog";

/** Creates a job, empty or like another. */
export function NewJob({ like, onClose }: { like?: string | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const model = useQuery({ ...job(like ?? ""), enabled: !!like, refetchInterval: false });
  const create = useAction((body: Record<string, unknown>) => send<Job>("POST", "me/jobs", body), {
    inPlace: true,
    say: (made) => `Job ${made.id} is created.`,
    onDone: (made) => void navigate({ to: "/jobs/$id", params: { id: String(made.id) } }),
  });
  if (like && !model.data) return null;
  const { draft, hidden } = model.data ? draftOf(bodyLike(model.data)) : { draft: EMPTY, hidden: [] };
  return (
    <JobDialog
      title={like ? `New job like ${like}` : "New job"}
      verb="Create job"
      first={draft}
      note={hidden.length ? `Not copied, because the server does not show it: ${hidden.join(", ")}.` : undefined}
      method="POST"
      path="/api/v1/me/jobs"
      busy={create.isPending}
      error={create.error}
      onSubmit={(body) => create.mutate(body)}
      onClose={onClose}
    />
  );
}
