// Icons of the menu, and the mark: filled is done, outlined is to come, the line between them is now.
import type { ReactNode } from "react";

const ICONS = {
  overview: <path d="M2 11.5V6M6 11.5v-3M10 11.5V3M14 11.5V7.5" />,
  jobs: <path d="M2 4h12M2 8h12M2 12h8" />,
  schedules: <><circle cx="8" cy="8" r="6" /><path d="M8 4.6V8l2.4 1.6" /></>,
  calendar: <path d="M2 3.5h12v10H2zM2 7h12M5.5 2v3M10.5 2v3" />,
  dead: <><rect x="2.5" y="2.5" width="11" height="11" rx="1.5" /><path d="m6 6 4 4m0-4-4 4" /></>,
  workers: <><path d="M2 9.5h3l1 2h4l1-2h3v4H2z" /><path d="M8 2v5M5.8 5 8 7.2 10.2 5" /></>,
  artifacts: <><path d="m8 2 5.5 3v6L8 14l-5.5-3V5z" /><path d="M2.5 5 8 8l5.5-3M8 8v6" /></>,
  logs: <path d="M2.5 2.5h11v11h-11zM5 6l2 2-2 2M8.5 10.5H11" />,
  notifications: <><path d="M4 11V7.2a4 4 0 0 1 8 0V11l1.2 1.5H2.8z" /><path d="M6.6 14h2.8" /></>,
  audit: <path d="M3 2.5h10v11H3zM5.5 5.5h5M5.5 8h5M5.5 10.5h2.5" />,
  lanes: <path d="M2 4h12M2 8h5M2 12h12M10 6v4" />,
  shares: <path d="M2 13V8h3v5M6.5 13V3h3v10M11 13v-3h3v3" />,
  cluster: <><rect x="2" y="2.5" width="12" height="4.5" rx="1" /><rect x="2" y="9" width="12" height="4.5" rx="1" /><path d="M4.6 4.8h.1M4.6 11.2h.1" /></>,
  users: <><circle cx="8" cy="5.5" r="2.7" /><path d="M2.8 13.6c.6-2.7 2.6-4 5.2-4s4.6 1.3 5.2 4" /></>,
  docs: <path d="M3 2.5h7l3 3v8H3zM6 8h4M6 10.5h4" />,
  theme: <><circle cx="8" cy="8" r="5.5" /><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor" /></>,
  menu: <path d="M2 4.5h12M2 8h12M2 11.5h12" />,
  find: <><circle cx="7" cy="7" r="4.5" /><path d="m10.5 10.5 3.5 3.5" /></>,
  close: <path d="m4 4 8 8m0-8-8 8" />,
  left: <path d="m10 3-5 5 5 5" />,
  right: <path d="m6 3 5 5-5 5" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof ICONS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth={1.4} aria-hidden="true">
      {ICONS[name]}
    </svg>
  );
}

export function Logo() {
  return (
    <svg width={22} height={16} viewBox="0 0 22 16" aria-hidden="true">
      <circle cx="4.5" cy="8" r="3.5" fill="currentColor" />
      <path d="M11 1v14" stroke="var(--now)" strokeWidth={2} />
      <circle cx="17.5" cy="8" r="2.8" fill="none" stroke="currentColor" strokeWidth={1.4} />
    </svg>
  );
}
