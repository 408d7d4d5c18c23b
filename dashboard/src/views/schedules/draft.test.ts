import { describe, expect, it } from "vitest";
import { bodyOf, changesOf, draftOf, emptySchedule, timingOf, wrong } from "./draft";

const stored = {
  id: 1, name: "nightly", state: "active", cron: "30 2 * * *", dialect: "standard", every: null, anchor: null, at: null, rrule: null, zone: "Europe/Berlin",
  dst_policy: "vixie", calendar: null, window: null, window_policy: null, jitter: null, start: null, end: null, max_occurrences: null,
  misfire: { policy: "skip", grace: 5, max_count: 1, max_age: 0 }, overlap: "skip", message: "m", target: { kind: "log" }, ordering_key: null, priority: 5, timeout: 60,
  expires_after: null, delivery: "at_least_once", retry: { max_attempts: 5, base: 1 }, on_failure: "block", labels: {}, limit: { max_concurrency: 1 }, hours: null, breaker: true, requires: {},
} as never;

describe("a schedule's form", () => {
  it("changes nothing when nothing was changed", () => {
    const { draft } = draftOf(stored);
    expect(changesOf(draft, draftOf(stored).draft)).toEqual({});
  });
  it("sends what was changed, and null for what is gone", () => {
    const { draft } = draftOf(stored);
    expect(changesOf({ ...draft, mode: "every", every: "15m" }, draft)).toEqual({ every: "15m", cron: null, dst_policy: null });
    expect(changesOf({ ...draft, misfire: "fire_all" }, draft)).toEqual({ misfire: "fire_all" });
  });
  it("keeps fields that it does not show", () => {
    expect(bodyOf(draftOf(stored).draft)).toMatchObject({ limit: { max_concurrency: 1 }, misfire: { policy: "skip", grace: 5 } });
  });
  it("takes several cron lines, one a line", () => {
    expect(timingOf({ ...emptySchedule("UTC"), cron: "0 9 * * *\n\n0 18 * * *" })["cron"]).toEqual(["0 9 * * *", "0 18 * * *"]);
  });
  it("asks for a name", () => expect(wrong(emptySchedule("UTC"))).toHaveProperty("name"));
});
