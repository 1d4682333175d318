import { Refusal } from "#contracts/errors.ts";
import {
  COLUMNS_FORMS,
  COLUMNS_LIMITS,
  DEFAULT_COLUMNS,
} from "#contracts/http/events/event-columns.ts";
import type { EventFilters } from "#contracts/query/filters.ts";
import type { AskedPool } from "#infra/postgres/asked-pool.ts";
import { columnBytes } from "#projections/queries/events/column-rows.ts";
import { countExported } from "#projections/queries/events/export-events.ts";
import {
  isPublicVersion,
  type ResolvedVersion,
  resolveVersion,
} from "#projections/queries/events/resolve-version.ts";
import { readBounded } from "../../capacity/searches.ts";
import type { ColumnsForm } from "../../files/columns-task.ts";
import { acceptedType } from "../../http/headers/accepted-type.ts";
import { formTag, versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

export const getEventColumnsHandler: MakeHandler<
  "getEventColumns",
  "lookups" | "exportPool" | "exporter"
> =
  ({ lookups, exportPool, exporter }) =>
  async ({ params, query, accept, reader, turn, asker }) => {
    const { columns = DEFAULT_COLUMNS, asOf, ...filters } = query;
    const version = await resolveVersion(lookups, { catalogueId: params.id, asOf, reader });
    const leave = await turn("columns", bytesOf(version, columns));
    const count = await readBounded(exportPool, asker, (pool) =>
      countWithin(pool, version, filters),
    );
    const form = acceptedForm(accept);
    const head = { catalogue: version.id, version: version.version, columns };
    const selection = { version, filters, columns };
    return {
      contentType: COLUMNS_FORMS[form].contentType,
      headers: { etag: FORM_TAGS[form](version.version), vary: "Accept" },
      isPublic: isPublicVersion(version),
      open: () =>
        exporter.writeColumns(
          { ...head, form, count },
          (copyForm) =>
            thenLeave(
              columnBytes({ exportPool, lookups }, selection, asker.signal, copyForm),
              leave,
            ),
          asker,
        ),
    };
  };

/** Of a value in a column, most of which take no more. */
const VALUE_BYTES = 16;

function bytesOf({ eventCount }: ResolvedVersion, columns: readonly unknown[]): number {
  return Math.min(eventCount, COLUMNS_LIMITS.events) * columns.length * VALUE_BYTES;
}

/** The turn is over with the last row: what is read waits for its client in a file. */
async function* thenLeave(rows: AsyncIterable<Buffer>, leave: () => void): AsyncGenerator<Buffer> {
  try {
    yield* rows;
  } finally {
    leave();
  }
}

/** The two forms have one address, so their tags must differ. */
const FORM_TAGS: Readonly<Record<ColumnsForm, (version: number) => string>> = {
  packed: versionTag,
  json: (version) => formTag(version, "json"),
};

/**
 * Most events that there can be. Where a version has no more than the limit they are not counted.
 * @throws Refusal TOO_MANY_EVENTS
 */
async function countWithin(
  pool: AskedPool,
  version: ResolvedVersion,
  filters: EventFilters,
): Promise<number> {
  const { eventCount } = version;
  if (eventCount <= COLUMNS_LIMITS.events) return eventCount;
  const count = await countExported(pool, { version, filters });
  if (count <= COLUMNS_LIMITS.events) return count;
  const path = `/api/catalogues/${version.id}/analytics/density`;
  const text = `There are ${count} events, more than ${COLUMNS_LIMITS.events}: GET ${path} counts them by cell`;
  throw new Refusal("TOO_MANY_EVENTS", text);
}

/** The form that `Accept` prefers; packed when it accepts none. */
function acceptedForm(accept: string | undefined): ColumnsForm {
  const type = acceptedType(accept, ["application/octet-stream", "application/json"]);
  return type === "application/json" ? "json" : "packed";
}
