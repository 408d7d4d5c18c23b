// The filter as tokens: what is typed becomes one, Backspace takes the last back for editing.
import { useId, useRef, useState } from "react";
import { useNow } from "../../now";
import { useZone } from "../../settings";
import { EXAMPLES, FILTERS, NAMES, parseToken, STATES, valueWords, type JobsSearch } from "./filter";
import css from "./jobs.module.css";

export function FilterBox({ search, onChange, names }: { search: JobsSearch; onChange: (next: JobsSearch) => void; names?: Record<string, string> }) {
  const [text, setText] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [open, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const input = useRef<HTMLInputElement>(null);
  const id = useId();
  const now = useNow();
  const zone = useZone();
  const shown = FILTERS.filter((name) => search[name]);
  const hints = suggestions(text);

  const take = (given: string) => {
    if (!given.trim()) return;
    const read = parseToken(given, now);
    if ("error" in read) return setError(read.error);
    setText("");
    setError(null);
    setAt(-1);
    onChange({ ...search, ...read.set });
  };
  const choose = (hint: string) => {
    if (hint.startsWith("state:") && hint !== "state:") return take(hint);
    setText(hint.slice(0, hint.indexOf(":") + 1));
    setAt(-1);
    input.current?.focus();
  };
  return (
    <div className={css.box}>
      <div className={css.tokens} onClick={() => input.current?.focus()}>
        {shown.map((name) => (
          <span key={name} className={css.token}>
            <span className={css.key}>{NAMES[name]}</span>
            <span className="cut">{names?.[name] ?? valueWords(name, search[name]!, now, zone)}</span>
            <button type="button" aria-label={`Remove the filter ${NAMES[name]}`} onClick={() => onChange({ ...search, [name]: undefined })}>×</button>
          </span>
        ))}
        <input
          ref={input}
          role="combobox"
          aria-expanded={open && hints.length > 0}
          aria-controls={`${id}-hints`}
          aria-activedescendant={at >= 0 ? `${id}-${at}` : undefined}
          aria-autocomplete="list"
          aria-label="Add a filter"
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          placeholder={shown.length ? "Add a filter" : "Filter: state, due, lane, label, host, schedule, or text of the message"}
          value={text}
          spellCheck={false}
          onFocus={() => setOpen(true)}
          onBlur={() => setOpen(false)}
          onChange={(event) => { setText(event.target.value); setError(null); setAt(-1); }}
          onKeyDown={(event) => {
            const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
            if (step) { event.preventDefault(); setAt(Math.max(-1, Math.min(hints.length - 1, at + step))); }
            else if (event.key === "Enter") { event.preventDefault(); if (at >= 0) choose(hints[at]!); else take(text); }
            else if (event.key === "Escape") input.current?.blur();
            else if (event.key === "Backspace" && !text && shown.length) {
              const last = shown.at(-1)!;
              setText(last === "q" ? search.q! : `${last}:${search[last]}`);
              onChange({ ...search, [last]: undefined });
            }
          }}
        />
      </div>
      {error && <p id={`${id}-error`} className="bad small" role="alert">{error}</p>}
      {open && hints.length > 0 && (
        <div id={`${id}-hints`} role="listbox" aria-label="Filters" className={css.hints}>
          {hints.map((hint, i) => (
            <button key={hint} id={`${id}-${i}`} type="button" role="option" tabIndex={-1} aria-selected={i === at} onPointerDown={(event) => { event.preventDefault(); choose(hint); }}>
              <b>{hint.slice(0, hint.indexOf(":") + 1)}</b>{hint.slice(hint.indexOf(":") + 1)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

function suggestions(text: string): string[] {
  const given = text.trim().toLowerCase();
  if (given.startsWith("state:")) return STATES.map((one) => `state:${one}`).filter((one) => one.startsWith(given) && one !== given);
  if (given.includes(":")) return [];
  return Object.values(EXAMPLES).filter((one) => one.startsWith(given));
}
