// Durations as the page shows them. Pure.

/** Lateness or time taken: three digits at most, with its unit; never negative. */
export function short(ms: number): [value: string, unit: string] {
  const at = Math.max(0, ms);
  if (at < 999.5) return [digits(at), "ms"];
  const s = at / 1000;
  if (s < 99.5) return [digits(s), "s"];
  if (s < 5970) return [digits(s / 60), "min"];
  if (s < 48 * 3600) return [digits(s / 3600), "h"];
  return [digits(s / 86400), "d"];
}

/** 8.4 ms, 2.1 s. */
export function lateness(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? "–" : short(ms).join(" ");
}

const UNITS: [string, number][] = [
  ["d", 86_400],
  ["h", 3600],
  ["min", 60],
  ["s", 1],
];

/** 1 min 12 s, 5 d 18 h: two units at most. */
export function span(ms: number): string {
  let left = Math.round(Math.abs(ms) / 1000);
  for (let i = 0; i < UNITS.length; i++) {
    const [unit, size] = UNITS[i]!;
    if (left < size) continue;
    const most = Math.floor(left / size);
    left -= most * size;
    const [nextUnit, nextSize] = UNITS[i + 1] ?? ["", 0];
    const rest = nextSize && most < 10 ? Math.floor(left / nextSize) : 0;
    return rest ? `${most} ${unit} ${rest} ${nextUnit}` : `${most} ${unit}`;
  }
  return "0 s";
}

/** in 1 min 12 s, 34 min ago, now. */
export function relative(at: number, now: number): string {
  const ms = at - now;
  if (Math.abs(ms) < 1000) return "now";
  return ms > 0 ? `in ${span(ms)}` : `${span(ms)} ago`;
}

function digits(value: number): string {
  if (value === 0) return "0";
  const places = value < 0.995 ? 2 : value < 9.95 ? 1 : 0;
  return value.toFixed(places).replace(/\.0+$/, "");
}
