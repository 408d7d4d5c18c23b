// Messages of rules: what they are about, and how their delivery stands.
import { useInfiniteQuery } from "@tanstack/react-query";
import { notifications } from "../../api/queries";
import type { Notification, NotificationRule } from "../../api/types";
import { count } from "../../format/numbers";
import { Button } from "../../parts/Button";
import { Bones, Trouble } from "../../parts/Feedback";
import { Marked, State } from "../../parts/State";
import table from "../../parts/table.module.css";
import { At } from "../../parts/Time";
import { lineOf } from "./words";

export function Messages({ rules }: { rules: readonly NotificationRule[] }) {
  const list = useInfiniteQuery(notifications());
  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones rows={3} />;
  const rows = list.data.pages.flatMap((page) => page.rows);
  const names = new Map(rules.map((one) => [one.id, one.name]));
  return (
    <>
      <div className={table.pager}><b>Messages</b> newest first; ordinary jobs deliver them, with retries</div>
      {rows.length === 0 ? <p className={table.pager}>No rule has sent a message yet. <em>Send test</em> sends one.</p> : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Messages of rules">
          <table className={table.table}>
            <thead><tr><th>Since</th><th>Rule</th><th className="num">Events</th><th>About</th><th>Message</th><th className={table.grow}>Delivery</th></tr></thead>
            <tbody>
              {rows.map((one) => (
                <tr key={one.id}>
                  <td><At at={one.opened_at} /></td>
                  <td><b>{names.get(one.rule_id) ?? one.rule_id}</b></td>
                  <td className="num">{count(one.events)}</td>
                  <td>{one.items[0] ? lineOf(one.items[0]) : "–"}{one.events > 1 && <span className="qq"> and {count(one.events - 1)} more</span>}</td>
                  <td title={one.held ?? undefined}><Standing message={one} /></td>
                  <td className={table.grow}><Deliveries message={one} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && <p className={table.pager}><Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show older</Button></p>}
    </>
  );
}

function Standing({ message }: { message: Notification }) {
  if (message.state === "gathering") return message.held ? <Marked shape="wait">held back until <At at={message.due_at} /></Marked> : <Marked shape="created">gathers until <At at={message.due_at} /></Marked>;
  if (message.state === "dropped") return <Marked shape="cancelled">dropped</Marked>;
  return message.state === "sent" ? <Marked shape="yes">handed over</Marked> : <Marked shape="queued">sending</Marked>;
}

function Deliveries({ message }: { message: Notification }) {
  if (message.deliveries.length === 0) return <span className="qq">{message.held ?? "–"}</span>;
  return message.deliveries.map((one) => <span key={one.job_id} title={one.reason ?? undefined}><State state={one.state} attempts={one.attempts} /> {one.reason && <span className="q">{one.reason}</span>} </span>);
}
