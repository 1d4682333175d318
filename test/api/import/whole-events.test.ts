import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { CatalogueVersion } from "#contracts/http/catalogue.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { servedExport } from "../../support/agency/exported-events.ts";
import { XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import type { ApiClient } from "../../support/api-client.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { hasRealData, REAL_DATA_DIR } from "../../support/real-data.ts";
import { exportWhole } from "../support/whole-documents.ts";
import { eventsOf, imported, useImports } from "./import-scene.ts";

const FIXTURE = join(import.meta.dirname, "../../fixtures/formats/quakeml/geonet.xml");
const REAL = ["geonet_2801727_0.6.xml", "geonet_2024p344188_0.13.xml"];
const WINDOW = { startDate: "2000-01-01", endDate: "2025-01-01" };
const UPDATING = { ...WINDOW, updateExisting: true };

/** Events that bring their namespaces, in one document. */
function documentOf(files: readonly string[]): string {
  const events = files.flatMap(
    (file) => readFileSync(file, "utf8").match(/<event [\s\S]*?<\/event>/g) ?? [],
  );
  return `${XML_HEAD}${events.map((event) => `${event}\n`).join("")}${XML_TAIL}`;
}

const scene = useImports({ xmlHead: XML_HEAD });
let editor: ApiClient;
beforeEach(async () => {
  editor = await scene.service.loginAs("editor");
});

/** What the agency has from now on. */
function serve(events: readonly ServedEvent[]): void {
  const { catalogue } = scene.agency;
  for (const { row } of catalogue.events()) catalogue.replace(String(row["source_id"]), null);
  catalogue.add(...events);
}

async function versionsOf(id: string): Promise<readonly CatalogueVersion[]> {
  const path = `/api/catalogues/${id}/versions`;
  return (await editor.get<{ versions: CatalogueVersion[] }>(path)).body.versions;
}

type Row = SeismicEvent & { bulletin_sha256?: string };

async function rowsOf(id: string): Promise<Row[]> {
  return [...(await eventsOf(editor, id)).values()].map(
    ({ bulletin_sha256: _, ...event }: Row) => event,
  );
}

async function bulletinsOf(id: string): Promise<Map<string, Bulletin>> {
  const events = await eventsOf(editor, id);
  const entries = [...events.values()].map(async (event) => {
    const path = `/api/catalogues/${id}/events/${event.id}/bulletin`;
    const { body } = await editor.get<{ bulletin: Bulletin; source: string }>(path);
    expect(body.source).toBe("bulletin");
    return [event.source_id ?? "", body.bulletin] as const;
  });
  return new Map(await Promise.all(entries));
}

/** The solutions that a bulletin has beyond those of before, all of which are there still. */
function addedTo(before: Bulletin | undefined, after: Bulletin | undefined) {
  const [origins, magnitudes] = [before?.origin ?? [], before?.magnitude ?? []];
  const { origin = [], magnitude = [], ...rest } = after ?? {};
  expect(origin.slice(0, origins.length)).toEqual(origins);
  expect(magnitude.slice(0, magnitudes.length)).toEqual(magnitudes);
  const parts = (bulletin: Partial<Bulletin> = {}) =>
    [
      bulletin.pick,
      bulletin.amplitude,
      bulletin.stationMagnitude,
      bulletin.focalMechanism,
    ] as const;
  expect(parts(rest)).toEqual(parts(before));
  return {
    origin: origin.slice(origins.length),
    magnitude: magnitude.slice(magnitudes.length),
  };
}

/** The event with another residual at its first arrival, and that arrival's id. */
function withOtherResidual({ row, xml = "" }: ServedEvent) {
  const [, arrival = ""] = /<arrival publicID="([^"]+)"/.exec(xml) ?? [];
  const changed = xml.replace(/<timeResidual>[^<]*/, "<timeResidual>0.4375");
  return { arrival, event: { row, xml: changed } };
}

describe.each([
  ["as GeoNet writes them", [FIXTURE], true],
  [
    "of GeoNet (skipped without them)",
    REAL.map((f) => join(REAL_DATA_DIR, "quakeml", f)),
    hasRealData,
  ],
] as const)("an import of whole events %s", (_, files, isThere) => {
  const whole = isThere ? documentOf(files) : "";
  const given = isThere ? servedExport(whole).events : [];

  test.skipIf(!isThere)("keeps every element, and again makes no version", async () => {
    serve(given);
    const first = await imported(editor, WINDOW);
    expect(first).toMatchObject({ success: true, newEvents: 2, version: 1 });
    expect(first.elements).toMatchObject({ event: { read: 2, kept: 2, dropped: 0 } });
    for (const tally of Object.values(first.elements ?? {})) expect(tally.dropped).toBe(0);
    const exported = await exportWhole(editor, first.catalogueId, "given");
    expect(leavesOf(exported)).toEqual(leavesOf(whole));

    const again = await imported(editor, { ...UPDATING, catalogueId: first.catalogueId });
    expect(again).toMatchObject({ version: 1, skippedReasons: { unchanged: 2 } });
    expect(again.elements).toEqual(first.elements);
    expect(await versionsOf(first.catalogueId)).toHaveLength(1);
  });

  test.skipIf(!isThere)(
    "makes one version of a residual that has changed, in which the row is the same and the arrival is named",
    async () => {
      serve(given);
      const { catalogueId } = await imported(editor, WINDOW);
      const before = await rowsOf(catalogueId);
      const [first, ...others] = given;
      if (first === undefined) throw new Error("there is no event");
      const { arrival, event } = withOtherResidual(first);
      serve([event, ...others]);
      const changed = await imported(editor, { ...UPDATING, catalogueId });
      expect(changed).toMatchObject({ version: 2, updatedEvents: 1, newEvents: 0 });
      expect(await versionsOf(catalogueId)).toHaveLength(2);
      expect(await rowsOf(catalogueId)).toEqual(before);
      const diff = await editor.get(`/api/catalogues/${catalogueId}/versions/2/diff`);
      const solutions = [
        { kind: "arrival", publicID: arrival, change: "updated", members: ["timeResidual"] },
      ];
      expect(diff.body).toMatchObject({ updated: 1, changes: [{ change: "updated", solutions }] });
    },
  );

  test.skipIf(!isThere)(
    "that come again as text get a new origin or magnitude, and all old ones stay",
    async () => {
      serve(given);
      const { catalogueId } = await imported(editor, WINDOW);
      const [deeper, stronger] = given;
      if (deeper === undefined || stronger === undefined) throw new Error("there are no events");
      const before = await bulletinsOf(catalogueId);
      serve([
        { row: { ...deeper.row, depth: 61.5 } },
        { row: { ...stronger.row, magnitude: 6.25 } },
      ]);
      const summary = await imported(editor, { ...UPDATING, catalogueId, detail: "summary" });
      expect(summary).toMatchObject({ version: 2, updatedEvents: 2, newEvents: 0, errors: [] });
      const after = await bulletinsOf(catalogueId);
      expect([...after.keys()]).toEqual([...before.keys()]);
      const [first, second] = [deeper, stronger].map(({ row }) => {
        const id = String(row["source_id"]);
        return addedTo(before.get(id), after.get(id));
      });
      expect(first?.origin).toMatchObject([{ depth: { value: 61_500 } }]);
      expect(first?.magnitude).toEqual([]);
      expect(second?.magnitude).toMatchObject([{ mag: { value: 6.25 } }]);
      const again = await imported(editor, { ...UPDATING, catalogueId, detail: "summary" });
      expect(again).toMatchObject({ version: 2, skippedReasons: { unchanged: 2 } });
    },
  );
});
