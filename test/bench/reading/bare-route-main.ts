/**
 * The yardstick of pages: a Fastify route of its own that does the least that gives the very same
 * answer, with one prepared statement. It asks nobody who they are, checks nothing, and knows its
 * catalogue and version beforehand.
 */
import fastify from "fastify";
import { Pool } from "pg";
import { PG_TYPE_PARSERS } from "#infra/postgres/type-parsers.ts";
import { encodeCursor } from "#projections/queries/events/event-cursor.ts";
import { PAGE_COLUMNS } from "#projections/queries/events/event-rows.ts";
import { type ListedRow, toListedEvent } from "../listed-event.ts";

const [databaseUrl, catalogueId, key, version] = process.argv.slice(2);

const STATEMENT = `
  select ${PAGE_COLUMNS.sql} from read_model.seismic_events
  where catalogue_key = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)
    and (time, event_id) < ($3::timestamptz, $4::uuid)
  order by time desc, event_id desc limit $5`;

const CHECK_BYTES = 6;

const keyOf = ({ magnitude, time, event_id: id }: ListedRow) => ({ magnitude, time, id });

const pool = new Pool({ connectionString: databaseUrl, max: 10, types: PG_TYPE_PARSERS });
const app = fastify();

app.get<{ Querystring: { cursor: string } }>("/page", async ({ query }, reply) => {
  const cursor = Buffer.from(query.cursor, "base64url").subarray(CHECK_BYTES).toString();
  const { key: from, side: _, ...bound } = JSON.parse(cursor);
  const { rows } = await pool.query<ListedRow>({
    name: "page",
    text: STATEMENT,
    values: [key, version, from.time, from.id, bound.limit + 1],
  });
  const page = rows.slice(0, bound.limit);
  const [first, last] = [page[0], page.at(-1)];
  if (!first || !last) throw new Error(`nothing is left of ${catalogueId}`);
  const cursorTo = (row: ListedRow, side: "after" | "before"): string =>
    encodeCursor({ ...bound, key: keyOf(row), side });
  const hasMore = rows.length > bound.limit;
  const pagination = {
    nextCursor: hasMore ? cursorTo(last, "after") : null,
    prevCursor: cursorTo(first, "before"),
    hasMore,
    limit: bound.limit,
  };
  return reply
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ events: page.map(toListedEvent), pagination }));
});

process.on("SIGTERM", () => void app.close().then(() => pool.end()));
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
