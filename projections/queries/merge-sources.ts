import type { ClientBase } from "pg";
import { type FragmentSqlToken, sql } from "slonik";
import { z } from "zod";
import { ATTRIBUTE_NAMES, STRUCTURED_NAMES } from "#contracts/seismic-event/attributes.ts";
import { copyRows } from "#infra/postgres/copy-out.ts";
import { statementsOn } from "#infra/postgres/statements.ts";
import type { TextRow } from "#infra/postgres/text-copy.ts";
import { rowsOf } from "./resolve-version.ts";

/**
 * What a merge reads: the events of several catalogues in one order, by time, then id. All of it is
 * read in one transaction of isolation REPEATABLE READ, so each catalogue is seen as of one version,
 * and two reads give the same rows in the same places.
 */
const SourceVersion = z.object({
  id: z.uuid(),
  key: z.int(),
  name: z.string(),
  /** 0 before the first. */
  version: z.int(),
  eventCount: z.int(),
});
export type SourceVersion = z.infer<typeof SourceVersion>;

/** Those of the catalogues that there are, in no order. */
export function latestVersions(
  client: ClientBase,
  ids: readonly string[],
): Promise<readonly SourceVersion[]> {
  return statementsOn(client).any(sql.type(SourceVersion)`
    select id, key, name, version, event_count as "eventCount"
    from read_model.catalogues where id = any(${sql.array([...ids], "uuid")})`);
}

type Source = Pick<SourceVersion, "key" | "version">;

/** What grouping looks at; `source` is the place of the catalogue in `sources`. */
export const ORIGIN_COLUMNS = [
  "source",
  "event_id",
  "time",
  "latitude",
  "longitude",
  "magnitude",
  "source_id",
] as const;

/** All that is known of an event. */
export const MERGE_COLUMNS = [
  "source",
  "event_id",
  "time",
  "time_digits",
  ...ATTRIBUTE_NAMES,
  ...STRUCTURED_NAMES.filter((name) => name !== "source_events"),
] as const;

/** Rows of `columns` in batches; text as COPY gives it. */
export function orderedRows(
  client: ClientBase,
  sources: readonly Source[],
  columns: readonly string[],
): AsyncGenerator<TextRow[]> {
  return copyRows(client, orderedQuery(sources, columns));
}

/** A branch for each source, so that the database can merge what its indexes have in order already. */
function orderedQuery(sources: readonly Source[], columns: readonly string[]): FragmentSqlToken {
  const selected = columns.filter((name) => name !== "source");
  const list = sql.join(
    selected.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );
  const branches = sources.map(
    (source, place) => sql.fragment`
      (select ${place}::int as source, ${list} from read_model.seismic_events where ${rowsOf(source)})`,
  );
  return sql.fragment`
    select source, ${list} from (${sql.join(branches, sql.fragment` union all `)}) events
    order by time, event_id`;
}
