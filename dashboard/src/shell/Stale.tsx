// Says when what is shown is old, because the server does not answer.
import { ApiError } from "../api/client";
import { clock } from "../format/instants";
import { Button } from "../parts/Button";
import { useZone } from "../settings";
import css from "./shell.module.css";

export function Stale({ error, since, retry }: { error: unknown; since: number; retry: () => unknown }) {
  const zone = useZone();
  if (!(error instanceof ApiError) || (error.status !== 0 && error.status < 500)) return null;
  return (
    <div className={css.stale} role="alert">
      <b>{error.status === 0 ? "The server does not answer." : "The server has a problem."}</b>
      <span>{since ? `What you see is from ${clock(since, zone)}.` : error.message}</span>
      <Button onClick={() => void retry()}>Try now</Button>
    </div>
  );
}
