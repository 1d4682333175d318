import { afterAll, beforeAll, expect, test, vi } from "vitest";
import type { ImportResult } from "#contracts/http/imports.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import { fileForm } from "../support/api/file-form.ts";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { useDatabase } from "../support/database.ts";
import { withClient } from "../support/database-template.ts";
import { openResources } from "../support/open-resources.ts";
import { memoryOf, peakMemoryOf } from "../support/process-figures.ts";
import { type ServiceProcess, startServiceProcess } from "../support/service-process.ts";
import { unlimitedFor } from "../support/unlimited-for.ts";

const ADMIN = { email: "admin@example.org", password: "a long admin password" };
const EVENTS = 100_000;
const PICKS = 2;
/** Of an event as QuakeML there are at least so many bytes. */
const EVENT_BYTES = 2_000;
const IMPORTING_MIB = 600;
const TIMES = 100;
const AT_ONCE = 4;
const LEFT_EVENTS = 2_000;
/** What a process may hold more after its answers than before, for V8 collects when it likes. */
const MORE_MIB = 96;
const HELD = { timeout: 60_000, interval: 100 };
/** A minute on a quiet machine. */
const TEST_TIMEOUT_MS = 900_000;

const database = useDatabase();
let agency: TestAgency;
let service: ServiceProcess;
let client: ApiClient;
beforeAll(async () => {
  agency = await startTestAgency({ events: servedEvents(5, EVENTS), picks: PICKS });
  service = await startServiceProcess({
    DATABASE_URL: database.url,
    JWT_SECRET: "a secret of the tests alone, 32 long",
    PUBLIC_BASE_URL: "http://catalogues.example.org",
    AGENCY_URL: agency.url,
    AGENCY_TIMEOUT: "600",
    ...unlimitedFor(ADMIN),
  });
  client = await signIn(service.url, ADMIN);
});
afterAll(async () => {
  await service.stop();
  await agency.close();
});

type Answered = { readonly bytes: number; readonly events: number };

/** Reads an answer, to its end or until it has brought so many bytes, and counts its events. */
async function read(path: string, until = Number.POSITIVE_INFINITY): Promise<Answered> {
  const answer = await client.stream(path, { "accept-encoding": "identity" });
  expect(answer.status).toBe(200);
  let [bytes, events, rest] = [0, 0, ""];
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    const text = rest + Buffer.from(piece).toString("latin1");
    events += text.split("</event>").length - 1;
    rest = text.slice(-7);
    if (bytes >= until) break;
  }
  return { bytes, events };
}

/** No statement runs, no transaction is open and no file of an answer, but for moments in which the service looks around. */
async function expectNothingHeld(): Promise<void> {
  const running = await withClient(database.url, async (own) => {
    const { rows } = await own.query<{ query: string }>(
      `select query from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and backend_type = 'client backend' and state <> 'idle'`,
    );
    return rows.map(({ query }) => query);
  });
  const { files } = await openResources(service.pid);
  expect({ running, files }).toEqual({ running: [], files: [] });
}

test(
  `${EVENTS} whole events are imported, exported and answered whole; after ${TIMES} answers that were left at half nothing is held`,
  async () => {
    let id = "";
    const [importing] = await peakMemoryOf(service.pid, async () => {
      const window = { startDate: "2014-01-01", endDate: "2024-01-01" };
      const { body } = await client.send<ImportResult>("POST", "/api/import/agency", window);
      expect(body).toMatchObject({ success: true, newEvents: EVENTS });
      expect(body.elements?.["arrival"]).toEqual({
        read: EVENTS * PICKS,
        kept: EVENTS * PICKS,
        dropped: 0,
      });
      id = body.catalogueId;
    });
    expect(importing).toBeLessThan(IMPORTING_MIB);

    const exporting = `/api/catalogues/${id}/export?format=quakeml`;
    const answering = `/api/catalogues/${id}/fdsnws/event/1/query?includearrivals=true`;
    const [reading] = await peakMemoryOf(service.pid, async () => {
      for (const path of [exporting, answering]) {
        const { events, bytes } = await read(path);
        expect(events).toBe(EVENTS);
        expect(bytes).toBeGreaterThan(EVENTS * EVENT_BYTES);
      }
    });
    expect(reading).toBeLessThan(importing + MORE_MIB);

    const few = `${answering}&limit=${LEFT_EVENTS}`;
    const { bytes } = await read(few);
    await vi.waitFor(expectNothingHeld, HELD);
    const held = await memoryOf(service.pid);
    for (let left = 0; left < TIMES; left += AT_ONCE) {
      const leaving = Array.from({ length: AT_ONCE }, () => read(few, bytes / 2));
      for (const { events } of await Promise.all(leaving)) expect(events).toBeLessThan(LEFT_EVENTS);
    }
    await vi.waitFor(expectNothingHeld, HELD);
    expect(await memoryOf(service.pid)).toBeLessThan(held + MORE_MIB);
    expect((await read(few)).events).toBe(LEFT_EVENTS);
  },
  TEST_TIMEOUT_MS,
);

test("reading a real-time document takes no memory for 50,000 objects beside its event", async () => {
  const OBJECTS = 50_000;
  await uploadBeside(OBJECTS / 10);
  const before = await memoryOf(service.pid);
  const peak = await peakMemoryOf(service.pid, () => uploadBeside(OBJECTS));
  expect(peak).toBeLessThan(before + 48);
});

/** A file of one event and so many picks beside it, of which it names the last; 1.5 KiB each. */
async function uploadBeside(objects: number): Promise<void> {
  const remark = "a pick that no event has ".repeat(52);
  const head =
    '<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml-rt/1.2" xmlns="http://quakeml.org/xmlns/bed-rt/1.2">' +
    '<eventParameters publicID="smi:test.local/all">';
  const pick = (i: number) =>
    `<pick publicID="smi:test.local/pick/${i}"><time><value>2024-01-01T00:00:00Z</value></time>` +
    `<waveformID networkCode="NZ" stationCode="WEL"/><comment><text>${remark}</text></comment></pick>\n`;
  const event =
    '<event publicID="smi:test.local/event/1"><originReference><originID>smi:test.local/origin/1</originID></originReference></event>' +
    '<origin publicID="smi:test.local/origin/1"><time><value>2024-01-01T00:00:00Z</value></time>' +
    "<latitude><value>1.5</value></latitude><longitude><value>2.5</value></longitude>" +
    `<arrival publicID="smi:test.local/arrival/1"><pickID>smi:test.local/pick/${objects - 1}</pickID><phase>P</phase></arrival>` +
    "</origin></eventParameters></q:quakeml>";
  const picks = Array.from({ length: objects }, (_, i) => pick(i));
  const form = fileForm(`${head}${picks.join("")}${event}`, { fileName: "beside.xml" });
  const { status, body } = await client.send("POST", "/api/upload?keep=true", form);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject({
    rowCount: 1,
    elements: { pick: { read: objects, kept: 1, dropped: objects - 1 } },
  });
}
