import { describe, expect, it } from "vitest";
import { fieldsOf } from "./cron";
import { lateness, relative, span } from "./durations";
import { addDays, clock, compact, exact, fromInput, inputValue, instantOf, offset, weekStart } from "./instants";
import { bytes, capped, count, plural, short } from "./numbers";
import { shapeOf, wordOf } from "./states";
import { asMessage, bodyLike, curl, does } from "./targets";

const at = (text: string) => Date.parse(text);

describe("durations", () => {
  it.each([
    [0, "0 ms"], [-3, "0 ms"], [0.84, "0.84 ms"], [8.42, "8.4 ms"], [9.96, "10 ms"], [212.4, "212 ms"], [999.6, "1 s"],
    [2100, "2.1 s"], [60_000, "60 s"], [600_000, "10 min"], [7_200_000, "2 h"],
  ])("shows %d ms of lateness with three digits at most", (ms, text) => expect(lateness(ms)).toBe(text));
  it.each([
    [0, "0 s"], [72_000, "1 min 12 s"], [8_520_000, "2 h 22 min"], [496_800_000, "5 d 18 h"], [3_600_000, "1 h"],
    [660_000, "11 min"],
  ])("shows a span of %d ms with two units at most", (ms, text) => expect(span(ms)).toBe(text));
  it("says on which side of now an instant lies", () => {
    expect(relative(10_000, 0)).toBe("in 10 s");
    expect(relative(0, 10_000)).toBe("10 s ago");
    expect(relative(400, 0)).toBe("now");
  });
});

describe("instants", () => {
  const due = at("2026-10-23T00:30:00Z");
  it("names the zone and its offset", () => {
    expect(offset(due, "Europe/Berlin")).toBe("+02:00");
    expect(offset(due, "UTC")).toBe("+00:00");
    expect(offset(due, "America/St_Johns")).toBe("-02:30");
    expect(exact(due, "Europe/Berlin")).toBe("Fri 23 Oct 2026 02:30:00.000 +02:00 Europe/Berlin");
  });
  it("leaves today's date out", () => {
    expect(compact(due, "Europe/Berlin", due + 1)).toBe("02:30:00");
    expect(compact(due, "Europe/Berlin", at("2026-10-25T00:00:00Z"))).toBe("23 Oct 02:30");
    expect(compact(due, "Europe/Berlin", at("2027-10-25T00:00:00Z"))).toBe("23 Oct 2026 02:30");
    expect(clock(due + 7, "UTC", true)).toBe("00:30:00.007");
  });
  it("reads local times, also where clocks change", () => {
    expect(instantOf(2026, 10, 25, 2, 30, "Europe/Berlin")).toBe(at("2026-10-25T00:30:00Z"));
    expect(instantOf(2026, 3, 29, 2, 30, "Europe/Berlin")).toBe(at("2026-03-29T01:30:00Z"));
    expect(fromInput(inputValue(due, "Asia/Kolkata"), "Asia/Kolkata")).toBe(due);
    expect(fromInput("tomorrow", "UTC")).toBeNull();
  });
  it("begins weeks on Monday and keeps local midnight over a change of clocks", () => {
    const week = weekStart(due, "Europe/Berlin");
    expect(week).toBe(at("2026-10-18T22:00:00Z"));
    expect(addDays(week, 7, "Europe/Berlin")).toBe(at("2026-10-25T23:00:00Z"));
  });
});

describe("numbers", () => {
  it("keeps them short", () => {
    expect([count(12240), short(9234), short(41_180), short(1_513_000), short(980)]).toEqual(["12,240", "9.2k", "41k", "1.5M", "980"]);
    expect([capped(9999), capped(10_000)]).toEqual(["9,999", "10k+"]);
    expect([plural(1, "job"), plural(12, "job")]).toEqual(["1 job", "12 jobs"]);
    expect([bytes(214), bytes(1), bytes(61_000), bytes(41e9)]).toEqual(["214 bytes", "1 byte", "61 KB", "41 GB"]);
  });
});

describe("cron fields", () => {
  it("finds the fields' places", () => {
    expect(fieldsOf("30  2 * * *").map(({ name, from, to }) => [name, from, to]).slice(0, 2)).toEqual([["minute", 0, 2], ["hour", 4, 5]]);
    expect(fieldsOf("@daily")).toEqual([]);
  });
});

describe("jobs", () => {
  it("reads created as retrying once an attempt failed", () => {
    expect([wordOf("created"), wordOf("created", 2), shapeOf("failed")]).toEqual(["Waiting", "Retrying", "retrying"]);
  });
  it("says what a job does in one line", () => {
    const http = { kind: "http", url: "https://api.example/hooks", method: "POST" } as never;
    expect(does(http, "")).toEqual({ verb: "POST", what: "api.example/hooks" });
    expect(does({ kind: "shell", command: ["backup", "--all"] } as never, "")).toEqual({ verb: "run", what: "backup --all" });
    expect(does({ kind: "log" } as never, { a: 1 })).toEqual({ verb: "log", what: '{"a":1}' });
  });
  it("takes JSON objects as JSON, and all else as text", () => {
    expect([asMessage('{"a":1}'), asMessage("12"), asMessage("{oops")]).toEqual([{ a: 1 }, "12", "{oops"]);
  });
  it("copies a call without its token and quotes quotes", () => {
    expect(curl("http://h/", "POST", "/api/v1/me/jobs", { message: "it's" })).toContain(`-d '{"message":"it'\\''s"}'`);
  });
  it("leaves empty values out of a job like another", () => {
    const job = { message: "m", target: { kind: "log" }, ordering_key: null, priority: 5, timeout: 60, delivery: "at_least_once", retry: {}, on_failure: "block", labels: {}, limit: null, hours: null, breaker: true, requires: {} };
    expect(bodyLike(job as never)).toEqual({ message: "m", target: { kind: "log" }, priority: 5, timeout: 60, delivery: "at_least_once" });
  });
});
