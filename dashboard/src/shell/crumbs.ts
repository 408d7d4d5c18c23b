// Where the person is: the page's heading and the window's title.
import { useEffect, useSyncExternalStore } from "react";

export type Crumb = string | { name: string; to: "/jobs" | "/schedules" };

let current: Crumb[] = [];
const watchers = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

export function useCrumbs(crumbs: Crumb[]): void {
  const key = JSON.stringify(crumbs);
  useEffect(() => {
    current = JSON.parse(key) as Crumb[];
    const last = current.at(-1);
    document.title = `${typeof last === "string" ? last : (last?.name ?? "")} · Duetime`;
    for (const tell of watchers) tell();
  }, [key]);
}

export function useShownCrumbs(): Crumb[] {
  return useSyncExternalStore(subscribe, () => current);
}
