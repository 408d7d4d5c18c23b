import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { schedules } from "../../api/queries";
import type { Schedule } from "../../api/types";
import { count } from "../../format/numbers";
import { does } from "../../format/targets";
import { Button, LinkButton, Segments, Tag } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Input } from "../../parts/Field";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { useKeys } from "../../shell/keys";
import css from "./schedules.module.css";

export function Schedules() {
  useCrumbs(["Schedules"]);
  const search = useSearch({ from: "/schedules" });
  const navigate = useNavigate();
  const [text, setText] = useState(search.q ?? "");
  useEffect(() => {
    if (text === (search.q ?? "")) return;
    const timer = setTimeout(() => void navigate({ to: "/schedules", search: (now) => ({ ...now, q: text || undefined }), replace: true }), 250);
    return () => clearTimeout(timer);
    // eslint-disable-next-line
  }, [text]);
  const list = useInfiniteQuery(schedules({ state: search.state, q: search.q }));
  const rows = list.data?.pages.flatMap((page) => page.rows) ?? [];
  useKeys({ n: () => void navigate({ to: "/schedules/new" }) });
  return (
    <>
      <div className={css.filter}>
        <Input type="search" aria-label="Search schedules by name" placeholder="Name contains" value={text} onChange={(event) => setText(event.target.value)} />
        <Segments label="State" value={search.state ?? "all"} onChange={(state) => void navigate({ to: "/schedules", search: { ...search, state: state === "all" ? undefined : state }, replace: true })}
          options={[["all", "All"], ["active", "Active"], ["paused", "Paused"], ["finished", "Finished"]]} />
        <span className="push"><LinkButton look="solid" to="/schedules/new">New schedule</LinkButton></span>
      </div>
      {!list.data ? (list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />)
        : rows.length === 0 ? (
          search.q || search.state ? <Empty title="No schedule matches" actions={<Button onClick={() => { setText(""); void navigate({ to: "/schedules", search: {} }); }}>Show all</Button>} />
            : <Empty title="No schedules yet" actions={<LinkButton look="solid" to="/schedules/new">New schedule</LinkButton>}>A schedule launches a job again and again, by a cron line, an interval, a list of dates or a recurrence rule.</Empty>
        ) : (
          <>
            <div className={table.scroll} tabIndex={0} role="region" aria-label="Schedules">
              <table className={table.table}>
                <thead><tr><th>Name</th><th>State</th><th>Timing</th><th>Zone</th><th>Does</th><th>Next</th><th><span className="sr">From now</span></th><th className="num">Launched</th></tr></thead>
                <tbody>{rows.map((one) => <Row key={one.id} one={one} />)}</tbody>
              </table>
            </div>
            <div className={table.pager}>
              <span>{count(rows.length)} shown</span>
              {list.hasNextPage && <Button className="push" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>Show more</Button>}
            </div>
          </>
        )}
    </>
  );
}

export function timing(one: Schedule): string {
  if (one.cron) return Array.isArray(one.cron) ? one.cron.join(" | ") : String(one.cron);
  if (one.every !== null) return `every ${one.every}${typeof one.every === "number" ? " s" : ""}`;
  if (one.at) return `${one.at.length} dates`;
  return one.rrule ?? "";
}

function Row({ one }: { one: Schedule }) {
  const what = does(one.target, one.message);
  return (
    <tr>
      <td><Link to="/schedules/$id" params={{ id: String(one.id) }}><b>{one.name}</b></Link></td>
      <td>{one.state === "active" ? <span className="q">active</span> : <Tag look={one.state === "paused" ? "warn" : "plain"}>{one.state}</Tag>}</td>
      <td className="mono">{timing(one)}</td>
      <td className="q">{one.zone}</td>
      <td className={table.grow}><span className="q">{what.verb}</span> {what.what}</td>
      <td>{one.next ? <At at={one.next.run_at} /> : <span className="qq">–</span>}</td>
      <td className="q">{one.next && <Ago at={one.next.run_at} />}</td>
      <td className="num">{count(one.occurrences)}</td>
    </tr>
  );
}
