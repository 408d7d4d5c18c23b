// What happened, said once: with undo or a way on. Errors stay until they are closed.
import { useSyncExternalStore } from "react";
import { ApiError } from "../api/client";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { Mark } from "./State";
import css from "./toasts.module.css";

interface Toast {
  id: number;
  text: string;
  look: "done" | "error";
  action?: { name: string; act: () => void } | undefined;
}

let toasts: Toast[] = [];
let last = 0;
const watchers = new Set<() => void>();

function subscribe(tell: () => void): () => void {
  watchers.add(tell);
  return () => watchers.delete(tell);
}

function set(next: Toast[]): void {
  toasts = next;
  for (const tell of watchers) tell();
}

const close = (id: number) => set(toasts.filter((one) => one.id !== id));

/** Says that something was done. */
export function done(text: string, action?: Toast["action"]): void {
  const id = ++last;
  set([...toasts.slice(-2), { id, text, look: "done", action }]);
  setTimeout(() => close(id), action ? 10_000 : 5000);
}

/** Says that something was not done, and why. */
export function failed(error: unknown): void {
  const text = error instanceof ApiError ? error.message : "Something unexpected happened in the page. Reload it.";
  if (toasts.some((one) => one.text === text)) return;
  set([...toasts.slice(-2), { id: ++last, text, look: "error" }]);
}

/** Acts on the newest toast, as `z` does. */
export function undo(): void {
  const one = toasts.findLast((toast) => toast.action);
  if (!one) return;
  one.action!.act();
  close(one.id);
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  return (
    <div className={css.toasts} role="status" aria-label="Messages">
      {shown.map((one) => (
        <div key={one.id} className={`${css.toast} ${one.look === "error" ? "bad" : ""}`}>
          {one.look === "error" && <Mark shape="dead" />}
          <span>{one.text}</span>
          {one.action && (
            <Button look="plain" hotkey={one.action.name === "Undo" ? "z" : undefined} onClick={() => { one.action!.act(); close(one.id); }}>
              {one.action.name}
            </Button>
          )}
          <Button look="plain" icon aria-label="Close" onClick={() => close(one.id)}><Icon name="close" size={12} /></Button>
        </div>
      ))}
    </div>
  );
}
