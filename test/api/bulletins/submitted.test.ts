import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import type { VersionRecord } from "#contracts/http/versions.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import {
  packBulletin,
  QUICK_BULLETIN_BYTES,
  unpackBulletin,
} from "#infra/bulletins/packed-bulletin.ts";
import { sealBulletin } from "#infra/bulletins/seal-bulletin.ts";
import {
  type CreatedCatalogue,
  createCatalogue,
  seismicEvent,
} from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { hashInPython } from "../../support/api/hash-in-python.ts";
import { type BulletinAnswer, listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = clientOf(service, "editor");

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
