import { type AnswerOf, CallError, call } from "./call.ts";

export type Report = AnswerOf<"GET /api/ready">;

/** A service that is not ready answers 503 with the same report. */
export async function readReport(signal: AbortSignal): Promise<Report> {
  try {
    return await call("GET /api/ready", {}, { signal });
  } catch (error) {
    if (error instanceof CallError && isReport(error.body)) return error.body;
    throw error;
  }
}

function isReport(body: unknown): body is Report {
  return typeof body === "object" && body !== null && "checks" in body;
}

/** What the service's checks are called by people who do not know how it is built, and what they are for. */
const CHECKS: Readonly<Record<string, readonly [name: string, purpose: string]>> = {
  agency_api: ["Feed of the agency", "brings events of imports"],
  database: ["Database", "keeps all catalogues and accounts"],
  memory: ["Memory", "what the service takes of the machine’s"],
  event_log: ["Log of changes", "every change is written there first"],
  event_store: ["Log of changes (event store)", "every change is written there first"],
  projections: ["Lists and searches", "what pages show, made from the log"],
  notifications: ["Mails", "for reset links and role requests"],
  changes: ["Messages about changes", "tell other programs what has changed"],
  analytics: ["Messages for analytics", "bring every event to other databases"],
};

/** The checks of agencies beside the first: `agency:<id>`. */
const FURTHER_AGENCY = /^agency:(.+)$/;

/** What a check is about is for; undefined where that is not known. */
export function checkPurpose(name: string): string | undefined {
  return CHECKS[isOfAgency(name) ? "agency_api" : name]?.[1];
}

/** "agency_api" → "Feed of the agency". */
export function checkName(name: string): string {
  const [, id] = FURTHER_AGENCY.exec(name) ?? [];
  if (id !== undefined) return `Feed of ${id}`;
  const words = name.replaceAll("_", " ");
  return CHECKS[name]?.[0] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether a check is of an agency: the first one, or another. */
export function isOfAgency(name: string): boolean {
  return name === "agency_api" || FURTHER_AGENCY.test(name);
}

const BREAKER: Readonly<Record<string, string>> = {
  CLOSED: "working",
  OPEN: "failed several times; it is not asked for a minute",
  HALF_OPEN: "failed several times; it is being tried again",
};

/** Whether what a check is about works: an agency that is not asked does not, though the service does. */
export function isWorking(check: {
  readonly name: string;
  readonly status: string;
  readonly message?: string | undefined;
}): boolean {
  if (isOfAgency(check.name) && check.message) {
    return checkMessage(check.name, check.message) === BREAKER["CLOSED"];
  }
  return check.status === "healthy";
}

/** A check's message, where the service tells it in words of its own. */
export function checkMessage(name: string, message: string): string {
  if (isOfAgency(name)) {
    const state = /^Circuit breaker: (\w+)$/.exec(message)?.[1] ?? "";
    return BREAKER[state] ?? message;
  }
  if (name === "notifications") {
    return message
      .replace("notifier: in process; ", "")
      .replace(" pending", " waiting")
      .replace(" parked", " not delivered");
  }
  if (name === "memory") return message.replace("Heap", "Objects").replace("resident", "in all");
  if (name === "projections") {
    return message.replaceAll(" parked", " could not be applied");
  }
  return message.replace(/^publisher: /, "sending: ");
}
