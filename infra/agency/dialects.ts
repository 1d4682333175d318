import { SERVICE_DIALECTS, type ServiceDialect } from "#contracts/agency.ts";
import type { ImportDetail } from "#contracts/import-run.ts";

/** Those of the FDSN event service 1.2; the others are extensions of SeisComP and INGV. */
const STANDARD = ["includeallorigins", "includeallmagnitudes", "includearrivals"] as const;

/** Parameters by which event services give more of an event than its preferred solution; true or false. */
const INCLUDES = [
  ...STANDARD,
  "includepicks",
  "includeamplitudes",
  "includestationmagnitudes",
  "includefocalmechanism",
  "includeallfocalmechanisms",
  "includestationmts",
  "includecomments",
  "includeall",
] as const;
export type Include = (typeof INCLUDES)[number];

/** The `format` parameter of a request, which decides how its answer is read. */
export type AnswerFormat = "xml" | "isf" | "text" | "geojson";

export const FORMAT_NAMES: Readonly<Record<AnswerFormat, string>> = {
  xml: "QuakeML",
  isf: "ISF",
  text: "FDSN text",
  geojson: "GeoJSON",
};

/** How an event service differs from the others, as far as imports depend on it. */
type Dialect = {
  /** Domains whose hosts speak it. */
  readonly domains: readonly string[];
  /** What is asked for with events in full: these, or those that its `application.wadl` names. */
  readonly includes: readonly Include[] | "described";
  /** In which format it says most of an event. */
  readonly whole: "xml" | "isf";
  /** In which format it says least of an event, but enough to see that it changed. */
  readonly listing: "xml" | "text" | "geojson";
  /** Whether it can be asked for what changed since a time, or its `application.wadl` tells so. */
  readonly updatedAfter: boolean | "described";
  /** Most events that it gives at once, as far as it is known. */
  readonly cap: number;
};

/** FDSN's services name no limit; 10,000 is GeoNet's and INGV's, and others refuse before. */
const USUAL_CAP = 10_000;

const DIALECTS: Readonly<Record<ServiceDialect, Dialect>> = {
  // INGV, NCEDC, SCEDC and others: the standard, with what each one's description adds.
  fdsn: {
    domains: [],
    includes: "described",
    whole: "xml",
    listing: "text",
    updatedAfter: "described",
    cap: USUAL_CAP,
  },
  // Always gives everything, and refuses to be asked for it. Only its text tells a duplicate.
  geonet: {
    domains: ["geonet.org.nz"],
    includes: [],
    whole: "xml",
    listing: "text",
    updatedAfter: true,
    cap: USUAL_CAP,
  },
  // Ranges of events have mechanisms only with all origins; arrivals are refused with 501. GeoJSON alone
  // has the time of the last change and all ids of an event.
  comcat: {
    domains: ["usgs.gov"],
    includes: ["includeallorigins", "includeallmagnitudes"],
    whole: "xml",
    listing: "geojson",
    updatedAfter: true,
    cap: 20_000,
  },
  // Its description depends on its release, and may name what its settings refuse; it counts objects, not
  // events, and refuses what is too much. `updatedafter` is refused.
  seiscomp: {
    domains: ["gfz.de", "gfz-potsdam.de"],
    includes: "described",
    whole: "xml",
    listing: "text",
    updatedAfter: false,
    cap: USUAL_CAP,
  },
  // By default the prime origin and its magnitudes. It has no text.
  isc: {
    domains: ["isc.ac.uk"],
    includes: STANDARD,
    whole: "isf",
    listing: "xml",
    updatedAfter: false,
    cap: USUAL_CAP,
  },
  emsc: {
    domains: ["seismicportal.eu"],
    includes: STANDARD,
    whole: "xml",
    listing: "text",
    updatedAfter: true,
    cap: 1_000,
  },
};

/** The dialect of the service at an address, by its host; that of the standard for any other host. */
export function dialectOf(url: string): ServiceDialect {
  const host = new URL(url).hostname.toLowerCase();
  const speaks = (name: ServiceDialect) =>
    DIALECTS[name].domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  return SERVICE_DIALECTS.find(speaks) ?? "fdsn";
}

/** What the requests of a query ask for beside its bounds. */
export type AnswerForm = {
  readonly format: AnswerFormat;
  /** What more is asked for: first everything, then less, as long as the agency refuses it; at last nothing. */
  readonly includes: readonly (readonly Include[])[];
};

/**
 * How events are asked for in a dialect.
 * @param described the parameters that the service's description names; asked only where it decides
 */
export async function answerForm(
  dialect: ServiceDialect,
  detail: ImportDetail,
  described: () => Promise<ReadonlySet<string>>,
): Promise<AnswerForm> {
  const { includes, whole, listing } = DIALECTS[dialect];
  if (detail === "summary") {
    return { format: listing === "geojson" ? "text" : listing, includes: [[]] };
  }
  const known = includes === "described" ? namedIn(await described()) : includes;
  const standard = known.filter((name) => STANDARD.some((one) => one === name));
  const arrivals = known.filter((name) => name === "includearrivals");
  const steps = [known, standard, arrivals, []];
  const isLess = (step: readonly Include[], i: number) => step.length !== steps[i - 1]?.length;
  return { format: whole, includes: steps.filter(isLess) };
}

/** How events are asked for to see which there are, and which of them changed. */
export function listingForm(dialect: ServiceDialect): AnswerForm {
  return { format: DIALECTS[dialect].listing, includes: [[]] };
}

/** Whether a listing has the time of each event's last change, so that no change escapes it. */
export function listsUpdates(dialect: ServiceDialect): boolean {
  return DIALECTS[dialect].listing === "geojson";
}

/** Whether the agency can be asked for what changed since a time. @param described as for `answerForm` */
export async function takesUpdatedAfter(
  dialect: ServiceDialect,
  described: () => Promise<ReadonlySet<string>>,
): Promise<boolean> {
  const { updatedAfter } = DIALECTS[dialect];
  return updatedAfter === "described" ? (await described()).has("updatedafter") : updatedAfter;
}

/** Most events that the agency gives at once, where nothing else is known of it. */
export function usualCap(dialect: ServiceDialect): number {
  return DIALECTS[dialect].cap;
}

function namedIn(parameters: ReadonlySet<string>): Include[] {
  return INCLUDES.filter((name) => parameters.has(name));
}
