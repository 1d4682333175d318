/**
 * The least services that there can be, as yardsticks of the real one: a Fastify route each, over one statement.
 * They ask nobody who they are, check nothing, and know their table, or catalogue and version, beforehand.
 */
import fastify, { type FastifyInstance } from "fastify";
import { Pool } from "pg";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { PG_TYPE_PARSERS } from "#infra/postgres/pool.ts";
import { encodeCursor } from "#projections/read/pages.ts";
import { PAGE_COLUMNS } from "#projections/read/versions.ts";
import { type ListedRow, toListedEvent } from "./listed-event.ts";

const [name = "", connectionString, ...args] = process.argv.slice(2);

type Route = (app: FastifyInstance, pool: Pool, ...args: string[]) => void;

const SERVICES: Readonly<Record<string, Route>> = { page, facade, fragments };

const CHECK_BYTES = 6;

/** The very same pages as the service gives, with one prepared statement. */
function page(app: FastifyInstance, pool: Pool, catalogueId = "", key = "", version = ""): void {
  const statement = `
    select ${PAGE_COLUMNS.sql} from read_model.seismic_events
    where catalogue_key = $1 and revision_from <= $2 and (revision_to is null or revision_to > $2)
      and (time, event_id) < ($3::timestamptz, $4::uuid)
    order by time desc, event_id desc limit $5`;
  const keyOf = ({ magnitude, time, event_id: id }: ListedRow) => ({ magnitude, time, id });
  app.get<{ Querystring: { cursor: string } }>("/page", async ({ query }, reply) => {
    const cursor = Buffer.from(query.cursor, "base64url").subarray(CHECK_BYTES).toString();
    const { key: from, side: _, ...bound } = JSON.parse(cursor);
    const values = [key, version, from.time, from.id, bound.limit + 1];
    const { rows } = await pool.query<ListedRow>({ name: "page", text: statement, values });
    const found = rows.slice(0, bound.limit);
    const [first, last] = [found[0], found.at(-1)];
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
      .send(JSON.stringify({ events: found.map(toListedEvent), pagination }));
  });
}

const HEAD =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName\n";

const COMPARED: Readonly<Record<string, string>> = {
  starttime: "time >=",
  endtime: "time <=",
  minmagnitude: "magnitude >=",
  minlatitude: "latitude >=",
  maxlatitude: "latitude <=",
  minlongitude: "longitude >=",
  maxlongitude: "longitude <=",
};

type Query = Readonly<Record<string, string | undefined>>;

/** The least event service: FDSN text of a table with the indexes that such a service would have. */
function facade(app: FastifyInstance, pool: Pool, table = ""): void {
  app.get<{ Querystring: Query }>("/query", async ({ query }, reply) => {
    const values: unknown[] = [];
    const bind = (value: string | number): string =>
      `$${values.push(value)}::${typeof value === "string" ? "timestamptz" : "double precision"}`;
    const conditions = Object.entries(COMPARED).flatMap(([parameter, compared]) => {
      const value = query[parameter];
      if (value === undefined) return [];
      return [`${compared} ${bind(parameter.endsWith("time") ? `${value}Z` : Number(value))}`];
    });
    if (query["maxradiuskm"] !== undefined) conditions.push(...circle(query, bind));
    const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
    const limit = query["limit"] === undefined ? "" : `limit ${Number(query["limit"])}`;
    const { rows } = await pool.query<Readonly<Record<string, unknown>>>(
      `select id, to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US') as at, latitude, longitude, depth, type,
         magnitude, region from ${table} ${where} order by time desc ${limit}`,
      values,
    );
    const lines = rows.map(
      ({ id, at, latitude, longitude, depth, type, magnitude, region }) =>
        `${id}|${at}|${latitude}|${longitude}|${depth ?? ""}|||||${type ?? ""}|${magnitude ?? ""}||${region ?? ""}\n`,
    );
    return reply.type("text/plain; charset=utf-8").send(HEAD + lines.join(""));
  });
}

const DEGREE = Math.PI / 180;

/** Within a box first; the circles asked for are far from poles and the antimeridian. */
function circle(query: Query, bind: (value: number) => string): string[] {
  const [north, east] = [Number(query["latitude"]), Number(query["longitude"])];
  const km = Number(query["maxradiuskm"]);
  const half = km / EARTH_RADIUS_KM / DEGREE;
  const wide = Math.asin(Math.sin(half * DEGREE) / Math.cos(north * DEGREE)) / DEGREE;
  const [y, x] = [bind(north), bind(east)];
  return [
    `latitude between ${bind(north - half)} and ${bind(north + half)}`,
    `longitude between ${bind(east - wide)} and ${bind(east + wide)}`,
    `2 * ${EARTH_RADIUS_KM} * asin(sqrt(power(sind((latitude - ${y}) / 2), 2)
      + cosd(latitude) * cosd(${y}) * power(sind((longitude - ${x}) / 2), 2))) <= ${bind(km)}`,
  ];
}

/** The way of services that keep each event's XML as it is sent. */
function fragments(app: FastifyInstance, pool: Pool, table = ""): void {
  // As rows, at once: a quarter faster than a text that PostgreSQL joins.
  const statement = {
    name: "fragments",
    text: `select fragment from ${table}
      where time >= $1::timestamptz and time <= $2::timestamptz order by time desc`,
    rowMode: "array",
  } as const;
  type Asked = { Querystring: { starttime: string; endtime: string } };
  app.get<Asked>("/query", async ({ query: { starttime, endtime } }, reply) => {
    const { rows } = await pool.query<[string]>({ ...statement, values: [starttime, endtime] });
    return reply.type("application/xml").send(`<quakeml>\n${rows.join("")}</quakeml>\n`);
  });
}

const pool = new Pool({ connectionString, max: 10, types: PG_TYPE_PARSERS });
const app = fastify();
SERVICES[name]?.(app, pool, ...args);
process.on("SIGTERM", () => void app.close().then(() => pool.end()));
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
