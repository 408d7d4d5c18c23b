// Dead letters: by error first, then one by one; sent again at a pace, edited, or given up.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { deadGroups, deadLetters } from "../../api/queries";
import type { Groups, Job } from "../../api/types";
import { count, plural } from "../../format/numbers";
import { does } from "../../format/targets";
import { Button } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Input } from "../../parts/Field";
import { Band, Head } from "../../parts/Sheet";
import { Mark } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import jobs from "../jobs/jobs.module.css";
import { Discard, Redrive, type Meant } from "./Redrive";

export function DeadLetters() {
  useCrumbs(["Dead letters"]);
  const search = useSearch({ from: "/dead-letters" });
  const navigate = useNavigate();
  const set = (some: Partial<typeof search>) => void navigate({ to: "/dead-letters", search: (now) => ({ ...now, ...some }), replace: true });
  const [text, setText] = useState(search.error ?? "");
  const [chosen, choose] = useState<ReadonlySet<number>>(new Set());
  const [shown, show] = useState<{ what: "redrive" | "discard"; meant: Meant } | null>(null);
  useEffect(() => {
    if (text === (search.error ?? "")) return;
    const timer = setTimeout(() => set({ error: text || undefined }), 300);
    return () => clearTimeout(timer);
    // eslint-disable-next-line
  }, [text]);
  const query = { kind: search.kind, error: search.error, ordering_key: search.lane, from: search.from, to: search.to };
  const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined)) as Record<string, string>;
  const { kind: _, ...unkinded } = query;
  const groups = useQuery(deadGroups(unkinded));
  const list = useInfiniteQuery(deadLetters(query));
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const filtered = Object.keys(filter).length > 0;
  const all: Meant = { filter };
  const some: Meant = { ids: [...chosen] };
  const toggle = (id: number) => choose((before) => { const next = new Set(before); if (!next.delete(id)) next.add(id); return next; });

  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />;
  if (rows.length === 0 && !filtered) {
    return <Empty title="No dead letters">A job whose attempts are used up is listed here, with every attempt. You can then send it again, change it first, or give it up.</Empty>;
  }
  return (
    <>
      <div className={jobs.filter}>
        <Input type="search" aria-label="Search by error" placeholder="Reason contains, or a class such as timeout or http_503" value={text} onChange={(event) => setText(event.target.value)} />
        {search.lane && <Button onClick={() => set({ lane: undefined })}>lane {search.lane} ×</Button>}
        {search.kind && <Button onClick={() => set({ kind: undefined })}>{search.kind} ×</Button>}
        <Button look="solid" disabled={rows.length === 0} onClick={() => show({ what: "redrive", meant: all })}>Send again…</Button>
        <Button look="risk" disabled={rows.length === 0} onClick={() => show({ what: "discard", meant: all })}>Discard…</Button>
      </div>
      {groups.data && groups.data.groups.length > 0 && <ByError data={groups.data} kind={search.kind} onChoose={(kind) => set({ kind })} />}
      {rows.length === 0 ? (
        <Empty title="No dead letter matches" actions={<Button onClick={() => { setText(""); void navigate({ to: "/dead-letters", search: {} }); }}>Show all</Button>} />
      ) : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Dead letters">
          <table className={table.table}>
            <thead>
              <tr>
                <th><input type="checkbox" className={table.check} aria-label="Select all on this page" checked={rows.every((one) => chosen.has(one.id))} onChange={(event) => choose(event.target.checked ? new Set(rows.map((one) => one.id)) : new Set())} /></th>
                <th>Job</th><th>Does</th><th>Ended</th><th><span className="sr">From now</span></th><th className="num">Attempts</th><th>Error</th><th>Lane</th>
              </tr>
            </thead>
            <tbody>{rows.map((one) => <Row key={one.id} job={one} selected={chosen.has(one.id)} onToggle={toggle} />)}</tbody>
          </table>
        </div>
      )}
      <div className={table.pager}>
        <span>{count(rows.length)} shown, newest first</span>
        {list.hasNextPage && <Button className="push" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show more</Button>}
      </div>
      {chosen.size > 0 && (
        <div className={jobs.bulk} role="toolbar" aria-label="Selected dead letters">
          <b>{count(chosen.size)} selected</b>
          <Button onClick={() => show({ what: "redrive", meant: some })}>Send again…</Button>
          <Button look="risk" onClick={() => show({ what: "discard", meant: some })}>Discard…</Button>
          <Button look="plain" onClick={() => choose(new Set())}>Clear</Button>
        </div>
      )}
      {shown?.what === "redrive" && <Redrive meant={shown.meant} onClose={() => show(null)} onDone={() => choose(new Set())} />}
      {shown?.what === "discard" && <Discard meant={shown.meant} onClose={() => show(null)} onDone={() => choose(new Set())} />}
    </>
  );
}

function ByError({ data, kind, onChoose }: { data: Groups; kind: string | undefined; onChoose: (kind: string | undefined) => void }) {
  return (
    <Band>
      <Head title="By error">{data.complete ? `${plural(data.looked_at, "dead letter")}` : `of the newest ${count(data.looked_at)}`}</Head>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="By error">
        <table className={`${table.list} ${table.bare}`}>
          <tbody>
            {data.groups.map((one) => (
              <tr key={one.kind ?? one.reason}>
                <td><Mark shape="dead" /></td>
                <td>{one.kind ? <button type="button" className={jobs.groupName} aria-pressed={one.kind === kind} onClick={() => onChoose(one.kind === kind ? undefined : one.kind!)}>{one.kind}</button> : <span className="q">no class</span>}</td>
                <td className="num"><b>{count(one.count)}</b></td>
                <td className={`${table.grow} q`} title={one.reason ?? undefined}>{one.reason}</td>
                <td className="q">{one.hosts.map((host) => host.replace(/^https?:\/\//, "")).slice(0, 2).join(", ")}</td>
                <td className="q num">last <Ago at={one.last_at} /></td>
                <td className="num"><Link className="link" to="/jobs/$id" params={{ id: String(one.latest_id) }}>Latest</Link></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Band>
  );
}

function Row({ job, selected, onToggle }: { job: Job; selected: boolean; onToggle: (id: number) => void }) {
  const what = does(job.target, job.message);
  return (
    <tr aria-selected={selected}>
      <td><input type="checkbox" className={table.check} aria-label={`Select job ${job.id}`} checked={selected} onChange={() => onToggle(job.id)} /></td>
      <td className={table.id}><Link to="/jobs/$id" params={{ id: String(job.id) }}>{job.id}</Link></td>
      <td className={table.half}><span className="q">{what.verb}</span> {what.what}</td>
      <td><At at={job.finished_at ?? job.due_at} /></td>
      <td className="q"><Ago at={job.finished_at ?? job.due_at} /></td>
      <td className="num">{job.attempts}</td>
      <td className={table.half} title={job.reason ?? undefined}>{job.reason}</td>
      <td className="q">{job.ordering_key ? <Link to="/jobs" search={{ lane: job.ordering_key }}>{job.ordering_key}</Link> : "–"}</td>
    </tr>
  );
}
