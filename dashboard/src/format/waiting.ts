// What holds a job back, in few words. Pure.
import type { Job, Waiting } from "../api/types";

const WORDS: Partial<Record<Waiting["kind"], string>> = {
  retry: "backoff", hours: "hours are closed", definition_limit: "limit reached", user_limit: "your limit reached", executor: "no executor", worker: "no worker",
  slots: "all slots in use", owner: "shard without owner", not_known: "not known",
};

/** For a list's cell; empty for a job whose instant has not come. */
export function heldBy(job: Pick<Job, "waiting_for">): string {
  const one = job.waiting_for.find((found) => found.kind !== "instant");
  if (!one) return "";
  if (one.kind === "lane") return `behind job ${one.job_id}${one.job_status === "dead" ? ", which is dead" : ""}`;
  if (one.kind === "breaker") return `${(one.host ?? "host").replace(/^https?:\/\//, "")} is down`;
  if (one.kind === "labels") return `no executor with ${Object.entries(one.labels ?? {}).map(([name, value]) => `${name}=${value}`).join(", ")}`;
  return WORDS[one.kind] ?? one.message;
}
