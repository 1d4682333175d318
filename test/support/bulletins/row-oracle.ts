import fc from "fast-check";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";

/**
 * What a row shows of a bulletin, by the rules as they are told (contracts/docs/bulletins.md), written without
 * the service's code.
 */
export function rowByTheRules(bulletin: Bulletin): Record<string, unknown> {
  const origin = originByTheRules(bulletin);
  const magnitude = magnitudeByTheRules(bulletin, origin);
  const { quality, originUncertainty: [area] = [], creationInfo } = origin;
  const { creationInfo: ofEvent } = bulletin;
  return {
    time: origin.time.value,
    time_uncertainty: origin.time.uncertainty ?? null,
    latitude: origin.latitude.value,
    latitude_uncertainty: origin.latitude.uncertainty ?? null,
    longitude: origin.longitude.value,
    longitude_uncertainty: origin.longitude.uncertainty ?? null,
    depth: within(kilometres(origin.depth?.value), -10, 1000),
    depth_uncertainty: kilometres(origin.depth?.uncertainty),
    depth_type: origin.depthType ?? null,
    evaluation_mode: origin.evaluationMode ?? null,
    evaluation_status: origin.evaluationStatus ?? null,
    agency_id: creationInfo?.agencyID ?? ofEvent?.agencyID ?? null,
    author: creationInfo?.author ?? ofEvent?.author ?? null,
    used_station_count: within(quality?.usedStationCount, 0),
    used_phase_count: within(quality?.usedPhaseCount, 0),
    azimuthal_gap: within(quality?.azimuthalGap, 0, 360),
    standard_error: quality?.standardError ?? null,
    minimum_distance: quality?.minimumDistance ?? null,
    horizontal_uncertainty: kilometres(
      area?.horizontalUncertainty ?? area?.maxHorizontalUncertainty,
    ),
    magnitude: within(magnitude?.mag.value, -3, 10),
    magnitude_type: magnitude?.type ?? null,
    magnitude_uncertainty: magnitude?.mag.uncertainty ?? null,
    magnitude_station_count: magnitude?.stationCount ?? null,
    region: regionByTheRules(bulletin) ?? origin.region ?? null,
    event_type: bulletin.type ?? null,
    event_type_certainty: bulletin.typeCertainty ?? null,
  };
}

/** Whether every origin is of a moment tensor. */
export function hasCentroidsAlone({ origin = [], focalMechanism = [] }: Bulletin): boolean {
  const centroids = centroidsOf(focalMechanism);
  return origin.every(({ publicID }) => centroids.includes(publicID));
}

function centroidsOf(mechanisms: readonly QuakemlObject<"FocalMechanism">[]): string[] {
  return mechanisms.flatMap(({ momentTensor = [] }) =>
    momentTensor.map(({ derivedOriginID }) => derivedOriginID),
  );
}

function originByTheRules(bulletin: Bulletin): QuakemlObject<"Origin"> {
  const { origin: all = [], focalMechanism = [], preferredOriginID } = bulletin;
  const named = all.find(({ publicID }) => publicID === preferredOriginID);
  if (named) return named;
  const centroids = centroidsOf(focalMechanism);
  const hypocentres = all.filter(({ publicID }) => !centroids.includes(publicID));
  const candidates = hypocentres.length > 0 ? hypocentres : all;
  let chosen: QuakemlObject<"Origin"> | undefined;
  for (const one of candidates) {
    if (one.evaluationStatus !== "reviewed" && one.evaluationStatus !== "final") continue;
    // Of those that were made at once, the one that comes later.
    if (chosen === undefined || madeAt(one) >= madeAt(chosen)) chosen = one;
  }
  const first = chosen ?? candidates[0];
  if (first === undefined) throw new Error("an event without an origin has no row");
  return first;
}

/** Milliseconds since 1970; times without a zone are UTC. */
function madeAt({ creationInfo }: QuakemlObject<"Origin">): number {
  const time = creationInfo?.creationTime;
  if (time === undefined) return Number.NEGATIVE_INFINITY;
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(time) ? time : `${time}Z`);
}

const ORDER = "Mww Mwc Mwb Mwr Mw Mwp Ms mB mb ML mbLg Md M".split(" ");

