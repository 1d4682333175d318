import { beforeAll, expect, test } from "vitest";
import { servedEvents } from "../../support/agency/generated-events.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { historyOf, imported, useImports } from "./import-scene.ts";

const PICKS = 4;
const [first, second, third] = [...servedEvents(7, 3)].map(({ row }) => row);
/** The third has no place, and so is none that a catalogue holds. */
const scene = useImports(
  {
    events: [
      { row: { ...first, region: "Ölfus, Þrengsli – 熊本" } },
      { row: { ...second } },
      { row: { ...third, latitude: null } },
    ],
    picks: PICKS,
    includes: ["includeallorigins", "includeallmagnitudes", "includearrivals"],
    formats: ["isf"],
  },
  { AGENCY_DIALECT: "isc" },
);
let editor: ApiClient;
beforeAll(async () => {
  editor = await scene.service.loginAs("editor");
});

test("an import from ISC keeps the bulletins of its ISF, and tells what it could not keep", async () => {
  const result = await imported(editor, { catalogueName: "ISC" });
  const { catalogueId } = result;
  const event = { read: 3, kept: 2, dropped: 1 };
  const phases = { read: 2 * PICKS, kept: 2 * PICKS, dropped: 0 };
  expect(result).toMatchObject({ totalFetched: 3, newEvents: 2, success: false });
  expect(result.errors).toHaveLength(1);
  expect(result.elements).toMatchObject({ event, pick: phases, arrival: phases });
  const [run] = await historyOf(editor, catalogueId);
  expect(run?.elements).toEqual(result.elements);

  const { body } = await editor.get<{
    events: { id: string; region: string; source_id: string }[];
  }>(`/api/catalogues/${catalogueId}/events?limit=10`);
  const regions = body.events.map(({ region }) => region);
  expect(regions).toContain("Ölfus, Þrengsli – 熊本");
  const id = body.events.find(({ source_id }) => source_id === first?.["source_id"])?.id;
  const { body: arrivals } = await editor.get<{ rows: object[] }>(
    `/api/catalogues/${catalogueId}/events/${id}/arrivals`,
  );
  expect(arrivals.rows).toHaveLength(PICKS);
  expect(arrivals.rows[0]).toMatchObject({ station: "S0", phase: "P", residual: 0.3 });

  const again = await imported(editor, { catalogueId });
  expect(again).toMatchObject({ newEvents: 0, updatedEvents: 0, version: result.version });
});
