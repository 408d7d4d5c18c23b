import { describe, expect, it } from "vitest";
import type { Overview } from "../../api/types";
import { judge } from "./verdict";

const now = "2026-10-22T12:00:00Z";
const quiet: Overview = {
  now, window: "1h",
  lateness: { p50_ms: null, p99_ms: null, worst_ms: null, budget_ms: 1000, launched: 0 },
  counts: { launched: 0, succeeded: 0, failed: 0, dead: 0, cancelled: 0, skipped: 0, lost: 0, missed: 0 },
  series: { start: now, step: 60, launched: [0, 0, 0], succeeded: [], failed: [], dead: [], lost: [], skipped: [], missed: [], p50_ms: [null, null, null], p99_ms: [null, null, null], worst_ms: [null, null, null] },
  waiting: { overdue: 0, overdue_capped: false, oldest_due_at: null, held: 0, held_capped: false, oldest_held_at: null },
  running: 0, queued: 0, jobs: {} as never,
  needs: { dead_letters: 0, blocked_lanes: 0, broken_hosts: 0, missed: 0, lost: 0 },
};
const busy: Overview = {
  ...quiet,
  lateness: { p50_ms: 1, p99_ms: 8.4, worst_ms: 41, budget_ms: 1000, launched: 500 },
  series: { ...quiet.series, launched: [5, 5, 5, 5, 5, 5, 5, 5], p99_ms: [9, 2000, 9, 9, 9, 9, 9, 9] },
};

describe("the verdict", () => {
  it("is quiet when nothing was due", () => expect(judge(quiet).say).toBe("Quiet"));
  it("is on time since the last minute over the budget", () => {
    expect(judge(busy)).toMatchObject({ say: "On time", aside: "for 6 min" });
    expect(judge(busy).text).toBe("99 of 100 launches started within 8.4 ms of their instant, over the last hour. Nothing is overdue.");
  });
  it("is on time since the first launch of the window", () => {
    const start = "2026-10-22T11:56:30Z";
    const young = { ...busy, series: { ...busy.series, start, launched: [0, 0, 5, 5], p99_ms: [null, null, 9, 9] } };
    expect(judge(young).aside).toBe("for 1 min 30 s");
    expect(judge({ ...young, series: { ...young.series, launched: [5, 0, 5, 5] } }).aside).toBe("for an hour or more");
  });
  it("is late when the last minutes pass the budget", () => {
    expect(judge({ ...busy, series: { ...busy.series, p99_ms: [9, 9, 9, 9, 9, 9, 1500, 9] } }).say).toBe("Late");
  });
  it("is late when a due job waits, and not launching when nothing goes", () => {
    const waiting = { ...busy.waiting, overdue: 3, oldest_due_at: "2026-10-22T11:59:00Z", held: 388 };
    expect(judge({ ...busy, waiting })).toMatchObject({ say: "Late", aside: "a job is overdue by 1 min" });
    expect(judge({ ...quiet, waiting })).toMatchObject({ say: "Not launching" });
    expect(judge({ ...busy, waiting }).text).toContain("3 jobs are due and not yet launched; 388 due jobs are held back.");
  });
});
