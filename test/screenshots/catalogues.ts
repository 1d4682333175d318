import type { TestAgency } from "../support/agency/test-agency.ts";
import type { ApiClient } from "../support/api-client.ts";

const REGIONS = [
  {
    name: "Taupō Volcanic Zone",
    note: "As GeoNet draws it for its monthly reports.",
    rings: [
      [
        [175.3, -39.35],
        [175.75, -39.3],
        [177.2, -37.6],
        [176.9, -37.35],
        [175.9, -38.2],
        [175.3, -39.35],
      ],
    ],
  },
  {
    name: "Hikurangi and Kermadec margin",
    note: null,
    rings: [
      [
        [174.5, -42.2],
        [177.5, -42.3],
        [180.5, -38.5],
        [184.5, -31],
        [181, -29.8],
        [177.8, -36.6],
        [174.5, -42.2],
      ],
    ],
  },
  {
    name: "Around the lake, without it",
    note: "Quarry blasts on the shore are to be told from earthquakes below the lake; the hole is the lake itself.",
    rings: [
      [
        [175.6, -39.1],
        [176.3, -39.1],
        [176.3, -38.5],
        [175.6, -38.5],
        [175.6, -39.1],
      ],
      [
        [175.75, -38.95],
        [176.05, -38.95],
        [176, -38.68],
        [175.8, -38.72],
        [175.75, -38.95],
      ],
    ],
  },
];

/** Saves some regions; the id of the last. */
export async function savedRegions(client: ApiClient): Promise<string> {
  let last = "";
  for (const { name, note, rings } of REGIONS) {
    const geometry = { type: "Polygon", coordinates: rings };
    const body = { name, geometry, note };
    const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", body);
    last = answer.body.region.id;
  }
  return last;
}

/** An event as a list has it. */
export type Listed = {
  readonly id: string;
  readonly time: string;
  readonly latitude: number;
  readonly longitude: number;
  readonly depth: number;
  readonly magnitude: number;
};

/** A little later and to the side, better known in some ways and worse in others. */
export function otherSolution(
  { time, latitude, longitude, depth, magnitude }: Listed,
  index: number,
) {
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
export async function mergedFrom(client: ApiClient, sources: readonly string[]): Promise<string> {
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
export async function keptCurrent(client: ApiClient, agency: TestAgency, agencyId: string) {
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
