// Why a job does not run yet, in words: what holds it first, then what is clear.
import { Link } from "@tanstack/react-router";
import type { Job, Waiting } from "../../api/types";
import type { Shape } from "../../format/states";
import { span } from "../../format/durations";
import { useNow } from "../../now";
import { Band, Head } from "../../parts/Sheet";
import { Mark } from "../../parts/State";
import { Ago, At, Since } from "../../parts/Time";
import css from "./job.module.css";

const NAMES: Partial<Record<Waiting["kind"], [string, Shape]>> = {
  instant: ["Instant", "wait"], retry: ["Backoff", "wait"], hours: ["Hours", "wait"], lane: ["Lane", "blocked"], breaker: ["Breaker", "breaker"],
  definition_limit: ["Limit", "wait"], user_limit: ["Your limit", "wait"], labels: ["Labels", "label"], executor: ["Executor", "label"],
  slots: ["Slots", "wait"], worker: ["Worker", "label"], owner: ["Owner", "dead"], not_known: ["Not known", "missed"],
};

export function WhyNotYet({ job }: { job: Job }) {
  const now = useNow();
  const holds = job.waiting_for;
  if (job.status === "running" || job.status === "queued") return null;
  const past = now - Date.parse(job.due_at);
  const clear = [
    past >= 0 && !holds.some((one) => ["instant", "retry", "hours"].includes(one.kind)) ? ["Instant", `due for ${span(past)}`] : null,
    job.ordering_key && past >= 0 && !holds.some((one) => one.kind === "lane") ? ["Lane", `first in ${job.ordering_key}`] : null,
    !job.ordering_key ? ["Lane", "in no lane"] : null,
    job.hours && !holds.some((one) => one.kind === "hours") ? ["Hours", `${job.hours.window}, ${job.hours.zone}`] : null,
    Object.keys(job.requires).length === 0 ? ["Labels", job.target.kind === "queue" ? `any worker of the queue ${job.target.queue}` : "any executor"] : holds.some((one) => one.kind === "labels") ? null : ["Labels", Object.entries(job.requires).map(([name, value]) => `${name}=${value}`).join(", ")],
  ].filter((one): one is [string, string] => one !== null);
  return (
    <Band label="Why not yet">
      <Head title="Why not yet">
        {holds.length === 0 ? "Nothing is known to hold it: it should start at once." : holds.length === 1 ? "One thing holds it. It runs when every line is clear." : `${holds.length} things hold it. It runs when every line is clear.`}
      </Head>
      <ul className={css.holds}>
        {holds.map((one, i) => {
          const [name, shape] = NAMES[one.kind] ?? [one.kind, "wait"];
          return (
            <li key={i} className={css.holding}>
              <Mark shape={shape} />
              <b className={shape}>{name}</b>
              <span>
                {one.message}
                {one.job_id && <> <Link className="link" to="/jobs/$id" params={{ id: String(one.job_id) }}>Open it</Link></>}
                {one.kind === "worker" && <> <Link className="link" to="/workers">Workers</Link></>}
                {one.until && <> Until <At at={one.until} />, <Ago at={one.until} />.</>}
                {one.since && <> For <Since at={one.since} />.</>}
                {one.host && <> <Link className="link" to="/jobs" search={{ host: one.host, state: "created" }}>Jobs that call it</Link></>}
              </span>
            </li>
          );
        })}
        {clear.map(([name, text]) => (
          <li key={name}>
            <Mark shape="yes" />
            <span className="q">{name}</span>
            <span>{text}</span>
          </li>
        ))}
      </ul>
    </Band>
  );
}