function magnitudeByTheRules(bulletin: Bulletin, { publicID }: QuakemlObject<"Origin">) {
  const { magnitude: all = [], preferredMagnitudeID } = bulletin;
  const named = all.find((one) => one.publicID === preferredMagnitudeID);
  if (named) return named;
  const ofOrigin = all.filter(({ originID }) => originID === publicID);
  const rank = ({ type = "" }: QuakemlObject<"Magnitude">) =>
    ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length;
  return (ofOrigin.length > 0 ? ofOrigin : all).toSorted(
    (a, b) => rank(a) - rank(b) || (b.stationCount ?? 0) - (a.stationCount ?? 0),
  )[0];
}

function regionByTheRules({ description = [] }: Bulletin): string | undefined {
  for (const wanted of ["region name", "Flinn-Engdahl region", "earthquake name"]) {
    const found = description.find(({ type }) => type === wanted);
    if (found !== undefined) return found.text;
  }
  return undefined;
}

function kilometres(metres: number | undefined): number | null {
  return metres === undefined ? null : metres / 1000;
}

function within(value: number | null | undefined, min: number, max = Number.POSITIVE_INFINITY) {
  return value != null && value >= min && value <= max ? value : null;
}

/** Of the row's rule, best first; the last is none of it. */
const TYPES = ["Mww", "Mwb", "Mw", "Ms", "mB", "mb", "ML", "mbLg", "Md", "M", "Mint"] as const;
const STATUSES = ["preliminary", "confirmed", "reviewed", "final", "rejected"] as const;
const DESCRIPTIONS = [
  "region name",
  "Flinn-Engdahl region",
  "earthquake name",
  "nearest cities",
] as const;
const CREATED = [
  "2020-01-01T00:00:00Z",
  "2020-01-01T00:00:00.5Z",
  "2020-01-01T10:30:00+12:00",
  "2019-12-31T23:59:59.999999Z",
  "2021-06-01T00:00:00",
] as const;

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined, freq: 2 });
/** The place of one of up to four objects; beyond those that there are, a reference to nothing. */
const place = fc.nat(4);
const tenths = (min: number, max: number) =>
  fc.integer({ min: min * 10, max: max * 10 }).map((value) => value / 10);
const count = fc.oneof({ weight: 4, arbitrary: fc.nat(200) }, fc.constant(-1));
const info = fc.record(
  {
    agencyID: fc.constantFrom("WEL", "NEIC"),
    author: fc.constantFrom("one", "another"),
    creationTime: fc.constantFrom(...CREATED),
  },
  { requiredKeys: [] },
);

const origin = fc.record({
  second: fc.nat(59),
  latitude: tenths(-90, 90),
  longitude: tenths(-179, 180),
  /** Metres; one is deeper than any earthquake. */
  depth: maybe(fc.oneof({ weight: 9, arbitrary: fc.nat(700_000) }, fc.constant(6_371_000))),
  error: maybe(tenths(0, 5)),
  depthError: maybe(fc.nat(20_000)),
  status: maybe(fc.constantFrom(...STATUSES)),
  mode: maybe(fc.constantFrom("manual" as const, "automatic" as const)),
  depthType: maybe(fc.constantFrom("from location" as const, "operator assigned" as const)),
  region: maybe(fc.constant("Where the origin is")),
  creationInfo: maybe(info),
  quality: maybe(
    fc.record(
      {
        usedStationCount: count,
        usedPhaseCount: count,
        azimuthalGap: fc.constantFrom(-1, 12.5, 360, 999),
        standardError: tenths(0, 3),
        minimumDistance: tenths(0, 9),
      },
      { requiredKeys: [] },
    ),
  ),
  radius: maybe(fc.nat(30_000)),
  longest: maybe(fc.nat(30_000)),
});
const magnitude = fc.record({
  value: fc.oneof({ weight: 9, arbitrary: tenths(-2, 9) }, fc.constantFrom(-9, -99, 12)),
  error: maybe(tenths(0, 1)),
  type: maybe(fc.constantFrom(...TYPES)),
  origin: maybe(place),
  stations: maybe(fc.nat(30)),
});

