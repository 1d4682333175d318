import { expect } from "vitest";
import { type ErrorCode, Refusal } from "#contracts/errors.ts";
import type { CatalogueEvent } from "#contracts/events/catalogues.ts";
import { ABSENT, type CatalogueState, evolve } from "#services/domain/catalogues/catalogue.ts";

export type Decide = (state: CatalogueState) => readonly CatalogueEvent[];

/** Given these events, when this is decided, then exactly these events, or this refusal. */
export function given(...history: readonly CatalogueEvent[]) {
  const state = history.reduce(evolve, ABSENT);
  return {
    when: (decide: Decide) => ({
      then: (...events: readonly CatalogueEvent[]) => expect(decide(state)).toEqual(events),
      thenRefused: (code: ErrorCode) => {
        expect(() => decide(state)).toThrow(Refusal);
        try {
          decide(state);
        } catch (error) {
          expect(error).toMatchObject({ code });
        }
      },
    }),
  };
}
