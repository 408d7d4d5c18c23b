// Instants as the page shows them: in one zone, which is always said. Pure: callers pass the present instant.

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = zone + JSON.stringify(options);
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat("en-GB", { timeZone: zone, hourCycle: "h23", ...options });
    formats.set(key, found);
  }
  return found;
}

export interface Local {
  year: number;
  month: number;
  day: number;
  hour: number;
  minute: number;
  second: number;
  weekday: string;
}

/** The parts of an instant in a zone. */
export function local(at: number, zone: string): Local {
  const parts: Record<string, string> = {};
  const wanted = format(zone, {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
    weekday: "short",
  });
  for (const { type, value } of wanted.formatToParts(at)) parts[type] = value;
  const number = (name: string) => Number(parts[name]);
  return {
    year: number("year"),
    month: number("month"),
    day: number("day"),
    hour: number("hour"),
    minute: number("minute"),
    second: number("second"),
    weekday: parts["weekday"] ?? "",
  };
}

/** +02:00 */
export function offset(at: number, zone: string): string {
  const part = format(zone, { timeZoneName: "longOffset" })
    .formatToParts(at)
    .find((one) => one.type === "timeZoneName");
  const text = (part?.value ?? "GMT").replace("GMT", "").replace("−", "-");
  return text === "" ? "+00:00" : text;
}

/** Minutes that a zone is ahead of UTC at an instant. */
export function offsetMinutes(at: number, zone: string): number {
  const [, sign, hours, minutes] = /([+-])(\d+):(\d+)/.exec(offset(at, zone)) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const two = (n: number) => String(n).padStart(2, "0");

/** 14:33:20, with milliseconds where asked. */
export function clock(at: number, zone: string, ms = false): string {
  const { hour, minute, second } = local(at, zone);
  const fraction = ms ? "." + String(((at % 1000) + 1000) % 1000 | 0).padStart(3, "0") : "";
  return `${two(hour)}:${two(minute)}:${two(second)}${fraction}`;
}

/** 28 Oct, with the year where it is not this one. */
export function day(at: number, zone: string, now: number): string {
  const one = local(at, zone);
  const year = one.year === local(now, zone).year ? "" : ` ${one.year}`;
  return `${one.day} ${MONTHS[one.month - 1]}${year}`;
}

/** 14:33:20 today, 28 Oct 09:00 on another day. */
export function compact(at: number, zone: string, now: number): string {
  const one = local(at, zone);
  const today = local(now, zone);
  if (one.day === today.day && one.month === today.month && one.year === today.year) return clock(at, zone);
  return `${day(at, zone, now)} ${two(one.hour)}:${two(one.minute)}${one.second ? ":" + two(one.second) : ""}`;
}

/** Thu 22 Oct 02:30:00 */
export function dated(at: number, zone: string, now: number): string {
  return `${local(at, zone).weekday} ${day(at, zone, now)} ${clock(at, zone)}`;
}

/** Thu 22 Oct 2026 02:30:00.000 +02:00 Europe/Berlin */
export function exact(at: number, zone: string): string {
  const one = local(at, zone);
  const date = `${one.weekday} ${one.day} ${MONTHS[one.month - 1]} ${one.year}`;
  return `${date} ${clock(at, zone, true)} ${offset(at, zone)} ${zone}`;
}

/** The instant of a local time in a zone. In a gap, the time after it; of two, the first. */
export function instantOf(year: number, month: number, dayOf: number, hour: number, minute: number, zone: string): number {
  const asUtc = Date.UTC(year, month - 1, dayOf, hour, minute);
  const first = asUtc - offsetMinutes(asUtc, zone) * 60_000;
  const second = asUtc - offsetMinutes(first, zone) * 60_000;
  const same = (at: number) => {
    const one = local(at, zone);
    return one.hour === hour && one.minute === minute;
  };
  const fits = [first, second].filter(same);
  if (fits.length) {
    const found = Math.min(...fits);
    return same(found - 3_600_000) ? found - 3_600_000 : found;
  }
  return Math.max(first, second);
}

/** The value of an `<input type="datetime-local">`. */
export function inputValue(at: number, zone: string): string {
  const one = local(at, zone);
  return `${one.year}-${two(one.month)}-${two(one.day)}T${two(one.hour)}:${two(one.minute)}:${two(one.second)}`;
}

/** What a person wrote into an `<input type="datetime-local">`, as an instant; null if it is no local time. */
export function fromInput(text: string, zone: string): number | null {
  const found = /^(\d{4,6})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d))?/.exec(text);
  if (!found) return null;
  const [year, month, dayOf, hour, minute, second] = found.slice(1).map((one) => Number(one ?? 0));
  return instantOf(year!, month!, dayOf!, hour!, minute!, zone) + (second ?? 0) * 1000;
}

/** The start of the ISO week that an instant lies in, Monday 00:00 local. */
export function weekStart(at: number, zone: string): number {
  const one = local(at, zone);
  const from = new Date(Date.UTC(one.year, one.month - 1, one.day));
  from.setUTCDate(from.getUTCDate() - ((from.getUTCDay() + 6) % 7));
  return instantOf(from.getUTCFullYear(), from.getUTCMonth() + 1, from.getUTCDate(), 0, 0, zone);
}

/** The same local time some days later. */
export function addDays(at: number, days: number, zone: string): number {
  const one = local(at, zone);
  const to = new Date(Date.UTC(one.year, one.month - 1, one.day + days));
  return instantOf(to.getUTCFullYear(), to.getUTCMonth() + 1, to.getUTCDate(), one.hour, one.minute, zone);
}
