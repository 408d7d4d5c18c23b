// The log of one attempt. That of a worker or a program is read while it grows, and follows its end.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { runLog } from "../../api/queries";
import type { Job, Run } from "../../api/types";
import { lateness } from "../../format/durations";
import { shownLine } from "../../format/logs";
import { count } from "../../format/numbers";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Head } from "../../parts/Sheet";
import sheet from "../../parts/sheet.module.css";
import { useKeys } from "../../shell/keys";

/** How many lines are shown at first, and how many more at a time. */
const SHOWN = 1000;

export function Log({ job, run }: { job: Job; run: Run }) {
  // Runs of workers and programs have logs of their own, read line by line.
  if (job.target.kind === "queue" || job.target.kind === "shell") return <Tail key={run.attempt} job={job} run={run} />;
  return <Shown run={run} lines={run.log === null ? [] : run.log.split("\n")} />;
}

function Tail({ job, run }: { job: Job; run: Run }) {
  const live = !run.finished_at;
  const log = useQuery(runLog(job.id, run.attempt, live));
  const { refetch } = log;
  // Lines that arrived between the last look and the end.
  useEffect(() => {
    if (!live) void refetch();
  }, [live, refetch]);
  return <Shown run={run} lines={log.data ?? []} live={live} loading={log.isPending} />;
}

function Shown({ run, lines, live = false, loading = false }: { run: Run; lines: string[]; live?: boolean; loading?: boolean }) {
  const box = useRef<HTMLPreElement>(null);
  const [follows, follow] = useState(true);
  const [most, setMost] = useState(SHOWN);
  useLayoutEffect(() => {
    if (live && follows && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.length, live, follows]);
  useKeys(live ? { f: () => follow(!follows) } : {});
  const took = run.started_at && run.finished_at ? lateness(Date.parse(run.finished_at) - Date.parse(run.started_at)) : "";
  const hidden = Math.max(0, lines.length - most);
  return (
    <section>
      <Head
        title="Log"
        action={lines.length > 0 && (
          <>
            {live && <Button look="plain" hotkey="f" aria-pressed={follows} onClick={() => follow(!follows)}>{follows ? "Following" : "Follow"}</Button>}
            <Button look="plain" onClick={() => void copy(lines.join("\n"), "Log copied.")}>Copy</Button>
          </>
        )}
      >
        attempt {run.attempt}{live ? ", still running" : took && `, ended after ${took}`}
      </Head>
      {lines.length === 0 ? (
        <p className="small q">{loading ? "" : live ? "It has written nothing yet." : "This attempt wrote no log."}</p>
      ) : (
        <>
          {hidden > 0 && <p className="small q">{count(hidden)} earlier lines. <Button look="plain" onClick={() => setMost(most + SHOWN)}>Show {count(Math.min(hidden, SHOWN))} more</Button></p>}
          <pre
            ref={box}
            className={sheet.code}
            tabIndex={0}
            aria-label="Log"
            onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => live && follow(scrollHeight - scrollTop - clientHeight < 24)}
          >
            {lines.slice(hidden).map(shownLine).join("\n")}
          </pre>
        </>
      )}
    </section>
  );
}
