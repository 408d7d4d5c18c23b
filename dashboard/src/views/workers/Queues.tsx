// Queues: what is due in each and not taken, since when, and who takes it.
import { Link } from "@tanstack/react-router";
import type { Queue } from "../../api/types";
import { count } from "../../format/numbers";
import { Band } from "../../parts/Sheet";
import { Marked } from "../../parts/State";
import table from "../../parts/table.module.css";
import { At, Since } from "../../parts/Time";

export function Queues({ rows }: { rows: readonly Queue[] }) {
  return (
    <Band pad={false}>
      <div className={table.pager}><b>Queues</b> with due jobs, runs or workers<Link className="link push" to="/jobs" search={{ target: "queue", state: "created" }}>Waiting jobs</Link></div>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Queues">
        <table className={table.table}>
          <thead><tr><th>Queue</th><th className="num">Due, not taken</th><th className="num">Oldest waits for</th><th>Due since</th><th className="num">Running</th><th className="num">Workers</th><th className="num">Slots</th><th className={table.grow}>Note</th></tr></thead>
          <tbody>
            {rows.map((one) => (
              <tr key={one.queue}>
                <td><b>{one.queue}</b></td>
                <td className="num">{count(one.waiting)}{one.waiting_capped ? "+" : ""}</td>
                <td className="num">{one.oldest_due_at ? <Since at={one.oldest_due_at} /> : <span className="qq">–</span>}</td>
                <td className="q"><At at={one.oldest_due_at} /></td>
                <td className="num">{count(one.running)}</td>
                <td className="num">{count(one.workers)}</td>
                <td className="num">{count(one.slots)}</td>
                <td className={table.grow} title={one.missing ?? undefined}>{one.missing && <Marked shape="label">{one.missing}</Marked>}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Band>
  );
}
