import { parseDecimal } from "../query/parameters.ts";
import { meantName } from "../seismic-event/names.ts";
import { parseTime } from "../seismic-event/time.ts";
import {
  COUNT_FORMATS,
  DEFAULT_FORMAT,
  type FdsnFormat,
  type FdsnMethod,
  formatNamed,
} from "./formats.ts";
import { PARAMETER_NAMES, PARAMETERS, type Parameter, type ParameterName } from "./parameters.ts";

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

type NameOf<K extends Parameter["kind"]> = {
  [N in ParameterName]: (typeof PARAMETERS)[N]["kind"] extends K ? N : never;
}[ParameterName];

type OptionOf<N extends NameOf<"choice">> = (typeof PARAMETERS)[N]["options"][number];

/** Readers of given values: null for an absent one, else as the table of parameters describes it. */

/** @throws ParameterFault */
export function numberOf(parameters: RawParameters, name: NameOf<"number">): number | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const { range = "a decimal number" }: Parameter = PARAMETERS[name];
  const number = parseDecimal(text);
  if (number === null || !Number.isFinite(number)) throw expected(name, range);
  return within(name, number) + 0;
}

/**
 * Beyond the safe integers the largest of them, which is as good as any.
 * @throws ParameterFault
 */
export function integerOf(parameters: RawParameters, name: NameOf<"integer">): number | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  if (!/^\+?\d+$/.test(text)) throw expected(name, "an integer");
  return Math.min(within(name, Number(text)), Number.MAX_SAFE_INTEGER);
}

/** @throws ParameterFault */
export function timeOf(parameters: RawParameters, name: NameOf<"time">): string | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const time = parseFdsnTime(text);
  if (time === null) throw expected(name, "a time YYYY-MM-DDThh:mm:ss.ssssss or YYYY-MM-DD, UTC");
  return time;
}

/** @throws ParameterFault */
export function booleanOf(parameters: RawParameters, name: NameOf<"boolean">): boolean {
  const text = parameters.get(name)?.toLowerCase();
  if (text === undefined || text === "false") return false;
  const { options }: Parameter = PARAMETERS[name];
  if (text !== "true" || options !== undefined) {
    throw expected(name, options === undefined ? "true or false" : "false");
  }
  return true;
}

/** @throws ParameterFault */
export function choiceOf<N extends NameOf<"choice">>(
  parameters: RawParameters,
  name: N,
): OptionOf<N> | null {
  const text = parameters.get(name)?.toLowerCase();
  if (text === undefined) return null;
  const { options = [], range }: Parameter = PARAMETERS[name];
  const option = options.find((known) => known === text);
  if (option === undefined) throw expected(name, range ?? options.join(", "));
  return option;
}

/** The members of a comma list, trimmed, without empty and repeated ones. @throws ParameterFault */
export function listOf(parameters: RawParameters, name: NameOf<"list">): string[] | null {
  const text = parameters.get(name);
  if (text === undefined) return null;
  const members = text.split(",").map((member) => member.trim());
  const values = new Set(members.filter((member) => member !== ""));
  if (values.size === 0) throw expected(name, "a value or several with commas between them");
  return [...values];
}

/** The version of a catalogue: its number, or a time in canonical form. @throws ParameterFault */
export function versionOf(parameters: RawParameters, name: NameOf<"version">): string | null {
  const text = parameters.get(name);
  if (text === undefined || /^\d+$/.test(text)) return text ?? null;
  const time = parseFdsnTime(text);
  if (time === null) throw expected(name, "a version number or a time");
  return time;
}

export function expected(name: ParameterName, what: string): ParameterFault {
  return new ParameterFault(name, `expected ${what}`);
}

/** @throws ParameterFault where a lower bound is above its upper bound */
export function requireOrder<T extends string | number>(
  [low, lowest]: readonly [ParameterName, T | null],
  [high, highest]: readonly [ParameterName, T | null],
  compare: (a: T, b: T) => number = (a, b) => (a > b ? 1 : 0),
): void {
  if (lowest === null || highest === null || compare(lowest, highest) <= 0) return;
  throw new ParameterFault(low, `is above ${high}`);
}

function within(name: ParameterName, number: number): number {
  const { min = number, max = number, range = "" }: Parameter = PARAMETERS[name];
  if (number < min || number > max) throw expected(name, range);
  return number;
}

/**
 * The format that the parameter or the path names, else the method's default.
 * @throws ParameterFault for an unknown one, and where the two differ
 */
export function formatOf(
  parameters: RawParameters,
  method: FdsnMethod,
  pathFormat: string | undefined,
): FdsnFormat {
  const names = [pathFormat, parameters.get("format")].filter((name) => name !== undefined);
  const [format, other] = names.map((name) => formatNamed(name, method));
  if (format === null || other === null) throw expected("format", formatNames(method));
  if (format !== undefined && other !== undefined && format !== other) {
    throw new ParameterFault("format", "is another in the path");
  }
  return format ?? DEFAULT_FORMAT[method];
}

function formatNames(method: FdsnMethod): string {
  return (method === "query" ? PARAMETERS.format.options : COUNT_FORMATS).join(", ");
}

/** A `+` that was not encoded is a blank after decoding. */
const OFFSET_AFTER_BLANK = / (?=\d\d:?\d\d$)/;

/**
 * The canonical form (`contracts/seismic-event/time.ts`) of a time in a query; null for any
 * other text.
 *
 * The standard has `YYYY-MM-DDThh:mm:ss` with up to six fractional digits and `YYYY-MM-DD`, always UTC
 * (FDSN Web Service Specification 1.1, p. 6). Clients and published addresses also have a zone, a
 * blank for the `T`, no seconds, more digits, second 60 and 24:00:00.
 */
export function parseFdsnTime(text: string): string | null {
  return parseTime(text, "down") ?? parseTime(text.replace(OFFSET_AFTER_BLANK, "+"), "down");
}

/** What is wrong with a query. The message begins with the parameter's name. */
export class ParameterFault extends Error {
  override readonly name = "ParameterFault";
  /** The long name, or an unknown name as it was sent. */
  readonly parameter: string;

  constructor(parameter: string, message: string) {
    super(`${parameter}: ${message}`);
    this.parameter = parameter;
  }
}
