import { describe, expect, it } from "vitest";
import type { NotificationRule } from "../../api/types";
import { aboutOf, lineOf, placeOf, wordsOf } from "./words";

const rule = (scope: object) => ({ scope }) as NotificationRule;

describe("a rule in words", () => {
  it("says what it is about", () => {
    const names = new Map([[7, "nightly"]]);
    expect(aboutOf(rule({}), names)).toBe("all your jobs");
    expect(aboutOf(rule({ schedule_id: 7 }), names)).toBe("schedule nightly");
    expect(aboutOf(rule({ schedule_id: 8, ordering_key: "a" }), names)).toBe("schedule 8, lane a");
    expect(aboutOf(rule({ labels: { team: "x" } }), names)).toBe("team=x");
    expect(aboutOf(rule({ cluster: true }), names)).toBe("the cluster");
  });

  it("says what it tells, and where to", () => {
    expect(wordsOf("lane_blocked")).toBe("a lane is blocked");
    expect(wordsOf("something_new")).toBe("something new");
    expect(placeOf({ kind: "mail", to: ["a@b.c", "d@e.f"] })).toBe("a@b.c, d@e.f");
    expect(placeOf({ kind: "slack", url: "https://hooks.example/(hidden)" })).toBe("https://hooks.example/(hidden)");
  });

  it("names what an event is about", () => {
    expect(lineOf({ event: "failed", schedule: "nightly", schedule_id: 7, job_id: 3 })).toBe("nightly failed");
    expect(lineOf({ event: "dead", job_id: 3 })).toBe("job 3 dead");
    expect(lineOf({ event: "node_lost", name: "host:1 (7)" })).toBe("host:1 (7) node lost");
    expect(lineOf({ event: "test" })).toBe("a test");
  });
});
