// Sending dead letters again at a pace, or giving them up: how many first, then page by page.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { MOUNT, send } from "../../api/client";
import { deadCount } from "../../api/queries";
import { span } from "../../format/durations";
import { capped, count, plural } from "../../format/numbers";
import { curl } from "../../format/targets";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Confirm } from "../../parts/Dialog";
import { Field, Input } from "../../parts/Field";
import jobs from "../jobs/jobs.module.css";

export type Meant = { ids: number[] } | { filter: Record<string, string> };

interface Props {
  meant: Meant;
  onClose: () => void;
  onDone: () => void;
}

interface Chosen {
  count: number;
  more_remain: boolean;
}

function useCount(meant: Meant): { n: number; cut: boolean; known: boolean } {
  const filter = "filter" in meant ? meant.filter : {};
  const counted = useQuery({ ...deadCount(filter, "filter" in meant), refetchInterval: 10_000 });
  if ("ids" in meant) return { n: meant.ids.length, cut: false, known: true };
  return { n: counted.data?.count ?? 0, cut: counted.data?.capped ?? false, known: counted.data !== undefined };
}

/** Calls again while more remain; says how many were done. */
async function all(path: string, body: Record<string, unknown>, tell: (n: number) => void): Promise<number> {
  let done = 0;
  for (;;) {
    const answer = await send<Chosen>("POST", path, body);
    done += answer.count;
    tell(done);
    if (!answer.more_remain || answer.count === 0) return done;
  }
}

export function Redrive({ meant, onClose, onDone }: Props) {
  const [rate, setRate] = useState("10");
  const [progress, tell] = useState(0);
  const { n, cut, known } = useCount(meant);
  const pace = Number(rate);
  const paced = rate.trim() !== "" && pace > 0;
  const body = { ...meant, ...(paced ? { per_second: pace } : {}) };
  const act = useAction(() => all("me/dead-letters/redrive", body, tell), {
    inPlace: true, say: (done) => `${plural(done, "dead letter")} ${done === 1 ? "goes" : "go"} again${paced ? `, ${rate} a second` : ""}.`, onDone: () => { onDone(); onClose(); },
  });
  return (
    <Confirm
      title={"ids" in meant ? "Send the selected dead letters again?" : "Send all dead letters that match again?"}
      verb={act.isPending ? `${count(progress)} sent…` : `Send ${cut ? `${capped(n)} dead letters` : plural(n, "dead letter")} again`}
      keep="Keep them" risk={false} busy={act.isPending} disabled={!known || n === 0 || (rate.trim() !== "" && !(pace > 0))} error={act.error?.message}
      onClose={onClose} onConfirm={() => act.mutate(undefined)}
      extra={<Button look="plain" onClick={() => void copy(curl(MOUNT.href, "POST", "/api/v1/me/dead-letters/redrive", { ...body, dry_run: true }), "Copied; it only shows which, until you remove dry_run.")}>Copy as curl</Button>}
    >
      <Counted n={n} cut={cut} known={known} meant={meant} />
      <Field label="How many a second" hint={paced && n > pace ? `The last one starts in about ${span((n / pace) * 1000)}.` : "empty: all at once"}><Input inputMode="decimal" value={rate} onChange={(event) => setRate(event.target.value)} /></Field>
      <p className="small q">Each begins a new life with all its attempts. To change one first, open it.</p>
    </Confirm>
  );
}

export function Discard({ meant, onClose, onDone }: Props) {
  const [progress, tell] = useState(0);
  const [typed, setTyped] = useState("");
  const { n, cut, known } = useCount(meant);
  const act = useAction(() => all("me/dead-letters/discard", { ...meant }, tell), {
    inPlace: true, say: (done) => `${plural(done, "dead letter")} discarded.`, onDone: () => { onDone(); onClose(); },
  });
  const sure = n < 1000 || typed.replaceAll(/\D/g, "") === String(n);
  return (
    <Confirm
      title={"ids" in meant ? "Discard the selected dead letters?" : "Discard all dead letters that match?"}
      verb={act.isPending ? `${count(progress)} discarded…` : `Discard ${cut ? `${capped(n)} dead letters` : plural(n, "dead letter")}`}
      keep="Keep them" busy={act.isPending} disabled={!known || n === 0 || !sure} error={act.error?.message} onClose={onClose} onConfirm={() => act.mutate(undefined)}
    >
      <Counted n={n} cut={cut} known={known} meant={meant} />
      <p className="small">They become cancelled, and are not sent again. This cannot be undone.</p>
      {n >= 1000 && <Field label={`Type ${n} to confirm`}><Input inputMode="numeric" value={typed} onChange={(event) => setTyped(event.target.value)} /></Field>}
    </Confirm>
  );
}

function Counted({ n, cut, known, meant }: { n: number; cut: boolean; known: boolean; meant: Meant }) {
  const filter = "filter" in meant ? Object.entries(meant.filter) : null;
  return (
    <>
      <p className={jobs.counted}><b>{known ? (cut ? capped(n) : count(n)) : "…"}</b><span className="q small">{n === 1 ? "dead letter" : "dead letters"}</span></p>
      {filter && (
        <div className={jobs.tokenLine}>
          {filter.map(([name, value]) => <span key={name} className={jobs.token}><span className={jobs.key}>{name}</span><span className="cut">{value}</span></span>)}
          {filter.length === 0 && <span className={jobs.token}><span>no filter: all of them</span></span>}
        </div>
      )}
    </>
  );
}
