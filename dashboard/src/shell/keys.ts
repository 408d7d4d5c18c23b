// Single keys: a map of what each does, which `?` shows. Nothing acts while a person types or a dialog is open.
import { useEffect, useRef } from "react";
import { settings } from "../settings";

export const KEYS: readonly (readonly [string, string])[] = [
  ["?", "this map"], ["/", "find or go to"], ["g then o j s c w d l n", "go to overview, jobs, schedules, calendar, workers, dead letters, lanes, cluster"],
  ["j k", "move down, up"], ["x", "select"], ["a", "select all that match"], ["Enter", "open"], ["Esc", "back, clear"],
  ["n", "new job or schedule"], ["r", "run now"], ["e", "edit"], ["f", "follow a log"], ["u", "UTC or local"], ["z", "undo"], ["t", "light or dark"],
];

export function useKeys(map: Record<string, (event: KeyboardEvent) => void>): void {
  const latest = useRef(map);
  latest.current = map;
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (!settings().keys || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      const at = event.target as HTMLElement;
      if (at.closest("input:not([type=checkbox]), textarea, select, [contenteditable], dialog")) return;
      if (event.key === "Enter" && at.closest("a, button")) return;
      const act = latest.current[event.key];
      if (!act) return;
      event.preventDefault();
      act(event);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
