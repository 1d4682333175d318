import type { Derivation } from "#contracts/decluster.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { VersionRows } from "#projections/read/versions.ts";
import type { Declusterer } from "#services/analytics/declusterer.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import { createCatalogueCommand } from "./create-catalogue.ts";

export type CreateDeclustered = {
  readonly name: string;
  readonly version: VersionRows;
  /** Id of the result whose labels choose the events. */
  readonly result: string;
  readonly derivedFrom: Derivation;
  /** Whether the catalogue of the result is restricted: so is what is made of it then. */
  readonly isRestricted: boolean;
};

/**
 * Makes a catalogue, for no more people than its source, of the events of one role in a result of declustering, and returns its id once it
 * is visible.
 * @throws Refusal MISSING_NAME, NAME_TOO_LONG, VALIDATION_ERROR, GONE, NOT_FOUND
 */
export async function createDeclusteredCommand(
  deps: { readonly context: CommandContext; readonly declusterer: Declusterer },
  command: Command,
  { name: text, version, result, derivedFrom, isRestricted }: CreateDeclustered,
  asker: Asker,
): Promise<string> {
  const name = catalogueName(text);
  const { context, declusterer } = deps;
  const task = { result, version, role: derivedFrom.role };
  return declusterer.labelled(task, asker, ({ chunks, end }) =>
    createCatalogueCommand(
      context,
      command,
      { name, access: isRestricted ? "restricted" : "internal", merge: null, derivedFrom },
      { chunks, totals: async () => ({ ...(await end()), updated: 0, removed: 0 }) },
    ),
  );
}
