import { Refusal } from "#contracts/errors.ts";
import type { Asker } from "#infra/kernel/asker.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import { resolvePair } from "#projections/queries/differences/version-pair.ts";
import { versionOf } from "#services/domain/catalogue/version-history.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { Precondition } from "../catalogues/catalogue-decision.ts";
import { editCatalogue } from "../catalogues/edit-catalogue.ts";
import type { Command, CommandContext } from "../context.ts";
import type { Restorer } from "./restorer.ts";

export type RestoreDeps = {
  readonly context: CommandContext;
  readonly lookups: Lookups;
  readonly versionHistories: VersionHistories;
  readonly restorer: Restorer;
};

export type RestoreVersion = {
  readonly catalogueId: string;
  readonly version: number;
  readonly precondition: Precondition;
};

/**
 * Makes a new version of a catalogue's events that is equal to an earlier one; none where the latest is
 * already. Events that were removed since come back under their ids.
 * @returns the number of the version that is equal to it
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED
 */
export async function restoreVersionCommand(
  { context, lookups, versionHistories, restorer }: RestoreDeps,
  command: Command,
  { catalogueId, version, precondition }: RestoreVersion,
  asker: Asker,
): Promise<{ version: number }> {
  const history = await versionHistories.read(catalogueId);
  const wanted = history && versionOf(history, version);
  if (!wanted) throw new Refusal("NOT_FOUND", "There is no such version");
  const { bounds } = wanted;
  const why = { cause: "restore", restores: version } as const;
  const plan = editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    why,
    async (base, write) => {
      const request = { catalogueId, to: version, from: base.version, isGuest: false };
      const { pair } = await resolvePair(lookups, request);
      return restorer.changes(pair, asker, async ({ chunks, end }) => ({
        version: await write({ chunks, totals: async () => ({ ...(await end()), bounds }) }),
      }));
    },
  );
  const edited = await plan;
  return edited.outcome === "planned" ? edited.result : { version: edited.version };
}
