// A rule as a form has it, and as the API takes it.
import type { NotificationRule } from "../../api/types";
import { placeOf, type Channel } from "./words";

export const KINDS: readonly (readonly [Channel["kind"], string])[] = [
  ["mail", "Mail"], ["webhook", "Webhook"], ["slack", "Slack"], ["teams", "Teams"], ["discord", "Discord"], ["apprise", "Apprise"],
];

export interface DraftChannel {
  kind: Channel["kind"];
  place: string;
  secret: string;
}

export interface Draft {
  name: string;
  about: "all" | "schedule" | "lane" | "label" | "cluster";
  schedule: string;
  lane: string;
  label: string;
  events: string[];
  channels: DraftChannel[];
  after: string;
  digest: string;
  quiet: string;
  zone: string;
  subject: string;
  text: string;
}

export function draftOf(rule?: NotificationRule): Draft {
  const scope = rule?.scope ?? {};
  const labels = Object.entries(scope.labels ?? {});
  return {
    name: rule?.name ?? "",
    about: scope.cluster ? "cluster" : scope.schedule_id ? "schedule" : scope.ordering_key ? "lane" : labels.length ? "label" : "all",
    schedule: scope.schedule_id ? String(scope.schedule_id) : "",
    lane: scope.ordering_key ?? "",
    label: labels.map(([name, value]) => `${name}=${value}`).join(", "),
    events: [...(rule?.events ?? ["failed", "recovered"])],
    channels: rule?.channels.map((one) => ({ kind: one.kind, place: placeOf(one), secret: one.kind === "webhook" ? (one.secret ?? "") : "" })) ?? [{ kind: "mail", place: "", secret: "" }],
    after: String(rule?.after ?? 1),
    digest: String(rule?.digest ?? 60),
    quiet: rule?.quiet?.window ?? "",
    zone: rule?.quiet?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    subject: rule?.template?.subject ?? "",
    text: rule?.template?.text ?? "",
  };
}

export function bodyOf(draft: Draft): Record<string, unknown> {
  return {
    name: draft.name,
    events: draft.events,
    channels: draft.channels.map(channelOf),
    scope: scopeOf(draft),
    after: Number(draft.after),
    digest: Number(draft.digest),
    quiet: draft.quiet ? { window: draft.quiet, zone: draft.zone || "UTC" } : null,
    template: draft.subject || draft.text ? { subject: draft.subject || null, text: draft.text || null } : null,
  };
}

function channelOf({ kind, place, secret }: DraftChannel): Record<string, unknown> {
  if (kind === "mail") return { kind, to: place.split(",").map((one) => one.trim()).filter(Boolean) };
  return { kind, url: place.trim(), ...(kind === "webhook" && secret ? { secret } : {}) };
}

function scopeOf(draft: Draft): Record<string, unknown> {
  if (draft.about === "cluster") return { cluster: true };
  if (draft.about === "schedule" && draft.schedule) return { schedule_id: Number(draft.schedule) };
  if (draft.about === "lane") return { ordering_key: draft.lane };
  if (draft.about === "label") {
    const pairs = draft.label.split(",").map((one) => one.trim()).filter(Boolean);
    return { labels: Object.fromEntries(pairs.map((one) => { const at = one.indexOf("="); return at < 0 ? [one, ""] : [one.slice(0, at), one.slice(at + 1)]; })) };
  }
  return {};
}
