import { beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../../support/api-client.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
let client: ApiClient;
let path: string;

/** Each is told from the others by every filter; `plain` has the required attributes alone. */
const EVENTS = [
  {
    id: "alpha",
    time: "2020-01-01T00:00:00Z",
    latitude: -42,
    longitude: 173,
    depth: 10,
    magnitude: 5,
    magnitude_type: "Mw",
    event_type: "earthquake",
    evaluation_status: "confirmed",
    evaluation_mode: "manual",
    azimuthal_gap: 90,
    used_station_count: 40,
    used_phase_count: 60,
    standard_error: 0.3,
    magnitude_uncertainty: 0.1,
  },
  {
    id: "beta",
    time: "2020-02-01T00:00:00.000001Z",
    latitude: -10,
    longitude: -179.5,
    depth: 600,
    magnitude: 6,
    magnitude_type: "ML",
    event_type: "quarry blast",
    evaluation_status: "preliminary",
    evaluation_mode: "automatic",
    azimuthal_gap: 270,
    used_station_count: 4,
    used_phase_count: 6,
    standard_error: 1.5,
    magnitude_uncertainty: 0.5,
  },
  { id: "plain", time: "2020-03-01T00:00:00Z", latitude: 50, longitude: 179.5, magnitude: -0.5 },
];

type Filtered = {
  readonly events: readonly { source_id: string }[];
  readonly count: number;
  readonly truncated: boolean;
  readonly nextCursor?: string;
};

beforeAll(async () => {
  client = await service.loginAs("editor");
  const { id } = await createCatalogue(client, { events: EVENTS });
  path = `/api/catalogues/${id}/events/filtered`;
});

async function idsOf(query: string): Promise<string[]> {
  const { status, body } = await client.get<Filtered>(`${path}?${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.count).toBe(body.events.length);
  return body.events.map(({ source_id }) => source_id);
}

test.each<[query: string, found: readonly string[]]>([
  ["", ["plain", "beta", "alpha"]],
  ["minMagnitude=5", ["beta", "alpha"]],
  ["minMagnitude=5.000001", ["beta"]],
  ["maxMagnitude=5", ["plain", "alpha"]],
  ["minMagnitude=5&maxMagnitude=5", ["alpha"]],
  ["minMagnitude=%2B.5e1", ["beta", "alpha"]],
  ["minDepth=10", ["beta", "alpha"]],
  ["maxDepth=10", ["alpha"]],
  ["startTime=2020-02-01T00:00:00.000001Z", ["plain", "beta"]],
  ["startTime=2020-02-01T00:00:00.000002Z", ["plain"]],
  ["endTime=2020-02-01T00:00:00Z", ["alpha"]],
  ["startTime=2020-01-01&endTime=2020-01-01T12:00:00%2B12:00", ["alpha"]],
  ["minLatitude=-42&maxLatitude=-10", ["beta", "alpha"]],
  ["minLongitude=173&maxLongitude=179.5", ["plain", "alpha"]],
  ["minLongitude=175&maxLongitude=-175", ["plain", "beta"]],
  ["minLongitude=179.5", ["plain"]],
  ["maxLongitude=-179.5", ["beta"]],
  ["eventType=Quarry%20Blast", ["beta"]],
  ["eventType=quarry%20blast,EARTHQUAKE", ["beta", "alpha"]],
  ["eventType=none", []],
  ["magnitudeType=mw", ["alpha"]],
  ["evaluationStatus=preliminary,confirmed", ["beta", "alpha"]],
  ["evaluationMode=manual", ["alpha"]],
  ["maxAzimuthalGap=90", ["alpha"]],
  ["minUsedStationCount=4", ["beta", "alpha"]],
  ["minUsedPhaseCount=60", ["alpha"]],
  ["maxStandardError=0.3", ["alpha"]],
  ["maxMagnitudeUncertainty=0.5", ["beta", "alpha"]],
  ["latitude=-42&longitude=173&maxRadiusKm=0", ["alpha"]],
  ["latitude=-10&longitude=180&maxRadiusKm=60", ["beta"]],
  ["latitude=-42&longitude=173&minRadiusKm=1", ["plain", "beta"]],
  ["latitude=90&longitude=0&maxRadiusKm=4450", ["plain"]],
  ["latitude=-42&longitude=173&minRadiusKm=3000&maxRadiusKm=20020", ["plain", "beta"]],
  ["orderBy=time", ["plain", "beta", "alpha"]],
  ["orderBy=time-asc", ["alpha", "beta", "plain"]],
  ["orderBy=magnitude", ["beta", "alpha", "plain"]],
  ["orderBy=magnitude-asc", ["plain", "alpha", "beta"]],
  ["minMagnitude=5&maxDepth=10&evaluationMode=manual&minLongitude=170", ["alpha"]],
])("%j finds %j", async (query, found) => {
  expect(await idsOf(query)).toEqual(found);
});

describe("a limit", () => {
  test("a limit truncates the answer, and its cursor goes on with the same filters and order", async () => {
    const first = await client.get<Filtered>(`${path}?orderBy=magnitude&minMagnitude=5&limit=1`);
    expect(first.body).toMatchObject({
      count: 1,
      truncated: true,
      events: [{ source_id: "beta" }],
    });
    const cursor = first.body.nextCursor;
    const rest = await client.get<Filtered>(`${path}?cursor=${cursor}`);
    expect(rest.body).toMatchObject({
      count: 1,
      truncated: false,
      events: [{ source_id: "alpha" }],
    });
    expect(rest.body).not.toHaveProperty("nextCursor");
    expect(await idsOf(`cursor=${cursor}&minMagnitude=5.0&orderBy=magnitude`)).toEqual(["alpha"]);
    for (const other of ["minMagnitude=4", "maxDepth=10", "orderBy=time"]) {
      expectRefusal(await client.get(`${path}?cursor=${cursor}&${other}`), "INVALID_CURSOR");
    }
  });

  test("a limit is 10000 unless given: three events are whole", async () => {
    const { body } = await client.get<Filtered>(`${path}?limit=10000`);
    expect(body).toMatchObject({ count: 3, truncated: false });
  });
});

const numbers = [
  "minMagnitude",
  "maxMagnitude",
  "minDepth",
  "maxDepth",
  "minLatitude",
  "maxLatitude",
  "minLongitude",
  "maxLongitude",
  "maxAzimuthalGap",
  "minUsedStationCount",
  "minUsedPhaseCount",
  "maxStandardError",
  "maxMagnitudeUncertainty",
  "latitude",
  "longitude",
  "maxRadiusKm",
  "minRadiusKm",
  "limit",
];

describe.each(numbers)("%s", (parameter) => {
  test.each(["", "12abc", "1e400", "NaN", "Infinity", "0x10", "null", "1,5", "%00", "1&{}=1"])(
    "refuses %j by name",
    async (value) => {
      const query = `${parameter}=${value.replace("{}", parameter)}`;
      expectRefusal(await client.get(`${path}?${query}`), "VALIDATION_ERROR", parameter);
    },
  );
});

test.each([
  ["startTime=2024-02-30", "startTime"],
  ["startTime=2024-13-01", "startTime"],
  ["endTime=now", "endTime"],
  ["endTime=2024-01-01T25:00:00Z", "endTime"],
  ["startTime=", "startTime"],
  ["startTime=%00", "startTime"],
  ["minMagnitude=6&maxMagnitude=5", "minMagnitude"],
  ["minDepth=6&maxDepth=5", "minDepth"],
  ["startTime=2021-01-01&endTime=2020-01-01", "startTime"],
  ["minLatitude=6&maxLatitude=5", "minLatitude"],
  ["minLatitude=-90.1", "minLatitude"],
  ["maxLongitude=181", "maxLongitude"],
  ["latitude=1&longitude=1&minRadiusKm=6&maxRadiusKm=5", "minRadiusKm"],
  ["latitude=1&longitude=1", "maxRadiusKm"],
  ["latitude=1&maxRadiusKm=5", "longitude"],
  ["maxRadiusKm=5", "latitude"],
  ["maxRadiusKm=-1", "maxRadiusKm"],
  ["eventType=", "eventType"],
  ["eventType=a,,b", "eventType"],
  ["magnitudeType=%00", "magnitudeType"],
  ["evaluationMode=a&evaluationMode=b", "evaluationMode"],
  ["minUsedStationCount=1.5", "minUsedStationCount"],
  ["orderBy=depth", "orderBy"],
  ["limit=0", "limit"],
  ["limit=10001", "limit"],
  ["page=1", "page"],
  ["minmagnitude=1", "minmagnitude"],
])("the filtered list refuses %s and names %s", async (query, parameter) => {
  expectRefusal(await client.get(`${path}?${query}`), "VALIDATION_ERROR", parameter);
});
