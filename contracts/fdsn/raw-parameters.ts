import { meantName } from "../seismic-event/meant-name.ts";
import type { Parameter } from "./parameter.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { PARAMETER_NAMES, PARAMETERS, type ParameterName } from "./parameters.ts";

/** A query's parameters by long name, trimmed and not empty. */
export type RawParameters = ReadonlyMap<ParameterName, string>;

/**
 * The parameters of a query string, with or without its question mark. Names have any case, pairs may
 * be empty (`a=1&&b=2`), blanks may stand as `+`, and an empty value is as good as none.
 * @throws ParameterFault for an unknown name, for one that is given twice, also by its alias, and for
 * what is no UTF-8
 */
export function rawParameters(query: string): RawParameters {
  const parameters = new Map<ParameterName, string>();
  const names = new Set<ParameterName>();
  for (const pair of query.replace(/^\?/, "").split("&")) {
    if (pair === "") continue;
    const end = pair.indexOf("=");
    const spelling = decoded(end < 0 ? pair : pair.slice(0, end), "a name");
    const name = longNameOf(spelling);
    if (name === null) {
      const meant = meantName(spelling, PARAMETER_NAMES);
      throw new ParameterFault(spelling, `is no parameter of this method${meant}`);
    }
    if (names.has(name)) throw new ParameterFault(name, "is given more than once");
    names.add(name);
    const value = end < 0 ? "" : decoded(pair.slice(end + 1), name).trim();
    if (value !== "") parameters.set(name, value);
  }
  return parameters;
}

/** The long name for each name and alias; all are in lower case. */
const LONG_NAMES: ReadonlyMap<string, ParameterName> = new Map(
  PARAMETER_NAMES.flatMap((name) => {
    const { aliases = [] }: Parameter = PARAMETERS[name];
    return [name, ...aliases].map((alias) => [alias, name] as const);
  }),
);

/** The long name that a name in a query stands for, in any case; null for an unknown one. */
export function longNameOf(spelling: string): ParameterName | null {
  return LONG_NAMES.get(spelling.toLowerCase()) ?? null;
}

/** Text without NUL, which no value may hold. */
function decoded(text: string, name: string): string {
  let value: string;
  try {
    value = decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    throw new ParameterFault(name, "is not percent-encoded UTF-8");
  }
  if (value.includes("\0")) throw new ParameterFault(name, "holds a NUL character");
  return value;
}

/**
 * Whether errors of a query are wanted as JSON: `jsonerror=true` with the format geojson, also where
 * the query is otherwise malformed.
 */
export function wantsJsonErrors(query: string, pathFormat: string | undefined): boolean {
  const values = new Map<string, string>();
  for (const [name, value] of new URLSearchParams(query)) {
    values.set(name.toLowerCase(), value.trim().toLowerCase());
  }
  const format = pathFormat?.toLowerCase() ?? values.get("format");
  return values.get("jsonerror") === "true" && format === "geojson";
}
