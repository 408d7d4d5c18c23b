// Calls to the API: by the session's cookie, relative to where the page is mounted.

/** Where the page is mounted, with a slash at the end. The server writes it into `<base>`. */
export const MOUNT = new URL(".", document.baseURI);

/** Why a call failed: a sentence to show, and the field that was wrong where there is one. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: Record<string, unknown> | null = null,
  ) {
    super(message);
  }

  get field(): string | null {
    const field = this.details?.["field"];
    return typeof field === "string" ? field : null;
  }
}

export interface Page<T> {
  rows: T[];
  next: string | null;
}

export type Query = Record<string, string | number | boolean | null | undefined | readonly (string | number)[]>;

/** How long a call may take before the page says that the server does not answer. */
const PATIENCE = 20_000;

function address(path: string, query: Query = {}): URL {
  const url = new URL(`api/v1/${path}`, MOUNT);
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined || value === "") continue;
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(one));
  }
  return url;
}

interface Envelope {
  success: boolean;
  data: unknown;
  next_cursor?: string | null;
  error?: { code: string; message: string; details: Record<string, unknown> | null };
}

async function call(method: string, path: string, query?: Query, body?: unknown, signal?: AbortSignal): Promise<Envelope> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (method !== "GET") headers["x-duetime-request"] = "1";
  if (body !== undefined) headers["content-type"] = "application/json";
  let response: Response;
  try {
    response = await fetch(address(path, query), {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      credentials: "same-origin",
      signal: AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(signal ? [signal] : [])]),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError(0, "unreachable", "The server does not answer.");
  }
  const answer = (await response.json().catch(() => null)) as Envelope | null;
  if (answer?.success) return answer;
  const problem = answer?.error;
  throw new ApiError(
    response.status,
    problem?.code ?? "unknown",
    problem?.message ?? `The server answered ${response.status} ${response.statusText}`.trim() + ".",
    problem?.details ?? null,
  );
}

/** Reads one thing. */
export async function read<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await call("GET", path, query, undefined, signal)).data as T;
}

/** Reads one page of a listing. */
export async function readPage<T>(path: string, query?: Query, signal?: AbortSignal): Promise<Page<T>> {
  const answer = await call("GET", path, query, undefined, signal);
  return { rows: answer.data as T[], next: answer.next_cursor ?? null };
}

/** Changes something. */
export async function send<T>(method: "POST" | "PATCH" | "DELETE", path: string, body?: unknown, query?: Query): Promise<T> {
  return (await call(method, path, query, body)).data as T;
}

/** Changes a page of many things; the cursor leads on. */
export async function sendPage<T>(path: string, body: unknown): Promise<{ data: T; next: string | null }> {
  const answer = await call("POST", path, undefined, body);
  return { data: answer.data as T, next: answer.next_cursor ?? null };
}
