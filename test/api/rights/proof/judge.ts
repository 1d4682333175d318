import { expect } from "vitest";
import { basic } from "../../../support/api/access-tokens.ts";
import { MATRIX } from "../../../support/api/matrix.ts";
import { isThere, type Verdict, verdictOn } from "./model.ts";
import type { Ask } from "./requests.ts";
import { type Answered, type Sent, send } from "./send.ts";
import type { Caller, Catalogue, World } from "./world.ts";

type Judged = {
  readonly world: World;
  readonly caller: Caller;
  readonly ask: Ask;
  readonly url: string;
};

/** Sends a request and holds its answer to the model; one for a catalogue that is not there also to its twin's. */
export async function judge({ world, caller, ask, url }: Judged): Promise<Verdict> {
  const { operation, address, sent, twin } = ask;
  const headers = credentialsOf(caller);
  const verdict = verdictOn(world, caller, ask.deed);
  const answer = await send(url, withHeaders(sent, headers));
  const about = `${operation.id} ${address.path} ${sent.path} by ${nameOf(caller)}: ${answer.text.slice(0, 300)}`;
  expect({ about, ...answeredAs(ask, answer) }).toEqual({ about, ...expectedOf(ask, verdict) });
  expect(answer.status === 500 && operation.id !== "importEvents", about).toBe(false);
  expectNothingHidden({ world, caller, ask, url }, answer, about);
  const [first] = ask.deed.catalogues;
  if (!first || isThere(world, caller, first)) return verdict;
  const other = await send(url, withHeaders(twin.sent, headers));
  expect({ about, ...told(answer, first.id) }).toEqual({ about, ...told(other, twin.id) });
  return verdict;
}

const withHeaders = (sent: Sent, headers: Record<string, string>): Sent => ({
  ...sent,
  headers: { ...sent.headers, ...headers },
});

/** Tokens go as Bearer and as the password of Basic in turn. */
function credentialsOf(caller: Caller): Record<string, string> {
  if (caller.kind === "guest") return {};
  if (caller.kind === "session") return { authorization: `Bearer ${caller.user.secret}` };
  const { secret, id } = caller.token;
  return { authorization: id < "8" ? basic(secret) : `Bearer ${secret}` };
}

function nameOf(caller: Caller): string {
  if (caller.kind === "guest") return "a guest";
  const { id, role, isActive } = caller.kind === "session" ? caller.user : caller.token.owner;
  const user = `${role} ${id}${isActive ? "" : " (inactive)"}`;
  if (caller.kind === "session") return user;
  const { scopes, catalogues, isDead } = caller.token;
  return `a token (${scopes} ${catalogues ?? "all"}${isDead ? " dead" : ""}) of ${user}`;
}

const NOT_THERE =
  /Catalogue (?:\S+ )?not found|[Nn]o (?:such|public) (?:share|collection|catalogue)|No event that you may read/;

/** A read that is allowed succeeds; a change leaves everything as it is, which is said in several ways. */
function answeredAs({ operation }: Ask, { status, text }: Answered) {
  if (status === 401 || status === 403) return { verdict: status };
  if (status === 404 && NOT_THERE.test(text)) return { verdict: 404 };
  const isRead = operation.method === "GET" && !OF_MERGES.has(operation.id);
  return { verdict: "allowed", ...(isRead && { status }) };
}

/** Where a list is asked for, what is not there has none. */
const EMPTY = new Set(["listImports", "listSchedules"]);
/** What is asked for is not there: a result, an operation, a schedule, a region. */
const ABSENT = new Set([
  ...["listLabels", "getOperation", "streamOperation"],
  ...["getSchedule", "getRegion"],
]);

/** Of a catalogue that is no merge there is none. */
const OF_MERGES = new Set(["getMerge", "listReviewPairs"]);

function expectedOf({ operation, address }: Ask, verdict: Verdict) {
  const { id, method } = operation;
  if (verdict === 404 && EMPTY.has(id)) return { verdict: "allowed", status: 200 };
  if (verdict !== "allowed" || method !== "GET" || OF_MERGES.has(id)) return { verdict };
  if (ABSENT.has(id)) return { verdict, status: 404 };
  if (operation.upgrade) return { verdict, status: 101 };
  const isCollection = address.path.startsWith("/api/ogc/collections/");
  return { verdict, status: isCollection ? 200 : MATRIX[id as keyof typeof MATRIX].success };
}

/** Of tokens that were made while their catalogues were there; nothing but their ids. */
const TELLING_IDS = new Set(["listTokens"]);

/** By a share everybody reads as guests do, but for the catalogue that it shares. */
function hiddenFrom({ world, caller, ask }: Judged): Catalogue[] {
  const { share } = ask.deed;
  const reader: Caller = share === undefined ? caller : { kind: "guest" };
  const hidden = world.catalogues.filter((one) => !isThere(world, reader, one));
  return hidden.filter((one) => one !== share?.catalogue);
}

function expectNothingHidden(judged: Judged, { text, headers }: Answered, about: string): void {
  const { operation, sent } = judged.ask;
  const all = text + JSON.stringify(headers);
  const asked = sent.path + (sent.body ?? "");
  for (const { id, markers } of hiddenFrom(judged)) {
    const ids = TELLING_IDS.has(operation.id) ? [] : [id];
    for (const marker of [...markers, ...ids]) {
      const isTold = all.includes(marker) && !asked.includes(marker);
      expect(isTold, `${marker} in ${about}`).toBe(false);
    }
  }
}

/** An answer without what names the request or the moment. */
function told({ status, headers, text }: Answered, id: string) {
  const { "x-request-id": _, date: __, "content-length": ___, ...rest } = headers;
  const shown = Object.entries(rest)
    .filter(([name]) => !name.startsWith("x-ratelimit"))
    .map(([name, value]) => [name, JSON.stringify(value).replaceAll(/nonce=\\"[^"]*"/g, "")]);
  const body = text.replaceAll(id, "<id>").replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "<now>");
  return { status, headers: shown, body };
}
