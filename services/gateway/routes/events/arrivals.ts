import { Refusal } from "#contracts/errors.ts";
import { eachCopiedRow } from "#infra/postgres/copy/copy-out.ts";
import { tableRowOf } from "#projections/queries/bulletins/event-bulletins.ts";
import { isPublicVersion, resolveVersion } from "#projections/queries/events/resolve-version.ts";
import { readsFor } from "../../capacity/searches.ts";
import { versionTag } from "../../http/headers/etag.ts";
import type { MakeHandler } from "../make-handler.ts";

const TABLE = "arrivals";

/** A thread makes the rows: a bulletin may have a hundred thousand of them. */
export const getArrivalsHandler: MakeHandler<"getArrivals", "lookups" | "reads" | "exporter"> =
  ({ lookups, reads, exporter }) =>
  async ({ params: { id: catalogueId, eventId }, query: { asOf }, reader, turn, asker }) => {
    const version = await resolveVersion(lookups, { catalogueId, asOf, reader });
    const lines: Buffer[] = [];
    const row = tableRowOf(version, eventId, TABLE);
    await readsFor(reads, { turn, asker }).search({ price: 0, events: 1 }, async (pool) =>
      eachCopiedRow(await pool.connect(), row, (line) => lines.push(Buffer.from(line))),
    );
    if (lines.length === 0) throw new Refusal("NOT_FOUND", "Event not found");
    const head = { version: version.version };
    return {
      contentType: "application/json; charset=utf-8",
      headers: { etag: versionTag(version.version) },
      isPublic: isPublicVersion(version),
      open: () =>
        exporter.write(
          { table: TABLE, tableFormat: "json", head, count: 1 },
          () => copied(),
          asker,
        ),
    };

    async function* copied(): AsyncGenerator<Buffer> {
      yield* lines;
    }
  };
