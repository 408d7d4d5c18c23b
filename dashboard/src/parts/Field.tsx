// A labelled control with its hint or its error in place.
import { cloneElement, isValidElement, useId, type InputHTMLAttributes, type ReactElement, type ReactNode, type SelectHTMLAttributes, type TextareaHTMLAttributes } from "react";
import css from "./field.module.css";

export function Field({ label, hint, error, children, inline = false }: { label: ReactNode; hint?: ReactNode; error?: ReactNode; children: ReactElement; inline?: boolean }) {
  const id = useId();
  const note = error || hint ? `${id}-note` : undefined;
  const control = isValidElement<Record<string, unknown>>(children)
    ? cloneElement(children, { id, "aria-describedby": note, "aria-invalid": error ? true : undefined })
    : children;
  return (
    <div className={`${css.field} ${inline ? css.inline : ""}`}>
      <label htmlFor={id}>{label}</label>
      <div className={css.control}>
        {control}
        {note && (
          <p id={note} className={error ? css.error : css.hint}>
            {error ?? hint}
          </p>
        )}
      </div>
    </div>
  );
}

export function Input({ className = "", ...rest }: InputHTMLAttributes<HTMLInputElement>) {
  return <input autoComplete="off" spellCheck={false} {...rest} className={`${css.input} ${className}`} />;
}

export function Area({ className = "", ...rest }: TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return <textarea spellCheck={false} rows={4} {...rest} className={`${css.input} ${css.area} ${className}`} />;
}

export function Select({ options, ...rest }: SelectHTMLAttributes<HTMLSelectElement> & { options: readonly (readonly [string, string])[] }) {
  return (
    <select {...rest} className={css.input}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>{name}</option>
      ))}
    </select>
  );
}

export function Check({ label, ...rest }: InputHTMLAttributes<HTMLInputElement> & { label: ReactNode }) {
  return (
    <label className={css.check}>
      <input type="checkbox" {...rest} />
      {label}
    </label>
  );
}

/** Controls beside one another, under one another where it is narrow. */
export function Row({ children }: { children: ReactNode }) {
  return <div className={css.row}>{children}</div>;
}
