// Is everything on time? Pure.
import type { Overview } from "../../api/types";
import { lateness, span } from "../../format/durations";
import { capped, plural } from "../../format/numbers";
import type { Shape } from "../../format/states";

export interface Judgement {
  shape: Shape;
  say: "On time" | "Late" | "Not launching" | "Quiet";
  aside: string;
  text: string;
}

export const WINDOW_WORDS: Record<string, string> = {
  "15m": "the last 15 minutes", "1h": "the last hour", "3h": "the last 3 hours", "24h": "the last 24 hours", "7d": "the last 7 days",
};

/** How long a due job may wait before nothing is being launched. */
const STALLED = 30_000;
/** Steps that count as now. */
const RECENT = 5;

export function judge(look: Overview): Judgement {
  const now = Date.parse(look.now);
  const { lateness: late, waiting, series } = look;
  // Over all users, the oldest due job may be one that a label or a limit holds: it tells nothing about lateness.
  const everyone = waiting.overdue === null;
  const overdueFor = waiting.oldest_due_at ? now - Date.parse(waiting.oldest_due_at) : 0;
  const text = `${sentence(look)} ${holding(look, overdueFor)}`.trim();
  const launchedLately = series.launched.slice(-RECENT).some((n) => n > 0);
  if (overdueFor > STALLED && !launchedLately && look.running === 0) {
    return { shape: "dead", say: "Not launching", aside: `a job is overdue by ${span(overdueFor)}`, text };
  }
  const p99 = Math.max(0, ...series.p99_ms.slice(-RECENT).map((ms) => ms ?? 0));
  if (!everyone && overdueFor > Math.max(2000, late.budget_ms)) {
    return { shape: "wait", say: "Late", aside: `a job is overdue by ${span(overdueFor)}`, text };
  }
  if (p99 > late.budget_ms && series.step <= 60) {
    return { shape: "wait", say: "Late", aside: `p99 ${lateness(p99)}, budget ${lateness(late.budget_ms)}`, text };
  }
  if (late.launched === 0) {
    return { shape: "created", say: "Quiet", aside: `nothing was due in ${WINDOW_WORDS[look.window]}`, text };
  }
  return { shape: "succeeded", say: "On time", aside: `for ${onTimeFor(look)}`, text };
}

/** Since the last step whose p99 passed the budget, or since the first launch, or the whole window. */
function onTimeFor({ series, lateness: late, window, now }: Overview): string {
  const last = series.p99_ms.findLastIndex((ms) => ms !== null && ms > late.budget_ms);
  const first = series.launched.findIndex((n) => n > 0);
  if (last < 0 && first > 1) return span(Math.max(60_000, Date.parse(now) - Date.parse(series.start) - first * series.step * 1000));
  if (last < 0) return WINDOW_WORDS[window]!.replace("the last ", "").replace(/^hour$/, "an hour") + " or more";
  return span((series.p99_ms.length - 1 - last) * series.step * 1000);
}

function sentence({ lateness: late, window }: Overview): string {
  if (!late.launched || late.p99_ms === null) return "";
  const over = WINDOW_WORDS[window];
  if (late.launched < 100) return `${plural(late.launched, "launch", "launches")} in ${over}, the latest ${lateness(late.worst_ms)} after its instant.`;
  return `99 of 100 launches started within ${lateness(late.p99_ms)} of their instant, over ${over}.`;
}

function holding({ waiting }: Overview, overdueFor: number): string {
  const overdue =
    waiting.overdue === null
      ? overdueFor > 2000 ? `The oldest due job, late or held back, has waited ${span(overdueFor)}.` : "Nothing is overdue."
      : waiting.overdue === 0
        ? "Nothing is overdue"
        : `${capped(waiting.overdue)} ${waiting.overdue === 1 ? "job is" : "jobs are"} due and not yet launched`;
  if (waiting.overdue === null) return overdue;
  return `${overdue}${waiting.held ? `; ${capped(waiting.held)} due ${waiting.held === 1 ? "job is" : "jobs are"} held back` : ""}.`;
}
