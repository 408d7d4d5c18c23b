// A schedule's form beside the preview of what it would do, while a person types.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/client";
import { calendars, previewOf } from "../../api/queries";
import type { Preview } from "../../api/types";
import { fieldsOf, HINTS } from "../../format/cron";
import { Segments } from "../../parts/Button";
import { Area, Check, Field, Input, Select } from "../../parts/Field";
import { Columns, Head } from "../../parts/Sheet";
import { JobFields } from "../jobs/JobFields";
import { DST_WORDS, previewBody, type ScheduleDraft } from "./draft";
import { Instants } from "./Instants";
import css from "./schedules.module.css";

interface Props {
  draft: ScheduleDraft;
  errors: Partial<Record<string, string>>;
  onChange: (next: ScheduleDraft) => void;
  unsaved: boolean;
  isNew?: boolean;
}

const ZONES = Intl.supportedValuesOf("timeZone");

export function Editor({ draft, errors, onChange, unsaved, isNew = false }: Props) {
  const [n, setN] = useState(8);
  const asked = useDelayed(JSON.stringify(previewBody(draft, n)), 200);
  const preview = useQuery(previewOf(JSON.parse(asked), true));
  const good = useRef<Preview | null>(null);
  if (preview.data && !preview.isPlaceholderData && !preview.error) good.current = preview.data;
  const failure = preview.error instanceof ApiError ? preview.error : null;
  const shown = failure ? good.current : (preview.data ?? good.current);
  return (
    <Columns shape="wideRight">
      <section aria-label="When" className={css.form}>
        <Timing draft={draft} onChange={onChange} words={failure ? null : (shown?.words ?? null)} error={failure && !["calendar", "window", "jitter", "zone"].includes(failure.field ?? "") ? failure.message : null} />
        <Policies draft={draft} onChange={onChange} failure={failure} />
      </section>
      <section aria-label="Preview">
        <Head title="Preview" action={<Segments label="How many" value={n} onChange={setN} options={[[8, "Next 8"], [50, "Next 50"]]} />}>
          {failure ? "of the last line that could be read" : unsaved ? `of what is not saved yet, in ${draft.zone}` : `in ${draft.zone}`}
        </Head>
        {shown?.warnings.map((one) => <p key={one} className="small late">{one}</p>)}
        <div className={failure ? css.dimmed : undefined}>{shown && <Instants rows={shown.instants} zone={draft.zone} />}</div>
        <details className={css.does} open={isNew}>
          <summary>What each occurrence does</summary>
          <div className={css.form}><JobFields draft={draft.job} errors={errors} onChange={(job) => onChange({ ...draft, job })} without={["when"]} /></div>
        </details>
      </section>
    </Columns>
  );
}

function Timing({ draft, onChange, words, error }: Pick<Props, "draft" | "onChange"> & { words: readonly string[] | null; error: string | null }) {
  const set = (some: Partial<ScheduleDraft>) => onChange({ ...draft, ...some });
  return (
    <>
      <Head title="When" action={<Segments label="Kind of timing" value={draft.mode} onChange={(mode) => set({ mode })} options={[["cron", "Cron"], ["every", "Interval"], ["at", "Dates"], ["rrule", "RRULE"]]} />} />
      {draft.mode === "cron" && <Cron draft={draft} onChange={onChange} error={error} words={words} />}
      {draft.mode === "every" && <Field label="Every" error={error} hint="15m, 1h30m, or seconds"><Input value={draft.every} onChange={(event) => set({ every: event.target.value })} /></Field>}
      {draft.mode === "at" && <Field label="Instants, one a line" error={error} hint="2026-12-24T18:00:00+01:00"><Area value={draft.at} onChange={(event) => set({ at: event.target.value })} /></Field>}
      {draft.mode === "rrule" && <Field label="Recurrence rule of RFC 5545" error={error}><Area rows={3} value={draft.rrule} onChange={(event) => set({ rrule: event.target.value })} /></Field>}
      {draft.mode !== "cron" && words?.map((one) => <p key={one} className={css.words}>{one}</p>)}
    </>
  );
}

