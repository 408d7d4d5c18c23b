// The runs that one worker holds, with what each reported last.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ApiError } from "../../api/client";
import { worker as workerQuery } from "../../api/queries";
import { plural } from "../../format/numbers";
import { oneLine } from "../../format/targets";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Band, Head } from "../../parts/Sheet";
import { Marked } from "../../parts/State";
import table from "../../parts/table.module.css";
import { Ago, Since } from "../../parts/Time";

export function Held({ worker }: { worker: string }) {
  const { data, error, refetch } = useQuery(workerQuery(worker));
  if (error instanceof ApiError && error.status === 404) return <Band fill><Empty title={`${worker} has left`}>Its lease has ended. Runs that it held went back to their queues.</Empty></Band>;
  if (!data) return error ? <Trouble error={error} retry={refetch} /> : <Bones rows={4} />;
  return (
    <Band fill label={`Runs of ${data.name}`}>
      <Head title={`Runs of ${data.name}`}>{data.runs.length ? `${plural(data.runs.length, "run")}, longest held first` : "it holds none"}</Head>
      {data.runs.length > 0 && (
        <div className={table.scroll} tabIndex={0} role="region" aria-label="Runs">
          <table className={table.list}>
            <thead><tr><th>Job</th><th className="num">Attempt</th><th>Queue</th><th>Task</th><th className="num">Held for</th><th className={table.grow}>Progress</th><th>Reported</th><th>Checkpoint</th></tr></thead>
            <tbody>
              {data.runs.map((run) => (
                <tr key={run.job}>
                  <td className={table.id}><Link className="link" to="/jobs/$id" params={{ id: String(run.job) }}>{run.job}</Link></td>
                  <td className="num">{run.attempt}</td><td>{run.queue}</td><td>{run.task}</td>
                  <td className="num"><Since at={run.since} /></td>
                  <td className={`${table.grow} mono`} title={run.progress === null ? undefined : oneLine(run.progress)}>{run.cancel_requested ? <Marked shape="cancelled">asked to stop</Marked> : run.progress === null ? <span className="qq">–</span> : oneLine(run.progress)}</td>
                  <td className="q">{run.reported_at ? <Ago at={run.reported_at} /> : "–"}</td>
                  <td className="q">{run.checkpoint ? "saved" : "–"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Band>
  );
}
