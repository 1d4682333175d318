import { SaxesParser } from "saxes";
import { beforeAll, describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import type { UploadResult } from "#contracts/http/uploads.ts";
import { createCatalogue } from "../../support/api/catalogue.ts";
import {
  arrivalsOf,
  catalogueOfFile,
  keepFile,
  type WholeEvent,
  wholeEvents,
} from "../../support/api/events-of-file.ts";
import { fileForm } from "../../support/api/file-form.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal, type RefusalBody } from "../../support/api/refusal.ts";
import { createFromFile, exportWhole } from "../../support/api/whole-documents.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { tangledBulletin } from "../../support/bulletins/tangled-bulletin.ts";
import { documentOf, eventOf, originOf } from "../../support/formats/quakeml-documents.ts";
import { sample } from "../../support/formats/sample.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
/** A catalogue of three bulletins, exported as each format that can hold them. */
let base = "";
beforeAll(async () => {
  // ISF has the last part of an id alone.
  const events = ["a", "b", "c"].map((name) => ({
    bulletin: { ...smallBulletin(name), publicID: `smi:test.local/event/${name}` },
  }));
  const { id } = await createCatalogue(editor, { events, is_public: true });
  base = `/api/catalogues/${id}`;
});

type Row = { readonly bulletin?: Bulletin };

const GEONET = sample("quakeml/geonet.xml");
const EVENT = /<event [\s\S]*?<\/event>/g;
const exported = async (address: string) => (await editor.stream(`${base}/${address}`)).text();

const upload = (content: string, fileName: string) =>
  editor.send<UploadResult & RefusalBody>(
    "POST",
    "/api/upload?include=bulletin",
    fileForm(content, { fileName }),
  );

const catalogueOf = (content: string, fileName: string) =>
  catalogueOfFile(editor, content, fileName);

type Sample = {
  readonly format: string;
  readonly fileName: string;
  readonly content: () => string | Promise<string>;
  /** Of each event, the oldest first, what its row has. */
  readonly rows: readonly object[];
  /** The phases and times of the first event's picks. */
  readonly readings: readonly (readonly [string, string])[];
};

const SMALL = { time: "2024-05-06T07:08:01.5Z", latitude: -41.5, depth: 12.3, magnitude: 4.5 };
const EXPORTED = [
  ["quakeml", "events.xml", "export?format=quakeml"],
  ["scml", "events.scml", "fdsnws/event/1/query?format=sc3ml"],
  ["json", "events.json", "export?format=json&include=bulletin"],
  ["isf", "events.isf", "export?format=isf"],
] as const;

/** Files of several whole events, under the names that their programs give them; readers' own tests have all of their columns. */
const SAMPLES: readonly Sample[] = [
  ...EXPORTED.map(([format, fileName, address]) => ({
    format,
    fileName,
    content: () => exported(address),
    rows: [SMALL, SMALL, SMALL],
    readings: [
      ["P", "2024-05-06T07:08:11.25Z"],
      ["S", "2024-05-06T07:08:12.25Z"],
    ] as const,
  })),
  {
    format: "isf",
    fileName: "isc.txt",
    content: () => sample("isf/extended.isf"),
    rows: [
      {
        source_id: "600516598",
        time: "2024-05-06T23:59:52.25Z",
        depth: 25.1,
        magnitude: 5.3,
        magnitude_type: "mb",
        agency_id: "ISC",
        bulletin: { preferredOriginID: "99" },
        focal_mechanisms: [{ momentTensor: { scalarMoment: 1.25e17, clvd: 0.1 } }],
      },
    ],
    readings: [
      ["Sg", "2024-05-07T00:00:20.5Z"],
      ["Pn", "2024-05-06T23:59:59.125Z"],
      ["Sn", "2024-05-07T00:00:20.5Z"],
    ],
  },
  {
    format: "isf",
    fileName: "reb.dat",
    content: () => sample("isf/first.isf"),
    rows: [
      { source_id: "4021", time: "2000-01-01T00:01:00.00Z", magnitude: 3.4, author: "IDC_REB" },
      { source_id: "4022", time: "2000-01-02T01:02:03.00Z", magnitude: null },
    ],
    readings: [
      ["P", "2000-01-01T23:59:58.000Z"],
      ["S", "2000-01-01T00:01:30.250Z"],
    ],
  },
  {
    format: "ndk",
    fileName: "events.txt",
    content: () => sample("ndk/andes.ndk") + sample("ndk/ridge.ndk"),
    rows: [
      { source_id: "B202012312359A", depth: -1.1, magnitude: 5, magnitude_type: "Mwc" },
      {
        source_id: "C202106092050A",
        time: "2021-06-09T20:50:46.0Z",
        bulletin: { origin: [{ type: "hypocenter" }, { type: "centroid" }] },
        focal_mechanisms: [{ momentTensor: { scalarMoment: 5.035e17 } }],
      },
    ],
    readings: [],
  },
  {
    format: "nonlinloc",
    fileName: "last.hyp",
    content: () => sample("nonlinloc/version-7.hyp") + sample("nonlinloc/version-6.hyp"),
    rows: [
      { time: "2020-12-09T16:38:00.000Z", evaluation_status: "rejected", magnitude: 1.7 },
      { source_id: "17", depth: 8.25, horizontal_uncertainty: 2.75, azimuthal_gap: 197 },
    ],
    readings: [["P", "2020-12-09T16:38:19.3339Z"]],
  },
  {
    format: "hypodd",
    fileName: "events.pha",
    content: () => sample("hypodd/phases.pha"),
    rows: [
      { source_id: "20202331", time: "2024-03-01T00:00:00.000000Z", depth: 9.408, magnitude: 3.5 },
      { source_id: "7", time: "2025-05-14T15:43:05.28Z", depth: -0.774, magnitude: null },
      { source_id: "8", depth: 12, magnitude: null },
    ],
    readings: [
      ["P", "2024-03-01T00:00:03.521999Z"],
      ["S", "2024-03-01T00:00:05.862000Z"],
    ],
  },
  {
    format: "nordic",
    fileName: "collect.out",
    content: () => sample("nordic/old.nor") + sample("nordic/new.nor"),
    rows: [
      {
        time: "2021-01-03T03:45:23.9Z",
        latitude: -60.109,
        magnitude: -0.7,
        focal_mechanisms: [{ momentTensor: { scalarMoment: 1.6e16 } }],
      },
      { source_id: "20240229235954", time: "2024-02-29T23:59:54.912Z", event_type: "explosion" },
    ],
    readings: [
      ["P", "2021-01-03T03:45:26.970Z"],
      ["S", "2021-01-03T03:46:00.600Z"],
    ],
  },
];

test("a file of whole events makes a catalogue of them, whose JSON makes the same, and is found by its content; cut in a line, it gives whole events alone, and says where it ends", async () => {
  for (const { format, fileName, content, rows, readings } of SAMPLES) {
    const text = await content();
    const made = await catalogueOf(text, fileName);
    expect(made.upload, fileName).toMatchObject({ format, rowCount: rows.length, errors: [] });
    expect(made.events, fileName).toMatchObject(rows);
    const arrivals = await arrivalsOf(editor, made.id, made.events[0]?.id ?? "");
    const phases = arrivals.map(({ phase, time }) => [phase, time]);
    expect(phases, fileName).toEqual(readings);
    const { elements = {} } = made.created.validationReport;
    for (const { dropped } of Object.values(elements)) expect(dropped, fileName).toBe(0);
    expect(elements["event"]?.kept, fileName).toBe(rows.length);

    const json = `/api/catalogues/${made.id}/export?format=json&include=bulletin`;
    const again = await catalogueOf(await (await editor.stream(json)).text(), "again.json");
    const hashesOf = (events: readonly WholeEvent[]) =>
      events.map((one) => one.bulletin_sha256).sort();
    expect(hashesOf(again.events), fileName).toEqual(hashesOf(made.events));

    const { data, ...named } = (await upload(text, "events.csv")).body;
    expect(named, fileName).toMatchObject({ format, errors: [] });
    const bulletins = (data as Row[]).map(({ bulletin }) => bulletin);
    for (const { bulletin } of made.events) expect(bulletins, fileName).toContainEqual(bulletin);

    const stop = text.indexOf("\nSTOP");
    const at = Math.floor((stop < 0 ? text.length : stop) * 0.75);
    const next = text.indexOf("\n", at);
    const from = text.lastIndexOf("\n", at - 1) + 1;
    const length = next < 0 ? at : Math.floor((from + next) / 2);
    const { status, body } = await upload(text.slice(0, length), "events");
    const errors = status === 200 ? body.errors : body.details;
    const inLine = expect.objectContaining({ line: expect.any(Number) });
    expect(errors, fileName).toContainEqual(inLine);
    const whole = (status === 200 ? body.data : []) as Row[];
    expect(whole.length, fileName).toBeLessThan(data.length);
    for (const row of whole) expect(data, fileName).toContainEqual(expect.objectContaining(row));
  }
});

test("relocations of hypoDD come to the events with their ids as new origins, in one version", async () => {
  const { id, events: before } = await catalogueOf(sample("hypodd/phases.pha"), "events.pha");
  const add = async () => {
    const { uploadId } = await keepFile(editor, sample("hypodd/relocated.reloc"), "events.reloc");
    const form = { uploadId, updateExisting: true };
    return (await editor.send("POST", `/api/catalogues/${id}/events`, form)).body;
  };
  expect(await add()).toMatchObject({ version: 2, newEvents: 0, updatedEvents: 2 });
  const [first, second, third] = await wholeEvents(editor, id);
  expect(first).toMatchObject({
    source_id: "20202331",
    time: "2024-03-01T00:01:00.000Z",
    depth: 9.25,
    depth_uncertainty: 0.3,
    magnitude: 3.5,
  });
  expect(second).toMatchObject({ source_id: "7", depth: -0.774, magnitude: null });
  expect(third).toEqual(before.find(({ source_id }) => source_id === "8"));
  for (const event of [first, second]) {
    const former = before.find(({ source_id }) => source_id === event?.source_id);
    const [old, added, ...others] = event?.bulletin.origin ?? [];
    expect([[old], others]).toEqual([former?.bulletin.origin, []]);
    expect(event?.bulletin.preferredOriginID).toBe(added?.publicID);
    expect(event?.bulletin.pick).toEqual(former?.bulletin.pick);
  }
  expect(await add()).toMatchObject({ version: 2, updatedEvents: 0 });
});

test("faulty records are told by line, and the others make events", async () => {
  const [andes, ridge] = [sample("ndk/andes.ndk"), sample("ndk/ridge.ndk")];
  const noDay = andes.replace("2021/06/09", "2021/06/31");
  const short = andes.split("\n").toSpliced(3, 1).join("\n");
  const read = await catalogueOf(short + ridge + noDay + andes, "events.ndk");
  expect(read.upload.errors).toEqual([
    { line: 4, message: expect.stringContaining("an event has 5 lines, this one has 4") },
    { line: 10, message: "there is no time of the calendar in columns 6 to 26" },
  ]);
  expect(read.events.map(({ source_id }) => source_id)).toEqual([
    "B202012312359A",
    "C202106092050A",
  ]);
  expect(read.upload.elements?.["event"]).toEqual({ read: 4, kept: 2, dropped: 2 });
  // What is dropped with an event is counted too, and bulletins are shown where they are asked for.
  const noOrigin = GEONET.replace(/<origin [\s\S]*?<\/origin>/, "");
  const { elements, data } = (await upload(noOrigin, "events.xml")).body;
  expect(elements?.["event"]).toMatchObject({ dropped: 1 });
  expect(elements?.["pick"]?.dropped).toBeGreaterThan(0);
  expect(data.every((row) => "bulletin" in row)).toBe(true);
  const form = fileForm(GEONET, { fileName: "events.xml" });
  const plain = await editor.send<UploadResult>("POST", "/api/upload", form);
  expect(plain.body.data.some((row) => "bulletin" in row)).toBe(false);
});

test("a bulletin comes back from ISF, within its columns where it was given as QuakeML", async () => {
  const isfOf = async (id: string) =>
    (await editor.stream(`/api/catalogues/${id}/export?format=isf`)).text();
  const isc = await catalogueOf(sample("isf/extended.isf"), "isc.txt");
  const back = await catalogueOf(await isfOf(isc.id), "again.isf");
  expect(back.events.map(({ bulletin }) => bulletin)).toEqual([isc.events[0]?.bulletin]);
  // What phase information alone says has no columns in what is written; it is counted.
  const reb = await catalogueOf(sample("isf/first.isf"), "reb.dat");
  expect(await isfOf(reb.id)).toContain("(not written: 1 of arrival, 1 of pick)");

  const { id } = await createCatalogue(editor, { events: [{ bulletin: tangledBulletin() }] });
  const file = await isfOf(id);
  const again = await catalogueOf(file, "again.isf");
  expect(again.upload.errors).toEqual([]);
  const inColumns = ([event]: readonly WholeEvent[]) => {
    const { origin = [], magnitude = [] } = event?.bulletin ?? {};
    return {
      row: [event?.time, event?.latitude, event?.depth, event?.magnitude, event?.region],
      origins: origin.map(({ time, latitude, longitude, depth, type }) => [
        time.value.slice(0, 21),
        latitude.value,
        longitude.value,
        depth?.value,
        type === "centroid",
      ]),
      magnitudes: magnitude.map(({ mag, type }) => [type, mag.value]),
    };
  };
  expect(inColumns(again.events)).toEqual(inColumns(await wholeEvents(editor, id)));
  // Two arrivals of which one has a pick, and the other origin's.
  const counts = { origins: 3, magnitudes: 2, arrivals: 2 };
  expect(again.events[0]?.bulletin_counts).toMatchObject(counts);
  expect(file.split("\nSTOP\n")[1]).toMatch(/\(not written: .*\b1 of arrival\b/);
});

test("real-time documents and those of earlier versions are read as one of today", async () => {
  const objects: string[] = [];
  const OBJECT =
    /<(pick|amplitude|stationMagnitude|magnitude|origin) publicID="([^"]*)"[\s\S]*?<\/\1>/g;
  /** The events as real-time documents have them; what they name stands beside them. */
  const events = (GEONET.match(EVENT) ?? []).map((event) =>
    event.replace(OBJECT, (object, kind: string, id: string) => {
      objects.push(object);
      const isNamed = kind === "origin" || kind === "magnitude";
      return isNamed ? `<${kind}Reference><${kind}ID>${id}</${kind}ID></${kind}Reference>` : "";
    }),
  );
  const parameters = (content: readonly string[]) =>
    `<eventParameters publicID="smi:nz.org.geonet/NA">\n${content.join("\n")}\n</eventParameters>`;
  const realTime = (...content: readonly string[]) =>
    '<q:quakeml xmlns:q="http://quakeml.org/xmlns/quakeml-rt/1.2" xmlns="http://quakeml.org/xmlns/bed-rt/1.2">' +
    `${parameters(content)}</q:quakeml>`;
  const earlier = (version: string) =>
    `<quakeml xmlns="http://quakeml.org/xmlns/quakeml/${version}">` +
    `${parameters(GEONET.match(EVENT) ?? [])}</quakeml>`;
  const half = Math.ceil(objects.length / 2);
  const { data, elements } = (await upload(GEONET, "events.xml")).body;
  expect(data).toHaveLength(2);
  for (const [name, document] of [
    ["objects before the events", realTime(...objects, ...events)],
    ["objects after the events", realTime(...events, ...objects)],
    ["both", realTime(...objects.slice(0, half), ...events, ...objects.slice(half))],
    ["1.0", earlier("1.0")],
    ["1.1", earlier("1.1")],
  ] as const) {
    expect((await upload(document, "events.xml")).body, name).toMatchObject({ data, elements });
  }
});

