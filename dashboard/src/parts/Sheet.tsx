// The sheet: sections ruled by hairlines.
import type { ReactNode } from "react";
import css from "./sheet.module.css";

export function Band({ children, pad = true, fill = false, label }: { children: ReactNode; pad?: boolean; fill?: boolean; label?: string }) {
  return (
    <section className={`${css.band} ${pad ? css.pad : ""} ${fill ? css.fill : ""}`} aria-label={label}>
      {children}
    </section>
  );
}

/** Columns with hairlines between them, one under another where it is narrow. */
export function Columns({ children, shape = "even", fill = false }: { children: ReactNode; shape?: "even" | "wideLeft" | "wideRight" | "thirds"; fill?: boolean }) {
  return <div className={`${css.columns} ${css[shape]} ${fill ? css.fill : ""}`}>{children}</div>;
}

/** The head of a section: its name, a few quiet words, and what can be done. */
export function Head({ title, children, action, id }: { title: ReactNode; children?: ReactNode; action?: ReactNode; id?: string }) {
  return (
    <div className={css.head}>
      <h2 id={id}>{title}</h2>
      {children && <span className="q small">{children}</span>}
      {action && <div className={css.action}>{action}</div>}
    </div>
  );
}

/** The head of a page about one thing. */
export function Title({ mark, name, tags, children, actions }: { mark?: ReactNode; name: ReactNode; tags?: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={css.title}>
      <div className={css.what}>
        <h2>
          {mark}
          <span>{name}</span>
          {tags}
        </h2>
        {children && <p>{children}</p>}
      </div>
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  );
}

/** Names and values. */
export function Facts({ rows }: { rows: readonly (readonly [string, ReactNode] | false)[] }) {
  return (
    <dl className={css.facts}>
      {rows.map((row) => row && (
        <div key={row[0]}>
          <dt>{row[0]}</dt>
          <dd>{row[1]}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A figure of a headline. */
export function Figure({ name, value, unit, title }: { name: ReactNode; value: ReactNode; unit?: ReactNode; title?: string }) {
  return (
    <div className={css.figure} title={title}>
      <dt>{name}</dt>
      <dd>
        {value}
        {unit !== undefined && <small>{unit}</small>}
      </dd>
    </div>
  );
}

/** A verdict in words, with figures beside it. */
export function Verdict({ mark, say, aside, children, figures }: { mark: ReactNode; say: ReactNode; aside?: ReactNode; children: ReactNode; figures?: ReactNode }) {
  return (
    <div className={css.verdict}>
      <div className={css.say} role="status">
        <h2>
          {mark}
          {say}
          {aside && <small>{aside}</small>}
        </h2>
        <p>{children}</p>
      </div>
      {figures && <dl className={css.figures}>{figures}</dl>}
    </div>
  );
}

export function Code({ children, label }: { children: string; label: string }) {
  return (
    <pre className={css.code} tabIndex={0} aria-label={label}>
      {children}
    </pre>
  );
}
