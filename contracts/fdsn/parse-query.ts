import type { EventOrder } from "../query/filter-parameters.ts";
import type { EventFilters } from "../query/filters.ts";
import { filtersOf } from "./filters.ts";
import type { FdsnFormat, FdsnMethod } from "./formats.ts";
import { type Inclusion, inclusionOf } from "./inclusion.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { type RawParameters, rawParameters, wantsJsonErrors } from "./raw-parameters.ts";
import {
  type BodyWaveType,
  eventTypesOf,
  magnitudeTypesOf,
  type WantedEventTypes,
} from "./type-lists.ts";
import { booleanOf, choiceOf, formatOf, integerOf, listOf, timeOf, versionOf } from "./values.ts";

/** A query of the method `query` or `count`; null for an absent parameter. Times are canonical. */
export type FdsnQuery = {
  /** But for event types; a bound of the standard that leaves out nothing valid is absent. */
  readonly filters: EventFilters;
  readonly eventTypes: WantedEventTypes | null;
  /** The one spelling that `filters.magnitudeType`, which knows no case, does not mean. */
  readonly exceptMagnitudeType: BodyWaveType | null;
  /** As sent; what each can be says `eventIdForms`. */
  readonly eventIds: string[] | null;
  /** Whether events that an earlier version had are wanted: also, or they alone; null for not. */
  readonly includeDeleted: "also" | "only" | null;
  readonly updatedAfter: string | null;
  readonly catalog: string | null;
  readonly contributor: string | null;
  /** A version number or a time. */
  readonly asOf: string | null;
  readonly order: EventOrder;
  /** Events to skip, from 0. */
  readonly offset: number;
  readonly limit: number | null;
  readonly format: FdsnFormat;
  /** The status for an empty answer in xml and text. */
  readonly noData: 204 | 404;
  /** What of bulletins is wanted beside what the rows show, in xml; null for nothing. */
  readonly inclusion: Inclusion | null;
  /** Whether `magnitudeType` and the magnitude's bounds mean any magnitude; only with a type. */
  readonly anyMagnitude: boolean;
  /** Whether errors are wanted as ComCat's JSON; only with geojson. */
  readonly jsonError: boolean;
};

/** What is wrong with a query; the message names the parameter. */
export type FdsnFault = {
  readonly parameter: string;
  readonly message: string;
  readonly jsonError: boolean;
};

export type ParsedFdsnQuery =
  | { readonly ok: true; readonly query: FdsnQuery }
  | { readonly ok: false; readonly fault: FdsnFault };

/**
 * `format` is that of a path `query.<format>`; a parameter `format` beside it has to agree.
 */
export type FdsnRequest = { readonly method?: FdsnMethod; readonly format?: string | undefined };

/**
 * Reads the query string of an FDSN event service (FDSN Web Service Specification 1.2), without its
 * question mark or with it.
 */
export function parseFdsnQuery(
  raw: string,
  { method = "query", format: pathFormat }: FdsnRequest = {},
): ParsedFdsnQuery {
  const jsonError = wantsJsonErrors(raw, pathFormat);
  try {
    const parameters = rawParameters(raw);
    const format = formatOf(parameters, method, pathFormat);
    checkScope(parameters, method, format);
    return { ok: true, query: { ...queryOf(parameters), format, jsonError } };
  } catch (error) {
    if (!(error instanceof ParameterFault)) throw error;
    const { parameter, message } = error;
    return { ok: false, fault: { parameter, message, jsonError } };
  }
}

function queryOf(parameters: RawParameters): Omit<FdsnQuery, "format" | "jsonError"> {
  // Only checked here.
  booleanOf(parameters, "jsonerror");
  checkSuperseded(parameters);
  return {
    filters: filtersOf(parameters),
    eventTypes: eventTypesOf(parameters),
    exceptMagnitudeType: magnitudeTypesOf(parameters)?.except ?? null,
    eventIds: eventIdsOf(parameters),
    includeDeleted: DELETED[choiceOf(parameters, "includedeleted") ?? "false"],
    updatedAfter: timeOf(parameters, "updatedafter"),
    catalog: parameters.get("catalog") ?? null,
    contributor: parameters.get("contributor") ?? null,
    asOf: versionOf(parameters, "asof"),
    order: choiceOf(parameters, "orderby") ?? "time",
    offset: (integerOf(parameters, "offset") ?? 1) - 1,
    limit: integerOf(parameters, "limit"),
    noData: choiceOf(parameters, "nodata") === "404" ? 404 : 204,
    inclusion: inclusionOf(parameters),
    anyMagnitude: anyMagnitudeOf(parameters),
  };
}

const DELETED = { false: null, true: "also", only: "only" } as const;

function anyMagnitudeOf(parameters: RawParameters): boolean {
  const scope = choiceOf(parameters, "magnitudescope");
  return scope === "any" && listOf(parameters, "magnitudetype") !== null;
}

/** Other formats show one magnitude, by which they would not be understood. */
function checkScope(parameters: RawParameters, method: FdsnMethod, format: FdsnFormat): void {
  if (!parameters.has("magnitudescope") || method === "count" || format === "xml") return;
  throw new ParameterFault("magnitudescope", "is for the format xml and for counts");
}

/**
 * As ComCat's the flag is for single events, whose superseded products it adds. An event here has no
 * products, so as it is it is complete. Earlier forms of many events are those of earlier versions.
 */
function checkSuperseded(parameters: RawParameters): void {
  if (!booleanOf(parameters, "includesuperseded") || listOf(parameters, "eventid") !== null) return;
  const message = "true needs an eventid: earlier forms stand in earlier versions (asof)";
  throw new ParameterFault("includesuperseded", message);
}

/** With commas, the whole text as well: public ids may hold them. */
function eventIdsOf(parameters: RawParameters): string[] | null {
  const ids = listOf(parameters, "eventid");
  const whole = parameters.get("eventid");
  return ids === null || whole === undefined ? null : [...new Set([...ids, whole])];
}
