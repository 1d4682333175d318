import { connect } from "node:net";
import type { Random } from "../support/random.ts";
import type { ApiDocument, ApiOperation } from "./api-document.ts";
import type { Tally } from "./fuzz-report.ts";
import { type Asked, complaintOf, isShed, mayCall, ROLES, type Role } from "./judge.ts";
import type { Outcome, Sender, SentRequest } from "./send-request.ts";
import {
  type BaseFile,
  bodyOf,
  type Draft,
  headersOf,
  mutateBytes,
  spoilDraft,
  targetOf,
  validDraft,
} from "./spoil.ts";
import { hostileText } from "./values.ts";
import type { World } from "./world.ts";

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

const JSON_BODY = '{"email":"a@b.example","password":"a long password"}';
const HOST = "host: 127.0.0.1\r\n";
const POST = `POST /api/auth/login HTTP/1.1\r\n${HOST}content-type: application/json\r\n`;
const GET = `GET /api/catalogues HTTP/1.1\r\n${HOST}`;

/** Requests as no client library sends them. */
const REQUESTS: readonly ((random: Random) => string)[] = [
  () => `${GET}\r\n`.repeat(30),
  () => `${GET}\r\n${POST}content-length: ${JSON_BODY.length}\r\n\r\n${JSON_BODY}${GET}\r\n`,
  () => "GET /api/catalogues HTTP/1.1\r\n\r\n",
  () => `GET /api/catalogues HTTP/1.1\r\n${HOST}${HOST}\r\n`,
  () => "GET /api/catalogues HTTP/1.1\r\nhost: a b\0c\r\n\r\n",
  () => "GET /api/catalogues HTTP/1.0\r\n\r\n",
  () => `GET /api/catalogues HTTP/9.9\r\n${HOST}\r\n`,
  () => "GET /api/catalogues\r\n\r\n",
  () => `get /api/catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET http://[::1]:99999/api/catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET http://other.example/api/catalogues?page=1 HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET //api//catalogues HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues?search=\xff\xfe\x01 HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues?search=a b HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /api/catalogues/%zz/events HTTP/1.1\r\n${HOST}\r\n`,
  () => `GET /${"a/".repeat(4_000)} HTTP/1.1\r\n${HOST}\r\n`,
  () => `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  () => "CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: 127.0.0.1:22\r\n\r\n",
  () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  () => `${GET}upgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-key: x\r\n\r\n`,
  () => `${GET}upgrade: h2c\r\nconnection: upgrade, http2-settings\r\nhttp2-settings: AAA\r\n\r\n`,
  () => `${GET}x-long: ${"x".repeat(20_000)}\r\n\r\n`,
  () => `${GET}${"x: y\r\n".repeat(3_000)}\r\n`,
  () => `${GET}x-folded: a\r\n b\r\n\r\n`,
  () => `${GET}x\x01y: a\r\n\r\n`,
  () => `${GET}x-bare: a\nb: c\n\n`,
  () => `${GET}: nothing\r\n\r\n`,
  () => `${GET}content-length: 5\r\n\r\nabcdeGET /api/health HTTP/1.1\r\n${HOST}\r\n`,
  () => `${POST}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
  () => `${POST}content-length: 5\r\ncontent-length: 6\r\n\r\n{"a":1}`,
  () => `${POST}content-length: -5\r\n\r\n`,
  () => `${POST}content-length: 99999999999999999999\r\n\r\n`,
  () => `${POST}content-length: 5x\r\n\r\n{}   `,
  () => `${POST}content-length: 100\r\n\r\n{"email"`,
  () => `${POST}transfer-encoding: chunked, gzip\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n-1\r\n{}\r\n0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n2;a=${"b".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n${"1\r\n \r\n".repeat(5_000)}0\r\n\r\n`,
  () => `${POST}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nx-trailer: a\r\n\r\n`,
  () => `${POST}expect: 100-continue\r\ncontent-length: 2\r\n\r\n{}`,
  () => `${POST}expect: a miracle\r\ncontent-length: 2\r\n\r\n{}`,
  () => "\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
  () => "\r\n\r\n\r\n\r\n",
  (random) => Buffer.from(Array.from({ length: 500 }, () => random.below(256))).toString("latin1"),
];

