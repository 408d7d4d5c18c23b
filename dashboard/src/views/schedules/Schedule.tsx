// One schedule: edited beside its preview, with the history of its instants below.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { ApiError, send } from "../../api/client";
import { schedule as scheduleQuery } from "../../api/queries";
import type { Job, Schedule } from "../../api/types";
import { count } from "../../format/numbers";
import { Button, LinkButton, Tag } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { Bones, Trouble } from "../../parts/Feedback";
import { Band, Title } from "../../parts/Sheet";
import { Ago, At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { useKeys } from "../../shell/keys";
import { Backfill } from "./Backfill";
import { changesOf, draftOf, wrong, type ScheduleDraft } from "./draft";
import { Editor } from "./Editor";
import { History } from "./History";

export function SchedulePage() {
  const { id } = useParams({ from: "/schedules/$id" });
  const one = useQuery(scheduleQuery(id));
  useCrumbs([{ name: "Schedules", to: "/schedules" }, one.data?.name ?? id]);
  if (!one.data) return one.error ? <Trouble error={one.error} retry={one.refetch} /> : <Bones />;
  return <Shown key={one.data.id} one={one.data} />;
}

function Shown({ one }: { one: Schedule }) {
  // While a person edits, the form keeps what was read when the edit began.
  const [edit, setEdit] = useState<{ first: ScheduleDraft; draft: ScheduleDraft } | null>(null);
  const [shown, show] = useState<"backfill" | "delete" | null>(null);
  const navigate = useNavigate();
  const path = `me/schedules/${one.id}`;
  const stored = draftOf(one);
  const draft = edit?.draft ?? stored.draft;
  const changed = edit ? changesOf(edit.draft, edit.first) : {};
  const unsaved = Object.keys(changed).length > 0;
  const act = (verb: "pause" | "resume") => send("POST", `${path}/${verb}`);
  const back = useAction(act);
  const toggle = useAction(act, {
    say: (_, verb) => `${one.name} is ${verb === "pause" ? "paused" : "active"}.`, undo: (_, verb) => () => back.mutate(verb === "pause" ? "resume" : "pause"),
  });
  const runNow = useAction(() => send<Job>("POST", `${path}/run-now`), { say: (job) => `Job ${job.id} is due at once, beside the occurrences.` });
  const save = useAction((body: Record<string, unknown>) => send("PATCH", path, body), { inPlace: true, say: () => "Saved.", onDone: () => setEdit(null) });
  const remove = useAction(() => send("DELETE", path), { inPlace: true, say: () => `${one.name} is deleted.`, onDone: () => void navigate({ to: "/schedules" }) });
  const failure = save.error instanceof ApiError ? save.error : null;
  const errors = { ...wrong(draft), ...(failure?.field ? { [failure.field]: failure.message } : {}) };
  useKeys({ r: () => runNow.mutate(undefined), Escape: () => (unsaved ? undefined : history.back()) });
  return (
    <>
      <Title
        name={one.name}
        tags={<>{one.state === "active" ? <Tag>active</Tag> : <Tag look={one.state === "paused" ? "warn" : "plain"}>{one.state}</Tag>}{unsaved && <Tag look="now">unsaved changes</Tag>}</>}
        actions={
          <>
            <Button hotkey="r" disabled={runNow.isPending} onClick={() => runNow.mutate(undefined)}>Run now</Button>
            <Button onClick={() => show("backfill")}>Backfill…</Button>
            {one.state === "paused" ? <Button disabled={toggle.isPending} onClick={() => toggle.mutate("resume")}>Resume</Button>
              : one.state === "active" && <Button disabled={toggle.isPending} onClick={() => toggle.mutate("pause")}>Pause</Button>}
            <LinkButton to="/schedules/new" search={{ like: String(one.id) }}>Create one like it</LinkButton>
            <Button look="risk" onClick={() => show("delete")}>Delete…</Button>
            {unsaved && <Button look="plain" onClick={() => { setEdit(null); save.reset(); }}>Discard</Button>}
            {unsaved && <Button look="solid" disabled={save.isPending || Object.keys(wrong(draft)).length > 0} onClick={() => save.mutate(changed)}>Save changes</Button>}
          </>
        }
      >
        {one.next ? <>Next <Ago at={one.next.run_at} />, <At at={one.next.run_at} />. </> : one.state === "paused" ? "Paused: nothing is launched until it is resumed. " : "Nothing is to come. "}
        {count(one.occurrences)} launched so far. <Link className="link" to="/jobs" search={{ schedule: String(one.id) }}>Its jobs</Link>
      </Title>
      {failure && <Band><p className="bad small" role="alert">{failure.message}</p></Band>}
      {unsaved && stored.hidden.length > 0 && "target" in changed && <Band><p className="late small">The target is sent whole; not known here, and to be given again: {stored.hidden.join(", ")}.</p></Band>}
      <Editor draft={draft} errors={unsaved ? errors : {}} unsaved={unsaved} onChange={(next) => setEdit({ first: edit?.first ?? stored.draft, draft: next })} />
      <History one={one} onBackfill={() => show("backfill")} />
      {shown === "backfill" && <Backfill one={one} onClose={() => show(null)} />}
      {shown === "delete" && (
        <Confirm title={`Delete ${one.name}?`} verb="Delete this schedule" busy={remove.isPending} error={remove.error?.message} onClose={() => show(null)} onConfirm={() => remove.mutate(undefined)}>
          <p className="small">Its pending occurrence is not launched. Jobs that it launched stay. This cannot be undone; pausing can.</p>
        </Confirm>
      )}
    </>
  );
}
