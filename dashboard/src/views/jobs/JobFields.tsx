// The fields of a job, for creating, changing and sending again.
import { exact, fromInput, inputValue } from "../../format/instants";
import { relative } from "../../format/durations";
import { useNow } from "../../now";
import { Segments } from "../../parts/Button";
import { Area, Field, Input, Row, Select } from "../../parts/Field";
import { useZone } from "../../settings";
import { durationOf, type Draft } from "./draft";

const METHODS = ["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD"].map((one) => [one, one] as const);

interface Props {
  draft: Draft;
  errors: Partial<Record<string, string>>;
  onChange: (next: Draft) => void;
  /** What is asked: a redriven dead letter has no instant. */
  without?: readonly ("when" | "lane" | "labels")[];
}

export function JobFields({ draft, errors, onChange, without = [] }: Props) {
  const set = <K extends keyof Draft>(name: K) => (value: Draft[K]) => onChange({ ...draft, [name]: value });
  const text = (name: keyof Draft) => ({ value: draft[name] as string, onChange: (event: { target: { value: string } }) => onChange({ ...draft, [name]: event.target.value }) });
  return (
    <>
      {!without.includes("when") && <When draft={draft} errors={errors} onChange={onChange} />}
      <Field label="Does">
        <div><Segments label="Does" value={draft.kind} onChange={set("kind")} options={[["log", "Write to its log"], ["http", "Call a URL"], ["queue", "Wait for a worker"], ...(draft.kind === "other" ? [["other", other(draft)] as const] : [])]} /></div>
      </Field>
      {draft.kind === "http" && (
        <>
          <Field label="URL" error={errors["url"]}><Input {...text("url")} placeholder="https://api.example.com/hooks/invoice" inputMode="url" /></Field>
          <Row>
            <Field label="Method"><Select {...text("method")} options={METHODS} /></Field>
            <Field label="Timeout" hint="seconds, or 30s; default 60" error={errors["timeout"]}><Input {...text("timeout")} placeholder="60" /></Field>
          </Row>
          <Field label="Headers" error={errors["headers"]} hint="one a line, name: value"><Area {...text("headers")} rows={2} /></Field>
        </>
      )}
      {draft.kind === "queue" && (
        <Row>
          <Field label="Queue" error={errors["queue"]} hint="workers take jobs from it"><Input {...text("queue")} placeholder="mail" /></Field>
          <Field label="Task" error={errors["task"]} hint="what the worker does"><Input {...text("task")} placeholder="default" /></Field>
          <Field label="Timeout" hint="seconds, or 30s; default 60" error={errors["timeout"]}><Input {...text("timeout")} placeholder="60" /></Field>
        </Row>
      )}
      <Field label={draft.kind === "http" ? "Message, sent as the body" : "Message"} error={errors["message"]} hint="text, or JSON where it begins with { or ["><Area {...text("message")} data-first /></Field>
      <Row>
        {!without.includes("lane") && <Field label="Lane" hint="one at a time, in order" error={errors["ordering_key"]}><Input {...text("lane")} placeholder="none" /></Field>}
        <Field label="Attempts" error={errors["attempts"]} hint="default 5"><Input {...text("attempts")} inputMode="numeric" placeholder="5" /></Field>
        <Field label="Priority" error={errors["priority"]} hint="higher first, default 5"><Input {...text("priority")} inputMode="numeric" placeholder="5" /></Field>
      </Row>
      {!without.includes("labels") && <Field label="Labels" error={errors["labels"]}><Input {...text("labels")} placeholder="team=payments, env=prod" /></Field>}
    </>
  );
}

/** The name of a target that has no fields here. */
function other(draft: Draft): string {
  const target = draft.rest["target"] as { kind?: string; queue?: string } | undefined;
  return target?.queue ? `queue ${target.queue}` : (target?.kind ?? "other");
}

/** When, with the instant in words and in the zone. */
function When({ draft, errors, onChange }: Props) {
  const zone = useZone();
  const now = useNow();
  const delay = draft.when === "delay" ? durationOf(draft.delay) : null;
  const at = draft.when === "now" ? now : draft.when === "delay" ? (delay === null ? null : now + delay) : fromInput(draft.at, zone);
  const words = at === null ? "" : draft.when === "now" ? "Due at once." : `Due ${exact(at, zone).replace(/\.\d+/, "")}, ${at < now - 1000 ? "in the past: at once" : relative(at, now)}.`;
  return (
    <>
      <Field label="When">
        <div>
          <Segments label="When" value={draft.when} options={[["now", "Now"], ["delay", "After a time"], ["at", "At an instant"]]}
            onChange={(when) => onChange({ ...draft, when, at: draft.at || inputValue(now + 3_600_000, zone).slice(0, 16) })} />
        </div>
      </Field>
      {draft.when === "delay" && (
        <Field label="After" error={errors["delay"]} hint={words || "90, 30m, 1h30m, or ISO 8601"}><Input value={draft.delay} onChange={(event) => onChange({ ...draft, delay: event.target.value })} /></Field>
      )}
      {draft.when === "at" && (
        <Field label={`At, ${zone} time`} error={errors["at"] ?? errors["execute_at"]} hint={words}>
          <Input type="datetime-local" step={1} value={draft.at} onChange={(event) => onChange({ ...draft, at: event.target.value })} />
        </Field>
      )}
    </>
  );
}
