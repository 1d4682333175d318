import type { Parameter } from "./parameter.ts";
import { PARAMETER_NAMES, PARAMETERS, type ParameterName } from "./parameters.ts";

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
