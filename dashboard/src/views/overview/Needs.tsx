// What needs a person, ordered by harm, each with one thing to do.
import { useQuery } from "@tanstack/react-query";
import type { LinkProps } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { breakers, clusterBreakers, deadGroups, lanes, type Of } from "../../api/queries";
import type { Overview } from "../../api/types";
import { count, plural } from "../../format/numbers";
import type { Shape } from "../../format/states";
import { LinkButton } from "../../parts/Button";
import { Empty } from "../../parts/Feedback";
import { Head } from "../../parts/Sheet";
import { Mark } from "../../parts/State";
import { NextTry, Since } from "../../parts/Time";
import { seldom } from "../../polling";
import css from "./overview.module.css";

interface Need {
  shape: Shape;
  what: string;
  why: ReactNode;
  act: string;
  link: Pick<LinkProps, "to" | "search">;
}

export function Needs({ look, of }: { look: Overview; of: Of }) {
  const mine = of === "mine";
  const { needs, waiting } = look;
  const groups = useQuery({ ...deadGroups({}), refetchInterval: seldom, enabled: mine && needs.dead_letters > 0 }).data?.groups;
  const blocked = useQuery({ ...lanes(true), refetchInterval: seldom, enabled: mine && needs.blocked_lanes > 0 }).data;
  const ownHosts = useQuery({ ...breakers(), refetchInterval: seldom, enabled: mine && needs.broken_hosts > 0 }).data;
  const allHosts = useQuery({ ...clusterBreakers(), refetchInterval: seldom, enabled: of === "all" && needs.broken_hosts > 0 }).data;
  const hosts = mine ? ownHosts : allHosts;
  const user = mine || of === "all" ? {} : { user: of };
  const elsewhere = (link: Need["link"]): Need["link"] => (of === "all" ? { to: "/users" } : link);
  const found: Need[] = [];
  if (needs.dead_letters > 0) {
    const first = groups?.[0];
    found.push({
      shape: "dead", what: plural(needs.dead_letters, "dead letter"), act: mine ? "Review" : "See",
      why: first ? `${count(first.count)} × ${first.kind ?? first.reason}${first.hosts[0] ? ` from ${bare(first.hosts[0])}` : ""}` : "failed for good; a person decides",
      link: mine ? { to: "/dead-letters" } : elsewhere({ to: "/jobs", search: { ...user, state: "dead" } }),
    });
  }
  if (needs.blocked_lanes > 0) {
    const first = blocked?.[0];
    found.push({
      shape: "blocked", what: `${plural(needs.blocked_lanes, "lane")} blocked`, act: "Open",
      why: first ? <>{first.key} holds {plural(first.length, "job")}{first.blocked_since && <>, for <Since at={first.blocked_since} /></>}</> : "their first job failed for good",
      link: mine ? { to: "/lanes", search: { blocked: "1" } } : elsewhere({ to: "/users" }),
    });
  }
  if (needs.broken_hosts > 0) {
    const first = hosts?.[0];
    found.push({
      shape: "breaker", what: first ? `${bare(first.host)} is down` : `${plural(needs.broken_hosts, "host")} down`, act: "See jobs",
      why: first ? <>{needs.broken_hosts > 1 ? `and ${plural(needs.broken_hosts - 1, "more host")}; ` : ""}{first.next_probe_at ? <>tried again <NextTry at={first.next_probe_at} /></> : "a job tries it now"}</> : "jobs that call it wait",
      link: mine && first ? { to: "/jobs", search: { host: first.host, state: "created" } } : elsewhere({ to: "/jobs", search: { ...user, state: "created" } }),
    });
  }
  if (waiting.held) {
    found.push({ shape: "label", what: `${plural(waiting.held, "due job")} held back`, why: <>{waiting.oldest_held_at ? <>the oldest for <Since at={waiting.oldest_held_at} />, </> : ""}by a limit, a breaker, slots or labels</>, act: "See jobs", link: elsewhere({ to: "/jobs", search: { ...user, state: "created", to: "now" } }) });
  }
  if (needs.missed > 0) {
    found.push({ shape: "missed", what: `${plural(needs.missed, "instant")} missed`, why: "left out by the schedule's misfire policy", act: "See jobs", link: elsewhere({ to: "/jobs", search: { ...user, state: "skipped" } }) });
  }
  if (needs.lost > 0) {
    found.push({ shape: "lost", what: `${plural(needs.lost, "job")} lost`, why: "at most once, and its executor went silent", act: "See jobs", link: elsewhere({ to: "/jobs", search: { ...user, state: "lost" } }) });
  }
  return (
    <>
      <Head id="needs" title="Needs you">{found.length > 0 && found.length}</Head>
      {found.length === 0 ? (
        <Empty title="Nothing needs you">Dead letters, blocked lanes, hosts that are down, held jobs, missed instants and lost jobs are listed here.</Empty>
      ) : (
        <ul className={css.needs}>
          {found.map((one) => (
            <li key={one.shape}>
              <Mark shape={one.shape} />
              <div>
                <b>{one.what}</b>
                <p>{one.why}</p>
              </div>
              <LinkButton {...one.link}>{one.act}</LinkButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const bare = (host: string) => host.replace(/^https?:\/\//, "");
