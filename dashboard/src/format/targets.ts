// What a job does, in one line, and as a command. Pure.
import type { Job, Schedule, Target } from "../api/types";

export interface Does {
  /** POST, or log. */
  verb: string;
  /** Host and path, or the message. */
  what: string;
}

/** A job's target and message in one line. */
export function does(target: Target, message: unknown): Does {
  if (target.kind === "http") return { verb: target.method ?? "POST", what: target.url.replace(/^https?:\/\//, "") };
  if (target.kind === "log") return { verb: "log", what: oneLine(message) };
  if (target.kind === "shell") return { verb: "run", what: oneLine(target.command?.join(" ") ?? target.script ?? "") };
  const { kind, queue, task } = target as { kind: string; queue?: string; task?: string };
  return { verb: kind, what: queue ? `${queue}${task && task !== "default" ? ` ${task}` : ""}` : oneLine(message) };
}

/** A message as one line of text. */
export function oneLine(message: unknown): string {
  const text = typeof message === "string" ? message : JSON.stringify(message);
  return (text ?? "").replace(/\s+/g, " ").trim();
}

/** A message as it was given: text as it is, any other value as JSON. */
export function asText(message: unknown): string {
  return typeof message === "string" ? message : JSON.stringify(message, null, 2);
}

/** Text that a person wrote as a message: JSON where it is an object, an array, a number or a literal. */
export function asMessage(text: string): unknown {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed)) return text;
  try {
    return JSON.parse(trimmed);
  } catch {
    return text;
  }
}

const COPIED = [
  "message", "target", "ordering_key", "priority", "timeout", "delivery", "retry", "on_failure", "labels", "limit",
  "hours", "breaker", "requires",
] as const;

/** The body of a call that creates a job like this one. Values that are empty are left out. */
export function bodyLike(job: Job | Schedule): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of COPIED) {
    const value = job[name];
    if (value === null || value === undefined) continue;
    if (name === "breaker" && value === true) continue;
    if (typeof value === "object" && !Array.isArray(value) && Object.keys(value).length === 0) continue;
    body[name] = value;
  }
  if (job.delivery === "at_most_once") delete body["retry"];
  if (!job.ordering_key) delete body["on_failure"];
  return body;
}

/** A call as a curl command. The token stays a variable: a command is pasted into chats. */
export function curl(server: string, method: string, path: string, body?: unknown): string {
  const lines = [`curl -X ${method} ${server.replace(/\/$/, "")}${path}`, '-H "Authorization: Bearer $DUETIME_TOKEN"'];
  if (body !== undefined) {
    lines.push("-H 'content-type: application/json'", `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`);
  }
  return lines.join(" \\\n  ");
}
