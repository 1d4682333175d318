import { strict as assert } from "node:assert";
import { containsPlace } from "#contracts/geometry/contains-place.ts";
import { boxOfArea } from "#contracts/geometry/extent.ts";
import { type Area, type Position, shapeOf } from "#contracts/geometry/shape.ts";
import { shapeIndex } from "#contracts/geometry/shape-index.ts";
import { wktOf } from "#contracts/geometry/wkt.ts";
import type { BenchService } from "../bench-service.ts";
import { compareBetween } from "../compare.ts";
import { openHttpConnection } from "../http-connection.ts";
import type { Result } from "../report.ts";

/** Of an answer by a filter, how much longer than by the bounding box it may take. */
const TARGETS = { polygon: 1.3, region: 4 } as const;

const VERTICES = { polygon: 12, region: 10_000 } as const;

/** In the middle of the events. */
const CENTRE: Position = [172.5, -40];
const RADIUS_DEG = 5;

/** Roughness of a coast: how often it waves around the area, and how far. */
const WAVES = [
  [9, 0.5],
  [101, 0.1],
  [1_003, 0.02],
] as const;

type Filter = Readonly<Record<string, string>>;

/** Paths below `/api/catalogues/{id}`, which take a box by these names. */
const WAYS: Readonly<Record<string, (filter: Filter, round: number) => string>> = {
  filtered: (filter) => `/events/filtered?${new URLSearchParams(filter)}`,
  // Counts are kept: each round asks for something else, which leaves out no event.
  count: (filter, round) =>
    `/fdsnws/event/1/count?${`${new URLSearchParams({ ...lowered(filter), mindepth: `${-1 - round / 1e3}` })}`}`,
  columns: (filter) => `/events/columns?${new URLSearchParams(filter)}`,
  csv: (filter) => `/export?${new URLSearchParams({ ...filter, format: "csv" })}`,
};

/** The same by the names of the event service. */
function lowered(filter: Filter): Filter {
  return Object.fromEntries(
    Object.entries(filter).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

/**
 * Answers by a polygon and by a saved region against those by their bounding boxes.
 * @param ways of WAYS, those that are measured
 */
export async function benchRegions(
  { url, token, client, shared }: BenchService,
  count: number,
  repetitions: number,
  ways: readonly string[] = Object.keys(WAYS),
): Promise<Result[]> {
  const { id } = await shared.of(count);
  const connection = openHttpConnection(url);
  const headers = { authorization: `Bearer ${token}`, "accept-encoding": "identity" };
  const read = async (path: string) => {
    const answer = await connection.ask("GET", `/api/catalogues/${id}${path}`, headers);
    if (answer.status !== 200) throw new Error(`${path.slice(0, 200)} answered ${answer.status}`);
    return answer.body;
  };
  const results: Result[] = [];
  try {
    for (const kind of ["polygon", "region"] as const) {
      const area = areaOf(VERTICES[kind], kind === "region");
      const own =
        kind === "polygon" ? { polygon: wktOf(area) } : { region: await saved(client, area) };
      const box = boxFilter(area);
      checkAnswer(await read(WAYS["filtered"]?.(own, 0) ?? ""), area);
      for (const [way, pathOf] of Object.entries(WAYS)) {
        if (!ways.includes(way)) continue;
        let round = 0;
        const comparison = await compareBetween(
          repetitions,
          () => read(pathOf(own, round++)),
          () => read(pathOf(box, round++)),
          2,
        );
        results.push({
          case: `${kind} of ${VERTICES[kind]}: ${way}`,
          size: `${count} events`,
          unit: "s",
          yardstick: "its box",
          ...comparison,
          target: TARGETS[kind],
        });
      }
    }
  } finally {
    connection.close();
  }
  return results;
}

function areaOf(vertices: number, isRough: boolean): Area {
  const open = Array.from({ length: vertices }, (_, i): Position => {
    const angle = (2 * Math.PI * i) / vertices;
    const waves = isRough ? WAVES.map(([often, far]) => far * Math.sin(often * angle)) : [];
    const radius = waves.reduce((sum, wave) => sum + wave, RADIUS_DEG);
    const [x, y] = CENTRE;
    return [rounded(x + radius * Math.cos(angle)), rounded(y + radius * Math.sin(angle))];
  });
  return [[[...open, ...open.slice(0, 1)]]];
}

/** To the decimetre, as maps have it. */
function rounded(degrees: number): number {
  return Number(degrees.toFixed(6));
}

function boxFilter(area: Area): Filter {
  const { west, south, east, north } = boxOfArea(area);
  return {
    minLongitude: String(west),
    maxLongitude: String(east),
    minLatitude: String(south),
    maxLatitude: String(north),
  };
}

async function saved(client: BenchService["client"], area: Area): Promise<string> {
  const geometry = { type: "MultiPolygon", coordinates: area };
  const answer = await client.send<{ region: { id: string } }>("POST", "/api/regions", {
    name: "Benchmark",
    geometry,
  });
  if (answer.status !== 201) throw new Error(`saving a region answered ${answer.status}`);
  return answer.body.region.id;
}

function checkAnswer(body: Buffer, area: Area): void {
  const { events } = JSON.parse(body.toString()) as {
    events: readonly { readonly longitude: number; readonly latitude: number }[];
  };
  const index = shapeIndex(shapeOf(area));
  assert.ok(events.length > 0);
  assert.ok(events.every(({ longitude, latitude }) => containsPlace(index, longitude, latitude)));
}
