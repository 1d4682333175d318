import { strict as assert } from "node:assert";
import { randomUUID } from "node:crypto";
import { createApiClient, sessionToken } from "../../support/api-client.ts";
import { type BenchService, catalogueOf } from "../../support/bench-service.ts";
import { type Asking, openAsking, openHttpConnection } from "../asking.ts";
import {
  beside,
  type Comparison,
  comparisonOf,
  eitherWay,
  medians,
  type Result,
  type Round,
  repeated,
  spreadOf,
} from "../measure.ts";

const PAGE_TARGET = 1.1;
const LIST_TARGET = 1.2;
const TOKEN_TARGET = 1.2;
const EVENTS = 10_000;
const PAGE = "events?pagination=cursor&limit=50";
/** Answers before the first that counts: V8 compiles what is hot. */
const WARM_UP = 200;
/** Of each side in a round, so that a round is longer than what else the machine does. */
const AT_ONCE = 20;

/**
 * What a member of restricted catalogues waits for, beside the same of internal ones: a page of events, and the
 * list where half of the catalogues are restricted to members. Both sides are asked in turn.
 */
export async function benchRights(
  bench: BenchService,
  catalogues: number,
  rounds: number,
): Promise<Result[]> {
  const { url, client, database } = bench;
  const member = await newViewer(bench);
  const asking = openAsking(url, member.token);
  const [restricted, internal] = [
    await catalogueOf(client, EVENTS),
    await catalogueOf(client, EVENTS),
  ];
  const path = `/api/catalogues/${restricted}`;
  await client.send("PUT", `${path}/members/${member.id}`, { right: "read" });
  assert.equal((await client.send("PATCH", path, { access: "restricted" })).status, 200);
  const page = (id: string) => `/api/catalogues/${id}/${PAGE}`;
  const pages = await inTurns(rounds, {
    ours: () => timeOf(asking, page(restricted)),
    yardstick: () => timeOf(asking, page(internal)),
  });

  for (let i = 0; i < catalogues; i += 1) {
    await client.send("POST", "/api/catalogues", { name: `listed ${i}`, events: [] });
  }
  // As restricting each by the API would leave them, back and forth in a moment.
  const half = "name like 'listed %' and key % 2 = 0";
  await database.query(
    `insert into read_model.catalogue_members select id, $1, 'user', 'read'
     from read_model.catalogues where ${half}`,
    [member.id],
  );
  await database.query("vacuum (analyze) read_model.catalogue_members");
  const restrict = (isRestricted: boolean) =>
    database.query(`update read_model.catalogues set is_restricted = $1 where ${half}`, [
      isRestricted,
    ]);
  const list = "/api/catalogues?pageSize=100";
  const lists = await inTurns(Math.ceil(rounds / 2), {
    ours: async () => {
      await restrict(true);
      return timeOf(asking, list);
    },
    yardstick: async () => {
      await restrict(false);
      return timeOf(asking, list);
    },
  });
  asking.close();
  return [
    ...(await benchCallers(bench, member, restricted, rounds)),
    beside(
      ["page of 50 to a member", `${EVENTS} events`, "ms"],
      ["the same of an internal one", PAGE_TARGET],
      pages,
    ),
    beside(
      ["list of 100 to a member", `${catalogues} catalogues, half of them restricted`, "ms"],
      ["the same without restricted ones", LIST_TARGET],
      lists,
    ),
  ];
}

/** What an access token costs beside a session, and what a stranger learns by the time of a refusal. */
async function benchCallers(
  { url }: BenchService,
  member: Viewer,
  catalogue: string,
  rounds: number,
): Promise<Result[]> {
  const secret = await newSecret(url, member);
  const path = `/api/catalogues/${catalogue}/${PAGE}`;
  const connection = openHttpConnection(url);
  const timed = async (token: string): Promise<number> => {
    const started = performance.now();
    for (let i = 0; i < AT_ONCE; i += 1) {
      const headers = { authorization: `Bearer ${token}` };
      assert.equal((await connection.ask("GET", path, headers)).status, 200);
    }
    return (performance.now() - started) / AT_ONCE;
  };
  const byToken = await inTurns(rounds, {
    ours: () => timed(secret),
    yardstick: () => timed(member.token),
  });
  connection.close();
  const stranger = await newViewer({ url });
  return [
    beside(
      ["page of 50 by access token", `${EVENTS} events`, "ms"],
      ["the same by session", TOKEN_TARGET],
      byToken,
    ),
    ...(await benchRefusals(url, stranger.token, catalogue, rounds)),
  ];
}

