// The history of a schedule's instants: every launch, and every skip with its reason.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { records, schedulePreview } from "../../api/queries";
import type { Schedule, ScheduleRecord } from "../../api/types";
import { dated, day } from "../../format/instants";
import { count } from "../../format/numbers";
import { shapeOf } from "../../format/states";
import { useNow } from "../../now";
import { Button, Tag } from "../../parts/Button";
import { Empty } from "../../parts/Feedback";
import { Band, Head } from "../../parts/Sheet";
import { MarkAt, State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Lateness } from "../../parts/Time";
import { useWidth } from "../../parts/useWidth";
import { useZone } from "../../settings";
import css from "./schedules.module.css";

const took = (one: ScheduleRecord) => (one.launched_at && one.finished_at ? Date.parse(one.finished_at) - Date.parse(one.launched_at) : null);
const late = (one: ScheduleRecord) => (one.launched_at ? Math.max(0, Date.parse(one.launched_at) - Date.parse(one.due_at)) : null);

export function History({ one, onBackfill }: { one: Schedule; onBackfill: () => void }) {
  const list = useInfiniteQuery(records(one.id));
  const ahead = useQuery(schedulePreview(one.id, 20)).data?.instants ?? [];
  const zone = useZone();
  const now = useNow();
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  const when = (at: string) => dated(Date.parse(at), zone, now);
  return (
    <>
      <Band>
        <Head title="History of instants" action={<Link className="link" to="/jobs" search={{ schedule: String(one.id) }}>As jobs</Link>}>height is time taken; dashed did not run; outlined is to come</Head>
        <Strip past={rows.slice(0, 80).toReversed()} ahead={one.state === "active" ? ahead.filter((instant) => instant.run_at) : []} />
      </Band>
      {list.data && rows.length === 0 ? (
        <Empty title="No instant has passed yet" actions={<Button onClick={onBackfill}>Backfill…</Button>}>Each instant is listed here once it was launched or left out, with the reason.</Empty>
      ) : (
        <Band pad={false} fill>
          <div className={table.scroll} tabIndex={0} role="region" aria-label="History">
            <table className={table.table}>
              <thead><tr><th>Instant</th><th>Outcome</th><th className="num">Lateness</th><th className="num">Took</th><th className="num">Attempts</th><th>Job</th><th className={table.grow}>Reason</th></tr></thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={`${row.job_id}-${row.nominal}`}>
                    <td>{when(row.nominal)}{row.until && row.until !== row.nominal && <> to {when(row.until)}</>}</td>
                    <td><State state={row.status} attempts={row.attempts} /> {!row.occurrence && <Tag>by hand</Tag>}</td>
                    <td className="num"><Lateness value={late(row)} /></td>
                    <td className="num"><Lateness value={took(row)} budget={Infinity} /></td>
                    <td className="num">{row.attempts || "–"}</td>
                    <td className={table.id}>{row.status === "skipped" && (row.count ?? 2) > 1 ? `${row.count === null ? "many" : count(row.count)} instants` : <Link to="/jobs/$id" params={{ id: String(row.job_id) }}>{row.job_id}</Link>}</td>
                    <td className={`${table.grow} q`} title={row.reason ?? undefined}>{row.reason}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          {list.hasNextPage && <div className={table.pager}><Button onClick={() => void list.fetchNextPage()}>Show earlier</Button></div>}
        </Band>
      )}
    </>
  );
}

function Strip({ past, ahead }: { past: ScheduleRecord[]; ahead: { nominal: string; flags: readonly string[] }[] }) {
  const [host, width] = useWidth<HTMLDivElement>();
  const zone = useZone();
  const now = useNow();
  const H = 104;
  const [top, bottom] = [26, H - 20];
  const n = past.length + ahead.length;
  const step = Math.min(16, (width - 4) / Math.max(1, n));
  const bar = Math.max(2, step * 0.7);
  const most = Math.max(1, ...past.map((one) => took(one) ?? 0));
  const height = (ms: number | null) => 14 + ((ms ?? 0) / most) * (bottom - top - 14);
  const line = past.length * step + 1;
  return (
    <div ref={host} className={css.strip}>
      {width > 100 && n > 0 && (
        <svg width={width} height={H} role="img" aria-label={`${past.length} instants of the past, ${ahead.length} to come`}>
          {ahead.length > 0 && <rect x={line} y={top - 8} width={Math.max(0, ahead.length * step + 4)} height={bottom - top + 8} fill="var(--sunken)" />}
          {past.map((one, i) => {
            const h = height(took(one));
            const shape = shapeOf(one.status, 1);
            const x = i * step;
            const skipped = one.status === "skipped" || one.status === "cancelled";
            return (
              <g key={i}>
                <title>{`${dated(Date.parse(one.nominal), zone, now)}: ${one.status}${one.reason ? `, ${one.reason}` : ""}`}</title>
                {skipped ? <rect x={x + 0.5} y={bottom - 13.5} width={bar - 1} height={13} fill="none" stroke="var(--skipped-fill)" strokeDasharray="2 2" />
                  : <rect x={x} y={bottom - h} width={bar} height={h} fill={`var(--${shape}-fill, var(--bar))`} />}
                {(one.status === "dead" || one.status === "lost") && bar >= 6 && <MarkAt shape={shape} x={x + bar / 2} y={bottom - h - 9} size={10} />}
              </g>
            );
          })}
          {ahead.map((one, i) => (
            <rect key={i} x={line + 3.5 + i * step} y={bottom - 13.5} width={Math.max(1.5, bar - 1)} height={13} fill="var(--surface)" stroke={one.flags.length ? "var(--now)" : "var(--bar-plan)"} />
          ))}
          <line x1={0} x2={n * step + 6} y1={bottom} y2={bottom} stroke="var(--line-2)" shapeRendering="crispEdges" />
          <line x1={line} x2={line} y1={top - 10} y2={bottom} stroke="var(--now)" strokeWidth={2} />
          <text className={css.now} x={line} y={12} textAnchor={line < 20 ? "start" : line > width - 20 ? "end" : "middle"}>now</text>
          {past[0] && line > 110 && <text x={0} y={H - 5}>{day(Date.parse(past[0].nominal), zone, now)}</text>}
          {past.at(-1) && line > 60 && <text x={line - 4} y={H - 5} textAnchor="end">{day(Date.parse(past.at(-1)!.nominal), zone, now)}</text>}
          {ahead.at(-1) && width - line > 60 && <text x={Math.min(width, line + ahead.length * step + 4)} y={H - 5} textAnchor="end">{day(Date.parse(ahead.at(-1)!.nominal), zone, now)}</text>}
        </svg>
      )}
    </div>
  );
}
