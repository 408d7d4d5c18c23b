// One's own account: password, sessions, quotas, and how the page behaves in this browser.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { me, sessions } from "../../api/queries";
import { browserOf } from "../../format/browsers";
import type { Me } from "../../api/types";
import { bytes, count } from "../../format/numbers";
import { Button, Segments, Tag } from "../../parts/Button";
import { Bones, Trouble } from "../../parts/Feedback";
import { Check, Field, Input } from "../../parts/Field";
import { Band, Columns, Facts, Head, Title } from "../../parts/Sheet";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { client } from "../../polling";
import { change, useSettings } from "../../settings";
import { useCrumbs } from "../../shell/crumbs";
import css from "./account.module.css";

export function AccountPage() {
  useCrumbs(["Account"]);
  const who = useQuery({ ...me(), refetchInterval: 10_000 });
  const leave = useAction(() => send("DELETE", "auth/session"), { onDone: () => void client.resetQueries() });
  if (!who.data) return who.error ? <Trouble error={who.error} /> : <Bones />;
  return (
    <>
      <Title name={who.data.username} tags={who.data.role === "admin" && <Tag>admin</Tag>} actions={<Button disabled={leave.isPending} onClick={() => leave.mutate(undefined)}>Sign out</Button>}>
        User {who.data.id}, since <At at={who.data.created_at} />. Weight {who.data.job_weight}.
      </Title>
      <Columns shape="thirds">
        <Quotas me={who.data} />
        <Password />
        <Page />
      </Columns>
      <Sessions />
    </>
  );
}

const QUOTAS = [["pending_jobs", "Waiting jobs"], ["schedules", "Schedules"], ["calendars", "Calendars"], ["calendar_dates", "Calendar dates"], ["definitions", "Definitions"], ["stored_bytes", "Stored"]] as const;

function Quotas({ me: { allowed, used, limits } }: { me: Me }) {
  const show = (name: string, n: number) => (name === "stored_bytes" ? bytes(n) : count(n));
  return (
    <section>
      <Head title="Quotas">used of allowed</Head>
      <Facts
        rows={[
          ...QUOTAS.map(([name, words]) => {
            const [has, may] = [used[name], allowed[name]];
            const near = has != null && may != null && has > may * 0.9;
            return [words, <span key={name} className={near ? "late" : ""}>{has == null ? "–" : show(name, has)} <span className="q">of {may == null ? "any" : show(name, may)}</span></span>] as const;
          }),
          ["Requests", allowed.requests_per_second == null ? "any" : `${count(allowed.requests_per_second)} a second`],
          ["Running", limits?.max_concurrency ? `${count(limits.max_concurrency)} at once` : "no limit of its own"],
        ]}
      />
    </section>
  );
}

function Password() {
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const save = useAction(() => send("POST", "me/password", { current, new: next }), {
    inPlace: true, say: () => "Changed. Every other session has ended.", onDone: () => { setCurrent(""); setNext(""); },
  });
  return (
    <section>
      <Head title="Password" />
      <form className={css.form} onSubmit={(event) => { event.preventDefault(); save.mutate(undefined); }}>
        <Field label="Current password"><Input type="password" autoComplete="current-password" value={current} onChange={(event) => setCurrent(event.target.value)} /></Field>
        <Field label="New password" hint="8 characters or more" error={save.error?.message}><Input type="password" autoComplete="new-password" value={next} onChange={(event) => setNext(event.target.value)} /></Field>
        <div><Button type="submit" disabled={save.isPending || !current || next.length < 8}>Change password</Button></div>
      </form>
    </section>
  );
}

function Page() {
  const { theme, utc, keys, poll } = useSettings();
  return (
    <section>
      <Head title="This page">in this browser</Head>
      <div className={css.form}>
        <Field label="Theme"><div><Segments label="Theme" value={theme} onChange={(value) => change({ theme: value })} options={[["system", "As the system"], ["light", "Light"], ["dark", "Dark"]]} /></div></Field>
        <Field label="Times"><div><Segments label="Times" value={utc ? "utc" : "local"} onChange={(value) => change({ utc: value === "utc" })} options={[["local", "Local"], ["utc", "UTC"]]} /></div></Field>
        <Field label="Looks"><div><Segments label="Looks" value={poll} onChange={(value) => { change({ poll: value }); void client.invalidateQueries(); }} options={[[2, "2 s"], [5, "5 s"], [30, "30 s"], [0, "Paused"]]} /></div></Field>
        <Check label="Single keys act; ? shows them" checked={keys} onChange={(event) => change({ keys: event.target.checked })} />
      </div>
    </section>
  );
}

function Sessions() {
  const { data, error, refetch } = useQuery(sessions());
  const end = useAction((id: string | number) => send("DELETE", `me/sessions/${id}`), { say: () => "That session has ended." });
  return (
    <Band pad={false} fill>
      <div className={table.pager}><b>Sessions</b> browsers that are signed in as you</div>
      {error && !data ? <Trouble error={error} retry={refetch} /> : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Sessions">
          <table className={table.table}>
            <thead><tr><th>Browser</th><th>Address</th><th>Signed in</th><th>Last seen</th><th>Ends</th><th><span className="sr">Actions</span></th></tr></thead>
            <tbody>
              {data?.map((one) => (
                <tr key={one.id}>
                  <td className={table.grow} title={one.client ?? undefined}>{one.client ? browserOf(one.client) : "–"}</td><td className="q">{one.address ?? "–"}</td><td><At at={one.created_at} /></td><td className="q"><Ago at={one.seen_at} /></td><td className="q"><Ago at={one.expires_at} /></td>
                  <td className="num">{one.current ? <Tag look="now">this one</Tag> : <Button disabled={end.isPending} onClick={() => end.mutate(one.id)}>End</Button>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Band>
  );
}
