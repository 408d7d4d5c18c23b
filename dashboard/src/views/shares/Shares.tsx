// Shares: what each user got, against its weight.
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { shares } from "../../api/queries";
import { count, percent, plural } from "../../format/numbers";
import { Segments } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Band, Head } from "../../parts/Sheet";
import { ShareBar } from "../../parts/ShareBar";
import { Spark } from "../../parts/Spark";
import table from "../../parts/table.module.css";
import { useCrumbs } from "../../shell/crumbs";
import css from "./shares.module.css";

const WORDS: Record<string, string> = { "1h": "the last hour", "3h": "the last 3 hours", "24h": "the last 24 hours", "7d": "the last 7 days" };

export function Shares() {
  useCrumbs(["Shares"]);
  const search = useSearch({ from: "/shares" });
  const navigate = useNavigate();
  const window = search.window ?? "1h";
  const { data, error, refetch } = useQuery(shares(window));
  if (!data) return error ? <Trouble error={error} retry={refetch} /> : <Bones />;
  return (
    <>
      <Band>
        <Head title={`${plural(data.launched, "launch", "launches")} in ${WORDS[window]}`} action={
          <Segments label="Window" value={window} onChange={(value) => void navigate({ to: "/shares", search: { window: value === "1h" ? undefined : value }, replace: true })} options={[["1h", "1 h"], ["3h", "3 h"], ["24h", "24 h"], ["7d", "7 d"]]} />
        }>the bar is what a user got, the tick its weight among those that launched</Head>
        <p className="small q">Weights count while more is due than can be launched: a user with less due than its share leaves the rest to the others.</p>
      </Band>
      {data.users.length === 0 ? (
        <Empty title="Nothing was launched">Users with launches in {WORDS[window]} are listed here, the largest first.</Empty>
      ) : (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Shares">
          <table className={table.table}>
            <thead><tr><th>User</th><th className={css.bar}>Got against weight</th><th className="num">Got</th><th className="num">By weight</th><th className="num">Weight</th><th className="num">Launched</th><th className={css.over}>Over time</th><th><span className="sr">More</span></th></tr></thead>
            <tbody>
              {data.users.map((one) => (
                <tr key={one.user_id}>
                  <td><Link to="/" search={{ of: String(one.user_id) }}><b>{one.username}</b></Link></td>
                  <td><ShareBar part={one.launched_part} weight={one.weight_part} /></td>
                  <td className="num">{percent(one.launched_part)}</td>
                  <td className="num q">{percent(one.weight_part)}</td>
                  <td className="num">{one.job_weight}</td>
                  <td className="num">{count(one.launched)}</td>
                  <td><Spark values={one.launched_series} /></td>
                  <td className="num"><Link className="link" to="/jobs" search={{ user: String(one.user_id) }}>Jobs</Link></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <p className={table.pager}>At most 50 users. <Link className="link" to="/users">Weights and limits are set under Users</Link></p>
    </>
  );
}
