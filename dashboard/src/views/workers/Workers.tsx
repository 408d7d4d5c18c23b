// Workers, which pull the jobs of queues; what waits in each queue; and the runs of a chosen worker.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useAction } from "../../api/actions";
import { MOUNT, send } from "../../api/client";
import { queues, workers } from "../../api/queries";
import type { Worker } from "../../api/types";
import { lateness } from "../../format/durations";
import { count, plural } from "../../format/numbers";
import { Button, Tag } from "../../parts/Button";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Band, Code, Figure, Verdict } from "../../parts/Sheet";
import { Mark, Marked } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Since } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";
import { Queues } from "./Queues";
import { Held } from "./Held";

const START = `# tasks.py
from duetime.work import Duetime

app = Duetime.from_env()

@app.task(queue="mail")
def send(to: str) -> str:
    return f"sent to {to}"

# then
DUETIME_URL=${MOUNT.href.replace(/\/$/, "")} duetime work tasks:app`;

export function Workers() {
  useCrumbs(["Workers"]);
  const { worker: chosen } = useSearch({ from: "/workers" });
  const list = useQuery(workers());
  const waiting = useQuery(queues());
  if (!list.data || !waiting.data) {
    const error = list.error ?? waiting.error;
    return error ? <Trouble error={error} retry={list.refetch} /> : <Bones />;
  }
  if (list.data.length === 0 && waiting.data.length === 0) {
    return (
      <Empty title="No workers" actions={<Code label="How to start a worker">{START}</Code>}>
        A job with the target <code>queue</code> waits until a worker of yours takes it. A worker is a process with your functions, in Python as below or in any language.
      </Empty>
    );
  }
  const stuck = waiting.data.filter((one) => one.waiting > 0 && one.missing);
  const [slots, running] = [sum(list.data, (one) => one.slots), sum(list.data, (one) => one.running)];
  const waits = sum(waiting.data, (one) => one.waiting);
  return (
    <>
      <Verdict
        mark={<Mark shape={stuck.length ? "label" : list.data.length ? "succeeded" : "created"} size={24} />}
        say={stuck.length ? `${plural(stuck.length, "queue")} without a worker` : list.data.length ? "Every queue is served" : "No workers"}
        figures={
          <>
            <Figure name="Workers" value={count(list.data.length)} />
            <Figure name="Runs held" value={count(running)} unit={`of ${count(slots)}`} title="Runs that workers hold, of the slots that they have" />
            <Figure name="Due, not taken" value={`${count(waits)}${waiting.data.some((one) => one.waiting_capped) ? "+" : ""}`} />
          </>
        }
      >
        {stuck.length ? stuck[0]!.missing : list.data.length ? "What is due in a queue has a worker that takes it." : "Jobs with the target queue wait until a worker of yours takes them."}
      </Verdict>
      <Queues rows={waiting.data} />
      {list.data.length > 0 && (
        <Band pad={false}>
          <div className={table.pager}><b>Workers</b> one that stops renewing its lease loses its runs to the others</div>
          <div className={table.scroll} tabIndex={0} role="region" aria-label="Workers">
            <table className={table.table}>
              <thead><tr><th>Worker</th><th>Status</th><th>Queues</th><th>Tasks</th><th className="num">Runs</th><th className="num">Slots</th><th className="num">Lease left</th><th>Labels</th><th>SDK</th><th className="num">Up for</th><th><span className="sr">Actions</span></th></tr></thead>
              <tbody>{list.data.map((one) => <Row key={one.worker} worker={one} chosen={one.worker === chosen} />)}</tbody>
            </table>
          </div>
        </Band>
      )}
      {chosen && <Held worker={chosen} />}
    </>
  );
}

function Row({ worker, chosen }: { worker: Worker; chosen: boolean }) {
  const navigate = useNavigate();
  const set = (draining: boolean) => send("POST", `workers/${worker.worker}/drain`, { drain: draining });
  const resume = useAction(() => set(false), { say: () => `${worker.name} takes runs again.` });
  const drain = useAction(() => set(true), {
    say: () => `${worker.name} finishes ${plural(worker.running, "run")} and leaves.`,
    undo: () => () => resume.mutate(undefined),
  });
  const show = () => void navigate({ to: "/workers", search: { worker: chosen ? undefined : worker.worker }, replace: true });
  return (
    <tr className={chosen ? table.cursor : ""} aria-selected={chosen}>
      <td><button type="button" className={table.pick} aria-expanded={chosen} onClick={show}><b>{worker.name}</b> <span className="qq mono">{worker.worker}</span><span className="sr">: show its runs</span></button></td>
      <td>{worker.drain ? <Marked shape="retrying">finishing</Marked> : worker.running ? <Marked shape="running">working</Marked> : <Marked shape="created">waiting</Marked>}</td>
      <td>{worker.queues.join(", ")}</td>
      <td className="q">{worker.tasks.length === 0 ? "all" : worker.tasks.length > 3 ? <span title={worker.tasks.join(", ")}>{worker.tasks.slice(0, 3).join(", ")} and {worker.tasks.length - 3} more</span> : worker.tasks.join(", ")}</td>
      <td className="num">{count(worker.running)}</td>
      <td className="num">{count(worker.slots)}</td>
      <td className="num"><span className={worker.lease_left_ms < 3000 ? "late" : ""}>{lateness(worker.lease_left_ms)}</span></td>
      <td>{Object.entries(worker.labels).map(([name, value]) => <Tag key={name}>{name}={value}</Tag>)}{Object.keys(worker.labels).length === 0 && <span className="qq">–</span>}</td>
      <td className="q">{worker.sdk || "–"}</td>
      <td className="num q"><Since at={worker.registered_at} /></td>
      <td className="num">{worker.drain ? <Button disabled={resume.isPending} onClick={() => resume.mutate(undefined)}>End draining</Button> : <Button disabled={drain.isPending} onClick={() => drain.mutate(undefined)}>Drain</Button>}</td>
    </tr>
  );
}

const sum = <T,>(rows: readonly T[], of: (row: T) => number) => rows.reduce((total, row) => total + of(row), 0);
