import { Refusal } from "#contracts/errors.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import type { ChangeCounts } from "#infra/log/chunks.ts";
import type { Lookups } from "#infra/postgres/statements.ts";
import type { WorkerThreads } from "#infra/threads/worker-threads.ts";
import { resolvePair, type VersionPair } from "#projections/read/differences.ts";
import { SERVICE } from "#projections/read/rights.ts";
import { versionOf } from "#services/domain/versions.ts";
import type { VersionHistories } from "#services/versions/version-histories.ts";
import type { Precondition } from "../catalogues/catalogue-decision.ts";
import { editCatalogue } from "../catalogues/edit-catalogue.ts";
import { type ChunkStream, chunksOf } from "../changes/chunks-of-thread.ts";
import type { Command, CommandContext } from "../context.ts";
import type * as tasks from "./restore-worker.ts";
import type { RestoreTask } from "./restore-worker.ts";

/** Finds what has to be changed to restore a version, in worker threads with connections of their own. */
export type Restorer = {
  /** Passes the changes from one version to the other to `use`, in chunks. @throws errors of `use` */
  readonly changes: <T>(
    pair: VersionPair,
    asker: Asker,
    use: (changes: ChunkStream<ChangeCounts>) => Promise<T>,
  ) => Promise<T>;
};

export function createRestorer(
  threads: WorkerThreads<typeof tasks>,
  { databaseUrl }: Pick<RestoreTask, "databaseUrl">,
): Restorer {
  return {
    async changes(pair, asker, use) {
      const items = threads.stream("streamRestored", { databaseUrl, pair }, asker);
      try {
        return await use(chunksOf(items, () => {}));
      } finally {
        await items.return({ added: 0, updated: 0, removed: 0 });
      }
    },
  };
}

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
  const edited = await editCatalogue(
    context,
    command,
    catalogueId,
    precondition,
    why,
    async (base, write) => {
      const request = { catalogueId, to: version, from: base.version, reader: SERVICE };
      const { pair } = await resolvePair(lookups, request);
      return restorer.changes(pair, asker, async ({ chunks, end }) => ({
        version: await write({ chunks, totals: async () => ({ ...(await end()), bounds }) }),
      }));
    },
  );
  return edited.outcome === "planned" ? edited.result : { version: edited.version };
}
