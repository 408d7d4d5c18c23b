// A worker in Node, without libraries: node worker.mjs. The tasks are those of conformance.py.
const api = `${process.env.DUETIME_URL}/api/v1/workers`;
const headers = { authorization: `Bearer ${process.env.DUETIME_TOKEN}`, "content-type": "application/json" };
const slots = 8, running = new Map(); // by run: what stops it, and what the next beat reports
let stopping = false;

async function call(path, body, method = "POST") {
  for (let pause = 100; ; pause = Math.min(2 * pause, 5000)) {
    try {
      const answer = await fetch(api + path, { method, headers, body: body && JSON.stringify(body) });
      const { data, error } = await answer.json();
      if (answer.status < 500) {
        if (error) throw Object.assign(new Error(error.message), { final: true });
        return data;
      }
    } catch (error) {
      if (error.final) throw error;
    }
    await sleep(pause); // the server is away: the same call again is harmless
  }
}
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

const tasks = {
  echo: async (run) => ({ status: "succeeded", result: run.message }),
  fail: async () => ({ status: "failed", retryable: false, error: { kind: "asked", message: "as asked" } }),
  flaky: async (run) =>
    run.attempt === 1 ? { status: "failed", retry_in_ms: 0 } : { status: "succeeded", result: run.attempt },
  later: async (run) => {
    if (run.checkpoint !== null) return { status: "succeeded", result: run.checkpoint };
    running.get(run.run).checkpoint = 1;
    await beat();
    return { status: "snoozed", retry_in_ms: 100 };
  },
  wait: (run) => new Promise((done) => (running.get(run.run).stop = () => done({ status: "failed" }))),
};

async function work(run) {
  running.set(run.run, { stop: () => {} });
  let outcome;
  try {
    outcome = await (tasks[run.task] ?? (() => { throw new Error(`no task ${run.task}`); }))(run);
  } catch (error) {
    outcome = { status: "failed", error: { message: String(error), trace: error.stack } };
  }
  await call(`/${worker}/settle`, { outcomes: [{ run: run.run, ...outcome }] });
  running.delete(run.run);
}

async function beat() {
  const runs = [...running].map(([run, { checkpoint }]) => ({ run, checkpoint }));
  const { cancel, stale } = await call(`/${worker}/beat`, { runs, free: slots - running.size });
  for (const run of [...cancel, ...stale]) running.get(run)?.stop();
}

const { worker, beat_ms } = await call("", { name: "node", queues: [process.env.DUETIME_QUEUE], slots, sdk: "node" });
setInterval(() => beat().catch(() => process.exit(1)), beat_ms);
process.on("SIGTERM", async () => { stopping = true; await call(`/${worker}`, undefined, "DELETE"); process.exit(0); });
for (let take = 0; !stopping; ) {
  const free = slots - running.size;
  if (free <= 0) { await sleep(10); continue; }
  const { runs } = await call(`/${worker}/take`, { take_id: `${++take}`, max: free, wait_ms: 20000 });
  for (const run of runs) work(run);
}
