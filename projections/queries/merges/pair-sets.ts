/** Pairs of events of a merge that people should look at, kept from one request to the next. */
import type { ClientBase } from "pg";
import { type CommonQueryMethods, sql } from "slonik";
import { z } from "zod";
import { literalSql } from "#infra/postgres/statements.ts";

export type FoundPair = {
  /** The earlier one. */
  readonly first: PairedId;
  readonly second: PairedId;
  /** Seconds. */
  readonly timeDifference: number;
  /** Kilometres. */
  readonly distance: number;
  readonly magnitudeDifference: number | null;
};

type PairedId = { readonly catalogueId: string; readonly eventId: string };

/** What the kept pairs of a merge are of; null where there are none. */
export async function pairsStandFor(
  pool: Pick<CommonQueryMethods, "maybeOne">,
  catalogueId: string,
): Promise<string | null> {
  const row = await pool.maybeOne(sql.type(z.object({ standsFor: z.string() }))`
    select stands_for as "standsFor" from operations.merge_pair_sets
    where catalogue_id = ${catalogueId}`);
  return row?.standsFor ?? null;
}

/** Pairs in one statement. */
const BATCH = 2_000;

/**
 * Keeps the pairs of a merge in place of those before.
 * @param client not in a transaction
 */
export async function replacePairs(
  client: ClientBase,
  catalogueId: string,
  standsFor: string,
  pairs: readonly FoundPair[],
): Promise<void> {
  await client.query("begin isolation level read committed, read write");
  await client.query(
    `insert into operations.merge_pair_sets (catalogue_id, stands_for) values ($1, $2)
     on conflict (catalogue_id) do update set stands_for = excluded.stands_for`,
    [catalogueId, standsFor],
  );
  await client.query("delete from operations.merge_pairs where catalogue_id = $1", [catalogueId]);
  for (let start = 0; start < pairs.length; start += BATCH) {
    await client.query(
      literalSql(insertion(catalogueId, pairs.slice(start, start + BATCH), start)),
    );
  }
  await client.query("commit");
}

function insertion(catalogueId: string, pairs: readonly FoundPair[], start: number) {
  const sorted = pairs.map((pair) => {
    const isTurned = pair.first.eventId > pair.second.eventId;
    const [one, other] = isTurned ? [pair.second, pair.first] : [pair.first, pair.second];
    return { ...pair, isTurned, one, other };
  });
  const uuids = (of: (pair: (typeof sorted)[number]) => string) =>
    sql.array(sorted.map(of), "uuid");
  const numbers = (of: (pair: (typeof sorted)[number]) => number | null) =>
    sql.array(sorted.map(of), "float8");
  return sql.fragment`
    insert into operations.merge_pairs
    select ${catalogueId}::uuid, ${start}::int + ordinality - 1, one, other, is_turned, source_of_one,
      source_of_other, time_difference, distance, magnitude_difference
    from unnest(
      ${uuids(({ one }) => one.eventId)}, ${uuids(({ other }) => other.eventId)},
      ${sql.array(
        sorted.map(({ isTurned }) => isTurned),
        "bool",
      )},
      ${uuids(({ one }) => one.catalogueId)}, ${uuids(({ other }) => other.catalogueId)},
      ${numbers(({ timeDifference }) => timeDifference)}, ${numbers(({ distance }) => distance)},
      ${numbers(({ magnitudeDifference }) => magnitudeDifference)}
    ) with ordinality as found(one, other, is_turned, source_of_one, source_of_other,
      time_difference, distance, magnitude_difference, ordinality)`;
}
