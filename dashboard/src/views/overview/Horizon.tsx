// One axis of time: what was launched is filled, what is planned is outlined, and the line between them is now.
import { memo, useState } from "react";
import type { Overview, Planned } from "../../api/types";
import { lateness } from "../../format/durations";
import { clock, local } from "../../format/instants";
import { count, short } from "../../format/numbers";
import { useWidth } from "../../parts/useWidth";
import { useZone } from "../../settings";
import css from "./overview.module.css";

interface Props {
  look: Overview;
  planned: Planned | undefined;
}

const TICKS = [0.1, 1, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 36_000_000];

export const Horizon = memo(function Horizon({ look, planned }: Props) {
  const [host, width] = useWidth<HTMLDivElement>();
  const [hover, setHover] = useState<number | null>(null);
  const height = width < 560 ? 264 : width > 1000 ? 420 : 356;
  return (
    <div ref={host} className={css.horizon} data-tall={width > 1000} data-small={width < 560}>
      {width > 100 && <Drawing look={look} planned={planned} W={width} H={height} hover={hover} setHover={setHover} />}
    </div>
  );
});

function Drawing({ look, planned, W, H, hover, setHover }: Props & { W: number; H: number; hover: number | null; setHover: (i: number | null) => void }) {
  const zone = useZone();
  const { series, lateness: late } = look;
  const step = series.step * 1000;
  const start = Date.parse(series.start);
  const now = Date.parse(look.now);
  const n = series.launched.length;
  const ahead = series.step === 60 ? Math.min(60, n) : 0;
  const end = now + ahead * 60_000;
  const [L, R, top, bottom] = [46, 8, 20, H - 20];
  const split = Math.round(top + (bottom - top) * 0.64);
  const x = (at: number) => L + ((at - start) / (end - start)) * (W - L - R);
  const mid = (i: number) => x(Math.min(start + (i + 0.5) * step, now));

  const seen = [...series.worst_ms, ...series.p50_ms].filter((ms): ms is number => ms !== null && ms > 0);
  const low = Math.max(0.05, Math.min(0.8, ...seen) * 0.8);
  const high = Math.max(late.budget_ms * 3, ...seen.map((ms) => ms * 1.6));
  const y = (ms: number) => split - 8 - ((Math.log10(Math.max(low, ms)) - Math.log10(low)) / (Math.log10(high) - Math.log10(low))) * (split - 8 - top);
  const line = (values: (number | null)[]) =>
    runs(values).map((run) => (run.length === 1 ? `M${mid(run[0]![0]).toFixed(1)} ${y(run[0]![1]).toFixed(1)}h1` : "M" + run.map(([i, ms]) => `${mid(i).toFixed(1)} ${y(ms).toFixed(1)}`).join("L"))).join("");
  const area = (upper: (number | null)[], floor: (ms: number, i: number) => number) =>
    runs(upper).filter((run) => run.length > 1).map((run) =>
      "M" + run.map(([i, ms]) => `${mid(i).toFixed(1)} ${y(ms).toFixed(1)}`).join("L") + "L" +
      run.toReversed().map(([i, ms]) => `${mid(i).toFixed(1)} ${floor(ms, i).toFixed(1)}`).join("L") + "Z").join("");

  const plan = ahead && planned ? planned.counts.slice(0, ahead) : [];
  const planStart = planned ? Date.parse(planned.start) : now;
  const most = Math.max(1, ...series.launched, ...plan);
  const barY = (value: number) => bottom - (value / most) * (bottom - split - 22);
  const wide = (x(start + step) - x(start)) * 0.72;
  const times = ticks(start, end, zone, W < 560 ? 5 : 9);
  // A crowd is worth a flag where it stands out, and where its words do not cover others.
  const ordinary = planned ? planned.total / Math.max(1, planned.counts.length) : 0;
  const flags = (ahead && planned ? planned.crowds : [])
    .filter((one) => Date.parse(one.at) < end && x(Date.parse(one.at)) > x(now) + 84 && one.count >= Math.max(5, 2 * ordinary))
    .sort((a, b) => a.at.localeCompare(b.at))
    .filter((one, i, all) => i === 0 || x(Date.parse(one.at)) - x(Date.parse(all[i - 1]!.at)) > 12);
  const recent = (values: (number | null)[]) => values.findLast((ms) => ms !== null) ?? null;
  const labels = spread(split - 2, [
    ["worst", recent(series.worst_ms), "qlabel"], ["p99", recent(series.p99_ms), "label"], ["p50", recent(series.p50_ms), "qlabel"],
  ].flatMap(([name, ms, look]) => (ms === null ? [] : [{ name: name as string, ms: ms as number, look: look as string, y: y(ms as number) + 4 }])));

  const pick = (clientX: number, box: DOMRect) => {
    const at = start + (((clientX - box.left - L) / (W - L - R)) * (end - start));
    const i = Math.floor((at - start) / step);
    setHover(i >= 0 && i < n ? i : null);
  };
  const said = `Lateness, ${look.window}: p50 ${lateness(late.p50_ms)}, p99 ${lateness(late.p99_ms)}, worst ${lateness(late.worst_ms)}; ${count(late.launched)} launched${planned ? `, ${count(planned.total)} planned in the next hour` : ""}.`;
  return (
    <svg width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="img" aria-label={said}
      onPointerMove={(event) => pick(event.clientX, event.currentTarget.getBoundingClientRect())} onPointerLeave={() => setHover(null)}>
      {ahead > 0 && <rect x={x(now)} y={top} width={W - R - x(now)} height={bottom - top} fill="var(--sunken)" />}
      {TICKS.filter((ms) => ms >= low && ms <= high).map((ms) => (
        <g key={ms}>
          <line x1={L} x2={x(now)} y1={y(ms)} y2={y(ms)} stroke="var(--line)" shapeRendering="crispEdges" />
          <text x={L - 6} y={y(ms) + 4} textAnchor="end">{lateness(ms)}</text>
        </g>
      ))}
      <line x1={L} x2={x(now)} y1={y(late.budget_ms)} y2={y(late.budget_ms)} stroke="var(--ink-3)" strokeDasharray="3 3" shapeRendering="crispEdges" />
      <clipPath id="over-budget"><rect x={L} y={top} width={x(now) - L} height={Math.max(0, y(late.budget_ms) - top)} /></clipPath>
      <path d={area(series.p99_ms, (_, i) => y(series.p50_ms[i] ?? low))} fill="var(--ink)" opacity={0.06} />
      <path d={area(series.p99_ms, () => y(late.budget_ms))} fill="var(--retrying-fill)" opacity={0.35} clipPath="url(#over-budget)" />
      {series.worst_ms.map((ms, i) => ms !== null && <circle key={i} cx={mid(i)} cy={y(ms)} r={1.4} fill={ms > late.budget_ms ? "var(--retrying-fill)" : "var(--ink-3)"} />)}
      <path d={line(series.p50_ms)} fill="none" stroke="var(--ink-3)" strokeWidth={1.5} strokeLinejoin="round" />
      <path d={line(series.p99_ms)} fill="none" stroke="var(--ink)" strokeWidth={1.75} strokeLinejoin="round" />

      <text x={L} y={split + 12}>launched per {series.step === 60 ? "minute" : "hour"}</text>
      {ahead > 0 && <text x={x(now) + 8} y={split + 12}>planned{planned && !planned.complete ? ", at least" : ""}</text>}
      <text x={L - 6} y={barY(most) + 4} textAnchor="end">{short(most)}</text>
      <text x={L - 6} y={bottom} textAnchor="end">0</text>
      {series.launched.map((value, i) => value > 0 && (
        <rect key={i} x={x(start + i * step)} y={barY(value)} width={Math.max(1, Math.min(wide, x(now) - x(start + i * step)))} height={bottom - barY(value)} fill={i === hover ? "var(--ink)" : "var(--bar)"} />
      ))}
      {plan.map((value, i) => {
        const at = Math.max(planStart + i * 60_000, now);
        return value > 0 && at < end && (
          <rect key={i} x={Math.max(x(at), x(now) + 2) + 0.5} y={barY(value) + 0.5} width={Math.max(1.5, wide - 1)} height={Math.max(1, bottom - barY(value) - 1)} fill="var(--sunken)" stroke="var(--bar-plan)" />
        );
      })}
      <line x1={L} x2={W - R} y1={bottom} y2={bottom} stroke="var(--line-2)" shapeRendering="crispEdges" />

      {flags.map((one, i) => {
        const fx = x(Date.parse(one.at)) + wide / 2;
        const left = fx > W - 90;
        const fy = top + 18 + i * 32;
        return (
          <g key={one.at}>
            <line x1={fx} x2={fx} y1={fy - 8} y2={barY(one.count) - 3} stroke="var(--ink-3)" shapeRendering="crispEdges" />
            <text className={css.label} x={left ? fx - 5 : fx + 5} y={fy} textAnchor={left ? "end" : "start"}>{clock(Date.parse(one.at), zone).slice(0, 5)}</text>
            <text x={left ? fx - 5 : fx + 5} y={fy + 13} textAnchor={left ? "end" : "start"}>{count(one.count)} planned</text>
          </g>
        );
      })}
      {ahead > 0 && hover === null && labels.map((one) => <text key={one.name} className={css[one.look]} x={x(now) + 8} y={one.y}>{one.name} {lateness(one.ms)}</text>)}

      {times.map((at) => Math.abs(x(at) - x(now)) > 34 && <text key={at} x={x(at)} y={H - 5} textAnchor="middle">{label(at, zone, end - start)}</text>)}
      {ahead > 0 && (
        <>
          <text x={x(now) - 6} y={12} textAnchor="end">measured</text>
          <text x={x(now) + 8} y={12}>to come</text>
        </>
      )}
      <line x1={x(now)} x2={x(now)} y1={2} y2={bottom} stroke="var(--now)" strokeWidth={2} />
      <text className={css.now} x={ahead ? x(now) : W - R} y={H - 5} textAnchor={ahead ? "middle" : "end"}>{clock(now, zone).slice(0, 5)}</text>
      {hover !== null && <Reading look={look} i={hover} x={mid(hover)} L={L} W={W} top={top} bottom={bottom} zone={zone} />}
    </svg>
  );
}

