import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { CatalogueVersion } from "#contracts/http/catalogues.ts";
import { bareId } from "#contracts/seismic-event/public-ids.ts";
import type { JsonObject, SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { OWN_NAMESPACE, OWN_PREFIX } from "#infra/formats/bulletin/members.ts";
import { createQuakemlReader } from "#infra/formats/quakeml/reader.ts";
import { atOnce } from "#infra/kernel/iteration.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import type { ServedEvent } from "../../support/agency/served-catalogue.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { historyOf, useAgency } from "../../support/api/imports.ts";
import { exportedEvents, merge, sourceOf } from "../../support/api/merges.ts";
import { exportWhole } from "../../support/api/whole-documents.ts";
import { generateEvents } from "../../support/generate-catalogue.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { hasRealData, REAL_DATA_DIR } from "../../support/real-data.ts";
import { sharedService } from "../../support/service.ts";

type ServedExport = { readonly events: readonly ServedEvent[]; readonly xmlHead: string };

/** A QuakeML export of this service, as the test agency serves it back: each event as it was written. */
function servedExport(quakeml: string): ServedExport {
  const rows: JsonObject[] = [];
  const reader = createQuakemlReader({
    row: (row) => rows.push(row),
    error: (line, message) => {
      throw new Error(`line ${line}: ${message}`);
    },
    warning() {},
  });
  reader.write(quakeml);
  atOnce(reader.end());
  const elements = quakeml.match(/<event [\s\S]*?<\/event>\n/g) ?? [];
  return {
    events: rows.map((row, i) => ({ row, xml: elements[i] ?? "" })),
    xmlHead: quakeml.slice(0, quakeml.indexOf("<event ")),
  };
}

/** Public ids as BGR and others make them: the last parts of many are the same. */
function publicIdOf(i: number): string {
  const date = new Date(Date.UTC(2015, 0, 1 + i)).toISOString().slice(0, 10).replaceAll("-", "");
  return i % 3 === 0
    ? `smi:local/event/${date}0944/-32.73/116.${i % 5}/`
    : `smi:de.bgr/out.scb/${date}062151/event/${1 + (i % 2)}`;
}

function publicIdEvents(seed: number, count: number): ServedEvent[] {
  return [...generateEvents(seed, count)].map((row, i) => servedUnder(publicIdOf(i), row));
}

function servedUnder(publicId: string, row: JsonObject): ServedEvent {
  const xml = writeXml({ row: { ...row, source_id: "own" } }, 0);
  return {
    row: { ...row, source_id: publicId },
    xml: xml.replace(/<event publicID="[^"]*"/, `<event publicID="${publicId}"`),
  };
}

/** Over eight years and several answers; all their ids end in one of seven ways. */
const EVENTS = 40;
const xmlHead = XML_HEAD.replace("xmlns=", `xmlns:${OWN_PREFIX}="${OWN_NAMESPACE}" xmlns=`);
const service = sharedService();
const scene = useAgency(service, { cap: 15, xmlHead });
const given = publicIdEvents(11, EVENTS);
const editor = service.client("editor");
type Event = Omit<SeismicEvent, "id">;

/** All events of a catalogue without our ids, in an order that does not depend on them. */
async function eventsOf(id: string): Promise<Event[]> {
  const { body } = await editor.get<{ events: SeismicEvent[] }>(
    `/api/catalogues/${id}/export?format=json`,
  );
  return inOrder(body.events.map(({ id: _, ...event }) => event));
}

const inOrder = (events: readonly Event[]) =>
  events.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));

function publicIdIn({ source_id: sourceId, extra }: Event): string | null {
  return typeof extra?.["public_id"] === "string" ? extra["public_id"] : sourceId;
}

/** Time and magnitude of each event by its public id. */
async function earthquakes(catalogueId: string): Promise<Map<string | null, unknown[]>> {
  const events = await eventsOf(catalogueId);
  const byPublicId = new Map(
    events.map((event) => [publicIdIn(event), [event.time, event.magnitude]]),
  );
  expect(byPublicId.size).toBe(events.length);
  expect(new Set(events.map((event) => event.source_id)).size).toBe(events.length);
  return byPublicId;
}

const served = (events: readonly ServedEvent[]) =>
  new Map(events.map(({ row }) => [row["source_id"], [row["time"], row["magnitude"]]]));

