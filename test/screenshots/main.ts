/**
 * `npm run screenshots`: every page of the console in both themes, as a telephone, a usual and a wide
 * window show it, of the sample catalogue. `-- --only upload --width 390` takes a part.
 */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Page } from "playwright-core";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency, type TestAgency } from "../support/agency/test-agency.ts";
import type { ApiClient } from "../support/api-client.ts";
import { type BenchService, startBenchService } from "../support/bench-service.ts";
import { hasChromium, launchChromium } from "../support/chromium.ts";
import { createTemporaryDirectory } from "../support/temporary-directory.ts";

const REGIONS = [
  {
    name: "Taupō Volcanic Zone",
    note: "As GeoNet draws it for its monthly reports.",
    rings: ["175.3 -39.35, 175.75 -39.3, 177.2 -37.6, 176.9 -37.35, 175.9 -38.2, 175.3 -39.35"],
  },
  {
    name: "Hikurangi and Kermadec margin",
    note: null,
    rings: [
      "174.5 -42.2, 177.5 -42.3, 180.5 -38.5, 184.5 -31, 181 -29.8, 177.8 -36.6, 174.5 -42.2",
    ],
  },
  {
    name: "Around the lake, without it",
    note: "Quarry blasts on the shore are to be told from earthquakes below the lake; the hole is the lake itself.",
    rings: [
      "175.6 -39.1, 176.3 -39.1, 176.3 -38.5, 175.6 -38.5, 175.6 -39.1",
      "175.75 -38.95, 176.05 -38.95, 176 -38.68, 175.8 -38.72, 175.75 -38.95",
    ],
  },
];

/** Saves some regions; the id of the last. */
async function savedRegions(client: ApiClient): Promise<string> {
  let last = "";
  for (const { name, note, rings } of REGIONS) {
    const coordinates = rings.map((ring) =>
      ring.split(", ").map((at) => at.split(" ").map(Number)),
    );
    const geometry = { type: "Polygon", coordinates };
    const body = { name, geometry, note };
    const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", body);
    last = answer.body.region.id;
  }
  return last;
}

/** An event as a list has it. */
type Listed = {
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number;
  readonly magnitude: number;
};

/** A little later and to the side, better known in some ways and worse in others. */
function otherSolution({ time, latitude, longitude, depth, magnitude }: Listed, index: number) {
  return {
    source_id: `other-${index}`,
    time: new Date(Date.parse(time) + 1_000 + 250 * (index % 9)).toISOString(),
    latitude: latitude + (index % 5) / 100,
    longitude: longitude - (index % 7) / 100,
    depth,
    magnitude,
    magnitude_type: index % 2 === 0 ? "Mw" : "ML",
    used_station_count: 5 + 3 * (index % 8),
    azimuthal_gap: 90 + 20 * (index % 6),
    evaluation_mode: "manual",
  };
}

/** A merge with pairs that somebody has to decide, and one that is decided. */
async function mergedFrom(client: ApiClient, sources: readonly string[]): Promise<string> {
  const { body: made } = await client.send<{ catalogueId: string }>("POST", "/api/merge", {
    name: "Both networks",
    sourceCatalogues: sources.map((id) => ({ id })),
    config: { timeThreshold: 2, distanceThreshold: 4, mergeStrategy: "quality" },
  });
  const path = `/api/catalogues/${made.catalogueId}/merge`;
  const { body: review } = await client.get<{ pairs: readonly Pair[] }>(
    `${path}/review?state=open`,
  );
  const [pair] = review.pairs;
  if (pair) {
    const events = [pair.first, pair.second].map(({ catalogue_id, event_id }) => ({
      catalogue_id,
      event_id,
    }));
    const note = "Their first arrivals are the same.";
    await client.send("POST", `${path}/decisions`, { type: "same", events, note });
  }
  return made.catalogueId;
}

type Named = { readonly catalogue_id: string; readonly event_id: string };
type Pair = { readonly first: Named; readonly second: Named };

/** What is asked of the agency here, which has events of 2015 to 2022. */
const ASKED = { lookbackHours: 87_600, minMagnitude: 2, withdrawn: "mark" };

const ROUND_MS = 100;

/**
 * Makes a catalogue that is kept current from an agency, with runs that brought something, failed and found
 * everything as it was, and a schedule that waits.
 * @param agencyId under which the service knows the agency
 * @returns the catalogue and its schedule with runs
 */
