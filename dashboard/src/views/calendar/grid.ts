// Hours laid out by local day: a day has 24 of them, or 23 or 25 where clocks change. Pure.
import type { Hours } from "../../api/types";
import { addDays, local } from "../../format/instants";

export type Hour = Hours["hours"][number];

export interface Cell {
  at: number;
  hour: number;
  /** The hours of the answer in this local hour: one, two where clocks go back, none where they go forward. */
  hours: Hour[];
  launched: number;
  planned: number;
  dead: number;
  lost: number;
  failed: number;
  worst: number | null;
  p99: number | null;
}

export interface Day {
  at: number;
  cells: Cell[];
  total: number;
}

export function layOut(hours: readonly Hour[], week: number, zone: string): Day[] {
  const byHour = new Map<string, Hour[]>();
  const key = (at: number) => {
    const one = local(at, zone);
    return `${one.month}-${one.day}-${one.hour}`;
  };
  for (const hour of hours) {
    const name = key(Date.parse(hour.at));
    byHour.set(name, [...(byHour.get(name) ?? []), hour]);
  }
  return Array.from({ length: 7 }, (_, d) => {
    const at = addDays(week, d, zone);
    const one = local(at, zone);
    const cells = Array.from({ length: 24 }, (_, hour) => cell(byHour.get(`${one.month}-${one.day}-${hour}`) ?? [], hour));
    return { at, cells, total: cells.reduce((sum, { launched, planned }) => sum + launched + planned, 0) };
  });
}

function cell(hours: Hour[], hour: number): Cell {
  const sum = (name: "launched" | "planned" | "dead" | "lost" | "failed") => hours.reduce((all, one) => all + one[name], 0);
  const most = (name: "worst_ms" | "p99_ms") => hours.reduce<number | null>((all, one) => (one[name] === null ? all : Math.max(all ?? 0, one[name])), null);
  return {
    at: hours[0] ? Date.parse(hours[0].at) : NaN, hour, hours, launched: sum("launched"), planned: sum("planned"), dead: sum("dead"), lost: sum("lost"), failed: sum("failed"),
    worst: most("worst_ms"), p99: most("p99_ms"),
  };
}

/** The step of heat, 0 to 6, by the square root: one large hour does not hide all others. */
export function heat(value: number, most: number): number {
  if (value <= 0) return 0;
  if (most <= 1) return 3;
  return Math.max(1, Math.min(6, Math.ceil(Math.sqrt(value / most) * 6)));
}

/** The ISO week of a local Monday, as 2026-W43. */
export function weekName(week: number, zone: string): string {
  const one = local(week, zone);
  const thursday = new Date(Date.UTC(one.year, one.month - 1, one.day + 3));
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 4);
  const monday = first - ((new Date(first).getUTCDay() + 6) % 7) * 864e5;
  return `${thursday.getUTCFullYear()}-W${String(Math.round((thursday.getTime() - 3 * 864e5 - monday) / 6048e5) + 1).padStart(2, "0")}`;
}

/** The Monday of an ISO week as a UTC date; null if it is none. */
export function weekMonday(name: string): { year: number; month: number; day: number } | null {
  const found = /^(\d{4})-W(\d\d)$/.exec(name);
  if (!found) return null;
  const first = Date.UTC(Number(found[1]), 0, 4);
  const at = new Date(first - ((new Date(first).getUTCDay() + 6) % 7) * 864e5 + (Number(found[2]) - 1) * 6048e5);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
}
