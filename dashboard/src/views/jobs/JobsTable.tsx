// The rows of jobs: only those in view are in the page, whatever the number loaded.
import { Link, useNavigate } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { memo, useEffect, useRef, useState } from "react";
import type { Job } from "../../api/types";
import { span } from "../../format/durations";
import { does } from "../../format/targets";
import { ended } from "../../format/states";
import { heldBy } from "../../format/waiting";
import { useNow } from "../../now";
import { State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { useKeys } from "../../shell/keys";
import type { Selection } from "./BulkBar";
import css from "./jobs.module.css";

interface Props {
  rows: Job[];
  selection: Selection;
  onSelect: (next: Selection) => void;
  readOnly: boolean;
}

export function JobsTable({ rows, selection, onSelect, readOnly }: Props) {
  const navigate = useNavigate();
  const body = useRef<HTMLTableSectionElement>(null);
  const [cursor, setCursor] = useState(-1);
  const last = useRef(-1);
  const narrow = matchMedia("(max-width: 640px)").matches;
  const coarse = matchMedia("(pointer: coarse)").matches;
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (narrow ? 57 : coarse ? 40 : 32),
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const toggle = (i: number, range: boolean) => {
    const ids = new Set(selection.ids);
    const on = !ids.has(rows[i]!.id);
    const [from, to] = range && last.current >= 0 ? [Math.min(i, last.current), Math.max(i, last.current)] : [i, i];
    for (let k = from; k <= to; k++) {
      if (on) ids.add(rows[k]!.id);
      else ids.delete(rows[k]!.id);
    }
    last.current = i;
    onSelect({ ids, all: false });
  };
  const move = (step: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, cursor + step));
    setCursor(next);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  useKeys({
    j: () => move(1), k: () => move(-1),
    x: () => cursor >= 0 && !readOnly && toggle(cursor, false),
    X: () => cursor >= 0 && !readOnly && toggle(cursor, true),
    Enter: () => cursor >= 0 && !readOnly && void navigate({ to: "/jobs/$id", params: { id: String(rows[cursor]!.id) } }),
  });
  const items = virtual.getVirtualItems();
  const margin = virtual.options.scrollMargin;
  const before = items.length ? items[0]!.start - margin : 0;
  const after = items.length ? virtual.getTotalSize() - (items.at(-1)!.end - margin) : 0;
  const every = rows.length > 0 && rows.every((job) => selection.ids.has(job.id));
  return (
    <table className={`${table.table} ${table.sticky} ${css.table}`} aria-label="Jobs" aria-rowcount={rows.length + 1}>
      <thead>
        <tr>
          <th>
            {!readOnly && (
              <input type="checkbox" className={table.check} aria-label="Select all on this page" checked={every || selection.all}
                ref={(box) => { if (box) box.indeterminate = !every && !selection.all && selection.ids.size > 0; }}
                onChange={() => onSelect({ ids: every || selection.all ? new Set() : new Set(rows.map((job) => job.id)), all: false })} />
            )}
          </th>
          <th>State</th><th>Job</th><th>Does</th><th>Due</th><th><span className="sr">From now</span></th>
          <th className={`num ${css.narrow1}`}>Attempt</th><th>Reason</th><th className={css.narrow1}>Lane or schedule</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {before > 0 && <Spacer height={before} />}
        {items.map((item) => {
          const job = rows[item.index]!;
          return (
            <JobRow key={job.id} job={job} index={item.index} selected={selection.all || selection.ids.has(job.id)} at={item.index === cursor} readOnly={readOnly} onToggle={toggle} />
          );
        })}
        {after > 0 && <Spacer height={after} />}
      </tbody>
    </table>
  );
}

function Spacer({ height }: { height: number }) {
  const cell = useRef<HTMLTableCellElement>(null);
  useEffect(() => {
    cell.current!.style.height = `${height}px`;
  }, [height]);
  return <tr className={css.spacer} aria-hidden="true"><td ref={cell} colSpan={9} /></tr>;
}

interface RowProps {
  job: Job;
  index: number;
  selected: boolean;
  at: boolean;
  readOnly: boolean;
  onToggle: (i: number, range: boolean) => void;
}

const JobRow = memo(function JobRow({ job, index, selected, at, readOnly, onToggle }: RowProps) {
  const what = does(job.target, job.message);
  const text = <><span className="q">{what.verb}</span> {what.what}</>;
  return (
    <tr aria-selected={selected} aria-rowindex={index + 2} className={at ? table.cursor : ""}>
      <td className={css.cSelect}>
        {!readOnly && <input type="checkbox" className={table.check} aria-label={`Select job ${job.id}`} checked={selected} onChange={(event) => onToggle(index, (event.nativeEvent as MouseEvent).shiftKey)} />}
      </td>
      <td className={css.cState}><State state={job.status} attempts={job.attempts} /></td>
      <td className={table.id}>{readOnly ? job.id : <Link to="/jobs/$id" params={{ id: String(job.id) }}>{job.id}</Link>}</td>
      <td className={`${css.cDoes} ${table.grow}`}>{readOnly ? text : <Link to="/jobs/$id" params={{ id: String(job.id) }} tabIndex={-1}>{text}</Link>}</td>
      <td className={css.cDue}><At at={job.due_at} /></td>
      <td className={`${css.cAgo} q`}>{ended(job.status) || job.status === "running" ? <Ago at={job.due_at} /> : <Waits at={job.due_at} />}</td>
      <td className={`num ${css.narrow1}`}>{job.attempts}/{job.retry.max_attempts ?? 1}</td>
      <td className="q" title={job.reason ?? job.waiting_for[0]?.message}>{shortly(job.reason ?? heldBy(job))}</td>
      <td className={`${css.narrow1} q`}>{job.ordering_key ? <Link to="/jobs" search={{ lane: job.ordering_key }}>lane {job.ordering_key}</Link> : job.schedule_id ? <Link to="/schedules/$id" params={{ id: String(job.schedule_id) }}>schedule {job.schedule_id}</Link> : "–"}</td>
    </tr>
  );
});

/** A waiting job: until it is due, or since when it has been. */
function Waits({ at }: { at: string }) {
  const now = useNow();
  const past = now - Date.parse(at);
  return past > 3000 ? <span className="late" title="It is due, and something holds it back: open it to see what">due for {span(past)}</span> : <Ago at={at} />;
}

function shortly(text: string | undefined): string {
  return !text ? "" : text.length > 44 ? `${text.slice(0, 42)}…` : text;
}
