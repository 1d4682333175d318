import type { Client } from "pg";
import { z } from "zod";
import type { ApiClient } from "../support/api-client.ts";
import { catalogueOf } from "./bench-catalogue.ts";

export type SharedCatalogue = {
  readonly id: string;
  /** The read model's. */
  readonly key: number;
  readonly version: number;
  /** How many it has. */
  readonly events: number;
};

/**
 * Generated catalogues that several cases read and none changes, each made when it is first asked
 * for. Their rows stay for the rest of the run: cases that count rows or fill tables come before.
 */
export type SharedCatalogues = { readonly of: (events: number) => Promise<SharedCatalogue> };

const Row = z.tuple([z.object({ key: z.int(), version: z.int() })]);

export function createSharedCatalogues(client: ApiClient, database: Client): SharedCatalogues {
  const made = new Map<number, Promise<SharedCatalogue>>();

  async function make(events: number): Promise<SharedCatalogue> {
    const id = await catalogueOf(client, events);
    // Else autovacuum would do it at some time during a case.
    await database.query("vacuum (analyze) read_model.seismic_events");
    const { rows } = await database.query(
      "select key, version from read_model.catalogues where id = $1",
      [id],
    );
    const [{ key, version }] = Row.parse(rows);
    return { id, key, version, events };
  }

  return {
    of(events) {
      const present = made.get(events) ?? make(events);
      made.set(events, present);
      return present;
    },
  };
}
