import { beforeAll, describe, expect, test } from "vitest";
import { countElements } from "#contracts/bulletin/counts.ts";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  packBulletin,
  QUICK_BULLETIN_BYTES,
  sealBulletin,
  unpackBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import {
  type CreatedCatalogue,
  createCatalogue,
  seismicEvent,
} from "../../support/api/catalogue.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import { type BulletinAnswer, listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import {
  hasCentroidsAlone,
  rowByTheRules,
  seededBulletins,
} from "../../support/bulletins/row-oracle.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { readScml } from "../../support/formats/read-scml.ts";
import { hasSchema, schemaFaults } from "../../support/formats/sc3ml-schema.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";
import { eventsOf, exportFile, uploadFile } from "../formats/file-round.ts";

const service = sharedService();
const editor = service.client("editor");

type Whole = SeismicEvent & { bulletin?: Bulletin; source_count?: number; source_events?: unknown };

const { sha256, counts } = sealBulletin(smallBulletin());
const bulletins = new Map<string, Bulletin>();
let created: CreatedCatalogue;
let path: string;
/** The address of the event that has `smallBulletin()`. */
let small: string;
let listed: Whole[];

/** As it is read back: members stand in another order then. */
const read = (bulletin: Bulletin) => unpackBulletin(packBulletin(bulletin).pieces);

beforeAll(async () => {
  const { pick: _, amplitude: __, ...withoutPicks } = smallBulletin("c");
  const large = { ...withoutPicks, comment: [{ text: "尺度 ".repeat(QUICK_BULLETIN_BYTES / 4) }] };
  for (const bulletin of [smallBulletin(), smallBulletin("b"), large]) {
    bulletins.set(sealBulletin(bulletin).sha256, read(bulletin));
  }
  const events = [...bulletins.values()].map((bulletin) => ({ bulletin }));
  created = await createCatalogue(editor, {
    events: [...events, seismicEvent(), seismicEvent({ magnitude: null, time: "2020-01-01" })],
  });
  path = `/api/catalogues/${created.id}`;
  listed = await listEvents<Whole>(editor, created.id);
  small = `${path}/events/${listed.find((one) => one.bulletin_sha256 === sha256)?.id}`;
});

test("an event that is submitted with its bulletin has that one's view as its row, and tells of it", async () => {
  const { source_count: _, ...event } = listed.find((one) => one.bulletin_sha256 === sha256) ?? {};
  expect(event).toMatchObject({
    time: "2024-05-06T07:08:01.5Z",
    latitude: -41.5,
    longitude: 174.5,
    depth: 12.3,
    magnitude: 4.5,
    magnitude_type: "Mw",
    agency_id: "WEL",
    bulletin_counts: counts,
  });
  expect((await editor.get(small)).body).toEqual({ event });
  expect(created.validationReport.elements).toMatchObject({
    event: { read: 3, kept: 3, dropped: 0 },
    arrival: { read: 6, kept: 6, dropped: 0 },
    pick: { read: 4, kept: 4, dropped: 0 },
  });
});

test("the bulletin of an event is given as JSON, QuakeML and ISF, whole or in parts, one without as its row says", async () => {
  for (const [query, accept, type, text] of [
    ["?format=quakeml", "*/*", "application/xml", '<event publicID="smi:test.local/one/event/0"'],
    ["?format=quakeml&form=given&parts=pick", "*/*", "application/xml", "<pick publicID="],
    ["", "application/xml", "application/xml", "<arrival publicID="],
    ["?format=isf", "*/*", "text/plain; charset=utf-8", "BEGIN IMS2.0"],
    ["", "text/plain", "text/plain; charset=utf-8", "STOP"],
    ["", "text/html,*/*", "application/json; charset=utf-8", '"source":"bulletin"'],
  ] as const) {
    const answer = await editor.stream(`${small}/bulletin${query}`, { accept });
    const seen = [answer.status, answer.headers.get("content-type")];
    expect(seen, `${query} ${accept}`).toEqual([200, type]);
    expect(await answer.text()).toContain(text);
  }
  const bulletinOf = async (at: string, query = "") =>
    (await editor.get<BulletinAnswer>(`${at}/bulletin${query}`)).body;
  const whole = smallBulletin();
  expect(await bulletinOf(small)).toEqual({ bulletin: whole, version: 1, source: "bulletin" });
  const { bulletin: parts } = await bulletinOf(small, "?parts=Magnitude,pick");
  expect(parts).toMatchObject({ magnitude: whole.magnitude, pick: whole.pick });
  expect(parts).not.toHaveProperty("origin");
  const row = await bulletinOf(`${path}/events/${listed[0]?.id}`);
  expect(row).toMatchObject({ version: 1, source: "row" });
  expect(row.bulletin.origin).toHaveLength(1);
  for (const [query, name] of [
    ["form=given", "form"],
    ["parts=picks", "parts"],
  ] as const) {
    expectRefusal(await editor.get(`${small}/bulletin?${query}`), "VALIDATION_ERROR", name);
  }
});