describe("earthquakes whose public ids end alike", () => {
  test("are all imported, each found again under its own public id", async () => {
    scene.serve(...given);
    const first = await scene.imported(editor);
    expect(first).toMatchObject({ success: true, newEvents: EVENTS, totalFetched: EVENTS });
    const { catalogueId } = first;
    expect(await earthquakes(catalogueId)).toEqual(served(given));
    const bareIds = new Set(given.map(({ row }) => bareId(String(row["source_id"]))));
    const stored = await eventsOf(catalogueId);
    expect(stored.filter((event) => bareIds.has(event.source_id ?? ""))).toHaveLength(bareIds.size);
    const others = stored.filter((event) => !bareIds.has(event.source_id ?? ""));
    expect(others.every((event) => event.source_id === publicIdIn(event))).toBe(true);

    const revised = given.map(({ row: { source_id: id, ...row } }, i) =>
      servedUnder(String(id), i % 10 === 0 ? { ...row, magnitude: 9 + i / EVENTS } : row),
    );
    scene.serve(...revised);
    const updatedEvents = Math.ceil(EVENTS / 10);
    expect(await scene.imported(editor, { catalogueId, updateExisting: true })).toMatchObject({
      success: true,
      newEvents: 0,
      updatedEvents,
      skippedReasons: { unchanged: EVENTS - updatedEvents },
    });
    expect(await earthquakes(catalogueId)).toEqual(served(revised));
    const ids = (events: readonly Event[]) =>
      events.map((event) => `${event.source_id} ${publicIdIn(event)}`).sort();
    expect(ids(await eventsOf(catalogueId))).toEqual(ids(stored));
  });

  test("are all imported by runs of one year each, whatever the order of the years", async () => {
    scene.serve(...given);
    const { id: catalogueId } = await createCatalogue(editor, { events: [] });
    const update = { catalogueId, updateExisting: true };
    for (const year of [2019, 2016, 2021, 2015, 2022, 2017, 2020, 2018]) {
      const window = { startDate: `${year}-01-01`, endDate: `${year + 1}-01-01` };
      const run = await scene.imported(editor, { ...update, ...window });
      expect(run).toMatchObject({ success: true, updatedEvents: 0 });
    }
    const whole = await scene.imported(editor, update);
    expect(whole).toMatchObject({ newEvents: 0, updatedEvents: 0 });
    expect(await earthquakes(catalogueId)).toEqual(served(given));
  });

  test("that an earlier version let collapse stay as they are, and the others come in", async () => {
    scene.serve(...given);
    const time = given[0]?.row["time"];
    const stored = seismicEvent({
      time,
      magnitude: 1.25,
      source_id: bareId(publicIdOf(0)),
      extra: { public_id: publicIdOf(0) },
    });
    const { id: catalogueId } = await createCatalogue(editor, { events: [stored] });
    const run = await scene.imported(editor, { catalogueId });
    expect(run).toMatchObject({ newEvents: EVENTS - 1, skippedReasons: { existing: 1 } });
    const expected = served(given).set(publicIdOf(0), [time, 1.25]);
    expect(await earthquakes(catalogueId)).toEqual(expected);
  });

  test("come back as they were after an export, by upload and by an import", async () => {
    scene.serve(...given);
    const { catalogueId } = await scene.imported(editor);
    const before = await eventsOf(catalogueId);
    const rows = inOrder(
      before.map(({ bulletin_sha256: _, ...row }: Event & { bulletin_sha256?: string }) => row),
    );
    const fileOf = async (query: string) => {
      const exported = await editor.stream(`/api/catalogues/${catalogueId}/export?format=${query}`);
      return new Uint8Array(await exported.arrayBuffer());
    };
    for (const [query, expected] of [
      ["json&include=bulletin", before],
      ["quakeml", before],
      ["csv", rows],
      ["json", rows],
      ["geojson", rows],
      ["text", null],
    ] as const) {
      const fileName = `x.${query === "text" ? "txt" : query.split("&")[0]}`;
      const form = fileForm(await fileOf(query), { fileName });
      type Uploaded = { data: readonly unknown[] };
      const path = "/api/upload?include=bulletin";
      const { body } = await editor.send<Uploaded>("POST", path, form);
      const { id, validationReport } = await createCatalogue(editor, { events: body.data });
      expect(validationReport.failedValidation, query).toBe(0);
      const again = await eventsOf(id);
      const sourceIds = (events: readonly Event[]) => events.map((one) => one.source_id).sort();
      if (expected === null) expect(sourceIds(again), query).toEqual(sourceIds(before));
      else expect(again, query).toEqual(expected);
    }
    const quakeml = new TextDecoder().decode(await fileOf("quakeml"));
    scene.serve(...servedExport(quakeml).events);
    const again = await scene.imported(editor);
    expect(await eventsOf(again.catalogueId)).toEqual(before);
    expect(await scene.imported(editor, { catalogueId })).toMatchObject({ newEvents: 0 });
  });
});

