// The week as a heat map: what ran is filled, what is planned is outlined. Where is the crowd?
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { hours as hoursQuery, me } from "../../api/queries";
import { lateness } from "../../format/durations";
import { addDays, clock, dated, day, instantOf, local, weekStart } from "../../format/instants";
import { count, plural, short } from "../../format/numbers";
import { useNow } from "../../now";
import { Button, Segments } from "../../parts/Button";
import { Bones, Trouble } from "../../parts/Feedback";
import { Icon } from "../../parts/Icon";
import { Band, Columns, Facts, Head } from "../../parts/Sheet";
import table from "../../parts/table.module.css";
import { BUDGET } from "../../parts/Time";
import { useWidth } from "../../parts/useWidth";
import { useZone } from "../../settings";
import { useCrumbs } from "../../shell/crumbs";
import { rangeWords } from "../jobs/filter";
import { layOut, weekMonday, weekName, type Cell, type Day } from "./grid";
import { HeatMap, type Show } from "./HeatMap";
import css from "./calendar.module.css";

export function CalendarPage() {
  useCrumbs(["Calendar"]);
  const search = useSearch({ from: "/calendar" });
  const navigate = useNavigate();
  const zone = useZone();
  const now = useNow();
  const admin = useQuery(me()).data?.role === "admin";
  const of = search.of === "all" && admin ? "all" : "mine";
  const named = search.week ? weekMonday(search.week) : null;
  const week = named ? instantOf(named.year, named.month, named.day, 0, 0, zone) : weekStart(now, zone);
  const end = addDays(week, 7, zone);
  const answer = useQuery({ ...hoursQuery(of, new Date(week).toISOString(), new Date(end).toISOString()), refetchInterval: 10_000 });
  const show = (search.show ?? "runs") as Show;
  const set = (some: Partial<typeof search>) => void navigate({ to: "/calendar", search: { ...search, ...some }, replace: true });
  const go = (days: number) => set({ week: weekName(addDays(week, days, zone), zone), cell: undefined });
  const days = answer.data ? layOut(answer.data.hours, week, zone) : null;
  const cells = days?.flatMap((one) => one.cells) ?? [];
  const chosen = search.cell ? cells.find((cell) => cell.hours[0]?.at === search.cell) : undefined;
  const done = cells.reduce((sum, cell) => sum + cell.launched, 0);
  const planned = cells.reduce((sum, cell) => sum + cell.planned, 0);
  const thisWeek = weekStart(now, zone) === week;
  return (
    <>
      <div className={css.bar}>
        <div className={css.week}>
          <Button icon aria-label="The week before" onClick={() => go(-7)}><Icon name="left" size={14} /></Button>
          <Button onClick={() => set({ week: undefined, cell: undefined })} title="Back to this week">{thisWeek ? "This week, " : ""}{local(week, zone).day} to {day(addDays(week, 6, zone), zone, now)}</Button>
          <Button icon aria-label="The week after" onClick={() => go(7)}><Icon name="right" size={14} /></Button>
        </div>
        <Segments label="Show" value={show} onChange={(value) => set({ show: value === "runs" ? undefined : value })} options={[["runs", "Runs"], ["late", "Lateness p99"], ["failed", "Failed"]]} />
        {admin && <Segments label="Whose jobs" value={of} onChange={(value) => set({ of: value === "mine" ? undefined : value, cell: undefined })} options={[["mine", "Mine"], ["all", "Everyone"]]} />}
      </div>
      {!days ? (answer.error ? <Trouble error={answer.error} retry={answer.refetch} /> : <Bones rows={12} />) : (
        <>
          <Band>
            <Head title={`${short(done + planned)} runs this week`} action={<Legend />}>
              {count(done)} done, {answer.data?.complete ? "" : "at least "}{count(planned)} planned; {zone} time{answer.data?.known_until && Date.parse(answer.data.known_until) < end && <>; from {dated(Date.parse(answer.data.known_until), zone, now).slice(0, -3)} on, more is planned than is counted</>}
            </Head>
            <Map days={days} known={answer.data?.known_until ? Date.parse(answer.data.known_until) : Infinity} show={show} now={now} zone={zone} chosen={chosen?.at} onChoose={(cell) => set({ cell: cell.hours[0]?.at === search.cell ? undefined : cell.hours[0]?.at })} />
          </Band>
          <Columns shape="even" fill>
            <section>{chosen ? <Chosen cell={chosen} zone={zone} now={now} of={of} /> : <><Head title="An hour" /><p className="small q">Choose a cell to see what ran or is planned in it.</p></>}</section>
            <Crowds days={days} zone={zone} now={now} onChoose={(cell) => set({ cell: cell.hours[0]?.at })} />
          </Columns>
        </>
      )}
    </>
  );
}

