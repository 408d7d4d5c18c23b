import { Link, type LinkProps } from "@tanstack/react-router";
import type { ButtonHTMLAttributes, ReactNode } from "react";
import css from "./button.module.css";

type Look = "outline" | "solid" | "risk" | "riskSolid" | "plain";

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look;
  /** The key that does the same. */
  hotkey?: string;
  icon?: boolean;
}

export function Button({ look = "outline", hotkey, icon, className = "", children, ...rest }: Props) {
  return (
    <button type="button" data-look={look} {...rest} className={`${css.button} ${css[look]} ${icon ? css.icon : ""} ${className}`} aria-keyshortcuts={hotkey}>
      {children}
      {hotkey && <kbd aria-hidden="true">{hotkey}</kbd>}
    </button>
  );
}

export function LinkButton({ look = "outline", children, ...rest }: Omit<LinkProps, "children"> & { look?: Look; children: ReactNode; className?: string }) {
  return (
    <Link {...rest} className={`${css.button} ${css[look]}`}>
      {children}
    </Link>
  );
}

/** One of a few: buttons in a row. */
export function Segments<T extends string | number>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  return (
    <div className={css.segments} role="group" aria-label={props.label}>
      {props.options.map(([value, name]) => (
        <button key={value} type="button" aria-pressed={value === props.value} onClick={() => props.onChange(value)}>
          {name}
        </button>
      ))}
    </div>
  );
}

export function Tag({ children, look = "plain", title }: { children: ReactNode; look?: "plain" | "warn" | "bad" | "now"; title?: string }) {
  return (
    <span className={`${css.tag} ${css[`tag_${look}`]}`} title={title}>
      {children}
    </span>
  );
}
