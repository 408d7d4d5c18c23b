// Instants and durations: relative in lists, exact with its zone on hover.
import { lateness } from "../format/durations";
import * as durations from "../format/durations";
import { compact, exact } from "../format/instants";
import { useNow } from "../now";
import { useZone } from "../settings";

type Instant = string | number | null | undefined;
const ms = (at: string | number) => (typeof at === "number" ? at : Date.parse(at));

/** 14:33:20, or 28 Oct 09:00 on another day. */
export function At({ at }: { at: Instant }) {
  const zone = useZone();
  const now = useNow();
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={new Date(ms(at)).toISOString()} title={exact(ms(at), zone)}>
      {compact(ms(at), zone, now)}
    </time>
  );
}

/** in 1 min 12 s, 34 min ago. */
export function Ago({ at }: { at: Instant }) {
  const zone = useZone();
  const now = useNow();
  if (at === null || at === undefined) return <>–</>;
  return (
    <time dateTime={new Date(ms(at)).toISOString()} title={exact(ms(at), zone)}>
      {durations.relative(ms(at), now)}
    </time>
  );
}

/** When a host that is down is tried again: at its next probe, or with the next job that calls it. */
export function NextTry({ at }: { at: Instant }) {
  const now = useNow();
  if (at === null || at === undefined) return <>a job tries it now</>;
  return ms(at) <= now ? <>with the next job</> : <Ago at={at} />;
}

/** How long since an instant: 12 min. */
export function Since({ at }: { at: Instant }) {
  const zone = useZone();
  const now = useNow();
  if (at === null || at === undefined) return <>–</>;
  return <span title={`since ${exact(ms(at), zone)}`}>{durations.span(Math.max(0, now - ms(at)))}</span>;
}

/** The budget of lateness: above it, a value stands out. */
export const BUDGET = 1000;

/** Launched minus due. */
export function Lateness({ value, budget = BUDGET }: { value: number | null | undefined; budget?: number }) {
  if (value === null || value === undefined) return <span className="qq">–</span>;
  return <span className={value > budget ? "late" : undefined}>{lateness(value)}</span>;
}
