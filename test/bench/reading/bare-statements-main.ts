/**
 * What the least route costs: a Fastify route that runs a statement as it is given to the program, and
 * writes its rows. It asks nobody who they are, checks nothing, and knows the version beforehand.
 */
import fastify from "fastify";
import { Pool } from "pg";
import { PG_TYPE_PARSERS } from "#infra/postgres/type-parsers.ts";
import { type ListedRow, toListedEvent } from "../listed-event.ts";
import type { BareQuery } from "../yardsticks.ts";

const [databaseUrl, given = "[]"] = process.argv.slice(2);
const statements: readonly BareQuery[] = JSON.parse(given);

const pool = new Pool({ connectionString: databaseUrl, max: 10, types: PG_TYPE_PARSERS });
const app = fastify();

app.get<{ Params: { index: string } }>("/statements/:index", async ({ params }, reply) => {
  const statement = statements[Number(params.index)];
  if (!statement) throw new Error(`there is no statement ${params.index}`);
  const { rows } = await pool.query<ListedRow>(statement.text, statement.values);
  return reply
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ events: rows.map(toListedEvent) }));
});

process.on("SIGTERM", () => void app.close().then(() => pool.end()));
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
