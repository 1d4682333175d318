import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { catalogueStream } from "#contracts/events/log.ts";
import { fromRecorded } from "#infra/log/domain-events.ts";
import { createLogger } from "#infra/process/logger.ts";
import { basic, newAccessToken } from "../../support/api/access-tokens.ts";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const SOON = { timeout: 20_000 };

type Line = {
  readonly level: string;
  readonly msg: string;
  readonly requestId?: string;
} & Readonly<Record<string, unknown>>;

/** Since the test before. */
const lines: Line[] = [];
/** As they are written. */
const written: string[] = [];
const destination = {
  write: (line: string) => {
    written.push(line);
    lines.push(JSON.parse(line) as Line);
  },
};
const logger = createLogger({ level: "trace", pretty: false, destination });
const service = useService(
  { RATE_LIMIT_AUTH: "30", MAX_BODY_MB: "1", MAX_UPLOAD_MB: "1" },
  { logger },
);

let token: string;
let editor: ApiClient;
let catalogue: string;
beforeAll(async () => {
  await administrator(service);
  ({ token, client: editor } = await (await newAccount(service, "editor")).signIn());
  const events = Array.from({ length: 5_000 }, () => seismicEvent());
  ({ id: catalogue } = await createCatalogue(editor, { events }));
  lines.length = 0;
});

/** The line of a request, which is written when its connection is done with it. */
function untilLogged(requestId: string): Promise<void> {
  return vi.waitFor(() => {
    expect(lines.filter((line) => line.requestId === requestId)).not.toEqual([]);
  }, SOON);
}

afterEach(() => {
  const alarming = lines.filter(({ level }) => !["info", "debug", "trace"].includes(level));
  lines.length = 0;
  expect(alarming).toEqual([]);
});

const ID = randomUUID();
const TAKEN = { name: "Ana", email: "admin@example.org", password: "long enough" };

describe("a client that goes is no error in the log:", () => {
  /** Sends bytes of a request, waits for as much of an answer, and goes. */
  async function goAfter(head: string, body: string | Buffer, answerBytes: number): Promise<void> {
    const requestId = randomUUID();
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname);
    const lead = `host: ${hostname}\r\nauthorization: Bearer ${token}\r\nx-request-id: ${requestId}`;
    socket.write(head.replace("\r\n", `\r\n${lead}\r\n`));
    socket.write(body);
    let received = 0;
    if (answerBytes > 0) {
      for await (const bytes of socket) {
        received += (bytes as Buffer).length;
        if (received >= answerBytes) break;
      }
    } else {
      await vi.waitFor(() => expect(socket.bytesWritten).toBeGreaterThan(0));
    }
    socket.resetAndDestroy();
    await untilLogged(requestId);
  }

  test("in the middle of a body, and while its catalogue is written", async () => {
    const part =
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n';
    for (const [path, type] of [
      ["/api/catalogues", "application/json"],
      [`/api/catalogues/${catalogue}/events`, "application/json"],
      ["/api/upload", "multipart/form-data; boundary=x"],
    ] as const) {
      const head = `POST ${path} HTTP/1.1\r\ncontent-type: ${type}\r\ncontent-length: 90000\r\n\r\n`;
      await goAfter(head, type === "application/json" ? '{"name": "x"' : part, 0);
    }
    const body = JSON.stringify({ name: "x", events: [seismicEvent()] });
    const head = `POST /api/catalogues HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    await goAfter(head, body, 0);
  });

  test("in the middle of an answer, or before it", async () => {
    for (const path of ["export?format=csv", "export?format=quakeml", "events/filtered"]) {
      for (const bytes of [0, 1])
        await goAfter(`GET /api/catalogues/${catalogue}/${path} HTTP/1.1\r\n\r\n`, "", bytes);
    }
  });
});

test("what is no HTTP is no error in the log", async () => {
  const { hostname, port } = new URL(service.url);
  for (const text of [
    "nonsense\r\n\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET /%zz HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
    "POST /api/catalogues HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\ncontent-type: application/json\r\n\r\nzz\r\n",
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(20_000)}\r\n\r\n`,
    "\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001",
  ]) {
    const socket = connect(Number(port), hostname);
    socket.end(text);
    await socket.toArray();
  }
  const requestId = randomUUID();
  await createApiClient(service.url).get("/api/health", { "x-request-id": requestId });
  await untilLogged(requestId);
});

