import { NO_BOUNDS } from "#contracts/events/catalogues.ts";
import { idsOf } from "#contracts/seismic-event/public-ids.ts";
import type { SeismicEventRecord } from "#contracts/seismic-event/seismic-event.ts";
import { openSession } from "#infra/postgres/connection.ts";
import { createChangeWriter } from "#services/changes/change-writer.ts";
import type { ChangeTarget } from "#services/changes/revision-changes.ts";
import type { CommandContext } from "#services/context.ts";
import { createEventIdentifier } from "#services/domain/events/identity.ts";
import { type Additions, addEventsCommand, type EventsAdded } from "#services/events/commands.ts";
import { editOf, type TestCatalogues } from "../../support/catalogues/use-catalogues.ts";

const NEW_CATALOGUE: ChangeTarget = {
  key: 0,
  version: 0,
  nextVersion: 1,
  hasEvents: false,
  bounds: NO_BOUNDS,
};

/** Valid events to be added, compared in this thread. */
export function additionsOf(
  databaseUrl: string,
  records: readonly SeismicEventRecord[],
  updateExisting: boolean,
): Additions {
  return {
    async against(target, use) {
      const session = await openSession(databaseUrl, "test additions");
      try {
        const identifier = createEventIdentifier();
        const connect = async () => session.client;
        const compared = target ?? NEW_CATALOGUE;
        const options = { updateExisting, nowMs: Date.now() };
        const writer = createChangeWriter(connect, compared, options, identifier);
        const candidates = records.flatMap((record) => {
          const ids = identifier.take(idsOf(record));
          return ids === null ? [] : [{ ids, record }];
        });
        async function* chunks() {
          yield* writer.write([candidates]);
          const last = writer.finish();
          if (last !== null) yield last;
        }
        const report = {
          totalSubmitted: records.length,
          successfullyImported: records.length,
          failedValidation: 0,
          successRate: 100,
          invalidEvents: [],
          hasMoreInvalidEvents: false,
        };
        const end = async () => ({ report, changes: writer.changes() });
        return await use({ chunks: chunks(), end });
      } finally {
        await session.close();
      }
    },
  };
}

export async function addRecords(
  { context, databaseUrl }: Pick<TestCatalogues, "context" | "databaseUrl">,
  catalogueId: string,
  records: readonly SeismicEventRecord[],
  { updateExisting }: { readonly updateExisting: boolean },
  by: CommandContext = context,
): Promise<Omit<EventsAdded, "report">> {
  const additions = additionsOf(databaseUrl, records, updateExisting);
  const { report: _, ...added } = await addEventsCommand(editOf(by, catalogueId), additions);
  return added;
}
