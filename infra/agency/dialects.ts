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

/** The `format` parameter of a request, which decides how its answer is read: QuakeML, ISF, FDSN text. */
export type AnswerFormat = "xml" | "isf" | "text";

export const FORMAT_NAMES: Readonly<Record<AnswerFormat, string>> = {
  xml: "QuakeML",
  isf: "ISF",
  text: "FDSN text",
};

/** How an event service differs from the others, as far as imports depend on it. */
type Dialect = {
  /** Domains whose hosts speak it. */
  readonly domains: readonly string[];
  /** What is asked for with events in full: these, or those that its `application.wadl` names. */
  readonly includes: readonly Include[] | "described";
  /** In which format it says most of an event. */
  readonly whole: "xml" | "isf";
};

const DIALECTS: Readonly<Record<ServiceDialect, Dialect>> = {
  // INGV, NCEDC, SCEDC and others: the standard, with what each one's description adds.
  fdsn: { domains: [], includes: "described", whole: "xml" },
  // Always gives everything, and refuses to be asked for it.
  geonet: { domains: ["geonet.org.nz"], includes: [], whole: "xml" },
  // Ranges of events have mechanisms only with all origins; arrivals are refused with 501.
  comcat: {
    domains: ["usgs.gov"],
    includes: ["includeallorigins", "includeallmagnitudes"],
    whole: "xml",
  },
  // Its description depends on its release, and may name what its settings refuse.
  seiscomp: { domains: ["gfz.de", "gfz-potsdam.de"], includes: "described", whole: "xml" },
  // By default the prime origin and its magnitudes.
  isc: {
    domains: ["isc.ac.uk"],
    includes: STANDARD,
    whole: "isf",
  },
  emsc: {
    domains: ["seismicportal.eu"],
    includes: STANDARD,
    whole: "xml",
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
  if (detail === "summary") return { format: "text", includes: [[]] };
  const { includes, whole } = DIALECTS[dialect];
  const known = includes === "described" ? namedIn(await described()) : includes;
  const standard = known.filter((name) => STANDARD.some((one) => one === name));
  const arrivals = known.filter((name) => name === "includearrivals");
  const steps = [known, standard, arrivals, []];
  const isLess = (step: readonly Include[], i: number) => step.length !== steps[i - 1]?.length;
  return { format: whole, includes: steps.filter(isLess) };
}

function namedIn(parameters: ReadonlySet<string>): Include[] {
  return INCLUDES.filter((name) => parameters.has(name));
}
