// Find or go to: a job by its id, a schedule by its name, a page; Enter takes the first.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { readPage } from "../api/client";
import type { Schedule } from "../api/types";
import { Dialog } from "../parts/Dialog";
import { Input } from "../parts/Field";
import css from "./shell.module.css";

interface Hit {
  name: string;
  note: string;
  go: () => void;
}

const PAGES = [
  ["Overview", "/"], ["Jobs", "/jobs"], ["Schedules", "/schedules"], ["Calendar", "/calendar"], ["Workers", "/workers"], ["Artifacts", "/artifacts"], ["Logs", "/logs"],
  ["Notifications", "/notifications"], ["Audit", "/audit"], ["Dead letters", "/dead-letters"],
  ["Lanes", "/lanes"], ["Account", "/account"],
] as const;
const ADMIN_PAGES = [["Shares", "/shares"], ["Cluster", "/cluster"], ["Users", "/users"]] as const;

export function Find({ admin, onClose }: { admin: boolean; onClose: () => void }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const navigate = useNavigate();
  const wanted = text.trim();
  const found = useQuery({
    queryKey: ["find", wanted],
    queryFn: ({ signal }) => readPage<Schedule>("me/schedules", { q: wanted, limit: 6 }, signal),
    enabled: wanted.length > 1,
    refetchInterval: false,
  });
  const leave = (go: () => unknown) => () => {
    onClose();
    void go();
  };
  const hits: Hit[] = [];
  if (/^\d+$/.test(wanted)) hits.push({ name: `Job ${wanted}`, note: "by its id", go: leave(() => navigate({ to: "/jobs/$id", params: { id: wanted } })) });
  for (const [name, to] of [...PAGES, ...(admin ? ADMIN_PAGES : [])]) {
    if (name.toLowerCase().includes(wanted.toLowerCase())) hits.push({ name, note: "page", go: leave(() => navigate({ to })) });
  }
  if (wanted.length > 1) {
    for (const one of found.data?.rows ?? []) {
      hits.push({ name: one.name, note: "schedule", go: leave(() => navigate({ to: "/schedules/$id", params: { id: String(one.id) } })) });
    }
    hits.push({ name: `Jobs whose message contains “${wanted}”`, note: "search", go: leave(() => navigate({ to: "/jobs", search: { q: wanted } })) });
    hits.push({ name: `Logs with “${wanted}”`, note: "search", go: leave(() => navigate({ to: "/logs", search: { q: wanted } })) });
    hits.push({ name: `Jobs of lane “${wanted}”`, note: "search", go: leave(() => navigate({ to: "/jobs", search: { lane: wanted } })) });
  }
  const chosen = Math.min(at, hits.length - 1);
  return (
    <Dialog title="Find or go to" onClose={onClose} onSubmit={() => hits[chosen]?.go()}>
      <Input
        data-first
        role="combobox"
        aria-expanded="true"
        aria-controls="hits"
        aria-activedescendant={`hit-${chosen}`}
        aria-label="Find or go to"
        placeholder="A job's id, a schedule's name, a lane, a page"
        value={text}
        onChange={(event) => { setText(event.target.value); setAt(0); }}
        onKeyDown={(event) => {
          const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
          if (!step) return;
          event.preventDefault();
          setAt(Math.max(0, Math.min(hits.length - 1, chosen + step)));
        }}
      />
      <div id="hits" role="listbox" aria-label="Found" className={css.hits}>
        {hits.map((hit, i) => (
          <button key={hit.name} id={`hit-${i}`} type="button" role="option" aria-selected={i === chosen} onClick={hit.go} tabIndex={-1}>
            <span className="cut">{hit.name}</span>
            <span className="qq">{hit.note}</span>
          </button>
        ))}
      </div>
    </Dialog>
  );
}