test("include=bulletin adds the bulletins of events that have one, and of JSON alone", async () => {
  for (const address of [
    "events/filtered?include=bulletin",
    "events/filtered?include=source_events,bulletin&orderBy=time-asc",
    "events?include=bulletin&pageSize=5",
    "events?include=bulletin&limit=5&offset=0",
    "events?include=bulletin&pagination=cursor&direction=asc",
    "export?format=json&include=bulletin",
  ]) {
    const { events } = (await editor.get<{ events: Whole[] }>(`${path}/${address}`)).body;
    const shown = events.map((event) => event.bulletin);
    const hashes = events.map((event) => event.bulletin_sha256);
    expect(shown, address).toEqual(hashes.map((hash) => bulletins.get(hash ?? "")));
    expect(shown.filter((bulletin) => bulletin !== undefined)).toHaveLength(3);
    const others = address.replace("bulletin", "source_events");
    const without = `${path}/${others.replace("&include=source_events", "")}`;
    const { body } = await editor.get<{ events: Whole[] }>(without);
    expect(body.events, address).toEqual(events.map(({ bulletin: _, ...event }) => event));
  }
  for (const { id, bulletin_sha256: hash } of listed) {
    const one = await editor.get<{ event: Whole }>(`${path}/events/${id}?include=bulletin`);
    expect(one.body.event.bulletin).toEqual(hash && bulletins.get(hash));
  }
  for (const address of [
    ...["csv", "geojson", "parquet"].map((format) => `export?format=${format}&include=bulletin`),
    "events?include=bulletins",
  ]) {
    expectRefusal(await editor.get(`${path}/${address}`), "VALIDATION_ERROR");
  }
});

test("events are found by what they have", async () => {
  for (const [filter, count] of [
    ["has=bulletin", 3],
    ["has=picks", 2],
    ["has=picks,comments", 2],
    ["has=origins", 3],
    ["has=arrivals,magnitudes,station_magnitudes", 3],
    ["has=amplitudes", 2],
    ["has=focal_mechanisms", 0],
    ["minOrigins=1", 5],
    ["minOrigins=2", 3],
    ["minMagnitudes=1", 4],
    ["minMagnitudes=2&has=picks", 2],
    ["minMagnitudes=3", 0],
  ] as const) {
    const { body } = await editor.get<{ count: number }>(`${path}/events/filtered?${filter}`);
    expect(body.count, filter).toBe(count);
    const exported = await editor.get(`${path}/export?format=json&${filter}`);
    expect(exported.headers.get("x-export-event-count"), filter).toBe(String(count));
  }
  for (const filter of ["has=planes", "minOrigins=-1", "minMagnitudes=290472910003"]) {
    expectRefusal(await editor.get(`${path}/events/filtered?${filter}`), "VALIDATION_ERROR");
  }
});

test("an event is invalid by the member of its bulletin, or beside it, that is none", async () => {
  const bulletin = smallBulletin();
  const deep = { ...bulletin.origin?.[0], depth: { value: "deep" } };
  const submitted: readonly (readonly [string, object])[] = [
    ["bulletin.origin[0].depth.value", { bulletin: { ...bulletin, origin: [deep] } }],
    ["bulletin.origins", { bulletin: { ...bulletin, origins: [] } }],
    ["bulletin.pick", { bulletin: { ...bulletin, pick: [] } }],
    ["bulletin.publicID", { bulletin: {} }],
    ["bulletin", { bulletin: { publicID: "smi:test.local/1" } }],
    ["magnitude", { bulletin, magnitude: 5 }],
    ["depth", { bulletin, depth_km: 12.4 }],
    ["time", { bulletin, time: "2024-05-06T07:08:02Z" }],
  ];
  const events = [seismicEvent(), ...submitted.map(([, event]) => event)];
  const { invalidEvents } = (await createCatalogue(editor, { events })).validationReport;
  expect(invalidEvents.map(({ index, errors }) => [index - 1, errors])).toEqual(
    submitted.map(([field], i) => [
      i,
      expect.arrayContaining([expect.objectContaining({ field })]),
    ]),
  );
});