/** The access line of the request with this id: written when its connection has taken the answer. */
async function lineOf(requestId: string): Promise<Line> {
  return vi.waitFor(() => {
    const found = lines.filter(
      (line) => line.requestId === requestId && line.msg === "request answered",
    );
    expect(found).toHaveLength(1);
    return found[0] as Line;
  });
}

test("each request has one line that tells who asked for what, and how it went", async () => {
  const editor = await service.loginAs("editor");
  const { body: session } = await editor.get<{ user: { id: string } }>("/api/auth/session");
  const { id } = await createCatalogue(editor);
  const requestId = randomUUID();
  await editor.get(`/api/catalogues/${id}/events?limit=1`, { "x-request-id": requestId });
  expect(await lineOf(requestId)).toMatchObject({
    subsystem: "gateway",
    level: "info",
    method: "GET",
    route: "/api/catalogues/:id/events",
    status: 200,
    durationMs: expect.any(Number),
    userId: session.user.id,
  });
});

test("a request that is refused has its line, without its path", async () => {
  for (const [path, route, status] of [
    ["/nowhere?token=secret-in-query", null, 404],
    ["/api/users", "/api/users", 401],
    ["/api/catalogues?page=0", "/api/catalogues", 400],
    ["/api/catalogues/%", null, 400],
  ] as const) {
    const requestId = randomUUID();
    await createApiClient(service.url).get(path, { "x-request-id": requestId });
    expect(await lineOf(requestId)).toMatchObject({ route, status, userId: null });
  }
});

// What people enter is in no line either: accounts/secrecy.
test("the secret of an access token is in no line of the log, however it is sent", async () => {
  const { id: tokenId, secret } = await newAccessToken(editor);
  const [scripted, wrong] = [randomUUID(), randomUUID()];
  const guest = createApiClient(service.url);
  const basicly = { authorization: basic(secret), "x-request-id": scripted };
  await guest.get(`/api/catalogues?search=${secret}`, basicly);
  expect(await lineOf(scripted)).toMatchObject({ status: 200, tokenId });
  const misspelt = { authorization: `Bearer ${secret}x`, "x-request-id": wrong };
  await guest.get("/api/catalogues", misspelt);
  await lineOf(wrong);
  expect(written.join("")).not.toContain(secret);
});

test("the secret of a share is in no line of the log, no event and no kept answer", async () => {
  const { id } = await createCatalogue(editor);
  const guest = createApiClient(service.url);
  const key = { "idempotency-key": randomUUID() };
  const path = `/api/catalogues/${id}/shares`;
  const first = await editor.send<{ share: { url: string } }>("POST", path, {}, key);
  const { url } = first.body.share;
  const secret = url.split("/").at(-1) ?? "";
  await guest.get(`${new URL(url).pathname}/events`);
  await guest.get(`${new URL(url).pathname}/nowhere`);
  for (const below of ["", `/catalogues/${id}`]) {
    await fetch(new URL(new URL(url).pathname + below, service.url), {
      headers: { accept: "text/html" },
    });
  }
  await guest.get(`${new URL(url).pathname}/events?asOf=nothing`);
  const again = await editor.send("POST", path, {}, key);
  expectRefusal(again, "CONFLICT");
  expect(JSON.stringify(again.body)).not.toContain(secret);
  expect(written.join("")).not.toContain(secret);
  const log = await service.log.open();
  const events = (await log.read(catalogueStream(id), 0, 1_000)).map(fromRecorded);
  await log.close();
  expect(events.at(-1)?.type).toBe("CatalogueShared");
  expect(JSON.stringify(events)).not.toContain(secret);
  expect((await editor.get(path)).body).toMatchObject({ shares: [{}] });
});

