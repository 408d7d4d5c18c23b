import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { ApiError, MOUNT, send } from "../../api/client";
import { schedule } from "../../api/queries";
import type { Schedule } from "../../api/types";
import { curl } from "../../format/targets";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Field, Input } from "../../parts/Field";
import { Band, Title } from "../../parts/Sheet";
import { zoneNow } from "../../settings";
import { useCrumbs } from "../../shell/crumbs";
import { bodyOf, draftOf, emptySchedule, wrong } from "./draft";
import { Editor } from "./Editor";
import css from "./schedules.module.css";

export function NewSchedule() {
  const { like } = useSearch({ from: "/schedules/new" });
  const model = useQuery({ ...schedule(like ?? ""), enabled: !!like });
  if (like && !model.data) return null;
  return <Form key={like ?? ""} like={model.data} />;
}

function Form({ like }: { like: Schedule | undefined }) {
  useCrumbs([{ name: "Schedules", to: "/schedules" }, "New"]);
  const navigate = useNavigate();
  const copied = like && draftOf(like);
  const [draft, setDraft] = useState(() => (copied ? { ...copied.draft, name: `${copied.draft.name}-2` } : emptySchedule(zoneNow())));
  const [tried, setTried] = useState(false);
  const create = useAction((body: Record<string, unknown>) => send<Schedule>("POST", "me/schedules", body), {
    inPlace: true, say: (made) => `${made.name} is active.`, onDone: (made) => void navigate({ to: "/schedules/$id", params: { id: String(made.id) } }),
  });
  const failure = create.error instanceof ApiError ? create.error : null;
  const errors = tried ? wrong(draft) : {};
  if (failure?.field) errors[failure.field] = failure.message;
  const save = () => {
    setTried(true);
    if (Object.keys(wrong(draft)).length === 0) create.mutate(bodyOf(draft));
  };
  return (
    <form onSubmit={(event) => { event.preventDefault(); save(); }} noValidate>
      <Title name="New schedule" actions={
        <>
          <Button look="plain" onClick={() => void navigate({ to: "/schedules" })}>Discard</Button>
          <Button onClick={() => void copy(curl(MOUNT.href, "POST", "/api/v1/me/schedules", bodyOf(draft)), "Copied as a curl command.")}>Copy as curl</Button>
          <Button type="submit" look="solid" disabled={create.isPending}>Create schedule</Button>
        </>
      }>
        It becomes active at once. What you type is previewed on the right.
      </Title>
      {(failure || (tried && Object.keys(errors).length > 0)) && <Band><p className="bad small" role="alert">{failure?.message ?? Object.values(errors)[0]}</p></Band>}
      {copied && copied.hidden.length > 0 && <Band><p className="late small">Not copied, because the server does not show it: {copied.hidden.join(", ")}.</p></Band>}
      <Band>
        <div className={css.summary}>
          <Field inline label="Name" error={errors["name"]} hint="unique among your schedules; H and jitter are derived from it">
            <Input autoFocus value={draft.name} onChange={(event) => setDraft({ ...draft, name: event.target.value })} placeholder="nightly-report" />
          </Field>
        </div>
      </Band>
      <Editor draft={draft} errors={errors} onChange={setDraft} unsaved isNew />
    </form>
  );
}
