// What changed, in words: a field with what it was and what it is.

/** One line for each field that changed. Other details are shown as they are. */
export function changesOf(details: unknown): string[] {
  if (details === null || details === undefined || typeof details !== "object") return [];
  return Object.entries(details).map(([name, value]) => {
    if (!isChange(value)) return `${name}: ${shown(value)}`;
    if (value.before === null) return `${name}: ${shown(value.after)}`;
    return value.after === null ? `${name}: was ${shown(value.before)}` : `${name}: ${shown(value.before)} → ${shown(value.after)}`;
  });
}

interface Change {
  before: unknown;
  after: unknown;
}

const isChange = (value: unknown): value is Change => typeof value === "object" && value !== null && "before" in value && "after" in value;

const shown = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
