import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import { type MadeToken, newAccessToken } from "../support/api/access-tokens.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { hasOgr, hasPython, runPython } from "../support/clients/python.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { awkwardEvents } from "./support/events.ts";

const run = promisify(execFile);
const EVENTS = 20;

const service = await useReachableService();
let base = "";
let token: MadeToken;

beforeAll(async () => {
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    access: "restricted",
    events: awkwardEvents(EVENTS),
  });
  base = `${service.url}/api/catalogues/${id}`;
  token = await newAccessToken(editor);
});

test.skipIf(!hasPython)(
  "ObsPy by Digest and pandas by Basic and Bearer read a restricted catalogue",
  async () => {
    const input = { base, id: token.id, secret: token.secret };
    expect(await runPython("token_clients.py", { input })).toEqual({
      services: ["available_event_catalogs", "available_event_contributors", "event"],
      events: EVENTS,
      twice: 1,
      rows: EVENTS,
      features: EVENTS,
      without: "FDSNUnauthorizedException",
      wrong: "FDSNUnauthorizedException",
    });
  },
);

describe.skipIf(!hasOgr)("GDAL by Basic", () => {
  const ogrinfo = async (source: string, env: Record<string, string> = {}) =>
    (await run("ogrinfo", ["-ro", "-so", "-al", source], { env: { ...process.env, ...env } }))
      .stdout;

  test.each(["/export?format=geojson", "/fdsnws/event/1/query?format=geojson"])(
    "reads %s of a restricted catalogue",
    async (path) => {
      const env = { GDAL_HTTP_AUTH: "BASIC", GDAL_HTTP_USERPWD: `script:${token.secret}` };
      expect(await ogrinfo(base + path, env)).toContain(`Feature Count: ${EVENTS}`);
      await expect(ogrinfo(base + path)).rejects.toThrow();
    },
  );
});

test.each([
  ["Bearer", () => ["-H", `Authorization: Bearer ${token.secret}`]],
  ["Basic", () => ["-u", `script:${token.secret}`]],
  ["Digest", () => ["--digest", "-u", `${token.id}:${token.secret}`]],
  ["the best that is offered", () => ["--anyauth", "-u", `${token.id}:${token.secret}`]],
])("curl by %s reads a restricted catalogue", async (_scheme, args) => {
  const query = `${base}/fdsnws/event/1/count?minmagnitude=-9`;
  const { stdout } = await run("curl", ["-sf", ...args(), query]);
  expect(Number(stdout)).toBeGreaterThan(0);
});
