import { sql } from "slonik";
import { z } from "zod";
import type { ProjectedTable, Transaction } from "../engine/projection.ts";

const OWNER = { table: "catalogues", key: "key", by: "catalogue_key" } as const;
const GIVEN_UP = {
  table: "abandoned_revisions",
  by: "catalogue_key",
  revision: "revision",
  from: "revision",
} as const;

/** Tables with rows by a catalogue's key, of which there may be millions: they outlive it for a while. */
export const KEYED_TABLES: readonly ProjectedTable[] = [
  {
    name: "seismic_events",
    key: ["catalogue_key", "event_id", "revision_from"],
    owner: OWNER,
    givenUp: { ...GIVEN_UP, from: "revision_from", to: "revision_to" },
    foundBy: ["seismic_events_revision", "seismic_events_superseded", "seismic_events_time"],
  },
  { name: "event_blocks", key: ["catalogue_key", "since", "revision_from"], owner: OWNER },
  {
    name: "merge_members",
    key: ["member", "catalogue_key", "event_id"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["merge_members_revision"],
  },
  {
    name: "bulletins",
    key: ["catalogue_key", "event_id", "revision", "part", "piece"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletins_revision"],
  },
  {
    name: "bulletin_magnitudes",
    key: ["catalogue_key", "event_id", "revision", "place"],
    owner: OWNER,
    givenUp: GIVEN_UP,
    foundBy: ["bulletin_magnitudes_revision"],
  },
  {
    name: "abandoned_revisions",
    key: ["catalogue_key", "revision"],
    owner: OWNER,
    isWork: true,
  },
];

const Key = z.object({ key: z.int() });

/**
 * Removes what an earlier catalogue has left of the key of one that was just created: all of it at once, where the last
 * one made was deleted a moment ago.
 */
export async function clearKey(transaction: Transaction, catalogueId: string): Promise<void> {
  const { key } = await transaction.one(sql.type(Key)`
    select key from catalogues where id = ${catalogueId}`);
  for (const { name } of KEYED_TABLES) {
    // By its value, which the planner knows to be rare.
    await transaction.run(sql.unsafe`
      delete from ${sql.identifier([name])} where catalogue_key = ${key}`);
  }
}
