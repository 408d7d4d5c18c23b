import { describe, expect, it } from "vitest";
import { bodyOf, draftOf, durationOf, EMPTY, wrong } from "./draft";

describe("a job's form", () => {
  it("makes the body that the API takes", () => {
    const draft = { ...EMPTY, message: '{"a":1}', kind: "http" as const, url: "https://a.example/x", headers: "x-a: 1\nx-b: c:d", labels: "team=x, env=b", attempts: "3", lane: "k", timeout: "30s" };
    expect(bodyOf(draft, "UTC")).toEqual({
      message: { a: 1 }, delay: "1m", ordering_key: "k", timeout: "30s", labels: { team: "x", env: "b" }, retry: { max_attempts: 3 },
      target: { kind: "http", url: "https://a.example/x", method: "POST", headers: { "x-a": "1", "x-b": "c:d" } },
    });
  });
  it("reads a local time in the zone", () => {
    expect(bodyOf({ ...EMPTY, when: "at", at: "2026-10-25T02:30" }, "Europe/Berlin")["execute_at"]).toBe("2026-10-25T00:30:00.000Z");
  });
  it("never sends hidden values back, and names them", () => {
    const { draft, hidden } = draftOf({ message: "m", target: { kind: "http", url: "https://a.example", method: "PUT", headers: { authorization: "(hidden)", "x-a": "1" }, auth: { kind: "bearer", token: "(hidden)" }, body: null, follow_redirects: 0 } });
    expect(hidden).toEqual(["header authorization", "authorization"]);
    expect(JSON.stringify(bodyOf(draft, "UTC"))).not.toContain("(hidden)");
    expect(draft.headers).toBe("x-a: 1");
  });
  it("keeps what it has no field for", () => {
    const body = { message: "m", limit: { max_concurrency: 2 }, retry: { max_attempts: 4, base: 9 } };
    expect(bodyOf({ ...draftOf(body).draft, when: "now" }, "UTC")).toEqual(body);
  });
  it("keeps a target that it has no fields for", () => {
    const body = { message: "m", target: { kind: "kafka", topic: "mails" } };
    expect(bodyOf({ ...draftOf(body).draft, when: "now" }, "UTC")).toEqual(body);
  });
  it("has fields for a queue and its task", () => {
    const body = { message: "m", target: { kind: "queue", queue: "mails", task: "send", stall_after: 9 } };
    const { draft } = draftOf(body);
    expect([draft.kind, draft.queue, draft.task]).toEqual(["queue", "mails", "send"]);
    expect(bodyOf({ ...draft, when: "now" }, "UTC")).toEqual(body);
    expect(bodyOf({ ...EMPTY, when: "now", kind: "queue", queue: " mails " }, "UTC")["target"]).toEqual({ kind: "queue", queue: "mails" });
    expect(Object.keys(wrong({ ...EMPTY, kind: "queue", queue: "", task: "a b" }, "UTC"))).toEqual(["queue", "task"]);
  });
  it("says what is wrong, at its field", () => {
    const draft = { ...EMPTY, when: "delay" as const, delay: "soon", kind: "http" as const, url: "a.example", labels: "x", attempts: "0", headers: "oops", priority: "high" };
    expect(Object.keys(wrong(draft, "UTC")).sort()).toEqual(["attempts", "delay", "headers", "labels", "priority", "url"]);
    expect(wrong(EMPTY, "UTC")).toEqual({});
  });
  it.each([["90", 90_000], ["1h30m", 5_400_000], ["1.5s", 1500], ["x", null], ["1h x", null]])("reads the duration %s", (text, ms) => expect(durationOf(text)).toBe(ms));
});
