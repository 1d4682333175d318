import { beforeAll, describe, expect, test } from "vitest";
import { operations } from "#contracts/http/table/operations.ts";
import { createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";
import { newAccount } from "../support/accounts.ts";
import { expectRefusal } from "../support/refusal.ts";
import { claimsOf, forgeToken } from "../support/tokens.ts";
import { MATRIX } from "./matrix/matrix.ts";
import { LEVELS, type Level, type Row, type Subjects } from "./matrix/row.ts";
import { call, newSubjects } from "./subjects.ts";

const JWT_SECRET = "a secret that only this file knows";
const service = useService({ JWT_SECRET });

/** What each caller reaches. Whose token is not good is a guest, whatever it claims to be. */
const CALLERS = {
  "a guest": { reach: "public", token: async () => undefined },
  "a viewer": { reach: "viewer", token: () => freshToken("viewer") },
  "an editor": { reach: "editor", token: () => freshToken("editor") },
  "an administrator": { reach: "admin", token: () => freshToken("admin") },
  "a disabled administrator": { reach: "public", token: tokenOfDisabled },
  "a deleted administrator": { reach: "public", token: tokenOfDeleted },
  "a signed-out administrator": { reach: "public", token: tokenOfSignedOut },
  "a token signed with another key": {
    reach: "public",
    token: () =>
      forged({ alg: "HS256" }, { hash: "sha256", secret: "another secret of 32 letters..." }),
  },
  "a token without a signature": {
    reach: "public",
    token: () => forged({ alg: "none" }, { hash: null, secret: "" }),
  },
  "a token signed with another algorithm": {
    reach: "public",
    token: () => forged({ alg: "HS512" }, { hash: "sha512", secret: JWT_SECRET }),
  },
  "an expired token": {
    reach: "public",
    token: () =>
      forged({ alg: "HS256" }, { hash: "sha256", secret: JWT_SECRET }, { iat: 1, exp: 2 }),
  },
} as const satisfies Record<string, { reach: Level; token: () => Promise<string | undefined> }>;

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
  header: Record<string, string>,
  key: Parameters<typeof forgeToken>[2],
  claims: Record<string, unknown> = {},
): Promise<string> {
  const genuine = claimsOf(await freshToken("admin"));
  return forgeToken({ ...header, typ: "JWT" }, { ...genuine, ...claims }, key);
}

const operationNames = Object.keys(MATRIX) as (keyof typeof MATRIX)[];

/** Of requests that may end the session by which they are sent. */
const SESSION_PATH = /^\/api\/(?:auth|users)(?:\/|$)/;

let sharedSubjects: Subjects;
beforeAll(async () => {
  sharedSubjects = await newSubjects(service);
  // loadSample finds it there.
  await (await service.loginAs("editor")).send("POST", "/api/sample");
});

test("every operation has its row in the matrix", () => {
  expect(operationNames.toSorted()).toEqual(Object.keys(operations).sort());
});

describe.each(Object.entries(CALLERS))("%s", (_name, { reach, token }) => {
  const allowed = (level: Level) => LEVELS.indexOf(reach) >= LEVELS.indexOf(level);
  let sharedToken: string | undefined;
  beforeAll(async () => {
    sharedToken = await token();
  });
  const rows = operationNames.map((name) => {
    const { level } = MATRIX[name];
    const verb = allowed(level) ? "may call" : "is refused by";
    return { name, verb };
  });

  test.each(rows)("$verb $name", async ({ name }) => {
    const { level, request, success, successOf }: Row = MATRIX[name];
    const [method, path] = request(sharedSubjects);
    // What may change something changes subjects, or ends a session, of its own.
    const changes = method !== "GET" && allowed(level);
    const subjects = changes ? await newSubjects(service, request) : sharedSubjects;
    const ownToken = changes && SESSION_PATH.test(path) ? await token() : sharedToken;
    const client = createApiClient(service.url, ownToken);
    const answer = await call(client, request(subjects));
    if (allowed(level)) {
      const expected = successOf?.[reach] ?? success;
      expect(answer.status, JSON.stringify(answer.body)).toBe(expected);
      expect(answer.headers.get("cache-control")).toBe(cachingOf(name, reach));
    } else {
      expect(answer.status).toBe(reach === "public" ? 401 : 403);
      expect(answer.body).toEqual(refusalOf(name, reach));
    }
    if (answer.status >= 400) expect(answer.headers.get("cache-control")).toBe("no-store");
  });
});

/** The event service answers as its standard says. */
function refusalOf(name: string, reach: Level): unknown {
  if (name.startsWith("fdsn")) return expect.stringMatching(/^Error 401: Unauthorized\n\n/);
  return reach === "public"
    ? { error: "Authentication required", code: "UNAUTHENTICATED" }
    : { error: "Insufficient permissions", code: "FORBIDDEN" };
}

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

describe("a public catalogue", () => {
  test.each(READS)(
    "a public catalogue is open to guests by %s from the moment it is public",
    async (name) => {
      const guest = createApiClient(service.url);
      const editor = await service.loginAs("editor");
      const subjects = await newSubjects(service, MATRIX[name].request);
      const read = () => call(guest, MATRIX[name].request(subjects));
      expectRefusal(await read(), "UNAUTHENTICATED");
      await editor.send("PATCH", `/api/catalogues/${subjects.catalogue}`, { is_public: true });
      expect((await read()).status).toBe(200);
      await editor.send("PATCH", `/api/catalogues/${subjects.catalogue}`, { is_public: false });
      expectRefusal(await read(), "UNAUTHENTICATED");
    },
  );

  test.each([
    "updateCatalogue",
    "deleteCatalogue",
    "addEvents",
    "changeEvent",
    "removeEvent",
    "restoreEvent",
    "convertMagnitudes",
  ] as const)("a public catalogue is not open to guests by %s", async (name) => {
    const editor = await service.loginAs("editor");
    const subjects = await newSubjects(service, MATRIX[name].request);
    await editor.send("PATCH", `/api/catalogues/${subjects.catalogue}`, { is_public: true });
    const guest = createApiClient(service.url);
    expectRefusal(await call(guest, MATRIX[name].request(subjects)), "UNAUTHENTICATED");
  });
});
