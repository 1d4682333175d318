import type { Random } from "../support/random.ts";
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import { type AskDeps, ask, DEADLINE_MS } from "./ask.ts";
import { fileRequest } from "./file-requests.ts";
import { mayCall, ROLES, type Role } from "./judge.ts";
import { rawRequest } from "./raw-requests.ts";
import { sendRaw } from "./send-raw.ts";
import {
  type BaseFile,
  bodyOf,
  type Draft,
  headersOf,
  spoilDraft,
  targetOf,
  validDraft,
} from "./spoil.ts";

export type FuzzClientDeps = AskDeps & {
  readonly document: ApiDocument;
  readonly files: readonly BaseFile[];
  readonly random: Random;
};

const VALID_SHARE = 0.15;
const RAW_SHARE = 0.08;
const UPLOAD_SHARE = 0.15;
const SECRET_SHARE = 0.3;
const IMPORT_SHARE = 0.03;
const MAX_HOURS = 200;
const REFUSED_SHARE = 0.4;
const EXAMPLE_LENGTH = 300;
const AS_DOCUMENTED = { isForbidden: false, isStray: false } as const;

/** Sends one hostile request after the other until `signal` aborts. */
export async function runFuzzClient(deps: FuzzClientDeps, signal: AbortSignal): Promise<void> {
  const { random } = deps;
  while (!signal.aborted) {
    if (random.chance(RAW_SHARE)) await fuzzRaw(deps);
    else if (random.chance(UPLOAD_SHARE)) await fuzzUpload(deps);
    else if (random.chance(IMPORT_SHARE)) await fuzzImport(deps);
    else await fuzzOperation(deps);
  }
}

async function fuzzRaw({ world, random, tally }: FuzzClientDeps): Promise<void> {
  const bytes = rawRequest(random);
  const { statuses, hung } = await sendRaw(world.service.url, bytes, DEADLINE_MS);
  const example = JSON.stringify(bytes.toString("latin1").slice(0, EXAMPLE_LENGTH));
  tally.count("bytes over a socket", statuses.join(" ").slice(0, 11) || "closed");
  if (hung) tally.complain("hang", example);
  // Load is shed by 503, which a connection's other answers do not tell apart.
  if (statuses.some((status) => status >= 500 && status !== 503)) {
    tally.complain("unintended 5xx", example);
  }
}

async function fuzzUpload(deps: FuzzClientDeps): Promise<void> {
  const { document, random, files } = deps;
  const operation = operationOf(document, "upload");
  const role = random.chance(0.9) ? "editor" : random.pick(ROLES);
  const { headers, body } = fileRequest(files, random);
  const sent = { method: operation.method, target: operation.path, headers, body };
  await ask(deps, { operation, role, method: sent.method, ...AS_DOCUMENTED }, sent);
}

/** A request without fault, so that it is the agency's answers that are hostile. */
async function fuzzImport(deps: FuzzClientDeps): Promise<void> {
  const { document, random } = deps;
  const operation = operationOf(document, "importEvents");
  const body = {
    catalogueName: "imported",
    hours: 1 + random.below(MAX_HOURS),
    detail: random.pick(["full", "summary"]),
  };
  const sent = {
    method: operation.method,
    target: operation.path,
    headers: { "content-type": "application/json" },
    body: Buffer.from(JSON.stringify(body)),
  };
  await ask(deps, { operation, role: "editor", method: sent.method, ...AS_DOCUMENTED }, sent);
}

function operationOf({ operations }: ApiDocument, id: string): ApiOperation {
  const operation = operations.find((described) => described.id === id);
  if (operation === undefined) throw new Error(`${id} is not documented`);
  return operation;
}

async function fuzzOperation(deps: FuzzClientDeps): Promise<void> {
  const { document, random, world } = deps;
  const operation = random.pick(document.operations);
  const role = roleFor(operation, random);
  const draft = validDraft(operation, { random, document, known: world.known });
  const isForbidden =
    role === "guest" && operation.access === "readers" && random.chance(SECRET_SHARE);
  if (!random.chance(VALID_SHARE)) spoilDraft(draft, random);
  if (isForbidden) {
    draft.params.set("id", world.secret);
    draft.method = operation.method;
  }
  const { method } = draft;
  const target = targetOf(draft);
  const meant = operationMeant(document, draft);
  const isStray = meant === undefined || !isDecodable(target);
  const sent = { method, target, headers: headersOf(draft), body: bodyOf(draft) };
  const shown = draft.isGuest ? "guest" : role;
  const asked = { operation: meant ?? operation, role: shown, method, isForbidden, isStray };
  await ask(deps, asked, sent);
}

/** The operation that a request has become, undefined where it is none any more. */
function operationMeant(
  { operations }: ApiDocument,
  { method, path, params }: Draft,
): ApiOperation | undefined {
  // Unescaped, these end the path or divide it otherwise.
  if ([...params.values()].some((value) => /[/?#]/.test(value))) return undefined;
  const meant = method === "HEAD" ? "GET" : method;
  return operations.find((described) => described.method === meant && described.path === path);
}

/** Mostly a role that may call: what is refused at the door is soon tried. */
function roleFor({ access }: ApiOperation, random: Random): Role {
  const role = random.pick(ROLES);
  return mayCall(role, access) || random.chance(REFUSED_SHARE) ? role : "admin";
}

/** An address that cannot be decoded is none of any operation. */
function isDecodable(target: string): boolean {
  try {
    decodeURI(target.replace(/[?#].*/, ""));
    return true;
  } catch {
    return false;
  }
}
