// Every read of the page, named once. A view asks for one of these; a change makes the page look again.
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { read, readPage, type Page, type Query } from "./client";
import type {
  Account, Artifact, ArtifactVersion, AuditChain, AuditEntry, Breaker, Calendar, Cluster, Groups, Hours, Job, JobCount, JobDetail, Lane, LogHit, Me, Notification,
  NotificationPreview, NotificationRule, Overview, Planned, Preview, PreviewBody,
  Queue, Run, Schedule, ScheduleRecord, Session, Shares, Worker, WorkerDetail,
} from "./types";
import { send } from "./client";
import { seldom } from "../polling";

/** Whose figures: the person's own, everyone's, or one user's by id. */
export type Of = "mine" | "all" | string;

const place = (of: Of, what: string) => (of === "mine" ? `me/${what}` : of === "all" ? `cluster/${what}` : `users/${of}/${what}`);

function one<T>(path: string, query: Query = {}, more: { enabled?: boolean; still?: boolean; seldom?: boolean } = {}) {
  return queryOptions({
    queryKey: [path, query],
    queryFn: ({ signal }) => read<T>(path, query, signal),
    enabled: more.enabled ?? true,
    ...(more.still ? { refetchInterval: false as const, staleTime: 30_000 } : {}),
    ...(more.seldom ? { refetchInterval: seldom } : {}),
  });
}

function pages<T>(path: string, query: Query) {
  return infiniteQueryOptions({
    queryKey: [path, "pages", query],
    queryFn: ({ pageParam, signal }) => readPage<T>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last: Page<T>) => last.next,
  });
}

export const me = () => one<Me>("me", {}, { still: true });
export const sessions = () => one<Session[]>("me/sessions", {}, { seldom: true });
export const overview = (of: Of, window: string) => one<Overview>(place(of, "overview"), { window });
export const planned = (of: Of) => one<Planned>(place(of, "planned"), { minutes: 60 }, { seldom: true });
export const hours = (of: Of, from: string, to: string) => one<Hours>(place(of, "calendar"), { from, to }, { seldom: true });
export const jobs = (user: string | undefined, query: Query) => pages<Job>(user ? `users/${user}/jobs` : "me/jobs", { ...query, limit: 100 });
export const newest = () => one<Job[]>("me/jobs", { limit: 7 }, { seldom: true });
export const jobCount = (query: Query, enabled = true) => one<JobCount>("me/jobs/count", query, { enabled });
export const job = (id: string | number) => one<JobDetail>(`me/jobs/${id}`);
export const runs = (id: string | number) => one<Run[]>(`me/jobs/${id}/runs`);
export const schedules = (query: Query) => pages<Schedule>("me/schedules", { ...query, limit: 100 });
export const schedule = (id: string | number) => one<Schedule>(`me/schedules/${id}`);
export const schedulePreview = (id: string | number, n: number) => one<Preview>(`me/schedules/${id}/preview`, { n }, { still: true });
export const records = (id: string | number) => pages<ScheduleRecord>(`me/schedules/${id}/history`, { limit: 100 });
export const calendars = () => one<Calendar[]>("me/calendars", { limit: 1000 }, { still: true });
export const lanes = (blocked: boolean) => one<Lane[]>("me/lanes", { blocked: blocked || undefined, limit: 1000 });
export const lane = (key: string, enabled = true) => one<Lane>(`me/lanes/${encodeURIComponent(key)}`, {}, { enabled });
export const breakers = () => one<Breaker[]>("me/breakers");
export const deadLetters = (query: Query) => pages<Job>("me/dead-letters", { ...query, limit: 100 });
export const deadGroups = (query: Query) => one<Groups>("me/dead-letters/groups", query);
export const deadCount = (query: Query, enabled = true) => one<{ count: number; capped: boolean }>("me/dead-letters/count", query, { enabled });
export const logHits = (query: Query) => pages<LogHit>("me/logs", { ...query, limit: 50 });
export const artifacts = () => one<Artifact[]>("me/artifacts", {}, { seldom: true });
export const artifactVersions = (name: string) => one<ArtifactVersion[]>(`me/artifacts/${encodeURIComponent(name)}`, {}, { seldom: true });
export const workers = () => one<Worker[]>("workers");
export const worker = (name: string) => one<WorkerDetail>(`workers/${encodeURIComponent(name)}`);
export const queues = () => one<Queue[]>("me/queues");
export const notificationRules = () => one<NotificationRule[]>("me/notification-rules", { limit: 1000 });
export const notificationPreview = (id: number) => one<NotificationPreview>(`me/notification-rules/${id}/preview`, {}, { still: true });
export const notifications = () => pages<Notification>("me/notifications", { limit: 50 });
export const audit = (all: boolean, query: Query) => pages<AuditEntry>(all ? "audit" : "me/audit", { ...query, limit: 100 });
export const auditChain = () => one<AuditChain>("audit/chain", { limit: 1 }, { seldom: true });
export const shares = (window: string) => one<Shares>("cluster/shares", { window }, { seldom: true });
export const cluster = () => one<Cluster>("cluster");
export const clusterBreakers = () => one<(Breaker & { user_id: number })[]>("cluster/breakers");
export const users = (enabled = true) => one<Account[]>("users", { limit: 1000 }, { enabled, seldom: true });

/** The log of an attempt: only lines that are not known yet are asked for. */
export const runLog = (id: number, attempt: number, live: boolean) =>
  queryOptions({
    queryKey: ["log", id, attempt] as const,
    queryFn: async ({ client, queryKey, signal }) => {
      const known = client.getQueryData<string[]>(queryKey) ?? [];
      const { lines } = await read<{ lines: string[] }>(`me/jobs/${id}/runs/${attempt}/logs`, { skip: known.length || undefined }, signal);
      return lines.length ? [...known, ...lines] : known;
    },
    placeholderData: undefined,
    ...(live ? {} : { refetchInterval: false as const }),
  });

/** The coming instants of a timing that is not saved. */
export const previewOf = (body: PreviewBody, enabled: boolean) =>
  queryOptions({
    queryKey: ["preview", body],
    queryFn: () => send<Preview>("POST", "preview", body),
    enabled,
    retry: false,
    refetchInterval: false,
    staleTime: 10_000,
  });
