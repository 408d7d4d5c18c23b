// Below the tiles: what is coming up; for administrators nodes and shares, for others their newest jobs.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { cluster, newest, shares, type Of } from "../../api/queries";
import type { Planned } from "../../api/types";
import { lateness } from "../../format/durations";
import { count, percent, plural } from "../../format/numbers";
import { does } from "../../format/targets";
import { Tag } from "../../parts/Button";
import { Columns, Head } from "../../parts/Sheet";
import { ShareBar } from "../../parts/ShareBar";
import { Marked, State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { seldom } from "../../polling";
import css from "./overview.module.css";

export function Below({ of, admin, planned }: { of: Of; admin: boolean; planned: Planned | undefined }) {
  return (
    <Columns shape={admin ? "thirds" : "even"} fill>
      <ComingUp planned={planned} of={of} />
      {admin ? <><Nodes /><SharesBelow /></> : <Newest />}
    </Columns>
  );
}

function ComingUp({ planned, of }: { planned: Planned | undefined; of: Of }) {
  return (
    <section aria-labelledby="coming">
      <Head id="coming" title="Coming up" action={<Link className="link" to="/calendar" search={of === "all" ? { of: "all" } : {}}>Calendar</Link>}>
        {planned && `${planned.complete ? "" : "at least "}${count(planned.total)} in the next hour`}
      </Head>
      {planned?.next.length === 0 && <p className="small q">Nothing is planned. <Link className="link" to="/schedules/new">Create a schedule</Link> or <Link className="link" to="/jobs" search={{ new: "1" }}>a job</Link>.</p>}
      <table className={`${table.list} ${table.bare}`}>
        <tbody>
          {planned?.next.slice(0, 7).map((one, i) => (
            <tr key={i}>
              <td className="q"><Ago at={one.at} /></td>
              <td><At at={one.at} /></td>
              <td className={table.grow}>
                {one.schedule_id && of !== "all" ? <Link to="/schedules/$id" params={{ id: String(one.schedule_id) }}>{one.schedule}</Link>
                  : one.job_id && of !== "all" ? <Link to="/jobs/$id" params={{ id: String(one.job_id) }}>job <span className="mono">{one.job_id}</span></Link>
                  : (one.schedule ?? `job ${one.job_id}`)}
              </td>
              <td className="num">{one.schedule_id ? <Tag>schedule</Tag> : <Tag>once</Tag>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Nodes() {
  const { data } = useQuery({ ...cluster(), refetchInterval: seldom });
  return (
    <section aria-labelledby="nodes">
      <Head id="nodes" title="Nodes" action={<Link className="link" to="/cluster">Cluster</Link>}>
        {data && `${plural(data.nodes.length, "node")} alive, ${data.orphaned_shards ? `${plural(data.orphaned_shards, "shard")} without an owner` : "every shard has an owner"}`}
      </Head>
      <table className={table.list}>
        <thead><tr><th>node</th><th><span className="sr">Status</span></th><th className="num">shards</th><th className="num">running</th><th className="num">lag</th></tr></thead>
        <tbody>
          {data?.nodes.slice(0, 6).map((node) => (
            <tr key={node.id}>
              <td className={table.grow}>{node.name}</td>
              <td>{node.status === "active" ? <span className="qq">active</span> : <Marked shape="suspended">{node.status}</Marked>}</td>
              <td className="num">{count(node.shards)}</td><td className="num">{count(node.running)}</td><td className="num">{lateness(node.lag_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SharesBelow() {
  const { data } = useQuery(shares("1h"));
  return (
    <section aria-labelledby="shares">
      <Head id="shares" title="Shares" action={<Link className="link" to="/shares">All users</Link>}>launched against weight, 1 h</Head>
      {data?.users.length === 0 && <p className="small q">Nothing was launched in the last hour.</p>}
      {data?.users.slice(0, 6).map((one) => (
        <div key={one.user_id} className={css.share}>
          <Link className="cut" to="/" search={{ of: String(one.user_id) }}>{one.username}</Link>
          <ShareBar part={one.launched_part} weight={one.weight_part} />
          <span className="num">{percent(one.launched_part)}</span>
          <span className="q num">weight {one.job_weight}</span>
        </div>
      ))}
    </section>
  );
}

function Newest() {
  const { data } = useQuery(newest());
  return (
    <section aria-labelledby="newest">
      <Head id="newest" title="Newest jobs" action={<Link className="link" to="/jobs">All jobs</Link>} />
      <table className={`${table.list} ${table.bare}`}>
        <tbody>
          {data?.map((job) => {
            const what = does(job.target, job.message);
            return (
              <tr key={job.id}>
                <td><State state={job.status} attempts={job.attempts} /></td>
                <td className={table.grow}><Link to="/jobs/$id" params={{ id: String(job.id) }}>{what.verb} {what.what}</Link></td>
                <td className="num q"><Ago at={job.due_at} /></td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