async function keptCurrent(client: ApiClient, agency: TestAgency, agencyId: string) {
  const { body: catalogue } = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: "New Zealand",
    events: [],
  });
  const make = async (settings: object) => {
    const body = { catalogueId: catalogue.id, agency: agencyId, ...ASKED, ...settings };
    const answer = await client.send<{ schedule: { id: string } }>("POST", "/api/schedules", body);
    return answer.body.schedule.id;
  };
  const waiting = await make({ everyMinutes: 1_440, minMagnitude: 5, maxDepth: 40 });
  await client.send("PATCH", `/api/schedules/${waiting}`, { paused: true });
  const schedule = await make({ everyMinutes: 60 });
  await run(client, schedule);
  agency.fail(() => ({ kind: "status", status: 503 }));
  await run(client, schedule);
  agency.fail();
  for (let quiet = 0; quiet < 3; quiet++) await run(client, schedule);
  return { catalogue: catalogue.id, schedule };
}

/** A run by hand, to its end. */
async function run(client: ApiClient, schedule: string): Promise<void> {
  const { body } = await client.send<{ operationId: string }>(
    "POST",
    `/api/schedules/${schedule}/run`,
  );
  const path = `/api/operations/${body.operationId}`;
  const isRunning = async () => {
    const answer = await client.get<{ operation: { status: string } }>(path);
    return answer.body.operation.status === "running";
  };
  while (await isRunning()) await new Promise((resolve) => setTimeout(resolve, ROUND_MS));
}

const { values } = parseArgs({
  options: {
    into: { type: "string", default: "screenshots" },
    width: { type: "string", default: "390,1440,2560" },
    only: { type: "string" },
  },
});

type Routes = { readonly routes: readonly { readonly path: string }[] };

/** The console is a program for browsers, with types of its own: it is not imported by its name. */
const CONSOLE = new URL("../../services/console/routes.ts", import.meta.url).href;

/** Pages that show more at another address. */
const FURTHER = [
  "/styleguide",
  "/catalogues/:id/versions?from=1&to=2",
  "/catalogues/:id/merge?tab=decisions",
  "/catalogues/:id?region=:region",
  ...[
    ...["completeness", "stability", "over-time", "rates", "time", "moment", "inter-event"],
    ...["depths", "density", "omori", "clusters", "quality", "section", "section&along=profile"],
    "decluster&operation=:operation",
  ].map((tab) => `/catalogues/:id/analytics?tab=${tab}`),
];

const HEIGHTS: Readonly<Record<string, number>> = { 390: 844, 2560: 1440 };
const USUAL_HEIGHT = 900;

const AGENCY_EVENTS = 2_000;

/** A catalogue with some events of the sample as another network would have them. */
const OTHER = "Another network";

type Reach = (page: Page, addresses: readonly string[]) => Promise<void>;

const FILE = [
  "publicid,origintime,breite,longitude,depth,magnitude,eventtype",
  "a1,2021-03-04T13:27:34Z,-37.4793,179.5631,94.2,7.3,earthquake",
  "a2,2021-03-04T17:41:23Z,-29.6231,-177.8812,33.0,,not locatable",
  "a3,2021-03-04T19:28:31Z,nowhere,-177.3,10,8.1,earthquake",
  "a4,2021-03-05T00:16:02Z,-37.5120,179.4205,21.8,5.1,not locatable",
].join("\n");

