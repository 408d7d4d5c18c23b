// A native dialog: it keeps the focus, closes on Esc, and gives the focus back.
import { useEffect, useId, useRef, type FormEvent, type ReactNode } from "react";
import { Button } from "./Button";
import css from "./dialog.module.css";

export function Dialog(props: { title: ReactNode; onClose: () => void; children: ReactNode; footer?: ReactNode; wide?: boolean; onSubmit?: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const title = useId();
  useEffect(() => {
    const shown = dialog.current!;
    if (!shown.open) shown.showModal();
    shown.querySelector<HTMLElement>("[data-first]")?.focus();
    return () => shown.close();
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    props.onSubmit?.();
  };
  return (
    <dialog
      ref={dialog}
      className={`${css.dialog} ${props.wide ? css.wide : ""}`}
      aria-labelledby={title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => event.target === dialog.current && props.onClose()}
    >
      <form onSubmit={submit} noValidate>
        <header className={css.header}>
          <h2 id={title}>{props.title}</h2>
        </header>
        <div className={css.body}>{props.children}</div>
        {props.footer && <footer className={css.footer}>{props.footer}</footer>}
      </form>
    </dialog>
  );
}

/** Asks before something that cannot be undone: a verb with a number on the button, never OK. */
export function Confirm(props: {
  title: string;
  verb: string;
  keep?: string;
  risk?: boolean;
  busy?: boolean;
  error?: string | null;
  disabled?: boolean;
  extra?: ReactNode;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog
      title={props.title}
      onClose={props.onClose}
      onSubmit={() => !props.busy && !props.disabled && props.onConfirm()}
      footer={
        <>
          {props.extra && <span className={css.extra}>{props.extra}</span>}
          <Button onClick={props.onClose}>{props.keep ?? "Keep it"}</Button>
          <Button type="submit" look={props.risk === false ? "solid" : "riskSolid"} disabled={props.busy || props.disabled}>
            {props.verb}
          </Button>
        </>
      }
    >
      {props.children}
      {props.error && <p className="bad small" role="alert">{props.error}</p>}
    </Dialog>
  );
}
