// One job: what, when, why not yet, its attempts and their answers, and what can be done.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { job as jobQuery, runs as runsQuery } from "../../api/queries";
import type { Job, JobDetail, Run } from "../../api/types";
import { bytes } from "../../format/numbers";
import { ended, shapeOf, wordOf } from "../../format/states";
import { asText, does } from "../../format/targets";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Bones, Trouble } from "../../parts/Feedback";
import { Band, Code, Columns, Head, Title } from "../../parts/Sheet";
import { Mark, RunState } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, At, Lateness } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { Actions } from "./Actions";
import { Answer } from "./Answer";
import { Details, InLane } from "./Details";
import { Log } from "./Log";
import { Timeline } from "./Timeline";
import { WhyNotYet } from "./WhyNotYet";
import css from "./job.module.css";

export function JobPage() {
  const { id } = useParams({ from: "/jobs/$id" });
  useCrumbs([{ name: "Jobs", to: "/jobs" }, id]);
  const job = useQuery(jobQuery(id));
  const runs = useQuery(runsQuery(id));
  if (!job.data) return job.error ? <Trouble error={job.error} retry={job.refetch} /> : <Bones />;
  return <Shown job={job.data} runs={runs.data ?? []} />;
}

function Shown({ job, runs }: { job: JobDetail; runs: Run[] }) {
  const { attempt } = useSearch({ from: "/jobs/$id" });
  const chosen = runs.find((run) => String(run.attempt) === attempt) ?? runs.at(-1);
  const what = does(job.target, job.message);
  const message = asText(job.message);
  return (
    <>
      <Title
        mark={<Mark shape={shapeOf(job.status, job.attempts)} size={20} />}
        name={<>{what.verb} {what.what.length > 120 ? `${what.what.slice(0, 118)}…` : what.what}</>}
        actions={<Actions job={job} />}
      >
        <Sentence job={job} />
      </Title>
      {!ended(job.status) && <WhyNotYet job={job} />}
      <Columns shape="wideLeft" fill>
        <div className={css.left}>
          <Band pad={false}>
            <div className={css.attempts}>
              <Head title="Attempts" action={<span className="q">a tick is the due instant, the bar is the run</span>}>{job.attempts} of {job.retry.max_attempts ?? 1} used</Head>
              <Timeline job={job} runs={runs} />
            </div>
            <Attempts job={job} runs={runs} chosen={chosen} />
          </Band>
          {chosen && (
            <Columns shape="even" fill>
              <Answer job={job} run={chosen} />
              <Log job={job} run={chosen} />
            </Columns>
          )}
        </div>
        <aside className={css.aside}>
          <Details job={job} />
          {job.ordering_key && <InLane job={job} />}
          <section>
            <Head title="Message" action={<Button look="plain" onClick={() => void copy(message, "Message copied.")}>Copy</Button>}>{bytes(new TextEncoder().encode(message).length)}</Head>
            {message ? <Code label="Message">{message}</Code> : <p className="small q">It is empty.</p>}
          </section>
        </aside>
      </Columns>
    </>
  );
}

function Sentence({ job }: { job: Job }) {
  const state = <span className={shapeOf(job.status, job.attempts)} title={`state ${job.status}`}>{wordOf(job.status, job.attempts)}</span>;
  const open = !ended(job.status);
  return (
    <>
      {state}
      {open && job.status === "created" && job.attempts > 0 && <>, attempt {job.attempts + 1} of {job.retry.max_attempts} <Ago at={job.due_at} />, at <At at={job.due_at} />.</>}
      {open && job.status === "created" && job.attempts === 0 && <>, due <Ago at={job.due_at} />, at <At at={job.due_at} />.</>}
      {job.status === "running" && <>, {job.cancel_requested ? "asked to stop, " : ""}due <Ago at={job.due_at} />.</>}
      {!open && <>{job.finished_at && <> <Ago at={job.finished_at} />, at <At at={job.finished_at} /></>}{job.reason ? `: ${job.reason.replace(/\.$/, "")}` : ""}.</>}
      {job.late && " Its instant had passed when it was created."} Job <span className="mono">{job.id}</span>
      {job.schedule_id && <> of schedule <Link className="link" to="/schedules/$id" params={{ id: String(job.schedule_id) }}>{job.schedule_id}</Link></>}.
    </>
  );
}

function Attempts({ job, runs, chosen }: { job: Job; runs: Run[]; chosen: Run | undefined }) {
  const navigate = useNavigate();
  const open = (attempt: number) => void navigate({ to: "/jobs/$id", params: { id: String(job.id) }, search: { attempt: String(attempt) }, replace: true });
  const next = job.status === "created" && !job.finished_at;
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Attempts">
      <table className={table.table}>
        <thead>
          <tr><th className="num">#</th><th>Outcome</th><th>Due</th><th className="num">Lateness</th><th className="num">Took</th><th>Executor</th><th>Answer or error</th></tr>
        </thead>
        <tbody>
          {next && (
            <tr className="qq">
              <td className="num">{job.attempts + 1}</td><td>Planned</td><td><At at={job.due_at} /></td><td className="num">–</td><td className="num">–</td><td>–</td><td><Ago at={job.due_at} /></td>
            </tr>
          )}
          {runs.toReversed().map((run) => (
            <tr key={run.attempt} aria-selected={run.attempt === chosen?.attempt} className={run.attempt === chosen?.attempt ? table.cursor : ""}>
              <td className="num">{run.attempt}</td>
              <td><button type="button" className={table.pick} onClick={() => open(run.attempt)}><RunState state={run.state} /><span className="sr">: show attempt {run.attempt}</span></button></td>
              <td><At at={run.due_at} /></td>
              <td className="num"><Lateness value={run.lateness_ms} /></td>
              <td className="num">{run.duration_ms === null ? (run.started_at && !run.finished_at ? <Running since={run.started_at} /> : "–") : <Took ms={run.duration_ms} />}</td>
              <td className="q">{run.executor ?? "–"}</td>
              <td className={table.wrap}>{run.error ? `${run.error.kind}: ${run.error.message}` : run.response && "status" in run.response ? String(run.response.status) : ""}</td>
            </tr>
          ))}
          {!next && runs.length === 0 && <tr><td colSpan={7} className="q">No attempt was made.</td></tr>}
        </tbody>
      </table>
    </div>
  );
}

function Took({ ms }: { ms: number }) {
  return <Lateness value={ms} budget={Infinity} />;
}

function Running({ since }: { since: string }) {
  return <span className="running"><Ago at={since} /></span>;
}
