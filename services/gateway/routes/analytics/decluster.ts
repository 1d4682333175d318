import { randomUUID } from "node:crypto";
import type { DeclusterMethod } from "#contracts/decluster.ts";
import { Refusal } from "#contracts/errors.ts";
import {
  type DeclusterAnswer,
  type DeclusterBody,
  MAX_DECLUSTERED,
} from "#contracts/http/analytics/decluster.ts";
import { FilterTexts } from "#contracts/query/filter-parameters.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import { filtersAlone, filtersAmong, filterTexts } from "#contracts/query/filters-among.ts";
import { validate } from "#infra/json/validate.ts";
import { whileAsked } from "#infra/postgres/asked-pool.ts";
import { magnitudeCounts } from "#projections/queries/analytics/magnitude-counts.ts";
import { resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { answerOrStart } from "../../http/answer-or-start.ts";
import type { MakeHandler } from "../make-handler.ts";
import { inputOfCounts } from "./analysis/input.ts";

/** Events above which a method runs in the background. */
const AT_ONCE: Readonly<Record<DeclusterMethod["method"], number>> = {
  "gardner-knopoff": 200_000,
  reasenberg: 20_000,
  "nearest-neighbour": 20_000,
};

const REFERENCES: Readonly<Record<DeclusterMethod["method"], string>> = {
  "gardner-knopoff": "Gardner & Knopoff 1974",
  reasenberg: "Reasenberg 1985",
  "nearest-neighbour": "Zaliapin & Ben-Zion 2013",
};

/** Wide bins: only the number of events is looked at. */
const ONE_BIN = 100;

export const declusterHandler: MakeHandler<"decluster", "reads" | "declusterer" | "runner"> =
  ({ reads, declusterer, runner }) =>
  async (call) => {
    const { filters, asOf, method } = askedOf(call.query, call.body);
    const request = { catalogueId: call.params.id, asOf, reader: call.reader };
    const version = await resolveVersion(reads.prepared, request);
    const leave = await call.turn("analyses");
    const counting = whileAsked(reads.longPool, call.asker.signal);
    const counts = await magnitudeCounts(counting, { version, filters }, ONE_BIN).finally(leave);
    const input = inputOfCounts(counts, filters);
    const events = requireFew(input.events - (input.withoutMagnitude ?? 0));
    return answerOrStart(runner, call, {
      job: {
        kind: "decluster",
        unit: "events",
        reads: [{ id: version.id, version: version.version }],
      },
      isLong: events > AT_ONCE[method.method],
      work: async (run): Promise<{ body: DeclusterAnswer }> => {
        const result = randomUUID();
        const clusters = await declusterer.find({ result, version, filters, method }, run);
        const { method: name, ...parameters } = clusters.method;
        return {
          body: {
            result,
            catalogue: version.id,
            version: version.version,
            filters: filtersAlone(filters),
            method: name,
            parameters,
            input,
            ...clusters.outcome,
            warnings: [...clusters.warnings],
            reference: REFERENCES[name],
          },
        };
      },
    });
  };

/** @throws Refusal TOO_MANY_EVENTS */
function requireFew(events: number): number {
  if (events <= MAX_DECLUSTERED) return events;
  const text = `There are ${events} events, more than ${MAX_DECLUSTERED}: narrow the filters`;
  throw new Refusal("TOO_MANY_EVENTS", text);
}

/**
 * What is asked, from query and body together; the body comes first.
 * @throws Refusal VALIDATION_ERROR where their filters do not go together
 */
function askedOf(query: EventFilters & { asOf?: string | undefined }, body: DeclusterBody) {
  const together = { ...filtersAmong(query), ...filtersAmong(body) };
  const { regionArea } = together;
  const filters = { ...validate(FilterTexts, filterTexts(together)), regionArea };
  const asOf = body.asOf ?? query.asOf;
  return { filters, asOf, method: methodOf(body) };
}

function methodOf(body: DeclusterBody): DeclusterMethod {
  switch (body.method) {
    case "gardner-knopoff": {
      const {
        method,
        linked,
        window = linked ? "gk-table" : "gk-fit",
        foreshockFraction = 1,
      } = body;
      return { method, window, linked, foreshockFraction };
    }
    case "reasenberg": {
      const { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor } = body;
      return { method, tau0, tauMin, tauMax, p, xk, rfact, xmeff, floor };
    }
    case "nearest-neighbour": {
      const { method, df, b, threshold } = body;
      return { method, df, b, threshold };
    }
  }
}
