// Notification rules, and the messages that they sent.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { send } from "../../api/client";
import { me, notificationRules, schedules } from "../../api/queries";
import type { NotificationRule } from "../../api/types";
import { Button, Tag } from "../../parts/Button";
import { Confirm } from "../../parts/Dialog";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Band } from "../../parts/Sheet";
import { Marked } from "../../parts/State";
import table from "../../parts/table.module.css";
import { useCrumbs } from "../../shell/crumbs";
import { useKeys } from "../../shell/keys";
import jobs from "../jobs/jobs.module.css";
import { Messages } from "./Messages";
import { Preview } from "./Preview";
import { RuleDialog } from "./RuleDialog";
import { aboutOf, placeOf, wordsOf } from "./words";

type Shown = { what: "new" } | { what: "edit" | "preview" | "delete"; rule: NotificationRule } | null;

export function Notifications() {
  useCrumbs(["Notifications"]);
  const admin = useQuery(me()).data?.role === "admin";
  const list = useQuery(notificationRules());
  const named = useInfiniteQuery(schedules({}));
  const [shown, show] = useState<Shown>(null);
  const close = () => show(null);
  const remove = useAction((rule: NotificationRule) => send("DELETE", `me/notification-rules/${rule.id}`), { say: (_, rule) => `The rule ${rule.name} is deleted.`, onDone: close });
  useKeys({ n: () => show({ what: "new" }) });
  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />;
  const own = named.data?.pages.flatMap((page) => page.rows) ?? [];
  const names = new Map(own.map((one) => [one.id, one.name]));
  return (
    <>
      <div className={jobs.filter}>
        <span className="q small">You are told when something flips, not each time it happens again.</span>
        <span className="push"><Button look="solid" hotkey="n" onClick={() => show({ what: "new" })}>New rule</Button></span>
      </div>
      <h2 className="sr">Rules</h2>
      {list.data.length === 0 ? (
        <Empty title="No rules" actions={<Button look="solid" onClick={() => show({ what: "new" })}>New rule</Button>}>
          A rule tells you by mail, webhook or chat when jobs fail, and when they work again.
        </Empty>
      ) : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Rules">
          <table className={table.table}>
            <thead><tr><th>Rule</th><th>Status</th><th>About</th><th>Tells when</th><th className={table.grow}>Where to</th><th><span className="sr">Actions</span></th></tr></thead>
            <tbody>
              {list.data.map((rule) => (
                <tr key={rule.id}>
                  <td><b>{rule.name}</b></td>
                  <td>{rule.active ? <Marked shape="yes">active</Marked> : <Marked shape="suspended">paused</Marked>}</td>
                  <td className="q">{aboutOf(rule, names)}</td>
                  <td>{rule.events.map(wordsOf).join(", ")}</td>
                  <td className={table.grow} title={rule.channels.map((one) => `${one.kind} ${placeOf(one)}`).join("\n")}>{rule.channels.map((one, n) => <span key={n}><Tag>{one.kind}</Tag> {placeOf(one)} </span>)}</td>
                  <td className="num"><Actions rule={rule} show={show} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Band pad={false}><Messages rules={list.data} /></Band>
      {shown?.what === "new" && <RuleDialog admin={admin} schedules={own} onClose={close} />}
      {shown?.what === "edit" && <RuleDialog rule={shown.rule} admin={admin} schedules={own} onClose={close} />}
      {shown?.what === "preview" && <Preview rule={shown.rule} onClose={close} />}
      {shown?.what === "delete" && (
        <Confirm title={`Delete the rule ${shown.rule.name}?`} verb="Delete 1 rule" busy={remove.isPending} onClose={close} onConfirm={() => remove.mutate(shown.rule)}>
          <p className="small">What it gathers is not sent. Messages that were sent stay below.</p>
        </Confirm>
      )}
    </>
  );
}

function Actions({ rule, show }: { rule: NotificationRule; show: (shown: Shown) => void }) {
  const test = useAction(() => send("POST", `me/notification-rules/${rule.id}/test`), { say: () => `A test message of ${rule.name} is on its way. Its delivery is below.` });
  const set = useAction((active: boolean) => send("PATCH", `me/notification-rules/${rule.id}`, { active }), { say: (_, active) => `${rule.name} ${active ? "tells you again" : "tells you nothing until you resume it"}.` });
  return (
    <>
      <Button disabled={test.isPending} onClick={() => test.mutate(undefined)}>Send test</Button>{" "}
      <Button look="plain" onClick={() => show({ what: "preview", rule })}>Preview…</Button>{" "}
      <Button look="plain" onClick={() => show({ what: "edit", rule })}>Edit…</Button>{" "}
      <Button look="plain" disabled={set.isPending} onClick={() => set.mutate(!rule.active)}>{rule.active ? "Pause" : "Resume"}</Button>{" "}
      <Button look="plain" onClick={() => show({ what: "delete", rule })}>Delete…</Button>
    </>
  );
}
