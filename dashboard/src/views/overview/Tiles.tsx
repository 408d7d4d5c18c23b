// Eight figures, each with its last hour, each a way to its list.
import { Link, type LinkProps } from "@tanstack/react-router";
import type { Of } from "../../api/queries";
import type { Overview } from "../../api/types";
import { capped, count, short } from "../../format/numbers";
import type { Shape } from "../../format/states";
import { Spark } from "../../parts/Spark";
import { Mark } from "../../parts/State";
import { Since } from "../../parts/Time";
import css from "./overview.module.css";

export function Tiles({ look, of }: { look: Overview; of: Of }) {
  const { series, counts, waiting, needs } = look;
  const per = series.step === 60 ? "/ min" : "/ h";
  // The running step is not full: the one before it is the last whole one.
  const last = (values: number[]) => values.at(-2) ?? values.at(-1) ?? 0;
  const user = of === "mine" || of === "all" ? {} : { user: of };
  const jobs = (state?: string, more = {}): Pick<LinkProps, "to" | "search"> =>
    of === "all" ? { to: "/shares", search: {} } : { to: "/jobs", search: { ...user, ...(state ? { state } : {}), ...more } };
  const windowed = `in ${look.window.replace("m", " min").replace(/(\d)([hd])/, "$1 $2")}`;
  return (
    <div className={css.tiles}>
      <Tile name="Launched" value={short(last(series.launched))} unit={per} spark={<Spark values={series.launched} />} link={jobs()} zero={!counts.launched} />
      <Tile shape="running" name="Running" value={count(look.running)} unit="now" spark={<Note>{look.queued > 0 && `${count(look.queued)} queued`}</Note>} link={jobs("running")} zero={!look.running} />
      <Tile shape="succeeded" name="Succeeded" value={short(last(series.succeeded))} unit={per} spark={<Spark values={series.succeeded} />} link={jobs("succeeded")} zero={!counts.succeeded} />
      <Tile shape="retrying" name="Failed, retrying" value={short(last(series.failed))} unit={per} spark={<Spark values={series.failed} fill="var(--retrying-fill)" />} link={jobs("retrying")} zero={!counts.failed} />
      <Tile shape="dead" name="Dead letters" value={count(needs.dead_letters)} unit={counts.dead ? `+${count(counts.dead)} ${windowed}` : undefined} spark={<Spark values={series.dead} fill="var(--dead-fill)" />} link={of === "mine" ? { to: "/dead-letters" } : jobs("dead")} zero={!needs.dead_letters} />
      <Tile shape="blocked" name="Held back" value={waiting.held === null ? "–" : capped(waiting.held)} unit="now" spark={<Note>{waiting.oldest_held_at && <>for <Since at={waiting.oldest_held_at} /></>}</Note>} link={jobs("created", { to: "now" })} zero={!waiting.held} />
      <Tile shape="missed" name="Missed" value={count(counts.missed)} unit={windowed} spark={<Spark values={series.missed} fill="var(--retrying-fill)" />} link={jobs("skipped")} zero={!counts.missed} />
      <Tile shape="lost" name="Lost" value={count(counts.lost)} unit={windowed} spark={<Spark values={series.lost} fill="var(--lost-fill)" />} link={jobs("lost")} zero={!counts.lost} />
    </div>
  );
}

/** In the place of a sparkline. */
function Note({ children }: { children: React.ReactNode }) {
  return <div className={css.note}>{children}</div>;
}

function Tile(props: { name: string; value: string; unit?: string | undefined; shape?: Shape; spark: React.ReactNode; link: Pick<LinkProps, "to" | "search">; zero: boolean }) {
  return (
    <Link {...props.link} className={`${css.tile} ${props.zero ? css.zero : ""}`}>
      <div className={css.name}>
        {props.shape && <Mark shape={props.shape} size={12} />}
        {props.name}
      </div>
      <div className={css.value}>
        {props.value}
        {props.unit && <small>{props.unit}</small>}
      </div>
      {props.spark}
    </Link>
  );
}
