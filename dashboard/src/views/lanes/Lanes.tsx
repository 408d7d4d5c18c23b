// Lanes: which are blocked, by what, since when; and the hosts whose breaker is open.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { breakers, lanes } from "../../api/queries";
import type { Lane } from "../../api/types";
import { capped, count, plural } from "../../format/numbers";
import { Button, Segments } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Input } from "../../parts/Field";
import { Band, Head } from "../../parts/Sheet";
import { Marked, State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { At, NextTry, Since } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import jobs from "../jobs/jobs.module.css";

export function Lanes() {
  useCrumbs(["Lanes"]);
  const search = useSearch({ from: "/lanes" });
  const navigate = useNavigate();
  const set = (some: Partial<typeof search>) => void navigate({ to: "/lanes", search: { ...search, ...some }, replace: true });
  const list = useQuery(lanes(search.blocked === "1"));
  const [ask, setAsk] = useState<{ what: "skip" | "clear"; lane: Lane } | null>(null);
  const act = useAction(({ what, key }: { what: "retry" | "skip" | "clear"; key: string }) => send<{ ids: number[] }>("POST", `me/lanes/${encodeURIComponent(key)}/${what}`), {
    say: (answer, { what, key }) => what === "retry" ? `The first job of ${key} goes again.` : what === "skip" ? `${key} goes on with the next job; the skipped one stays among the dead letters.` : `${plural(answer.ids.length, "job")} of ${key} cancelled.`,
    onDone: () => setAsk(null),
  });
  const rows = (list.data ?? []).filter((lane) => !search.q || lane.key.includes(search.q));
  return (
    <>
      <div className={jobs.filter}>
        <Input type="search" aria-label="Search lanes" placeholder="Key contains" defaultValue={search.q} onChange={(event) => set({ q: event.target.value || undefined })} />
        <Segments label="Which lanes" value={search.blocked === "1" ? "blocked" : "all"} onChange={(value) => set({ blocked: value === "blocked" ? "1" : undefined })} options={[["all", "All"], ["blocked", "Blocked"]]} />
      </div>
      {!list.data ? (list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />)
        : rows.length === 0 ? (
          search.blocked || search.q ? <Empty title={search.blocked ? "No lane is blocked" : "No lane matches"} actions={<Button onClick={() => void navigate({ to: "/lanes", search: {} })}>Show all lanes</Button>} />
            : <Empty title="No lanes">Jobs with the same ordering key form a lane: they run one at a time, in order. Give a job an <code>ordering_key</code> to begin one.</Empty>
        ) : (
          <div className={table.scroll} tabIndex={0} role="region" aria-label="Lanes">
            <table className={table.table}>
              <thead><tr><th>Lane</th><th>State</th><th className="num">Jobs</th><th>First job</th><th>First job is</th><th>Blocked for</th><th className={table.grow}>Reason</th><th><span className="sr">Actions</span></th></tr></thead>
              <tbody>
                {rows.map((lane) => (
                  <tr key={lane.key}>
                    <td><Link to="/jobs" search={{ lane: lane.key }}><b>{lane.key}</b></Link></td>
                    <td>{lane.blocked ? <Marked shape="blocked">Blocked</Marked> : <span className="q">moving</span>}</td>
                    <td className="num">{capped(lane.length)}</td>
                    <td className={table.id}><Link to="/jobs/$id" params={{ id: String(lane.head) }}>{lane.head}</Link></td>
                    <td><State state={lane.head_status} /></td>
                    <td>{lane.blocked_since ? <Since at={lane.blocked_since} /> : <span className="qq">–</span>}</td>
                    <td className={`${table.grow} q`} title={lane.reason ?? undefined}>{lane.reason}</td>
                    <td className="num">
                      {lane.blocked && <><Button disabled={act.isPending} onClick={() => act.mutate({ what: "retry", key: lane.key })}>Retry</Button> <Button onClick={() => setAsk({ what: "skip", lane })}>Skip…</Button> </>}
                      <Button look="plain" onClick={() => setAsk({ what: "clear", lane })}>Clear…</Button>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      {list.data && list.data.length >= 1000 && <p className={table.pager}>The first 1,000 lanes are shown.</p>}
      <Hosts />
      {ask?.what === "skip" && (
        <Confirm title={`Skip the first job of ${ask.lane.key}?`} verb="Skip 1 job" risk={false} busy={act.isPending} onClose={() => setAsk(null)} onConfirm={() => act.mutate({ what: "skip", key: ask.lane.key })}>
          <p className="small">Job {ask.lane.head} stays among the dead letters. The lane goes on with the next of {count(Math.max(0, ask.lane.length - 1))}.</p>
        </Confirm>
      )}
      {ask?.what === "clear" && (
        <Confirm title={`Cancel every job of ${ask.lane.key}?`} verb={`Cancel ${capped(ask.lane.length)} ${ask.lane.length === 1 ? "job" : "jobs"}`} keep="Keep them" busy={act.isPending} onClose={() => setAsk(null)} onConfirm={() => act.mutate({ what: "clear", key: ask.lane.key })}>
          <p className="small">A running job is left alone. This cannot be undone.</p>
        </Confirm>
      )}
    </>
  );
}

/** Hosts that are down: jobs for them wait. */
function Hosts() {
  const { data } = useQuery(breakers());
  const reset = useAction((host: string) => send("POST", `me/breakers/${encodeURIComponent(host)}/reset`), { say: (_, host) => `${host} is tried again at once.` });
  if (!data?.length) return null;
  return (
    <Band fill>
      <Head title="Hosts that are down">their circuit breaker is open: jobs wait in place of using up attempts, and one at a time tries</Head>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Hosts that are down">
        <table className={table.list}>
          <thead><tr><th className={table.grow}>Host</th><th className="num">Failures in a row</th><th>Since</th><th>Next try</th><th><span className="sr">Actions</span></th></tr></thead>
          <tbody>
            {data.map((one) => (
              <tr key={one.host}>
                <td className={table.grow}><Marked shape="breaker"><Link className="link" to="/jobs" search={{ host: one.host, state: "created" }}>{one.host}</Link></Marked></td>
                <td className="num">{count(one.failures)}</td><td><At at={one.opened_at} /></td>
                <td className="q"><NextTry at={one.next_probe_at} /></td>
                <td className="num"><Button disabled={reset.isPending} onClick={() => reset.mutate(one.host)}>Try all now</Button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Band>
  );
}
