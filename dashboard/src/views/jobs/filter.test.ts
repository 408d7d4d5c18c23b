import { describe, expect, it } from "vitest";
import { cancelFilter, parseToken, pinned, queryOf, valueWords } from "./filter";
import { parseSearch, stringifySearch } from "../../search";

const now = Date.parse("2026-10-22T12:00:00Z");

describe("tokens", () => {
  it.each([
    ["state:dead", { state: "dead" }], ["state:Waiting,running", { state: "created,running" }], ["due:-24h..7d", { from: "-24h", to: "7d" }],
    ["lane:customer-7", { lane: "customer-7" }], ["label:team=x", { label: "team=x" }], ["schedule:12", { schedule: "12" }],
    ["invoice 42", { q: "invoice 42" }], ["host:https://a.example:8443", { host: "https://a.example:8443" }], ["https://a.example", { q: "https://a.example" }],
  ])("reads %s", (text, set) => expect(parseToken(text, now)).toEqual({ set }));
  it.each(["state:eager", "due:soon", "due:", "label:team", "schedule:x", "colour:red", "lane:", "state:dead,retrying"])("says what is wrong with %s", (text) => {
    expect(parseToken(text, now)).toHaveProperty("error");
  });
});

describe("the query", () => {
  it("asks for waiting jobs with a failed attempt by a field of its own", () => {
    expect(queryOf({ state: "retrying" }, now)).toMatchObject({ retrying: true, status: undefined });
    expect(queryOf({ state: "dead,lost", from: "-1h" }, now)).toMatchObject({ status: ["dead", "lost"], from: "2026-10-22T11:00:00.000Z" });
  });
  it("cancels what is shown, and nothing else", () => {
    expect(cancelFilter({ label: "team=x,env=a=b", lane: "k", state: "created,dead", schedule: "7" }, now)).toEqual({
      labels: { team: "x", env: "a=b" }, ordering_key: "k", statuses: ["created"], schedule_id: 7,
    });
  });
  it("pins relative times in a link", () => {
    expect(pinned({ from: "-1h", q: "x" }, now)).toEqual({ from: "2026-10-22T11:00:00.000Z", q: "x" });
  });
  it("shows values in words", () => {
    expect(valueWords("state", "created", now, "UTC")).toBe("Waiting");
    expect(valueWords("from", "-24h", now, "UTC")).toBe("24 h ago");
    expect(valueWords("to", "2026-10-22T13:00:00Z", now, "UTC")).toBe("13:00:00");
  });
});

describe("URLs", () => {
  it("keep texts as they are", () => {
    const search = { state: "dead,lost", label: "team=a b", q: "50 %" };
    expect(parseSearch(stringifySearch(search).slice(1))).toEqual(search);
    expect(stringifySearch({ a: undefined, b: "" })).toBe("");
  });
});