function Map(props: { days: Day[]; known: number; show: Show; now: number; zone: string; chosen: number | undefined; onChoose: (cell: Cell) => void }) {
  const [host, width] = useWidth<HTMLDivElement>();
  return (
    <div ref={host} className={css.map}>
      {width > 100 && <HeatMap {...props} W={width} />}
    </div>
  );
}

function Legend() {
  return (
    <span className={css.legend}>
      {[1, 2, 3, 4, 5, 6].map((step) => <i key={step} className={css[`heat${step}`]} />)} few to many
      <i className={css.planned} /> planned
      <svg width={10} height={10} aria-hidden="true"><path d="M0 0h10v10z" fill="var(--retrying-fill)" /></svg> late
      <svg width={10} height={10} aria-hidden="true"><path d="M0 0h10v10z" fill="var(--dead-fill)" /></svg> dead letters
    </span>
  );
}

function Chosen({ cell, zone, now, of }: { cell: Cell; zone: string; now: number; of: string }) {
  const to = Date.parse(cell.hours.at(-1)!.at) + 3_600_000;
  const range = { from: new Date(cell.at).toISOString(), to: new Date(to).toISOString() };
  const sum = (name: "succeeded" | "skipped" | "missed") => cell.hours.reduce((all, one) => all + one[name], 0);
  return (
    <>
      <Head title={rangeWords(cell.at, to, zone, now)} action={of === "mine" && <Link className="link" to="/jobs" search={range}>List its jobs</Link>}>
        {cell.launched ? `${count(cell.launched)} launched` : ""}{cell.launched && cell.planned ? ", " : ""}{cell.planned ? `${count(cell.planned)} planned` : ""}
      </Head>
      <Facts
        rows={[
          ["Launched", count(cell.launched)], ["Planned", count(cell.planned)], ["Succeeded", count(sum("succeeded"))], ["Failed", `${plural(cell.failed, "attempt")} tried again`],
          ["Dead", count(cell.dead)], ["Skipped", `${count(sum("skipped"))}, missed ${count(sum("missed"))}`], ["Lost", count(cell.lost)],
          ["Lateness", cell.p99 === null ? "–" : `p99 ${lateness(cell.p99)}, worst ${lateness(cell.worst)}`],
        ]}
      />
    </>
  );
}

function Crowds({ days, zone, now, onChoose }: { days: Day[]; zone: string; now: number; onChoose: (cell: Cell) => void }) {
  const cells = days.flatMap((one) => one.cells).filter((cell) => cell.launched + cell.planned > 0).sort((a, b) => b.launched + b.planned - a.launched - a.planned).slice(0, 6);
  return (
    <section>
      <Head title="Where the crowd is">the largest hours</Head>
      {cells.length === 0 && <p className="small q">Nothing ran or is planned in this week.</p>}
      <table className={`${table.list} ${table.bare}`}>
        <tbody>
          {cells.map((cell) => (
            <tr key={cell.at}>
              <td><button type="button" className={css.crowd} onClick={() => onChoose(cell)}>{local(cell.at, zone).weekday} {day(cell.at, zone, now)}, {clock(cell.at, zone).slice(0, 5)}</button></td>
              <td className="q">{cell.at > now ? "planned" : cell.at + 3_600_000 > now ? "this hour" : "done"}</td>
              <td className="num"><span className={(cell.worst ?? 0) > BUDGET ? "late" : "q"}>{cell.worst === null ? "" : `worst ${lateness(cell.worst)}`}</span></td>
              <td className="num">{count(cell.launched + cell.planned)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {cells.length > 0 && <p className={`small q ${css.hint}`}>Many schedules at minute 0 come due at once: write H in place of the minute to spread them.</p>}
    </section>
  );
}

