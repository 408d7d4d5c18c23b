// Week by hour. A cell is a button in a grid: arrow keys move, Enter chooses.
import { useRef, type KeyboardEvent } from "react";
import { lateness } from "../../format/durations";
import { day as dayOf, local } from "../../format/instants";
import { short } from "../../format/numbers";
import { BUDGET } from "../../parts/Time";
import { heat, type Cell, type Day } from "./grid";
import css from "./calendar.module.css";

export type Show = "runs" | "late" | "failed";

interface Props {
  days: Day[];
  /** From this instant on, more may be planned than is counted. */
  known: number;
  show: Show;
  now: number;
  zone: string;
  chosen: number | undefined;
  onChoose: (cell: Cell) => void;
  W: number;
}

const [GAP, TOP, FOOT] = [3, 22, 44];

export function HeatMap({ days, known, show, now, zone, chosen, onChoose, W }: Props) {
  const grid = useRef<SVGSVGElement>(null);
  const narrow = W < 640;
  const left = narrow ? 34 : 58;
  const right = narrow ? 0 : 50;
  const step = (W - left - right) / 24;
  const cellW = Math.max(2, step - GAP);
  const rowH = Math.max(26, Math.min(50, step));
  const H = TOP + 7 * rowH + FOOT;
  const value = (cell: Cell) => (show === "late" ? (cell.p99 ?? 0) : show === "failed" ? cell.failed + cell.dead : cell.launched + cell.planned);
  const all = days.flatMap((day) => day.cells);
  const most = Math.max(1, ...all.map(value));
  const byHour = Array.from({ length: 24 }, (_, h) => days.reduce((sum, day) => sum + value(day.cells[h]!), 0));
  const tallest = Math.max(1, ...byHour);
  const today = local(now, zone);
  const isToday = (day: Day) => { const one = local(day.at, zone); return one.day === today.day && one.month === today.month && one.year === today.year; };
  const first = all.find((cell) => cell.at === chosen) ?? all.find((cell) => cell.hours.length && cell.at <= now && now < cell.at + 3_600_000) ?? all.find((cell) => cell.hours.length);

  const move = (event: KeyboardEvent, d: number, h: number) => {
    const by = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!by) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onChoose(days[d]!.cells[h]!); }
      return;
    }
    event.preventDefault();
    grid.current?.querySelector<SVGElement>(`[data-cell="${d + by[0]!}-${h + by[1]!}"]`)?.focus();
  };
  return (
    <svg ref={grid} width={W} height={H} viewBox={`0 0 ${W} ${H}`} role="grid" aria-label="Runs by day and hour" className={css.heat}>
      <g aria-hidden="true">
        {Array.from({ length: 24 }, (_, h) => (!narrow || h % 3 === 0) && <text key={h} x={left + h * step + cellW / 2} y={14} textAnchor="middle">{String(h).padStart(2, "0")}</text>)}
      </g>
      {days.map((day, d) => (
        <g key={day.at} role="row">
          <text className={isToday(day) ? css.today : css.day} x={0} y={TOP + d * rowH + rowH / 2 + 3} role="rowheader">{narrow ? local(day.at, zone).weekday : `${local(day.at, zone).weekday} ${local(day.at, zone).day}`}</text>
          {day.cells.map((cell, h) => {
            const x = left + h * step;
            const y = TOP + d * rowH;
            const n = value(cell);
            const level = heat(n, most);
            const planned = show === "runs" && cell.launched === 0 && cell.planned > 0;
            const none = cell.hours.length === 0;
            const cut = show === "runs" && cell.at + 3_600_000 > known;
            const text = none ? "" : show === "late" ? (cell.p99 === null ? "" : short(Math.round(cell.p99))) : n === 0 ? (cut ? "?" : "") : `${short(n)}${cut ? "+" : ""}`;
            const words = none ? "this hour does not exist" : `${text || 0}${show === "late" ? " ms" : ""}; ${cell.launched} launched, ${cut ? "at least " : ""}${cell.planned} planned, ${cell.failed} failed attempts, ${cell.dead} dead${cell.p99 === null ? "" : `, p99 ${lateness(cell.p99)}`}`;
            const label = `${local(day.at, zone).weekday} ${dayOf(day.at, zone, now)} ${String(h).padStart(2, "0")}:00: ${words}`;
            const height = rowH - GAP;
            return (
              <g key={h} role="gridcell" aria-label={label} aria-selected={!none && cell.at === chosen} data-cell={`${d}-${h}`} tabIndex={cell === first ? 0 : -1} onKeyDown={(event) => move(event, d, h)} onClick={() => !none && onChoose(cell)} className={css.cell}>
                {none ? <rect x={x} y={y} width={cellW} height={height} rx={2} fill="none" stroke="var(--line-2)" strokeDasharray="2 3" />
                  : cut && n === 0 ? <rect x={x + 0.5} y={y + 0.5} width={cellW - 1} height={height - 1} rx={2} fill="var(--surface)" stroke="var(--line-2)" />
                  : planned ? <rect x={x + 0.75} y={y + 0.75} width={cellW - 1.5} height={height - 1.5} rx={2} fill="var(--surface)" stroke={`var(--heat-${Math.max(3, level)})`} strokeWidth={1.5} />
                  : <rect x={x} y={y} width={cellW} height={height} rx={2} fill={`var(--heat-${level})`} />}
                {!planned && cell.planned > 0 && show === "runs" && cell.at <= now && (
                  <rect x={x + cellW * ((now - cell.at) / 3_600_000)} y={y - 2} width={2} height={height + 4} fill="var(--now)" />
                )}
                {cellW >= 26 && text && <text className={level >= 4 && !planned ? css.on : css.off} x={x + cellW / 2} y={y + height / 2 + 4} textAnchor="middle">{text}</text>}
                {cell.hours.length > 1 && cellW >= 26 && <text aria-hidden="true" className={css.twice} x={x + cellW / 2} y={y + height - 3} textAnchor="middle">× 2</text>}
                {(cell.dead > 0 || (cell.p99 ?? 0) > BUDGET) && <path d={`M${x + cellW - 8} ${y}h8v8z`} fill={cell.dead > 0 ? "var(--dead-fill)" : "var(--retrying-fill)"} />}
                {!none && cell.at === chosen && <rect x={x - 2} y={y - 2} width={cellW + 4} height={height + 4} rx={4} fill="none" stroke="var(--now)" strokeWidth={2} />}
              </g>
            );
          })}
          {!narrow && show !== "late" && <text className={css.sum} x={W} y={TOP + d * rowH + rowH / 2 + 3} textAnchor="end" role="gridcell">{show === "runs" ? short(day.total) : short(day.cells.reduce((sum, cell) => sum + value(cell), 0))}</text>}
        </g>
      ))}
      <g aria-hidden="true">
        {!narrow && <text x={0} y={H - 6}>by hour</text>}
        {byHour.map((n, h) => { const height = (n / tallest) * (FOOT - 12); return <rect key={h} x={left + h * step} y={H - height} width={cellW} height={height} fill="var(--bar)" />; })}
      </g>
    </svg>
  );
}
