import type { MagnitudeConversion } from "#contracts/merges/config.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { Asker } from "#infra/kernel/fair-queue.ts";
import { reportedChunks, useBegun } from "../changes/revision-changes.ts";
import { type Edit, editCatalogue, latestTarget } from "../revision.ts";
import type { GatewayThreads } from "../threads.ts";

export type ConvertMagnitudes = {
  readonly conversions: readonly MagnitudeConversion[];
  readonly filters: EventFilters;
};

/** Its signal cancels the conversion; nothing of it remains. */
type ConversionRun = Asker & {
  readonly onProgress: (progress: { done: number; total: number }) => void;
};

export type MagnitudesConverted = Awaited<ReturnType<typeof convertMagnitudesCommand>>;

/**
 * Converts the magnitudes of a catalogue's events by one edit. Where nothing is converted there is no version.
 * @throws Refusal NOT_FOUND, CONFLICT, PRECONDITION_FAILED; VALIDATION_ERROR where a bulletin becomes too large
 */
export async function convertMagnitudesCommand(
  threads: Pick<GatewayThreads, "conversions">,
  edit: Edit,
  { conversions, filters }: ConvertMagnitudes,
  { onProgress, ...asker }: ConversionRun,
) {
  const { context, catalogueId } = edit;
  const at = context.now().toISOString();
  const origin = { cause: "edit" } as const;
  const edited = await editCatalogue(edit, origin, (base, write) => {
    const task = { base, edit: { version: base.nextVersion, at }, filters, conversions };
    const converting = threads.conversions.stream("streamConverted", task, asker);
    return useBegun(converting, async ({ candidates, chunks, end }) => {
      const version = await write({
        chunks: reportedChunks(chunks, candidates, { onProgress }),
        totals: async () => {
          const { converted, bounds } = await end();
          return {
            added: 0,
            updated: converted,
            removed: 0,
            // Nothing else of an event changes.
            bounds: { ...base.bounds, ...bounds },
          };
        },
      });
      const { converted, outOfRange } = await end();
      return { version, converted, outOfRange };
    });
  });
  if (edited.outcome === "planned") return edited.result;
  const { version, updated: converted } = edited;
  const { key } = await latestTarget(context, catalogueId);
  const before = {
    base: { key, version: version - 1 },
    edit: { version, at },
    filters,
    conversions,
  };
  const again = threads.conversions.stream("streamConverted", before, asker);
  const { outOfRange } = await useBegun(again, ({ end }) => end());
  return { version, converted, outOfRange };
}
