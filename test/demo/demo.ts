/**
 * `npm run demo`: the service on real data. Starts it in a temporary directory, creates a catalogue
 * from a file of New Zealand's earthquakes (GeoNet's, where it is beside the project, else a small
 * fixture), and shows what is special: exact rejects, filters, stable cursors, reads as of a version.
 */
import { access, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { parse } from "csv-parse/sync";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

const ADMIN = { email: "demo@example.org", password: "only for the demonstration" };
const REAL_DATA_DIR = process.env["REAL_DATA_DIR"] ?? "../shared/data";
const REAL_FILE = join(REAL_DATA_DIR, "csv/geonet_quakesearch_1980-2022.csv");
const FIXTURE = new URL("../fixtures/cook-strait.csv", import.meta.url).pathname;
const HEADER_LINES = 1;

type Event = { id: string; time: string; magnitude: number; depth: number; region: string | null };
type Report = {
  totalSubmitted: number;
  successfullyImported: number;
  failedValidation: number;
  invalidEvents: { index: number; id?: string; reason: string }[];
  hasMoreInvalidEvents: boolean;
};

async function main(): Promise<void> {
  const directory = await createTemporaryDirectory();
  const service = await startServiceProcess({
    DATA_DIR: directory.path,
    CREATE_ADMIN_USER: "true",
    ADMIN_EMAIL: ADMIN.email,
    ADMIN_PASSWORD: ADMIN.password,
  });
  try {
    console.log(`The service runs on ${service.url}`);
    const client = await signIn(service.url, ADMIN);
    const id = await create(client, await fileToShow());
    await filter(client, id);
    await walk(client, id);
    await timeTravel(client, id);
  } finally {
    await service.stop();
    await directory.remove();
  }
}

async function fileToShow(): Promise<string> {
  const file = await access(REAL_FILE).then(
    () => REAL_FILE,
    () => FIXTURE,
  );
  return resolve(file);
}

async function create(client: ApiClient, file: string): Promise<string> {
  heading(`Creating a catalogue from ${file}`);
  const events: unknown = parse(await readFile(file), { columns: true });
  const started = performance.now();
  const answer = await client.send<{ id: string; event_count: number; validationReport: Report }>(
    "POST",
    "/api/catalogues",
    { name: "New Zealand", is_public: true, events },
  );
  const { id, event_count, validationReport: report } = answer.body;
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  const { totalSubmitted, failedValidation, invalidEvents } = report;
  console.log(
    `${answer.status}: ${totalSubmitted} rows in, ${event_count} events visible after ${seconds} s,`,
  );
  console.log(`${failedValidation} rows refused, each for its reason. The first of them:`);
  for (const { index, id: source, reason } of invalidEvents.slice(0, 5)) {
    console.log(`  line ${index + 1 + HEADER_LINES} (${source}): ${reason}`);
  }
  const listed = invalidEvents.length;
  console.log(`  the answer lists ${listed} of the ${failedValidation} with index and reason`);
  if (event_count + failedValidation !== totalSubmitted) throw new Error("a row was lost");
  return id;
}

async function filter(client: ApiClient, id: string): Promise<void> {
  heading("Magnitude 5 and more, shallower than 100 km, within 600 km of Wellington");
  const query = "minMagnitude=5&maxDepth=100&latitude=-41.29&longitude=174.78&maxRadiusKm=600";
  const { body } = await client.get<{ count: number; events: Event[] }>(
    `/api/catalogues/${id}/events/filtered?${query}&orderBy=magnitude`,
  );
  console.log(`${body.count} events, the largest of them:`);
  show(body.events.slice(0, 5));
}

async function walk(client: ApiClient, id: string): Promise<void> {
  heading("A walk by cursor, newest first");
  type Page = { events: Event[]; pagination: { nextCursor: string | null } };
  const path = `/api/catalogues/${id}/events?limit=3`;
  const first = await client.get<Page>(`${path}&pagination=cursor`);
  show(first.body.events);
  const { nextCursor } = first.body.pagination;
  if (nextCursor === null) return;
  console.log(`  … and on with cursor=${nextCursor.slice(0, 24)}…`);
  const second = await client.get<Page>(`${path}&cursor=${nextCursor}`);
  show(second.body.events);
}

async function timeTravel(client: ApiClient, id: string): Promise<void> {
  heading("Versions: one event changed, one removed, and the catalogue as of version 1");
  const { body } = await client.get<{ events: Event[] }>(`/api/catalogues/${id}/events?pageSize=2`);
  const [changed, removed] = body.events;
  if (!changed || !removed) throw new Error("the catalogue has no two events");
  const event = (which: Event) => `/api/catalogues/${id}/events/${which.id}`;
  await client.send("PATCH", event(changed), { magnitude: 6.5, note: "reviewed" });
  await client.send("DELETE", event(removed));
  for (const asOf of ["?pageSize=2", "?pageSize=2&asOf=1"]) {
    const page = await client.get<{ events: Event[]; total: number }>(
      `/api/catalogues/${id}/events${asOf}`,
    );
    console.log(
      `GET …/events${asOf}: version ${page.headers.get("etag")}, ${page.body.total} events`,
    );
    show(page.body.events);
  }
  const { body: versions } = await client.get<{ versions: object[] }>(
    `/api/catalogues/${id}/versions`,
  );
  console.table(versions.versions);
}

function heading(text: string): void {
  console.log(`\n== ${text}`);
}

function show(events: readonly Event[]): void {
  for (const { time, magnitude, depth, id } of events) {
    console.log(`  ${time.padEnd(27)}  M ${magnitude.toFixed(1)}  ${depth} km  ${id}`);
  }
}

await main();
