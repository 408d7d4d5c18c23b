// Users, for administrators: weights, limits and quotas.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { users } from "../../api/queries";
import type { Account } from "../../api/types";
import { count } from "../../format/numbers";
import { Button, Tag } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Bones, Trouble } from "../../parts/Feedback";
import { Field, Input, Row, Select } from "../../parts/Field";
import table from "../../parts/table.module.css";
import { At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { useKeys } from "../../shell/keys";
import jobs from "../jobs/jobs.module.css";

export function Users() {
  useCrumbs(["Users"]);
  const search = useSearch({ from: "/users" });
  const navigate = useNavigate();
  const list = useQuery(users());
  const [shown, show] = useState<"new" | Account | null>(null);
  useKeys({ n: () => show("new") });
  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />;
  const rows = list.data.filter((one) => !search.q || one.username.includes(search.q.toLowerCase()));
  return (
    <>
      <div className={jobs.filter}>
        <Input type="search" aria-label="Search users" placeholder="Name contains" defaultValue={search.q} onChange={(event) => void navigate({ to: "/users", search: { q: event.target.value || undefined }, replace: true })} />
        <Button look="solid" hotkey="n" onClick={() => show("new")}>New user</Button>
      </div>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Users">
        <table className={table.table}>
          <thead><tr><th>User</th><th>Role</th><th className="num">Weight</th><th className="num">At once</th><th className="num">Rate</th><th className="num">Waiting jobs allowed</th><th>Shards or labels</th><th>Created</th><th><span className="sr">Actions</span></th></tr></thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.id}>
                <td><Link to="/" search={{ of: String(one.id) }}><b>{one.username}</b></Link></td>
                <td>{one.role === "admin" ? <Tag>admin</Tag> : <span className="q">user</span>}</td>
                <td className="num">{one.job_weight}</td>
                <td className="num">{one.limits?.max_concurrency ? count(one.limits.max_concurrency) : <span className="qq">–</span>}</td>
                <td className="num">{one.limits?.rate ? `${one.limits.rate} / ${one.limits.per}` : <span className="qq">–</span>}</td>
                <td className="num">{one.quotas?.pending_jobs ? count(one.quotas.pending_jobs) : <span className="qq">default</span>}</td>
                <td className="q">{distribution(one)}</td>
                <td className="q"><At at={one.created_at} /></td>
                <td className="num"><Link className="link" to="/jobs" search={{ user: String(one.id) }}>Jobs</Link> <Button look="plain" onClick={() => show(one)}>Edit…</Button></td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={table.pager}>{count(rows.length)} {rows.length === 1 ? "user" : "users"}</p>
      {shown === "new" && <NewUser onClose={() => show(null)} />}
      {shown && shown !== "new" && <EditUser user={shown} onClose={() => show(null)} />}
    </>
  );
}

function distribution({ distribution: given }: Account): string {
  if ("shards" in given) return `shards ${given.shards.slice(0, 6).join(", ")}${given.shards.length > 6 ? "…" : ""}`;
  if ("labels" in given) return Object.entries(given.labels).map(([name, value]) => `${name}=${value}`).join(", ");
  return "all shards";
}

function NewUser({ onClose }: { onClose: () => void }) {
  const [username, setUsername] = useState("");
  const [password, setPassword] = useState("");
  const [role, setRole] = useState("user");
  const [weight, setWeight] = useState("1");
  const create = useAction(() => send("POST", "users", { username, password, role, job_weight: Number(weight) }), { inPlace: true, say: () => `${username} can sign in.`, onDone: onClose });
  return (
    <Dialog title="New user" onClose={onClose} onSubmit={() => create.mutate(undefined)} footer={<><Button onClick={onClose}>Discard</Button><Button type="submit" look="solid" disabled={create.isPending || !username || password.length < 8 || !(Number(weight) > 0)}>Create user</Button></>}>
      <Field label="User name" hint="letters, digits, dots, hyphens, underscores, at signs"><Input data-first value={username} onChange={(event) => setUsername(event.target.value)} /></Field>
      <Field label="Password" hint="8 characters or more; the user can change it"><Input type="password" autoComplete="new-password" value={password} onChange={(event) => setPassword(event.target.value)} /></Field>
      <Row>
        <Field label="Role"><Select value={role} onChange={(event) => setRole(event.target.value)} options={[["user", "user"], ["admin", "admin"]]} /></Field>
        <Field label="Weight" hint="its share under backlog"><Input inputMode="decimal" value={weight} onChange={(event) => setWeight(event.target.value)} /></Field>
      </Row>
      {create.error && <p className="bad small" role="alert">{create.error.message}</p>}
    </Dialog>
  );
}

