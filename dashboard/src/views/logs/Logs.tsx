// Search over what runs logged: words and exact phrases, newest first. Every filter is in the address.
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { logHits } from "../../api/queries";
import type { LogHit } from "../../api/types";
import { shownLine } from "../../format/logs";
import { count, plural } from "../../format/numbers";
import { Button } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Input, Select } from "../../parts/Field";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import jobs from "../jobs/jobs.module.css";

const LEVELS = [["", "every level"], ["error", "errors"], ["warning", "warnings and errors"]] as const;

export function Logs() {
  useCrumbs(["Logs"]);
  const search = useSearch({ from: "/logs" });
  const navigate = useNavigate();
  const set = (some: Partial<typeof search>) => void navigate({ to: "/logs", search: (now) => ({ ...now, ...some }), replace: true });
  const [text, setText] = useState(search.q ?? "");
  useEffect(() => {
    if (text === (search.q ?? "")) return;
    const timer = setTimeout(() => set({ q: text || undefined }), 300);
    return () => clearTimeout(timer);
    // eslint-disable-next-line
  }, [text]);
  const list = useInfiniteQuery(logHits({ q: search.q, level: search.level, job_id: search.job, schedule_id: search.schedule, label: search.label, status: search.status }));
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const filtered = Object.values(search).some(Boolean);
  return (
    <>
      <h2 className="sr">Search logs</h2>
      <div className={jobs.filter}>
        <Input type="search" aria-label="Search logs" placeholder={'Words, or an "exact phrase"'} value={text} onChange={(event) => setText(event.target.value)} />
        <Select aria-label="Level" options={LEVELS} value={search.level ?? ""} onChange={(event) => set({ level: event.target.value || undefined })} />
        {search.job && <Button onClick={() => set({ job: undefined })}>job {search.job} ×</Button>}
        {search.schedule && <Button onClick={() => set({ schedule: undefined })}>schedule {search.schedule} ×</Button>}
        {search.label && <Button onClick={() => set({ label: undefined })}>{search.label} ×</Button>}
        {search.status && <Button onClick={() => set({ status: undefined })}>{search.status} ×</Button>}
      </div>
      {!list.data ? (
        list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />
      ) : rows.length === 0 && !list.hasNextPage ? (
        filtered ? (
          <Empty title="No line matches" actions={<Button onClick={() => { setText(""); void navigate({ to: "/logs", search: {} }); }}>Show all</Button>} />
        ) : (
          <Empty title="Nothing is logged">What programs print and what functions log is kept with each run, and found here by its words.</Empty>
        )
      ) : (
        <>
          {rows.length > 0 && (
            <div className={table.scroll} tabIndex={0} role="region" aria-label="Lines that match">
              <table className={table.table}>
                <thead><tr><th>Job</th><th>Stored</th><th><span className="sr">From now</span></th><th className={table.grow}>Lines</th></tr></thead>
                <tbody>{rows.map((hit) => <Row key={`${hit.job}.${hit.attempt}.${hit.at}.${hit.lines[0]?.number}`} hit={hit} />)}</tbody>
              </table>
            </div>
          )}
          <div className={table.pager}>
            <span>{count(rows.length)} shown, newest first</span>
            {list.hasNextPage && <Button className="push" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Search further back</Button>}
          </div>
        </>
      )}
    </>
  );
}

function Row({ hit }: { hit: LogHit }) {
  const more = hit.matches - hit.lines.length;
  return (
    <tr>
      <td><Link className="link" to="/jobs/$id" params={{ id: String(hit.job) }} search={{ attempt: String(hit.attempt) }}>{hit.job}</Link> <span className="qq">attempt {hit.attempt}</span></td>
      <td className="q"><At at={hit.at} /></td>
      <td className="q"><Ago at={hit.at} /></td>
      <td className={table.grow}>
        {hit.lines.map((line) => <div key={line.number} className="mono cut" title={shownLine(line.text)}><span className="qq">{line.number}</span> {shownLine(line.text)}</div>)}
        {more > 0 && <div className="qq small">and {plural(more, "more line")}</div>}
      </td>
    </tr>
  );
}