/** What pages show after something has been done on them. */
const STATES: Readonly<Record<string, Reach>> = {
  palette: async (page, addresses) => {
    const work = addresses.find((address) => /^\/catalogues\/[^/]+$/.test(address));
    await open(page, work ?? "/");
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Page, catalogue or action" }).waitFor();
  },
  "kept-current": async (page, addresses) => {
    const schedules = addresses.find((address) => address.endsWith("/schedules"));
    await open(page, schedules?.replace(/\/schedules$/, "") ?? "/");
    await page.getByText("Current as of").waitFor();
  },
  "upload-read": async (page) => {
    await open(page, "/upload");
    const file = { name: "swarm.csv", mimeType: "text/csv", buffer: Buffer.from(FILE) };
    await page.locator('input[type="file"]').setInputFiles(file);
    await page.getByLabel("breite is read as").selectOption("latitude");
  },
  "token-made": async (page) => {
    await open(page, "/tokens");
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Nightly plots");
    await page.getByRole("button", { name: "Make the token" }).click();
    await page.locator("pre").waitFor();
  },
  polygon: async (page, addresses) => {
    const work = addresses.find((address) => /^\/catalogues\/[^/]+$/.test(address));
    const polygon = "POLYGON((174 -41.5,178.6 -39.2,177.8 -37.2,174.2 -38.1,174 -41.5))";
    await open(page, `${work}?${new URLSearchParams({ polygon })}`);
    await page.getByText("Polygon of 4 vertices").waitFor();
    await page.getByRole("button", { name: "Filter by a polygon" }).click();
    const map = await page.locator(".map").first().boundingBox();
    for (const [x, y] of [
      [0.3, 0.3],
      [0.6, 0.4],
      [0.5, 0.7],
    ] as const) {
      if (map) await page.mouse.click(map.x + x * map.width, map.y + y * map.height);
    }
    await page.getByText("3 vertices").waitFor();
  },
  "merge-previewed": async (page) => {
    await open(page, "/merge");
    for (const source of [/^Sample/, OTHER]) await page.getByLabel(source).first().check();
    await page.getByRole("button", { name: "Preview" }).click();
    await page.getByText(/^Groups \(/).click();
    await page.getByRole("region", { name: "Groups" }).getByRole("button").first().click();
    await page.locator(".map-ring").waitFor();
  },
};

/** Time for pictures and animations after the last request. */
const REST_MS = 700;

if (!hasChromium) {
  process.stderr.write("There is no Chromium on this machine\n");
  process.exitCode = 1;
} else {
  const agency = await startTestAgency({ events: servedEvents(3, AGENCY_EVENTS) });
  const service = await startBenchService({
    CONSOLE_STYLEGUIDE: "true",
    AGENCY_URL: agency.url,
    AGENCY_RETRIES: "0",
  });
  try {
    await takeAll(service, await addressesOf(service, agency));
  } finally {
    await service.close();
    await agency.close();
  }
}

/** The pages' addresses with the ids of the sample catalogue and of its largest event, or of what is kept current. */
async function addressesOf(
  { client }: BenchService,
  agency: TestAgency,
): Promise<readonly string[]> {
  const { body: sample } = await client.send<{ catalogueId: string }>("POST", "/api/sample", {});
  const id = sample.catalogueId;
  const { body: found } = await client.get<{ events: readonly Listed[] }>(
    `/api/catalogues/${id}/events/filtered?orderBy=magnitude&limit=60`,
  );
  const others = found.events.map(otherSolution);
  const { body: other } = await client.send<{ id: string }>("POST", "/api/catalogues", {
    name: OTHER,
    events: others,
  });
  const merged = await mergedFrom(client, [id, other.id]);
  const region = await savedRegions(client);
  const event = found.events[0]?.id ?? "";
  await client.send("PATCH", `/api/catalogues/${id}/events/${event}`, { depth: 9.5 });
  const { body: accepted } = await client.send<{ operationId: string }>(
    "POST",
    `/api/catalogues/${id}/analytics/decluster`,
    { method: "gardner-knopoff" },
    { prefer: "respond-async" },
  );
  const kept = await keptCurrent(client, agency, "geonet");
  const { routes }: Routes = await import(CONSOLE);
  return [...routes.map(({ path }) => path), ...FURTHER].map((path) =>
    path
      .replace("/operations/:id", `/operations/${accepted.operationId}`)
      .replace(":operation", accepted.operationId)
      .replace(":id/merge", `${merged}/merge`)
      .replace(/:region|(?<=^\/regions\/):id/, region)
      .replace(":id/schedules", `${kept.catalogue}/schedules`)
      .replace(":scheduleId", kept.schedule)
      .replace(":id", id)
      .replace(":eventId", event),
  );
}

async function takeAll(service: BenchService, addresses: readonly string[]): Promise<void> {
  await mkdir(values.into, { recursive: true });
  for (const width of values.width.split(",")) {
    for (const theme of ["light", "dark"] as const) {
      await takeIn(service, addresses, { theme, width: Number(width) });
    }
  }
}

type Window = { readonly theme: "light" | "dark"; readonly width: number };

async function takeIn(
  { url, token }: BenchService,
  addresses: readonly string[],
  { theme, width }: Window,
): Promise<void> {
  const directory = await createTemporaryDirectory();
  const height = HEIGHTS[width] ?? USUAL_HEIGHT;
  const look = { theme, width, height };
  const context = await launchChromium(join(directory.path, "profile"), url, look);
  await context.setExtraHTTPHeaders({ authorization: `Bearer ${token}` });
  const page = context.pages()[0] ?? (await context.newPage());
  const isWanted = (name: string) => values.only === undefined || name.includes(values.only);
  const shot = async (name: string) => {
    await page.waitForTimeout(REST_MS);
    const file = `${name}-${width}-${theme}.png`;
    await page.screenshot({ path: join(values.into, file) });
    process.stdout.write(`${file}\n`);
  };
  for (const address of addresses.filter((one) => isWanted(nameOf(one)))) {
    await open(page, address);
    await shot(nameOf(address));
  }
  for (const [name, reach] of Object.entries(STATES).filter(([one]) => isWanted(one))) {
    await reach(page, addresses);
    await shot(name);
  }
  await context.close();
  await directory.remove();
}

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("h1").first().waitFor();
  await page.getByText("Loading…").first().waitFor({ state: "detached" });
}

/** "/catalogues/<id>/analytics?tab=rates" → "catalogues-id-analytics-tab-rates". */
function nameOf(address: string): string {
  const named = address.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "id");
  return named.replaceAll(/[^a-z0-9]+/gi, "-").replaceAll(/^-|-$/g, "") || "first";
}