async function newSecret(url: string, { token }: Viewer): Promise<string> {
  const form = { name: "A script", scopes: ["read"] };
  type Made = { secret: string };
  const { body } = await createApiClient(url, token).send<Made>("POST", "/api/tokens", form);
  return body.secret;
}

type Sides = { readonly ours: () => Promise<number>; readonly yardstick: () => Promise<number> };

/** The side that begins changes from round to round. */
async function alternately(rounds: number, warmUps: number, { ours, yardstick }: Sides) {
  const round = async (i: number): Promise<Round> => {
    const first = await (i % 2 === 0 ? ours : yardstick)();
    const second = await (i % 2 === 0 ? yardstick : ours)();
    return i % 2 === 0 ? [first, second] : [second, first];
  };
  return repeated(rounds, warmUps, round);
}

async function inTurns(rounds: number, sides: Sides): Promise<Comparison> {
  return comparisonOf(await alternately(rounds, WARM_UP / AT_ONCE, sides));
}

/** Milliseconds of an answer, as the mean of some. */
async function timeOf(asking: Asking, path: string): Promise<number> {
  let sum = 0;
  for (let i = 0; i < AT_ONCE; i += 1) sum += (await asking.ask(path)).milliseconds;
  return sum / AT_ONCE;
}

type Viewer = { readonly id: string; readonly token: string };

async function newViewer({ url }: Pick<BenchService, "url">): Promise<Viewer> {
  const account = { email: `${randomUUID()}@example.org`, password: "only for the benchmark" };
  type Registered = { user: { id: string } };
  const { body } = await createApiClient(url).send<Registered>("POST", "/api/auth/register", {
    name: "Member",
    ...account,
  });
  return { id: body.user.id, token: await sessionToken(url, account) };
}

/** Either way of telling the two apart would tell a stranger something; what two unknown ids differ by is shown. */
const TARGET = 1.05;
/** Rounds before the first that counts: V8 compiles what is hot. */
const REFUSALS_WARM_UP = 10;

/** What a stranger may try with an id, by its name in the table. */
const TRIED: Readonly<Record<string, (id: string) => string>> = {
  "its fields": (id) => `/api/catalogues/${id}`,
  "a page of events": (id) => `/api/catalogues/${id}/events?pagination=cursor&limit=50`,
  "an export": (id) => `/api/catalogues/${id}/export?format=csv`,
  "its versions": (id) => `/api/catalogues/${id}/versions`,
  "the record of a version": (id) => `/api/catalogues/${id}/versions/1`,
  "a query of the event service": (id) => `/api/catalogues/${id}/fdsnws/event/1/query?format=text`,
  "items of OGC API": (id) => `/api/ogc/collections/${id}/items`,
  "its feed": (id) => `/api/catalogues/${id}/feed`,
  "the feed of several": (id) => `/api/feed?catalogue=${id}`,
};
const FIRST = "its fields";

/**
 * Whether the time of a 404 tells a stranger a restricted catalogue from an id that nobody has, beside what two
 * ids that nobody has differ by.
 * @param token of somebody who is not a member
 */
async function benchRefusals(
  url: string,
  token: string,
  restricted: string,
  rounds: number,
): Promise<Result[]> {
  const connection = openHttpConnection(url);
  const headers = { authorization: `Bearer ${token}` };
  const milliseconds = async (path: string): Promise<number> => {
    const times: number[] = [];
    for (let i = 0; i < AT_ONCE; i += 1) {
      const started = performance.now();
      assert.equal((await connection.ask("GET", path, headers)).status, 404, path);
      times.push(performance.now() - started);
    }
    return spreadOf(times).median;
  };
  const results: Result[] = [];
  const add = async (name: string, size: string, id: string): Promise<void> => {
    const path = TRIED[name] ?? assert.fail(name);
    const nobodys = path(randomUUID());
    const sides = { ours: () => milliseconds(path(id)), yardstick: () => milliseconds(nobodys) };
    const pairs = await alternately(rounds, REFUSALS_WARM_UP, sides);
    const comparison = medians(
      pairs.map(([time]) => time),
      pairs.map(([, time]) => time),
    );
    results.push(
      beside(
        [`404 to a stranger: ${name}`, size, "ms"],
        ["an id that nobody has", TARGET],
        eitherWay(comparison),
      ),
    );
  };
  await add(FIRST, "another id that nobody has", randomUUID());
  for (const name of Object.keys(TRIED)) await add(name, "a restricted id", restricted);
  connection.close();
  return results;
}
