// Launching instants of the past: first which they are, then how many are launched.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { ApiError, send } from "../../api/client";
import type { Schedule } from "../../api/types";
import { exact, fromInput, inputValue } from "../../format/instants";
import { span } from "../../format/durations";
import { count, plural } from "../../format/numbers";
import { now } from "../../now";
import { Confirm } from "../../parts/Dialog";
import { Field, Input, Row } from "../../parts/Field";
import { useZone } from "../../settings";
import jobs from "../jobs/jobs.module.css";

interface Filled {
  count: number;
  nominals: string[];
  first_at: string;
  last_at: string;
}

export function Backfill({ one, onClose }: { one: Schedule; onClose: () => void }) {
  const zone = useZone();
  const [from, setFrom] = useState(() => inputValue(now() - 86_400_000, zone).slice(0, 16));
  const [to, setTo] = useState(() => inputValue(now() - 60_000, zone).slice(0, 16));
  const [pace, setPace] = useState("0");
  const [start, end] = [fromInput(from, zone), fromInput(to, zone)];
  const body = start === null || end === null ? null : { from: new Date(start).toISOString(), to: new Date(end).toISOString(), pace: /^[\d.]+$/.test(pace) ? Number(pace) : pace };
  const path = `me/schedules/${one.id}/backfill`;
  const dry = useQuery({
    queryKey: ["backfill", one.id, body],
    queryFn: () => send<Filled>("POST", path, { ...body, dry_run: true }),
    enabled: body !== null && start! < end!,
    refetchInterval: false,
    placeholderData: undefined,
    retry: false,
  });
  const fill = useAction(() => send<Filled>("POST", path, { ...body, dry_run: false }), { inPlace: true, say: (done) => `${plural(done.count, "job")} created.`, onDone: onClose });
  const n = dry.data?.count ?? 0;
  const error = fill.error?.message ?? (dry.error instanceof ApiError ? dry.error.message : start !== null && end !== null && start >= end ? "The range ends before it begins." : null);
  return (
    <Confirm title={`Backfill ${one.name}`} verb={`Launch ${plural(n, "job")}`} keep="Keep as it is" risk={false} busy={fill.isPending} disabled={!dry.data || n === 0} error={error} onClose={onClose} onConfirm={() => fill.mutate(undefined)}>
      <p className="small q">Launches the instants of a range of the past, also those that were launched before.</p>
      <Row>
        <Field label={`From, ${zone}`}><Input type="datetime-local" value={from} onChange={(event) => setFrom(event.target.value)} /></Field>
        <Field label="To, not included"><Input type="datetime-local" value={to} onChange={(event) => setTo(event.target.value)} /></Field>
      </Row>
      <Field label="Time between two launches" hint="0 launches all at once; 10s, 1m"><Input value={pace} onChange={(event) => setPace(event.target.value)} /></Field>
      <p className={jobs.counted} aria-live="polite">
        <b>{dry.isFetching && !dry.data ? "…" : count(n)}</b>
        <span className="q small">{n === 1 ? "instant" : "instants"} in this range{n > 1 && dry.data ? `, launched over ${span(Date.parse(dry.data.last_at) - Date.parse(dry.data.first_at))}` : ""}</span>
      </p>
      {dry.data && n > 0 && (
        <p className="small q">
          {dry.data.nominals.slice(0, 3).map((at) => exact(Date.parse(at), zone).replace(/\.000.*/, "")).join(", ")}
          {n > 3 ? `, … ${exact(Date.parse(dry.data.nominals.at(-1)!), zone).replace(/\.000.*/, "")}` : ""}
        </p>
      )}
    </Confirm>
  );
}
