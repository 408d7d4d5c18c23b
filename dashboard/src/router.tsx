// The routes. Every filter is in the URL, so that a link shows a colleague the same.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import { MOUNT } from "./api/client";
import { parseSearch, stringifySearch } from "./search";
import { Shell } from "./shell/Shell";
import { Overview } from "./views/overview/Overview";
import { Broken } from "./views/Broken";
import { NotFound } from "./views/NotFound";

type Texts<K extends string> = { [key in K]?: string };
const texts = <K extends string>(...names: K[]) => (given: Record<string, unknown>): Texts<K> =>
  Object.fromEntries(names.flatMap((name) => (given[name] === undefined || given[name] === "" ? [] : [[name, String(given[name])]]))) as Texts<K>;

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Broken });
const at = <P extends string, K extends string>(path: P, names: K[], component: ReturnType<typeof lazyRouteComponent>) =>
  createRoute({ getParentRoute: () => root, path, validateSearch: texts(...names), component });

const overview = createRoute({ getParentRoute: () => root, path: "/", validateSearch: texts("window", "of"), component: Overview });
const jobs = at("/jobs", ["state", "host", "target", "from", "to", "lane", "label", "schedule", "user", "q", "new", "like"], lazyRouteComponent(() => import("./views/jobs/Jobs"), "Jobs"));
const job = at("/jobs/$id", ["attempt", "do"], lazyRouteComponent(() => import("./views/job/Job"), "JobPage"));
const schedules = at("/schedules", ["state", "q"], lazyRouteComponent(() => import("./views/schedules/Schedules"), "Schedules"));
const newSchedule = at("/schedules/new", ["like"], lazyRouteComponent(() => import("./views/schedules/NewSchedule"), "NewSchedule"));
const schedule = at("/schedules/$id", ["do"], lazyRouteComponent(() => import("./views/schedules/Schedule"), "SchedulePage"));
const calendar = at("/calendar", ["week", "show", "cell", "of"], lazyRouteComponent(() => import("./views/calendar/Calendar"), "CalendarPage"));
const dead = at("/dead-letters", ["kind", "error", "lane", "from", "to"], lazyRouteComponent(() => import("./views/dead/DeadLetters"), "DeadLetters"));
const lanes = at("/lanes", ["blocked", "q"], lazyRouteComponent(() => import("./views/lanes/Lanes"), "Lanes"));
const workers = at("/workers", ["worker"], lazyRouteComponent(() => import("./views/workers/Workers"), "Workers"));
const logs = at("/logs", ["q", "level", "job", "schedule", "label", "status"], lazyRouteComponent(() => import("./views/logs/Logs"), "Logs"));
const artifacts = at("/artifacts", ["name"], lazyRouteComponent(() => import("./views/artifacts/Artifacts"), "Artifacts"));
const notifications = at("/notifications", [], lazyRouteComponent(() => import("./views/notifications/Notifications"), "Notifications"));
const audit = at("/audit", ["of", "action", "subject"], lazyRouteComponent(() => import("./views/audit/Audit"), "AuditPage"));
const shares = at("/shares", ["window"], lazyRouteComponent(() => import("./views/shares/Shares"), "Shares"));
const cluster = at("/cluster", [], lazyRouteComponent(() => import("./views/cluster/Cluster"), "ClusterPage"));
const account = at("/account", [], lazyRouteComponent(() => import("./views/account/Account"), "AccountPage"));
const users = at("/users", ["q"], lazyRouteComponent(() => import("./views/users/Users"), "Users"));

const routeTree = root.addChildren([
  overview, jobs, job, schedules, newSchedule, schedule, calendar, dead, lanes, workers, logs, artifacts, notifications, audit, shares, cluster, account, users,
]);

export const router = createRouter({
  routeTree,
  basepath: MOUNT.pathname.replace(/\/$/, "") || "/",
  parseSearch,
  stringifySearch,
  defaultErrorComponent: Broken,
  defaultPreload: "intent",
  scrollRestoration: false,
});

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