function Reading({ look, i, x, L, W, top, bottom, zone }: { look: Overview; i: number; x: number; L: number; W: number; top: number; bottom: number; zone: string }) {
  const { series } = look;
  const at = Date.parse(series.start) + i * series.step * 1000;
  const rows = [
    ["launched", count(series.launched[i] ?? 0)], ["worst", lateness(series.worst_ms[i])], ["p99", lateness(series.p99_ms[i])], ["p50", lateness(series.p50_ms[i])],
  ];
  const right = x + 150 > W;
  const bx = right ? x - 138 : x + 8;
  return (
    <g pointerEvents="none">
      <line x1={x} x2={x} y1={top} y2={bottom} stroke="var(--ink-3)" strokeDasharray="2 2" />
      <rect x={Math.max(L, bx)} y={top + 2} width={130} height={84} rx={5} fill="var(--surface)" stroke="var(--line-2)" />
      <text className={css.label} x={Math.max(L, bx) + 8} y={top + 18}>{label(at, zone, series.step === 60 ? 0 : 864e5)}</text>
      {rows.map(([name, value], k) => (
        <g key={name}>
          <text x={Math.max(L, bx) + 8} y={top + 34 + k * 15}>{name}</text>
          <text className={css.label} x={Math.max(L, bx) + 122} y={top + 34 + k * 15} textAnchor="end">{value}</text>
        </g>
      ))}
    </g>
  );
}

