// Jobs: found by a filter that is always in the URL and always obeyed.
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { MOUNT } from "../../api/client";
import { jobCount, jobs, me, users } from "../../api/queries";
import type { JobState } from "../../api/types";
import { capped, count, plural, short } from "../../format/numbers";
import { wordOf } from "../../format/states";
import { now as present } from "../../now";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Mark } from "../../parts/State";
import table from "../../parts/table.module.css";
import { stringifySearch } from "../../search";
import { useCrumbs } from "../../shell/crumbs";
import { useKeys } from "../../shell/keys";
import { BulkBar, type Selection } from "./BulkBar";
import { FilterBox } from "./FilterBox";
import { FILTERS, instantOf, NAMES, pinned, queryOf, STATES, type JobsSearch } from "./filter";
import { JobsTable } from "./JobsTable";
import { NewJob } from "./NewJob";
import css from "./jobs.module.css";

/** Relative times of a filter move on in steps, so that a page of results stays one query. */
const STEP = 15_000;

export function Jobs() {
  useCrumbs(["Jobs"]);
  const all = useSearch({ from: "/jobs" });
  const { new: creating, like, ...search } = all;
  const navigate = useNavigate();
  const admin = useQuery(me()).data?.role === "admin";
  const who = useQuery(users(admin && !!search.user)).data?.find((one) => String(one.id) === search.user)?.username;
  const [moment, setMoment] = useState(() => present());
  const relative = [search.from, search.to].some((text) => text && /^(now|[+-]?[\d.]+[smhdw])$/.test(text));
  useEffect(() => {
    if (!relative) return;
    const timer = setInterval(() => setMoment(present()), STEP);
    return () => clearInterval(timer);
  }, [relative]);
  const key = JSON.stringify(search);
  const query = useMemo(() => queryOf(JSON.parse(key) as JobsSearch, moment), [key, moment]);
  const list = useInfiniteQuery(jobs(search.user, query));
  const { status: _, retrying: __, ...unstated } = query;
  const counted = useQuery({ ...jobCount(unstated, !search.user), refetchInterval: 10_000 });
  const [selection, select] = useState<Selection>({ ids: new Set(), all: false });
  useEffect(() => select({ ids: new Set(), all: false }), [key]);

  const set = (next: JobsSearch) => void navigate({ to: "/jobs", search: next, replace: true });
  const create = (on: boolean) => void navigate({ to: "/jobs", search: { ...search, ...(on ? { new: "1" } : {}) }, replace: true });
  const rows = useMemo(() => list.data?.pages.flatMap((page) => page.rows) ?? [], [list.data]);
  useKeys({
    n: () => create(true),
    a: () => !search.user && select({ ids: new Set(), all: true }),
    Escape: () => select({ ids: new Set(), all: false }),
  });
  const filtered = FILTERS.some((name) => search[name]);
  const bad = [search.from, search.to].find((text) => text && instantOf(text, moment) === null);
  return (
    <>
      <div className={css.filter}>
        <FilterBox search={search} onChange={set} names={who ? { user: who } : {}} />
        <Button onClick={() => void copy(new URL(`jobs${stringifySearch({ ...pinned(search, moment) })}`, MOUNT).href, "Link copied; its times are fixed.")}>Copy link</Button>
        <Button look="solid" hotkey="n" onClick={() => create(true)}>New job</Button>
      </div>
      <Facets search={search} by={counted.data?.by_status} capped={counted.data?.capped ?? false} />
      {selection.ids.size > 0 && !selection.all && !search.user && rows.length > 0 && rows.every((job) => selection.ids.has(job.id)) && (
        <p className={css.selectAll}>
          {plural(selection.ids.size, "job")} on this page {selection.ids.size === 1 ? "is" : "are"} selected.{" "}
          <button type="button" onClick={() => select({ ids: new Set(), all: true })}>Select all that match this filter</button>
          (counted before anything happens)
        </p>
      )}
      {selection.all && <p className={css.selectAll}>All jobs that match this filter are selected. <button type="button" onClick={() => select({ ids: new Set(), all: false })}>Clear</button></p>}
      {bad && <p className="bad small" role="alert">“{bad}” is no instant.</p>}
      {!list.data ? (
        list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones rows={16} />
      ) : rows.length === 0 && !list.hasNextPage ? (
        <Nothing search={search} filtered={filtered} onClear={() => set({})} onRemove={(name) => set({ ...search, [name]: undefined })} onNew={() => create(true)} />
      ) : (
        <>
          <JobsTable rows={rows} selection={selection} onSelect={select} readOnly={!!search.user} />
          <div className={table.pager}>
            <span>{count(rows.length)} shown, newest first</span>
            {list.hasNextPage && (
              <Button className="push" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
                {(list.data.pages.at(-1)?.rows.length ?? 0) < 100 ? "Search further" : "Show more"}
              </Button>
            )}
          </div>
        </>
      )}
      <BulkBar rows={rows} selection={selection} search={search} onClear={() => select({ ids: new Set(), all: false })} />
      {(creating || like) && <NewJob like={like} onClose={() => create(false)} />}
    </>
  );
}

function Facets({ search, by, capped: cut }: { search: JobsSearch; by: Partial<Record<JobState, number>> | undefined; capped: boolean }) {
  return (
    <nav className={css.facets} aria-label="States">
      <Link to="/jobs" search={{ ...search, state: undefined }} aria-current={search.state ? undefined : "true"}>All</Link>
      {STATES.map((state) => {
        const n = state === "retrying" ? undefined : by?.[state];
        if (state === "suspended" && !n && search.state !== state) return null;
        return (
          <Link key={state} to="/jobs" search={{ ...search, state }} aria-current={search.state === state ? "true" : undefined}>
            <Mark shape={state} />
            {state === "retrying" ? "Retrying" : wordOf(state)}
            {n !== undefined && <span className={css.n}>{cut && n > 0 ? `${capped(n)}${n < 10_000 ? "+" : ""}` : (n < 100_000 ? count(n) : short(n))}</span>}
          </Link>
        );
      })}
    </nav>
  );
}

function Nothing({ search, filtered, onClear, onRemove, onNew }: { search: JobsSearch; filtered: boolean; onClear: () => void; onRemove: (name: keyof JobsSearch) => void; onNew: () => void }) {
  if (!filtered) {
    return (
      <Empty title="No jobs yet" actions={<Button look="solid" onClick={onNew}>New job</Button>}>
        A job does one thing at one instant: it calls a URL, or writes a line to its log. Create one here, with <code>duetime jobs create</code>, or with a POST to the API.
      </Empty>
    );
  }
  const last = FILTERS.findLast((name) => search[name])!;
  return (
    <Empty title="No job matches" actions={<><Button onClick={() => onRemove(last)}>Remove {NAMES[last]}</Button><Button look="plain" onClick={onClear}>Clear all filters</Button></>}>
      Finished jobs leave the list when the server's retention ends.
    </Empty>
  );
}
