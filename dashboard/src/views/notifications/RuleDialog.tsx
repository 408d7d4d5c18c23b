// Creates a rule, or changes one. Secrets are not shown; what is left as it is shown stays as it was.
import { useState } from "react";
import { useAction } from "../../api/actions";
import { ApiError, send } from "../../api/client";
import type { NotificationRule, Schedule } from "../../api/types";
import { Button, Segments } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Area, Check, Field, Input, Row, Select } from "../../parts/Field";
import { bodyOf, draftOf, KINDS, type Draft, type DraftChannel } from "./draft";
import css from "./notifications.module.css";
import { CLUSTER_EVENTS, EVENTS } from "./words";

export function RuleDialog({ rule, admin, schedules, onClose }: { rule?: NotificationRule; admin: boolean; schedules: readonly Schedule[]; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(rule));
  const set = (some: Partial<Draft>) => setDraft((now) => ({ ...now, ...some }));
  const save = useAction(() => (rule ? send("PATCH", `me/notification-rules/${rule.id}`, bodyOf(draft)) : send("POST", "me/notification-rules", bodyOf(draft))), {
    inPlace: true,
    say: () => (rule ? `${draft.name} is changed.` : `${draft.name} tells you from now on.`),
    onDone: onClose,
  });
  const wrong = (field: string) => (save.error instanceof ApiError && save.error.field?.startsWith(field) ? save.error.message : undefined);
  const known = draft.about === "cluster" ? CLUSTER_EVENTS : EVENTS;
  const toggle = (event: string) => set({ events: draft.events.includes(event) ? draft.events.filter((one) => one !== event) : [...draft.events, event] });
  const abouts = [["all", "All my jobs"], ["schedule", "A schedule"], ["lane", "A lane"], ["label", "A label"], ...(admin ? [["cluster", "The cluster"] as const] : [])] as const;
  const shown = ["name", "events", "channels", "scope", "template", "after"].some((field) => wrong(field));
  return (
    <Dialog wide title={rule ? `Edit ${rule.name}` : "New rule"} onClose={onClose} onSubmit={() => save.mutate(undefined)} footer={<><Button onClick={onClose}>Discard</Button><Button type="submit" look="solid" disabled={save.isPending || !draft.name || draft.events.length === 0}>{rule ? "Save changes" : "Create rule"}</Button></>}>
      <Field label="Name" error={wrong("name")}><Input data-first value={draft.name} onChange={(event) => set({ name: event.target.value })} /></Field>
      <Segments label="About" value={draft.about} onChange={(about) => set({ about, events: about === "cluster" ? CLUSTER_EVENTS.map(([one]) => one) : draft.about === "cluster" ? ["failed", "recovered"] : draft.events })} options={abouts} />
      {draft.about === "schedule" && <Field label="Schedule" error={wrong("scope")}><Select value={draft.schedule} onChange={(event) => set({ schedule: event.target.value })} options={[["", "Choose one"], ...schedules.map((one) => [String(one.id), one.name] as const)]} /></Field>}
      {draft.about === "lane" && <Field label="Ordering key" error={wrong("scope")}><Input value={draft.lane} onChange={(event) => set({ lane: event.target.value })} /></Field>}
      {draft.about === "label" && <Field label="Label" hint="name=value" error={wrong("scope")}><Input value={draft.label} onChange={(event) => set({ label: event.target.value })} /></Field>}
      <div className={css.events} role="group" aria-label="Tell me when">
        <span className="q small">Tell me when</span>
        {known.map(([event, words]) => <Check key={event} label={words} checked={draft.events.includes(event)} onChange={() => toggle(event)} />)}
        {wrong("events") && <p className="bad small" role="alert">{wrong("events")}</p>}
      </div>
      {draft.channels.map((channel, n) => (
        <ChannelFields key={n} channel={channel} admin={admin} error={n === 0 ? wrong("channels") : undefined}
          onChange={(one) => set({ channels: draft.channels.map((each, at) => (at === n ? one : each)) })}
          onRemove={draft.channels.length > 1 ? () => set({ channels: draft.channels.filter((_, at) => at !== n) }) : undefined} />
      ))}
      {draft.channels.length < 10 && <Button look="plain" onClick={() => set({ channels: [...draft.channels, { kind: "mail", place: "", secret: "" }] })}>Add a channel</Button>}
      <Row>
        <Field label="After" hint="failures in a row" error={wrong("after")}><Input inputMode="numeric" value={draft.after} onChange={(event) => set({ after: event.target.value })} /></Field>
        <Field label="Gather" hint="seconds into one message"><Input inputMode="numeric" value={draft.digest} onChange={(event) => set({ digest: event.target.value })} /></Field>
        <Field label="Quiet hours" hint="22:00-07:00"><Input value={draft.quiet} onChange={(event) => set({ quiet: event.target.value })} /></Field>
        <Field label="Zone" hint="of quiet hours"><Input value={draft.zone} onChange={(event) => set({ zone: event.target.value })} /></Field>
      </Row>
      <Field label="Subject of your own" hint="empty: Duetime's; {{what}}, {{number}}, {{rule}} and {{subject}} are filled in" error={wrong("template.subject")}><Input value={draft.subject} onChange={(event) => set({ subject: event.target.value })} /></Field>
      <Field label="Text of your own" hint="empty: Duetime's; {{events}} and {{page}} are filled in too" error={wrong("template.text")}><Area rows={3} value={draft.text} onChange={(event) => set({ text: event.target.value })} /></Field>
      {save.error && !shown && <p className="bad small" role="alert">{save.error.message}</p>}
    </Dialog>
  );
}

function ChannelFields({ channel, admin, error, onChange, onRemove }: { channel: DraftChannel; admin: boolean; error?: string | undefined; onChange: (channel: DraftChannel) => void; onRemove?: (() => void) | undefined }) {
  const kinds = KINDS.filter(([kind]) => admin || kind !== "apprise" || channel.kind === "apprise");
  return (
    <Row>
      <Field label="Send by"><Select value={channel.kind} onChange={(event) => onChange({ ...channel, kind: event.target.value as DraftChannel["kind"] })} options={kinds} /></Field>
      <Field label={channel.kind === "mail" ? "Addresses" : "URL"} hint={channel.kind === "mail" ? "with commas between them" : undefined} error={error}><Input value={channel.place} onChange={(event) => onChange({ ...channel, place: event.target.value })} /></Field>
      {channel.kind === "webhook" && <Field label="Secret" hint="signs it; may be empty"><Input type="password" autoComplete="new-password" value={channel.secret} onChange={(event) => onChange({ ...channel, secret: event.target.value })} /></Field>}
      {onRemove && <Field label={<span className="sr">Remove</span>}><Button onClick={onRemove}>Remove</Button></Field>}
    </Row>
  );
}