const anySeed = fc.record({
  origins: fc.array(origin, { minLength: 1, maxLength: 4 }),
  magnitudes: fc.array(magnitude, { maxLength: 4 }),
  /** For each mechanism the origins of its tensors. */
  mechanisms: fc.array(fc.array(place, { maxLength: 3 }), { maxLength: 2 }),
  preferredOrigin: maybe(place),
  preferredMagnitude: maybe(place),
  descriptions: fc.array(fc.constantFrom(...DESCRIPTIONS), { maxLength: 3 }),
  type: maybe(fc.constantFrom("earthquake" as const, "quarry blast" as const)),
  certainty: maybe(fc.constantFrom("known" as const, "suspected" as const)),
  creationInfo: maybe(info),
});
type Seed = typeof anySeed extends fc.Arbitrary<infer T> ? T : never;

/**
 * Bulletins by chance, whose preferred ids are missing, lead somewhere or nowhere, and some of which have
 * centroids alone. The same seed gives the same ones.
 */
export function seededBulletins(count: number, seed: number): Bulletin[] {
  return fc.sample(anySeed, { numRuns: count, seed }).map(bulletinOf);
}

function bulletinOf(seed: Seed, index: number): Bulletin {
  const id = (kind: string, at: number | string) => `smi:test.local/${kind}/${index}.${at}`;
  const reference = <N extends string>(name: N, kind: string, at: number | undefined) =>
    at === undefined ? {} : ({ [name]: id(kind, at) } as { [K in N]: string });
  const magnitudes = seed.magnitudes.map(({ value, error, type, origin: of, stations }, at) => ({
    publicID: id("magnitude", at),
    mag: quantity(value, error),
    ...present({ type, stationCount: stations }),
    ...reference("originID", "origin", of),
  }));
  const mechanisms = seed.mechanisms.map((tensors, at) => {
    const momentTensor = tensors.map((of, nth) => ({
      publicID: id("tensor", `${at}.${nth}`),
      derivedOriginID: id("origin", of),
    }));
    return { publicID: id("mechanism", at), ...listed("momentTensor", momentTensor) };
  });
  const description = seed.descriptions.map((type, at) => ({ text: `${type} ${at}`, type }));
  return {
    publicID: `smi:test.local/seeded/${index}`,
    ...reference("preferredOriginID", "origin", seed.preferredOrigin),
    ...reference("preferredMagnitudeID", "magnitude", seed.preferredMagnitude),
    ...present({ type: seed.type, typeCertainty: seed.certainty, creationInfo: whole(seed) }),
    ...listed("description", description),
    origin: seed.origins.map((one, at) => originOf(one, id("origin", at))),
    ...listed("magnitude", magnitudes),
    ...listed("focalMechanism", mechanisms),
  };
}

function originOf(one: Seed["origins"][number], publicID: string): QuakemlObject<"Origin"> {
  const { error, radius, longest, quality = {} } = one;
  const uncertainty = present({
    horizontalUncertainty: radius,
    maxHorizontalUncertainty: longest,
  });
  return {
    publicID,
    time: {
      value: `2024-05-06T07:08:${String(one.second).padStart(2, "0")}.25Z`,
      ...present({ uncertainty: error }),
    },
    latitude: quantity(one.latitude, error),
    longitude: quantity(one.longitude, error),
    ...(one.depth !== undefined && { depth: quantity(one.depth, one.depthError) }),
    ...present({
      depthType: one.depthType,
      evaluationMode: one.mode,
      evaluationStatus: one.status,
      region: one.region,
      creationInfo: whole(one),
      quality: Object.keys(quality).length > 0 ? quality : undefined,
    }),
    ...listed("originUncertainty", Object.keys(uncertainty).length > 0 ? [uncertainty] : []),
  };
}

function quantity(value: number, uncertainty?: number) {
  return { value, ...present({ uncertainty }) };
}

function whole<T extends object>({ creationInfo }: { readonly creationInfo: T | undefined }) {
  return creationInfo && Object.keys(creationInfo).length > 0 ? creationInfo : undefined;
}

function listed<N extends string, T>(name: N, list: readonly T[]) {
  return (list.length > 0 ? { [name]: list } : {}) as { readonly [K in N]?: T[] };
}

/** Members that have a value. */
function present<T extends object>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}
