// The fields of a cron line. Pure. What a line means, the server says: it previews it and puts it into words.

export type FieldName = "second" | "minute" | "hour" | "day of month" | "month" | "weekday" | "year";

export interface Field {
  name: FieldName;
  text: string;
  /** Where the field begins and ends in the line. */
  from: number;
  to: number;
}

export const HINTS: Record<FieldName, string> = {
  second: "second: 0 to 59, lists 0,30, ranges 0-10, steps */15",
  minute: "minute: 0 to 59, lists 0,30, ranges 10-20, steps */5, or H to spread the load",
  hour: "hour: 0 to 23, lists 1,5, ranges 9-17, steps */4, or H to spread the load",
  "day of month": "day of month: 1 to 31, L for the last, 15W for the nearest working day",
  month: "month: 1 to 12 or JAN to DEC",
  weekday: "weekday: 0 to 7 (0 and 7 are Sunday) or SUN to SAT, MON#1 for the first Monday, 5L for the last Friday",
  year: "year: 1970 to 2199",
};

const NAMES: Record<number, FieldName[]> = {
  5: ["minute", "hour", "day of month", "month", "weekday"],
  6: ["second", "minute", "hour", "day of month", "month", "weekday"],
  7: ["second", "minute", "hour", "day of month", "month", "weekday", "year"],
};

/** The fields of a line, with their places in the text; none for a nickname or a wrong number of fields. */
export function fieldsOf(line: string): Field[] {
  const found = [...line.matchAll(/\S+/g)];
  const names = NAMES[found.length];
  if (!names || line.trim().startsWith("@")) return [];
  return found.map((one, i) => ({ name: names[i]!, text: one[0], from: one.index, to: one.index + one[0].length }));
}