describe("full and summary of one agency", () => {
  const [A, B, C] = [2015, 2016, 2017].map((year) => `smi:de.bgr/${year}/event/1`) as [
    string,
    string,
    string,
  ];
  const row = (year: number, magnitude = 1): JsonObject => ({
    ...given[0]?.row,
    time: `${year}-05-01T00:00:00Z`,
    magnitude,
  });
  const bare = (year: number, magnitude: number): ServedEvent => ({
    row: { ...row(year, magnitude), source_id: "1" },
  });

  test("meet by the bare id, and what the text does not have of the public id stays", async () => {
    scene.serve(servedUnder(A, row(2015)));
    const { catalogueId } = await scene.imported(editor);
    scene.serve(bare(2015, 2));
    const update = { catalogueId, updateExisting: true };
    const summary = await scene.imported(editor, { ...update, detail: "summary" });
    expect(summary).toMatchObject({ newEvents: 0, updatedEvents: 1 });
    expect(await earthquakes(catalogueId)).toEqual(new Map([[A, ["2015-05-01T00:00:00Z", 2]]]));
    scene.serve(servedUnder(A, row(2015, 2)), servedUnder(B, row(2016)));
    const full = await scene.imported(editor, update);
    expect(full).toMatchObject({ newEvents: 1, updatedEvents: 1 });
    expect((await earthquakes(catalogueId)).get(A)).toEqual(["2015-05-01T00:00:00Z", 2]);
  });

  test("meet in the other order, where one public id alone takes the bare id", async () => {
    scene.serve(bare(2015, 1));
    const { catalogueId } = await scene.imported(editor, { detail: "summary" });
    const two = [servedUnder(A, row(2015, 2)), servedUnder(B, row(2016, 3))];
    scene.serve(...two);
    const full = await scene.imported(editor, { catalogueId });
    expect(full).toMatchObject({ newEvents: 1, skippedReasons: { existing: 1 } });
    scene.serve(...two, servedUnder(C, row(2017)));
    const next = await scene.imported(editor, { catalogueId, updateExisting: true });
    expect(next).toMatchObject({ newEvents: 1, updatedEvents: 1 });
    expect([...(await earthquakes(catalogueId)).keys()].sort()).toEqual([A, B, C]);
  });

  test("change nothing by a bare id that several events of the catalogue have", async () => {
    scene.serve(servedUnder(A, row(2015)), servedUnder(B, row(2016)));
    const { catalogueId } = await scene.imported(editor);
    const before = await earthquakes(catalogueId);
    scene.serve(bare(2016, 7));
    const update = { catalogueId, updateExisting: true, detail: "summary" };
    const summary = await scene.imported(editor, update);
    expect(summary).toMatchObject({ success: true, version: 1, skippedReasons: { existing: 1 } });
    expect(await earthquakes(catalogueId)).toEqual(before);
  });
});

describe("exports of this service that come back through the agency", () => {
  const COUNT = 40;

  /** Everything that is known of events but the ids that this service has given them. */
  async function contentOf(id: string): Promise<unknown[]> {
    const events = await exportedEvents(editor, id);
    return events.map(({ id: _, source_events: sources, ...event }) => ({
      ...event,
      // Members of one time are in the order of those ids.
      sources: sources
        ?.map(({ source_id, source, chosen, distance, quality_score }) =>
          JSON.stringify({ source_id, source, chosen, distance, quality_score }),
        )
        .sort(),
    }));
  }

  async function throughTheAgency(id: string): Promise<string> {
    const exported = await editor.stream(`/api/catalogues/${id}/export?format=quakeml`);
    scene.serve(...servedExport(await exported.text()).events);
    return (await scene.imported(editor)).catalogueId;
  }

  /** The same earthquakes as another network locates them, with ids of its own. */
  const relocated = ({ source_id: id, latitude, azimuthal_gap: gap, ...event }: JsonObject) => ({
    ...event,
    source_id: `other-${id}`,
    latitude: Number((Number(latitude) + 0.05).toFixed(6)),
    azimuthal_gap: Number((Number(gap) / 2).toFixed(2)),
    extra: { network: "of the universities" },
  });

  test("are the same catalogues, and so is their merge", async () => {
    const events = [...generateEvents(9, COUNT)];
    const one = await sourceOf(editor, "one", events);
    const other = await sourceOf(editor, "other", events.map(relocated));
    const back = [
      { ...one, id: await throughTheAgency(one.id) },
      { ...other, id: await throughTheAgency(other.id) },
    ];
    for (const [i, source] of [one, other].entries()) {
      expect(await contentOf(back[i]?.id ?? "")).toEqual(await contentOf(source.id));
    }
    const merged = await merge(editor, [one, other]);
    expect(merged.duplicatesRemoved).toBeGreaterThan(COUNT / 2);
    const mergedBack = await merge(editor, back);
    const { catalogueId: _, ...counts } = merged;
    expect(mergedBack).toMatchObject(counts);
    expect(await contentOf(mergedBack.catalogueId)).toEqual(await contentOf(merged.catalogueId));
  });
});

