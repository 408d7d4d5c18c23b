// What a view shows in place of data: bones, an empty list that teaches, an error that says what to do.
import { useEffect, useState, type ReactNode } from "react";
import { ApiError } from "../api/client";
import { Button } from "./Button";
import css from "./feedback.module.css";

export function Empty({ title, children, actions }: { title: ReactNode; children?: ReactNode; actions?: ReactNode }) {
  return (
    <div className={css.empty}>
      <h3>{title}</h3>
      {children && <p className="small q">{children}</p>}
      {actions && <div className={css.actions}>{actions}</div>}
    </div>
  );
}

/** What went wrong with a read, and what to do. */
export function Trouble({ error, retry }: { error: unknown; retry?: (() => unknown) | undefined }) {
  const known = error instanceof ApiError ? error : null;
  const title = known?.status === 404 ? "Not found" : known?.status === 403 ? "Not allowed" : known?.status === 0 ? "The server does not answer" : "This could not be read";
  const text =
    known?.status === 0
      ? "The page tries again by itself. Check that the server runs and that you can reach it."
      : (known?.message ?? "Something unexpected happened in the page. Reload it.");
  return (
    <div className={css.trouble} role="alert">
      <h3>{title}</h3>
      <p className="small q">{text}</p>
      {retry && known?.status !== 404 && <Button onClick={() => void retry()}>Try now</Button>}
    </div>
  );
}

/** Rows of the height of those to come, after 200 ms; they do not move. */
export function Bones({ rows = 8 }: { rows?: number }) {
  const [shown, show] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => show(true), 200);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className={css.bones} aria-busy="true" role="status">
      <span className="sr">Loading</span>
      {shown && Array.from({ length: rows }, (_, i) => (
        <div key={i}>
          <i /> <i /> <i />
        </div>
      ))}
    </div>
  );
}