const QUOTAS = [["pending_jobs", "Waiting jobs"], ["stored_bytes", "Stored bytes"], ["schedules", "Schedules"], ["requests_per_second", "Requests a second"]] as const;

function EditUser({ user, onClose }: { user: Account; onClose: () => void }) {
  const text = (value: number | null | undefined) => (value == null ? "" : String(value));
  const [weight, setWeight] = useState(text(user.job_weight));
  const [atOnce, setAtOnce] = useState(text(user.limits?.max_concurrency));
  const [rate, setRate] = useState(text(user.limits?.rate));
  const [per, setPer] = useState<string>(user.limits?.per ?? "second");
  const [quotas, setQuotas] = useState<Record<string, string>>(() => Object.fromEntries(QUOTAS.map(([name]) => [name, text(user.quotas?.[name])])));
  const save = useAction(() => {
    const limits = atOnce || rate ? { ...user.limits, max_concurrency: atOnce ? Number(atOnce) : null, rate: rate ? Number(rate) : null, per, burst: rate ? (user.limits?.burst ?? null) : null } : null;
    const set = Object.fromEntries(QUOTAS.map(([name]) => [name, quotas[name] ? Number(quotas[name]) : null]));
    const all = { ...user.quotas, ...set };
    return send("PATCH", `users/${user.id}`, { job_weight: Number(weight), limits, quotas: Object.values(all).some((one) => one != null) ? all : null });
  }, { inPlace: true, say: () => `${user.username} is changed.`, onDone: onClose });
  return (
    <Dialog title={`Edit ${user.username}`} onClose={onClose} onSubmit={() => save.mutate(undefined)} footer={<><Button onClick={onClose}>Discard</Button><Button type="submit" look="solid" disabled={save.isPending || !(Number(weight) > 0)}>Save changes</Button></>}>
      <Field label="Weight" hint="its share while more is due than can be launched"><Input inputMode="decimal" value={weight} onChange={(event) => setWeight(event.target.value)} /></Field>
      <Row>
        <Field label="Running at once" hint="empty: no limit"><Input inputMode="numeric" value={atOnce} onChange={(event) => setAtOnce(event.target.value)} /></Field>
        <Field label="Launches" hint="empty: no limit"><Input inputMode="decimal" value={rate} onChange={(event) => setRate(event.target.value)} /></Field>
        <Field label="per"><Select value={per} onChange={(event) => setPer(event.target.value)} options={[["second", "second"], ["minute", "minute"], ["hour", "hour"]]} /></Field>
      </Row>
      <Row>
        {QUOTAS.slice(0, 2).map(([name, words]) => <Field key={name} label={words} hint="empty: the server's default"><Input inputMode="numeric" value={quotas[name]} onChange={(event) => setQuotas({ ...quotas, [name]: event.target.value })} /></Field>)}
      </Row>
      <Row>
        {QUOTAS.slice(2).map(([name, words]) => <Field key={name} label={words}><Input inputMode="numeric" value={quotas[name]} onChange={(event) => setQuotas({ ...quotas, [name]: event.target.value })} /></Field>)}
      </Row>
      {save.error && <p className="bad small" role="alert">{save.error.message}</p>}
    </Dialog>
  );
}
