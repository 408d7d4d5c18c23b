// Notification rules in words: what they are about, what they tell, and where to.
import type { NotificationRule } from "../../api/types";

export type EventName = NotificationRule["events"][number];
export type Channel = NotificationRule["channels"][number];

/** What a rule about jobs can ask for. */
export const EVENTS: readonly (readonly [string, string])[] = [
  ["failed", "it fails"], ["recovered", "it works again"], ["dead", "each dead letter"], ["lost", "each lost job"], ["late", "it is late"],
  ["missed", "instants are missed"], ["lane_blocked", "a lane is blocked"], ["schedule_ended", "a schedule has ended"], ["breaker_open", "a host is down"],
];

/** What a rule about the cluster can ask for. */
export const CLUSTER_EVENTS: readonly (readonly [string, string])[] = [
  ["node_lost", "a node is lost"], ["database_away", "the database was away"], ["shards_unowned", "shards have no owner"], ["breaker_open", "a host is down, of any user"], ["recovered", "it works again"],
];

const WORDS = new Map([...EVENTS, ...CLUSTER_EVENTS]);

/** An event in a few words. */
export const wordsOf = (event: string): string => (event === "breaker_open" ? "a host is down" : (WORDS.get(event) ?? event.replaceAll("_", " ")));

/** What a rule is about. */
export function aboutOf({ scope }: NotificationRule, schedules: ReadonlyMap<number, string>): string {
  if (scope.cluster) return "the cluster";
  const parts = [
    scope.schedule_id ? `schedule ${schedules.get(scope.schedule_id) ?? scope.schedule_id}` : "",
    scope.ordering_key ? `lane ${scope.ordering_key}` : "",
    ...Object.entries(scope.labels ?? {}).map(([name, value]) => `${name}=${value}`),
  ].filter(Boolean);
  return parts.join(", ") || "all your jobs";
}

/** Where a channel leads. */
export function placeOf(channel: Channel): string {
  return channel.kind === "mail" ? channel.to.join(", ") : channel.url;
}

/** One line about an event that a message lists. */
export function lineOf(item: { event: string; job_id?: number | null; schedule?: string | null; schedule_id?: number | null; lane?: string | null; name?: string | null }): string {
  const what = item.name ?? item.schedule ?? (item.schedule_id ? `schedule ${item.schedule_id}` : item.lane ? `lane ${item.lane}` : item.job_id ? `job ${item.job_id}` : "");
  return item.event === "test" ? "a test" : `${what} ${item.event.replaceAll("_", " ")}`.trim();
}
