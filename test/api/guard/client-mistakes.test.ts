import { randomUUID } from "node:crypto";
import { connect } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createLogger } from "#infra/logging/logger.ts";
import { administrator, newAccount } from "../../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { type ApiClient, createApiClient } from "../../support/api-client.ts";
import { useService } from "../../support/service.ts";

const SOON = { timeout: 20_000 };

type Line = { readonly level: string; readonly msg: string; readonly requestId?: string };

const lines: Line[] = [];
const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Line) };
const logger = createLogger({ level: "trace", pretty: false, destination });
const service = useService(
  { RATE_LIMIT_AUTH: "20", MAX_BODY_MB: "1", MAX_UPLOAD_MB: "1" },
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

const json = { "content-type": "application/json" };
const ID = randomUUID();
const TAKEN = { name: "Ana", email: "admin@example.org", password: "long enough" };

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

  test.each([
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
  ] as const)("%i to %s %s", async (expected, method, path, body, headers) => {
    expect(await send(method, path.replace(":id", catalogue), body, headers)).toBe(expected);
  });

  test("429 to what is tried too often", async () => {
    const guess = { email: "nobody@example.org", password: "a guess" };
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 30) {
      statuses.push(await send("POST", "/api/auth/login", guess));
    }
    expect(statuses.at(-1)).toBe(429);
  });

  test.each([
    ["no row that can be read", "a,b\n", 500],
    ["nothing in it", "", 400],
    ["another format", "\u0000\u0001\u0002", 400],
    ["a broken document", "<q:quakeml><eventParameters", 500],
  ])("a file with %s", async (_title, content, expected) => {
    expect(await send("POST", "/api/upload", fileForm(content))).toBe(expected);
  });

  test("an operation that fails by what was asked", async () => {
    const source = { id: catalogue, source: "a" };
    const other = { id: ID, source: "b" };
    const config = { timeThreshold: 1, distanceThreshold: 1, mergeStrategy: "newest" };
    const body = { name: "merged", sourceCatalogues: [source, other], config };
    expect(await send("POST", "/api/merge", body, { prefer: "respond-async" })).toBe(202);
    await vi.waitFor(() => {
      expect(lines.filter(({ msg }) => msg === "a job failed")).toHaveLength(1);
    }, SOON);
  });
});

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

  test.each([
    ["in the middle of a JSON body", "POST", "/api/catalogues", "application/json"],
    ["in the middle of a large body", "POST", "/api/catalogues/:id/events", "application/json"],
    ["in the middle of a file", "POST", "/api/upload", "multipart/form-data; boundary=x"],
  ])("%s", async (_title, method, path, type) => {
    const part =
      '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\na,b\n';
    const head = `${method} ${path.replace(":id", catalogue)} HTTP/1.1\r\ncontent-type: ${type}\r\ncontent-length: 90000\r\n\r\n`;
    await goAfter(head, type === json["content-type"] ? '{"name": "x"' : part, 0);
  });

  test.each([
    ["before the answer of", 0],
    ["in the middle of", 1],
  ])("%s an export", async (_title, bytes) => {
    for (const format of ["csv", "quakeml"]) {
      const path = `/api/catalogues/${catalogue}/export?format=${format}`;
      await goAfter(`GET ${path} HTTP/1.1\r\n\r\n`, "", bytes);
    }
  });

  test("a client that goes is no error in the log in the middle of a list, or before it", async () => {
    const path = `/api/catalogues/${catalogue}/events/filtered`;
    for (const bytes of [0, 1]) await goAfter(`GET ${path} HTTP/1.1\r\n\r\n`, "", bytes);
  });

  test("while its catalogue is written", async () => {
    const body = JSON.stringify({ name: "x", events: [seismicEvent()] });
    const head = `POST /api/catalogues HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    await goAfter(head, body, 0);
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
