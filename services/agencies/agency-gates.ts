import { type CircuitState, createCircuitBreaker } from "#infra/agency/http/circuit-breaker.ts";
import { createRequestSlots } from "#infra/kernel/fair-queue.ts";
import type { AgencyOptions } from "../commands/import/import-worker.ts";
import type { AgencyGate } from "../commands/import/remote-breaker.ts";

/** What the requests of one agency have in common; an agency that is changed begins anew. */
type GateOptions = Pick<AgencyOptions, "id" | "name" | "url" | "requestsAtOnce">;

/** A circuit breaker and request slots for each agency, over all imports of this process. */
export type AgencyGates = {
  readonly of: (agency: GateOptions) => AgencyGate;
  /** Of an agency's circuit; one that was never asked is CLOSED. */
  readonly state: (agencyId: string) => CircuitState;
  /** Stops the timers. */
  readonly close: () => void;
};

export function createAgencyGates(): AgencyGates {
  const present = new Map<string, { readonly options: GateOptions; readonly gate: Gate }>();
  const opened: Gate[] = [];

  return {
    of(options) {
      const known = present.get(options.id);
      if (known && isSame(known.options, options)) return known.gate;
      const gate = openGate(options);
      // Runs of before the change have theirs.
      opened.push(gate);
      present.set(options.id, { options, gate });
      return gate;
    },
    state: (agencyId) => present.get(agencyId)?.gate.breaker.state() ?? "CLOSED",
    close: () => {
      for (const { breaker } of opened) breaker.close();
    },
  };
}

type Gate = ReturnType<typeof openGate>;

function openGate({ name, requestsAtOnce }: GateOptions) {
  // Counts every error that it is given: imports pass on only failures of the agency.
  return {
    breaker: createCircuitBreaker({ name }),
    slots: createRequestSlots(requestsAtOnce),
  };
}

function isSame(one: GateOptions, other: GateOptions): boolean {
  return (
    one.name === other.name && one.url === other.url && one.requestsAtOnce === other.requestsAtOnce
  );
}
