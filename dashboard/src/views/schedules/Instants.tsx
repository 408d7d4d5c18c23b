// Coming instants: local, offset, UTC, from now, and what is special about each. A change of clocks is a rule between them.
import { Fragment } from "react";
import type { PreviewInstant } from "../../api/types";
import { clock, dated, offset, offsetMinutes } from "../../format/instants";
import { span } from "../../format/durations";
import { useNow } from "../../now";
import { Tag } from "../../parts/Button";
import table from "../../parts/table.module.css";
import { Ago } from "../../parts/Time";
import { FLAG_WORDS } from "./draft";
import css from "./schedules.module.css";

export function Instants({ rows, zone }: { rows: readonly PreviewInstant[]; zone: string }) {
  const now = useNow();
  const known = validZone(zone);
  if (rows.length === 0) return <p className="small q">No instant is to come.</p>;
  return (
    <div className={table.scroll} tabIndex={0} role="region" aria-label="Coming instants">
      <table className={table.list}>
        <thead><tr><th>Local</th><th>Offset</th><th>UTC</th><th>From now</th><th className={table.grow}>Mark</th></tr></thead>
        <tbody>
          {rows.map((one, i) => {
            const at = Date.parse(one.run_at ?? one.nominal);
            const nominal = Date.parse(one.nominal);
            const before = i > 0 ? offsetMinutes(Date.parse(rows[i - 1]!.nominal), known) : null;
            const change = before === null ? 0 : offsetMinutes(nominal, known) - before;
            const out = one.run_at === null;
            return (
              <Fragment key={one.nominal + i}>
                {change !== 0 && <tr className={css.shift}><td colSpan={5}>clocks go {change > 0 ? "forward" : "back"} {span(Math.abs(change) * 60_000)}</td></tr>}
                <tr className={out ? "qq" : ""}>
                  <td>{out ? <s>{dated(nominal, known, now)}</s> : dated(at, known, now)}</td>
                  <td className="q">{offset(at, known)}</td>
                  <td className="q">{clock(at, "UTC")}</td>
                  <td className="q">{out ? "not run" : <Ago at={at} />}</td>
                  <td className={table.grow}>
                    {one.flags.map((flag) => {
                      const [name, words] = FLAG_WORDS[flag] ?? [flag, ""];
                      return <span key={flag} title={words}><Tag look={name === "DST" ? "now" : "plain"}>{name}</Tag> <span className="q">{words}</span> </span>;
                    })}
                  </td>
                </tr>
              </Fragment>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** The zone, or UTC while a person is still typing its name. */
function validZone(zone: string): string {
  try {
    new Intl.DateTimeFormat("en", { timeZone: zone });
    return zone || "UTC";
  } catch {
    return "UTC";
  }
}
