// What came back from an attempt: an HTTP answer, the result of a task, how a program ended, the place of a record.
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { JobDetail, Run } from "../../api/types";
import { lateness } from "../../format/durations";
import { shownLine } from "../../format/logs";
import { bytes, plural } from "../../format/numbers";
import { asText, oneLine } from "../../format/targets";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Code, Facts, Head } from "../../parts/Sheet";
import { Ago } from "../../parts/Time";

const size = (text: string) => bytes(new TextEncoder().encode(text).length);

export function Answer({ job, run }: { job: JobDetail; run: Run }) {
  const { response: answer, attempt } = run;
  if (answer?.kind === "http") {
    const text = [`HTTP ${answer.status}`, ...Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`), "", answer.body].join("\n");
    return <Text title={`Answer to attempt ${attempt}`} label="Answer" text={text}>{answer.status}, {size(answer.body)}{answer.body_cut ? ", cut" : ""}</Text>;
  }
  if (answer?.kind === "queue" && answer.trace !== undefined) {
    return <Text title={`Trace of attempt ${attempt}`} label="Trace" text={answer.trace}>{run.error?.kind}</Text>;
  }
  if (answer?.kind === "queue" && answer.result !== null && answer.result !== undefined) {
    const text = asText(answer.result);
    return <Text title={`Result of attempt ${attempt}`} label="Result" text={text}>{size(text)}</Text>;
  }
  return (
    <section>
      <Head title={job.target.kind !== "queue" ? `Answer to attempt ${attempt}` : run.finished_at ? `Result of attempt ${attempt}` : "Progress"} />
      {answer?.kind === "kafka" ? <Facts rows={[["Topic", answer.topic], ["Partition", answer.partition], ["Offset", answer.offset]]} />
        : answer?.kind === "shell" ? <Program answer={answer} />
        : answer?.kind === "mail" ? <p className="small">{answer.answer}</p>
        : answer?.kind === "broadcast" ? <Broadcast jobs={answer.jobs} />
        : <p className="small q">{run.error ? run.error.message : run.finished_at ? nothing(job) : <Running job={job} />}</p>}
    </section>
  );
}

function Text({ title, label, text, children }: { title: string; label: string; text: string; children: ReactNode }) {
  return (
    <section>
      <Head title={title} action={<Button look="plain" onClick={() => void copy(text, `${label} copied.`)}>Copy</Button>}>{children}</Head>
      <Code label={label}>{text}</Code>
    </section>
  );
}

function nothing(job: JobDetail): string {
  if (job.target.kind === "queue") return "The task gave nothing back.";
  return job.target.kind === "log" ? "A log target answers nothing: its message is the log." : "The target gave no answer.";
}

type ShellAnswer = Extract<NonNullable<Run["response"]>, { kind: "shell" }>;

function Program({ answer }: { answer: ShellAnswer }) {
  const { exit_code: code, signal, cpu_seconds: cpu = 0, memory_bytes: memory = 0, output_bytes: printed = 0, stdout = "", stderr = "" } = answer;
  return (
    <>
      <Facts rows={[
        ["Exit code", code ?? "–"], signal ? ["Signal", signal] : false, ["CPU time", lateness(cpu * 1000)], ["Memory", bytes(memory)], ["Printed", bytes(printed)],
      ]} />
      {stderr && <Code label="Errors">{stderr.split("\n").map(shownLine).join("\n")}</Code>}
      {!stderr && stdout && <Code label="Output">{stdout.split("\n").map(shownLine).join("\n")}</Code>}
    </>
  );
}

function Broadcast({ jobs }: { jobs: number[] }) {
  return (
    <p className="small">
      {plural(jobs.length, "job")}, one for each worker{jobs.length > 0 && ": "}
      {jobs.map((id, i) => <span key={id}>{i > 0 && ", "}<Link className="link mono" to="/jobs/$id" params={{ id: String(id) }}>{id}</Link></span>)}.
    </p>
  );
}

/** What a run reported so far. */
function Running({ job }: { job: JobDetail }) {
  const held = job.held;
  if (!held) return <>It is still running.</>;
  return (
    <>
      At worker <Link className="link" to="/workers" search={{ worker: held.worker }}>{held.name}</Link>, taken <Ago at={held.since} />.{" "}
      {held.progress === null ? "It has reported no progress." : <>Reported <Ago at={held.reported_at} />: <code>{oneLine(held.progress)}</code></>}
      {held.checkpoint && " A checkpoint is saved."}
    </>
  );
}