describe("a file with every member of QuakeML, and foreign parts on every type,", () => {
  const ATTRIBUTES = ["urn:a", "urn:b"].map((ns) => ({
    ...{ ns, name: "mark", attribute: true, text: ns },
  }));
  /** Five deep, of three namespaces and QuakeML's own. */
  const NESTED = [1, 2, 3, 4].reduce<object>(
    (child, level) => ({ ns: `urn:level:${level % 3}`, name: "level", children: [child] }),
    { ns: "http://quakeml.org/xmlns/quakeml/1.2", name: "core", text: "5" },
  );

  /** The document with the children of each element in the opposite order. */
  function reversed(xml: string): string {
    const escaped = (text: string) =>
      text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
    const parser = new SaxesParser({ xmlns: true });
    const open: string[][] = [[]];
    const starts: string[] = [];
    parser.on("opentag", ({ name, attributes }) => {
      const texts = Object.values(attributes).map((one) => ` ${one.name}="${escaped(one.value)}"`);
      starts.push(`<${name}${texts.join("")}>`);
      open.push([]);
    });
    parser.on("text", (text) => open.at(-1)?.push(escaped(text)));
    parser.on("closetag", ({ name }) => {
      const children = open.pop() ?? [];
      open.at(-1)?.push(`${starts.pop()}${children.reverse().join("")}</${name}>`);
    });
    parser.write(xml).close();
    return open.flat().join("");
  }

  async function wholeOf(id: string) {
    const [event] = await listEvents(editor, id);
    return { xml: await exportWhole(editor, id, "given"), sha256: event?.bulletin_sha256 };
  }

  /** The event alone: what stands around it names the catalogue. */
  const eventOf = (xml: string) => xml.slice(xml.indexOf("<event "), xml.indexOf("</event>"));

  test("comes back to the byte, with the same hash, and with every leaf where its members stand in the opposite order", async () => {
    const bulletin = everyMember((type) =>
      type === "WaveformStreamID" ? ATTRIBUTES : [...ATTRIBUTES, NESTED],
    );
    const { id } = await createCatalogue(editor, { events: [{ bulletin }] });
    const given = await wholeOf(id);
    const leaves = leavesOf(given.xml);
    expect(leaves.filter((leaf) => leaf.includes("{urn:level:")).length).toBeGreaterThan(20);
    const { id: copy, validationReport } = await createFromFile(editor, given.xml);
    for (const one of Object.values(validationReport.elements ?? {})) expect(one.dropped).toBe(0);
    const again = await wholeOf(copy);
    expect(eventOf(again.xml)).toBe(eventOf(given.xml));
    expect(again.sha256).toBe(given.sha256);

    const backwards = reversed(given.xml);
    expect(leavesOf(backwards)).toEqual(leaves);
    const { id: other } = await createFromFile(editor, backwards);
    expect(leavesOf((await wholeOf(other)).xml)).toEqual(leaves);
  });
});