describe("a client's mistake is no error in the log:", () => {
  const send = (...[method, path, body, headers]: Parameters<ApiClient["send"]>) => {
    const requestId = randomUUID();
    return editor
      .send(method, path, body, { ...headers, "x-request-id": requestId })
      .then(async ({ status }) => {
        await untilLogged(requestId);
        return status;
      });
  };
  const asGuest = { authorization: "none" };

  test("whatever is refused for what it asks", async () => {
    const rows = [
      [400, "POST", "/api/catalogues", "{", {}],
      [400, "POST", "/api/catalogues", { events: [] }, {}],
      [400, "POST", "/api/catalogues", { name: "x", events: [{}] }, {}],
      [400, "POST", "/api/auth/register", {}, {}],
      [400, "POST", "/api/auth/reset-password", { token: "x", newPassword: "long enough" }, {}],
      [401, "POST", "/api/catalogues", {}, asGuest],
      [401, "POST", "/api/auth/login", { email: "a@b.org", password: "x" }, {}],
      [403, "DELETE", `/api/users/${ID}`, undefined, {}],
      [404, "DELETE", `/api/catalogues/${ID}`, undefined, {}],
      [404, "POST", "/nowhere", {}, {}],
      [404, "DELETE", `/api/catalogues/${"0".repeat(300)}`, undefined, {}],
      [409, "POST", "/api/auth/register", TAKEN, {}],
      [412, "DELETE", "/api/catalogues/:id", undefined, { "if-match": '"other"' }],
      [413, "POST", "/api/catalogues", `"${"x".repeat(2_000_000)}"`, {}],
      [415, "POST", "/api/auth/login", "x", { "content-type": "text/plain" }],
      [500, "POST", "/api/upload", fileForm("a,b\n"), {}],
      [400, "POST", "/api/upload", fileForm(""), {}],
      [400, "POST", "/api/upload", fileForm("\u0000\u0001\u0002"), {}],
      [500, "POST", "/api/upload", fileForm("<q:quakeml><eventParameters"), {}],
    ] as const;
    for (const [expected, method, path, body, headers] of rows) {
      const status = await send(method, path.replace(":id", catalogue), body, headers);
      expect([method, path, status]).toEqual([method, path, expected]);
    }
  });

  test("429 to what is tried too often", async () => {
    const guess = { email: "nobody@example.org", password: "a guess" };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40) {
      statuses.push(await send("POST", "/api/auth/login", guess));
    }
    expect(statuses.at(-1)).toBe(429);
  });

  test("an operation that fails by what was asked", async () => {
    const source = { id: catalogue, source: "a" };
    const other = { id: (await createCatalogue(editor)).id, source: "b" };
    // Events of no source.
    const events = [ID, randomUUID()].map((id) => ({ catalogue_id: id, event_id: id }));
    const decisions = [{ type: "same", events }];
    const within = { timeThreshold: 1, distanceThreshold: 1 };
    const config = { ...within, mergeStrategy: "newest", decisions };
    const body = { name: "merged", sourceCatalogues: [source, other], config };
    expect(await send("POST", "/api/merge", body, { prefer: "respond-async" })).toBe(202);
    await vi.waitFor(() => {
      expect(lines.filter(({ msg }) => msg === "a job failed")).toHaveLength(1);
    }, SOON);
  });
});

test("every line names its subsystem", () => {
  const subsystems = new Set(written.map((line) => (JSON.parse(line) as Line)["subsystem"]));
  expect(subsystems).not.toContain(undefined);
  expect(["alerts", "gateway", "notifier", "projector"]).toEqual(
    expect.arrayContaining([...subsystems]),
  );
});
