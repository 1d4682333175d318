/**
 * The least event service: a Fastify route over one table of a catalogue's events, with the indexes that
 * such a service would have, which writes FDSN text. It asks nobody who they are and has no versions.
 */
import fastify from "fastify";
import { Pool } from "pg";
import { EARTH_RADIUS_KM } from "#contracts/units.ts";

const [databaseUrl, table] = process.argv.slice(2);

const pool = new Pool({ connectionString: databaseUrl, max: 10 });
const app = fastify();

type Circle = { latitude?: string; longitude?: string; maxradiuskm?: string };
type Query = Circle & { limit?: string } & { [name in keyof typeof COMPARED]?: string };
type Row = Readonly<Record<string, unknown>>;

const HEAD =
  "#EventID|Time|Latitude|Longitude|Depth/km|Author|Catalog|Contributor|ContributorID|MagType|Magnitude|MagAuthor|EventLocationName\n";

const COMPARED = {
  starttime: "time >=",
  endtime: "time <=",
  minmagnitude: "magnitude >=",
  minlatitude: "latitude >=",
  maxlatitude: "latitude <=",
  minlongitude: "longitude >=",
  maxlongitude: "longitude <=",
};

const DEGREE = Math.PI / 180;

/** Within a box first; the circles asked for are far from poles and the antimeridian. */
function circle({ latitude, longitude, maxradiuskm }: Query, bind: (value: unknown) => string) {
  const [north, east, km] = [Number(latitude), Number(longitude), Number(maxradiuskm)];
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

function textOf(row: Row): string {
  const { id, time, latitude, longitude, depth, type, magnitude, region } = row;
  return `${id}|${time}|${latitude}|${longitude}|${depth ?? ""}|||||${type ?? ""}|${magnitude ?? ""}||${region ?? ""}\n`;
}

app.get<{ Querystring: Query }>("/query", async ({ query }, reply) => {
  const values: unknown[] = [];
  const bind = (value: unknown): string => `$${values.push(value)}::${CAST[typeof value]}`;
  const conditions = Object.entries(COMPARED).flatMap(([name, compared]) => {
    const value = query[name as keyof typeof COMPARED];
    if (value === undefined) return [];
    return [`${compared} ${bind(name.endsWith("time") ? `${value}Z` : Number(value))}`];
  });
  if (query.maxradiuskm !== undefined) conditions.push(...circle(query, bind));
  const where = conditions.length === 0 ? "" : `where ${conditions.join(" and ")}`;
  const limit = query.limit === undefined ? "" : `limit ${Number(query.limit)}`;
  const { rows } = await pool.query<Row>(
    `select id, to_char(time, 'YYYY-MM-DD"T"HH24:MI:SS.US') as time, latitude, longitude, depth, type,
       magnitude, region from ${table} ${where} order by ${table}.time desc ${limit}`,
    values,
  );
  return reply.type("text/plain; charset=utf-8").send(HEAD + rows.map(textOf).join(""));
});

const CAST: Readonly<Record<string, string>> = {
  string: "timestamptz",
  number: "double precision",
};

process.on("SIGTERM", () => void app.close().then(() => pool.end()));
process.stdout.write(`${await app.listen({ host: "127.0.0.1", port: 0 })}\n`);
