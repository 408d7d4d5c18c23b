// The present, shared by every part that shows it: one timer a second, none while the page is hidden.
import { useSyncExternalStore } from "react";

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let ahead = 0;
let current = Date.now();

function tick(): void {
  current = Date.now() + ahead;
  for (const tell of watchers) tell();
}

function run(): void {
  clearInterval(timer);
  timer = undefined;
  if (watchers.size && !document.hidden) {
    timer = setInterval(tick, 1000);
    tick();
  }
}

document.addEventListener("visibilitychange", run);

/** Follows the server's clock: a browser's may be wrong. Differences below a second are the network's. */
export function follow(server: string): void {
  const off = Date.parse(server) - Date.now();
  ahead = Math.abs(off) < 1500 ? 0 : off;
}

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  if (watchers.size === 1) run();
  return () => {
    watchers.delete(tell);
    if (!watchers.size) run();
  };
}

export function useNow(): number {
  return useSyncExternalStore(subscribe, () => current);
}

/** The present, outside of components. */
export function now(): number {
  return Date.now() + ahead;
}
