// A state is a shape, a colour and a word, always together.
import type { ReactNode } from "react";
import { shapeOf, wordOf, wordOfRun, type Shape } from "../format/states";
import css from "./state.module.css";

const ink = { fill: "none", stroke: "currentColor", strokeWidth: 1.5 } as const;
const cut = { stroke: "var(--surface)", strokeWidth: 1.6, fill: "none" } as const;

const SHAPES: Record<Shape, ReactNode> = {
  created: <circle cx="7" cy="7" r="5" {...ink} />,
  queued: <><circle cx="7" cy="7" r="5" {...ink} /><path d="M7 2a5 5 0 0 0 0 10z" fill="currentColor" /></>,
  running: <><circle cx="7" cy="7" r="6" fill="currentColor" /><path d="M5.5 4.3 10 7l-4.5 2.7z" fill="var(--surface)" /></>,
  succeeded: <><circle cx="7" cy="7" r="6" fill="currentColor" /><path d="m4.3 7.2 1.9 1.9 3.6-3.9" {...cut} /></>,
  retrying: <><path d="M11.6 5.2A5 5 0 1 0 12 7.6" {...ink} /><path d="M12.6 1.8v4H8.7z" fill="currentColor" /></>,
  dead: <><rect x="1" y="1" width="12" height="12" rx="1.5" fill="currentColor" /><path d="m4.4 4.4 5.2 5.2m0-5.2-5.2 5.2" {...cut} /></>,
  cancelled: <><circle cx="7" cy="7" r="5" {...ink} /><path d="m3.6 10.4 6.8-6.8" {...ink} /></>,
  skipped: <path d="m2 3 4 4-4 4m5-8 4 4-4 4" {...ink} />,
  lost: <><path d="M7 1.2 12.8 7 7 12.8 1.2 7z" {...ink} /><circle cx="7" cy="7" r="1.7" fill="currentColor" /></>,
  suspended: <><rect x="3" y="2" width="3" height="10" rx=".8" fill="currentColor" /><rect x="8" y="2" width="3" height="10" rx=".8" fill="currentColor" /></>,
  blocked: <><path d="M1 7h5" {...ink} /><rect x="7" y="1.5" width="2.2" height="11" fill="currentColor" /><path d="M11 7h2" {...ink} strokeDasharray="1 1" /></>,
  breaker: <><path d="M1 9h3l5-5.4M10 9h3" {...ink} /><circle cx="4" cy="9" r="1.4" fill="currentColor" /><circle cx="10" cy="9" r="1.4" fill="currentColor" /></>,
  missed: <circle cx="7" cy="7" r="5" {...ink} strokeDasharray="2.4 1.6" />,
  label: <path d="M1.5 2.5h6l5 4.5-5 4.5h-6z" {...ink} />,
  yes: <path d="m2.5 7.4 3 3 6-6.6" {...ink} />,
  wait: <><circle cx="7" cy="7" r="5.2" {...ink} /><path d="M7 4v3.2l2.2 1.4" {...ink} /></>,
};

export function Mark({ shape, size = 14 }: { shape: Shape; size?: number }) {
  return (
    <svg className={shape} width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
      {SHAPES[shape]}
    </svg>
  );
}

/** The same inside another drawing, centred on a point. */
export function MarkAt({ shape, x, y, size = 12 }: { shape: Shape; x: number; y: number; size?: number }) {
  return (
    <svg className={shape} x={x - size / 2} y={y - size / 2} width={size} height={size} viewBox="0 0 14 14" overflow="visible">
      {SHAPES[shape]}
    </svg>
  );
}

/** A job's state. */
export function State({ state, attempts = 0 }: { state: string; attempts?: number }) {
  const shape = shapeOf(state, attempts);
  return (
    <span className={`${css.state} ${shape}`} title={`state ${state}`}>
      <Mark shape={shape} />
      {wordOf(state, attempts)}
    </span>
  );
}

/** A run's state. */
export function RunState({ state }: { state: string }) {
  const shape = shapeOf(state, 1);
  return (
    <span className={`${css.state} ${shape}`} title={`state ${state}`}>
      <Mark shape={shape} />
      {wordOfRun(state)}
    </span>
  );
}

/** A shape with words of one's own. */
export function Marked({ shape, children }: { shape: Shape; children: ReactNode }) {
  return (
    <span className={`${css.state} ${shape}`}>
      <Mark shape={shape} />
      {children}
    </span>
  );
}
