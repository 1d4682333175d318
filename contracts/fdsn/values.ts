import { parseDecimal } from "../query/values.ts";
import { parseFdsnTime } from "./fdsn-time.ts";
import {
  COUNT_FORMATS,
  DEFAULT_FORMAT,
  type FdsnFormat,
  type FdsnMethod,
  formatNamed,
} from "./formats.ts";
import type { Parameter } from "./parameter.ts";
import { ParameterFault } from "./parameter-fault.ts";
import { PARAMETERS, type ParameterName } from "./parameters.ts";
import type { RawParameters } from "./raw-parameters.ts";

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
