import { join } from "node:path";
import { createCatalogue } from "../api/support/catalogue.ts";
import { uploadFile } from "../demo/shown-file.ts";
import type { ApiClient } from "../support/api-client.ts";
import { REAL_DATA_DIR } from "../support/real-data.ts";
import { aftershockSequences } from "../support/statistics/aftershock-sequences.ts";
import { syntheticS1 } from "../support/statistics/synthetic-s1.ts";
import { syntheticS3 } from "../support/statistics/synthetic-s3.ts";
import { syntheticS4 } from "../support/statistics/synthetic-s4.ts";

type Event = Readonly<Record<string, unknown>>;

/** What other programs have computed their results of: which events, and by which filters. */
type Source = {
  readonly events: (client: ApiClient) => Promise<readonly Event[]>;
  readonly filters?: Readonly<Record<string, string | number>>;
};

const DAY_MS = 86_400_000;
/** When S3 begins: its events are days after its main event. */
export const S3_START = "2020-01-01T00:00:00Z";

/** GeoNet writes −9 where a magnitude is unknown. */
const WITH_MAGNITUDE = { minMagnitude: -3 };

const SOURCES = {
  G: { events: quakesearch("geonet_quakesearch_1980-2022.csv"), filters: WITH_MAGNITUDE },
  K: { events: quakesearch("kawerau.csv"), filters: WITH_MAGNITUDE },
  R: { events: uploaded("csep_sample.csv") },
  S1: {
    events: generated(() => syntheticS1().map((magnitude, i) => quake({ magnitude, seconds: i }))),
  },
  S2: {
    events: generated(() =>
      aftershockSequences().map(({ time, ...event }) => ({
        ...event,
        time: new Date(time).toISOString(),
      })),
    ),
  },
  S3: {
    events: generated(() =>
      syntheticS3().map((days) => quake({ seconds: (days * DAY_MS) / 1000 })),
    ),
  },
  S4x: { events: generated(() => pairs("x")) },
  S4y: { events: generated(() => pairs("y")) },
  comcat: { events: uploaded("merge3_comcat.csv") },
  isc: { events: uploaded("merge3_isc.csv") },
} as const satisfies Record<string, Source>;

export type CatalogueName = keyof typeof SOURCES;

export type ReferenceCatalogue = {
  readonly id: string;
  readonly filters: Readonly<Record<string, string | number>>;
};

/** Creates each catalogue when it is first asked for. */
export function createReferenceCatalogues(
  client: ApiClient,
): (name: CatalogueName) => Promise<ReferenceCatalogue> {
  const created = new Map<CatalogueName, Promise<ReferenceCatalogue>>();
  async function create(name: CatalogueName): Promise<ReferenceCatalogue> {
    const { events, filters = {} }: Source = SOURCES[name];
    const { id } = await createCatalogue(client, { name, events: await events(client) });
    return { id, filters };
  }
  return (name) => {
    const catalogue = created.get(name) ?? create(name);
    created.set(name, catalogue);
    return catalogue;
  };
}

function uploaded(file: string): Source["events"] {
  return async (client) => {
    const { data } = await uploadFile(client, join(REAL_DATA_DIR, "csv", file));
    return data as readonly Event[];
  };
}

/** Earthquakes, and events that are not said to be anything else. */
function quakesearch(file: string): Source["events"] {
  return async (client) => {
    const events = await uploaded(file)(client);
    return events.filter(({ eventtype }) => eventtype === null || eventtype === "earthquake");
  };
}

function generated(make: () => readonly Event[]): Source["events"] {
  return async () => make();
}

/** An event some seconds after the beginning of S3, to the microsecond. */
function quake({ seconds, ...given }: { seconds: number; magnitude?: number }): Event {
  const micros = Math.round(seconds * 1e6);
  const time = new Date(Date.parse(S3_START) + Math.floor(micros / 1000)).toISOString();
  const fraction = String(((micros % 1000) + 1000) % 1000).padStart(3, "0");
  const place = { latitude: -40, longitude: 175, depth: 10 };
  return { ...place, magnitude: 3, ...given, time: time.replace("Z", `${fraction}Z`) };
}

/** The magnitudes of S4 on one axis: one event an hour, so that each finds its own in the other catalogue. */
function pairs(axis: "x" | "y"): Event[] {
  return Array.from(syntheticS4()[axis], (magnitude, i) => quake({ seconds: 3600 * i, magnitude }));
}
