import type { ApiOperation } from "./api-document.ts";
import type { Tally } from "./fuzz-report.ts";
import { type Asked, complaintOf, isShed, type Role } from "./judge.ts";
import type { Outcome, Sender, SentRequest } from "./send-request.ts";
import type { World } from "./world.ts";

export type AskDeps = { readonly world: World; readonly sender: Sender; readonly tally: Tally };

const SECOND = 1_000;
export const DEADLINE_MS = 10 * SECOND;
/** An import is answered when its agency has answered for all of its window. */
const IMPORT_DEADLINE_MS = 60 * SECOND;
const KIND_OF: Readonly<Record<string, string>> = { upload: "files", importEvents: "imports" };
/** The bodies of answers that ids are looked for in. */
const HARVESTED_BYTES = 256 * 1024;
const EXAMPLE_LENGTH = 300;

/** Sends a request with the session of its role, judges its answer and learns from it. */
export async function ask(deps: AskDeps, asked: Asked, request: SentRequest): Promise<void> {
  const { world, sender, tally } = deps;
  const { operation, role } = asked;
  const token = role === "guest" ? null : world.tokenOf(role);
  const headers = {
    ...(token !== null && { authorization: `Bearer ${token}` }),
    ...request.headers,
  };
  const deadline = operation.id === "importEvents" ? IMPORT_DEADLINE_MS : DEADLINE_MS;
  const outcome = await sender.send({ ...request, headers }, deadline);
  tally.count(KIND_OF[operation.id] ?? "requests", statusOf(outcome));
  if (isShed(outcome)) tally.shed();
  const complaint = complaintOf(asked, outcome);
  // An administrator may have given the account another role, or taken its session away.
  const isInDoubt = complaint === "access hole" || isRefusal(outcome);
  const isChanged = isInDoubt && role !== "guest" && (await renewIfChanged(deps, role));
  if (complaint !== null && !isChanged) {
    tally.complain(complaint, exampleOf(asked, request, outcome));
  }
  if (typeof outcome !== "string" && outcome.status < 300) learn(deps, operation, outcome);
}

function statusOf(outcome: Outcome): string {
  return typeof outcome === "string" ? outcome : String(outcome.status);
}

function isRefusal(outcome: Outcome): boolean {
  return typeof outcome !== "string" && (outcome.status === 401 || outcome.status === 403);
}

/** Whether the account of the role is not what it should be; it then gets another. */
async function renewIfChanged({ world, tally, sender }: AskDeps, role: Role): Promise<boolean> {
  const headers = { authorization: `Bearer ${world.tokenOf(role)}` };
  const session = { method: "GET", target: "/api/auth/session", headers, body: null };
  const outcome = await sender.send(session, DEADLINE_MS);
  tally.count("sessions looked at", statusOf(outcome));
  const text = typeof outcome === "string" ? "" : outcome.body.toString();
  if (text.includes(`"role":"${role}"`)) return false;
  await world.renew(role);
  return true;
}

/** What an answer names can be asked for. */
function learn(
  { world }: AskDeps,
  { answers }: ApiOperation,
  { headers, body, status }: Exclude<Outcome, string>,
): void {
  world.known.note("tags", headers["etag"]);
  const isJson = answers.get(status)?.includes("application/json") ?? false;
  if (!isJson || body.length > HARVESTED_BYTES) return;
  try {
    world.known.harvest(JSON.parse(body.toString()));
  } catch {
    // Exports of other formats stand beside JSON.
  }
}

function exampleOf({ operation, role }: Asked, sent: SentRequest, outcome: Outcome): string {
  const answer =
    typeof outcome === "string"
      ? outcome
      : `${outcome.status} ${outcome.body.toString().slice(0, EXAMPLE_LENGTH)}`;
  const body = JSON.stringify(sent.body?.toString("latin1").slice(0, EXAMPLE_LENGTH) ?? null);
  return (
    `${operation.id} ${answer} to ${role}: ${sent.method} ${sent.target.slice(0, EXAMPLE_LENGTH)} ` +
    `${JSON.stringify(sent.headers).slice(0, EXAMPLE_LENGTH)} ${body}`
  );
}
