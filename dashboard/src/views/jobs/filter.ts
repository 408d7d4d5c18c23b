// The filter of jobs: between the URL, the tokens a person types, and the API's query. Pure.
import type { Query } from "../../api/client";
import { clock, compact, day, local } from "../../format/instants";
import { wordOf } from "../../format/states";

export interface JobsSearch {
  state?: string;
  host?: string;
  target?: string;
  from?: string;
  to?: string;
  lane?: string;
  label?: string;
  schedule?: string;
  user?: string;
  q?: string;
}

export const FILTERS = ["state", "from", "to", "host", "target", "lane", "label", "schedule", "user", "q"] as const;
export type FilterName = (typeof FILTERS)[number];

export const STATES = ["created", "queued", "running", "retrying", "succeeded", "dead", "cancelled", "skipped", "lost", "suspended"] as const;

export const EXAMPLES: Record<string, string> = {
  state: "state:dead", due: "due:-24h..7d", lane: "lane:customer-7", label: "label:team=payments", host: "host:https://api.example.com",
  target: "target:http", schedule: "schedule:12",
};

const SIZES: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The instant of `now`, `-24h`, `+7d`, or RFC 3339; null if it is none. */
export function instantOf(text: string, now: number): number | null {
  if (text === "now") return now;
  const relative = /^([+-]?)(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  if (relative) return now + (relative[1] === "-" ? -1 : 1) * Number(relative[2]) * SIZES[relative[3]!]!;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : NaN;
  return Number.isNaN(at) ? null : at;
}

/** A relative or absolute instant in words. */
export function instantWords(text: string, now: number, zone: string): string {
  const relative = /^([+-]?)(\d+(?:\.\d+)?)([smhdw])$/.exec(text);
  if (text === "now") return "now";
  if (relative) {
    const unit = { s: "s", m: "min", h: "h", d: "d", w: "weeks" }[relative[3] as "s"];
    return relative[1] === "-" ? `${relative[2]} ${unit} ago` : `in ${relative[2]} ${unit}`;
  }
  const at = instantOf(text, now);
  return at === null ? text : compact(at, zone, now);
}

/** What a token shows for its value. */
export function valueWords(name: FilterName, value: string, now: number, zone: string): string {
  if (name === "state") return value.split(",").map((one) => (one === "retrying" ? "Retrying" : wordOf(one))).join(" or ");
  if (name === "from" || name === "to") return instantWords(value, now, zone);
  return value;
}

export const NAMES: Record<FilterName, string> = {
  state: "state", from: "due from", to: "due before", host: "host", target: "target", lane: "lane", label: "label", schedule: "schedule",
  user: "user", q: "message contains",
};

/** What a person typed, as changes to the filter, or a sentence that says what is wrong. */
export function parseToken(text: string, now: number): { set: JobsSearch } | { error: string } {
  const given = text.trim();
  const [, key, value = ""] = /^(\w+):(.*)$/.exec(given) ?? [];
  if (!key || key.startsWith("http")) return { set: { q: given } };
  switch (key) {
    case "state": {
      const states = value.split(",").map((one) => STATES.find((known) => known === one || wordOf(known).toLowerCase() === one.toLowerCase()));
      if (!value || states.some((one) => !one)) return { error: `There is no state “${value}”: use ${STATES.join(", ")}.` };
      if (states.includes("retrying") && states.length > 1) return { error: "retrying stands alone: remove the other states." };
      return { set: { state: states.join(",") } };
    }
    case "due": {
      const [from = "", to = ""] = value.split("..");
      for (const one of [from, to]) if (one && instantOf(one, now) === null) return { error: `“${one}” is no instant: use -24h, now, 7d or 2026-10-22T12:00:00Z.` };
      if (!from && !to) return { error: "Give a range, such as due:-24h..7d." };
      return { set: { from: from || undefined, to: to || undefined } as JobsSearch };
    }
    case "from": case "to":
      return instantOf(value, now) === null ? { error: `“${value}” is no instant: use -24h, now, 7d or 2026-10-22T12:00:00Z.` } : { set: { [key]: value } };
    case "label":
      return /^[^=]+=/.test(value) ? { set: { label: value } } : { error: "Write a label as label:name=value." };
    case "schedule": case "user":
      return /^\d+$/.test(value) ? { set: { [key]: value } } : { error: `Write the ${key}'s id, a number.` };
    case "host": case "lane": case "target": case "q":
      return value ? { set: { [key]: value } } : { error: `Write a value after ${key}:` };
    default:
      return { error: `There is no filter “${key}”: use ${Object.keys(EXAMPLES).join(", ")}, or text to search messages.` };
  }
}

/** The API's query for a filter. */
export function queryOf(search: JobsSearch, now: number): Query {
  const retrying = search.state === "retrying";
  const iso = (text: string | undefined) => {
    const at = text === undefined ? null : instantOf(text, now);
    return at === null ? undefined : new Date(at).toISOString();
  };
  return {
    status: retrying || !search.state ? undefined : search.state.split(","),
    retrying: retrying || undefined,
    target: search.target,
    host: search.host,
    from: iso(search.from),
    to: iso(search.to),
    ordering_key: search.lane,
    label: search.label?.split(","),
    schedule_id: search.schedule,
    q: search.q,
  };
}

/** The same as the body of a call that cancels all that match. */
export function cancelFilter(search: JobsSearch, now: number): Record<string, unknown> {
  const { status, label, schedule_id, ...rest } = queryOf(search, now);
  const labels = (label as string[] | undefined)?.map((one) => [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)] as const);
  const filter: Record<string, unknown> = { ...rest };
  if (status) filter["statuses"] = (status as string[]).filter((one) => ["created", "queued", "running"].includes(one));
  if (labels) filter["labels"] = Object.fromEntries(labels);
  if (schedule_id) filter["schedule_id"] = Number(schedule_id);
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
}

/** The same filter with relative times fixed, so that a colleague sees the same rows. */
export function pinned(search: JobsSearch, now: number): JobsSearch {
  const pin = (text: string | undefined) => {
    const at = text === undefined ? null : instantOf(text, now);
    return at === null ? text : new Date(at).toISOString();
  };
  const { from, to, ...rest } = search;
  return { ...rest, ...(from ? { from: pin(from)! } : {}), ...(to ? { to: pin(to)! } : {}) };
}

/** "Thu 23 Oct, 00:00 to 01:00" */
export function rangeWords(from: number, to: number, zone: string, now: number): string {
  return `${local(from, zone).weekday} ${day(from, zone, now)}, ${clock(from, zone).slice(0, 5)} to ${clock(to, zone).slice(0, 5)}`;
}
