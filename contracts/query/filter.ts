import type { NumberBounds } from "../bounded.ts";
import { compareTimes } from "../seismic-event/origin-time.ts";
import type { Expression } from "./expression.ts";
import type { RegionArea } from "./region-area.ts";

/** A parameter of queries and bodies; `description` begins with its unit. Lists are read in lower case. */
export type Parameter =
  | {
      readonly kind: "number" | "integer";
      readonly bounds: NumberBounds;
      readonly description: string;
    }
  | { readonly kind: "time"; readonly description: string }
  | { readonly kind: "list"; readonly of?: readonly string[]; readonly description: string }
  | {
      readonly kind: "text";
      /** What is wrong with a text. */
      readonly faultOf: (text: string) => string | null;
      readonly description: string;
    }
  | { readonly kind: "id"; readonly description: string };

export type Parameters = Readonly<Record<string, Parameter>>;

export type ValueOf<P> = P extends { readonly kind: "number" | "integer" }
  ? number
  : P extends { readonly kind: "list"; readonly of: readonly (infer V)[] }
    ? V[]
    : P extends { readonly kind: "list" }
      ? string[]
      : string;

export type Values<P> = { readonly [N in keyof P]?: ValueOf<P[N]> | undefined };

/** What is read beside the parameters before they mean anything. */
export type Resolved = {
  readonly regionArea?: RegionArea | undefined;
  readonly features?: FeatureFilters | undefined;
};

/** Filters of OGC API – Features, beside the parameters. */
export type FeatureFilters = {
  /** As texts of a query string. */
  readonly texts: Readonly<Record<string, string>>;
  readonly expression: Expression;
};

/** A value in words; null of one that is not given. */
export type Text = string | null;

export type Problem = { readonly parameter: string; readonly message: string };

/** A filter of events: parameters that say one thing together. */
export type Filter<P extends Parameters> = {
  readonly parameters: P;
  readonly expression: (values: Values<P>, resolved: Resolved) => Expression;
  readonly words: (texts: { readonly [N in keyof P]: Text }) => readonly Text[];
  /** What is wrong with values that are right each by itself. */
  readonly problemOf?: (values: Values<P>) => Problem | null;
  /** It needs no more than place, time, depth and magnitude, which the console has of every event. */
  readonly isInConsole?: true;
};

/** A filter of several parameters. */
export function filter<const P extends Parameters>(parts: Filter<P>): Filter<P> {
  return parts;
}

/** A filter of one parameter, told with what stands before and behind its value. */
export function single<const N extends string, const P extends Parameter>(
  name: N,
  parameter: P,
  expression: (value: ValueOf<P>, resolved: Resolved) => Expression,
  [before, behind = ""]: readonly [before: string, behind?: string],
): Filter<Readonly<Record<N, P>>> {
  return {
    parameters: { [name]: parameter } as Readonly<Record<N, P>>,
    expression: (values, resolved) => {
      const value = values[name];
      return value === undefined ? { all: [] } : expression(value as ValueOf<P>, resolved);
    },
    words: ({ [name]: text }) => [text === null ? null : `${before}${text}${behind}`],
  };
}

export function number(description: string, bounds: NumberBounds = {}) {
  return { kind: "number", bounds, description } as const;
}

export function integer(description: string, bounds: NumberBounds) {
  return { kind: "integer", bounds, description } as const;
}

export function time(description: string) {
  return { kind: "time", description } as const;
}

export function list(description: string) {
  return { kind: "list", description } as const;
}

export function listOf<const V extends string>(description: string, of: readonly V[]) {
  return { kind: "list", of, description } as const;
}

/** Whether a lower bound, a number or a time, is above its upper bound. */
export function isAbove(low: unknown, high: unknown): boolean {
  if (typeof low === "number" && typeof high === "number") return low > high;
  return typeof low === "string" && typeof high === "string" && compareTimes(low, high) > 0;
}