/** Bytes for a connection; some of them spoiled once more. */
function rawRequest(random: Random): Buffer {
  const bytes = Buffer.from(random.pick(REQUESTS)(random), "latin1");
  return random.chance(0.3) ? mutateBytes(bytes, random, [bytes]).subarray(0, 200_000) : bytes;
}

type RawOutcome = {
  /** Of all answers that came over the connection, in order. */
  readonly statuses: readonly number[];
  /** True when the connection was not closed in time after its client had ended it. */
  readonly hung: boolean;
};

const MAX_KEPT = 1024 * 1024;
const STATUS_LINE = /HTTP\/1\.1 (\d{3}) [A-Z]/g;

/** Sends bytes over a connection of its own, ends it, and waits until the other side does. */
async function sendRaw(url: string, bytes: Buffer, deadlineMs: number): Promise<RawOutcome> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const deadline = setTimeout(() => resolve(true), deadlineMs);
  let text = "";
  socket.on("data", (piece) => {
    if (text.length < MAX_KEPT) text += piece.toString("latin1");
  });
  // A connection that is reset is closed, too.
  socket.on("error", () => {});
  socket.on("close", () => resolve(false));
  socket.end(bytes);
  const hung = await promise;
  clearTimeout(deadline);
  socket.destroy();
  return { statuses: [...text.matchAll(STATUS_LINE)].map(([, status]) => Number(status)), hung };
}

type FileRequest = {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

const BOUNDARY = "fuzz-of-files";
const EXTENSIONS = [..."csv|txt|dat|json|geojson|xml|qml|quakeml|parquet|pdf|".split("|")];
const DELIMITERS = ["auto", "comma", "tab", "semicolon", "pipe", "space", "dot", "\0", ","];
/** So often it is the form that is spoiled, not only its file. */
const FORM_SHARE = 0.15;
const UNSPOILED_SHARE = 0.1;

/** A form with a file that is hostile to its reader, or a hostile form. */
function fileRequest(files: readonly BaseFile[], random: Random): FileRequest {
  const { name, bytes } = random.pick(files);
  const others = files.map((file) => file.bytes);
  const content = random.chance(UNSPOILED_SHARE) ? bytes : mutateBytes(bytes, random, others);
  const own = name.slice(name.lastIndexOf(".") + 1);
  const extension = random.chance(0.8) ? own : random.pick(EXTENSIONS);
  const fileName = random.chance(0.9) ? `events.${extension}` : quotable(hostileText(random));
  const parts: Buffer[] = [part(`name="file"; filename="${fileName}"`, content)];
  if (random.chance(0.3)) {
    const delimiter = part('name="delimiter"', Buffer.from(random.pick(DELIMITERS)));
    if (random.chance(0.5)) parts.push(delimiter);
    else parts.unshift(delimiter);
  }
  if (random.chance(0.05)) {
    const extra = part(`name="${quotable(hostileText(random))}"`, Buffer.from("x"));
    parts.push(...Array.from({ length: 1 + random.below(30) }, () => extra));
  }
  const form = Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
  const body = random.chance(FORM_SHARE) ? mutateBytes(form, random, [form]) : form;
  return { headers: { "content-type": `multipart/form-data; boundary=${BOUNDARY}` }, body };
}

function part(disposition: string, content: Buffer): Buffer {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from("\r\n")]);
}

function quotable(text: string): string {
  return text.slice(0, 1_000).replaceAll(/["\r\n]/g, "_");
}

type AskDeps = { readonly world: World; readonly sender: Sender; readonly tally: Tally };

const SECOND = 1_000;
const DEADLINE_MS = 10 * SECOND;
/** An import is answered when its agency has answered for all of its window. */
const IMPORT_DEADLINE_MS = 60 * SECOND;
const KIND_OF: Readonly<Record<string, string>> = { upload: "files", importEvents: "imports" };
/** The bodies of answers that ids are looked for in. */
const HARVESTED_BYTES = 256 * 1024;

/** Sends a request with the session of its role, judges its answer and learns from it. */
async function ask(deps: AskDeps, asked: Asked, request: SentRequest): Promise<void> {
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
