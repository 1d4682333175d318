/**
 * The least services that there can be, as yardsticks of the real one: one statement for an answer. They ask nobody
 * who they are, check nothing, and know their table, or catalogue and version, beforehand.
 */
import cluster from "node:cluster";
import { once } from "node:events";
import { createServer } from "node:http";
import { availableParallelism } from "node:os";
import fastify from "fastify";
import { Pool } from "pg";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";
import { PG_TYPE_PARSERS } from "#infra/postgres/pool.ts";
import { encodeCursor } from "#projections/read/pages.ts";
import { PAGE_COLUMNS } from "#projections/read/versions.ts";
import { type ListedRow, toListedEvent } from "./listed-event.ts";

const [name = "", connectionString, ...args] = process.argv.slice(2);

type Bare = { readonly open: () => Promise<string>; readonly close: () => Promise<unknown> };

const ADDRESS = { host: "127.0.0.1", port: 0 };

const CHECK_BYTES = 6;

/** The very same pages as the service gives, with one prepared statement, by Fastify. */
function page(pool: Pool, catalogueId = "", key = "", version = ""): Bare {
  const app = fastify();
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
  return { open: () => app.listen(ADDRESS), close: () => app.close() };
}

const HEAD =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName\n";
const TEXT = `id, to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US'), latitude, longitude, depth / 1000, type,
  magnitude, region`;

const COMPARED: Readonly<Record<string, string>> = {
  starttime: "time >=",
  endtime: "time <=",
  minmagnitude: "magnitude >=",
  minlatitude: "latitude >=",
  maxlatitude: "latitude <=",
  minlongitude: "longitude >=",
  maxlongitude: "longitude <=",
};

type Bind = (value: string | number, type: string) => string;

/**
 * An event service in the shape of agencies': one table with each event's QuakeML as it is sent, a prepared statement
 * for each kind of question, text made of the columns, as little around it as Node allows.
 */
function events(pool: Pool, table = ""): Bare {
  const names = new Map<string, string>();
  const server = createServer(async ({ url = "" }, response) => {
    const query = new URL(url, "http://bare").searchParams;
    const isText = query.get("format") === "text";
    const { where, values } = conditionsOf(query);
    const text = `select ${isText ? TEXT : "fragment"} from ${table} ${where}`;
    const name = names.get(text) ?? String(names.size);
    names.set(text, name);
    const { rows } = await pool.query<unknown[]>({ name, text, values, rowMode: "array" });
    const body = isText
      ? HEAD + rows.map(lineOf).join("")
      : `<quakeml>\n<eventParameters>\n${rows.join("")}</eventParameters>\n</quakeml>\n`;
    response.setHeader("content-type", isText ? "text/plain; charset=utf-8" : "application/xml");
    response.end(body);
  });
  return {
    open: async () => {
      await once(server.listen(ADDRESS), "listening");
      return "";
    },
    close: async () => server.close().closeAllConnections(),
  };
}

function lineOf([id, at, latitude, longitude, depth, type, magnitude, region]: unknown[]): string {
  return `${id}|${at}|${latitude}|${longitude}|${depth ?? ""}|||||${type ?? ""}|${magnitude ?? ""}||${region ?? ""}\n`;
}

/** The text is the same for all queries of the same parameters. */
function conditionsOf(query: URLSearchParams) {
  const values: unknown[] = [];
  const bind: Bind = (value, type) => `$${values.push(value)}::${type}`;
  const conditions = Object.entries(COMPARED).flatMap(([parameter, compared]) => {
    const value = query.get(parameter);
    if (value === null) return [];
    const isTime = parameter.endsWith("time");
    return [`${compared} ${isTime ? bind(`${value}Z`, "timestamptz") : bind(value, "float8")}`];
  });
  if (query.has("maxradiuskm")) conditions.push(...circle(query, bind));
  const of = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const part = ["limit", "offset"].flatMap((word) => {
    const value = query.get(word);
    return value === null ? [] : [word, bind(Number(value) - (word === "offset" ? 1 : 0), "int8")];
  });
  return { where: `${of} order by time desc ${part.join(" ")}`, values };
}

const DEGREE = Math.PI / 180;

/** Within a box first; the circles asked for are far from poles and the antimeridian. */
function circle(query: URLSearchParams, bind: Bind): string[] {
  const numberOf = (name: string): number => Number(query.get(name));
  const [north, east, km] = [numberOf("latitude"), numberOf("longitude"), numberOf("maxradiuskm")];
  const half = km / EARTH_RADIUS_KM / DEGREE;
  const wide = Math.asin(Math.sin(half * DEGREE) / Math.cos(north * DEGREE)) / DEGREE;
  const number = (value: number): string => bind(value, "float8");
  const [y, x] = [number(north), number(east)];
  return [
    `latitude between ${number(north - half)} and ${number(north + half)}`,
    `longitude between ${number(east - wide)} and ${number(east + wide)}`,
    `2 * ${EARTH_RADIUS_KM} * asin(sqrt(power(sind((latitude - ${y}) / 2), 2)
      + cosd(latitude) * cosd(${y}) * power(sind((longitude - ${x}) / 2), 2))) <= ${number(km)}`,
  ];
}

const SERVICES: Readonly<Record<string, (pool: Pool, ...args: string[]) => Bare>> = {
  page,
  events,
};

if (name === "events" && cluster.isPrimary) {
  const workers = Array.from({ length: availableParallelism() }, () => cluster.fork());
  // They share one port.
  const listening = await Promise.all(workers.map((worker) => once(worker, "listening")));
  process.on("SIGTERM", () => {
    for (const worker of workers) worker.process.kill("SIGTERM");
  });
  process.stdout.write(`http://127.0.0.1:${listening[0]?.[0].port}\n`);
} else {
  const pool = new Pool({ connectionString, max: 10, types: PG_TYPE_PARSERS });
  const service = SERVICES[name]?.(pool, ...args);
  const url = await service?.open();
  process.on("SIGTERM", async () => {
    await service?.close();
    await pool.end();
    process.disconnect?.();
  });
  if (cluster.isPrimary) process.stdout.write(`${url}\n`);
}
