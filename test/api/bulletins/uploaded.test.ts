import { expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { UploadResult } from "#contracts/http/upload.ts";
import { servedEvents } from "../../support/agency/generated-events.ts";
import { writeXml, XML_HEAD, XML_TAIL } from "../../support/agency/geonet-xml.ts";
import {
  type CreatedCatalogue,
  createCatalogue,
  seismicEvent,
} from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { sharedService } from "../../support/service.ts";
import { eventsOf, exportFile } from "../formats/file-round.ts";

const service = sharedService();
const editor = clientOf(service, "editor");
type Row = { readonly source_id: string; readonly time: string; readonly bulletin?: Bulletin };

const whole = (count: number) => ({ read: count, kept: count, dropped: 0 });

async function upload(content: string, fileName: string, query: string): Promise<UploadResult> {
  const form = fileForm(content, { fileName });
  return (await editor.send<UploadResult>("POST", `/api/upload${query}`, form)).body;
}

/** What a kept upload makes, and what its rows with bulletins do. */
function madeOf({ uploadId, data }: UploadResult): Promise<CreatedCatalogue[]> {
  const makers = [{ uploadId }, { events: data }].map(async (body) => {
    const form = { name: "uploaded", ...body };
    const made = await editor.send<CreatedCatalogue>("POST", "/api/catalogues", form);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return made.body;
  });
  return Promise.all(makers);
}

test("an uploaded file of whole events says what was read and kept, shows bulletins on request, and makes events of them", async () => {
  const [EVENTS, PICKS] = [3, 4];
  const file = [
    XML_HEAD,
    ...[...servedEvents(1, EVENTS)].map((event) => writeXml(event, PICKS)),
    '<event publicID="smi:test.local/nowhere"><pick publicID="smi:test.local/p">',
    "<time><value>2021-01-01T00:00:00Z</value></time>",
    '<waveformID networkCode="NZ" stationCode="S"/></pick></event>',
    XML_TAIL,
  ].join("");
  const plain = await upload(file, "events.xml", "");
  expect(plain.elements).toMatchObject({
    event: { read: EVENTS + 1, kept: EVENTS, dropped: 1 },
    origin: whole(EVENTS),
    pick: { read: EVENTS * PICKS + 1, kept: EVENTS * PICKS, dropped: 1 },
    arrival: whole(EVENTS * PICKS),
  });
  expect(plain.data).toHaveLength(EVENTS);
  expect(plain.data.some((row) => "bulletin" in row)).toBe(false);

  const read = await upload(file, "events.xml", "?keep=true&include=bulletin");
  const bulletins = (read.data as Row[]).map(({ bulletin }) => bulletin);
  expect(bulletins.map((bulletin) => bulletin?.pick?.length)).toEqual([PICKS, PICKS, PICKS]);
  const shown: Row[][] = [];
  for (const { id, validationReport } of await madeOf(read)) {
    expect(validationReport.elements).toMatchObject({
      origin: whole(EVENTS),
      pick: { kept: EVENTS * PICKS },
    });
    const events = await listEvents<Row>(editor, id, "include=bulletin&orderBy=time-asc");
    expect(events).toMatchObject(events.map(() => ({ bulletin_counts: { arrivals: PICKS } })));
    shown.push(
      events.map(({ source_id, time, bulletin }) => ({ source_id, time, bulletin }) as Row),
    );
  }
  expect(shown[0]).toHaveLength(EVENTS);
  expect(shown[0]).toEqual(shown[1]);
});

test("JSON with bulletins beside rows makes the same events, also of rows that leave attributes to them, and none of rows that say something else", async () => {
  const { id } = await createCatalogue(editor, {
    events: [
      seismicEvent({ time: "2010-01-01T00:00:00Z" }),
      { bulletin: smallBulletin() },
      { bulletin: smallBulletin("two"), extra: { note: "checked" } },
    ],
  });
  const file = await exportFile(editor, id, "json", "&include=bulletin");
  const document = JSON.parse(new TextDecoder().decode(file)) as { events: Row[] };
  const before = await eventsOf(editor, id);

  /** What an upload of the export makes, once its rows with bulletins are changed. */
  async function backAgain(change: (row: Row) => object) {
    const events = document.events.map((row) => (row.bulletin ? change(row) : row));
    const content = JSON.stringify({ ...document, events });
    const read = await upload(content, "x.json", "?keep=true&include=bulletin");
    expect(read).toMatchObject({ rowCount: 3, errors: [] });
    return madeOf(read);
  }

  for (const made of await backAgain((row) => row)) {
    const { elements } = made.validationReport;
    expect(elements).toMatchObject({ event: whole(2), arrival: whole(4) });
    expect(await eventsOf(editor, made.id)).toEqual(before);
  }
  const bare = await backAgain(({ source_id, time, bulletin }) => ({ source_id, time, bulletin }));
  for (const made of bare) {
    const places = (await eventsOf(editor, made.id)).map(({ depth, region }) => [depth, region]);
    expect(places).toEqual(before.map(({ depth, region }) => [depth, region]));
  }
  for (const [field, value] of [
    ["depth", 99],
    ["region", "elsewhere"],
    ["magnitude", null],
  ] as const) {
    for (const { validationReport } of await backAgain((row) => ({ ...row, [field]: value }))) {
      expect(validationReport).toMatchObject({ successfullyImported: 1, failedValidation: 2 });
      const errors = [{ field, message: "is not what the bulletin says" }];
      expect(validationReport.invalidEvents[0]?.errors).toEqual(errors);
    }
  }
});
