import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../support/api/catalogue.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import type { ApiClient } from "../support/api-client.ts";
import { tangledBulletin } from "../support/bulletins/tangled-bulletin.ts";
import { hasPython, runPython } from "../support/clients/python.ts";
import { startTlsProxy } from "../support/clients/tls-proxy.ts";
import { useServiceBehind } from "../support/reachable-service.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";

const proxy = await startTlsProxy();
const service = useServiceBehind(proxy.url);

type Row = Readonly<Record<string, unknown>>;
type Tables = {
  readonly hasPhases: boolean;
  readonly phases: Row[];
  readonly magnitudes: Row[];
};
let tables: Tables;

beforeAll(async () => {
  if (!hasPython) return;
  proxy.forwardTo(service.url);
  const editor = await service.loginAs("editor");
  const { id } = await createCatalogue(editor, {
    events: [{ bulletin: tangledBulletin() }],
    is_public: true,
  });
  tables = await tablesOf(editor, id, "Mw");
});
afterAll(() => proxy.close());

/** What libcomcat reads of the one event of a public catalogue, and of its magnitude of a type. */
async function tablesOf(client: ApiClient, id: string, type: string): Promise<Tables> {
  const { body } = await client.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  const detail = `${proxy.url}/api/catalogues/${id}/feed/v1.0/detail/${body.events[0]?.id}.geojson`;
  return runPython<Tables>("phase_data.py", {
    input: { detail, type },
    env: { REQUESTS_CA_BUNDLE: proxy.certificate, SSL_CERT_FILE: proxy.certificate },
  });
}

describe.skipIf(!hasPython)("libcomcat", () => {
  test("finds the phases of an event with a bulletin by its detail", () => {
    expect(tables.hasPhases).toBe(true);
    expect(tables.phases).toMatchObject([
      { Channel: "NZ.WEL.HHZ.--", Phase: "P", Weight: 1 },
      { Channel: "NZ.WEL.HHZ.--", Phase: "S" },
    ]);
  });

  test("finds what a magnitude was made of, with the amplitude of each station", () => {
    expect(tables.magnitudes).toMatchObject([
      { Channel: expect.stringContaining("NZ.WEL.HHZ"), Magnitude: 4.6, Weight: 1 },
    ]);
  });

  test.skipIf(!hasRealData)(
    "finds all phases and station magnitudes of an agency's event (skipped without it)",
    async () => {
      const editor = await service.loginAs("editor");
      const file = readFileSync(join(REAL_DATA_DIR, "quakeml/usgs_us6000kawn_full.xml"), "utf8");
      const { id } = await createFromFile(editor, file);
      const { phases, magnitudes } = await tablesOf(editor, id, "mb");
      expect([phases.length, magnitudes.length]).toEqual([117, 587]);
    },
  );
});
