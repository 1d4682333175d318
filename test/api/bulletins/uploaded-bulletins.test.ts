import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { BulletinSummary } from "#contracts/bulletin/bulletin-summary.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { eventsOf, exportFile } from "../formats/file-round.ts";
import { type CreatedCatalogue, createCatalogue, seismicEvent } from "../support/catalogue.ts";
import { fileForm } from "../support/file-form.ts";

const service = sharedService();

const EVENTS = 3;
const PICKS = 4;
const [first = "", ...further] = [...servedEvents(1, EVENTS)].map((event) =>
  writeXml(event, PICKS),
);
const NO_ORIGIN = '<event publicID="smi:test.local/nowhere"><pick publicID="smi:test.local/p">';
const FILE = [
  XML_HEAD,
  first,
  ...further,
  `${NO_ORIGIN}<time><value>2021-01-01T00:00:00Z</value></time>`,
  '<waveformID networkCode="NZ" stationCode="S"/></pick></event>',
  XML_TAIL,
].join("");

const whole = (count: number) => ({ read: count, kept: count, dropped: 0 });
const ELEMENTS = {
  event: { read: EVENTS + 1, kept: EVENTS, dropped: 1 },
  origin: whole(EVENTS),
  pick: { read: EVENTS * PICKS + 1, kept: EVENTS * PICKS, dropped: 1 },
  arrival: whole(EVENTS * PICKS),
};

type Row = { readonly source_id: string; readonly bulletin?: Bulletin };

test("an uploaded file of whole events says what was read and kept, and shows bulletins on request", async () => {
  const editor = await service.loginAs("editor");
  const plain = await editor.send<UploadResult>("POST", "/api/upload", fileForm(FILE));
  expect(plain.status).toBe(200);
  expect(plain.body.elements).toMatchObject(ELEMENTS);
  expect(plain.body.data).toHaveLength(EVENTS);
  expect(plain.body.data.some((row) => "bulletin" in row)).toBe(false);
  const address = "/api/upload?include=bulletin";
  const { data } = (await editor.send<UploadResult>("POST", address, fileForm(FILE))).body;
  const bulletins = (data as Row[]).map(({ bulletin }) => bulletin);
  expect(bulletins.map((bulletin) => bulletin?.pick?.length)).toEqual([PICKS, PICKS, PICKS]);
});

test("a kept upload makes events with their bulletins, and so do its rows with bulletins", async () => {
  const editor = await service.loginAs("editor");
  const address = "/api/upload?keep=true&include=bulletin";
  const { uploadId, data } = (await editor.send<UploadResult>("POST", address, fileForm(FILE)))
    .body;
  const bodies = [
    { name: "kept", uploadId },
    { name: "rows", events: data },
  ];
  const shown: (Bulletin | undefined)[][] = [];
  for (const body of bodies) {
    const made = await editor.send<CreatedCatalogue>("POST", "/api/catalogues", body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    expect(made.body.validationReport).toMatchObject({
      elements: { origin: whole(EVENTS), pick: { kept: EVENTS * PICKS } },
    });
    const list = `/api/catalogues/${made.body.id}/events/filtered?include=bulletin&orderBy=time-asc`;
    type Listed = Row & { readonly bulletin_counts: BulletinSummary["counts"] };
    const { events } = (await editor.get<{ events: Listed[] }>(list)).body;
    expect(events.map((event) => event.bulletin_counts.arrivals)).toEqual([PICKS, PICKS, PICKS]);
    shown.push(events.map(({ bulletin }) => bulletin));
  }
  expect(shown[0]).toEqual(shown[1]);
});

describe("of JSON with bulletins beside rows", () => {
  const submitted = [
    seismicEvent({ time: "2010-01-01T00:00:00Z" }),
    { bulletin: smallBulletin() },
    { bulletin: smallBulletin("two"), extra: { note: "checked" } },
  ];

  /** What an upload of the JSON export of these events makes, once it is changed. */
  async function backAgain(change: (row: Row) => object) {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: submitted });
    const file = await exportFile(editor, id, "json", "&include=bulletin");
    const document = JSON.parse(new TextDecoder().decode(file)) as { events: Row[] };
    const events = document.events.map((row) => (row.bulletin ? change(row) : row));
    const form = fileForm(JSON.stringify({ ...document, events }), { fileName: "x.json" });
    const address = "/api/upload?keep=true&include=bulletin";
    const upload = (await editor.send<UploadResult>("POST", address, form)).body;
    expect(upload).toMatchObject({ rowCount: 3, errors: [] });
    const before = await eventsOf(editor, id);
    const made = await Promise.all(
      [{ uploadId: upload.uploadId }, { events: upload.data }].map(async (body) => {
        const answer = await editor.send<CreatedCatalogue>("POST", "/api/catalogues", {
          name: "again",
          ...body,
        });
        expect(answer.status, JSON.stringify(answer.body)).toBe(201);
        return answer.body;
      }),
    );
    return { editor, before, made };
  }

  test("the events are as they were", async () => {
    const { editor, before, made } = await backAgain((row) => row);
    for (const { id, validationReport } of made) {
      expect(validationReport.elements).toMatchObject({ event: whole(2), arrival: whole(4) });
      expect(await eventsOf(editor, id)).toEqual(before);
    }
  });

  test("rows that say nothing of a bulletin's attributes have its view", async () => {
    const { editor, before, made } = await backAgain(({ bulletin, ...row }) => ({
      id: row.source_id,
      time: (row as Partial<SeismicEvent>).time,
      bulletin,
    }));
    for (const { id } of made) {
      const events = await eventsOf(editor, id);
      expect(events.map(({ depth, region }) => [depth, region])).toEqual(
        before.map(({ depth, region }) => [depth, region]),
      );
    }
  });

  test("an event whose row says something else than its bulletin is invalid, as where it is submitted", async () => {
    for (const [field, value] of [
      ["depth", 99],
      ["region", "elsewhere"],
      ["magnitude", null],
    ] as const) {
      const { made } = await backAgain((row) => ({ ...row, [field]: value }));
      for (const { validationReport } of made) {
        expect(validationReport).toMatchObject({
          successfullyImported: 1,
          failedValidation: 2,
        });
        const [first] = validationReport.invalidEvents;
        expect(first?.errors).toEqual([{ field, message: "is not what the bulletin says" }]);
      }
    }
  });
});