describe("whole events", () => {
  const whole = useAgency(service, { xmlHead: XML_HEAD });
  const FIXTURE = join(import.meta.dirname, "../../fixtures/formats/quakeml/geonet.xml");
  const REAL = ["geonet_2801727_0.6.xml", "geonet_2024p344188_0.13.xml"].map((name) =>
    join(REAL_DATA_DIR, "quakeml", name),
  );
  const WINDOW = { startDate: "2000-01-01", endDate: "2025-01-01" };

  /** Events that bring their namespaces, in one document. */
  function documentOf(files: readonly string[]): string {
    const events = files.flatMap(
      (file) => readFileSync(file, "utf8").match(/<event [\s\S]*?<\/event>/g) ?? [],
    );
    return `${XML_HEAD}${events.map((event) => `${event}\n`).join("")}${XML_TAIL}`;
  }

  async function versionsOf(id: string): Promise<readonly CatalogueVersion[]> {
    const path = `/api/catalogues/${id}/versions`;
    return (await editor.get<{ versions: CatalogueVersion[] }>(path)).body.versions;
  }

  const rowsOf = async (id: string) =>
    (await exportedEvents(editor, id)).map(
      ({ bulletin_sha256: _, ...event }: SeismicEvent & { bulletin_sha256?: string }) => event,
    );

  async function bulletinsOf(id: string): Promise<Map<string | null, Bulletin>> {
    const bulletins = new Map<string | null, Bulletin>();
    for (const event of await exportedEvents(editor, id)) {
      const path = `/api/catalogues/${id}/events/${event.id}/bulletin`;
      const { body } = await editor.get<{ bulletin: Bulletin; source: string }>(path);
      expect(body.source).toBe("bulletin");
      bulletins.set(event.source_id, body.bulletin);
    }
    return bulletins;
  }

  /** The solutions that a bulletin has beyond those of before, all of which are there still. */
  function addedTo(before: Bulletin | undefined, after: Bulletin | undefined) {
    const [origins, magnitudes] = [before?.origin ?? [], before?.magnitude ?? []];
    const { origin = [], magnitude = [] } = after ?? {};
    expect(origin.slice(0, origins.length)).toEqual(origins);
    expect(magnitude.slice(0, magnitudes.length)).toEqual(magnitudes);
    for (const part of ["pick", "amplitude", "stationMagnitude", "focalMechanism"] as const) {
      expect(after?.[part]).toEqual(before?.[part]);
    }
    return {
      origin: origin.slice(origins.length),
      magnitude: magnitude.slice(magnitudes.length),
    };
  }

  for (const [name, files, isThere] of [
    ["as GeoNet writes them", [FIXTURE], true],
    ["of GeoNet (skipped without them)", REAL, hasRealData],
  ] as const) {
    test.skipIf(!isThere)(
      `whole events ${name} keep every element, make one version of a residual that has changed, and get new solutions of text beside their own`,
      async () => {
        const document = documentOf(files);
        const [deeper, stronger, ...others] = servedExport(document).events;
        if (deeper === undefined || stronger === undefined) throw new Error("there are no events");
        whole.serve(deeper, stronger, ...others);
        const first = await whole.imported(editor, WINDOW);
        expect(first).toMatchObject({ success: true, newEvents: 2, version: 1 });
        expect(first.elements).toMatchObject({ event: { read: 2, kept: 2, dropped: 0 } });
        for (const tally of Object.values(first.elements ?? {})) expect(tally.dropped).toBe(0);
        const { catalogueId } = first;
        const exported = await exportWhole(editor, catalogueId, "given");
        expect(leavesOf(exported)).toEqual(leavesOf(document));

        const update = (detail = "full") =>
          whole.imported(editor, { ...WINDOW, catalogueId, updateExisting: true, detail });
        const again = await update();
        expect(again).toMatchObject({ version: 1, skippedReasons: { unchanged: 2 } });
        expect(again.elements).toEqual(first.elements);
        expect(await versionsOf(catalogueId)).toHaveLength(1);

        const rows = await rowsOf(catalogueId);
        const [, arrival = ""] = /<arrival publicID="([^"]+)"/.exec(deeper.xml ?? "") ?? [];
        const xml = deeper.xml?.replace(/<timeResidual>[^<]*/, "<timeResidual>0.4375") ?? "";
        whole.serve({ row: deeper.row, xml }, stronger, ...others);
        const changed = await update();
        expect(changed).toMatchObject({ updatedEvents: 1, newEvents: 0 });
        expect(await versionsOf(catalogueId)).toHaveLength(2);
        expect(await rowsOf(catalogueId)).toEqual(rows);
        const path = `/api/catalogues/${catalogueId}/versions/${changed.version}/diff`;
        const { body } = await editor.get(path);
        const solutions = [
          { kind: "arrival", publicID: arrival, change: "updated", members: ["timeResidual"] },
        ];
        expect(body).toMatchObject({ updated: 1, changes: [{ change: "updated", solutions }] });

        const before = await bulletinsOf(catalogueId);
        whole.serve(
          { row: { ...deeper.row, depth: 61.5 } },
          { row: { ...stronger.row, magnitude: 6.25 } },
        );
        const summary = await update("summary");
        expect(summary).toMatchObject({ updatedEvents: 2, newEvents: 0, errors: [] });
        const after = await bulletinsOf(catalogueId);
        expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
        const [one, other] = [deeper, stronger].map(({ row }) => {
          const id = String(row["source_id"]);
          return addedTo(before.get(id), after.get(id));
        });
        expect(one).toMatchObject({ origin: [{ depth: { value: 61_500 } }], magnitude: [] });
        expect(other?.magnitude).toMatchObject([{ mag: { value: 6.25 } }]);
        const once = await update("summary");
        expect(once).toMatchObject({ version: summary.version, skippedReasons: { unchanged: 2 } });
      },
    );
  }
});

