// The cluster: who owns the shards, who is alive, what lags; drain and rebalance.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { cluster, clusterBreakers, users } from "../../api/queries";
import type { Cluster, Node } from "../../api/types";
import { lateness, short, span } from "../../format/durations";
import { count, plural } from "../../format/numbers";
import { useNow } from "../../now";
import { Button } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { Bones, Trouble } from "../../parts/Feedback";
import { Band, Columns, Figure, Head, Verdict } from "../../parts/Sheet";
import { Mark, Marked } from "../../parts/State";
import table from "../../parts/table.module.css";
import { At, NextTry } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { Strip } from "./Strip";

interface Rebalanced {
  moved: number;
  moves: { source: number | null; target: number | null; shards: number }[];
}

export function ClusterPage() {
  useCrumbs(["Cluster"]);
  const { data, error, refetch } = useQuery(cluster());
  if (!data) return error ? <Trouble error={error} retry={refetch} /> : <Bones />;
  return <Shown data={data} />;
}

function Shown({ data }: { data: Cluster }) {
  const [draining, drain] = useState<Node | null>(null);
  const { nodes } = data;
  const shards = nodes.reduce((sum, node) => sum + node.shards, 0) + data.orphaned_shards;
  const lag = Math.max(0, ...nodes.map((node) => node.lag_ms));
  const skews = nodes.flatMap((node) => (node.clock_skew_ms === null ? [] : [node.clock_skew_ms]));
  const spread = skews.length ? Math.max(...skews, 0) - Math.min(...skews, 0) : null;
  const rebalance = useAction(() => send<Rebalanced>("POST", "cluster/rebalance"), { say: (done) => (done.moved ? `${plural(done.moved, "shard")} moved.` : "Shards were even: none moved.") });
  const drained = useAction((node: Node) => send("POST", `cluster/nodes/${node.id}/drain`), { say: (_, node) => `${node.name} hands its shards over.`, onDone: () => drain(null), undo: (_, node) => () => undrain.mutate(node) });
  const undrain = useAction((node: Node) => send("POST", `cluster/nodes/${node.id}/undrain`), { say: (_, node) => `${node.name} takes shards again.` });
  return (
    <>
      <Verdict
        mark={<Mark shape={data.orphaned_shards ? "dead" : "succeeded"} size={24} />}
        say={data.orphaned_shards ? `${count(data.orphaned_shards)} of ${count(shards)} shards have no owner` : `All ${count(shards)} shards have an owner`}
        figures={
          <>
            <Figure name="Nodes alive" value={count(nodes.length)} />
            <Figure name="Largest lag" value={short(lag)[0]} unit={short(lag)[1]} title="How long the oldest job at the head of a flow has been due" />
            <Figure name="Running" value={count(nodes.reduce((sum, node) => sum + node.running, 0))} />
            <Figure name="Clock spread" value={spread === null ? "–" : spread} unit={spread === null ? undefined : "ms"} />
          </>
        }
      >
        {data.orphaned_shards ? "Jobs in them wait until a node takes them over. " : ""}Cluster {data.name ?? data.id}; leases are kept by {data.coordinator}.
      </Verdict>
      <Band pad={false}>
        <div className={table.pager}>
          <b>Nodes</b> a node that stops renewing its lease loses its shards
          <Button className="push" disabled={rebalance.isPending} onClick={() => rebalance.mutate(undefined)}>Rebalance now</Button>
        </div>
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Nodes">
          <table className={table.table}>
            <thead><tr><th>Node</th><th>Status</th><th>Roles</th><th className="num">Shards</th><th className="num">Terms</th><th className="num">Lease left</th><th className="num">Lag</th><th className="num">Running</th><th className="num">Clock</th><th>Version</th><th className="num">Up for</th><th><span className="sr">Actions</span></th></tr></thead>
            <tbody>{nodes.map((node) => <Row key={node.id} node={node} onDrain={() => drain(node)} onUndrain={() => undrain.mutate(node)} />)}</tbody>
          </table>
        </div>
      </Band>
      <Band>
        <Head title="Shards">in the row of their owner, by number of shards</Head>
        <Strip nodes={nodes} orphaned={data.orphaned_shards} />
      </Band>
      <Columns shape="even" fill>
        <Databases data={data} />
        <Breakers />
      </Columns>
      {draining && (
        <Confirm title={`Drain ${draining.name}?`} verb={`Drain ${draining.name}`} risk={false} busy={drained.isPending} onClose={() => drain(null)} onConfirm={() => drained.mutate(draining)}>
          <p className="small">It hands {plural(draining.shards, "shard")} over to the other nodes, finishes {plural(draining.running, "run")}, and takes no more. It can then be stopped without a delay for any job. You can end the draining.</p>
          {nodes.filter((node) => node.id !== draining.id && node.status === "active").length === 0 && <p className="small late">No other node is active: the server refuses to drain the last one.</p>}
        </Confirm>
      )}
    </>
  );
}

