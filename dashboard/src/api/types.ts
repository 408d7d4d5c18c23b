// Short names for the API's types.
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
/** What a GET of a path answers. */
type Answer<P extends keyof paths> = paths[P] extends { get: { responses: { 200: { content: { "application/json": { data: infer D } } } } } } ? D : never;

export type Account = Schemas["AccountView"];
export type Artifact = Schemas["ArtifactView"];
export type ArtifactVersion = Schemas["VersionView"];
export type AuditEntry = Schemas["AuditView"];
export type AuditChain = Schemas["ChainView"];
export type Breaker = Schemas["BreakerView"];
export type Calendar = Answer<"/api/v1/me/calendars">[number];
export type Cluster = Schemas["ClusterView"];
export type Job = Schemas["JobView"];
/** A job with what a worker reports of it. */
export type JobDetail = Schemas["JobDetailView"];
export type JobBody = Schemas["JobBody"];
export type JobCount = Answer<"/api/v1/me/jobs/count">;
export type JobState = Schemas["JobState"];
export type Groups = Answer<"/api/v1/me/dead-letters/groups">;
export type Hours = Answer<"/api/v1/me/calendar">;
export type Lane = Schemas["LaneView"];
export type LogHit = Schemas["LogHitView"];
export type Me = Schemas["MeView"];
export type Node = Schemas["NodeView"];
export type Notification = Schemas["NoticeView"];
export type NotificationPreview = Schemas["MessagePreviewView"];
export type NotificationRule = Schemas["RuleView"];
export type Overview = Schemas["OverviewView"];
export type Planned = Schemas["PlannedView"];
export type Preview = Answer<"/api/v1/me/schedules/{id}/preview">;
export type PreviewBody = Schemas["PreviewBody"];
export type PreviewInstant = Schemas["PreviewInstant"];
export type Queue = Schemas["QueueView"];
export type Run = Schemas["RunView"];
export type Schedule = Schemas["ScheduleView"];
export type ScheduleBody = Schemas["ScheduleBody"];
export type ScheduleRecord = Schemas["RecordView"];
export type Session = Schemas["SessionView"];
export type Shares = Schemas["SharesView"];
export type Target = Job["target"];
export type Waiting = Schemas["Waiting"];
export type Worker = Schemas["WorkerView"];
export type WorkerDetail = Schemas["WorkerDetailView"];