/** Values without gaps, each with its index. */
function runs(values: (number | null)[]): [number, number][][] {
  const found: [number, number][][] = [];
  let open = false;
  values.forEach((ms, i) => {
    if (ms === null) open = false;
    else if (open) found.at(-1)!.push([i, ms]);
    else {
      found.push([[i, ms]]);
      open = true;
    }
  });
  return found;
}

/** Labels at least 14 px apart, highest first, none below `floor`. */
function spread<T extends { y: number }>(floor: number, labels: T[]): T[] {
  const sorted = labels.toSorted((a, b) => a.y - b.y);
  for (let i = 1; i < sorted.length; i++) sorted[i]!.y = Math.max(sorted[i]!.y, sorted[i - 1]!.y + 14);
  for (let i = sorted.length - 1, lowest = floor; i >= 0; i--, lowest -= 14) sorted[i]!.y = Math.min(sorted[i]!.y, lowest);
  return sorted;
}

const STEPS = [5, 10, 15, 30, 60, 120, 180, 360, 720, 1440].map((minutes) => minutes * 60_000);

/** Full local times for an axis, at most `most` of them. */
export function ticks(start: number, end: number, zone: string, most: number): number[] {
  const step = STEPS.find((one) => (end - start) / one <= most) ?? STEPS.at(-1)!;
  const found: number[] = [];
  const first = local(start, zone);
  const midnight = start - ((first.hour * 60 + first.minute) * 60 + first.second) * 1000 - (start % 1000);
  for (let at = midnight + Math.ceil((start - midnight) / step) * step; at < end; at += step) found.push(at);
  return found;
}

function label(at: number, zone: string, span: number): string {
  const one = local(at, zone);
  const time = clock(at, zone).slice(0, 5);
  return span > 2 * 86_400_000 || (span >= 86_400_000 && one.hour === 0) ? `${one.weekday} ${one.day}${span === 864e5 ? ` ${time}` : ""}` : time;
}
