// A dialog with a job's form, or the same as JSON for what the form has no field for.
import { useState } from "react";
import { ApiError, MOUNT } from "../../api/client";
import { curl } from "../../format/targets";
import { Button, Segments } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Dialog } from "../../parts/Dialog";
import { Area, Field } from "../../parts/Field";
import { useZone } from "../../settings";
import { bodyOf, wrong, type Draft } from "./draft";
import { JobFields } from "./JobFields";

interface Props {
  title: string;
  verb: string;
  first: Draft;
  note?: string | undefined;
  method: "POST" | "PATCH";
  path: string;
  without?: readonly ("when" | "lane" | "labels")[];
  /** What of the body is sent: all of it, or what was changed. */
  part?: (body: Record<string, unknown>, first: Record<string, unknown>) => Record<string, unknown>;
  busy: boolean;
  error: Error | null;
  onSubmit: (body: Record<string, unknown>) => void;
  onClose: () => void;
}

export function JobDialog(props: Props) {
  const zone = useZone();
  const [draft, setDraft] = useState(props.first);
  const [json, setJson] = useState<string | null>(null);
  const [tried, setTried] = useState(false);
  const part = props.part ?? ((body) => body);
  const problems = wrong(draft, zone);
  const failure = props.error instanceof ApiError ? props.error : null;
  const errors: Partial<Record<string, string>> = tried ? { ...problems } : {};
  const field = failure?.field?.split(".").at(-1);
  if (failure && field) errors[field === "execute_at" ? "at" : field] = failure.message;
  const body = () => part(bodyOf(draft, zone), bodyOf(props.first, zone));
  const parsed = json === null ? null : parse(json);
  const submit = () => {
    setTried(true);
    if (json === null ? Object.keys(problems).length : parsed === null) return;
    props.onSubmit(json === null ? body() : (parsed as Record<string, unknown>));
  };
  return (
    <Dialog title={props.title} wide onClose={props.onClose} onSubmit={submit} footer={
      <>
        <span className="push" />
        <Button look="plain" onClick={() => { setTried(true); if (json !== null || !Object.keys(problems).length) void copy(curl(MOUNT.href, props.method, props.path, json === null ? body() : parsed), "Copied as a curl command."); }}>Copy as curl</Button>
        <Button onClick={props.onClose}>Discard</Button>
        <Button type="submit" look="solid" disabled={props.busy}>{props.verb}</Button>
      </>
    }>
      <div>
        <Segments label="Written as" value={json === null ? "form" : "json"} options={[["form", "Form"], ["json", "JSON"]]}
          onChange={(mode) => { if (mode === "form") setJson(null); else if (!Object.keys(problems).length) setJson(JSON.stringify(body(), null, 2)); else setTried(true); }} />
      </div>
      {props.note && <p className="small late">{props.note}</p>}
      {json === null ? (
        <JobFields draft={draft} errors={errors} onChange={setDraft} without={props.without ?? []} />
      ) : (
        <Field label="Body of the call" error={parsed === null ? "This is no JSON object." : undefined} hint="every field of the API; back to the form drops what you wrote here">
          <Area rows={16} value={json} onChange={(event) => setJson(event.target.value)} />
        </Field>
      )}
      {failure && <p className="bad small" role="alert">{failure.message}</p>}
    </Dialog>
  );
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