test("an event keeps an id and further members beside its bulletin, and may repeat what that says", async () => {
  const { event } = await oneEvent(editor, {
    ...{ id: "mine", depth: 12.3, mag: 4.5, note: "checked", bulletin_sha256: "ignored" },
    bulletin: smallBulletin(),
  });
  expect(event).toMatchObject({ source_id: "mine", bulletin_sha256: sha256 });
  expect(event.extra).toMatchObject({ note: "checked" });
  expect(event.extra).not.toHaveProperty("bulletin_sha256");
});

describe("a script of another language", () => {
  const FOREIGN = [{ ns: "urn:test", name: "é\u{1f30f}", text: " 1.0E3\n" }];

  test("computes the hash of a version with bulletins, and of each of them", async () => {
    const events = [everyMember(), tangledBulletin(), everyMember(() => FOREIGN)].map(
      (bulletin, i) => ({ bulletin: { ...bulletin, publicID: `smi:test.local/hashed/${i}` } }),
    );
    const { id } = await createCatalogue(editor, { events: [seismicEvent(), ...events] });
    const catalogue = `/api/catalogues/${id}`;
    const { body } = await editor.get<{ version: VersionRecord }>(`${catalogue}/versions/1`);
    for (const include of ["", "&include=bulletin"]) {
      const exported = `${catalogue}/export?format=json${include}`;
      const text = await (await editor.stream(exported)).text();
      expect(text.match(/"bulletin":/g)?.length ?? 0).toBe(include === "" ? 0 : 3);
      expect(text.match(/"bulletin_sha256":/g)).toHaveLength(3);
      expect(text).not.toContain("bulletin_counts");
      expect(await hashInPython(text)).toBe(body.version.sha256);
    }
  });
});

const guest = service.client("guest");
let base = "";

/** An event that is a row alone, a small bulletin and a tangled one. */
beforeAll(async () => {
  const row = seismicEvent({ magnitude_type: "Mw" });
  const { id } = await createCatalogue(editor, {
    events: [row, { bulletin: smallBulletin() }, { bulletin: tangledBulletin() }],
    is_public: true,
  });
  base = `/api/catalogues/${id}`;
});

const query = (text: string, at = base) => guest.get<string>(`${at}/fdsnws/event/1/query?${text}`);
const count = (xml: string, element: string) => xml.split(`<${element} publicID=`).length - 1;
const countsIn = (xml: string, ...elements: string[]) => elements.map((name) => count(xml, name));

async function exported(text: string): Promise<string> {
  const answer = await editor.stream(`${base}/export?${text}`);
  expect(answer.status, text).toBe(200);
  return answer.text();
}

