// What a person chose for this browser: kept in local storage, read by hooks.
import { useSyncExternalStore } from "react";

export interface Settings {
  theme: "system" | "light" | "dark";
  /** Seconds between two looks; 0 stops them. */
  poll: 0 | 2 | 5 | 30;
  utc: boolean;
  /** Whether single keys act. */
  keys: boolean;
}

const DEFAULTS: Settings = { theme: "system", poll: 2, utc: false, keys: true };
const NAME = "duetime";
const watchers = new Set<() => void>();
let current: Settings = load();

function load(): Settings {
  try {
    return { ...DEFAULTS, ...(JSON.parse(localStorage.getItem(NAME) ?? "{}") as Partial<Settings>) };
  } catch {
    return DEFAULTS;
  }
}

/** The settings now, outside of components. */
export function settings(): Settings {
  return current;
}

export function change(some: Partial<Settings>): void {
  current = { ...current, ...some };
  try {
    localStorage.setItem(NAME, JSON.stringify(current));
  } catch {
    // Storage is closed to this page: the choice lasts until it is closed.
  }
  const root = document.documentElement;
  if (current.theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = current.theme;
  for (const tell of watchers) tell();
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, settings);
}

/** Whether the page is dark now. */
export function isDark(): boolean {
  if (current.theme !== "system") return current.theme === "dark";
  return matchMedia("(prefers-color-scheme: dark)").matches;
}

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** The zone that times are shown in. */
export function useZone(): string {
  return useSettings().utc ? "UTC" : HERE;
}

export function zoneNow(): string {
  return current.utc ? "UTC" : HERE;
}
