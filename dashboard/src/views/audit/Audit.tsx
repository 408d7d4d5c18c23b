// The audit: who changed what, from where, before and after. Administrators see everyone's, and the chain that seals it.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { audit, auditChain, me, users } from "../../api/queries";
import type { AuditEntry } from "../../api/types";
import { count } from "../../format/numbers";
import { Button, Segments } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Input } from "../../parts/Field";
import { Figure, Verdict } from "../../parts/Sheet";
import { Mark } from "../../parts/State";
import table from "../../parts/table.module.css";
import { At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import jobs from "../jobs/jobs.module.css";
import { changesOf } from "./changes";

export function AuditPage() {
  useCrumbs(["Audit"]);
  const search = useSearch({ from: "/audit" });
  const navigate = useNavigate();
  const who = useQuery(me()).data;
  const all = who?.role === "admin" && search.of === "all";
  const set = (some: Partial<typeof search>) => void navigate({ to: "/audit", search: { ...search, ...some }, replace: true });
  const list = useInfiniteQuery(audit(all, { action: search.action, subject: search.subject }));
  const known = useQuery(users(who?.role === "admin")).data ?? [];
  const names = new Map(known.map((one) => [one.id, one.username]));
  if (who) names.set(who.id, who.username);
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      {all && <Chain />}
      <div className={jobs.filter}>
        <Input type="search" aria-label="Actions that begin with" placeholder="Action begins with, such as schedule." defaultValue={search.action} onChange={(event) => set({ action: event.target.value || undefined })} />
        <Input type="search" aria-label="Subject" placeholder="Subject, such as job:1025" defaultValue={search.subject} onChange={(event) => set({ subject: event.target.value || undefined })} />
        {who?.role === "admin" && <Segments label="Whose changes" value={all ? "all" : "mine"} onChange={(of) => set({ of: of === "all" ? "all" : undefined })} options={[["mine", "Mine"], ["all", "All users"]]} />}
      </div>
      {!list.data ? (list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />)
        : rows.length === 0 ? <Empty title={search.action || search.subject ? "No change matches" : "No changes yet"}>Every change by a person or a key is recorded here, in the change's own transaction. Creating plain jobs is no change.</Empty>
          : (
            <>
              <div className={table.scroll} tabIndex={0} role="region" aria-label="Changes">
                <table className={table.table}>
                  <thead><tr><th>At</th><th>Who</th><th>From</th><th>Action</th><th>Subject</th><th className={table.grow}>What changed</th></tr></thead>
                  <tbody>{rows.map((one) => <Row key={one.id} entry={one} name={(id) => names.get(id) ?? `user ${id}`} />)}</tbody>
                </table>
              </div>
              <div className={table.pager}>
                <span>{count(rows.length)} shown</span>
                {list.hasNextPage && <Button className="push" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show older</Button>}
              </div>
            </>
          )}
    </>
  );
}

function Row({ entry, name }: { entry: AuditEntry; name: (id: number) => string }) {
  const changes = changesOf(entry.details);
  return (
    <tr>
      <td><At at={entry.at} /></td>
      <td>{entry.actor === null ? <span className="q">Duetime</span> : <b>{name(entry.actor)}</b>}{entry.owner !== null && entry.owner !== entry.actor && <span className="qq"> for {name(entry.owner)}</span>}</td>
      <td className="q">{entry.origin ?? "–"}</td>
      <td>{entry.action}</td>
      <td className="mono">{entry.subject}</td>
      <td className={table.grow} title={changes.join("\n")}>{changes.join("; ") || <span className="qq">–</span>}</td>
    </tr>
  );
}

/** The chain that seals the audit. `duetime audit verify` checks every link. */
function Chain() {
  const { data } = useQuery(auditChain());
  if (!data) return null;
  return (
    <Verdict
      mark={<Mark shape="yes" size={24} />}
      say={`${count(data.number)} changes are sealed`}
      figures={
        <>
          <Figure name="Not sealed yet" value={count(data.unsealed)} title="They are sealed within seconds" />
          <Figure name="Last hash" value={<span className="mono">{data.hash.slice(0, 12) || "–"}</span>} title={data.hash} />
        </>
      }
    >
      Each link covers its change and the link before it, so an edit or a gap shows. <code>duetime audit verify</code> checks all of them, against a hash that you keep elsewhere.
    </Verdict>
  );
}
