// A schedule as a person fills it in, between the form and the API's body. Pure.
import type { PreviewBody, Schedule } from "../../api/types";
import { bodyLike } from "../../format/targets";
import { bodyOf as jobBody, draftOf as jobDraft, EMPTY as EMPTY_JOB, wrong as wrongJob, type Draft as JobDraft } from "../jobs/draft";

export interface ScheduleDraft {
  name: string;
  mode: "cron" | "every" | "at" | "rrule";
  cron: string;
  quartz: boolean;
  every: string;
  at: string;
  rrule: string;
  zone: string;
  dst: "vixie" | "shift" | "skip_once" | "literal";
  calendar: string;
  window: string;
  windowPolicy: string;
  jitter: string;
  misfire: string;
  overlap: string;
  job: JobDraft;
  /** What the form has no field for. */
  rest: Record<string, unknown>;
}

export function emptySchedule(zone: string): ScheduleDraft {
  return {
    name: "", mode: "cron", cron: "30 2 * * *", quartz: false, every: "15m", at: "", rrule: "FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0", zone, dst: "vixie",
    calendar: "", window: "", windowPolicy: "move", jitter: "", misfire: "fire_once", overlap: "skip", job: { ...EMPTY_JOB, when: "now" }, rest: {},
  };
}

const text = (value: unknown) => (value === null || value === undefined ? "" : String(value));

export function draftOf(one: Schedule): { draft: ScheduleDraft; hidden: string[] } {
  const { draft: job, hidden } = jobDraft(bodyLike(one));
  const rest: Record<string, unknown> = {};
  for (const name of ["anchor", "start", "end", "max_occurrences", "expires_after"] as const) if (one[name] !== null) rest[name] = one[name];
  if (one.misfire.policy !== "fire_once") rest["misfire"] = one.misfire;
  return {
    hidden,
    draft: {
      name: one.name,
      mode: one.cron ? "cron" : one.every !== null ? "every" : one.at ? "at" : "rrule",
      cron: Array.isArray(one.cron) ? one.cron.join("\n") : text(one.cron),
      quartz: one.dialect === "quartz",
      every: text(one.every),
      at: (one.at ?? []).join("\n"),
      rrule: text(one.rrule),
      zone: one.zone,
      dst: (one.dst_policy ?? (one.rrule ? "shift" : "vixie")) as ScheduleDraft["dst"],
      calendar: text(one.calendar),
      window: text(one.window),
      windowPolicy: one.window_policy ?? "move",
      jitter: text(one.jitter),
      misfire: one.misfire.policy,
      overlap: one.overlap,
      job: { ...job, when: "now" },
      rest,
    },
  };
}

const span = (given: string): string | number => (/^\d+(\.\d+)?$/.test(given.trim()) ? Number(given) : given.trim());

/** The timing alone, as the preview takes it. */
export function timingOf(draft: ScheduleDraft): Record<string, unknown> {
  const timing: Record<string, unknown> = { zone: draft.zone };
  if (draft.mode === "cron") {
    const lines = draft.cron.split("\n").map((line) => line.trim()).filter(Boolean);
    timing["cron"] = lines.length > 1 ? lines : (lines[0] ?? "");
    if (draft.quartz) timing["dialect"] = "quartz";
  }
  if (draft.mode === "every") {
    timing["every"] = span(draft.every);
    if (draft.rest["anchor"]) timing["anchor"] = draft.rest["anchor"];
  }
  if (draft.mode === "at") timing["at"] = draft.at.split(/[\n,]/).map((line) => line.trim()).filter(Boolean);
  if (draft.mode === "rrule") timing["rrule"] = draft.rrule.trim();
  if (draft.mode === "cron" || draft.mode === "rrule") timing["dst_policy"] = draft.dst;
  if (draft.calendar) timing["calendar"] = draft.calendar;
  if (draft.window) Object.assign(timing, { window: draft.window, window_policy: draft.windowPolicy });
  if (draft.jitter) timing["jitter"] = span(draft.jitter);
  for (const name of ["start", "end"]) if (draft.rest[name]) timing[name] = draft.rest[name];
  return timing;
}

export function previewBody(draft: ScheduleDraft, n: number): PreviewBody {
  return { ...timingOf(draft), name: draft.name, n } as PreviewBody;
}

/** The body of the call that creates or changes it. */
export function bodyOf(draft: ScheduleDraft): Record<string, unknown> {
  const { anchor: _, start: __, end: ___, misfire, ...rest } = draft.rest;
  const kept = misfire as { policy: string } | undefined;
  return {
    name: draft.name.trim(),
    ...timingOf(draft),
    misfire: kept?.policy === draft.misfire ? kept : draft.misfire,
    overlap: draft.overlap,
    ...rest,
    ...jobBody(draft.job, draft.zone),
    ...(draft.job.kind === "log" ? { target: { kind: "log" } } : {}),
  };
}

/** What differs, for a change: a field that is no longer there becomes null. */
export function changesOf(draft: ScheduleDraft, first: ScheduleDraft): Record<string, unknown> {
  const [after, before] = [bodyOf(draft), bodyOf(first)];
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  const changed: Record<string, unknown> = {};
  for (const name of names) {
    if (JSON.stringify(after[name]) !== JSON.stringify(before[name])) changed[name] = after[name] ?? null;
  }
  return changed;
}

export function wrong(draft: ScheduleDraft): Partial<Record<string, string>> {
  const found: Partial<Record<string, string>> = { ...wrongJob(draft.job, draft.zone) };
  if (!draft.name.trim()) found["name"] = "Give it a name: it is unique among your schedules.";
  return found;
}

/** What the four policies do when clocks change. */
export const DST_WORDS: [ScheduleDraft["dst"], string][] = [
  ["vixie", "in a gap at its end; once when repeated"],
  ["shift", "in a gap later by the gap; once when repeated"],
  ["skip_once", "not in a gap; once when repeated"],
  ["literal", "not in a gap; twice when repeated"],
];

export const FLAG_WORDS: Record<string, [string, string]> = {
  shifted: ["DST", "the local time does not exist that day"],
  repeated: ["DST", "the local time exists twice that day"],
  moved_by_window: ["moved", "to the window's next opening"],
  skipped_by_window: ["window", "outside the window, left out"],
  excluded_by_calendar: ["calendar", "left out by the calendar"],
};
