import { join } from "node:path";
import { createCatalogue } from "../support/api/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { REAL_DATA_DIR } from "../support/real-data.ts";
import { uploadFile } from "../support/shown-file.ts";
import {
  aftershockSequences,
  syntheticS1,
  syntheticS3,
  syntheticS4,
} from "../support/statistics/synthetic.ts";

const NUMBER = /^(-?\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/;
/**
 * Of the last digit: a half, and a twentieth more for results that seem to have been rounded twice, such as
 * 96.795 for 96.79447.
 */
const TOLERANCE = 0.55;

/** Whether a value is the expected text, or the expected number within the tolerance of its last digit. */
export function agrees(expected: string, got: unknown): boolean {
  if (typeof got !== "number") return String(got) === expected;
  const [, , decimals = "", exponent = "0"] = NUMBER.exec(expected) ?? [];
  const lastDigit = 10 ** (Number(exponent) - decimals.length);
  return Math.abs(got - Number(expected)) <= TOLERANCE * lastDigit * (1 + 1e-9);
}

/** A number with two digits more than are expected, to see by how much it is off. */
export function shown(expected: string, got: unknown): string {
  if (typeof got !== "number") return got === undefined ? "missing" : JSON.stringify(got);
  const [, whole = "", decimals = "", exponent] = NUMBER.exec(expected) ?? [];
  if (exponent !== undefined) return got.toExponential(decimals.length + 2);
  return Number.isInteger(got) || whole === "" ? String(got) : got.toFixed(decimals.length + 2);
}

/**
 * The value at a place in an answer: members by name, items of lists by number or by a member, as in
 * `bins[magnitude=1.7].count`; `length` of a list. Undefined where there is none.
 */
export function valueAt(answer: unknown, place: string): unknown {
  let value = answer;
  for (const step of place.split(/\.(?![^[]*\])/)) {
    const [, name = "", key, wanted] = /^([^[]*)(?:\[([^=\]]+)=?([^\]]*)\])?$/.exec(step) ?? [];
    value = memberOf(value, name);
    if (key !== undefined)
      value = wanted === "" ? memberOf(value, key) : itemWith(value, key, wanted);
  }
  return value;
}

function memberOf(value: unknown, name: string): unknown {
  return value !== null && typeof value === "object" ? Reflect.get(value, name) : undefined;
}

function itemWith(value: unknown, key: string, wanted: string | undefined): unknown {
  if (!Array.isArray(value)) return undefined;
  return value.find((item: unknown) => String(memberOf(item, key)) === wanted);
}

/** What a row asks the service. */
export type Question =
  | {
      /** Below `/analytics/`. */
      readonly path: string;
      readonly catalogue: CatalogueName;
      /** Beside those filters that belong to the catalogue. */
      readonly query?: Readonly<Record<string, string | number>>;
      /** Instead of a query, for what is posted. */
      readonly body?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly compare: readonly [a: CatalogueName, b: CatalogueName];
      readonly timeThreshold: number;
      readonly distanceThreshold: number;
      readonly eta?: number;
    };

/** A question, and what its answer must have. */
export type Check = {
  readonly ask: Question;
  /**
   * By the place in the answer: the text that stands there, or the number to the digits
   * with which it is written here.
   */
  readonly expect: Readonly<Record<string, string>>;
};

/** A result that another program has computed of the same events. */
export type ReferenceRow = {
  readonly row: number;
  readonly what: string;
  readonly checks: readonly Check[];
};

type Operation = {
  readonly operation: {
    readonly status: string;
    readonly result?: unknown;
    readonly error?: unknown;
  };
};

/** The answer to a question, also where it comes as an operation; `error` says why there is none. */
export async function ask(
  client: ApiClient,
  catalogue: (name: CatalogueName) => Promise<ReferenceCatalogue>,
  question: Question,
): Promise<{ readonly answer: unknown } | { readonly error: string }> {
  const { status, body } = await send(client, catalogue, question);
  if (status === 202) return ended(client, (body as { operationId: string }).operationId);
  if (status >= 400) return { error: `${status} ${JSON.stringify(body)}` };
  return { answer: body };
}

async function send(
  client: ApiClient,
  catalogue: (name: CatalogueName) => Promise<ReferenceCatalogue>,
  question: Question,
) {
  if ("compare" in question) {
    const { compare, ...parameters } = question;
    const [a, b] = [await catalogue(compare[0]), await catalogue(compare[1])];
    return client.send("POST", "/api/compare", { a: a.id, b: b.id, ...parameters });
  }
  const { id, filters } = await catalogue(question.catalogue);
  const query = { ...filters, ...question.query };
  const texts = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    String(value),
  ]);
  const path = `/api/catalogues/${id}/analytics/${question.path}?${new URLSearchParams(texts)}`;
  return question.body ? client.send("POST", path, question.body) : client.get(path);
}

/** Follows an operation to its end: its stream ends with it. */
async function ended(client: ApiClient, id: string) {
  await (await client.stream(`/api/operations/${id}/stream`)).text();
  const { body } = await client.get<Operation>(`/api/operations/${id}`);
  const { status, result, error } = body.operation;
  return status === "succeeded" ? { answer: result } : { error: JSON.stringify(error ?? status) };
}

type Event = Readonly<Record<string, unknown>>;

/** What other programs have computed their results of: which events, and by which filters. */
type Source = {
  readonly events: (client: ApiClient) => Promise<readonly Event[]>;
  readonly filters?: Readonly<Record<string, string | number>>;
};

const DAY_MS = 86_400_000;
/** When S3 begins: its events are days after its main event. */
const S3_START = "2020-01-01T00:00:00Z";

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

type ReferenceCatalogue = {
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
