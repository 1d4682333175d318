import { execFile } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { rawGet } from "../support/api/raw-request.ts";
import { hasPython, hasXmllint, quakemlSchema } from "../support/clients/python.ts";
import { generateEvents } from "../support/generate-catalogue.ts";
import { clientsAt, openResources } from "../support/open-resources.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { askRudely, requestBytes, WAYS_OUT } from "../support/rude-client.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const run = promisify(execFile);
const MANY = 20_000;
const FORMATS = ["xml", "text", "geojson", "csv", "kml", "json"];

const service = await useReachableService();
let query = "";

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const events = [...generateEvents(7, MANY)];
  const { id } = await createCatalogue(editor, { events, is_public: true });
  query = `/api/catalogues/${id}/fdsnws/event/1/query`;
});

describe.skipIf(!(hasPython && hasXmllint))("xmllint, with the schema that ObsPy brings", () => {
  test.each([1, MANY])("finds QuakeML of %i events valid", async (limit) => {
    const path = join(await temporaryDirectory(), "events.xml");
    const answer = await fetch(`${service.url}${query}?limit=${limit}`);
    expect(answer.status).toBe(200);
    await pipeline(Readable.fromWeb(answer.body as never), createWriteStream(path));
    const schema = ["--schema", quakemlSchema()];
    await run("xmllint", ["--noout", "--nonet", ...schema, path]);
    const { stdout } = await run("xmllint", [
      ...["--nonet", "--xpath", 'count(//*[local-name()="event"])', path],
    ]);
    expect(Number(stdout)).toBe(limit);
  });
});

test("no events are no content, not even the empty document of a schema", async () => {
  const answer = await fetch(`${service.url}${query}?minmagnitude=9.9`);
  expect([answer.status, await answer.text()]).toEqual([204, ""]);
});

test("clients that are killed in the middle of an answer leave nothing behind", async () => {
  const port = Number(new URL(service.url).port);
  const known = clientsAt(await openResources(), port);
  /** Connections of killed clients, and what their answers hold. */
  const held = async () => {
    const { text } = await rawGet(service.url, "/metrics");
    const lines = text
      .split("\n")
      .filter((line) =>
        /^(?:database_pool_connections\{pool="export",state="active"|answers_|answer_bytes_)/.test(
          line,
        ),
      );
    return {
      clients: clientsAt(await openResources(), port).filter((client) => !known.includes(client)),
      forAnswers: lines.filter((line) => !line.endsWith(" 0")),
    };
  };
  const headers = { connection: "close" };
  const leave = (format: string, leaves: (typeof WAYS_OUT)[number]) =>
    askRudely(service.url, requestBytes({ path: `${query}?format=${format}`, headers }), {
      leaves,
      takes: 100_000,
      lingers: async () => {},
    });
  for (const format of FORMATS) {
    await Promise.all(WAYS_OUT.map((leaves) => leave(format, leaves)));
  }
  const nothing = { clients: [], forAnswers: [] };
  await vi.waitFor(async () => expect(await held()).toEqual(nothing), {
    timeout: 30_000,
    interval: 100,
  });
  expect((await fetch(`${service.url}${query}?format=text&limit=1`)).status).toBe(200);
});

test.each(["xml", "text", "csv", "geojson"])(
  "%s is the same whatever encodings a client accepts",
  async (format) => {
    const path = `${service.url}${query}?limit=3000&format=${format}`;
    const answers = ["gzip", "identity"].map(async (encoding) => {
      const answer = await fetch(path, { headers: { "accept-encoding": encoding } });
      // When it was made.
      return (await answer.text()).replaceAll(/"generated":\d+|creationTime>[^<]+/g, "");
    });
    const [zipped, plain] = await Promise.all(answers);
    expect(zipped === plain).toBe(true);
  },
);