const MANY = 1_000_000;
let event: Awaited<ReturnType<typeof oneEvent>>;
beforeAll(async () => {
  event = await oneEvent(editor, { bulletin: smallBulletin() });
});

const many = (piece: (i: number) => string) =>
  Array.from({ length: MANY }, (_, i) => piece(i)).join("");
const beside = (content: string) =>
  documentOf(
    eventOf(`${originOf()}<x:a xmlns:x="urn:x">${content}</x:a>`, 'publicID="smi:x.y/hostile"'),
    eventOf(originOf(), 'publicID="smi:x.y/good"'),
  );

const HOSTILE: readonly (readonly [string, () => string])[] = [
  ["elements 1,000 deep", () => beside("<x:b>".repeat(1000) + "</x:b>".repeat(1000))],
  ["a million attributes", () => beside(`<x:b ${many((i) => `a${i}="" `)}/>`)],
  ["a million siblings", () => beside("<x:b/>".repeat(MANY))],
  [
    "entities that multiply",
    () => `<!DOCTYPE q [<!ENTITY a "&b;&b;"><!ENTITY b "lol">]>${beside("&a;")}`,
  ],
  [
    "SCML with elements 1,000 deep",
    () =>
      `<seiscomp xmlns="http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.11" version="0.11"><EventParameters>${"<event>".repeat(1000)}`,
  ],
  [
    "JSON 1,000 deep",
    () => `[{"time":"2020-01-01","bulletin":${'{"a":'.repeat(1000)}1${"}".repeat(1000)}}]`,
  ],
];

