import { describe, expect, it } from "vitest";
import { instantOf, weekStart } from "../../format/instants";
import { heat, layOut, weekMonday, weekName } from "./grid";

const hour = (at: number, launched = 1) => ({ at: new Date(at).toISOString(), launched, succeeded: 0, failed: 0, dead: 0, lost: 0, skipped: 0, missed: 0, cancelled: 0, worst_ms: null, p99_ms: null, planned: 0 });

describe("the grid of a week", () => {
  const zone = "Europe/Berlin";
  const week = weekStart(Date.parse("2026-10-22T12:00:00Z"), zone);
  const hours = Array.from({ length: 169 }, (_, i) => hour(week + i * 3_600_000));
  it("has every hour once, two in one cell where clocks go back", () => {
    const days = layOut(hours, week, zone);
    expect(days.map((day) => day.total)).toEqual([24, 24, 24, 24, 24, 24, 25]);
    expect(days[6]!.cells[2]!.hours).toHaveLength(2);
  });
  it("has an empty cell where clocks go forward", () => {
    const spring = weekStart(Date.parse("2027-03-25T12:00:00Z"), zone);
    const days = layOut(Array.from({ length: 167 }, (_, i) => hour(spring + i * 3_600_000)), spring, zone);
    expect(days[6]!.cells[2]!.hours).toHaveLength(0);
    expect(days[6]!.total).toBe(23);
  });
  it("names weeks as ISO does, and reads them back", () => {
    expect(weekName(week, zone)).toBe("2026-W43");
    for (const at of ["2027-01-01T12:00:00Z", "2024-12-30T12:00:00Z", "2026-11-18T05:00:00Z"]) {
      const monday = weekStart(Date.parse(at), zone);
      const back = weekMonday(weekName(monday, zone))!;
      expect(instantOf(back.year, back.month, back.day, 0, 0, zone)).toBe(monday);
    }
    expect(weekMonday("soon")).toBeNull();
  });
  it("keeps six steps of heat", () => {
    expect([heat(0, 100), heat(1, 100), heat(100, 100), heat(50, 100), heat(1, 1)]).toEqual([0, 1, 6, 5, 3]);
  });
});
