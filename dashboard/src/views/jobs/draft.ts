// A job as a person fills it in, between the form and the API's body. Pure.
import { fromInput } from "../../format/instants";
import { asMessage, asText } from "../../format/targets";

export interface Draft {
  message: string;
  when: "now" | "delay" | "at";
  delay: string;
  at: string;
  /** `other` is a kind that the form has no fields for, such as a topic of Kafka: its target stays as it is. */
  kind: "log" | "http" | "queue" | "other";
  url: string;
  method: string;
  headers: string;
  queue: string;
  task: string;
  lane: string;
  priority: string;
  timeout: string;
  attempts: string;
  labels: string;
  /** What the form has no field for: kept as it is. */
  rest: Record<string, unknown>;
}

export const EMPTY: Draft = {
  message: "", when: "delay", delay: "1m", at: "", kind: "log", url: "", method: "POST", headers: "", queue: "", task: "", lane: "", priority: "", timeout: "", attempts: "",
  labels: "", rest: {},
};

/** What the API takes as the name of a queue or a task. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,99}$/;

/** Shown in place of a secret. It is never sent back. */
const HIDDEN = "(hidden)";

/** The form for a body, such as that of a job like another. Secrets are left out: the server does not show them. */
export function draftOf(body: Record<string, unknown>): { draft: Draft; hidden: string[] } {
  const { message, target, ordering_key, priority, timeout, labels, retry, execute_at: _, delay: __, ...rest } = body as Record<string, never>;
  const hidden: string[] = [];
  const draft: Draft = { ...EMPTY, message: asText(message ?? ""), rest: rest as Record<string, unknown> };
  const given = (target ?? { kind: "log" }) as Record<string, unknown>;
  if (given["kind"] === "http") {
    const { kind: _k, url, method, headers, auth, ...more } = given;
    draft.kind = "http";
    draft.url = String(url);
    draft.method = String(method ?? "POST");
    draft.headers = Object.entries((headers as Record<string, string>) ?? {})
      .filter(([name, value]) => (value.includes(HIDDEN) ? (hidden.push(`header ${name}`), false) : true))
      .map(([name, value]) => `${name}: ${value}`).join("\n");
    if (draft.url.includes(HIDDEN)) hidden.push("a part of the URL");
    if (auth) hidden.push("authorization");
    draft.rest["target"] = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null && value !== 0));
  }
  if (given["kind"] === "queue") {
    // The part of a broadcast is for one worker, and set by the server.
    const { kind: _k, queue, task, part: _p, ...more } = given;
    draft.kind = "queue";
    draft.queue = String(queue);
    draft.task = task === undefined || task === "default" ? "" : String(task);
    draft.rest["target"] = more;
  }
  if (!["http", "log", "queue"].includes(String(given["kind"]))) {
    draft.kind = "other";
    draft.rest["target"] = given;
  }
  if (ordering_key) draft.lane = String(ordering_key);
  if (priority !== undefined && priority !== null) draft.priority = String(priority);
  if (timeout !== undefined && timeout !== null) draft.timeout = String(timeout);
  if (labels) draft.labels = pairs(labels as Record<string, string>, "=");
  if (retry && typeof retry === "object") {
    const { max_attempts, ...others } = retry as { max_attempts?: number };
    if (max_attempts) draft.attempts = String(max_attempts);
    draft.rest["retry"] = others;
  }
  return { draft, hidden };
}

/** What is wrong with a form, by field; empty when nothing is. */
export function wrong(draft: Draft, zone: string): Partial<Record<keyof Draft, string>> {
  const found: Partial<Record<keyof Draft, string>> = {};
  if (draft.when === "at" && fromInput(draft.at, zone) === null) found.at = "Choose a date and a time.";
  if (draft.when === "delay" && !/^(\d+(\.\d+)?|(\d+(\.\d+)?(ms|[smhdw]))+|P.+)$/i.test(draft.delay.trim())) found.delay = "Write a duration, such as 90, 30m or 1h30m.";
  if (draft.kind === "http" && !/^https?:\/\/[^/]+/.test(draft.url)) found.url = "Write the whole URL, with http:// or https://.";
  if (draft.kind === "http" && draft.headers.split("\n").some((line) => line.trim() && !line.includes(":"))) found.headers = "Write one header a line, as name: value.";
  if (draft.kind === "queue" && !NAME.test(draft.queue.trim())) found.queue = "Write the name of a queue: letters, digits and _ . : / -";
  if (draft.kind === "queue" && draft.task.trim() && !NAME.test(draft.task.trim())) found.task = "Write the name of a task: letters, digits and _ . : / -";
  if (draft.priority && !/^-?\d+$/.test(draft.priority)) found.priority = "Write a whole number.";
  if (draft.attempts && !/^[1-9]\d*$/.test(draft.attempts)) found.attempts = "Write a number from 1 on.";
  if (draft.labels.split(",").some((one) => one.trim() && !one.includes("="))) found.labels = "Write labels as name=value, with commas between them.";
  return found;
}

/** The body of the call. */
export function bodyOf(draft: Draft, zone: string): Record<string, unknown> {
  const { target: restTarget, retry: restRetry, ...rest } = draft.rest;
  const body: Record<string, unknown> = { message: asMessage(draft.message), ...rest };
  if (draft.when === "delay") body["delay"] = draft.delay.trim();
  if (draft.when === "at") body["execute_at"] = new Date(fromInput(draft.at, zone)!).toISOString();
  if (draft.kind === "http") body["target"] = targetOf(draft, restTarget);
  if (draft.kind === "queue") body["target"] = { ...(restTarget as object | undefined), kind: "queue", queue: draft.queue.trim(), ...(draft.task.trim() ? { task: draft.task.trim() } : {}) };
  if (draft.kind === "other") body["target"] = restTarget;
  if (draft.lane) body["ordering_key"] = draft.lane;
  if (draft.priority) body["priority"] = Number(draft.priority);
  if (draft.timeout) body["timeout"] = /^[\d.]+$/.test(draft.timeout) ? Number(draft.timeout) : draft.timeout;
  if (draft.attempts && rest["delivery"] !== "at_most_once") body["retry"] = { ...(restRetry as object | undefined), max_attempts: Number(draft.attempts) };
  const labels = labelsOf(draft.labels);
  if (Object.keys(labels).length) body["labels"] = labels;
  return body;
}

export function targetOf(draft: Draft, more: unknown = {}): Record<string, unknown> {
  const headers = Object.fromEntries(
    draft.headers.split("\n").filter((line) => line.trim()).map((line) => [line.slice(0, line.indexOf(":")).trim(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { ...(more as object), kind: "http", url: draft.url.trim(), method: draft.method, ...(Object.keys(headers).length ? { headers } : {}) };
}

export function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(text.split(",").map((one) => one.trim()).filter(Boolean).map((one) => [one.slice(0, one.indexOf("=")).trim(), one.slice(one.indexOf("=") + 1).trim()]));
}

function pairs(values: Record<string, string>, sign: string): string {
  return Object.entries(values).map(([name, value]) => `${name}${sign}${value}`).join(", ");
}

/** Milliseconds of a duration as the API reads it; null if it is none. */
export function durationOf(text: string): number | null {
  const given = text.trim();
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given) * 1000;
  const sizes: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
  const parts = [...given.matchAll(/(\d+(?:\.\d+)?)(ms|[smhdw])/g)];
  if (!parts.length || parts.map((one) => one[0]).join("") !== given) return null;
  return parts.reduce((sum, [, n, unit]) => sum + Number(n) * sizes[unit!]!, 0);
}
