import type { EventFilters, EventOrder } from "../query/filter-parameters.ts";
import { filtersOf } from "./filters.ts";
import type { FdsnFormat, FdsnMethod } from "./formats.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { type GivenParameters, rawParameters, wantsJsonErrors } from "./raw-parameters.ts";
import { requestedFormat } from "./requested-format.ts";
import {
  type BodyWaveType,
  eventTypesOf,
  magnitudeTypesOf,
  type WantedEventTypes,
} from "./type-lists.ts";
import { booleanOf, choiceOf, integerOf, listOf, timeOf, versionOf } from "./values.ts";

/** A query of the method `query` or `count`; null for an absent parameter. Times are canonical. */
export type FdsnQuery = {
  /** Time, box, circle, depth, magnitude and its type; what leaves out nothing valid is absent. */
  readonly filters: EventFilters;
  readonly eventTypes: WantedEventTypes | null;
  /** The one spelling that `filters.magnitudeType`, which knows no case, does not mean. */
  readonly exceptMagnitudeType: BodyWaveType | null;
  /** As sent; what each can be says `eventIdForms`. */
  readonly eventIds: string[] | null;
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
  readonly includeAllOrigins: boolean;
  readonly includeAllMagnitudes: boolean;
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

/** Only checked here. */
const WITHOUT_EFFECT = ["jsonerror", "includearrivals", "includedeleted"] as const;

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
    const given = rawParameters(raw);
    const format = requestedFormat(given, method, pathFormat);
    return { ok: true, query: { ...queryOf(given), format, jsonError } };
  } catch (error) {
    if (!(error instanceof ParameterFault)) throw error;
    const { parameter, message } = error;
    return { ok: false, fault: { parameter, message, jsonError } };
  }
}

function queryOf(given: GivenParameters): Omit<FdsnQuery, "format" | "jsonError"> {
  for (const name of WITHOUT_EFFECT) booleanOf(given, name);
  checkSuperseded(given);
  return {
    filters: filtersOf(given),
    eventTypes: eventTypesOf(given),
    exceptMagnitudeType: magnitudeTypesOf(given)?.except ?? null,
    eventIds: eventIdsOf(given),
    updatedAfter: timeOf(given, "updatedafter"),
    catalog: given.get("catalog") ?? null,
    contributor: given.get("contributor") ?? null,
    asOf: versionOf(given, "asof"),
    order: choiceOf(given, "orderby") ?? "time",
    offset: (integerOf(given, "offset") ?? 1) - 1,
    limit: integerOf(given, "limit"),
    noData: choiceOf(given, "nodata") === "404" ? 404 : 204,
    includeAllOrigins: booleanOf(given, "includeallorigins"),
    includeAllMagnitudes: booleanOf(given, "includeallmagnitudes"),
  };
}

/**
 * As ComCat's the flag is for single events, whose superseded products it adds. An event here has no
 * products, so as it is it is complete. Earlier forms of many events are those of earlier versions.
 */
function checkSuperseded(given: GivenParameters): void {
  if (!booleanOf(given, "includesuperseded") || listOf(given, "eventid") !== null) return;
  const message = "true needs an eventid: earlier forms stand in earlier versions (asof)";
  throw new ParameterFault("includesuperseded", message);
}

/** With commas, the whole text as well: public ids may hold them. */
function eventIdsOf(given: GivenParameters): string[] | null {
  const ids = listOf(given, "eventid");
  const whole = given.get("eventid");
  return ids === null || whole === undefined ? null : [...new Set([...ids, whole])];
}