const SHAPES = { active: "succeeded", standby: "suspended", draining: "retrying", drained: "skipped" } as const;

function Row({ node, onDrain, onUndrain }: { node: Node; onDrain: () => void; onUndrain: () => void }) {
  const now = useNow();
  const going = node.status === "draining" || node.status === "drained";
  return (
    <tr>
      <td><b>{node.name}</b></td>
      <td><Marked shape={SHAPES[node.status]}>{node.status}</Marked></td>
      <td className="q">{node.roles.join(", ")}</td>
      <td className="num">{count(node.shards)}</td>
      <td className="num q">{node.lowest_term === null ? "–" : node.lowest_term === node.highest_term ? node.lowest_term : `${node.lowest_term} – ${node.highest_term}`}</td>
      <td className="num">{node.lease_left_ms === null ? "–" : <span className={node.lease_left_ms < 500 ? "late" : ""}>{lateness(node.lease_left_ms)}</span>}</td>
      <td className="num"><span className={node.lag_ms > 1000 ? "late" : ""}>{lateness(node.lag_ms)}</span></td>
      <td className="num">{count(node.running)}</td>
      <td className="num q">{node.clock_skew_ms === null ? "–" : `${node.clock_skew_ms > 0 ? "+" : ""}${node.clock_skew_ms} ms`}</td>
      <td className="q">{node.version}</td>
      <td className="num q">{span(now - Date.parse(node.since))}</td>
      <td className="num">{going ? <Button onClick={onUndrain}>End draining</Button> : <Button onClick={onDrain}>Drain…</Button>}</td>
    </tr>
  );
}

function Databases({ data }: { data: Cluster }) {
  return (
    <section>
      <Head title="Databases">{data.databases.length ? `${data.databases.filter((one) => one.answers).length} of ${data.databases.length} answer` : "one, and it answers"}</Head>
      {data.databases.length > 0 && (
        <table className={table.list}>
          <thead><tr><th>No.</th><th>Shards</th><th><span className="sr">Actions</span></th></tr></thead>
          <tbody>
            {data.databases.map((one) => (
              <tr key={one.number}><td>{one.number}</td><td className="q">{one.shards}</td><td className="num">{one.answers ? <Marked shape="succeeded">answers</Marked> : <Marked shape="dead">does not answer: its jobs wait</Marked>}</td></tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Breakers() {
  const { data } = useQuery(clusterBreakers());
  const names = new Map(useQuery(users(!!data?.length)).data?.map((one) => [one.id, one.username]));
  const reset = useAction((host: string) => send("POST", `cluster/breakers/${encodeURIComponent(host)}/reset`), { say: (_, host) => `${host} is tried again at once, for every user.` });
  return (
    <section>
      <Head title="Hosts that are down">{data?.length ? "an open circuit breaker each, by user" : "none: no circuit breaker is open"}</Head>
      {data && data.length > 0 && (
        <table className={table.list}>
          <thead><tr><th className={table.grow}>Host</th><th>User</th><th>Since</th><th>Next try</th><th><span className="sr">Actions</span></th></tr></thead>
          <tbody>
            {data.map((one) => (
              <tr key={`${one.host} ${one.user_id}`}>
                <td className={table.grow} title={one.host}>{one.host}</td><td className="q">{names.get(one.user_id) ?? one.user_id}</td><td><At at={one.opened_at} /></td><td className="q"><NextTry at={one.next_probe_at} /></td>
                <td className="num"><Button onClick={() => reset.mutate(one.host)}>Try now</Button></td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}
