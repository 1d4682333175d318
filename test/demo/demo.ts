/**
 * `npm run demo`: the service on real data. Starts it in a temporary directory, uploads a file of New
 * Zealand's earthquakes (GeoNet's, where it is beside the project, else a small fixture), creates a
 * catalogue from its rows, and shows what is special: no row lost, filters, stable cursors, reads as
 * of a version. With `-- --keep` the directory stays, to be looked at in a browser.
 */
import { parseArgs } from "node:util";
import { type ApiClient, signIn } from "../support/api-client.ts";
import { startServiceProcess } from "../support/service-process.ts";
import { ADMIN, fileToShow, heading, uploadFile, WITH_ADMIN } from "../support/shown-file.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

/** Of the remarks on the rows, this many are shown. */
const SHOWN_WARNINGS = 3;

type Event = {
  readonly id: string;
  readonly time: string;
  readonly magnitude: number | null;
  readonly depth: number | null;
  readonly region: string | null;
};
type Created = {
  readonly id: string;
  readonly event_count: number;
  readonly validationReport: { readonly failedValidation: number };
};

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { keep: { type: "boolean", default: false } } });
  const directory = await createTemporaryDirectory();
  const service = await startServiceProcess({ DATA_DIR: directory.path, ...WITH_ADMIN });
  try {
    console.log(`The service runs on ${service.url}`);
    const client = await signIn(service.url, ADMIN);
    const id = await create(client, await fileToShow());
    await filter(client, id);
    await walk(client, id);
    await timeTravel(client, id);
    if (values.keep) sayWhereItIs(directory.path, id);
  } finally {
    await service.stop();
    if (!values.keep) await directory.remove();
  }
}

function sayWhereItIs(path: string, id: string): void {
  heading("Looking at it in a browser");
  console.log(`  DATA_DIR=${path} npm start`);
  console.log(
    `  http://localhost:3000/catalogues/${id}, as ${ADMIN.email} with "${ADMIN.password}"`,
  );
  console.log(`  rm -r ${path} when it is no longer wanted`);
}

async function create(client: ApiClient, file: string): Promise<string> {
  heading(`Reading ${file}`);
  const upload = await uploadFile(client, file);
  console.log(`${upload.rowCount} rows of ${upload.format}, ${upload.errorCount} unreadable,`);
  console.log(`${upload.warningCount} remarks, the first of them:`);
  for (const { line, message } of upload.warnings.slice(0, SHOWN_WARNINGS)) {
    console.log(`  line ${line}: ${message}`);
  }

  heading("Creating a catalogue of them");
  const started = performance.now();
  const answer = await client.send<Created>("POST", "/api/catalogues", {
    name: "New Zealand",
    is_public: true,
    events: upload.data,
  });
  const { id, event_count, validationReport } = answer.body;
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  console.log(`${answer.status}: ${event_count} of ${upload.rowCount} visible after ${seconds} s,`);
  const unknown = event_count - (await countWithMagnitude(client, id));
  const refused = validationReport.failedValidation;
  console.log(`${unknown} of them of unknown magnitude, ${refused} refused`);
  if (event_count + refused !== upload.rowCount) throw new Error("a row was lost");
  return id;
}

/** No event has a smaller magnitude, and one that is not known is within no bound. */
async function countWithMagnitude(client: ApiClient, id: string): Promise<number> {
  const { headers } = await client.head(`/api/catalogues/${id}/export?minMagnitude=-3`);
  return Number(headers.get("x-export-event-count"));
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

function show(events: readonly Event[]): void {
  for (const { time, magnitude, depth, id } of events) {
    console.log(
      `  ${time.padEnd(27)}  M ${magnitude?.toFixed(1) ?? "?"}  ${depth ?? "?"} km  ${id}`,
    );
  }
}

await main();
