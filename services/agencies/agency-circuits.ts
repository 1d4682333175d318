import type { CircuitState } from "#infra/agency/http/circuit-breaker.ts";
import type { Agencies } from "./agencies.ts";
import type { AgencyGates } from "./agency-gates.ts";

/** The circuits of the agencies that may be asked. */
export type AgencyCircuits = {
  readonly first: () => CircuitState;
  readonly further: () => Promise<readonly { readonly id: string; readonly state: CircuitState }[]>;
  /** The first one's by the agency's name, the others' by their ids. */
  readonly byName: () => Promise<Readonly<Record<string, CircuitState>>>;
};

export function createAgencyCircuits(
  { first: { id: firstId, name: firstName }, lately }: Pick<Agencies, "first" | "lately">,
  { state }: Pick<AgencyGates, "state">,
): AgencyCircuits {
  const first = () => state(firstId);
  const further = async () =>
    (await lately()).filter(({ id }) => id !== firstId).map(({ id }) => ({ id, state: state(id) }));
  return {
    first,
    further,
    byName: async () => {
      const others = (await further()).map((circuit) => [circuit.id, circuit.state] as const);
      return { ...Object.fromEntries(others), [firstName]: first() };
    },
  };
}
