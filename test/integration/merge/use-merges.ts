import { sql } from "slonik";
import { afterAll, beforeAll } from "vitest";
import { z } from "zod";
import type { MergeConfig } from "#contracts/merge/merge-config.ts";
import type { MergeDecision } from "#contracts/merge/merge-decision.ts";
import type { SeismicEvent, SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { createChunkWriter } from "#infra/event-log/chunk-writer.ts";
import { NOBODY } from "#infra/kernel/asker.ts";
import {
  type EventRow,
  toSeismicEvent,
  WHOLE_COLUMNS,
} from "#projections/queries/events/event-rows.ts";
import { SERVICE } from "#projections/queries/rights/reader-rights.ts";
import { editCatalogue } from "#services/commands/catalogues/edit-catalogue.ts";
import { totalsAfter } from "#services/commands/changes/revision-changes.ts";
import { setDecisionsCommand } from "#services/commands/merge/decisions/change-decisions.ts";
import {
  createDecisionWork,
  type DecisionWork,
} from "#services/commands/merge/decisions/decision-work.ts";
import type { OfMerge } from "#services/commands/merge/decisions/plan-decisions.ts";
import {
  createMerger,
  type Merger,
  mergeCataloguesCommand,
} from "#services/commands/merge/merger.ts";
import {
  type RefreshedMerge,
  refreshMergeCommand,
} from "#services/commands/merge/refresh-merge.ts";
import { touchedBounds } from "#services/domain/catalogue/touched-bounds.ts";
import { openGatewayThreads } from "#services/gateway/threads/gateway-threads.ts";
import { newCommand, useCatalogues } from "../catalogues/use-catalogues.ts";

export type SourceOf = { readonly id: string; readonly source: string };

/** Changes of a catalogue's events, as one version. */
export type EventChanges = {
  readonly add?: readonly SeismicEventRecord[];
  readonly update?: ReadonlyMap<string, SeismicEventRecord>;
  readonly remove?: readonly string[];
  /** Removed ones that come back under their ids. */
  readonly restore?: ReadonlyMap<string, SeismicEventRecord>;
};

const Version = z.object({ version: z.int(), added: z.int(), updated: z.int(), removed: z.int() });

/** Merges and refreshes over a real log and real threads. */
export function useMerges() {
  const catalogues = useCatalogues();
  let threads: ReturnType<typeof openGatewayThreads>;
  let merger: Merger;
  let decisionWork: DecisionWork;
  beforeAll(() => {
    threads = openGatewayThreads();
    const { databaseUrl, context } = catalogues;
    decisionWork = createDecisionWork(threads.threads.decisions, { databaseUrl, ...context });
    merger = createMerger(threads.threads.merges, catalogues);
  });
  afterAll(() => threads.close());

  return {
    catalogues,
    get merger() {
      return merger;
    },
    async merge(
      sources: readonly SourceOf[],
      config: MergeConfig,
      decisions: readonly MergeDecision[] = [],
    ): Promise<string> {
      const { context } = catalogues;
      const wanted = { name: "merged", sources, config, decisions, reader: SERVICE };
      const run = { ...NOBODY, onProgress() {} };
      const made = await mergeCataloguesCommand({ context, merger }, newCommand(), wanted, run);
      return made.catalogueId;
    },
    refresh(catalogueId: string, config?: MergeConfig): Promise<RefreshedMerge> {
      const wanted = { catalogueId, config, reader: SERVICE };
      return refreshMergeCommand(
        { context: catalogues.context, merger },
        newCommand(),
        wanted,
        NOBODY,
      );
    },
    /** Replaces the decisions of a merge. */
    decide(of: OfMerge, decisions: readonly MergeDecision[]): Promise<void> {
      const { context } = catalogues;
      const body = Buffer.from(JSON.stringify({ decisions }));
      const submitted = { body, asker: NOBODY };
      return setDecisionsCommand({ context, decisionWork }, newCommand(), of, submitted);
    },
    /** The events of the latest version, in order of the ids. */
    async eventsOf(catalogueId: string): Promise<SeismicEvent[]> {
      const rows = await catalogues.context.pool.any(sql.unsafe`
        select ${WHOLE_COLUMNS} from read_model.seismic_events
        where catalogue_key = (select key from read_model.catalogues where id = ${catalogueId})
          and revision_to is null order by event_id`);
      return (rows as readonly EventRow[]).map(toSeismicEvent);
    },
    versionsOf: (catalogueId: string) =>
      catalogues.context.pool.any(sql.type(Version)`
        select version, added, updated, removed from read_model.catalogue_versions
        where catalogue_key = (select key from read_model.catalogues where id = ${catalogueId})
        order by version`),
    /** Changes events as people and imports do. */
    async change(catalogueId: string, changes: EventChanges): Promise<void> {
      const { context } = catalogues;
      const { add = [], update = new Map(), remove = [], restore = new Map() } = changes;
      const before = new Map((await this.eventsOf(catalogueId)).map((one) => [one.id, one]));
      await editCatalogue(
        context,
        newCommand(),
        catalogueId,
        null,
        { cause: "edit" },
        (base, write) => {
          const writer = createChunkWriter();
          for (const record of add) writer.add(record);
          for (const [id, record] of restore) writer.restore(id, record);
          for (const [id, record] of update) writer.update(id, record);
          for (const id of remove) writer.remove(id);
          const chunk = writer.finish();
          const goneIds = [...update.keys(), ...remove];
          const gone = goneIds.flatMap((id) => before.get(id) ?? []);
          const touched = gone.flatMap((event) => touchedBounds(base.bounds, event));
          const made = { ...writer.counts(), bounds: writer.bounds(), touched, goneIds };
          return write({
            chunks: chunk === null ? [] : [chunk],
            totals: () => totalsAfter(context, base, made),
          });
        },
      );
    },
  };
}
