// How often the page looks: as chosen while a person is there, slower when idle, never while hidden.
import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiError } from "./api/client";
import { settings } from "./settings";

const IDLE_AFTER = 60_000;
const IDLE_EVERY = 10_000;
/** How often something is read again that changes seldom, or stands beside what a view is about. */
const SELDOM = 10_000;
let active = Date.now();

export const client: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    // The session ended: asking who the person is shows the login.
    onError: (error, query) => {
      if (error instanceof ApiError && error.status === 401 && query.queryKey[0] !== "me") void client.resetQueries({ queryKey: ["me"] });
    },
  }),
  defaultOptions: {
    queries: {
      refetchInterval: every,
      refetchIntervalInBackground: false,
      refetchOnWindowFocus: true,
      staleTime: 1000,
      networkMode: "always",
      retry: (failures, error) => failures < 2 && error instanceof ApiError && (error.status === 0 || error.status >= 500),
      placeholderData: (before: unknown) => before,
    },
    mutations: { networkMode: "always", retry: false },
  },
});

/** Milliseconds until the next look. */
export function every(): number | false {
  const chosen = settings().poll * 1000;
  if (chosen === 0) return false;
  return Date.now() - active > IDLE_AFTER ? Math.max(chosen, IDLE_EVERY) : chosen;
}

/** The same for what is read seldom. */
export function seldom(): number | false {
  const chosen = every();
  return chosen === false ? false : Math.max(chosen, SELDOM);
}

function stir(): void {
  const slept = Date.now() - active > IDLE_AFTER;
  active = Date.now();
  if (slept) void client.invalidateQueries();
}

for (const name of ["pointermove", "pointerdown", "keydown", "scroll"]) {
  addEventListener(name, stir, { passive: true });
}
