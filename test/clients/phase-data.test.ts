import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCatalogue } from "../api/support/catalogue.ts";
import { tangledBulletin } from "../support/bulletins/tangled-bulletin.ts";
import { hasPython, runPython } from "./support/python.ts";
import { useServiceBehind } from "./support/reachable-service.ts";
import { startTlsProxy } from "./support/tls-proxy.ts";

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
  const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
  tables = await runPython<Tables>("phase_data.py", {
    input: {
      detail: `${proxy.url}/api/catalogues/${id}/feed/v1.0/detail/${body.events[0]?.id}.geojson`,
      type: "Mw",
    },
    env: { REQUESTS_CA_BUNDLE: proxy.certificate, SSL_CERT_FILE: proxy.certificate },
  });
});
afterAll(() => proxy.close());

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
});
