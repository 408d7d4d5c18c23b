// Attempts on one axis: a tick is the due instant, a bar is the run, dots are the backoff, an outline is what is to come.
import type { Job, Run } from "../../api/types";
import { lateness } from "../../format/durations";
import { clock } from "../../format/instants";
import { ended, shapeOf } from "../../format/states";
import { useNow } from "../../now";
import { MarkAt } from "../../parts/State";
import { useWidth } from "../../parts/useWidth";
import { useZone } from "../../settings";
import css from "./job.module.css";

const ROW = 22;
/** Of many attempts, the last ones are drawn. */
const SHOWN = 8;

export function Timeline({ job, runs }: { job: Job; runs: Run[] }) {
  const [host, width] = useWidth<HTMLDivElement>();
  const rows = Math.min(SHOWN, runs.length) + (job.status === "created" ? 1 : 0);
  return (
    <div ref={host} className={css.timeline} data-rows={rows}>
      {width > 100 && rows > 0 && <Drawing job={job} runs={runs.slice(-SHOWN)} W={width} />}
    </div>
  );
}

function Drawing({ job, runs, W }: { job: Job; runs: Run[]; W: number }) {
  const zone = useZone();
  const present = useNow();
  const open = !ended(job.status);
  const next = job.status === "created" ? Date.parse(job.due_at) : null;
  const starts = runs.map((run) => Date.parse(run.due_at));
  const ends = runs.map((run) => Date.parse(run.finished_at ?? "") || present);
  const first = Math.min(...starts, next ?? Infinity, ...(open ? [present] : []));
  const last = Math.max(...ends, next ?? 0, ...(open ? [present] : []));
  const spanned = Math.max(1000, last - first);
  const [L, R, top] = [8, W < 560 ? 110 : 150, 20];
  const H = top + (runs.length + (next === null ? 0 : 1)) * ROW + 24;
  const x = (at: number) => L + ((at - first) / spanned) * (W - L - R);
  const ticks = (W < 560 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1]).map((part) => first + part * spanned);
  const fine = spanned < 10_000;
  return (
    <svg width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={`${runs.length} attempts from ${clock(first, zone)} to ${clock(last, zone)}`}>
      {open && next !== null && next > present && <rect x={x(present)} y={top} width={Math.max(0, W - x(present))} height={H - top - 20} fill="var(--sunken)" />}
      {ticks.map((at, i) => (
        <g key={i}>
          <line x1={x(at)} x2={x(at)} y1={top} y2={H - 20} stroke="var(--line)" shapeRendering="crispEdges" />
          <text x={x(at)} y={H - 6} textAnchor={i === 0 ? "start" : "middle"}>{clock(at, zone, fine)}</text>
        </g>
      ))}
      {runs.map((run, i) => {
        const y = top + i * ROW + 12;
        const begin = Date.parse(run.started_at ?? run.launched_at ?? run.due_at);
        const end = ends[i]!;
        const width = Math.max(3, x(end) - x(begin));
        const after = runs[i + 1] ? Date.parse(runs[i + 1]!.due_at) : i === runs.length - 1 ? next : null;
        const shape = shapeOf(run.state, 1);
        const words = `${run.attempt}  ${run.error?.kind ?? (run.state === "succeeded" ? lateness(run.duration_ms) : run.state)}`;
        const labelX = x(begin) + width + 26;
        return (
          <g key={run.attempt}>
            <line x1={x(starts[i]!)} x2={x(starts[i]!)} y1={y - 7} y2={y + 7} stroke="var(--ink)" strokeWidth={1.5} />
            <rect x={x(begin)} y={y - 5} width={width} height={10} rx={1.5} fill={`var(--${shape === "retrying" ? "retrying" : shape}-fill, var(--bar))`} />
            {after !== null && after > end && x(after) > labelX + 80 && <line x1={labelX + words.length * 6 + 8} x2={x(after)} y1={y} y2={y} stroke="var(--control)" strokeDasharray="1 4" />}
            <MarkAt shape={shape} x={x(begin) + width + 14} y={y} />
            <text className={css.label} x={labelX} y={y + 4}>{words}</text>
          </g>
        );
      })}
      {next !== null && (
        <g>
          <line x1={x(next)} x2={x(next)} y1={top + runs.length * ROW + 5} y2={top + runs.length * ROW + 19} stroke="var(--ink)" strokeWidth={1.5} />
          <rect x={x(next) + 0.5} y={top + runs.length * ROW + 7.5} width={12} height={9} rx={1.5} fill="var(--surface)" stroke="var(--bar-plan)" />
          <text className={css.label} x={x(next) + 20} y={top + runs.length * ROW + 16}>{job.attempts + 1} of {job.retry.max_attempts}</text>
        </g>
      )}
      {open && (
        <>
          <line x1={x(present)} x2={x(present)} y1={top - 4} y2={H - 20} stroke="var(--now)" strokeWidth={2} />
          <text className={css.now} x={x(present)} y={12} textAnchor={x(present) < 60 ? "start" : x(present) > W - 60 ? "end" : "middle"}>now {clock(present, zone)}</text>
        </>
      )}
    </svg>
  );
}
