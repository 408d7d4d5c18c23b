// On time, and what needs me.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { me, overview, planned, users, type Of } from "../../api/queries";
import type { Overview as Look } from "../../api/types";
import * as durations from "../../format/durations";
import { clock } from "../../format/instants";
import { count } from "../../format/numbers";
import { follow, useNow } from "../../now";
import { Button, Segments } from "../../parts/Button";
import { Bones, Trouble } from "../../parts/Feedback";
import { Figure, Head, Verdict } from "../../parts/Sheet";
import { Mark } from "../../parts/State";
import table from "../../parts/table.module.css";
import { useZone } from "../../settings";
import { useCrumbs } from "../../shell/crumbs";
import { Below } from "./Below";
import { Horizon } from "./Horizon";
import { Needs } from "./Needs";
import { Tiles } from "./Tiles";
import { judge, WINDOW_WORDS } from "./verdict";
import css from "./overview.module.css";

const WINDOWS = [["15m", "15 min"], ["1h", "1 h"], ["3h", "3 h"], ["24h", "24 h"], ["7d", "7 d"]] as const;

export function Overview() {
  const search = useSearch({ from: "/" });
  const navigate = useNavigate();
  const admin = useQuery(me()).data?.role === "admin";
  const of: Of = search.of ?? (admin ? "all" : "mine");
  const window = search.window ?? "1h";
  const look = useQuery(overview(of, window));
  const plan = useQuery(planned(of === "all" ? "all" : "mine"));
  const [asTable, setAsTable] = useState(false);
  const serverNow = look.data?.now;
  const named = useQuery(users(admin && /^\d+$/.test(of))).data?.find((one) => String(one.id) === of)?.username;
  useEffect(() => {
    if (serverNow) follow(serverNow);
  }, [serverNow]);
  useCrumbs(named ? ["Overview", named] : ["Overview"]);

  if (!look.data) return look.error ? <Trouble error={look.error} retry={look.refetch} /> : <Bones rows={20} />;
  const scope = admin && (
    <Segments label="Whose jobs" value={of === "mine" ? "mine" : of === "all" ? "all" : of} onChange={(value) => void navigate({ to: "/", search: { ...search, of: value === "all" ? undefined : value } })}
      options={[["all", "Everyone"], ["mine", "Mine"], ...(named ? [[of, named] as const] : [])]} />
  );
  return (
    <>
      <Said look={look.data} />
      <div className={css.main}>
        <section aria-labelledby="lateness">
          <Head id="lateness" title="Lateness" action={
            <>
              {scope}
              <Segments label="Window" value={window} options={WINDOWS} onChange={(value) => void navigate({ to: "/", search: { ...search, window: value === "1h" ? undefined : value } })} />
            </>
          }>
            launched minus due, log scale; dashed: the budget, {durations.lateness(look.data.lateness.budget_ms)}
          </Head>
          {asTable ? <AsTable look={look.data} /> : <Horizon look={look.data} planned={of === "all" || of === "mine" ? plan.data : undefined} />}
          <Button look="plain" className={css.asTable!} onClick={() => setAsTable(!asTable)} aria-pressed={asTable}>{asTable ? "Show as chart" : "Show as table"}</Button>
        </section>
        <section className={css.needsCell} aria-labelledby="needs">
          <Needs look={look.data} of={of} />
        </section>
      </div>
      <Tiles look={look.data} of={of} />
      <Below of={of} admin={admin} planned={plan.data} />
    </>
  );
}

function Said({ look }: { look: Look }) {
  const judged = judge(look);
  const now = useNow();
  const { lateness } = look;
  const part = (ms: number | null) => (ms === null ? ["–", undefined] : durations.short(ms)) as [string, string | undefined];
  const oldest = look.waiting.oldest_due_at ? Math.max(0, now - Date.parse(look.waiting.oldest_due_at)) : 0;
  const [p50, p99, worst, due] = [part(lateness.p50_ms), part(lateness.p99_ms), part(lateness.worst_ms), durations.short(oldest)];
  return (
    <Verdict
      mark={<Mark shape={judged.shape} size={24} />}
      say={judged.say}
      aside={judged.aside}
      figures={
        <>
          <Figure name="Lateness p50" value={p50[0]} unit={p50[1]} />
          <Figure name={`p99, budget ${durations.lateness(lateness.budget_ms)}`} value={<span className={(lateness.p99_ms ?? 0) > lateness.budget_ms ? "late" : ""}>{p99[0]}</span>} unit={p99[1]} />
          <Figure name="Worst" value={<span className={(lateness.worst_ms ?? 0) > lateness.budget_ms ? "late" : ""}>{worst[0]}</span>} unit={worst[1]} title={`The latest launch of ${WINDOW_WORDS[look.window]}`} />
          <Figure name="Oldest due" value={due[0]} unit={due[1]} title="How long the oldest due job that nothing holds has waited" />
        </>
      }
    >
      {judged.text || "A job or a schedule that becomes due is launched at its instant, and counted here."}
    </Verdict>
  );
}

function AsTable({ look }: { look: Look }) {
  const zone = useZone();
  const { series } = look;
  const rows = series.launched.map((launched, i) => ({ at: Date.parse(series.start) + i * series.step * 1000, launched, i })).filter((row) => row.launched > 0).reverse();
  return (
    <div className={css.tableWrap} tabIndex={0} role="region" aria-label="Lateness as a table">
      <table className={table.list}>
        <thead><tr><th>From</th><th className="num">Launched</th><th className="num">p50</th><th className="num">p99</th><th className="num">Worst</th></tr></thead>
        <tbody>
          {rows.map(({ at, launched, i }) => (
            <tr key={at}>
              <td>{clock(at, zone).slice(0, 5)}</td><td className="num">{count(launched)}</td><td className="num">{durations.lateness(series.p50_ms[i])}</td>
              <td className="num">{durations.lateness(series.p99_ms[i])}</td><td className="num">{durations.lateness(series.worst_ms[i])}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
