import type { Derivation } from "#contracts/analytics/declustering.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { createShared, type Recent } from "#infra/kernel/recent.ts";
import type { ResolvedVersion } from "#projections/read/versions.ts";
import { catalogueName } from "#services/domain/catalogues/catalogue.ts";
import { createCatalogueCommand } from "../catalogues/commands.ts";
import { useChunks } from "../changes/revision-changes.ts";
import type { Command, CommandContext } from "../context.ts";
import { writeBody } from "../handler.ts";
import type { GatewayThreads } from "../threads.ts";
import type { WorkTurn } from "../turns.ts";

export type CreateDeclustered = {
  readonly name: string;
  readonly version: Pick<ResolvedVersion, "id" | "key" | "version">;
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
  {
    context,
    threads,
  }: { readonly context: CommandContext; readonly threads: Pick<GatewayThreads, "declustering"> },
  command: Command,
  { name: text, version, result, derivedFrom, isRestricted }: CreateDeclustered,
  asker: Asker,
): Promise<string> {
  const name = catalogueName(text);
  const task = { result, version, role: derivedFrom.role };
  const labelled = threads.declustering.stream("streamLabelled", task, asker);
  return useChunks(labelled, ({ chunks, end }) =>
    createCatalogueCommand(
      context,
      command,
      { name, access: isRestricted ? "restricted" : "internal", merge: null, derivedFrom },
      { chunks, totals: async () => ({ ...(await end()), updated: 0, removed: 0 }) },
    ),
  );
}

type OfVersion = Pick<ResolvedVersion, "id" | "version">;

/** Who asks for an analysis, as long as anybody does; `leave` gives its turn to others. */
export type AnalysisTurn = { readonly asker: Asker; readonly leave: () => void };

/**
 * What analyses have found, by version and by all that they depend on: the last asked for are kept. All who ask
 * at the same time share one work, which ends when the last of them leaves.
 * @param memory that others may use too
 */
export function createKeptAnalyses(turn: WorkTurn, memory: Recent<object>) {
  const shared = createShared<object>(memory, bytesOf);
  const nameOf = ({ id, version }: OfVersion, key: string) => `${id} ${version} ${key}`;

  /** @throws QueueFull; the signal's reason; errors of `find` */
  function of<K extends object>(
    version: OfVersion,
    key: string,
    asker: Asker,
    find: (asker: Asker) => Promise<K>,
  ): Promise<K> {
    return shared(nameOf(version, key), (signal) => find({ ...asker, signal }), asker.signal);
  }

  /** The same in the turn of analyses. */
  function inTurn<K extends object>(
    version: OfVersion,
    key: string,
    asker: Asker,
    find: (turn: AnalysisTurn) => Promise<K>,
  ): Promise<K> {
    return of(version, key, asker, async (party) => {
      const leave = await turn(party);
      try {
        return await find({ asker: party, leave });
      } finally {
        leave();
      }
    });
  }

  /** Whether it is kept or being found. */
  const has = (version: OfVersion, key: string) => shared.has(nameOf(version, key));
  return { of, inTurn, has };
}

export type KeptAnalyses = ReturnType<typeof createKeptAnalyses>;

function bytesOf(analysis: object): number {
  return writeBody(analysis).reduce((sum, piece) => sum + piece.length, 0);
}
