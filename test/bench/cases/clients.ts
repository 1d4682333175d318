import { strict as assert } from "node:assert";
import type { Client } from "pg";
import { parseFdsnQuery } from "#contracts/fdsn/query.ts";
import { facadeRows } from "#projections/read/clients.ts";
import { createApiClient } from "../../support/api-client.ts";
import { type BenchService, drain, type SharedCatalogue } from "../../support/bench-service.ts";
import { peakMemoryOf } from "../../support/process-figures.ts";
import { type Asking, openAsking } from "../asking.ts";
import { beside, type Comparison, inTurn, type Result, secondsOf, within } from "../measure.ts";
import { bareClient, bareQuery } from "../yardsticks.ts";
import { filterKinds } from "./filtered.ts";

const NARROW_TARGET = 2;
/** As many as one caller may have running and waiting. */
const READERS = 16;
const READING_MIB = 250;
/** As many as the service reads at once, and the one that says that there are more. */
const READ_AT_ONCE = 1_001;
const FORMATS = ["text", "geojson", "xml"] as const;
/** Short answers before the first that counts: V8 compiles what is hot. */
const WARM_UP = 500;
const ROUNDS_BEFORE = 20;

/** Narrow queries of one large catalogue by the event service, against their statements by bare `pg`. */
export async function benchClients(
  { url, token, databaseUrl, shared }: BenchService,
  events: number,
  rounds: number,
): Promise<Result[]> {
  const catalogue = await shared.of(events);
  const base = `/api/catalogues/${catalogue.id}/fdsnws/event/1`;
  const size = `${events} events`;
  const database = await bareClient(databaseUrl);
  const asking = openAsking(url, token);
  const results: Result[] = [];
  try {
    const kinds = await filterKinds(database, catalogue.key);
    const warming = `${base}/query?${parametersOf(kinds["narrow time"])}&format=`;
    for (let i = 0; i < WARM_UP; i += 1) {
      for (const format of FORMATS) await asking.ask(warming + format);
    }
    for (const kind of ["narrow time", "small box"] as const) {
      const query = parametersOf(kinds[kind]);
      for (const format of FORMATS) {
        const path = `${base}/query?${query}&format=${format}`;
        const rounded = await narrow(asking, database, { catalogue, query, path, rounds });
        results.push(
          beside(
            [`event service, ${kind}, ${format}`, size, "ms"],
            ["the same SQL by bare pg", NARROW_TARGET],
            rounded,
          ),
        );
      }
    }
    return results;
  } finally {
    asking.close();
    await database.end();
  }
}

type Asked = {
  readonly catalogue: SharedCatalogue;
  readonly query: string;
  readonly path: string;
  readonly rounds: number;
};

/** As the event service calls the parameters of `/filtered`. */
function parametersOf(filters: Readonly<Record<string, string>>): string {
  return Object.entries(filters)
    .map(([name, value]) => `${name.toLowerCase()}=${encodeURIComponent(value)}`)
    .join("&");
}

function selectionOf({ id, key, version, events }: SharedCatalogue, text: string) {
  const parsed = parseFdsnQuery(text);
  if (!parsed.ok) throw new Error(parsed.fault.message);
  const query = { ...parsed.query, changedAfter: null, deleted: null };
  const shown = { publicFrom: null, hidden: null, seesMore: false };
  return { version: { id, key, version, eventCount: events, ...shown }, query };
}

async function narrow(
  asking: Asking,
  database: Client,
  { catalogue, query, path, rounds }: Asked,
): Promise<Comparison> {
  const { version, query: wanted } = selectionOf(catalogue, query);
  const withUpdated = path.endsWith("geojson");
  const selection = { version, query: { ...wanted, limit: READ_AT_ONCE }, withUpdated };
  const statement = bareQuery(facadeRows({ ...selection, members: "none" }));
  const { rows } = await database.query(statement.text, statement.values);
  assert.ok(rows.length > 0 && rows.length < READ_AT_ONCE);
  const { body } = await asking.ask(path);
  for (const { event_id: id, source_id: source } of rows) {
    const isThere = body.includes(source ?? id.replaceAll("-", ""));
    assert.ok(isThere, `${path} lacks ${id}`);
  }
  return againstStatement(
    asking,
    path,
    () => database.query(statement.text, statement.values),
    rounds,
  );
}

function againstStatement(
  asking: Asking,
  path: string,
  select: () => Promise<unknown>,
  rounds: number,
): Promise<Comparison> {
  return inTurn(
    rounds,
    Math.min(rounds, ROUNDS_BEFORE),
    async () => (await asking.ask(path)).milliseconds,
    async () => 1_000 * (await secondsOf(select)),
  );
}

/** What a service that has done nothing else holds while so many clients read all events as QuakeML. */
export async function benchClientsMemory(
  { client: owner, shared, withAnother }: BenchService,
  events: number,
): Promise<Result> {
  const { id } = await shared.of(events);
  await owner.send("PATCH", `/api/catalogues/${id}`, { access: "public" });
  const path = `/api/catalogues/${id}/fdsnws/event/1/query`;
  const [peak] = await withAnother(async (client, pid, url) => {
    await drain(client, `${path}?limit=2000`);
    const guest = createApiClient(url);
    // Each from a network of its own: one has no more than some answers at once.
    const readers = Array.from({ length: READERS }, (_, i) => ({
      "x-forwarded-for": `10.0.${i}.1`,
    }));
    return peakMemoryOf(pid, () =>
      Promise.all(readers.map((network) => drain(guest, path, network))),
    );
  });
  const name = `peak memory while ${READERS} clients read xml`;
  return within([name, `${events} events each`, "MiB"], READING_MIB, [peak]);
}
