import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { jobs, lane as laneQuery } from "../../api/queries";
import type { Job } from "../../api/types";
import { span } from "../../format/durations";
import { plural } from "../../format/numbers";
import { ended } from "../../format/states";
import { Tag } from "../../parts/Button";
import { Facts, Head } from "../../parts/Sheet";
import { State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";

export function Details({ job }: { job: Job }) {
  const labels = (given: Record<string, string>) => Object.entries(given).map(([name, value]) => <Tag key={name}>{name}={value}</Tag>);
  const { retry } = job;
  return (
    <section>
      <Head title="Details" />
      <Facts
        rows={[
          ["Asked for", <><At at={job.execute_at} /> <span className="q">(<Ago at={job.execute_at} />)</span></>],
          ["Created", <><At at={job.created_at} /> <span className="q">(<Ago at={job.created_at} />)</span></>],
          ["Lane", job.ordering_key ? <><Link className="link" to="/jobs" search={{ lane: job.ordering_key }}>{job.ordering_key}</Link>, on failure: {job.on_failure}</> : <span className="qq">none</span>],
          ["Schedule", job.schedule_id ? <Link className="link" to="/schedules/$id" params={{ id: String(job.schedule_id) }}>{job.schedule_id}</Link> : <span className="qq">none</span>],
          ["Priority", job.priority],
          ["Delivery", job.delivery.replaceAll("_", " ")],
          ["Timeout", span(job.timeout * 1000)],
          ["Retry", retry.max_attempts === 1 ? "none" : `${retry.max_attempts} attempts, ${retry.delays ? `after ${retry.delays.map((s) => span(s * 1000)).join(", ")}` : `${retry.backoff} from ${retry.base} s, at most ${span((retry.cap ?? 0) * 1000)}`}`],
          job.expires_at ? ["Expires", <><At at={job.expires_at} /> <span className="q">(<Ago at={job.expires_at} />)</span></>] : false,
          job.limit ? ["Limit", [job.limit.max_concurrency && `${job.limit.max_concurrency} at once`, job.limit.rate && `${job.limit.rate} per ${job.limit.per}`].filter(Boolean).join(", ")] : false,
          job.hours ? ["Hours", `${job.hours.window}, ${job.hours.zone}`] : false,
          Object.keys(job.requires).length ? ["Requires", <>{labels(job.requires)}</>] : false,
          ["Labels", Object.keys(job.labels).length ? <>{labels(job.labels)}</> : <span className="qq">none</span>],
          job.traceparent ? ["Trace", <span className="mono">{job.traceparent.slice(3, 35)}</span>] : false,
          ["Shard", job.shard_id],
          ["Definition", job.definition_id],
        ]}
      />
    </section>
  );
}

/** The jobs around this one in its lane. */
export function InLane({ job }: { job: Job }) {
  const key = job.ordering_key!;
  const lane = useQuery({ ...laneQuery(key), retry: false });
  const { data } = useInfiniteQuery(jobs(undefined, { ordering_key: key }));
  const rows = data?.pages[0]?.rows.filter((one) => !ended(one.status) || one.id === job.id || one.id === lane.data?.head).slice(-6).reverse() ?? [];
  return (
    <section>
      <Head title="In its lane" action={<Link className="link" to="/jobs" search={{ lane: key }}>All</Link>}>{lane.data && plural(lane.data.length, "job")}</Head>
      <table className={`${table.list} ${table.bare}`}>
        <tbody>
          {rows.map((one) => (
            <tr key={one.id}>
              <td><State state={one.status} attempts={one.attempts} /></td>
              <td className={table.id}>{one.id === job.id ? <span className="sans">this job</span> : <Link to="/jobs/$id" params={{ id: String(one.id) }}>{one.id}</Link>}</td>
              <td className="num q">{one.id === lane.data?.head ? "head" : <Ago at={one.due_at} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