test("a hostile file is refused or counted, while others are served", async () => {
  const { path } = event;
  for (const [name, content] of HOSTILE) {
    const before = await editor.get(`${path}?include=bulletin`);
    const form = fileForm(content(), { fileName: "events.xml" });
    const uploading = editor.send<UploadResult>("POST", "/api/upload?include=bulletin", form);
    for (let i = 0; i < 5; i++) expect((await editor.get(path)).status).toBe(200);
    const { status, headers, body } = await uploading;
    if (status !== 200) expectRefusal({ status, headers, body }, "PARSE_ERROR");
    else {
      expect(body.errorCount, name).toBeGreaterThan(0);
      const ids = body.data.map((row) => row["source_id"]);
      expect(["", "good"], name).toContain(ids.join());
    }
    expect(await editor.get(`${path}?include=bulletin`)).toMatchObject({ body: before.body });
  }
});

test("a bulletin that is too deep or has members named like the language's own is refused; foreign elements may be named so", async () => {
  const { send, bulletin } = event;
  const small = JSON.stringify({ bulletin: smallBulletin() });
  for (const body of [
    { bulletin: { ...smallBulletin(), foreign: deepForeign(1000) } },
    { bulletin: { ...smallBulletin(), constructor: { prototype: {} } } },
    small.replace('{"bulletin":{', '{"bulletin":{"__proto__":{"type":"explosion"},'),
  ]) {
    expect([400, 413]).toContain((await send("PUT", "/bulletin", body)).status);
  }
  expect((await bulletin()).version).toBe(1);
  const foreign = ["__proto__", "constructor", "toString"].map((name) => ({ ns: "urn:x", name }));
  const named = await oneEvent(editor, { bulletin: { ...smallBulletin("named"), foreign } });
  expect((await named.bulletin()).bulletin.foreign).toEqual(foreign);
});

