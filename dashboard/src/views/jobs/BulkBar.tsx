// What can be done with the selection, or with all that match: a count first, and the filter always obeyed.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { MOUNT, send, sendPage } from "../../api/client";
import { jobCount } from "../../api/queries";
import type { Job } from "../../api/types";
import { capped, count, plural } from "../../format/numbers";
import { curl } from "../../format/targets";
import { now as present } from "../../now";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Confirm } from "../../parts/Dialog";
import { Field, Input } from "../../parts/Field";
import { useZone } from "../../settings";
import { cancelFilter, FILTERS, NAMES, queryOf, valueWords, type JobsSearch } from "./filter";
import css from "./jobs.module.css";

export interface Selection {
  ids: ReadonlySet<number>;
  /** All that match the filter, beyond what is loaded. */
  all: boolean;
}

interface Props {
  rows: Job[];
  selection: Selection;
  search: JobsSearch;
  onClear: () => void;
}

const OPEN = ["created", "queued", "running"];
/** From this number on, a person types it. */
const TYPED = 1000;
const AT_ONCE = 1000;

export function BulkBar({ rows, selection, search, onClear }: Props) {
  const [cancelling, setCancelling] = useState(false);
  const chosen = rows.filter((job) => selection.ids.has(job.id));
  const dead = chosen.filter((job) => job.status === "dead");
  const waiting = chosen.filter((job) => job.status === "created");
  const open = chosen.filter((job) => OPEN.includes(job.status));
  const redrive = useAction((ids: number[]) => send<{ count: number }>("POST", "me/dead-letters/redrive", { ids }), {
    say: (answer) => `${plural(answer.count, "dead letter")} ${answer.count === 1 ? "goes" : "go"} again.`, onDone: onClear,
  });
  const runNow = useAction((ids: number[]) => inTurns(ids, (id) => send("POST", `me/jobs/${id}/run-now`)), {
    say: (answer) => `${plural(answer.length, "job")} due at once.`, onDone: onClear,
  });
  if (!selection.all && selection.ids.size === 0) return null;
  return (
    <>
      <div className={css.bulk} role="toolbar" aria-label="Selected jobs">
        <b>{selection.all ? "All that match" : `${count(selection.ids.size)} selected`}</b>
        {!selection.all && <span className="q">{mix(chosen)}</span>}
        {waiting.length > 0 && <Button disabled={runNow.isPending} onClick={() => runNow.mutate(waiting.map((job) => job.id))}>Run {count(waiting.length)} now</Button>}
        {dead.length > 0 && <Button disabled={redrive.isPending} onClick={() => redrive.mutate(dead.map((job) => job.id))}>Send {count(dead.length)} again</Button>}
        {(selection.all || open.length > 0) && <Button look="risk" onClick={() => setCancelling(true)}>Cancel…</Button>}
        <Button look="plain" onClick={onClear}>Clear</Button>
      </div>
      {cancelling && <CancelMany ids={selection.all ? null : open.map((job) => job.id)} search={search} onClose={() => setCancelling(false)} onDone={onClear} />}
    </>
  );
}

/** The dangerous dialog: how many, by state, under which filter, and what is not touched. */
function CancelMany({ ids, search, onClose, onDone }: { ids: number[] | null; search: JobsSearch; onClose: () => void; onDone: () => void }) {
  // The filter is fixed when the dialog opens: the count and the call mean the same jobs.
  const [at] = useState(() => present());
  const [typed, setTyped] = useState("");
  const [progress, setProgress] = useState(0);
  const zone = useZone();
  const counted = useQuery({ ...jobCount(queryOf(search, at), ids === null), refetchInterval: 10_000 });
  const by = counted.data?.by_status ?? {};
  const total = ids ? ids.length : (by.created ?? 0) + (by.queued ?? 0) + (by.running ?? 0);
  const body = ids ? { ids } : { filter: cancelFilter(search, at) };
  const cancel = useAction(
    async () => {
      let cursor: string | null = null;
      let done = 0;
      for (let from = 0; ; from += AT_ONCE) {
        const part: Record<string, unknown> = ids ? { ids: ids.slice(from, from + AT_ONCE) } : { ...body, limit: AT_ONCE, ...(cursor ? { cursor } : {}) };
        const answer: { data: { count: number }; next: string | null } = await sendPage("me/jobs/cancel", part);
        done += answer.data.count;
        setProgress(done);
        cursor = answer.next;
        if (ids ? from + AT_ONCE >= ids.length : cursor === null) return done;
      }
    },
    { inPlace: true, say: (done) => `${plural(done, "job")} cancelled or asked to stop.`, onDone: () => { onDone(); onClose(); } },
  );
  const cut = counted.data?.capped ?? false;
  const name = cut ? `${capped(total)} jobs` : plural(total, "job");
  const known = ids !== null || counted.data !== undefined;
  const sure = total < TYPED || typed.replaceAll(/\D/g, "") === String(total);
  return (
    <Confirm
      title={ids ? "Cancel the selected jobs?" : "Cancel all jobs that match?"}
      verb={cancel.isPending ? `${count(progress)} cancelled…` : `Cancel ${name}`}
      keep="Keep them"
      busy={cancel.isPending}
      disabled={!known || total === 0 || !sure}
      error={cancel.error?.message}
      onClose={onClose}
      onConfirm={() => cancel.mutate(undefined)}
      extra={<Button look="plain" onClick={() => void copy(curl(MOUNT.href, "POST", "/api/v1/me/jobs/cancel", { ...body, dry_run: true }), "Copied; it counts only, until you remove dry_run.")}>Copy as curl</Button>}
    >
      <p className={css.counted}>
        <b>{known ? (cut ? capped(total) : count(total)) : "…"}</b>
        <span className="q small">{total === 1 ? "job" : "jobs"} would be cancelled</span>
      </p>
      {ids === null && (
        <div className={css.tokenLine}>
          {FILTERS.filter((one) => search[one]).map((one) => (
            <span key={one} className={css.token}><span className={css.key}>{NAMES[one]}</span><span className="cut">{valueWords(one, search[one]!, at, zone)}</span></span>
          ))}
          {FILTERS.every((one) => !search[one]) && <span className={css.token}><span>no filter: all your jobs</span></span>}
        </div>
      )}
      {ids === null && counted.data && (
        <ul className={css.rows}>
          <li><span className="num">{count((by.created ?? 0) + (by.queued ?? 0))}</span><span className="q">waiting or queued: cancelled at once</span></li>
          <li><span className="num">{count(by.running ?? 0)}</span><span className="q">running: asked to stop</span></li>
        </ul>
      )}
      <p className="small">This cannot be undone. Jobs that have ended stay as they are; jobs that are created later are not touched. A schedule goes on: pause it to stop it.</p>
      {total >= TYPED && (
        <Field label={`Type ${total} to confirm`}><Input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} /></Field>
      )}
    </Confirm>
  );
}

function mix(jobs: Job[]): string {
  const by = new Map<string, number>();
  for (const job of jobs) by.set(job.status, (by.get(job.status) ?? 0) + 1);
  const words: Record<string, string> = { created: "waiting" };
  return [...by].map(([state, n]) => `${count(n)} ${words[state] ?? state}`).join(", ");
}

/** Several calls, five at a time. */
async function inTurns<T>(ids: number[], act: (id: number) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (let i = 0; i < ids.length; i += 5) done.push(...(await Promise.all(ids.slice(i, i + 5).map(act))));
  return done;
}
