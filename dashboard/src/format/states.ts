// States in words. The API's word is kept beside it, for tooltips.
import type { JobState } from "../api/types";

export type Shape =
  | "created" | "queued" | "running" | "succeeded" | "retrying" | "dead" | "cancelled" | "skipped" | "lost"
  | "suspended" | "blocked" | "breaker" | "missed" | "label" | "yes" | "wait";

/** The shape of a job: `created` reads as retrying once an attempt has failed. */
export function shapeOf(state: JobState | string, attempts = 0): Shape {
  if (state === "created") return attempts > 0 ? "retrying" : "created";
  if (state === "failed") return "retrying";
  return state as Shape;
}

const WORDS: Record<string, string> = {
  created: "Waiting", queued: "Queued", running: "Running", succeeded: "Succeeded", retrying: "Retrying", dead: "Dead",
  cancelled: "Cancelled", skipped: "Skipped", lost: "Lost", suspended: "Suspended", blocked: "Lane blocked",
  breaker: "Breaker open", missed: "Missed", label: "No executor",
};

/** The word of a job's state. */
export function wordOf(state: JobState | string, attempts = 0): string {
  return WORDS[shapeOf(state, attempts)] ?? state;
}

/** The word of a run's state: a failed run reads "Failed". */
export function wordOfRun(state: JobState | string): string {
  return state === "failed" ? "Failed" : (WORDS[state] ?? state);
}

/** Whether a job has ended. */
export function ended(state: JobState | string): boolean {
  return ["succeeded", "dead", "cancelled", "skipped", "lost"].includes(state);
}