describe("references of a bulletin that lead in circles", () => {
  test("are kept, shown, exported and deleted", async () => {
    const same = "smi:test.local/circle/1";
    const bulletin: Bulletin = {
      publicID: same,
      preferredOriginID: same,
      preferredMagnitudeID: same,
      preferredFocalMechanismID: same,
      origin: (smallBulletin().origin ?? []).slice(0, 1).map((one) => ({
        ...one,
        publicID: same,
        arrival: [{ publicID: same, pickID: same, phase: "P" }],
      })),
      magnitude: [
        {
          publicID: same,
          originID: same,
          mag: { value: 4 },
          stationMagnitudeContribution: [{ stationMagnitudeID: same }],
        },
      ],
      stationMagnitude: [{ publicID: same, originID: same, amplitudeID: same, mag: { value: 4 } }],
      amplitude: [{ publicID: same, pickID: same, genericAmplitude: { value: 1 } }],
      focalMechanism: [
        {
          publicID: same,
          triggeringOriginID: same,
          momentTensor: [{ publicID: same, derivedOriginID: same, momentMagnitudeID: same }],
        },
      ],
    };
    const circle = await oneEvent(editor, { bulletin });
    expect((await circle.bulletin()).bulletin).toEqual(bulletin);
    for (const address of [
      "export?format=quakeml",
      "export?format=isf",
      "fdsnws/event/1/query?includeall=true",
      "fdsnws/event/1/query?includeallmagnitudes=true&includestationmagnitudes=true",
    ]) {
      const answer = await editor.stream(`${circle.catalogue}/${address}`);
      expect([address, answer.status]).toEqual([address, 200]);
      expect(await answer.text()).not.toBe("");
    }
    const solution = `/solutions/magnitude/${encodeURIComponent(same)}`;
    const deleted = await circle.send("DELETE", `${solution}?cascade=true`);
    expect(deleted.body).toMatchObject({ deleted: [{ kind: "magnitude", publicID: same }] });
  });

  test("and one id many times, are read", async () => {
    const COUNT = 50_000;
    const arrival =
      '<arrival publicID="smi:x.y/a"><pickID>smi:x.y/a</pickID><phase>P</phase></arrival>';
    const file = documentOf(eventOf(originOf(arrival.repeat(COUNT), "smi:x.y/a")));
    const { id } = await createFromFile(editor, file);
    const counts = { bulletin_counts: { arrivals: COUNT } };
    expect(await listEvents(editor, id)).toMatchObject([counts]);
  });
});

function deepForeign(levels: number): object[] {
  const one = { ns: "urn:x", name: "a" };
  return [levels === 0 ? one : { ...one, children: deepForeign(levels - 1) }];
}
