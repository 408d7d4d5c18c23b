import { describe, expect, it } from "vitest";
import { changesOf } from "./changes";

describe("what changed", () => {
  it("says what a field was and what it is", () => {
    expect(changesOf({ job_weight: { before: 1, after: 3 } })).toEqual(["job_weight: 1 → 3"]);
    expect(changesOf({ name: { before: null, after: "x" }, quiet: { before: { window: "a" }, after: null } })).toEqual(["name: x", 'quiet: was {"window":"a"}']);
  });

  it("shows other details as they are, and none as none", () => {
    expect(changesOf({ ids: [1, 2] })).toEqual(["ids: [1,2]"]);
    expect(changesOf(null)).toEqual([]);
    expect(changesOf("text")).toEqual([]);
  });
});