describe("the event service, of events with bulletins", () => {
  /** Without when it was made. */
  const withoutTime = (xml: string) => xml.replace(/<creationTime>[^<]*<\/creationTime>/, "");

  test("makes an answer of rows where nothing more is asked for", async () => {
    const { body } = await query("");
    expect(body).not.toContain('origin publicID="smi:test.local');
    expect(countsIn(body, "event", "origin")).toEqual([3, 3]);
    for (const none of ["includearrivals=false", "includepicks=false&includeall=false"]) {
      const same = await query(none);
      expect(same.headers.get("etag")).not.toBeNull();
      expect(withoutTime(same.body)).toBe(withoutTime(body));
    }
  });

  test("has objects under their own ids and the event under the service's, and picks where they are wanted", async () => {
    const { body } = await query("includearrivals=true");
    expect(countsIn(body, "arrival", "pick")).toEqual([2, 2]);
    expect(body).toContain("smi:test.local/one/origin/1");
    expect(body).not.toContain("smi:test.local/one/event");
    expect(body.match(/<event publicID="smi:local\.catalogue\//g)).toHaveLength(3);
    const { body: without } = await query("includearrivals=true&includepicks=false");
    expect(countsIn(without, "arrival", "pick")).toEqual([0, 0]);
    expect(without).toContain("smi:test.local/one/origin/1");
  });

  test("answers the same of a version, of a time and to a share, and to no guest before", async () => {
    const shares = await editor.send<{ share: { url: string } }>("POST", `${base}/shares`, {});
    const share = new URL(shares.body.share.url).pathname;
    for (const at of [base, `${base}/versions/1`, `${base}/at/29990101T000000Z`, share]) {
      expect(count((await query("includeall=true", at)).body, "pick"), at).toBe(5);
    }
    const { id } = await createCatalogue(editor, { events: [{ bulletin: smallBulletin() }] });
    expect((await query("includeall=true", `/api/catalogues/${id}`)).status).toBe(401);
  });

  test("takes what is beside the rows for xml only", async () => {
    for (const format of ["text", "csv", "kml", "geojson", "json"]) {
      const all = await query(`format=${format}&includeall=true`);
      const scoped = await query(`format=${format}&magnitudescope=any&magnitudetype=ML`);
      expect([all.status, scoped.status], format).toEqual([200, 400]);
    }
  });

  test("finds and counts events by a magnitude that is not preferred, and shows that", async () => {
    const wanted = "magnitudetype=ML&minmagnitude=4.65&magnitudescope=any";
    const { body } = await query(wanted);
    expect(count(body, "event")).toBe(2);
    expect(body.match(/<value>4.7<\/value>/g)).toHaveLength(2);
    const { body: number } = await guest.get<string>(`${base}/fdsnws/event/1/count?${wanted}`);
    expect(number.trim()).toBe("2");
    expect((await query("magnitudetype=ML&minmagnitude=4.65")).status).toBe(204);
    expect((await query(wanted.replace("4.65", "4.75"))).status).toBe(204);
  });

  test("streams more events with bulletins than it reads at once, each once", async () => {
    const { id } = await createCatalogue(editor, {
      events: Array.from({ length: 1_200 }, (_, i) => ({ bulletin: smallBulletin(`${i}`) })),
      is_public: true,
    });
    const { body } = await query("includearrivals=true", `/api/catalogues/${id}`);
    expect(countsIn(body, "event", "arrival")).toEqual([1_200, 1_200]);
    expect(body.trimEnd().endsWith("</q:quakeml>")).toBe(true);
  });

  test("answers SC3ML with every event whole under the service's id, one without a bulletin as its row says", async () => {
    const { headers, body } = await query("format=sc3ml");
    expect(headers.get("content-type")).toBe("application/xml");
    const { bulletins, errors } = readScml(body);
    expect(errors).toEqual([]);
    const counts = bulletins.map((bulletin) => countElements(bulletin));
    expect(counts).toContainEqual(countElements(smallBulletin()));
    expect(counts.map(({ origin }) => origin).toSorted()).toEqual([1, 2, 3]);
    for (const { publicID } of bulletins) expect(publicID).toMatch(/^smi:local\.catalogue\//);
    expect(body).toContain(", 5 arrival.publicID");
    expect((await query("format=sc3ml&minmagnitude=9")).status).toBe(204);
  });

  test.skipIf(!hasSchema)("answers SC3ML by its schema (skipped without it)", async () => {
    expect(schemaFaults((await query("format=sc3ml")).body)).toBe("");
  });

  test("answers ISF of the events that a query selects, and 204 for none", async () => {
    const { headers, body } = await query("format=isf&maxmagnitude=5");
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(body.match(/^Event /gm)).toHaveLength(2);
    expect((await query("format=isf&minmagnitude=9")).status).toBe(204);
  });
});

describe("an export", () => {
  test("as QuakeML has every event whole, with what its references lead to or not, or as rows show it", async () => {
    for (const text of ["", "&detail=full", "&form=valid", "&detail=full&form=given"]) {
      const xml = await exported(`format=quakeml${text}`);
      const elements = ["event", "origin", "pick", "arrival", "amplitude"];
      expect(countsIn(xml, ...elements), text).toEqual([3, 6, 5, 5, 3]);
      expect(xml).toContain("smi:test.local/nowhere/1");
      expect(xml).toContain('<event publicID="smi:test.local/tangled/event/0"');
    }
    const summary = await exported("format=quakeml&detail=summary");
    expect(countsIn(summary, "event", "origin", "pick")).toEqual([3, 3, 0]);
  });

  test("as ISF has every event whole, one without a bulletin as its row says", async () => {
    const text = await exported("format=isf");
    expect(text).toMatch(/^BEGIN IMS2\.0\r?\nDATA_TYPE BULLETIN IMS1\.0:short/);
    expect(text.match(/^Event /gm)).toHaveLength(3);
    expect(text.match(/^2024\/05\/06 07:08:0/gm)).toHaveLength(5);
    expect(text.match(/^WEL {2}/gm)?.length ?? 0).toBeGreaterThanOrEqual(4);
    const answer = await editor.stream(`${base}/export`, { accept: "text/plain" });
    expect(await answer.text()).toMatch(/^#EventID/);
  });

  test("refuses a form, a detail and a table of formats that have none", async () => {
    for (const [text, field] of [
      ["format=csv&detail=summary", "detail"],
      ["format=json&form=given", "form"],
      ["format=quakeml&detail=summary&form=given", "form"],
      ["format=quakeml&form=any", "form"],
      ...["isf", "geojson", "kml", "quakeml", "text"].map((name) => [
        `format=${name}&table=picks`,
        "table",
      ]),
    ] as const) {
      const answer = await editor.get(`${base}/export?${text}`);
      expectRefusal(answer, "VALIDATION_ERROR", field);
    }
  });
});

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

const BATCH = 500;
const seeded = seededBulletins(runs(10_000, 1 / 20), 20_261_126);
let id = "";

beforeAll(async () => {
  ({ id } = await createCatalogue(editor, { events: [] }));
  for (let from = 0; from < seeded.length; from += BATCH) {
    const events = seeded.slice(from, from + BATCH).map((bulletin) => ({ bulletin }));
    const answer = await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    expect(answer.body).toMatchObject({ newEvents: events.length });
  }
});

type SeededRow = {
  readonly [name: string]: unknown;
  readonly extra: { readonly public_id: string; readonly depth?: number };
};

function expectRows(rows: readonly SeededRow[]): void {
  expect(rows).toHaveLength(seeded.length);
  const shown = new Map(rows.map((row) => [row.extra.public_id, row]));
  for (const bulletin of seeded) {
    const expected = rowByTheRules(bulletin);
    const row = shown.get(bulletin.publicID);
    const seen = Object.fromEntries(
      Object.keys(expected).map((name) => [name, row?.[name] ?? null]),
    );
    expect(seen, JSON.stringify(bulletin)).toEqual(expected);
    if (row?.["depth"] === null) expect([undefined, 6371]).toContain(row.extra.depth);
  }
}

const leadsTo = (list: readonly { publicID: string }[] = [], id?: string) =>
  list.some(({ publicID }) => publicID === id);

describe("the rows of bulletins by chance", () => {
  test("show the preferred solutions by the rules, where ids are missing or lead nowhere, and of centroids alone", async () => {
    const cases: readonly [string, (bulletin: Bulletin) => boolean][] = [
      ["no preferred origin", (one) => one.preferredOriginID === undefined],
      ["a dangling one", (one) => !leadsTo(one.origin, one.preferredOriginID)],
      ["no preferred magnitude", (one) => one.preferredMagnitudeID === undefined],
      ["a dangling one", (one) => !leadsTo(one.magnitude, one.preferredMagnitudeID)],
      ["centroids alone", hasCentroidsAlone],
    ];
    for (const [name, holds] of cases) {
      expect(seeded.filter(holds).length, name).toBeGreaterThan(seeded.length / 20);
    }
    const file = new TextDecoder().decode(await exportFile(editor, id, "json"));
    expectRows((JSON.parse(file) as { events: SeededRow[] }).events);
  });

  test("are the same where they come as QuakeML", async () => {
    const file = await exportFile(editor, id, "quakeml");
    const { data, errors } = await uploadFile(editor, file, "seeded.xml");
    expect(errors).toEqual([]);
    expectRows(data as SeededRow[]);
  });
});
