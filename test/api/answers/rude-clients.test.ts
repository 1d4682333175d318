import { setImmediate } from "node:timers/promises";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { FORMAT_OF } from "#contracts/fdsn/parameters.ts";
import { EXPORT_FORMATS } from "#contracts/http/exports.ts";
import { newAccount } from "../../support/api/accounts.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import { EVERYTHING, importEvents, useImports } from "../../support/api/imports.ts";
import { rawGet } from "../../support/api/raw-request.ts";
import { generateEvents, randomOf } from "../../support/generate-catalogue.ts";
import { clientsAt, openResources, spoolsAmong } from "../../support/open-resources.ts";
import { askRudely, type RudeRequest, requestBytes, WAYS_OUT } from "../../support/rude-client.ts";

const ABORTS = 1_000;
const AT_ONCE = 12;
const SEED = 11;
/**
 * Written by a thread of their own, and more than a client's and a server's socket take. Their ids as JSON
 * need a file.
 */
const EVENTS = 7_000;
/** More rows than are kept in memory: the answer needs a file. */
const UPLOADED = `time,lat,lon,mag,region\n${`2020-01-01,1,2,3,${"somewhere ".repeat(40)}\n`.repeat(12_000)}`;

const WAIT = { timeout: 60_000, interval: 200 };

const scene = useImports({}, { MAX_UPLOAD_MB: "10" });
const { service } = scene;
const random = randomOf(SEED);
const below = (end: number): number => Math.floor(random() * end);
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const client = service.client("admin");
let token = "";
let id = "";
beforeAll(async () => {
  ({ token } = await (await newAccount(service, "admin")).signIn());
  const events = [...generateEvents(SEED, EVENTS)];
  ({ id } = await createCatalogue(client, { name: "large", is_public: true, events }));
});

/** An answer that ends ends its connection: whoever waits for more of it sees that. */
const headers = () => ({ authorization: `Bearer ${token}`, connection: "close" });
const get = (path: string, accept = "*/*"): RudeRequest => ({
  path,
  headers: { ...headers(), accept },
});

function upload(): RudeRequest {
  const body = Buffer.from(
    `--xx\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\n${UPLOADED}\r\n--xx--\r\n`,
  );
  const type = { "content-type": "multipart/form-data; boundary=xx" };
  return { method: "POST", path: "/api/upload", headers: { ...headers(), ...type }, body };
}

/** An import whose agency never answers. */
async function runningOperation(): Promise<string> {
  scene.agency.fail(() => ({ kind: "hang" }));
  const asked = { ...EVERYTHING, catalogueName: "hanging" };
  const answer = await importEvents(client, asked, { prefer: "respond-async" });
  return answer.headers.get("location") ?? "";
}

/** So many turns of the event loop, which the service shares: any moment of what it does. */
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await setImmediate();
}

async function leaveMany(count: number, leave: () => Promise<void>): Promise<void> {
  let left = count;
  const one = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await leave();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Connections to PostgreSQL that are taken, places in queues, and bytes in memory for answers. */
async function heldForAnswers(): Promise<string[]> {
  const { text } = await rawGet(service.url, "/metrics");
  const held =
    /^(?:database_pool_connections\{pool="(?:export|pages)",state="active"|answers_|answer_bytes_)/;
  return text.split("\n").filter((line) => held.test(line) && !line.endsWith(" 0"));
}

test(`after ${ABORTS} clients have left at any moment, nothing of their answers is left`, {
  timeout: 300_000,
}, async () => {
  const operation = await runningOperation();
  onTestFinished(async () => {
    await client.send("DELETE", operation);
  });
  const kinds: readonly (() => RudeRequest)[] = [
    () => get(`/api/catalogues/${id}/export?format=${pick(Object.keys(EXPORT_FORMATS))}`),
    () => get(`/api/catalogues/${id}/export?maxMagnitude=2&orderBy=magnitude`),
    () => get(`/api/catalogues/${id}/fdsnws/event/1/query?format=${pick(Object.keys(FORMAT_OF))}`),
    () => get(`/api/ogc/collections/${id}/items`),
    () => get(`/api/catalogues/${id}/events/filtered`),
    () => get(`/api/catalogues/${id}/events/columns`, pick(["*/*", "application/json"])),
    () => get(`/api/catalogues/${id}/events?limit=1000`),
    () => get("/api/audit?limit=200"),
    () => get("/api/docs/static/swagger-ui-bundle.js"),
    upload,
  ];
  const endless = get(`${operation}/stream`);
  const leave = async (): Promise<void> => {
    const isEndless = random() < 0.1;
    const bytes = requestBytes(isEndless ? endless : pick(kinds)());
    await askRudely(service.url, bytes, {
      leaves: pick(WAYS_OUT),
      sends: random() < 0.8 ? bytes.length : below(bytes.length),
      takes: random() < 0.5 ? 0 : below(isEndless ? 300 : pick([2_000, 2_000_000])),
      lingers: () => turns(below(pick([3, 150]))),
    });
  };
  const port = Number(new URL(service.url).port);
  // Those of well-behaved clients, which are kept for their next request.
  const known = clientsAt(await openResources(), port);
  const held = async () => {
    const open = await openResources();
    return {
      clients: clientsAt(open, port).filter((client) => !known.includes(client)),
      forAnswers: await heldForAnswers(),
      spools: spoolsAmong(open),
      files: open.files,
    };
  };
  const before = await held();
  expect(before).toMatchObject({ clients: [], forAnswers: [], spools: 0 });
  await leaveMany(ABORTS, leave);
  await vi.waitFor(async () => expect(await held()).toEqual(before), WAIT);
  const answers = await Promise.all(
    Array.from({ length: 4 }, () => client.get(`/api/catalogues/${id}/export`)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});
