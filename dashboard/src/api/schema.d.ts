// Generated from /openapi.json by `npm run types`: change the API, not this file.
export interface paths {
    "/api/v1/artifacts/uploads/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Upload a content
         * @description The address, which is signed and expires, is the permission. The body is the content.
         */
        put: operations["upload_artifact"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List all changes
         * @description For admins.
         */
        get: operations["list_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/chain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show part of the audit's chain
         * @description Each link's hash covers its entry and the hash before it: `duetime audit verify` checks them. For admins.
         */
        get: operations["show_chain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log in
         * @description The number of wrong passwords is limited: for an account from one address, for an address, and for an account from all addresses that it has not logged in from.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get a new token
         * @description The old token stays valid until it expires. The last token of a session expires a fixed time after the login (`api.session_life`, 30 days by default): then log in again.
         */
        post: operations["refresh"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Log a browser in
         * @description Sets a cookie that only this server sees, instead of answering a token. The session ends when it is unused for 7 days, and `api.session_life` after the login at the latest. Programs use tokens.
         */
        post: operations["begin_session"];
        /**
         * Log this browser out
         * @description `ended` is false for a call that was made with a token: it has no session.
         */
        delete: operations["end_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the cluster
         * @description Every node that has a lease, with its shards, runs, lag, lease and clock. For admins.
         */
        get: operations["show_cluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/breakers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the open circuit breakers of all users
         * @description For admins.
         */
        get: operations["list_all_breakers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/breakers/{key}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a host's circuit breaker for all users
         * @description As for one user, for every user whose breaker of this host is open, on every scheduler. For admins.
         */
        post: operations["reset_breaker_for_all"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count past and planned runs of all users by hour
         * @description For admins.
         */
        get: operations["show_hours_of_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/nodes/{id}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Drain a node
         * @description The node releases its shards to the others and starts no new runs; its running jobs finish. It is `drained` when nothing is left, and can then be stopped without effect on any job. A restart ends the draining. 409 if it is the last scheduler, unless `force` is true. For admins.
         */
        post: operations["drain_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/nodes/{id}/undrain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the draining of a node
         * @description For admins.
         */
        post: operations["undrain_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether the jobs of all users are on time
         * @description As for one user. What is overdue is not counted: `oldest_due_at` comes from the schedulers. For admins.
         */
        get: operations["show_overview_of_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/planned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the runs of all users in the next minutes
         * @description For admins.
         */
        get: operations["show_planned_of_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/rebalance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rebalance shards now
         * @description Nodes rebalance by themselves; this call makes all of them check at once, waits until no more shards move (at most 5 s), and says which shards moved. For admins.
         */
        post: operations["rebalance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/shares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what each user got, beside its weight
         * @description For admins.
         */
        get: operations["show_shares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show your account, your quotas and what you use */
        get: operations["me"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your artifacts */
        get: operations["list_artifacts"];
        put?: never;
        /**
         * Push an artifact
         * @description If you have this content already, it is a version of the name at once. Else send the content to `upload.url`, and then complete the push.
         */
        post: operations["push_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/artifacts/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the versions of an artifact
         * @description The latest first.
         */
        get: operations["show_artifact"];
        put?: never;
        post?: never;
        /**
         * Remove versions of an artifact
         * @description `nightly` removes all versions, `nightly@sha256:…` and `nightly@latest` one. What jobs or schedules name is not removed without `force`.
         */
        delete: operations["remove_artifact"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/artifacts/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a push
         * @description Checks the content that was uploaded, and makes it the latest version. A repeat is harmless.
         */
        post: operations["complete_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your changes, and changes to your things
         * @description Newest first. Changes that Duetime made by itself have no `actor`.
         */
        get: operations["list_own"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/breakers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the hosts whose circuit breaker is open
         * @description A breaker opens after ten failures in a row that show that a host is down. Your jobs for that host then wait instead of using up their attempts, and one job at a time tries the host until one succeeds. Jobs with `breaker: false` or with a `limit` do not wait.
         */
        get: operations["list_breakers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/breakers/{key}/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reset a host's circuit breaker
         * @description The key is the host as the list shows it. Every scheduler closes its breaker at once and forgets the failures: the jobs for the host start. After ten more failures it opens again.
         */
        post: operations["reset_breaker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/calendar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count past and planned runs by hour
         * @description Past hours are kept as long as history is.
         */
        get: operations["show_hours"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/calendars": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your calendars */
        get: operations["list_calendars"];
        put?: never;
        /** Create a calendar */
        post: operations["create_calendar"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/calendars/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a calendar */
        get: operations["show_calendar"];
        put?: never;
        post?: never;
        /**
         * Delete a calendar
         * @description 409 while a schedule uses the calendar.
         */
        delete: operations["delete_calendar"];
        options?: never;
        head?: never;
        /**
         * Change a calendar
         * @description The change applies at once to every schedule that uses the calendar.
         */
        patch: operations["edit_calendar"];
        trace?: never;
    };
    "/api/v1/me/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your dead letters
         * @description Jobs that failed for good, newest first. A job that blocks its lane has no `finished_at`; its `due_at` says when it failed.
         */
        get: operations["list_dead_letters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a dead letter
         * @description The job with all its attempts.
         */
        get: operations["show_dead_letter"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/{id}/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive a dead letter
         * @description The job is due at once, even outside its hours. It gets as many attempts as a new job; their numbers continue, so that no run's id is used twice. With a body, the job is changed first: it comes back due in the far future, is changed, and is then made due at once, so that it never starts half changed.
         */
        post: operations["redrive_dead_letter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count your dead letters that match a filter */
        get: operations["count_dead_letters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/discard": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Discard many dead letters
         * @description They end as cancelled, and lanes that waited for them continue. At most 1,000 per call; `more_remain` says whether more are left.
         */
        post: operations["discard_dead_letters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Group your dead letters by error
         * @description The newest 2,000 are grouped. `kind` of a group, as a filter, selects it: for a list, a redrive or a discard.
         */
        get: operations["group_dead_letters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/dead-letters/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Redrive many dead letters
         * @description At most 1,000 per call; `more_remain` says whether more are left. The oldest run first.
         */
        post: operations["redrive_dead_letters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your jobs
         * @description Newest first, including finished jobs. A search that no index helps reads a bounded number of jobs: a page may have fewer items than asked for, even none, and a `next_cursor` to search further.
         */
        get: operations["list_jobs"];
        put?: never;
        /**
         * Create a job
         * @description Once the call answers, the job is on disk and will not be lost. Give `execute_at` or `delay`; with neither, the job is due at once.
         */
        post: operations["create_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a job */
        get: operations["show_job"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Change a job that has not started */
        patch: operations["edit_job"];
        trace?: never;
    };
    "/api/v1/me/jobs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A running job is asked to stop. 409 for a job that has ended.
         */
        post: operations["cancel_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/{id}/result": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Wait for a job's result
         * @description Answers when the job has ended, or after `wait_ms`: then `done` is false.
         */
        get: operations["show_result"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/{id}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Make a job due at once */
        post: operations["run_job_now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a job's attempts
         * @description The last 100, in order, with lateness, duration, and what an HTTP target answered.
         */
        get: operations["list_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/{id}/runs/{key}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show what an attempt logged
         * @description The number in the path is that of the attempt. The first 256 KiB are kept. To follow a log, ask again with `skip`: the number of lines that you have.
         */
        get: operations["show_log"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many jobs
         * @description Up to 10,000 jobs (the server may set another limit): all are stored, or none. An error names the `index` of the wrong job, counted from 0, and in NDJSON its `line`, counted from 1. With several databases, jobs that belong to more than one of them (by ordering keys, limits or pins) are stored all or none in each: `partly_stored` says in `error.details` which jobs were stored.
         */
        post: operations["create_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/by-key/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the job of an idempotency key
         * @description A key is kept for 7 days at least, and until its job has ended.
         */
        get: operations["show_job_by_key"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the job of an idempotency key
         * @description Only a job that has not started can be changed.
         */
        patch: operations["edit_job_by_key"];
        trace?: never;
    };
    "/api/v1/me/jobs/by-key/{key}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel the job of an idempotency key
         * @description A running job is asked to stop; a finished one is a conflict. The key stays taken: creating a job with it answers the cancelled job.
         */
        post: operations["cancel_job_by_key"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel many jobs
         * @description At most 1,000 a call, all in one transaction. A filter with more goes on with `next_cursor` as `cursor`; jobs created after the first call are not among them. Running jobs are asked to stop. A schedule whose pending occurrence is cancelled mints the next one: pause it to stop it. Dead letters are discarded by a call of their own.
         */
        post: operations["cancel_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count your jobs that match a filter
         * @description Up to 10,000, and of a bounded number that is searched: `capped` says that there may be more.
         */
        get: operations["count_matching_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/jobs/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count your jobs by state */
        get: operations["count_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/lanes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your lanes
         * @description A lane is blocked when its first job failed for good with `on_failure: block`: it waits until a person retries, skips or clears it.
         */
        get: operations["list_lanes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/lanes/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a lane */
        get: operations["show_lane"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/lanes/{key}/clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel every job in a lane
         * @description A running job is left alone: cancel it by its id.
         */
        post: operations["clear_lane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/lanes/{key}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Redrive a blocked lane's first job */
        post: operations["retry_lane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/lanes/{key}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Skip a blocked lane's first job
         * @description The job stays among the dead letters, and the lane continues with the next one.
         */
        post: operations["skip_lane"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search what your jobs logged
         * @description Newest first. A line matches if it has all words and phrases. A search reads a bounded number of lines: a page may have fewer items than asked for, even none, and a `next_cursor` to search further.
         */
        get: operations["search_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notification-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your notification rules */
        get: operations["list_rules"];
        put?: never;
        /**
         * Create a notification rule
         * @description You are told when something flips, not each time it happens again.
         */
        post: operations["create_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notification-rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a notification rule */
        get: operations["show_rule"];
        put?: never;
        post?: never;
        /** Delete a notification rule */
        delete: operations["delete_rule"];
        options?: never;
        head?: never;
        /**
         * Change a notification rule
         * @description A changed rule starts as a new one does: failures that go on are counted from here on.
         */
        patch: operations["edit_rule"];
        trace?: never;
    };
    "/api/v1/me/notification-rules/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show what a rule would send */
        get: operations["preview_rule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notification-rules/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message
         * @description To every channel of the rule, within seconds, whatever its quiet hours and its cap. `GET /api/v1/me/notifications` shows how sending stands.
         */
        post: operations["test_rule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/notifications": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages of your rules
         * @description Newest first: those that gather events, and those that were sent, with the state of deliveries.
         */
        get: operations["list_notices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether your jobs are on time, and what waits for you
         * @description Counts are a few seconds old at most. Percentiles are estimates: off by 42 % at most.
         */
        get: operations["show_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change your password
         * @description Every token and every session that began earlier becomes invalid; the answer has a new token, and a new cookie for a browser that called with one.
         */
        post: operations["change_password"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/planned": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the runs of the next minutes
         * @description Jobs that wait for their instant, and the instants of your schedules. Jobs that wait behind others in a lane are left out.
         */
        get: operations["show_planned"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your queues
         * @description Queues that have due jobs, runs or workers. Answers are up to a second old.
         */
        get: operations["list_queues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your schedules */
        get: operations["list_schedules"];
        put?: never;
        /**
         * Create a schedule
         * @description Give at least one of `cron`, `every`, `at` and `rrule`. Every instant is launched as a job, or recorded as skipped with the reason.
         */
        post: operations["create_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a schedule */
        get: operations["show_schedule"];
        put?: never;
        post?: never;
        /**
         * Delete a schedule
         * @description No occurrence starts after the answer; running jobs continue. The name is free again. Its jobs and its history stay, under the schedule's id, as long as other history is kept.
         */
        delete: operations["delete_schedule"];
        options?: never;
        head?: never;
        /**
         * Change a schedule
         * @description The change applies at once to every occurrence that has not launched; the record of past instants stays.
         */
        patch: operations["edit_schedule"];
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Launch instants of the past
         * @description At most 10,000 per call. Instants that were launched before launch again: check with `dry_run`.
         */
        post: operations["backfill_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the history of a schedule's instants
         * @description Newest first: jobs, and skipped instants with the reason. One record may stand for many instants.
         */
        get: operations["list_records"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pause a schedule
         * @description No occurrence starts after the answer; running jobs continue.
         */
        post: operations["pause_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a schedule
         * @description Flags: `shifted`, `repeated`, `moved_by_window`, `skipped_by_window`, `excluded_by_calendar`. A warning says that a line means other days in Quartz, or that the search ended early.
         */
        get: operations["preview_schedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resume a schedule
         * @description Instants that passed during the pause are recorded as skipped, in one record.
         */
        post: operations["resume_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/{id}/run-now": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Launch a schedule's job now
         * @description The job runs in addition to the occurrences, which stay as they are.
         */
        post: operations["run_schedule_now"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a set of schedules
         * @description Schedules are found by name. New ones are created, all together; those that differ are changed, one after the other. Schedules that are not named stay as they are, unless `prune` selects them to be deleted. With `dry_run` the call only shows what it would do.
         */
        post: operations["apply_schedules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/schedules/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create many schedules
         * @description Up to 10,000 (the server may set another limit): all are registered, or none. An error names the `index` of the wrong schedule, counted from 0, and in NDJSON its `line`, counted from 1.
         */
        post: operations["create_schedules"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the browsers in which you are logged in
         * @description Newest first, at most 100: one more ends the session that was unused the longest. A new password ends all of them.
         */
        get: operations["list_sessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Log one browser out */
        delete: operations["end_one_session"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Count your jobs and blocked lanes */
        get: operations["show_stats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your workflows
         * @description Newest first, without their steps.
         */
        get: operations["list_workflows"];
        put?: never;
        /**
         * Create a workflow
         * @description Steps are jobs. A step without `depends_on` is due at once, every other one when the steps that it waits for have ended as it asks. A step whose `depends_on` can no longer be met is `skipped` with the reason `upstream: …`. Refs that no step has, refs that two steps have, and circles are refused.
         */
        post: operations["create_workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/workflows/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Show a workflow with its steps */
        get: operations["show_workflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/workflows/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a workflow
         * @description Steps that have not started end as `cancelled`, and those that run are asked to stop. 409 for a workflow that has ended.
         */
        post: operations["cancel_workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/me/workflows/{id}/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a signal to a workflow
         * @description Steps with `wait_for` start when it has come and the steps before them have ended as asked. It is kept, so it may come early. 409 for a workflow that has ended.
         */
        post: operations["signal_workflow"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Preview a timing that is not saved */
        post: operations["preview_timing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List users
         * @description For admins.
         */
        get: operations["list_users"];
        put?: never;
        /**
         * Create a user
         * @description Needs no token where sign-up is open: by default on a server that listens on loopback only. Elsewhere only admins may call it.
         */
        post: operations["create_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a user's weight, limits, quotas or shards
         * @description Fields that are left out stay as they are. A change takes effect within a second. For admins.
         */
        patch: operations["update_user"];
        trace?: never;
    };
    "/api/v1/users/{id}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a user's jobs
         * @description As users list their own. For admins.
         */
        get: operations["list_jobs_of_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search what a user's jobs logged
         * @description As users search their own. For admins.
         */
        get: operations["search_logs_of_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/users/{id}/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show whether a user's jobs are on time
         * @description For admins.
         */
        get: operations["show_overview_of_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List your living workers */
        get: operations["list_workers"];
        put?: never;
        /**
         * Register a worker
         * @description The worker has a lease from now on: send a beat every `beat_ms`.
         */
        post: operations["register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show a worker
         * @description A living worker with the runs that it holds, and what they last reported.
         */
        get: operations["show_worker"];
        put?: never;
        post?: never;
        /**
         * Let a worker leave
         * @description Hands back its runs at once, and ends its lease.
         */
        delete: operations["leave"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}/beat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew a worker's lease
         * @description List every run that the worker has.
         */
        post: operations["beat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a worker finish
         * @description The worker gets no more runs, and is told so by `drain` in its answers.
         */
        post: operations["drain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Add lines to a run's log */
        post: operations["log_lines"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}/settle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Settle runs
         * @description Each outcome is recorded, or stale if the run is not the worker's any more. Repeats are harmless.
         */
        post: operations["settle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers/{key}/take": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take runs
         * @description Waits until there are runs, for at most `wait_ms`. After a lost answer, repeat the call with the same `take_id`.
         */
        post: operations["take"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document as a page */
        get: operations["show_docs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/docs/style.css": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The page's style sheet */
        get: operations["show_style"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Is the process alive? */
        get: operations["alive"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this process counts and measures, for Prometheus
         * @description OpenMetrics text when the request accepts it. Without a token only where the server listens on loopback, or where the setting `metrics.open` or `metrics.listen` says so; with a token, for admins.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** This document */
        get: operations["show_openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can this node accept and launch jobs?
         * @description If it cannot, the answer is 503, with the reasons in `error.details.reasons`. With several databases, the node is ready while one of them answers, and the answer says which ones do.
         */
        get: operations["ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * AccountView
         * @description A user with the account's role, limits and quotas.
         */
        AccountView: {
            created_at: string;
            /** @description Which shards get jobs without an ordering key, or which labels executors must have. */
            distribution: components["schemas"]["Spread"] | components["schemas"]["Pin"] | components["schemas"]["ByLabels"];
            id: number;
            job_weight: number;
            limits: components["schemas"]["Limit"] | null;
            quotas: components["schemas"]["Quotas"] | null;
            /** @enum {unknown} */
            role: "admin" | "user";
            username: string;
        };
        /**
         * Alive
         * @description The process answers.
         */
        Alive: {
            alive: boolean;
        };
        /**
         * ApplyBody
         * @description A set of schedules to apply, found by name: new ones are created, others are changed where they differ.
         */
        ApplyBody: {
            /**
             * @description Change nothing: only show what the call would do.
             * @default false
             */
            dry_run?: boolean;
            /**
             * @description Delete those of your schedules whose names begin with this text and are not among `schedules`. Every name in `schedules` must then begin with it. Empty text selects all of your schedules.
             * @default null
             */
            prune?: string | null;
            schedules: components["schemas"]["ScheduleBody"][];
        };
        /**
         * ApplyEntry
         * @description What the call did, or would do, to one schedule.
         */
        ApplyEntry: {
            /** @enum {unknown} */
            action: "change" | "create" | "delete" | "keep";
            /** @description The fields that differ, with their values. */
            changes: components["schemas"]["FieldChange"][];
            id: number | null;
            name: string;
        };
        /**
         * AppriseAnswer
         * @description The message was accepted by a service.
         */
        AppriseAnswer: {
            /** @enum {unknown} */
            kind: "apprise";
            service: string;
        };
        /**
         * AppriseChannel
         * @description A service that Apprise knows, by its URL for Apprise. For admins, and services that the operator allows.
         */
        AppriseChannel: {
            /** @enum {unknown} */
            kind: "apprise";
            url: string;
        };
        /**
         * AppriseTarget
         * @description A service, by its URL for Apprise, which holds its credentials.
         */
        AppriseTarget: {
            /** @enum {unknown} */
            kind: "apprise";
            url: string;
        };
        /**
         * ArtifactView
         * @description An artifact.
         */
        ArtifactView: {
            /** @description Of all versions. */
            bytes: number;
            latest: components["schemas"]["VersionView"];
            name: string;
            versions: number;
        };
        /**
         * AuditView
         * @description A change: who, whose, from where, what.
         */
        AuditView: {
            action: string;
            actor: number | null;
            at: string;
            details: unknown;
            id: number;
            origin: string | null;
            owner: number | null;
            subject: string;
        };
        /**
         * BackfillBody
         * @description A range of the past whose instants to launch; `dry_run` shows them without launching.
         */
        BackfillBody: {
            /** @default false */
            dry_run?: boolean;
            /**
             * Format: date-time
             * @description The start of the range, inclusive.
             */
            from: string;
            /**
             * @description The time between two launches; default 0.
             * @default 0
             * @example 15m
             * @example 90
             */
            pace?: string | number;
            /**
             * Format: date-time
             * @description The end of the range, exclusive; not later than now.
             */
            to: string;
        };
        /**
         * BackfillView
         * @description The jobs that a backfill created, or would create.
         */
        BackfillView: {
            count: number;
            first_at: string;
            /** @description The created jobs; none on a dry run. */
            ids: number[];
            /** @description When the last one is launched. */
            last_at: string;
            /** @description The first 1,000 instants. */
            nominals: string[];
        };
        /**
         * BasicAuth
         * @description A user name and a password, sent as HTTP Basic.
         */
        BasicAuth: {
            /** @enum {unknown} */
            kind: "basic";
            password: string;
            username: string;
        };
        /**
         * BearerAuth
         * @description A token, sent as `Authorization: Bearer`.
         */
        BearerAuth: {
            /** @enum {unknown} */
            kind: "bearer";
            token: string;
        };
        /**
         * BeatBody
         * @description A worker that is alive, with every run that it has.
         */
        BeatBody: {
            /**
             * @description The free slots.
             * @default null
             */
            free?: number | null;
            /** @default [] */
            runs?: components["schemas"]["BeatRun"][];
        };
        /**
         * BeatRun
         * @description A run that a worker has.
         */
        BeatRun: {
            /** @description Any JSON of up to 64 KiB, for the next attempt. */
            checkpoint?: unknown;
            /** @description Any JSON of up to 4 KiB. */
            progress?: unknown;
            /** @description The token of a run, as `take` gave it. */
            run: string;
        };
        /**
         * BeatView
         * @description The answer to a beat.
         */
        BeatView: {
            /** @description Runs that are to stop. */
            cancel: string[];
            drain: boolean;
            /** @description Runs that are not the worker's any more. */
            stale: string[];
        };
        /**
         * BegunView
         * @description A new session and its user.
         */
        BegunView: {
            session: components["schemas"]["SessionView"];
            user: components["schemas"]["UserView"];
        };
        /**
         * BreakerView
         * @description A host whose circuit breaker is open: jobs that call it wait, except one at a time that tries it.
         */
        BreakerView: {
            /** @description How many attempts in a row had failed when the breaker opened. */
            failures: number;
            /** @example https://example.com:8443 */
            host: string;
            /** @description From then on, the next job tries the host; null while one tries. */
            next_probe_at: string | null;
            opened_at: string;
        };
        /**
         * BroadcastAnswer
         * @description The jobs of a broadcast, one for each worker.
         */
        BroadcastAnswer: {
            /** @description The jobs, in the order of their index. */
            jobs: number[];
            /** @enum {unknown} */
            kind: "broadcast";
        };
        /**
         * BroadcastPart
         * @description Which part of a broadcast a job is: the worker it is for, and its number among so many.
         */
        BroadcastPart: {
            count: number;
            index: number;
            worker: number;
        };
        /**
         * BroadcastTarget
         * @description Becomes one job for each living worker of a queue, each told its number among them.
         */
        BroadcastTarget: {
            /** @enum {unknown} */
            kind: "broadcast";
            /** @description 1 to 100 letters, digits and _ . : / -, beginning with a letter or digit. */
            queue: string;
            /**
             * @description What the workers do.
             * @default default
             */
            task?: string;
        };
        /**
         * BroadcastView
         * @description Which part of a broadcast a run is.
         */
        BroadcastView: {
            count: number;
            index: number;
        };
        /**
         * BulkView
         * @description The ids of all jobs, in the order in which they were sent.
         */
        BulkView: {
            ids: number[];
        };
        /**
         * ByLabels
         * @description On all shards, and only on executors that have these labels.
         */
        ByLabels: {
            /** @enum {unknown} */
            kind: "labels";
            labels: {
                [key: string]: string;
            };
        };
        /**
         * CalendarBody
         * @description A named set of dates.
         */
        CalendarBody: {
            /** @description Local dates, such as 2026-12-25. */
            dates: string[];
            /**
             * @description `exclude`: no occurrence on these dates; `only`: occurrences on these dates alone.
             * @default exclude
             * @enum {unknown}
             */
            mode?: "exclude" | "only";
            name: string;
        };
        /**
         * CalendarPatch
         * @description Changes to a calendar's dates or mode; its name stays.
         */
        CalendarPatch: {
            /** @description Local dates, such as 2026-12-25. */
            dates?: string[];
            /**
             * @description `exclude`: no occurrence on these dates; `only`: occurrences on these dates alone.
             * @enum {unknown}
             */
            mode?: "exclude" | "only";
        };
        /**
         * CancelledView
         * @description What the call did, or would do.
         */
        CancelledView: {
            /** @description How many these are together. */
            count: number;
            /** @description Whether nothing was changed. */
            dry_run: boolean;
            /** @description Of the jobs named by ids or keys: those that had ended, or do not exist. */
            ended: number[];
            /** @description Jobs that waited and are cancelled now; with `dry_run`, all that are meant. */
            ids: number[];
            /** @description Jobs that run and were asked to stop. */
            stopping: number[];
            /** @description Of the keys: those that no job has. */
            unknown_keys: string[];
        };
        /**
         * CancelManyBody
         * @description Which jobs to cancel: by ids, by idempotency keys, or by a filter.
         */
        CancelManyBody: {
            /**
             * @description The `next_cursor` of the previous page.
             * @default null
             */
            cursor?: string | null;
            /**
             * @description Change nothing: only answer which ones the call would cancel.
             * @default false
             */
            dry_run?: boolean;
            /** @default null */
            filter?: components["schemas"]["WaitingJobsFilter"] | null;
            /** @default null */
            ids?: number[] | null;
            /** @default null */
            keys?: string[] | null;
            /**
             * @description How many to show at most.
             * @default 1000
             */
            limit?: number;
        };
        /**
         * ChainView
         * @description Part of the chain, and its end. The last part says how many entries before the end are in no link.
         */
        ChainView: {
            hash: string;
            kept_from: string | null;
            links: components["schemas"]["LinkView"][];
            number: number;
            unlinked: number | null;
            unsealed: number;
        };
        /**
         * ChosenView
         * @description Which dead letters the call changed, or would change.
         */
        ChosenView: {
            count: number;
            /** @description Whether nothing was changed. */
            dry_run: boolean;
            ids: number[];
            /** @description Whether more are left than one call can change: call again. */
            more_remain: boolean;
        };
        /**
         * ClusterView
         * @description The current state of the cluster.
         */
        ClusterView: {
            coordinator: string;
            /** @description With several databases: each of them, and whether it answers the node that serves this call. A node's shards, terms and runs are those in all databases that answer. */
            databases: components["schemas"]["DatabaseView"][];
            /** Format: uuid */
            id: string;
            name: string | null;
            nodes: components["schemas"]["NodeView"][];
            /** @description Shards that no living node owns: their jobs wait. */
            orphaned_shards: number;
        };
        /**
         * CompleteBody
         * @description A version whose content was uploaded.
         */
        CompleteBody: {
            /** @description The SHA-256 of the content. */
            digest: string;
            /**
             * @description What a file that is not unpacked is called.
             * @default artifact
             * @example job.py
             */
            filename?: string;
            /**
             * @description Lower-case letters, digits, dots, hyphens and _.
             * @example nightly
             */
            name: string;
            /** @description How many bytes the content has. */
            size: number;
            /**
             * @description Whether it is a tar archive that executors unpack.
             * @default false
             */
            unpack?: boolean;
            /** @description The `key` of the upload. */
            upload: string;
        };
        /**
         * CountsView
         * @description What happened within a time.
         */
        CountsView: {
            cancelled: number;
            dead: number;
            /** @description Attempts that were followed by another. */
            failed: number;
            launched: number;
            lost: number;
            /** @description Instants of schedules that the misfire policy left out. */
            missed: number;
            skipped: number;
            succeeded: number;
        };
        /**
         * CountView
         * @description How many jobs match.
         */
        CountView: {
            by_status: {
                [key: string]: number;
            };
            /** @description Whether there may be more: a bounded number is searched and counted. */
            capped: boolean;
            count: number;
        };
        /**
         * CreatedView
         * @description The job of a call that creates one, and whether the call did.
         */
        CreatedView: {
            /** @description How many attempts have begun. */
            attempts: number;
            breaker: boolean;
            /** @description Whether a running job was asked to stop. */
            cancel_requested: boolean;
            /** @description False when the idempotency key had a job before: this is that job, unchanged. */
            created: boolean;
            created_at: string;
            /** @description Jobs with the same target and policy have the same definition. */
            definition_id: number;
            /** @enum {unknown} */
            delivery: "at_least_once" | "at_most_once";
            /** @description When the next attempt is due, or the last one was. */
            due_at: string;
            /** @description The instant that the client gave. */
            execute_at: string;
            expires_at: string | null;
            finished_at: string | null;
            hours: components["schemas"]["Hours"] | null;
            id: number;
            labels: {
                [key: string]: string;
            };
            /** @description Whether `execute_at` had already passed when the job was created. */
            late: boolean;
            limit: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            /** @description The nominal instant of the schedule that the job is for. */
            nominal: string | null;
            /** @enum {unknown} */
            on_failure: "block" | "skip";
            ordering_key: string | null;
            priority: number;
            /** @description Why the job ended as it did. */
            reason: string | null;
            /** @description Labels that an executor must have to run the job. */
            requires: {
                [key: string]: string;
            };
            retry: components["schemas"]["Retry"];
            /** @description The schedule that the job belongs to. */
            schedule_id: number | null;
            shard_id: number;
            status: components["schemas"]["JobState"];
            target: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            /** @description Seconds that one attempt may take. */
            timeout: number;
            /** @description The span that created a traced job. */
            traceparent?: string;
            user_id: number;
            /** @description Why the job does not run yet, as far as that is known; empty when it does. */
            waiting_for: components["schemas"]["Waiting"][];
        };
        /**
         * CreatedWorkflowView
         * @description The workflow of a call that creates one, and whether the call did.
         */
        CreatedWorkflowView: {
            /** @description Steps that were cancelled. */
            cancelled: number;
            /** @description False when the idempotency key had a workflow before: this is that workflow. */
            created: boolean;
            created_at: string;
            deadline_at: string | null;
            /** @description Steps that are dead, lost or expired. */
            failed: number;
            finished_at: string | null;
            id: number;
            name: string;
            /** @enum {unknown} */
            on_deadline: "cancel" | "fail";
            /** @description Steps that have not ended. */
            open: number;
            /** @description `running` until the last step has ended; then `failed` if a step failed, else `cancelled` if one was cancelled, else `succeeded`. */
            status: components["schemas"]["WorkflowState"];
            step_count: number;
            /** @description In the order in which they were given. */
            steps: components["schemas"]["StepView"][];
        };
        /**
         * CrowdView
         * @description A step with many runs.
         */
        CrowdView: {
            at: string;
            count: number;
        };
        /**
         * DatabaseView
         * @description One of several databases, and which shards it holds.
         */
        DatabaseView: {
            answers: boolean;
            number: number;
            shards: string;
        };
        /**
         * DeadCountView
         * @description How many dead letters match.
         */
        DeadCountView: {
            /** @description Whether counting ended at 10,000. */
            capped: boolean;
            count: number;
        };
        /**
         * DeadLettersFilter
         * @description Selects dead letters; without any field, all of them.
         */
        DeadLettersFilter: {
            /**
             * @description Only those with this definition: the same target and policy.
             * @default null
             */
            definition_id?: number | null;
            /**
             * @description Only those whose reason contains this text (case is ignored), or whose last failure is of this class, such as `timeout` or `http_503`.
             * @default null
             */
            error?: string | null;
            /**
             * @description Only those that ended at or after this instant.
             * @default null
             */
            from?: string | null;
            /**
             * @description Only those whose last failure is of exactly this class.
             * @default null
             */
            kind?: string | null;
            /**
             * @description Only those with this ordering key.
             * @default null
             */
            ordering_key?: string | null;
            /**
             * @description Only those that ended before this instant.
             * @default null
             */
            to?: string | null;
        };
        /**
         * DeadLetterView
         * @description A job that failed for good, with all its attempts.
         */
        DeadLetterView: {
            job: components["schemas"]["JobView"];
            runs: components["schemas"]["RunView"][];
        };
        /**
         * DeliveryView
         * @description How sending to one channel stands.
         */
        DeliveryView: {
            attempts: number;
            job_id: number;
            reason: string | null;
            state: string;
        };
        /**
         * DependencyBody
         * @description A step that this one waits for.
         */
        DependencyBody: {
            /**
             * @description Which end counts. `success`: it succeeded; `failure`: it is dead after its retries, lost, or expired; `done`: it ended in any way.
             * @default success
             * @enum {unknown}
             */
            on?: "done" | "failure" | "success";
            /**
             * @description The step's name within its workflow: letters, digits, `_`, `-` and `.`.
             * @example extract
             */
            ref: string;
        };
        /**
         * DiscardBody
         * @description Which dead letters to discard, by ids or by a filter.
         */
        DiscardBody: {
            /**
             * @description Change nothing: only show which ones the call would change.
             * @default false
             */
            dry_run?: boolean;
            /** @default null */
            filter?: components["schemas"]["DeadLettersFilter"] | null;
            /**
             * @description The ids of dead letters, instead of a filter.
             * @default null
             */
            ids?: number[] | null;
        };
        /**
         * DiscordChannel
         * @description A webhook of Discord.
         */
        DiscordChannel: {
            /** @enum {unknown} */
            kind: "discord";
            url: string;
        };
        /**
         * DrainBody
         * @description Whether a worker takes nothing more.
         */
        DrainBody: {
            /** @default true */
            drain?: boolean;
        };
        /**
         * CalendarView
         * @description Past and planned runs by hour.
         */
        "duetime.api.activity.views.CalendarView": {
            /** @description False when more is planned than the 20,000 runs that are looked at. */
            complete: boolean;
            from: string;
            /** @description One for each hour in UTC. */
            hours: components["schemas"]["HourView"][];
            /** @description From here on, more may be planned; null when complete. */
            known_until: string | null;
            now: string;
            to: string;
        };
        /**
         * CalendarView
         * @description A calendar.
         */
        "duetime.api.calendars.views.CalendarView": {
            created_at: string;
            dates: string[];
            id: number;
            mode: string;
            name: string;
            updated_at: string;
            version: number;
        };
        /**
         * EndedView
         * @description A session that has ended.
         */
        EndedView: {
            ended: boolean;
        };
        /**
         * ErrorBody
         * @description Why a run failed.
         */
        ErrorBody: {
            /**
             * @description The class of failure that retry rules name; default `error`.
             * @default error
             */
            kind?: string;
            message: string;
            trace?: string;
        };
        /**
         * Failure
         * @description The envelope of every failure.
         */
        Failure: {
            error: components["schemas"]["Problem"];
            /** @constant */
            success: false;
        };
        /**
         * FieldChange
         * @description A field of a schedule that differs. Credentials are shown as `(hidden)`; long text is cut.
         */
        FieldChange: {
            after: unknown;
            before: unknown;
            field: string;
        };
        /**
         * GroupsView
         * @description Dead letters by the class of their last failure, the largest group first.
         */
        GroupsView: {
            /** @description False when there are more than the 10,000 that were looked at. */
            complete: boolean;
            groups: components["schemas"]["GroupView"][];
            /** @description How many dead letters are in the groups. */
            looked_at: number;
        };
        /**
         * GroupView
         * @description Dead letters whose last failure is of one class.
         */
        GroupView: {
            count: number;
            first_at: string;
            /** @description Hosts that some of them call. */
            hosts: string[];
            /** @description The class; null where none is recorded. */
            kind: string | null;
            last_at: string;
            latest_id: number;
            /** @description Why the newest one failed. */
            reason: string | null;
        };
        /**
         * Hours
         * @description Weekly local hours within which attempts may start, such as `MON-FRI 09:00-17:00` in a zone.
         */
        Hours: {
            window: string;
            /** @default UTC */
            zone?: string;
        };
        /**
         * HourView
         * @description What happened within an hour, or is planned for it.
         */
        HourView: {
            at: string;
            cancelled: number;
            dead: number;
            failed: number;
            launched: number;
            lost: number;
            missed: number;
            p99_ms: number | null;
            planned: number;
            skipped: number;
            succeeded: number;
            worst_ms: number | null;
        };
        /**
         * HttpAnswer
         * @description What an HTTP target answered.
         */
        HttpAnswer: {
            /** @description For operators: not shown to clients. */
            address?: string;
            body: string;
            /** @description Whether the body was longer than what is kept. */
            body_cut: boolean;
            headers: {
                [key: string]: string;
            };
            /** @enum {unknown} */
            kind: "http";
            status: number;
        };
        /**
         * HttpTarget
         * @description An HTTP request; a 2xx answer is success. Without a `body`, the job's message is the body.
         */
        HttpTarget: {
            /** @default null */
            auth?: (components["schemas"]["BasicAuth"] | components["schemas"]["BearerAuth"]) | null;
            /** @default null */
            body?: string | null;
            /** @default 0 */
            follow_redirects?: number;
            headers?: {
                [key: string]: string;
            };
            /** @enum {unknown} */
            kind: "http";
            /**
             * @default POST
             * @enum {unknown}
             */
            method?: "DELETE" | "GET" | "HEAD" | "PATCH" | "POST" | "PUT";
            /** @description Signs each request as Standard Webhooks says (`webhook-signature`). After `whsec_` it is base64, else the text itself. */
            signing_secret?: string;
            url: string;
        };
        /**
         * Item
         * @description One event, as a message lists it.
         */
        Item: {
            at: string;
            /** @default null */
            condition?: string | null;
            event: string;
            /** @default null */
            in_a_row?: number | null;
            /** @default null */
            job_id?: number | null;
            /** @default null */
            lane?: string | null;
            /** @default null */
            name?: string | null;
            /** @default null */
            reason?: string | null;
            /** @default null */
            schedule?: string | null;
            /** @default null */
            schedule_id?: number | null;
            /** @default null */
            since?: string | null;
        };
        /**
         * JobBody
         * @description A new job, due at `execute_at`, after `delay`, or at once.
         */
        JobBody: {
            /**
             * @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits.
             * @default null
             */
            breaker?: boolean | null;
            /**
             * @description Time from now, instead of an instant: seconds, "30m", "1h30m", or ISO 8601 ("PT30M").
             * @default null
             */
            delay?: (string | number) | null;
            /**
             * @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`.
             * @default null
             */
            delivery?: ("at_least_once" | "at_most_once") | null;
            /**
             * @description RFC 3339 with any offset, up to the year 2200. A job for a past instant is due at once.
             * @default null
             */
            execute_at?: string | null;
            /**
             * @description A job that has not started by this instant is skipped.
             * @default null
             */
            expires_at?: string | null;
            /** @default null */
            hours?: components["schemas"]["Hours"] | null;
            /**
             * @description Up to 32 labels: names of up to 63 characters, values of up to 255.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            limit?: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            /**
             * @description What a final failure does to later jobs with the same ordering key; default block.
             * @default null
             */
            on_failure?: ("block" | "skip") | null;
            /**
             * @description Jobs with the same key run one at a time, in order of their instants.
             * @default null
             */
            ordering_key?: string | null;
            /**
             * @description Of your due jobs, those with a higher priority start first; default 5.
             * @default null
             */
            priority?: number | null;
            /**
             * @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so.
             * @default null
             */
            requires?: {
                [key: string]: string;
            } | null;
            /**
             * @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out.
             * @default null
             */
            retry?: (boolean | components["schemas"]["Retry"]) | null;
            /**
             * @description What the job does. Without a target, it writes the message to the run's log.
             * @default null
             */
            target?: (components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"]) | null;
            /**
             * @description How long one attempt may take, up to a day: seconds or a duration; default 60 s.
             * @default null
             */
            timeout?: (string | number) | null;
            /**
             * @description The trace that the job comes from, as in W3C Trace Context. It is kept if it is sampled: each run is then a trace of its own, linked to this one. It comes before the header of the same name.
             * @default null
             */
            traceparent?: string | null;
        };
        /**
         * JobDetailView
         * @description A job, with what a worker made of it.
         */
        JobDetailView: {
            /** @description How many attempts have begun. */
            attempts: number;
            breaker: boolean;
            /** @description Whether a running job was asked to stop. */
            cancel_requested: boolean;
            created_at: string;
            /** @description Jobs with the same target and policy have the same definition. */
            definition_id: number;
            /** @enum {unknown} */
            delivery: "at_least_once" | "at_most_once";
            /** @description When the next attempt is due, or the last one was. */
            due_at: string;
            /** @description The instant that the client gave. */
            execute_at: string;
            expires_at: string | null;
            finished_at: string | null;
            held: components["schemas"]["WorkerRunView"] | null;
            hours: components["schemas"]["Hours"] | null;
            id: number;
            labels: {
                [key: string]: string;
            };
            /** @description Whether `execute_at` had already passed when the job was created. */
            late: boolean;
            limit: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            /** @description The nominal instant of the schedule that the job is for. */
            nominal: string | null;
            /** @enum {unknown} */
            on_failure: "block" | "skip";
            ordering_key: string | null;
            priority: number;
            /** @description Why the job ended as it did. */
            reason: string | null;
            /** @description Labels that an executor must have to run the job. */
            requires: {
                [key: string]: string;
            };
            /** @description What the worker gave back; null while the job has not succeeded, and for other targets. */
            result: unknown;
            retry: components["schemas"]["Retry"];
            /** @description The schedule that the job belongs to. */
            schedule_id: number | null;
            shard_id: number;
            status: components["schemas"]["JobState"];
            target: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            /** @description Seconds that one attempt may take. */
            timeout: number;
            /** @description The span that created a traced job. */
            traceparent?: string;
            user_id: number;
            /** @description Why the job does not run yet, as far as that is known; empty when it does. */
            waiting_for: components["schemas"]["Waiting"][];
        };
        /**
         * JobPatch
         * @description Changes to a job that has not started; at least one field. Null removes a value.
         */
        JobPatch: {
            /** @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits. */
            breaker?: boolean;
            /**
             * @description Time from now, instead of an instant: seconds, "30m", "1h30m", or ISO 8601 ("PT30M").
             * @example 30m
             * @example 90
             * @example PT1H
             */
            delay?: string | number;
            /**
             * @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`.
             * @enum {unknown}
             */
            delivery?: "at_least_once" | "at_most_once";
            /**
             * Format: date-time
             * @description RFC 3339 with any offset, up to the year 2200. A job for a past instant is due at once.
             */
            execute_at?: string;
            /** @description A job that has not started by this instant is skipped. */
            expires_at?: string | null;
            hours?: components["schemas"]["Hours"] | null;
            limit?: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message?: unknown;
            /** @enum {unknown} */
            on_failure?: "block" | "skip";
            /** @description Of your due jobs, those with a higher priority start first; default 5. */
            priority?: number;
            /** @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so. */
            requires?: {
                [key: string]: string;
            } | null;
            /** @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out. */
            retry?: boolean | components["schemas"]["Retry"];
            /** @description What the job does. Without a target, it writes the message to the run's log. */
            target?: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            /** @description How long one attempt may take, up to a day: seconds or a duration; default 60 s. */
            timeout?: string | number;
        };
        /**
         * JobState
         * @description The states of a job.
         * @enum {unknown}
         */
        JobState: "cancelled" | "created" | "dead" | "failed" | "lost" | "queued" | "running" | "skipped" | "succeeded" | "suspended";
        /**
         * JobView
         * @description A job. Credentials in its target are shown as `(hidden)`.
         */
        JobView: {
            /** @description How many attempts have begun. */
            attempts: number;
            breaker: boolean;
            /** @description Whether a running job was asked to stop. */
            cancel_requested: boolean;
            created_at: string;
            /** @description Jobs with the same target and policy have the same definition. */
            definition_id: number;
            /** @enum {unknown} */
            delivery: "at_least_once" | "at_most_once";
            /** @description When the next attempt is due, or the last one was. */
            due_at: string;
            /** @description The instant that the client gave. */
            execute_at: string;
            expires_at: string | null;
            finished_at: string | null;
            hours: components["schemas"]["Hours"] | null;
            id: number;
            labels: {
                [key: string]: string;
            };
            /** @description Whether `execute_at` had already passed when the job was created. */
            late: boolean;
            limit: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            /** @description The nominal instant of the schedule that the job is for. */
            nominal: string | null;
            /** @enum {unknown} */
            on_failure: "block" | "skip";
            ordering_key: string | null;
            priority: number;
            /** @description Why the job ended as it did. */
            reason: string | null;
            /** @description Labels that an executor must have to run the job. */
            requires: {
                [key: string]: string;
            };
            retry: components["schemas"]["Retry"];
            /** @description The schedule that the job belongs to. */
            schedule_id: number | null;
            shard_id: number;
            status: components["schemas"]["JobState"];
            target: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            /** @description Seconds that one attempt may take. */
            timeout: number;
            /** @description The span that created a traced job. */
            traceparent?: string;
            user_id: number;
            /** @description Why the job does not run yet, as far as that is known; empty when it does. */
            waiting_for: components["schemas"]["Waiting"][];
        };
        /**
         * KafkaAnswer
         * @description Where the record is.
         */
        KafkaAnswer: {
            /** @enum {unknown} */
            kind: "kafka";
            offset: number;
            partition: number;
            topic: string;
        };
        /**
         * KafkaTarget
         * @description A record on a topic of a Kafka cluster. Without a `value`, the job's message is the value.
         */
        KafkaTarget: {
            /**
             * @description The parts that are given in base64, for bytes that are not text.
             * @default []
             */
            base64?: ("headers" | "key" | "value")[];
            /**
             * @description A cluster that the operator has named.
             * @default default
             */
            cluster?: string;
            /**
             * @description The message is an object with the record's `value`, `key`, `headers`, `partition` and `base64`. Jobs that differ only in these share one definition.
             * @default false
             */
            envelope?: boolean;
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Records with the same key go to the same partition.
             * @default null
             */
            key?: string | null;
            /** @enum {unknown} */
            kind: "kafka";
            /**
             * @description Instead of the partition that the key chooses.
             * @default null
             */
            partition?: number | null;
            /** @example orders */
            topic: string;
            /** @default null */
            value?: string | null;
        };
        /**
         * KeptView
         * @description How many lines were added to a log.
         */
        KeptView: {
            kept: number;
        };
        /**
         * LaneChangeView
         * @description What a call changed in a lane.
         */
        LaneChangeView: {
            /** @description The jobs that were changed. */
            ids: number[];
            lane: components["schemas"]["LaneView"] | null;
        };
        /**
         * LaneView
         * @description Jobs with the same ordering key that have not ended.
         */
        LaneView: {
            /** @description Whether the first job failed for good, and the rest wait for a person. */
            blocked: boolean;
            /** @description When the first job failed for good. */
            blocked_since: string | null;
            /** @description The id of the first job. */
            head: number;
            head_status: components["schemas"]["JobState"];
            key: string;
            /** @description How many jobs the lane holds, counted up to 10,000. */
            length: number;
            /** @description Why the first job failed. */
            reason: string | null;
        };
        /**
         * LatenessView
         * @description How late jobs were launched, from due to launched.
         */
        LatenessView: {
            /** @description Up to this lateness, a job is on time. */
            budget_ms: number;
            launched: number;
            /** @description Null when nothing was launched. */
            p50_ms: number | null;
            /** @description Null when nothing was launched. */
            p99_ms: number | null;
            /** @description Null when nothing was launched. */
            worst_ms: number | null;
        };
        /**
         * LeftView
         * @description How many runs a leaving worker handed back.
         */
        LeftView: {
            released: number;
        };
        /**
         * Limit
         * @description How many jobs may run at once, and how fast they launch: `rate` launches per `per`, `burst` of them at once.
         */
        Limit: {
            /** @default null */
            burst?: number | null;
            /** @default null */
            max_concurrency?: number | null;
            /**
             * @default second
             * @enum {unknown}
             */
            per?: "hour" | "minute" | "second";
            /** @default null */
            rate?: number | null;
        };
        /**
         * LinesView
         * @description The lines that an attempt logged.
         */
        LinesView: {
            lines: string[];
        };
        /**
         * LinkView
         * @description A link of the chain. Its entry is null if that is gone.
         */
        LinkView: {
            at: string;
            entry: components["schemas"]["AuditView"] | null;
            entry_id: number;
            hash: string;
            number: number;
        };
        /**
         * LogBody
         * @description Lines that a run logged.
         */
        LogBody: {
            lines: string[];
            /** @description The token of a run, as `take` gave it. */
            run: string;
            /** @description The number of the first line, from 0. */
            seq: number;
        };
        /**
         * LogHitView
         * @description Lines of an attempt that were stored together, and those of them that match.
         */
        LogHitView: {
            /** @description When the lines were stored. */
            at: string;
            attempt: number;
            job: number;
            /** @description The first 10 lines that match. */
            lines: components["schemas"]["LogLineView"][];
            /** @description How many of the lines match. */
            matches: number;
        };
        /**
         * LoginBody
         * @description A user's name and password.
         */
        LoginBody: {
            password: string;
            /** @description 1 to 64 letters, digits, dots, hyphens, underscores and at signs; case is ignored. */
            username: string;
        };
        /**
         * LoginView
         * @description A token, the instant at which it expires, and its user.
         */
        LoginView: {
            expire: string;
            /** @description Send it as `Authorization: Bearer TOKEN`. */
            token: string;
            user: components["schemas"]["UserView"];
        };
        /**
         * LogLineView
         * @description A line that matches.
         */
        LogLineView: {
            /** @description Its number in the log of the attempt, from 1. */
            number: number;
            /** @description Its first 1,000 characters. */
            text: string;
        };
        /**
         * LogTarget
         * @description Writes the message to the run's log, and does nothing else.
         */
        LogTarget: {
            /** @enum {unknown} */
            kind: "log";
        };
        /**
         * MailAnswer
         * @description What the mail server answered.
         */
        MailAnswer: {
            answer: string;
            /** @enum {unknown} */
            kind: "mail";
        };
        /**
         * MailChannel
         * @description A mail to some addresses.
         */
        MailChannel: {
            /** @enum {unknown} */
            kind: "mail";
            to: string[];
        };
        /**
         * MailTarget
         * @description A mail through the operator's mail server. The message holds recipients and text.
         */
        MailTarget: {
            /** @enum {unknown} */
            kind: "mail";
        };
        /**
         * MessagePreviewView
         * @description A message as it would be sent.
         */
        MessagePreviewView: {
            html: string;
            subject: string;
            text: string;
            webhook: Record<string, never>;
        };
        /**
         * MeView
         * @description A user with the account's role, limits and quotas, and what it uses of them.
         */
        MeView: {
            /** @description The quotas that count: its own and the server's defaults. */
            allowed: components["schemas"]["Quotas"];
            created_at: string;
            /** @description Which shards get jobs without an ordering key, or which labels executors must have. */
            distribution: components["schemas"]["Spread"] | components["schemas"]["Pin"] | components["schemas"]["ByLabels"];
            id: number;
            job_weight: number;
            limits: components["schemas"]["Limit"] | null;
            quotas: components["schemas"]["Quotas"] | null;
            /** @enum {unknown} */
            role: "admin" | "user";
            /** @description What the user has; bytes are null until they are counted. */
            used: components["schemas"]["Usage"];
            username: string;
        };
        /**
         * Misfire
         * @description What happens to nominal instants that passed before they could be launched; `max_*` bound `fire_all`.
         */
        Misfire: {
            /**
             * @description `skip`: an occurrence up to this many seconds late still launches.
             * @default 60
             */
            grace?: number;
            /**
             * @description `fire_all`: launch only those at most this many seconds old.
             * @default 86400
             */
            max_age?: number;
            /**
             * @description `fire_all`: launch at most this many.
             * @default 100
             */
            max_count?: number;
            /**
             * @default fire_once
             * @enum {unknown}
             */
            policy?: "fire_all" | "fire_once" | "skip";
        };
        /**
         * MisfireView
         * @description What happens to instants that passed before they could be launched.
         */
        MisfireView: {
            /** @description `skip`: launch up to this many seconds late. */
            grace: number;
            /** @description `fire_all`: launch only those at most this many seconds old. */
            max_age: number;
            /** @description `fire_all`: launch at most this many. */
            max_count: number;
            /** @enum {unknown} */
            policy: "fire_all" | "fire_once" | "skip";
        };
        /**
         * MoveView
         * @description Shards that moved from one node to another; null stands for no node.
         */
        MoveView: {
            shards: number;
            source: number | null;
            target: number | null;
        };
        /**
         * NeedsView
         * @description What waits for a person.
         */
        NeedsView: {
            blocked_lanes: number;
            /** @description Hosts whose circuit breaker is open. */
            broken_hosts: number;
            dead_letters: number;
            /** @description Within the window. */
            lost: number;
            /** @description Within the window. */
            missed: number;
        };
        /**
         * NextView
         * @description A schedule's next occurrence.
         */
        NextView: {
            job_id: number;
            /** @description The instant that the timing gives. */
            nominal: string;
            /** @description When it is launched, after window and jitter. */
            run_at: string;
        };
        /**
         * NodeView
         * @description A living node.
         */
        NodeView: {
            /** @description How far its wall clock is ahead of the database's, which jobs follow. */
            clock_skew_ms: number | null;
            highest_term: number | null;
            /** @description A node gets a new id at every start. */
            id: number;
            /** @description How long the oldest job at the head of a flow has been due; 0 if none is waiting. */
            lag_ms: number;
            /** @description Until its lease expires, if it is not renewed; null where etcd keeps the leases. */
            lease_left_ms: number | null;
            /** @description The lowest term of the shards that the node owns. */
            lowest_term: number | null;
            name: string;
            roles: string[];
            /** @description Runs that the node executes now. */
            running: number;
            shards: number;
            /** @description When the node joined. */
            since: string;
            /**
             * @description `draining` while the node still has shards or runs, then `drained`; `standby` for a spare that owns no shards.
             * @enum {unknown}
             */
            status: "active" | "drained" | "draining" | "standby";
            version: string;
        };
        /**
         * NoticeView
         * @description A message: `gathering` events, `sending`, `sent` to the jobs that deliver it, or `dropped`.
         */
        NoticeView: {
            closed_at: string | null;
            deliveries: components["schemas"]["DeliveryView"][];
            due_at: string;
            events: number;
            held: string | null;
            id: number;
            items: components["schemas"]["Item"][];
            opened_at: string;
            rule_id: number;
            state: string;
        };
        /**
         * OutcomeBody
         * @description How a run ended.
         */
        OutcomeBody: {
            /** @default null */
            error?: components["schemas"]["ErrorBody"] | null;
            /**
             * @description With `succeeded`: any JSON of up to 256 KiB.
             * @default null
             */
            result?: unknown;
            /**
             * @description Milliseconds until the next attempt.
             * @default null
             */
            retry_in_ms?: number | null;
            /**
             * @description With `failed`: false ends the job now.
             * @default true
             */
            retryable?: boolean;
            /** @description The token of a run, as `take` gave it. */
            run: string;
            /** @enum {unknown} */
            status: "failed" | "released" | "snoozed" | "succeeded";
        };
        /**
         * OutlineView
         * @description A workflow with its steps.
         */
        OutlineView: {
            /** @description Steps that were cancelled. */
            cancelled: number;
            created_at: string;
            deadline_at: string | null;
            /** @description Steps that are dead, lost or expired. */
            failed: number;
            finished_at: string | null;
            id: number;
            name: string;
            /** @enum {unknown} */
            on_deadline: "cancel" | "fail";
            /** @description Steps that have not ended. */
            open: number;
            /** @description `running` until the last step has ended; then `failed` if a step failed, else `cancelled` if one was cancelled, else `succeeded`. */
            status: components["schemas"]["WorkflowState"];
            step_count: number;
            /** @description In the order in which they were given. */
            steps: components["schemas"]["StepView"][];
        };
        /**
         * OverviewView
         * @description Whether jobs are on time, and what waits for a person.
         */
        OverviewView: {
            counts: components["schemas"]["CountsView"];
            /** @description How many jobs are in each state. */
            jobs: {
                [key: string]: number;
            };
            lateness: components["schemas"]["LatenessView"];
            needs: components["schemas"]["NeedsView"];
            now: string;
            queued: number;
            running: number;
            series: components["schemas"]["SeriesView"];
            waiting: components["schemas"]["WaitingView"];
            /** @enum {unknown} */
            window: "15m" | "1h" | "24h" | "3h" | "7d";
        };
        /**
         * PasswordBody
         * @description The current password and the new one.
         */
        PasswordBody: {
            current: string;
            /** @description 8 to 1024 characters. */
            new: string;
        };
        /**
         * Pin
         * @description On some shards only, round robin.
         */
        Pin: {
            /** @enum {unknown} */
            kind: "pin";
            shards: number[];
        };
        /**
         * PlannedRunView
         * @description A run that is planned.
         */
        PlannedRunView: {
            at: string;
            /** @description Null for an instant of a schedule that has no job yet. */
            job_id: number | null;
            /** @description The schedule's name. */
            schedule: string | null;
            schedule_id: number | null;
            user_id: number;
        };
        /**
         * PlannedView
         * @description How many runs are planned, by minute.
         */
        PlannedView: {
            /** @description False when there are more than the 20,000 that are looked at. */
            complete: boolean;
            counts: number[];
            /** @description The three minutes with the most runs. */
            crowds: components["schemas"]["CrowdView"][];
            /** @description From here on, more may be planned; null when complete. */
            known_until: string | null;
            /** @description The first 20. */
            next: components["schemas"]["PlannedRunView"][];
            start: string;
            step: number;
            total: number;
        };
        /**
         * PreviewBody
         * @description A timing that is not saved.
         */
        PreviewBody: {
            /**
             * @description The instant that `every` counts from.
             * @default null
             */
            anchor?: string | null;
            /**
             * @description A list of instants.
             * @default null
             */
            at?: string[] | null;
            /**
             * @description The name of one of your calendars.
             * @default null
             */
            calendar?: string | null;
            /**
             * @description Five fields, six with seconds first, or a nickname. A list is due whenever one of them is.
             * @default null
             */
            cron?: (string | string[]) | null;
            /**
             * @description How `cron` is written; default standard. `quartz` has six fields, seven with a year, and 1 for Sunday.
             * @default null
             */
            dialect?: ("quartz" | "standard") | null;
            /**
             * @description What local times do when clocks change, in `cron` (default vixie) and `rrule` (default shift).
             * @default null
             */
            dst_policy?: ("literal" | "shift" | "skip_once" | "vixie") | null;
            /**
             * @description No instant at or after this one.
             * @default null
             */
            end?: string | null;
            /**
             * @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").
             * @default null
             */
            every?: (string | number) | null;
            /**
             * @description Show instants from this one on; default now.
             * @default null
             */
            from?: string | null;
            /**
             * @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").
             * @default null
             */
            jitter?: (string | number) | null;
            /**
             * @description How many instants to show.
             * @default 10
             */
            n?: number;
            /**
             * @description The name that `H` and the jitter are derived from.
             * @default
             */
            name?: string;
            /**
             * @description A recurrence rule of RFC 5545.
             * @default null
             */
            rrule?: string | null;
            /**
             * @description No instant before this one.
             * @default null
             */
            start?: string | null;
            /**
             * @description Weekly local hours in which attempts may start.
             * @default null
             */
            window?: string | null;
            /**
             * @description With `window`: an instant outside it moves to the next opening, or is skipped; default move.
             * @default null
             */
            window_policy?: ("move" | "skip") | null;
            /**
             * @description The time zone of local times; default UTC.
             * @default null
             */
            zone?: string | null;
        };
        /**
         * PreviewInstant
         * @description An upcoming instant; `run_at` is null when a calendar or a window leaves it out.
         */
        PreviewInstant: {
            flags: string[];
            /** @description The same instant in local time, with its offset. */
            local: string;
            nominal: string;
            run_at: string | null;
            run_local: string | null;
        };
        /**
         * PreviewView
         * @description The coming instants, and sentences about what may not be meant or was not found.
         */
        PreviewView: {
            instants: components["schemas"]["PreviewInstant"][];
            warnings: string[];
            /** @description The timing in words; none for a recurrence rule. */
            words: string[];
        };
        /**
         * Problem
         * @description What went wrong: a code for programs, a sentence for people, and details where there are any.
         */
        Problem: {
            code: string;
            details: Record<string, never> | null;
            message: string;
        };
        /**
         * PulledView
         * @description A run for a worker.
         */
        PulledView: {
            /** @description From 1. A run that was given back does not count. */
            attempt: number;
            /** @description How many attempts there may be. */
            attempts: number;
            broadcast?: components["schemas"]["BroadcastView"];
            /** @description What an earlier attempt saved, or null. */
            checkpoint: unknown;
            /** @description How long the attempt may take from now on. */
            deadline_ms: number;
            due_at: string;
            /** @description Of a step of a workflow: the results of the steps before it, by their refs; else absent. */
            inputs?: unknown;
            job: number;
            labels: {
                [key: string]: string;
            };
            message: unknown;
            nominal_at: string;
            ordering_key: string | null;
            queue: string;
            /** @description The run's token, for `beat`, `settle` and `logs`. */
            run: string;
            /** @description The schedule whose occurrence the job is. */
            schedule?: number;
            /** @description Report progress at least this often. */
            stall_ms?: number;
            task: string;
            /** @description The run's span, if it is traced. */
            traceparent?: string;
        };
        /**
         * PushBody
         * @description A version that is about to be pushed.
         */
        PushBody: {
            /** @description The SHA-256 of the content. */
            digest: string;
            /**
             * @description What a file that is not unpacked is called.
             * @default artifact
             * @example job.py
             */
            filename?: string;
            /**
             * @description Lower-case letters, digits, dots, hyphens and _.
             * @example nightly
             */
            name: string;
            /** @description How many bytes the content has. */
            size: number;
            /**
             * @description Whether it is a tar archive that executors unpack.
             * @default false
             */
            unpack?: boolean;
        };
        /**
         * PushedView
         * @description A push: the version if its content was there already, else where to upload it.
         */
        PushedView: {
            upload: components["schemas"]["UploadView"] | null;
            version: components["schemas"]["VersionView"] | null;
        };
        /**
         * QueueAnswer
         * @description What a worker gave back: the result of a success, or the trace of a failure.
         */
        QueueAnswer: {
            /** @enum {unknown} */
            kind: "queue";
            /**
             * @description The result of the task.
             * @default null
             */
            result?: unknown;
            /** @description Where the task failed, as the worker tells it. */
            trace?: string;
        };
        /**
         * QueueTarget
         * @description Waits in a queue until a worker of the same user takes it.
         */
        QueueTarget: {
            /** @enum {unknown} */
            kind: "queue";
            /** @description Of a broadcast: set by Duetime. */
            part?: components["schemas"]["BroadcastPart"];
            /** @description 1 to 100 letters, digits and _ . : / -, beginning with a letter or digit. */
            queue: string;
            /** @description Seconds: an attempt without progress has failed. */
            stall_after?: number;
            /**
             * @description What the worker does.
             * @default default
             */
            task?: string;
        };
        /**
         * QueueView
         * @description A queue with due jobs, runs or workers.
         */
        QueueView: {
            /** @description Why no worker takes some of what waits. */
            missing: string | null;
            oldest_due_at: string | null;
            queue: string;
            /** @description Runs that workers hold. */
            running: number;
            /** @description The slots of these workers together. */
            slots: number;
            /** @description Jobs that are due, and that no worker has. */
            waiting: number;
            /** @description Whether counting ended before the last one. */
            waiting_capped: boolean;
            /** @description Living workers that take the queue. */
            workers: number;
        };
        /**
         * Quotas
         * @description How much a user may store, and how often it may call; null means the server's default.
         */
        Quotas: {
            /** @default null */
            calendar_dates?: number | null;
            /** @default null */
            calendars?: number | null;
            /** @default null */
            definitions?: number | null;
            /** @default null */
            payload_bytes?: number | null;
            /** @default null */
            pending_jobs?: number | null;
            /** @default null */
            requests_per_second?: number | null;
            /** @default null */
            schedules?: number | null;
            /** @default null */
            stored_bytes?: number | null;
        };
        /**
         * Ready
         * @description The node can accept and launch jobs, in the databases that answer.
         */
        Ready: {
            /**
             * @description With several databases: each of them, and whether it answers.
             * @default []
             */
            databases?: components["schemas"]["DatabaseView"][];
            ready: boolean;
        };
        /**
         * RebalanceView
         * @description Which shards moved.
         */
        RebalanceView: {
            moved: number;
            moves: components["schemas"]["MoveView"][];
        };
        /**
         * RecordView
         * @description The record of one nominal instant, or of `count` instants from `nominal` to `until`.
         */
        RecordView: {
            attempts: number;
            /** @description How many instants the record stands for; null if they are too many to count. */
            count: number | null;
            due_at: string;
            finished_at: string | null;
            job_id: number;
            launched_at: string | null;
            nominal: string;
            /** @description False for a job that was started by hand, redriven or backfilled. */
            occurrence: boolean;
            reason: string | null;
            status: string;
            /** @description The last instant of the record. */
            until: string | null;
        };
        /**
         * RedriveBody
         * @description Changes to a dead letter before it runs again; without any field, it runs again unchanged.
         */
        RedriveBody: {
            /** @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits. */
            breaker?: boolean;
            /**
             * @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`.
             * @enum {unknown}
             */
            delivery?: "at_least_once" | "at_most_once";
            hours?: components["schemas"]["Hours"] | null;
            limit?: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message?: unknown;
            /** @enum {unknown} */
            on_failure?: "block" | "skip";
            /** @description Of your due jobs, those with a higher priority start first; default 5. */
            priority?: number;
            /** @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so. */
            requires?: {
                [key: string]: string;
            } | null;
            /** @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out. */
            retry?: boolean | components["schemas"]["Retry"];
            /** @description What the job does. Without a target, it writes the message to the run's log. */
            target?: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            /** @description How long one attempt may take, up to a day: seconds or a duration; default 60 s. */
            timeout?: string | number;
        };
        /**
         * RedriveManyBody
         * @description Which dead letters run again, by ids or by a filter, and how fast.
         */
        RedriveManyBody: {
            /**
             * @description Change nothing: only show which ones the call would change.
             * @default false
             */
            dry_run?: boolean;
            /** @default null */
            filter?: components["schemas"]["DeadLettersFilter"] | null;
            /**
             * @description The ids of dead letters, instead of a filter.
             * @default null
             */
            ids?: number[] | null;
            /**
             * @description How many start per second; default: all at once.
             * @default null
             */
            per_second?: number | null;
        };
        /**
         * RegisteredView
         * @description A worker that has registered.
         */
        RegisteredView: {
            /** @description How often to send a beat. */
            beat_ms: number;
            /** @description How long the worker lives without a beat. */
            lease_ms: number;
            /** @description The worker's name in paths. */
            worker: string;
        };
        /**
         * RemovedView
         * @description The digests of the versions that were removed.
         */
        RemovedView: {
            removed: string[];
        };
        /**
         * ResetView
         * @description A host whose breakers are reset.
         */
        ResetView: {
            /** @description How many breakers it had, one for each scheduler and user. */
            breakers: number;
            host: string;
        };
        /**
         * ResultView
         * @description What a job ended with.
         */
        ResultView: {
            /** @description Whether the job has ended. */
            done: boolean;
            error: components["schemas"]["RunError"] | null;
            job: number;
            /** @description What the worker gave back with a success. */
            result: unknown;
            status: components["schemas"]["JobState"];
        };
        /**
         * Retry
         * @description Whether and how long after a failed attempt the next one starts. Durations are in seconds.
         *
         *         An attempt whose executor died is repeated at once, up to five times even where fewer attempts are allowed,
         *         unless `give_up_on` names `crash`. With one attempt, the other fields have no meaning.
         */
        Retry: {
            /**
             * @description After each failure, the wait stays `base`, grows by `base`, or grows `factor`-fold.
             * @default exponential
             * @enum {unknown}
             */
            backoff?: "exponential" | "fixed" | "linear";
            /**
             * @description The wait after the first failure.
             * @default 1
             */
            base?: number;
            /**
             * @description The longest wait.
             * @default 3600
             */
            cap?: number;
            /**
             * @description No attempt starts later than this after the first was due.
             * @default null
             */
            deadline?: number | null;
            /**
             * @description The waits one by one, instead of `backoff`, `base`, `factor` and `jitter`; the last one is repeated.
             * @default null
             */
            delays?: number[] | null;
            /**
             * @description `exponential`: what the wait is multiplied by.
             * @default 2
             */
            factor?: number;
            /**
             * @description Never retry after these, even if `retry_on` names them.
             * @default []
             */
            give_up_on?: string[];
            /**
             * @description How much of the wait is random: none of it, all of it, or half.
             * @default equal
             * @enum {unknown}
             */
            jitter?: "equal" | "full" | "none";
            /**
             * @description The largest number of attempts.
             * @default 5
             */
            max_attempts?: number;
            /**
             * @description Retry only after these failures, such as timeout or http_5xx; empty means all.
             * @default []
             */
            retry_on?: string[];
        };
        /**
         * RuleBody
         * @description A rule: about which jobs, which events, and where to.
         */
        RuleBody: {
            /** @default true */
            active?: boolean;
            /**
             * @description `failed` after this many jobs in a row; retries do not count.
             * @default 1
             */
            after?: number;
            channels: (components["schemas"]["MailChannel"] | components["schemas"]["WebhookChannel"] | components["schemas"]["SlackChannel"] | components["schemas"]["TeamsChannel"] | components["schemas"]["DiscordChannel"] | components["schemas"]["AppriseChannel"])[];
            /**
             * @description What happens within so many seconds after the first event is one message.
             * @default 60
             */
            digest?: number;
            /** @description `failed`: `after` jobs of a schedule or lane ended badly in a row, told once until it works again; `recovered`: it works again; `dead` and `lost`: each such job; `late`: launched more than `late_after` after it was due; `missed`: an instant of a schedule passed before it could be launched; `lane_blocked`: a dead job blocks its lane; `schedule_ended`: a schedule has no further occurrence; `breaker_open`: the circuit breaker of a host opens. With `scope.cluster`: `node_lost`, `database_away`, `shards_unowned`. */
            events: ("breaker_open" | "database_away" | "dead" | "failed" | "lane_blocked" | "late" | "lost" | "missed" | "node_lost" | "recovered" | "schedule_ended" | "shards_unowned")[];
            /**
             * @description Seconds, for `late`.
             * @default 60
             */
            late_after?: number;
            /**
             * @description More messages are held back, and sent as one that says so.
             * @default 20
             */
            max_per_hour?: number;
            name: string;
            /**
             * @description Hours in which nothing is sent; at their end it is one message.
             * @default null
             */
            quiet?: components["schemas"]["Hours"] | null;
            /**
             * @description A reminder after each so many seconds of failing, from 300 to 2592000; null: none.
             * @default null
             */
            remind_every?: number | null;
            /**
             * @default {
             *       "schedule_id": null,
             *       "ordering_key": null,
             *       "labels": null,
             *       "cluster": false
             *     }
             */
            scope?: components["schemas"]["ScopeBody"];
            /**
             * @description Your own subject and text for mails, chat services and Apprise, with `{{subject}}`, `{{events}}`, `{{number}}`, `{{rule}}`, `{{what}}`, `{{page}}` filled in; null: Duetime's words. Webhooks are data, and have none.
             * @default null
             */
            template?: components["schemas"]["Template"] | null;
        };
        /**
         * RulePatch
         * @description Changes to a rule. What it remembers of failures that go on is forgotten.
         */
        RulePatch: {
            active?: boolean;
            /** @description `failed` after this many jobs in a row; retries do not count. */
            after?: number;
            channels?: (components["schemas"]["MailChannel"] | components["schemas"]["WebhookChannel"] | components["schemas"]["SlackChannel"] | components["schemas"]["TeamsChannel"] | components["schemas"]["DiscordChannel"] | components["schemas"]["AppriseChannel"])[];
            /** @description What happens within so many seconds after the first event is one message. */
            digest?: number;
            /** @description `failed`: `after` jobs of a schedule or lane ended badly in a row, told once until it works again; `recovered`: it works again; `dead` and `lost`: each such job; `late`: launched more than `late_after` after it was due; `missed`: an instant of a schedule passed before it could be launched; `lane_blocked`: a dead job blocks its lane; `schedule_ended`: a schedule has no further occurrence; `breaker_open`: the circuit breaker of a host opens. With `scope.cluster`: `node_lost`, `database_away`, `shards_unowned`. */
            events?: ("breaker_open" | "database_away" | "dead" | "failed" | "lane_blocked" | "late" | "lost" | "missed" | "node_lost" | "recovered" | "schedule_ended" | "shards_unowned")[];
            /** @description Seconds, for `late`. */
            late_after?: number;
            /** @description More messages are held back, and sent as one that says so. */
            max_per_hour?: number;
            name?: string;
            /** @description Hours in which nothing is sent; at their end it is one message. */
            quiet?: components["schemas"]["Hours"] | null;
            /** @description A reminder after each so many seconds of failing, from 300 to 2592000; null: none. */
            remind_every?: number | null;
            scope?: components["schemas"]["ScopeBody"];
            /** @description Your own subject and text for mails, chat services and Apprise, with `{{subject}}`, `{{events}}`, `{{number}}`, `{{rule}}`, `{{what}}`, `{{page}}` filled in; null: Duetime's words. Webhooks are data, and have none. */
            template?: components["schemas"]["Template"] | null;
        };
        /**
         * RuleView
         * @description A notification rule. Secrets are hidden, and so are the parts of URLs of chat services that are secrets.
         */
        RuleView: {
            active: boolean;
            after: number;
            channels: (components["schemas"]["MailChannel"] | components["schemas"]["WebhookChannel"] | components["schemas"]["SlackChannel"] | components["schemas"]["TeamsChannel"] | components["schemas"]["DiscordChannel"] | components["schemas"]["AppriseChannel"])[];
            created_at: string;
            digest: number;
            events: string[];
            id: number;
            late_after: number;
            max_per_hour: number;
            name: string;
            quiet: components["schemas"]["Hours"] | null;
            remind_every: number | null;
            scope: components["schemas"]["Scope"];
            template: components["schemas"]["Template"] | null;
            updated_at: string;
        };
        /**
         * RunError
         * @description Why an attempt failed.
         */
        RunError: {
            /**
             * @description The class of failure that retry rules name.
             * @example timeout
             * @example http_503
             */
            kind: string;
            message: string;
        };
        /**
         * RunView
         * @description One attempt of a job.
         */
        RunView: {
            attempt: number;
            due_at: string;
            /** @description From started to finished. */
            duration_ms: number | null;
            error: components["schemas"]["RunError"] | null;
            executor: string | null;
            finished_at: string | null;
            /** @description The run's identity; an HTTP target receives it as `webhook-id`. */
            id: string;
            /** @description From due to launched. */
            lateness_ms: number | null;
            launched_at: string | null;
            log: string | null;
            /** @description What the target answered; the fields depend on its kind. */
            response: (components["schemas"]["HttpAnswer"] | components["schemas"]["KafkaAnswer"] | components["schemas"]["QueueAnswer"] | components["schemas"]["BroadcastAnswer"] | components["schemas"]["ShellAnswer"] | components["schemas"]["MailAnswer"] | components["schemas"]["AppriseAnswer"] | components["schemas"]["WorkflowAnswer"]) | null;
            started_at: string | null;
            state: components["schemas"]["JobState"];
        };
        /**
         * ScheduleBody
         * @description A schedule: a name, a timing (at least one of `cron`, `every`, `at`, `rrule`), and what each occurrence does.
         *
         *         In the message `{{nominal}}`, `{{occurrence}}` and `{{schedule}}` stand for the occurrence's instant,
         *         its number and the schedule's name.
         */
        ScheduleBody: {
            /**
             * @description The instant that `every` counts from.
             * @default null
             */
            anchor?: string | null;
            /**
             * @description A list of instants.
             * @default null
             */
            at?: string[] | null;
            /**
             * @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits.
             * @default null
             */
            breaker?: boolean | null;
            /**
             * @description The name of one of your calendars.
             * @default null
             */
            calendar?: string | null;
            /**
             * @description Five fields, six with seconds first, or a nickname. A list is due whenever one of them is.
             * @default null
             */
            cron?: (string | string[]) | null;
            /**
             * @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`.
             * @default null
             */
            delivery?: ("at_least_once" | "at_most_once") | null;
            /**
             * @description How `cron` is written; default standard. `quartz` has six fields, seven with a year, and 1 for Sunday.
             * @default null
             */
            dialect?: ("quartz" | "standard") | null;
            /**
             * @description What local times do when clocks change, in `cron` (default vixie) and `rrule` (default shift).
             * @default null
             */
            dst_policy?: ("literal" | "shift" | "skip_once" | "vixie") | null;
            /**
             * @description No instant at or after this one.
             * @default null
             */
            end?: string | null;
            /**
             * @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").
             * @default null
             */
            every?: (string | number) | null;
            /**
             * @description How long after its due instant an occurrence may still start.
             * @default null
             */
            expires_after?: (string | number) | null;
            /** @default null */
            hours?: components["schemas"]["Hours"] | null;
            /**
             * @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M").
             * @default null
             */
            jitter?: (string | number) | null;
            /**
             * @description Up to 32 labels: names of up to 63 characters, values of up to 255.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            limit?: components["schemas"]["Limit"] | null;
            /**
             * @description The schedule ends after this many launches.
             * @default null
             */
            max_occurrences?: number | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @default
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message?: unknown;
            /**
             * @description What happens to instants that passed before they could be launched; default fire_once.
             * @default null
             */
            misfire?: (("fire_all" | "fire_once" | "skip") | components["schemas"]["Misfire"]) | null;
            /** @description Unique among your schedules; `H` and the jitter are derived from it. */
            name: string;
            /**
             * @description With `ordering_key` or `overlap: queue`: what a final failure does to later jobs in the lane; default block, or skip in a lane that only this schedule has.
             * @default null
             */
            on_failure?: ("block" | "skip") | null;
            /**
             * @description Jobs with the same key run one at a time, in order of their instants.
             * @default null
             */
            ordering_key?: string | null;
            /**
             * @description What happens while an earlier occurrence has not finished; default skip.
             * @default null
             */
            overlap?: ("allow" | "cancel_running" | "queue" | "skip") | null;
            /**
             * @description Of your due jobs, those with a higher priority start first; default 5.
             * @default null
             */
            priority?: number | null;
            /**
             * @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so.
             * @default null
             */
            requires?: {
                [key: string]: string;
            } | null;
            /**
             * @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out.
             * @default null
             */
            retry?: (boolean | components["schemas"]["Retry"]) | null;
            /**
             * @description A recurrence rule of RFC 5545.
             * @default null
             */
            rrule?: string | null;
            /**
             * @description No instant before this one.
             * @default null
             */
            start?: string | null;
            /**
             * @description What the job does. Without a target, it writes the message to the run's log.
             * @default null
             */
            target?: (components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"]) | null;
            /**
             * @description How long one attempt may take, up to a day: seconds or a duration; default 60 s.
             * @default null
             */
            timeout?: (string | number) | null;
            /**
             * @description Weekly local hours in which attempts may start.
             * @default null
             */
            window?: string | null;
            /**
             * @description With `window`: an instant outside it moves to the next opening, or is skipped; default move.
             * @default null
             */
            window_policy?: ("move" | "skip") | null;
            /**
             * @description The time zone of local times; default UTC.
             * @default null
             */
            zone?: string | null;
        };
        /**
         * ScheduleIds
         * @description The ids of all schedules, in the order in which they were sent.
         */
        ScheduleIds: {
            ids: number[];
        };
        /**
         * SchedulePatch
         * @description Changes to a schedule; at least one field. Null removes a value; as a message it is one.
         */
        SchedulePatch: {
            /** @description The instant that `every` counts from. */
            anchor?: string | null;
            /** @description A list of instants. */
            at?: string[] | null;
            /** @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits. */
            breaker?: boolean | null;
            /** @description The name of one of your calendars. */
            calendar?: string | null;
            /** @description Five fields, six with seconds first, or a nickname. A list is due whenever one of them is. */
            cron?: (string | string[]) | null;
            /** @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`. */
            delivery?: ("at_least_once" | "at_most_once") | null;
            /** @description How `cron` is written; default standard. `quartz` has six fields, seven with a year, and 1 for Sunday. */
            dialect?: ("quartz" | "standard") | null;
            /** @description What local times do when clocks change, in `cron` (default vixie) and `rrule` (default shift). */
            dst_policy?: ("literal" | "shift" | "skip_once" | "vixie") | null;
            /** @description No instant at or after this one. */
            end?: string | null;
            /** @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M"). */
            every?: (string | number) | null;
            /** @description How long after its due instant an occurrence may still start. */
            expires_after?: (string | number) | null;
            hours?: components["schemas"]["Hours"] | null;
            /** @description Seconds, "15m", "1h30m", or ISO 8601 ("PT15M"). */
            jitter?: (string | number) | null;
            /** @description Up to 32 labels: names of up to 63 characters, values of up to 255. */
            labels?: {
                [key: string]: string;
            } | null;
            limit?: components["schemas"]["Limit"] | null;
            /** @description The schedule ends after this many launches. */
            max_occurrences?: number | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message?: unknown;
            /** @description What happens to instants that passed before they could be launched; default fire_once. */
            misfire?: (("fire_all" | "fire_once" | "skip") | components["schemas"]["Misfire"]) | null;
            /** @description Unique among your schedules; `H` and the jitter are derived from it. */
            name?: string;
            /** @description With `ordering_key` or `overlap: queue`: what a final failure does to later jobs in the lane; default block, or skip in a lane that only this schedule has. */
            on_failure?: ("block" | "skip") | null;
            /** @description Jobs with the same key run one at a time, in order of their instants. */
            ordering_key?: string | null;
            /** @description What happens while an earlier occurrence has not finished; default skip. */
            overlap?: ("allow" | "cancel_running" | "queue" | "skip") | null;
            /** @description Of your due jobs, those with a higher priority start first; default 5. */
            priority?: number | null;
            /** @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so. */
            requires?: {
                [key: string]: string;
            } | null;
            /** @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out. */
            retry?: (boolean | components["schemas"]["Retry"]) | null;
            /** @description A recurrence rule of RFC 5545. */
            rrule?: string | null;
            /** @description No instant before this one. */
            start?: string | null;
            /** @description What the job does. Without a target, it writes the message to the run's log. */
            target?: (components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"]) | null;
            /** @description How long one attempt may take, up to a day: seconds or a duration; default 60 s. */
            timeout?: (string | number) | null;
            /** @description Weekly local hours in which attempts may start. */
            window?: string | null;
            /** @description With `window`: an instant outside it moves to the next opening, or is skipped; default move. */
            window_policy?: ("move" | "skip") | null;
            /** @description The time zone of local times; default UTC. */
            zone?: string | null;
        };
        /**
         * ScheduleView
         * @description A schedule. Credentials in its target are shown as `(hidden)`.
         */
        ScheduleView: {
            anchor: string | null;
            at: string[] | null;
            breaker: boolean;
            calendar: string | null;
            created_at: string;
            cron: string | string[] | null;
            /** @enum {unknown} */
            delivery: "at_least_once" | "at_most_once";
            /** @description How `cron` is written. */
            dialect: string | null;
            dst_policy: string | null;
            end: string | null;
            every: string | number | null;
            expires_after: number | null;
            hours: components["schemas"]["Hours"] | null;
            id: number;
            jitter: string | number | null;
            labels: {
                [key: string]: string;
            };
            limit: components["schemas"]["Limit"] | null;
            max_occurrences: number | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            misfire: components["schemas"]["MisfireView"];
            name: string;
            next: components["schemas"]["NextView"] | null;
            /** @description How many occurrences were launched. */
            occurrences: number;
            /** @enum {unknown} */
            on_failure: "block" | "skip";
            ordering_key: string | null;
            /** @enum {unknown} */
            overlap: "allow" | "cancel_running" | "queue" | "skip";
            priority: number;
            requires: {
                [key: string]: string;
            };
            retry: components["schemas"]["Retry"];
            rrule: string | null;
            start: string | null;
            /** @enum {unknown} */
            state: "active" | "ended" | "paused";
            target: components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"];
            timeout: number;
            updated_at: string;
            /** @description Rises with each change. */
            version: number;
            window: string | null;
            /** @description What happens to instants outside the window. */
            window_policy: string | null;
            zone: string;
        };
        /**
         * Scope
         * @description Which jobs a rule is about: of one schedule, in one lane, with some labels. Without a field, all of a user's.
         *
         *         A rule of an admin can be about the cluster instead.
         */
        Scope: {
            /** @default false */
            cluster?: boolean;
            /** @default null */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            ordering_key?: string | null;
            /** @default null */
            schedule_id?: number | null;
        };
        /**
         * ScopeBody
         * @description Which jobs a rule is about. Without a field: all of yours. `cluster`, for admins: the cluster instead of jobs.
         */
        ScopeBody: {
            /** @default false */
            cluster?: boolean;
            /**
             * @description Up to 32 labels: names of up to 63 characters, values of up to 255.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            ordering_key?: string | null;
            /** @default null */
            schedule_id?: number | null;
        };
        /**
         * SeriesView
         * @description The same step by step, oldest first; the last step is the present one.
         */
        SeriesView: {
            dead: number[];
            failed: number[];
            launched: number[];
            lost: number[];
            missed: number[];
            p50_ms: (number | null)[];
            p99_ms: (number | null)[];
            skipped: number[];
            start: string;
            /** @description Seconds: 60 for windows up to 3 hours, else 3600. */
            step: number;
            succeeded: number[];
            worst_ms: (number | null)[];
        };
        /**
         * SessionView
         * @description A browser that is logged in.
         */
        SessionView: {
            address: string;
            /** @description The browser, as it names itself. */
            client: string;
            created_at: string;
            /** @description Whether this call was made with it. */
            current: boolean;
            /** @description When it ends if it is not used again. */
            expires_at: string;
            id: number;
            /** @description When it was last used, to a minute. */
            seen_at: string;
        };
        /**
         * SettleBody
         * @description Runs that ended.
         */
        SettleBody: {
            outcomes: components["schemas"]["OutcomeBody"][];
        };
        /**
         * SettledListView
         * @description The answer to a settle, in the order of the outcomes.
         */
        SettledListView: {
            results: components["schemas"]["SettledView"][];
        };
        /**
         * SettledView
         * @description Whether an outcome is on record.
         */
        SettledView: {
            reason?: string;
            run: string;
            /** @enum {unknown} */
            status: "recorded" | "stale";
        };
        /**
         * SharesView
         * @description What users got within a window.
         */
        SharesView: {
            /** @description By all users together. */
            launched: number;
            now: string;
            start: string;
            step: number;
            /** @description The 50 with the most launches, the largest first. */
            users: components["schemas"]["ShareView"][];
            /** @enum {unknown} */
            window: "15m" | "1h" | "24h" | "3h" | "7d";
        };
        /**
         * ShareView
         * @description What one user got.
         */
        ShareView: {
            job_weight: number;
            launched: number;
            /** @description Its launches, as a part of the launches of all shown. */
            launched_part: number;
            launched_series: number[];
            user_id: number;
            username: string;
            /** @description Its weight, as a part of the weights of all shown. */
            weight_part: number;
        };
        /**
         * ShellAnswer
         * @description How a program ended, and the end of what it printed.
         */
        ShellAnswer: {
            /**
             * @description The version that it ran with.
             * @default null
             */
            artifact?: string | null;
            /** @default 0 */
            cpu_seconds?: number;
            /** @default null */
            exit_code?: number | null;
            /** @enum {unknown} */
            kind: "shell";
            /**
             * @description The most memory that it had at once.
             * @default 0
             */
            memory_bytes?: number;
            /**
             * @description All that it printed.
             * @default 0
             */
            output_bytes?: number;
            /**
             * @description The signal that ended it.
             * @default null
             */
            signal?: string | null;
            /** @default  */
            stderr?: string;
            /** @default  */
            stdout?: string;
        };
        /**
         * ShellTarget
         * @description A program with its arguments. No shell reads them; `script` is for those who want one.
         */
        ShellTarget: {
            /**
             * @description An artifact to run. Its programs begin with `./`; `DUETIME_ARTIFACT` says where it is.
             * @example nightly@latest
             */
            artifact?: string;
            /**
             * @example [
             *       "backup",
             *       "--all"
             *     ]
             */
            command?: string[];
            /** @description By default a new, empty directory. */
            cwd?: string;
            /** @description Variables of the program's environment. */
            env?: {
                [key: string]: string;
            };
            /**
             * @description A failure with one of them is not tried again.
             * @default []
             */
            fail_codes?: number[];
            /**
             * @description What reads `script`: it gets the script's file as an argument.
             * @default [
             *       "/bin/sh"
             *     ]
             */
            interpreter?: string[];
            /** @enum {unknown} */
            kind: "shell";
            /** @description If given, a failure with another code is not tried again. */
            retry_codes?: number[];
            /** @description Instead of `command`. */
            script?: string;
            /** @description Variables whose values are never shown. */
            secret_env?: {
                [key: string]: string;
            };
            /**
             * @description Exit codes of a success.
             * @default [
             *       0
             *     ]
             */
            success_codes?: number[];
        };
        /**
         * SignalBody
         * @description A signal for a workflow.
         */
        SignalBody: {
            /**
             * @description A repeat with the same name and key does nothing. Without a key, the signal is sent once.
             * @default signal
             */
            key?: string;
            name: string;
            /**
             * @description Any JSON value of up to 64 KiB, without NUL. Steps that wait for the signal get it as `inputs["@NAME"]`.
             * @default null
             */
            payload?: unknown;
        };
        /**
         * SignalView
         * @description A signal that was sent.
         */
        SignalView: {
            name: string;
            /** @description The jobs of the steps that start now. */
            released: number[];
            /** @description False when the key was used before: then nothing happened. */
            sent: boolean;
        };
        /**
         * SlackChannel
         * @description An incoming webhook of Slack, or of a service that takes the same body.
         */
        SlackChannel: {
            /** @enum {unknown} */
            kind: "slack";
            url: string;
        };
        /**
         * Spread
         * @description On all shards, round robin.
         */
        Spread: {
            /** @enum {unknown} */
            kind: "spread";
        };
        /**
         * StatsView
         * @description How many jobs and blocked lanes a user has.
         */
        StatsView: {
            /** @description How many lanes wait for a person, because their first job failed for good. */
            blocked_lanes: number;
            /** @description How many jobs are in each state. */
            jobs: {
                [key: string]: number;
            };
        };
        /**
         * StepBody
         * @description A step: a job with a name, and with the steps that it waits for.
         *
         *         Its `delay` counts from when it is released, and `execute_at` is the earliest instant. It has no `ordering_key`,
         *         `limit` and `hours`.
         */
        StepBody: {
            /**
             * @description Whether the job waits, instead of using up attempts, while its HTTP host's circuit breaker is open; default true. A job with a `limit` never waits.
             * @default null
             */
            breaker?: boolean | null;
            /**
             * @description Time from now, instead of an instant: seconds, "30m", "1h30m", or ISO 8601 ("PT30M").
             * @default null
             */
            delay?: (string | number) | null;
            /**
             * @description `at_most_once` allows a single attempt and no `retry`; default `at_least_once`.
             * @default null
             */
            delivery?: ("at_least_once" | "at_most_once") | null;
            /**
             * @description The steps that it waits for; a plain name means their success.
             * @default []
             * @example [
             *       "extract"
             *     ]
             */
            depends_on?: (string | components["schemas"]["DependencyBody"])[];
            /**
             * @description RFC 3339 with any offset, up to the year 2200. A job for a past instant is due at once.
             * @default null
             */
            execute_at?: string | null;
            /**
             * @description A job that has not started by this instant is skipped.
             * @default null
             */
            expires_at?: string | null;
            /** @default null */
            hours?: components["schemas"]["Hours"] | null;
            /**
             * @description Whether it waits for all of them, or for the first that ends as asked.
             * @default all
             * @enum {unknown}
             */
            join?: "all" | "any";
            /**
             * @description Up to 32 labels: names of up to 63 characters, values of up to 255.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /** @default null */
            limit?: components["schemas"]["Limit"] | null;
            /**
             * @description The payload: text or any other JSON value, without NUL, of up to 256 KiB in UTF-8 (the server may set another limit). Text is sent as it is, any other value as JSON with the content type `application/json`.
             * @example good morning
             * @example {
             *       "order": 4711
             *     }
             */
            message: unknown;
            /**
             * @description What a final failure does to later jobs with the same ordering key; default block.
             * @default null
             */
            on_failure?: ("block" | "skip") | null;
            /**
             * @description Jobs with the same key run one at a time, in order of their instants.
             * @default null
             */
            ordering_key?: string | null;
            /**
             * @description Whether an HTTP target and a program get the results of those steps with the message, as `{"message": …, "inputs": {REF: RESULT}}`. Workers get them in any case.
             * @default true
             */
            pass_inputs?: boolean;
            /**
             * @description Of your due jobs, those with a higher priority start first; default 5.
             * @default null
             */
            priority?: number | null;
            /**
             * @description The step's name within its workflow: letters, digits, `_`, `-` and `.`.
             * @example extract
             */
            ref: string;
            /**
             * @description Labels that an executor must have to run the job, such as zone: eu. While no living executor has them all, the job waits, and `waiting_for` says so.
             * @default null
             */
            requires?: {
                [key: string]: string;
            } | null;
            /**
             * @description When a failed attempt is retried. `false`: never; `true`: the default rules, as if left out.
             * @default null
             */
            retry?: (boolean | components["schemas"]["Retry"]) | null;
            /**
             * @description What the job does. Without a target, it writes the message to the run's log.
             * @default null
             */
            target?: (components["schemas"]["LogTarget"] | components["schemas"]["HttpTarget"] | components["schemas"]["KafkaTarget"] | components["schemas"]["QueueTarget"] | components["schemas"]["BroadcastTarget"] | components["schemas"]["ShellTarget"] | components["schemas"]["MailTarget"] | components["schemas"]["AppriseTarget"] | components["schemas"]["WorkflowTarget"]) | null;
            /**
             * @description How long one attempt may take, up to a day: seconds or a duration; default 60 s.
             * @default null
             */
            timeout?: (string | number) | null;
            /**
             * @description The trace that the job comes from, as in W3C Trace Context. It is kept if it is sampled: each run is then a trace of its own, linked to this one. It comes before the header of the same name.
             * @default null
             */
            traceparent?: string | null;
            /** @default null */
            wait_for?: components["schemas"]["WaitForBody"] | null;
        };
        /**
         * StepView
         * @description A step of a workflow.
         */
        StepView: {
            attempts: number;
            depends_on: components["schemas"]["DependencyBody"][];
            /** @description When it is or was due; null while it waits. */
            due_at: string | null;
            finished_at: string | null;
            job_id: number;
            /** @enum {unknown} */
            join: "all" | "any";
            /** @description Why it ended as it did; `upstream: …` if earlier steps decided. */
            reason: string | null;
            ref: string;
            started_at: string | null;
            /** @description `suspended` while it waits for other steps. */
            status: components["schemas"]["JobState"];
            wait_for: components["schemas"]["WaitForBody"] | null;
        };
        /**
         * StoredView
         * @description A content that was uploaded.
         */
        StoredView: {
            bytes: number;
        };
        /**
         * TakeBody
         * @description A worker that asks for runs.
         */
        TakeBody: {
            /** @description The free slots of the worker. */
            max: number;
            /** @description New for each take. The same one again gives the same runs. */
            take_id: string;
            /**
             * @description How long to wait at most, in milliseconds; default 0.
             * @default 0
             */
            wait_ms?: number;
        };
        /**
         * TakenView
         * @description The answer to a take.
         */
        TakenView: {
            /** @description Whether the worker is to finish its runs and leave. */
            drain: boolean;
            runs: components["schemas"]["PulledView"][];
        };
        /**
         * TeamsChannel
         * @description A workflow of Microsoft Teams that takes an adaptive card.
         */
        TeamsChannel: {
            /** @enum {unknown} */
            kind: "teams";
            url: string;
        };
        /**
         * Template
         * @description A user's own words for messages to people. `duetime.engine.notifying.template` has the names to fill in.
         */
        Template: {
            /** @default null */
            subject?: string | null;
            /** @default null */
            text?: string | null;
        };
        /**
         * TokenView
         * @description A token and the instant at which it expires.
         */
        TokenView: {
            expire: string;
            /** @description Send it as `Authorization: Bearer TOKEN`. */
            token: string;
        };
        /**
         * UploadView
         * @description Where to send the content.
         */
        UploadView: {
            expires_at: string;
            /** @description To be sent with it. */
            headers: {
                [key: string]: string;
            };
            key: string;
            method: string;
            /** @description A path of this server, or an address of the object store. */
            url: string;
        };
        /**
         * Usage
         * @description What a user has of the things that have quotas.
         */
        Usage: {
            /** @default 0 */
            calendar_dates?: number;
            /** @default 0 */
            calendars?: number;
            /** @default 0 */
            definitions?: number;
            /** @default 0 */
            pending_jobs?: number;
            /** @default 0 */
            schedules?: number;
            /** @default null */
            stored_bytes?: number | null;
        };
        /**
         * UserBody
         * @description A new user. Only admins may set a role; on a server that is not local, only admins may set a weight.
         */
        UserBody: {
            /**
             * @description The user's share under backlog; default 1.
             * @default null
             */
            job_weight?: number | null;
            /** @description 8 to 1024 characters. */
            password: string;
            /** @default null */
            role?: ("admin" | "user") | null;
            /** @description 1 to 64 letters, digits, dots, hyphens, underscores and at signs; case is ignored. */
            username: string;
        };
        /**
         * UserBreakerView
         * @description A host whose circuit breaker is open for a user.
         */
        UserBreakerView: {
            /** @description How many attempts in a row had failed when the breaker opened. */
            failures: number;
            host: string;
            /** @description From then on, the next job tries the host; null while one tries. */
            next_probe_at: string | null;
            opened_at: string;
            user_id: number;
        };
        /**
         * UserPatch
         * @description What to change about a user; at least one field. Null removes limits or quotas.
         */
        UserPatch: {
            /** @description Which shards get jobs without an ordering key, or which labels executors must have. */
            distribution?: components["schemas"]["Spread"] | components["schemas"]["Pin"] | components["schemas"]["ByLabels"];
            /** @description The user's share under backlog; default 1. */
            job_weight?: number;
            limits?: components["schemas"]["Limit"] | null;
            quotas?: components["schemas"]["Quotas"] | null;
        };
        /**
         * UserView
         * @description A user.
         */
        UserView: {
            id: number;
            /** @description The user's share under backlog. */
            job_weight: number;
            username: string;
        };
        /**
         * VersionView
         * @description A version of an artifact.
         */
        VersionView: {
            digest: string;
            filename: string;
            name: string;
            pushed_at: string;
            /** @description As jobs name it. */
            reference: string;
            size: number;
            unpack: boolean;
        };
        /**
         * WaitForBody
         * @description A signal that the step waits for, once the steps before it have ended as asked.
         */
        WaitForBody: {
            /**
             * @description Then the step is dead (`fail`), or runs without the signal (`run`).
             * @default fail
             * @enum {unknown}
             */
            on_timeout?: "fail" | "run";
            /** @description The name of the signal, spelled like a ref. */
            signal: string;
            /**
             * @description How long it waits at most; without it, for ever.
             * @default null
             */
            timeout?: (string | number) | null;
        };
        /**
         * Waiting
         * @description One thing that holds a job back.
         */
        Waiting: {
            /**
             * @description The host whose breaker is open.
             * @default null
             */
            host?: string | null;
            /**
             * @description The job of the same lane that comes first.
             * @default null
             */
            job_id?: number | null;
            /**
             * @description The state of that job.
             * @default null
             */
            job_status?: components["schemas"]["JobState"] | null;
            /**
             * @description `instant`: it is not due yet; `retry`: the next attempt is not; `hours`: these are closed; `lane`: another job of its lane comes first; `upstream`: other steps of its workflow have not ended; `signal`: one has not been sent; `breaker`: its host is down; `definition_limit`, `user_limit`: a limit is reached; `labels`: no living executor has the labels; `executor`: none is alive; `slots`: all are busy; `worker`: no worker has pulled it; `owner`: no living scheduler owns its shard; `not_known`: it should run, and its scheduler has not reported why it does not.
             * @enum {unknown}
             */
            kind: "breaker" | "definition_limit" | "executor" | "hours" | "instant" | "labels" | "lane" | "not_known" | "owner" | "retry" | "signal" | "slots" | "upstream" | "user_limit" | "worker";
            /**
             * @description The labels that no living executor has all of.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /** @description The same as a sentence. */
            message: string;
            /**
             * @description Since when, where that is known.
             * @default null
             */
            since?: string | null;
            /**
             * @description When it ends by itself; of a breaker, the next probe.
             * @default null
             */
            until?: string | null;
            /**
             * @description The workflow whose steps it waits for.
             * @default null
             */
            workflow_id?: number | null;
        };
        /**
         * WaitingJobsFilter
         * @description Selects jobs that have not ended; without any field, all of them.
         */
        WaitingJobsFilter: {
            /**
             * @description Only jobs with `execute_at` at or after this.
             * @default null
             */
            from?: string | null;
            /**
             * @description Only jobs that call this host, as breakers spell it.
             * @default null
             */
            host?: string | null;
            /**
             * @description Only jobs that have all of these labels.
             * @default null
             */
            labels?: {
                [key: string]: string;
            } | null;
            /**
             * @description Only jobs with this key.
             * @default null
             */
            ordering_key?: string | null;
            /**
             * @description Only jobs whose message contains this.
             * @default null
             */
            q?: string | null;
            /**
             * @description Only jobs that wait for another attempt.
             * @default false
             */
            retrying?: boolean;
            /**
             * @description Only jobs of this schedule.
             * @default null
             */
            schedule_id?: number | null;
            /**
             * @description Only jobs in this state.
             * @default null
             */
            status?: ("created" | "queued" | "running") | null;
            /**
             * @description Only jobs in one of these states.
             * @default null
             */
            statuses?: ("created" | "queued" | "running")[] | null;
            /**
             * @description Only jobs with this kind of target.
             * @default null
             */
            target?: string | null;
            /**
             * @description Only jobs with `execute_at` before this.
             * @default null
             */
            to?: string | null;
        };
        /**
         * WaitingView
         * @description Jobs that are due and not launched.
         */
        WaitingView: {
            /** @description Held back: a breaker, a limit, unmet labels, no worker; null for all users. */
            held: number | null;
            held_capped: boolean;
            oldest_due_at: string | null;
            oldest_held_at: string | null;
            /** @description Free to go for more than a second; null for all users. */
            overdue: number | null;
            /** @description Whether counting ended at 10,000. */
            overdue_capped: boolean;
        };
        /**
         * WebhookChannel
         * @description A POST of JSON. With a secret it is signed as Standard Webhooks says.
         */
        WebhookChannel: {
            /** @enum {unknown} */
            kind: "webhook";
            /** @default null */
            secret?: string | null;
            url: string;
        };
        /**
         * WorkerBody
         * @description A worker that registers.
         */
        WorkerBody: {
            /**
             * @description Up to 32 labels: names of up to 63 characters, values of up to 255.
             * @default {}
             */
            labels?: {
                [key: string]: string;
            };
            /** @default worker */
            name?: string;
            queues: string[];
            /** @default  */
            sdk?: string;
            /** @description How many runs the worker has at a time. */
            slots: number;
            /**
             * @description What it can do; empty means every task.
             * @default []
             */
            tasks?: string[];
        };
        /**
         * WorkerDetailView
         * @description A living worker with the runs that it holds, longest held first: at most 1,000.
         */
        WorkerDetailView: {
            drain: boolean;
            labels: {
                [key: string]: string;
            };
            lease_left_ms: number;
            name: string;
            queues: string[];
            registered_at: string;
            /** @description How many runs it holds. */
            running: number;
            runs: components["schemas"]["WorkerRunView"][];
            sdk: string;
            slots: number;
            tasks: string[];
            worker: string;
        };
        /**
         * WorkerRunView
         * @description A run that a worker holds.
         */
        WorkerRunView: {
            /** @description As in the job's list of runs. */
            attempt: number;
            cancel_requested: boolean;
            /** @description Whether this attempt or an earlier one saved a checkpoint. */
            checkpoint: boolean;
            job: number;
            /** @description The name that the worker gave itself. */
            name: string;
            /** @description What the attempt last reported, or null. */
            progress: unknown;
            queue: string;
            reported_at: string | null;
            since: string;
            task: string;
            /** @description The worker's name in paths. */
            worker: string;
        };
        /**
         * WorkerView
         * @description A living worker.
         */
        WorkerView: {
            drain: boolean;
            labels: {
                [key: string]: string;
            };
            lease_left_ms: number;
            name: string;
            queues: string[];
            registered_at: string;
            /** @description How many runs it holds. */
            running: number;
            sdk: string;
            slots: number;
            tasks: string[];
            worker: string;
        };
        /**
         * WorkflowAnswer
         * @description The workflow that was created.
         */
        WorkflowAnswer: {
            /** @enum {unknown} */
            kind: "workflow";
            workflow_id: number;
        };
        /**
         * WorkflowBody
         * @description Jobs that wait for each other. All are stored, or none.
         */
        WorkflowBody: {
            /**
             * @description How long after its creation the workflow may run: seconds or a duration.
             * @default null
             */
            deadline?: (string | number) | null;
            /** @description A name of your choice. */
            name: string;
            /**
             * @description What becomes of the workflow then. Its open steps are cancelled in either case; it ends as `cancelled` (`cancel`) or `failed` (`fail`).
             * @default cancel
             * @enum {unknown}
             */
            on_deadline?: "cancel" | "fail";
            /** @description 1 to 10,000 steps. */
            steps: components["schemas"]["StepBody"][];
        };
        /**
         * WorkflowState
         * @description The states of a workflow. It is running until its last step has ended.
         * @enum {unknown}
         */
        WorkflowState: "cancelled" | "failed" | "running" | "succeeded";
        /**
         * WorkflowTarget
         * @description Creates the workflow that the job's message is, as `POST /api/v1/me/workflows` takes it. A schedule with this
         *         target starts a workflow at each of its instants.
         */
        WorkflowTarget: {
            /** @enum {unknown} */
            kind: "workflow";
        };
        /**
         * WorkflowView
         * @description A workflow.
         */
        WorkflowView: {
            /** @description Steps that were cancelled. */
            cancelled: number;
            created_at: string;
            deadline_at: string | null;
            /** @description Steps that are dead, lost or expired. */
            failed: number;
            finished_at: string | null;
            id: number;
            name: string;
            /** @enum {unknown} */
            on_deadline: "cancel" | "fail";
            /** @description Steps that have not ended. */
            open: number;
            /** @description `running` until the last step has ended; then `failed` if a step failed, else `cancelled` if one was cancelled, else `succeeded`. */
            status: components["schemas"]["WorkflowState"];
            step_count: number;
        };
    };
    responses: {
        /** @description The request could not be read. */
        Error400: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description A valid token is needed: log in and send it as 'Authorization: Bearer TOKEN'. */
        Error401: {
            headers: {
                /** @description How to authenticate. */
                "WWW-Authenticate"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description Your role does not allow this. */
        Error403: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description It does not exist, or it belongs to another user. */
        Error404: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description This path does not accept this method. */
        Error405: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The current state does not allow this. */
        Error409: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request is larger than allowed. */
        Error413: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The request was read, but one of its values is not valid. */
        Error422: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description Too many requests: try again later. */
        Error429: {
            headers: {
                /** @description Seconds to wait before trying again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description An internal error occurred in Duetime. */
        Error500: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description The database cannot be reached: try again, with the same Idempotency-Key so that nothing is stored twice. Or: This node is stopping: nothing was accepted, try again. Or: This node cannot accept and launch jobs at present. Or: The server has too much to do at present: try again in a second. */
        Error503: {
            headers: {
                /** @description Seconds to wait before trying again. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    upload_artifact: {
        parameters: {
            query: {
                /** @description The SHA-256 of the content. */
                digest: string;
                /** @description Seconds since 1970. */
                expires: number;
                signature: string;
                /** @description How many bytes the content has. */
                size: number;
            };
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StoredView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_all: {
        parameters: {
            query?: {
                /** @description How the action begins, such as `schedule.`. */
                action?: string;
                actor?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                from?: string;
                /** @description How many to show at most. */
                limit?: number;
                subject?: string;
                to?: string;
                /** @description Made by this user, or about its things. */
                user?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_chain: {
        parameters: {
            query?: {
                /** @description The number of the link before. */
                after?: number;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChainView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "password": "correct horse"
                 *     }
                 */
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LoginView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TokenView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    begin_session: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1. Needed by every call with a session's cookie that changes something, and by this one: a page of another site cannot send it. */
                "X-Duetime-Request"?: "1";
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "password": "correct horse"
                 *     }
                 */
                "application/json": components["schemas"]["LoginBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The session's cookie: HttpOnly, SameSite=Strict, and Secure over HTTPS. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BegunView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    end_session: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    /** @description Removes the session's cookie. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["EndedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_cluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ClusterView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_all_breakers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["UserBreakerView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reset_breaker_for_all: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ResetView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_hours_of_all: {
        parameters: {
            query?: {
                /** @description The first hour; default: a week before `to`. */
                from?: string;
                /** @description The end; default: a week after `from` or now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.activity.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    drain_node: {
        parameters: {
            query?: {
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NodeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    undrain_node: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NodeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_overview_of_all: {
        parameters: {
            query?: {
                /** @description How far back to look; default 1h. */
                window?: "15m" | "1h" | "24h" | "3h" | "7d";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OverviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_planned_of_all: {
        parameters: {
            query?: {
                /** @description How far ahead to look; default 60. */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlannedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    rebalance: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RebalanceView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_shares: {
        parameters: {
            query?: {
                /** @description How far back to look; default 1h. */
                window?: "15m" | "1h" | "24h" | "3h" | "7d";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SharesView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    me: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ArtifactView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    push_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly",
                 *       "digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
                 *       "size": 4096,
                 *       "filename": "job.py"
                 *     }
                 */
                "application/json": components["schemas"]["PushBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PushedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VersionView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    remove_artifact: {
        parameters: {
            query?: {
                /** @description Even if jobs or schedules name them. */
                force?: boolean;
            };
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RemovedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    complete_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "upload": "1/00-aa",
                 *       "name": "nightly",
                 *       "digest": "sha256:0000000000000000000000000000000000000000000000000000000000000000",
                 *       "size": 4096
                 *     }
                 */
                "application/json": components["schemas"]["CompleteBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["VersionView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_own: {
        parameters: {
            query?: {
                /** @description How the action begins, such as `schedule.`. */
                action?: string;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                from?: string;
                /** @description How many to show at most. */
                limit?: number;
                subject?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AuditView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_breakers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BreakerView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    reset_breaker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ResetView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_hours: {
        parameters: {
            query?: {
                /** @description The first hour; default: a week before `to`. */
                from?: string;
                /** @description The end; default: a week after `from` or now. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.activity.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_calendars: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.calendars.views.CalendarView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "holidays",
                 *       "dates": [
                 *         "2026-12-25",
                 *         "2026-12-26"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CalendarBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the calendar. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.calendars.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.calendars.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.calendars.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    edit_calendar: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "dates": [
                 *         "2026-12-24",
                 *         "2026-12-25",
                 *         "2026-12-26"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CalendarPatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["duetime.api.calendars.views.CalendarView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_dead_letters: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only those with this definition: the same target and policy. */
                definition_id?: number;
                /** @description Only those whose reason contains this text (case is ignored), or whose last failure is of this class, such as `timeout` or `http_503`. */
                error?: string;
                /** @description Only those that ended at or after this instant. */
                from?: string;
                /** @description Only those whose last failure is of exactly this class. */
                kind?: string;
                /** @description How many to show at most. */
                limit?: number;
                /** @description Only those with this ordering key. */
                ordering_key?: string;
                /** @description Only those that ended before this instant. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_dead_letter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeadLetterView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    redrive_dead_letter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "target": {
                 *         "kind": "http",
                 *         "url": "https://example.com/hook"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RedriveBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    count_dead_letters: {
        parameters: {
            query?: {
                /** @description Only those with this definition: the same target and policy. */
                definition_id?: number;
                /** @description Only those whose reason contains this text (case is ignored), or whose last failure is of this class, such as `timeout` or `http_503`. */
                error?: string;
                /** @description Only those that ended at or after this instant. */
                from?: string;
                /** @description Only those whose last failure is of exactly this class. */
                kind?: string;
                /** @description Only those with this ordering key. */
                ordering_key?: string;
                /** @description Only those that ended before this instant. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DeadCountView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    discard_dead_letters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ids": [
                 *         1025,
                 *         2049
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DiscardBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChosenView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    group_dead_letters: {
        parameters: {
            query?: {
                /** @description Only those with this definition: the same target and policy. */
                definition_id?: number;
                /** @description Only those whose reason contains this text (case is ignored), or whose last failure is of this class, such as `timeout` or `http_503`. */
                error?: string;
                /** @description Only those that ended at or after this instant. */
                from?: string;
                /** @description Only those whose last failure is of exactly this class. */
                kind?: string;
                /** @description Only those with this ordering key. */
                ordering_key?: string;
                /** @description Only those that ended before this instant. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["GroupsView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    redrive_dead_letters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "error": "503"
                 *       },
                 *       "per_second": 10,
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["RedriveManyBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ChosenView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_jobs: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only jobs with `execute_at` at or after this. */
                from?: string;
                /** @description Only jobs that call this host, as breakers spell it. */
                host?: string;
                /** @description Only jobs with this label, as NAME=VALUE. Repeat it for several labels. */
                label?: string[];
                /** @description How many to show at most. */
                limit?: number;
                /** @description Only jobs with this key. */
                ordering_key?: string;
                /** @description Only jobs whose message contains this. */
                q?: string;
                /** @description Only jobs that wait for another attempt. */
                retrying?: boolean;
                /** @description Only jobs of this schedule. */
                schedule_id?: number;
                /** @description Only jobs in this state. Repeat it for several states. */
                status?: components["schemas"]["JobState"][];
                /** @description Only jobs with this kind of target. */
                target?: string;
                /** @description Only jobs with `execute_at` before this. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. The same key with the same body returns the same job, with status 200; with another body it is a conflict. */
                "Idempotency-Key"?: string;
                /** @description The caller's span, as in W3C Trace Context. Where the server exports traces, the jobs of a sampled request are traced. A wrong header is ignored. */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "message": "good morning",
                 *       "execute_at": "2030-01-31T09:00:00+01:00",
                 *       "target": {
                 *         "kind": "http",
                 *         "url": "https://example.com/hook"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["JobBody"];
            };
        };
        responses: {
            /** @description A repeat with the same key and body: `created` is false, and this is the job that the first call created, whatever its status is now. A cancelled one stays cancelled: a new job needs a new key. */
            200: {
                headers: {
                    /** @description The path of the job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobDetailView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    edit_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "delay": "10m",
                 *       "message": "good evening"
                 *     }
                 */
                "application/json": components["schemas"]["JobPatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_result: {
        parameters: {
            query?: {
                /** @description How long to wait at most, in milliseconds; default 0. */
                wait_ms?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ResultView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    run_job_now: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_runs: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RunView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_log: {
        parameters: {
            query?: {
                /** @description How many lines to leave out at the beginning. */
                skip?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LinesView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_jobs: {
        parameters: {
            query?: never;
            header?: {
                /** @description The caller's span, as in W3C Trace Context. Where the server exports traces, the jobs of a sampled request are traced. A wrong header is ignored. */
                traceparent?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A JSON array. Or, with the content type `application/x-ndjson`, one JSON object per line, each like an element of the array. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "message": "one",
                 *         "delay": "30s"
                 *       },
                 *       {
                 *         "message": "two"
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["JobBody"][];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BulkView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_job_by_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobDetailView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    edit_job_by_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "delay": "10m"
                 *     }
                 */
                "application/json": components["schemas"]["JobPatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_job_by_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "labels": {
                 *           "order": "4711"
                 *         }
                 *       },
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["CancelManyBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CancelledView"];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    count_matching_jobs: {
        parameters: {
            query?: {
                /** @description Only jobs with `execute_at` at or after this. */
                from?: string;
                /** @description Only jobs that call this host, as breakers spell it. */
                host?: string;
                /** @description Only jobs with this label, as NAME=VALUE. Repeat it for several labels. */
                label?: string[];
                /** @description Only jobs with this key. */
                ordering_key?: string;
                /** @description Only jobs whose message contains this. */
                q?: string;
                /** @description Only jobs that wait for another attempt. */
                retrying?: boolean;
                /** @description Only jobs of this schedule. */
                schedule_id?: number;
                /** @description Only jobs in this state. Repeat it for several states. */
                status?: components["schemas"]["JobState"][];
                /** @description Only jobs with this kind of target. */
                target?: string;
                /** @description Only jobs with `execute_at` before this. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CountView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    count_jobs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: {
                            [key: string]: number;
                        };
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_lanes: {
        parameters: {
            query?: {
                /** @description Only lanes that wait for a person. */
                blocked?: boolean;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LaneView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_lane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LaneView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    clear_lane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LaneChangeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    retry_lane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LaneChangeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    skip_lane: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LaneChangeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    search_logs: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only lines that were stored at or after this. */
                from?: string;
                /** @description Only lines of this job. */
                job_id?: number;
                /** @description Only lines of jobs with this label, NAME=VALUE. */
                label?: string[];
                /** @description Only lines that name this level or a higher one. */
                level?: "debug" | "error" | "info" | "warning";
                /** @description How many to show, or a few more. */
                limit?: number;
                /** @description Words that a line has, in any case and order, and "exact phrases" in quotes. */
                q?: string;
                /** @description Only lines of jobs of this schedule. */
                schedule_id?: number;
                /** @description Only lines of jobs that ended in this state. */
                status?: components["schemas"]["JobState"][];
                /** @description Only lines that were stored before this. */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogHitView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_rules: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RuleView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly",
                 *       "events": [
                 *         "failed",
                 *         "recovered"
                 *       ],
                 *       "channels": [
                 *         {
                 *           "kind": "webhook",
                 *           "url": "https://example.com/hook"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["RuleBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the rule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RuleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RuleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RuleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    edit_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "after": 3
                 *     }
                 */
                "application/json": components["schemas"]["RulePatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RuleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    preview_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["MessagePreviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    test_rule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Accepted. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NoticeView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_notices: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["NoticeView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_overview: {
        parameters: {
            query?: {
                /** @description How far back to look; default 1h. */
                window?: "15m" | "1h" | "24h" | "3h" | "7d";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OverviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    change_password: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "current": "correct horse",
                 *       "new": "battery staple"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TokenView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_planned: {
        parameters: {
            query?: {
                /** @description How far ahead to look; default 60. */
                minutes?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PlannedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_queues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["QueueView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_schedules: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
                /** @description Only schedules whose name contains this text. */
                q?: string;
                /** @description Only schedules in this state. */
                state?: "active" | "ended" | "paused";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly report",
                 *       "cron": "30 2 * * *",
                 *       "zone": "Europe/Riga",
                 *       "message": "report for {{nominal}}",
                 *       "target": {
                 *         "kind": "http",
                 *         "url": "https://example.com/report"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ScheduleBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the schedule. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    delete_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    edit_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cron": "0 3 * * *",
                 *       "jitter": "5m"
                 *     }
                 */
                "application/json": components["schemas"]["SchedulePatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    backfill_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2026-01-01T00:00:00Z",
                 *       "to": "2026-01-02T00:00:00Z",
                 *       "pace": "10s",
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["BackfillBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BackfillView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_records: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RecordView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    pause_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    preview_schedule: {
        parameters: {
            query?: {
                /** @description Show instants from this one on; default now. */
                from?: string;
                /** @description How many instants to show. */
                n?: number;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PreviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    resume_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    run_schedule_now: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the job. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    apply_schedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "schedules": [
                 *         {
                 *           "name": "nightly report",
                 *           "cron": "30 2 * * *",
                 *           "zone": "Europe/Riga",
                 *           "message": "report for {{nominal}}",
                 *           "target": {
                 *             "kind": "http",
                 *             "url": "https://example.com/report"
                 *           }
                 *         }
                 *       ],
                 *       "dry_run": true
                 *     }
                 */
                "application/json": components["schemas"]["ApplyBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ApplyEntry"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_schedules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description A JSON array. Or, with the content type `application/x-ndjson`, one JSON object per line, each like an element of the array. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       {
                 *         "name": "nightly report",
                 *         "cron": "30 2 * * *",
                 *         "zone": "Europe/Riga",
                 *         "message": "report for {{nominal}}",
                 *         "target": {
                 *           "kind": "http",
                 *           "url": "https://example.com/report"
                 *         }
                 *       }
                 *     ]
                 */
                "application/json": components["schemas"]["ScheduleBody"][];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["ScheduleIds"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_sessions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SessionView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    end_one_session: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["EndedView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_stats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["StatsView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_workflows: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
                /** @description Only workflows with this name. */
                name?: string;
                /** @description Only workflows in this state. */
                status?: components["schemas"]["WorkflowState"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WorkflowView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_workflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. The same key with the same body returns the same job, with status 200; with another body it is a conflict. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly",
                 *       "steps": [
                 *         {
                 *           "ref": "extract",
                 *           "message": "extract"
                 *         },
                 *         {
                 *           "ref": "load",
                 *           "message": "load",
                 *           "depends_on": [
                 *             "extract"
                 *           ]
                 *         },
                 *         {
                 *           "ref": "alarm",
                 *           "message": "failed",
                 *           "depends_on": [
                 *             {
                 *               "ref": "load",
                 *               "on": "failure"
                 *             }
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WorkflowBody"];
            };
        };
        responses: {
            /** @description A repeat with the same key and body: `created` is false, and this is the workflow of that call. */
            200: {
                headers: {
                    /** @description The path of the workflow. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedWorkflowView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the workflow. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["CreatedWorkflowView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OutlineView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    cancel_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OutlineView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    signal_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "approved",
                 *       "payload": {
                 *         "by": "ada"
                 *       },
                 *       "key": "form-7"
                 *     }
                 */
                "application/json": components["schemas"]["SignalBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SignalView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    preview_timing: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cron": "30 2 * * *",
                 *       "zone": "America/New_York",
                 *       "n": 5
                 *     }
                 */
                "application/json": components["schemas"]["PreviewBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["PreviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description How many to show at most. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AccountView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    create_user: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "ada",
                 *       "password": "correct horse",
                 *       "job_weight": 1
                 *     }
                 */
                "application/json": components["schemas"]["UserBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["UserView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            409: components["responses"]["Error409"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "job_weight": 2.5,
                 *       "limits": {
                 *         "max_concurrency": 20,
                 *         "rate": 600,
                 *         "per": "minute"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["UserPatch"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["AccountView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_jobs_of_user: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only jobs with `execute_at` at or after this. */
                from?: string;
                /** @description Only jobs that call this host, as breakers spell it. */
                host?: string;
                /** @description Only jobs with this label, as NAME=VALUE. Repeat it for several labels. */
                label?: string[];
                /** @description How many to show at most. */
                limit?: number;
                /** @description Only jobs with this key. */
                ordering_key?: string;
                /** @description Only jobs whose message contains this. */
                q?: string;
                /** @description Only jobs that wait for another attempt. */
                retrying?: boolean;
                /** @description Only jobs of this schedule. */
                schedule_id?: number;
                /** @description Only jobs in this state. Repeat it for several states. */
                status?: components["schemas"]["JobState"][];
                /** @description Only jobs with this kind of target. */
                target?: string;
                /** @description Only jobs with `execute_at` before this. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["JobView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    search_logs_of_user: {
        parameters: {
            query?: {
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only lines that were stored at or after this. */
                from?: string;
                /** @description Only lines of this job. */
                job_id?: number;
                /** @description Only lines of jobs with this label, NAME=VALUE. */
                label?: string[];
                /** @description Only lines that name this level or a higher one. */
                level?: "debug" | "error" | "info" | "warning";
                /** @description How many to show, or a few more. */
                limit?: number;
                /** @description Words that a line has, in any case and order, and "exact phrases" in quotes. */
                q?: string;
                /** @description Only lines of jobs of this schedule. */
                schedule_id?: number;
                /** @description Only lines of jobs that ended in this state. */
                status?: components["schemas"]["JobState"][];
                /** @description Only lines that were stored before this. */
                to?: string;
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LogHitView"][];
                        /** @description Where the next page begins; null on the last page. */
                        next_cursor: string | null;
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_overview_of_user: {
        parameters: {
            query?: {
                /** @description How far back to look; default 1h. */
                window?: "15m" | "1h" | "24h" | "3h" | "7d";
            };
            header?: never;
            path: {
                /** @description The id. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["OverviewView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    list_workers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WorkerView"][];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    register: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "mail-1",
                 *       "queues": [
                 *         "mail"
                 *       ],
                 *       "tasks": [
                 *         "send"
                 *       ],
                 *       "slots": 64,
                 *       "sdk": "mine/1.0"
                 *     }
                 */
                "application/json": components["schemas"]["WorkerBody"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    /** @description The path of the worker. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["RegisteredView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_worker: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["WorkerDetailView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    leave: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["LeftView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    beat: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "runs": [],
                 *       "free": 16
                 *     }
                 */
                "application/json": components["schemas"]["BeatBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["BeatView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    drain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "drain": true
                 *     }
                 */
                "application/json": components["schemas"]["DrainBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["DrainBody"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    log_lines: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "run": "1025.1.VGhpcyBpcyBhIHJ1",
                 *       "seq": 0,
                 *       "lines": [
                 *         "sent"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LogBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["KeptView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    settle: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "outcomes": [
                 *         {
                 *           "run": "1025.1.VGhpcyBpcyBhIHJ1",
                 *           "status": "succeeded",
                 *           "result": {
                 *             "sent": true
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SettleBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["SettledListView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    take: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The key, percent-encoded: a slash in it is `%2F`. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "take_id": "1",
                 *       "max": 16,
                 *       "wait_ms": 20000
                 *     }
                 */
                "application/json": components["schemas"]["TakeBody"];
            };
        };
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["TakenView"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            400: components["responses"]["Error400"];
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            413: components["responses"]["Error413"];
            422: components["responses"]["Error422"];
            429: components["responses"]["Error429"];
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
    show_docs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            500: components["responses"]["Error500"];
        };
    };
    show_style: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/css": string;
                };
            };
            500: components["responses"]["Error500"];
        };
    };
    alive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Alive"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            500: components["responses"]["Error500"];
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            401: components["responses"]["Error401"];
            403: components["responses"]["Error403"];
            404: components["responses"]["Error404"];
            500: components["responses"]["Error500"];
        };
    };
    show_openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            500: components["responses"]["Error500"];
        };
    };
    ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        data: components["schemas"]["Ready"];
                        /** @constant */
                        success: true;
                    };
                };
            };
            500: components["responses"]["Error500"];
            503: components["responses"]["Error503"];
        };
    };
}