/** One text field; the split fields are a view of it, and the one with the caret explains itself. */
function Cron({ draft, onChange, error, words }: Pick<Props, "draft" | "onChange"> & { error: string | null; words: readonly string[] | null }) {
  const input = useRef<HTMLTextAreaElement>(null);
  const [caret, setCaret] = useState(0);
  const before = draft.cron.slice(0, caret);
  const start = before.lastIndexOf("\n") + 1;
  const line = draft.cron.slice(start).split("\n")[0] ?? "";
  const fields = fieldsOf(line);
  const at = fields.find((field) => caret - start <= field.to) ?? fields.at(-1);
  const several = draft.cron.includes("\n");
  const look = () => setCaret(input.current?.selectionStart ?? 0);
  const pick = (from: number, to: number) => {
    input.current?.focus();
    input.current?.setSelectionRange(start + from, start + to);
    look();
  };
  return (
    <>
      <div className={css.cron}>
        <textarea
          ref={input} rows={several ? draft.cron.split("\n").length : 1} spellCheck={false} aria-label="Cron line" aria-invalid={error ? true : undefined} aria-describedby="cron-note"
          value={draft.cron} onChange={(event) => { onChange({ ...draft, cron: event.target.value }); setCaret(event.target.selectionStart); }} onSelect={look}
        />
        {fields.length > 0 && (
          <div className={css.split}>
            {fields.map((field) => (
              <button key={field.name} type="button" tabIndex={-1} className={field === at ? css.on : ""} onClick={() => pick(field.from, field.to)}>
                <b>{field.text}</b>
                <small>{field.name}</small>
              </button>
            ))}
          </div>
        )}
      </div>
      <div id="cron-note" aria-live="polite">
        {error ? <p className="bad small">{error}</p> : words?.map((one) => <p key={one} className={css.words}>{one}</p>)}
        {at && <p className="small q">{HINTS[at.name]}</p>}
      </div>
      <Check label="Quartz dialect: six or seven fields, 1 is Sunday" checked={draft.quartz} onChange={(event) => onChange({ ...draft, quartz: event.target.checked })} />
    </>
  );
}

function Policies({ draft, onChange, failure }: Pick<Props, "draft" | "onChange"> & { failure: ApiError | null }) {
  const set = (some: Partial<ScheduleDraft>) => onChange({ ...draft, ...some });
  const named = useQuery(calendars()).data ?? [];
  const error = (name: string) => (failure?.field === name ? failure.message : undefined);
  return (
    <>
      <Field inline label="Time zone" error={error("zone")}>
        <Input list="zones" value={draft.zone} onChange={(event) => set({ zone: event.target.value })} />
      </Field>
      <datalist id="zones">{ZONES.map((one) => <option key={one} value={one} />)}</datalist>
      {(draft.mode === "cron" || draft.mode === "rrule") && draft.zone !== "UTC" && (
        <fieldset className={css.pick}>
          <legend>When clocks change</legend>
          {DST_WORDS.map(([value, words]) => (
            <label key={value} className={draft.dst === value ? css.picked : ""}>
              <input type="radio" name="dst" checked={draft.dst === value} onChange={() => set({ dst: value })} />
              <b>{value}</b>
              <span className="q">{words}</span>
            </label>
          ))}
        </fieldset>
      )}
      <Field inline label="Calendar" error={error("calendar")}>
        <Select value={draft.calendar} onChange={(event) => set({ calendar: event.target.value })}
          options={[["", named.length ? "none" : "none (you have no calendars)"], ...named.map((one) => [one.name, `${one.mode} ${one.name}, ${one.dates.length} dates`] as const)]} />
      </Field>
      <Field inline label="Window" error={error("window")} hint={draft.window ? undefined : "any time; or MON-FRI 09:00-17:00"}>
        <Input value={draft.window} placeholder="any time" onChange={(event) => set({ window: event.target.value })} />
      </Field>
      {draft.window && (
        <Field inline label="Outside it"><Select value={draft.windowPolicy} onChange={(event) => set({ windowPolicy: event.target.value })} options={[["move", "move to the next opening"], ["skip", "leave the instant out"]]} /></Field>
      )}
      <Field inline label="If missed">
        <Select value={draft.misfire} onChange={(event) => set({ misfire: event.target.value })} options={[["fire_once", "run once, as soon as possible"], ["fire_all", "run every missed instant"], ["skip", "leave missed instants out"]]} />
      </Field>
      <Field inline label="If still running">
        <Select value={draft.overlap} onChange={(event) => set({ overlap: event.target.value })} options={[["skip", "skip the new one"], ["queue", "run one after another"], ["allow", "run both"], ["cancel_running", "cancel the running one"]]} />
      </Field>
      <Field inline label="Jitter" error={error("jitter")} hint="spreads the load: each instant moves by up to this, always by the same">
        <Input value={draft.jitter} placeholder="none" onChange={(event) => set({ jitter: event.target.value })} />
      </Field>
    </>
  );
}

/** A value that follows another after a pause. */
function useDelayed<T>(value: T, ms: number): T {
  const [late, setLate] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return late;
}
