import { beforeAll, expect, test } from "vitest";
import { includesScope, SCOPES, type Scope } from "#contracts/access-scopes.ts";
import { addressesOf, type Operation, scopeOf } from "#contracts/http/operation.ts";
import { operations } from "#contracts/http/table/operations.ts";
import { newAccessToken } from "../../support/api/access-tokens.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { LEVELS, type Level, MATRIX, type Subjects } from "../../support/api/matrix.ts";
import { call, newSubjects, spends } from "../../support/api/subjects.ts";
import { claimsOf, forgeToken } from "../../support/api/tokens.ts";
import { createApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { TEST_SECRET } from "../../support/start-test-service.ts";

const service = sharedService();

type Name = keyof typeof MATRIX;
type Caller = {
  readonly reach: Level;
  /** Of an administrator's access token; it acts as who reaches no more than its scope. */
  readonly scope?: Scope;
  readonly token: () => Promise<string | undefined>;
};

const KEY = { hash: "sha256", secret: TEST_SECRET } as const;

/** What each caller reaches. Whose token is not good is a guest, whatever it claims to be. */
const CALLERS: Readonly<Record<string, Caller>> = {
  "a guest": { reach: "public", token: async () => undefined },
  "a viewer": { reach: "viewer", token: () => freshToken("viewer") },
  "an editor": { reach: "editor", token: () => freshToken("editor") },
  "an administrator": { reach: "admin", token: () => freshToken("admin") },
  "a disabled administrator": { reach: "public", token: tokenOfDisabled },
  "a deleted administrator": { reach: "public", token: tokenOfDeleted },
  "a signed-out administrator": { reach: "public", token: tokenOfSignedOut },
  "a token signed with another key": {
    reach: "public",
    token: () => forged("HS256", { ...KEY, secret: "another secret of 32 letters..." }),
  },
  "a token without a signature": {
    reach: "public",
    token: () => forged("none", { hash: null, secret: "" }),
  },
  "a token signed with another algorithm": {
    reach: "public",
    token: () => forged("HS512", { ...KEY, hash: "sha512" }),
  },
  "an expired token": {
    reach: "public",
    token: () => forged("HS256", KEY, { iat: 1, exp: 2 }),
  },
  "an administrator's token to read": ofScope("read", "viewer"),
  "an administrator's token to write": ofScope("write", "editor"),
  "an administrator's token to administer": ofScope("admin", "admin"),
  "an administrator's token for metrics": ofScope("metrics", "public"),
};

function ofScope(scope: Scope, reach: Level): Caller {
  const token = async () => {
    const { client } = await (await newAccount(service, "admin")).signIn();
    return (await newAccessToken(client, { scopes: [scope] })).secret;
  };
  return { reach, scope, token };
}

async function freshToken(role: Exclude<Level, "public">): Promise<string> {
  const account = await newAccount(service, role);
  return (await account.signIn()).token;
}

async function tokenOfDisabled(): Promise<string> {
  const { id, signIn } = await newAccount(service, "admin");
  const { token } = await signIn();
  const admin = await service.loginAs("admin");
  await admin.send("PATCH", `/api/users/${id}`, { is_active: false });
  return token;
}

async function tokenOfDeleted(): Promise<string> {
  const { id, signIn } = await newAccount(service, "admin");
  const { token } = await signIn();
  const admin = await service.loginAs("admin");
  await admin.send("DELETE", `/api/users/${id}`);
  return token;
}

async function tokenOfSignedOut(): Promise<string> {
  const { signIn } = await newAccount(service, "admin");
  const { token, client } = await signIn();
  await client.send("POST", "/api/auth/logout");
  return token;
}

/** The claims of a live administrator's session, in a token that the service did not sign so. */
async function forged(
  alg: string,
  key: Parameters<typeof forgeToken>[2],
  claims: Record<string, unknown> = {},
): Promise<string> {
  const genuine = claimsOf(await freshToken("admin"));
  return forgeToken({ alg, typ: "JWT" }, { ...genuine, ...claims }, key);
}

const NAMES = Object.keys(MATRIX) as Name[];

let subjects: Subjects;
const admin = service.client("admin");
beforeAll(async () => {
  subjects = await newSubjects(service);
  // loadSample finds it there.
  await (await service.loginAs("editor")).send("POST", "/api/sample");
});

test("an administrator's access tokens are for every scope", () => {
  const scopes = Object.values(CALLERS).flatMap(({ scope = [] }) => scope);
  expect(scopes.toSorted()).toEqual([...SCOPES].sort());
});

type Expected = { readonly status: number; readonly body?: unknown };

/** What a caller is answered, by the row of the matrix alone; the scope that is needed is the operation's. */
function expectedOf(name: Name, { reach, scope }: Caller): Expected {
  const { level, success, successOf } = MATRIX[name];
  const isAllowed = LEVELS.indexOf(reach) >= LEVELS.indexOf(level);
  if (scope === undefined) {
    if (isAllowed) return { status: successOf?.[reach] ?? success };
    return { status: reach === "public" ? 401 : 403, body: refusalOf(name, reach) };
  }
  const operation: Operation = operations[name];
  const needed = scopeOf(operation, operation.access);
  // Nobody is asked who probes, reads metrics on the service's own machine, or looks for an institute's sign-in.
  const isOpen = operation.rate === "none" || operation.needs !== undefined;
  const isEnough = isOpen || (needed !== "session" && includesScope([scope], needed));
  if (!isEnough) return { status: 403, body: expect.stringContaining("access token") };
  // What owners and administrators do is not an editor's; what writes nothing is everybody's by a token.
  const isReading = operation.method !== "GET" && needed === "read";
  if (!isOpen && !isAllowed && !isReading)
    return { status: 403, body: expect.stringContaining('"code":"FORBIDDEN"') };
  // Whoever is an administrator has no higher role to ask for.
  const role = name === "submitRoleRequest" ? "admin" : reach;
  return { status: successOf?.[role] ?? success };
}

/** The event service answers as its standard says. */
function refusalOf(name: string, reach: Level): unknown {
  if (name.startsWith("fdsn")) return expect.stringMatching(/^Error 401: Unauthorized\n\n/);
  return reach === "public"
    ? { error: "Authentication required", code: "UNAUTHENTICATED" }
    : { error: "Insufficient permissions", code: "FORBIDDEN" };
}

/** Set up already, and without an institute, whose answers may have any parameter. */
const NOTHING_THERE: readonly string[] = [
  "loadSetupSample",
  "createFirstAdministrator",
  "beginOpenId",
  "finishOpenId",
  "joinOpenId",
];

/** What refuses a parameter that it does not know, once it has seen who asks and what he may do. */
function refusesParameters(name: Name): boolean {
  const { rate, upgrade }: Operation = operations[name];
  return rate !== "none" && !upgrade && !NOTHING_THERE.includes(name);
}

type Request = ReturnType<(typeof MATRIX)[Name]["request"]>;

/** The request with a parameter that no operation knows. */
const withUnknown = ([method, path, body]: Request): Request => [
  method,
  `${path}${path.includes("?") ? "&" : "?"}nosuchparameter=1`,
  body,
];
const REFUSED_PARAMETER = { status: 400, body: expect.stringContaining("nosuchparameter") };

/** What one hook makes guests of is asked one operation of each kind. */
const OF_EACH_KIND = NAMES.filter((name, i) => {
  const kindOf = (one: Name) => {
    const { access, rate }: Operation = operations[one];
    return [access, rate, one.startsWith("fdsn")].join();
  };
  return NAMES.findIndex((other) => kindOf(other) === kindOf(name)) === i;
});

/** Those whose role is just enough do what is asked; of those who may do more, it is seen that they may. */
function isDone(name: Name, { reach, scope }: Caller): boolean {
  const { level, successOf } = MATRIX[name];
  if (!refusesParameters(name)) return true;
  return scope === undefined && (reach === level || successOf?.[reach] !== undefined);
}

test("each caller is answered by each operation as its row says", async () => {
  for (const [who, caller] of Object.entries(CALLERS)) {
    const token = await caller.token();
    const isChanging = caller.scope === undefined && ["editor", "admin"].includes(caller.reach);
    const own = isChanging ? await newSubjects(service) : subjects;
    const isNobody = caller.reach === "public" && caller.scope === undefined && who !== "a guest";
    const answers: unknown[] = [];
    const expected: unknown[] = [];
    for (const name of isNobody ? OF_EACH_KIND : NAMES) {
      const { request } = MATRIX[name];
      const done = isDone(name, caller);
      const byRow = expectedOf(name, caller);
      const isAllowed = byRow.body === undefined;
      const { status, body } = isAllowed && !done ? REFUSED_PARAMETER : byRow;
      // What is read is not changed meanwhile: analyses are made once.
      const shared = operations[name].method === "GET" ? subjects : own;
      const about =
        isAllowed && done && spends(name) ? await newSubjects(service, request) : shared;
      // It ends the session by which it is sent.
      const isOver = isAllowed && done && name === "changePassword";
      const client = createApiClient(service.url, isOver ? await caller.token() : token);
      const asked = request(about);
      const answer = await call(client, isAllowed && !done ? withUnknown(asked) : asked);
      const caching = answer.headers.get("cache-control");
      const told = JSON.stringify(answer.body).slice(0, 300);
      const isText = isAllowed || caller.scope !== undefined;
      answers.push([who, name, answer.status, caching, isText ? told : answer.body]);
      const reach = caller.scope === undefined ? caller.reach : "viewer";
      const kept = answer.status >= 400 ? "no-store" : cachingOf(name, reach);
      expected.push([who, name, status, kept, body ?? told]);
    }
    expect(answers).toEqual(expected);
  }
});

/** What guests may read of a public catalogue. */
const READS = [
  "listVersions",
  "getVersion",
  "getBulletin",
  "getCitation",
  "getDiff",
  "getAnalyticsSummary",
  "getNearestNeighbours",
  "getMagnitudeFrequency",
  "getCompleteness",
  "getBValue",
  "getRates",
  "getMoment",
  "getInterEventTimes",
  "getDepths",
  "getDensity",
  "getOmori",
  "getQuality",
  "plotMagnitudeFrequency",
  "plotCompleteness",
  "plotRates",
  "plotTimeMagnitude",
  "plotDepths",
  "plotOmori",
  "plotDensity",
  "plotNearestNeighbour",
  "listEvents",
  "filterEvents",
  "getEventColumns",
  "getEvent",
  "getEventHistory",
  "getArrivals",
] as const;

const KEPT: ReadonlySet<string> = new Set([
  ...READS,
  "listCatalogues",
  "getCatalogue",
  "listLabels",
  "exportCatalogue",
  "fdsnQuery",
  "fdsnCount",
  "fdsnCatalogs",
  "fdsnContributors",
  "fdsnVersion",
  "fdsnWadl",
  "fdsnApplicationJson",
  "getSummaryFeed",
  "getEventDetail",
]);

/** What is the same for everybody. */
const OPEN: ReadonlySet<string> = new Set([
  "getOgcLanding",
  "getOgcDefinition",
  "getOgcConformance",
  "listOgcCollections",
]);

/** What has no end. */
const STREAMED: ReadonlySet<string> = new Set(["followCatalogue", "followCatalogues"]);

/** Who may keep an answer about a private catalogue; that of the list for guests tells of none. */
function cachingOf(name: string, reach: Level): string {
  if (OPEN.has(name)) return "public, no-cache";
  if (STREAMED.has(name)) return "no-cache, no-transform";
  if (!KEPT.has(name)) return "no-store";
  return name === "listCatalogues" && reach === "public" ? "public, no-cache" : "private, no-cache";
}

test("a catalogue is open to guests by reads alone, from the moment it is public until it is no more", async () => {
  const guest = createApiClient(service.url);
  const path = `/api/catalogues/${subjects.catalogue}`;
  const readsAre = async (status: number) => {
    const answers = [];
    for (const name of READS) {
      answers.push([name, (await call(guest, MATRIX[name].request(subjects))).status]);
    }
    expect(answers).toEqual(READS.map((name) => [name, status]));
  };
  await readsAre(401);
  await admin.send("PATCH", path, { is_public: true });
  await readsAre(200);
  for (const name of NAMES) {
    const { level, request } = MATRIX[name];
    const isWrite = level !== "public" && operations[name].method !== "GET";
    if (isWrite) expect([name, (await call(guest, request(subjects))).status]).toEqual([name, 401]);
  }
  await admin.send("PATCH", path, { is_public: false });
  await readsAre(401);
});

test("a parameter that no operation knows is refused by its name, but by probes", async () => {
  for (const name of NAMES.filter((one) => !NOTHING_THERE.includes(one))) {
    const { status, body } = await call(admin, withUnknown(MATRIX[name].request(subjects)));
    if (refusesParameters(name))
      expect([name, status, JSON.stringify(body)]).toEqual([
        name,
        400,
        expect.stringContaining("nosuchparameter"),
      ]);
    // They are answered whatever their clients add to the address.
    else expect(operations[name].rate === "none" ? [200, 503] : [400], name).toContain(status);
  }
});

test("sessions alone make tokens and alerts, change passwords and end sessions; what else changes something needs the scope write or admin", () => {
  const named = (isOne: (operation: Operation) => boolean) =>
    NAMES.filter((name) => isOne(operations[name])).toSorted();
  const scopesOf = (operation: Operation) =>
    addressesOf(operation).map(({ access }) => scopeOf(operation, access));
  expect(named((operation) => scopesOf(operation).includes("session"))).toEqual([
    "changePassword",
    "createAlert",
    "createToken",
    "deleteAlert",
    "logout",
    "retryAlertDelivery",
    "testAlert",
    "updateAlert",
  ]);
  // What guests may do too, and what writes nothing.
  const weak = named(
    (one) => one.method !== "GET" && one.access !== "public" && scopeOf(one, one.access) === "read",
  );
  expect(weak).toEqual([
    "evaluateMerge",
    "findDuplicates",
    "previewAlert",
    "previewMerge",
    "previewRefresh",
  ]);
});
