import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { ATTRIBUTE_NAMES } from "#contracts/seismic-event/attributes.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { requestBytes } from "../../support/rude-client.ts";
import { useService } from "../../support/service.ts";

/** An export of more than the sockets of both sides take, and a page of as much. */
const EVENTS = 4_000;
const NOTES = "a long text on an event, ".repeat(80);
const WAIT = { timeout: 60_000, interval: 50 };

const service = useService({ TRUST_PROXY: "true" });
const admin = service.client("admin");
let id = "";
beforeAll(async () => {
  const texts = { notes: NOTES, region: NOTES.slice(0, 255), author: NOTES.slice(0, 128) };
  const events = [...generateEvents(5, EVENTS)].map((event) => ({ ...event, ...texts }));
  ({ id } = await createCatalogue(admin, { is_public: true, events }));
});

const stalled = new Set<Socket>();
afterEach(() => {
  for (const socket of stalled) socket.destroy();
  stalled.clear();
});

type Headers = Readonly<Record<string, string>>;

/** A client that sends a request, or its beginning, and takes nothing. */
async function stall(path: string, headers: Headers, begun?: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname).on("error", () => undefined);
  stalled.add(socket);
  await once(socket, "connect");
  if (begun === undefined) socket.write(requestBytes({ path, headers }));
  else {
    const length = { "content-length": "1000000" };
    socket.write(requestBytes({ method: "POST", path, headers: { ...headers, ...length } }));
    socket.write(begun);
  }
  return socket;
}

type Metric = "answers_running" | "answers_waiting" | "answer_wait_seconds_count";

/** How answers stand, by kind. */
async function counted(metric: Metric, kind: string): Promise<number> {
  const { text } = await rawGet(service.url, "/metrics");
  return Number(new RegExp(`^${metric}\\{kind="${kind}"\\} (\\d+)$`, "m").exec(text)?.[1] ?? 0);
}

const untilCounted = (kind: string, running: number, waiting: number) =>
  vi.waitFor(async () => {
    expect(await counted("answers_running", kind)).toBe(running);
    expect(await counted("answers_waiting", kind)).toBe(waiting);
  }, WAIT);

const FORM = { "content-type": "multipart/form-data; boundary=xx" };
const PART = `--xx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntime,lat,lon\n`;

describe("of one user's exports and uploads some run, twelve wait and the next is 429", () => {
  // Half of what his network may have.
  test.each([
    ["exports", 3],
    ["uploads", 4],
  ] as const)("%s", async (kind, running) => {
    const { token, client } = await (await newAccount(service, "editor")).signIn();
    const headers = { authorization: `Bearer ${token}` };
    const begin = () =>
      kind === "exports"
        ? stall(`/api/catalogues/${id}/export?format=quakeml`, headers)
        : stall("/api/upload", { ...headers, ...FORM }, PART);
    const sockets: Socket[] = [];
    for (let i = 0; i < running + 12; i += 1) sockets.push(await begin());
    await untilCounted(kind, running, 12);

    const refused =
      kind === "exports"
        ? await client.get(`/api/catalogues/${id}/export`)
        : await client.send("POST", "/api/upload", PART, FORM);
    expectRefusal(refused, "RATE_LIMIT_EXCEEDED", `Too many ${kind} of yours`);
    const seconds = Number(refused.headers.get("retry-after"));
    expect(seconds).toBeGreaterThan(0);
    expect(refused.body).toMatchObject({ retryAfter: seconds });

    // Those of another network go on, and whoever leaves makes room.
    const other = (await (await newAccount(service, "editor")).signIn()).token;
    const elsewhere = { authorization: `Bearer ${other}`, "x-forwarded-for": "192.0.2.3" };
    const answer =
      kind === "exports"
        ? await rawGet(service.url, `/api/catalogues/${id}/export?maxMagnitude=2`, elsewhere)
        : await fetch(`${service.url}/api/upload`, {
            method: "POST",
            headers: { ...elsewhere, ...FORM },
            body: `${PART}2020-01-01,1,2\n\r\n--xx--\r\n`,
          });
    expect(answer.status).toBe(200);
    sockets[7]?.destroy();
    await untilCounted(kind, running, 11);
    sockets[0]?.destroy();
    await untilCounted(kind, running, 10);
  });

  test("an upload of which nothing has come takes no place", async () => {
    const { token, client } = await (await newAccount(service, "editor")).signIn();
    const headers = { authorization: `Bearer ${token}`, ...FORM };
    for (let i = 0; i < 17; i += 1) await stall("/api/upload", headers, "");
    const body = `${PART}2020-01-01,1,2\n\r\n--xx--\r\n`;
    const answer = await client.send("POST", "/api/upload", body, FORM);
    expect(answer.status).toBe(200);
  });
});

test("columns that nobody takes are read all the same, and keep no place", async () => {
  const headers = { "x-forwarded-for": "192.0.2.9", accept: "application/json" };
  const columns = `/api/catalogues/${id}/events/columns?columns=${["id", "time", ...ATTRIBUTE_NAMES]}`;
  for (let i = 0; i < 9; i += 1) await stall(columns, headers);
  await vi.waitFor(async () => {
    expect(await counted("answer_wait_seconds_count", "columns")).toBe(9);
  }, WAIT);
  await untilCounted("columns", 0, 0);
});

describe("large pages", () => {
  const path = () => `/api/catalogues/${id}/events/filtered`;

  test("large pages are all answered to 64 clients of one address, each in its turn", async () => {
    const turns = () => counted("answer_wait_seconds_count", "pages");
    const before = await turns();
    // Each asks something else: what was asked before needs no turn.
    const asked = Array.from({ length: 64 }, async (_, i) => {
      const response = await fetch(`${service.url}${path()}?minMagnitude=${4 - i / 1_000}`);
      await response.body?.cancel();
      return response.status;
    });
    expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
    expect((await turns()) - before).toBe(64);
    await untilCounted("pages", 0, 0);
  });

  test("large pages of one network that takes nothing keep no other waiting, nor its own small answers", async () => {
    const from = (address: string) => ({ "x-forwarded-for": address });
    for (let i = 0; i < 12; i += 1) await stall(path(), from("192.0.2.1"));
    await vi.waitFor(async () => {
      expect(await counted("answers_running", "pages")).toBe(0);
      expect(await counted("answers_waiting", "pages")).toBeGreaterThan(3);
    }, WAIT);
    const other = await rawGet(service.url, path(), from("192.0.2.2"));
    expect(other.status).toBe(200);
    const small = await rawGet(service.url, `/api/catalogues/${id}`, from("192.0.2.1"));
    expect(small.status).toBe(200);
    expect(await counted("answers_waiting", "pages")).toBeGreaterThan(3);
    // Once it takes them, its others come.
    for (const socket of stalled) socket.resume();
    await untilCounted("pages", 0, 0);
  });
});