describe("an import from ISC", () => {
  const PICKS = 4;
  const [first, second, third] = [...servedEvents(7, 3)].map(({ row }) => row);
  const region = "Ölfus, Þrengsli – 熊本";
  /** The third has no place, and so is none that a catalogue holds. */
  const isc = useAgency(
    service,
    {
      events: [{ ...first, region }, { ...second }, { ...third, latitude: null }].map((row) => ({
        row,
      })),
      picks: PICKS,
      includes: ["includeallorigins", "includeallmagnitudes", "includearrivals"],
      formats: ["isf"],
    },
    { dialect: "isc" },
  );

  test("keeps the bulletins of its ISF, and tells what it could not keep", async () => {
    const result = await isc.imported(editor, { catalogueName: "ISC" });
    const { catalogueId } = result;
    const event = { read: 3, kept: 2, dropped: 1 };
    const phases = { read: 2 * PICKS, kept: 2 * PICKS, dropped: 0 };
    expect(result).toMatchObject({ totalFetched: 3, newEvents: 2, success: false });
    expect(result.errors).toHaveLength(1);
    expect(result.elements).toMatchObject({ event, pick: phases, arrival: phases });
    const [run] = await historyOf(editor, catalogueId);
    expect(run?.elements).toEqual(result.elements);
    const events = await exportedEvents(editor, catalogueId);
    const one = events.find(({ source_id: id }) => id === first?.["source_id"]);
    expect(one?.region).toBe(region);
    const path = `/api/catalogues/${catalogueId}/events/${one?.id}/arrivals`;
    const { body: arrivals } = await editor.get<{ rows: object[] }>(path);
    expect(arrivals.rows).toHaveLength(PICKS);
    expect(arrivals.rows[0]).toMatchObject({ station: "S0", phase: "P", residual: 0.3 });
    const again = await isc.imported(editor, { catalogueId });
    expect(again).toMatchObject({ newEvents: 0, updatedEvents: 0, version: result.version });
  });
});
