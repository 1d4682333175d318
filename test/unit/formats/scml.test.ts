import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { countElements } from "#contracts/bulletin/counts.ts";
import {
  type Bulletin,
  type Field,
  QUAKEML_TYPES,
  type QuakemlObject,
  type TypeName,
} from "#contracts/bulletin/quakeml.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { createFileReader } from "#infra/formats/files/file-reader.ts";
import { createScmlWriter } from "#infra/formats/scml/writer.ts";
import { anyBulletin as hostileBulletin } from "../../support/bulletins/any-bulletin.ts";
import { anyBulletin } from "../../support/bulletins/likely-bulletin.ts";
import { smallBulletin } from "../../support/bulletins/small-bulletin.ts";
import { readScml } from "../../support/formats/read-scml.ts";
import { sample } from "../../support/formats/sample.ts";
import { hasSchema, schemaFaults } from "../../support/formats/sc3ml-schema.ts";
import { runs } from "../../support/runs.ts";

// One event of two origins, of seven picks: two of both origins, two of each alone, and one of an
// amplitude alone. What it is read as stands beside it.
const DOCUMENT = sample("scml/one-event.scml");
const NAMESPACE = "http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.13";
const ONE_EVENT = DOCUMENT.split("\n").slice(3, -3);

/** A document with these children of EventParameters. */
function scml(children: readonly string[], version = "0.13"): string {
  const [declaration, , parameters] = DOCUMENT.split("\n");
  const namespace =
    version === "0.14"
      ? "http://geofon.gfz.de/ns/seiscomp-schema/0.14"
      : NAMESPACE.replace("0.13", version);
  const root = `<seiscomp xmlns="${namespace}" version="${version}">`;
  const end = "</EventParameters>\n</seiscomp>\n";
  return [declaration, root, parameters, ...children, end].join("\n");
}

function pick(id: string, station = "AAA"): string {
  return (ONE_EVENT[0] ?? "").replace('"p1"', `"${id}"`).replace('"AAA"', `"${station}"`);
}

const arrival = (pickId: string): string =>
  `<arrival><pickID>${pickId}</pickID><phase>P</phase></arrival>`;

/** A document with as little as SCML requires of an event and its origin. */
function plainEvent(id: string, ...children: readonly string[]): readonly string[] {
  const time = "<time><value>2024-05-06T07:08:09Z</value></time>";
  return [
    `<origin publicID="${id}-o">${time}<latitude><value>1</value></latitude>` +
      `<longitude><value>2</value></longitude>${children.join("")}</origin>`,
    `<event publicID="${id}"><originReference>${id}-o</originReference></event>`,
  ];
}

function write(...bulletins: readonly Bulletin[]): string {
  const writer = createScmlWriter();
  return writer.begin() + bulletins.map((one) => writer.event(one)).join("") + writer.end();
}

function onlyBulletin(document: string): Bulletin {
  const { bulletins, errors } = readScml(document);
  expect([errors, bulletins.length]).toEqual([[], 1]);
  return bulletins[0] as Bulletin;
}

/** Without the weights and flags that SCML has alone. */
function withoutForeign(bulletin: Bulletin): Bulletin {
  return JSON.parse(
    JSON.stringify(bulletin, (key, value) => (key === "foreign" ? undefined : value)),
  );
}

describe("an event in SCML", () => {
  it("is in every version the same event, with its row and the picks of all that it has", () => {
    const { rows, bulletins } = readScml(DOCUMENT);
    const [expected] = bulletins as [Bulletin];
    for (const minor of [7, 8, 9, 10, 11, 12, 13, 14]) {
      const read = readScml(scml(ONE_EVENT, `0.${minor}`));
      expect([read.errors, read.warnings], `0.${minor}`).toEqual([[], []]);
      expect(read.bulletins.map(withoutForeign)).toEqual([withoutForeign(expected)]);
      expect(read.rows).toEqual(rows);
      expect(BulletinBody.safeParse(read.bulletins[0]).error).toBeUndefined();
    }
    const picks = expected.pick?.map(({ publicID }) => publicID);
    expect(picks).toEqual(["p1", "p2", "p3", "p4", "p5", "p6", "p7"]);
  });

  it("is the same in whatever order its objects stand, and in whatever pieces they come", () => {
    const whole = onlyBulletin(scml(ONE_EVENT));
    const sorted = (bulletin: Bulletin) =>
      Object.fromEntries(
        Object.entries(withoutForeign(bulletin)).map(([member, value]) => [
          member,
          Array.isArray(value)
            ? value.map((item) => JSON.stringify({ ...item, arrival: undefined })).sort()
            : value,
        ]),
      );
    const order = fc.shuffledSubarray([...ONE_EVENT], { minLength: ONE_EVENT.length });
    fc.assert(
      fc.property(order, fc.integer({ min: 1, max: 300 }), (children, size) => {
        const { bulletins, errors } = readScml(scml(children), size);
        expect(errors).toEqual([]);
        expect(bulletins.map(sorted)).toEqual([sorted(whole)]);
      }),
      { numRuns: runs(100, 1 / 10) },
    );
  });

  it("counts its elements, and those that no event names as dropped", () => {
    const alone = [
      pick("alone"),
      '<amplitude publicID="b"><type>A</type><amplitude><value>1</value></amplitude></amplitude>',
    ];
    const other = '<event publicID="e2"><preferredOriginID>o2</preferredOriginID></event>';
    const { elements, warnings } = readScml(scml([...ONE_EVENT, other, ...alone]));
    expect(elements).toEqual({
      event: { read: 2, kept: 2, dropped: 0 },
      origin: { read: 2, kept: 2, dropped: 0 },
      magnitude: { read: 1, kept: 1, dropped: 0 },
      stationMagnitude: { read: 1, kept: 1, dropped: 0 },
      amplitude: { read: 2, kept: 1, dropped: 1 },
      pick: { read: 8, kept: 7, dropped: 1 },
      arrival: { read: 8, kept: 8, dropped: 0 },
      focalMechanism: { read: 1, kept: 1, dropped: 0 },
      comment: { read: 3, kept: 3, dropped: 0 },
    });
    expect(warnings).toEqual([
      expect.stringContaining("elements pick beside the events that belong to none: 1"),
      expect.stringContaining("elements amplitude beside the events that belong to none: 1"),
      expect.stringContaining("not kept: amplitude 1, pick 1"),
    ]);
  });

  it("has all amplitudes, with their picks, where the document has no other event", () => {
    const amplitude = (id: string, pickId = "") =>
      `<amplitude publicID="${id}"><type>A</type><amplitude><value>1</value></amplitude>${pickId}</amplitude>`;
    const beside = [
      amplitude("b1"),
      amplitude("b2", "<pickID>p8</pickID>"),
      pick("p8"),
      pick("alone"),
    ];
    const { bulletins, elements } = readScml(scml([...beside, ...ONE_EVENT]));
    expect(bulletins[0]?.amplitude?.map(({ publicID }) => publicID)).toEqual(["b1", "b2", "a1"]);
    expect(bulletins[0]?.pick?.some(({ publicID }) => publicID === "p8")).toBe(true);
    expect(elements?.pick).toEqual({ read: 9, kept: 8, dropped: 1 });
  });

  it("shares objects with other events, which are kept once", () => {
    const other = '<event publicID="e2"><preferredOriginID>o2</preferredOriginID></event>';
    const { bulletins, elements } = readScml(scml([...ONE_EVENT, other]));
    expect(bulletins.map(({ publicID, pick: picks }) => [publicID, picks?.length])).toEqual([
      ["e1", 7],
      ["e2", 4],
    ]);
    expect(elements).toMatchObject({
      event: { read: 2, kept: 2, dropped: 0 },
      pick: { read: 7, kept: 7, dropped: 0 },
    });
  });
});

describe("SCML as it should not be", () => {
  it("is read with a warning where its version is later than those known", () => {
    const { bulletins, warnings } = readScml(scml(ONE_EVENT, "0.15"));
    expect(bulletins).toHaveLength(1);
    expect(warnings).toEqual([expect.stringContaining("SCML 0.15")]);
  });

  it("is read with a warning where its namespace is none of SCML's", () => {
    const { bulletins, warnings } = readScml(
      scml(ONE_EVENT).replace("geofon.gfz-potsdam.de", "x.org"),
    );
    expect(bulletins).toHaveLength(1);
    expect(warnings[0]).toContain("none of SCML's");
  });

  it("gives no event of a file that is cut within one, and says where", () => {
    const document = scml(ONE_EVENT);
    const { rows, errors } = readScml(document.slice(0, document.indexOf("<originReference>")));
    expect(rows).toEqual([]);
    expect(errors).toEqual([expect.stringMatching(/^15: this event is not complete, line 15: /)]);
  });

  it("refuses entities, and documents without events' parameters", () => {
    const bomb = scml(ONE_EVENT).replace("<seiscomp", '<!DOCTYPE a [<!ENTITY b "c">]>\n<seiscomp');
    expect(readScml(bomb).errors[0]).toContain("DOCTYPE");
    const { errors, isCatalogue } = readScml('<seiscomp version="0.13"><Inventory/></seiscomp>');
    expect(errors[0]).toContain("no EventParameters");
    expect(isCatalogue).toBe(false);
  });

  it("keeps references that lead nowhere, and does not follow circles", () => {
    const amplitude =
      '<amplitude publicID="a"><type>A</type><amplitude><value>1</value></amplitude><pickID>a</pickID></amplitude>';
    const circle =
      '<stationMagnitude publicID="s"><magnitude><value>1</value></magnitude><amplitudeID>a</amplitudeID></stationMagnitude>';
    const { bulletins } = readScml(scml([amplitude, ...plainEvent("e", arrival("none"), circle)]));
    const [bulletin] = bulletins as [Bulletin];
    expect(bulletin.origin?.[0]?.arrival?.[0]?.pickID).toBe("none");
    expect(countElements(bulletin)).toMatchObject({ amplitude: 1, pick: 0, stationMagnitude: 1 });
  });

  it("keeps an amplitude without value, and an event without origin is an error", () => {
    const amplitude = '<amplitude publicID="a"><type>A</type></amplitude>';
    const magnitude =
      '<stationMagnitude publicID="s"><magnitude><value>1</value></magnitude><amplitudeID>a</amplitudeID></stationMagnitude>';
    const read = readScml(
      scml([amplitude, ...plainEvent("e", magnitude), '<event publicID="x"/>']),
    );
    expect(read.bulletins[0]?.foreign).toEqual([
      expect.objectContaining({ name: "amplitude", attributes: [{ name: "publicID", text: "a" }] }),
    ]);
    expect(read.errors).toEqual([expect.stringContaining("no origin")]);
    expect(read.elements).toMatchObject({
      event: { read: 2, kept: 1, dropped: 1 },
      amplitude: { read: 1, kept: 1, dropped: 0 },
    });
  });

  it("keeps objects that share an id in their order, however many", () => {
    const many = Array.from({ length: 4000 }, (_, i) => pick("p", `S${i}`));
    const { bulletins } = readScml(scml([...many, ...plainEvent("e", arrival("p"))]));
    const stations = bulletins[0]?.pick?.map(({ waveformID }) => waveformID.stationCode);
    expect(stations).toEqual(many.map((_, i) => `S${i}`));
  });

  it("does not let events make a large file of a small one by sharing an origin", () => {
    const text = "x".repeat(1024 * 1024);
    const [origin = ""] = plainEvent("e", `<comment><text>${text}</text></comment>`);
    const events = Array.from(
      { length: 180 },
      (_, i) => `<event publicID="e${i}"><originReference>e-o</originReference></event>`,
    );
    const { rows, errors } = readScml(scml([origin, ...events]));
    expect(rows.length).toBeGreaterThan(10);
    expect(errors.length).toBe(180 - rows.length);
    expect(errors[0]).toContain("share more objects");
  });

  it("finds each object among many that do not fit into memory", () => {
    const events = Array.from({ length: 1500 }, (_, i) => plainEvent(`e${i}`, arrival(`p${i}`)));
    const picks = Array.from({ length: 4500 }, (_, i) => pick(`p${i}`, `S${i}`));
    const { bulletins, elements } = readScml(scml([...picks, ...events.flat()]), 65_536);
    expect(bulletins.map(({ pick: picks }) => picks?.[0]?.waveformID.stationCode)).toEqual(
      Array.from({ length: 1500 }, (_, i) => `S${i}`),
    );
    expect(elements?.pick).toEqual({ read: 4500, kept: 1500, dropped: 3000 });
  });
});

describe("what SCML has alone", () => {
  it("is kept as foreign elements of its namespace", () => {
    const reading =
      '<reading publicID="r"><pickReference>p1</pickReference><amplitudeReference>a1</amplitudeReference></reading>';
    const children = ONE_EVENT.map((child) =>
      child
        .replace(
          "<type>other</type>",
          "<type>not locatable</type><typeCertainty>felt</typeCertainty>",
        )
        .replaceAll("confirmed", "reported")
        .replace("<arrival>", '<arrival preliminary="true">')
        .replace("<unit>m/s</unit>", "<unit>nm</unit>"),
    );
    const { bulletins, rows } = readScml(scml([...children, reading]));
    const [bulletin] = bulletins as [Bulletin];
    const names = bulletin.foreign?.map(({ name, text }) => [name, text]);
    expect(names).toEqual([
      ["type", "not locatable"],
      ["typeCertainty", "felt"],
      ["reading", undefined],
    ]);
    expect(bulletin.origin?.[0]?.foreign).toEqual([
      {
        ns: "http://geofon.gfz-potsdam.de/ns/seiscomp3-schema/0.13",
        name: "evaluationStatus",
        text: "reported",
      },
    ]);
    expect(bulletin.origin?.[0]?.arrival?.[0]?.foreign).toContainEqual({
      ns: "",
      name: "preliminary",
      attribute: true,
      text: "true",
    });
    expect(rows[0]).toMatchObject({ event_type: "other event" });
  });

  it("is the catalogue of an event in 0.14", () => {
    const [origin = "", event = ""] = plainEvent("e");
    const catalogue = `<catalog publicID="c" dynamic="false"><name>Swarm</name><start>2024-01-01T00:00:00Z</start>${event}</catalog>`;
    const { bulletins, errors } = readScml(scml([origin, catalogue], "0.14"));
    expect(errors).toEqual([]);
    expect(bulletins[0]).toMatchObject({
      publicID: "e",
      foreign: [
        { name: "catalog", children: [{ name: "name", text: "Swarm" }, { name: "start" }] },
      ],
    });
  });
});

const EVENTS = 500;
const PICKS = 20;
const PIECE_BYTES = 64 * 1024;
/** What events take in a step, and one more event. */
const MOST_BYTES = 320 * 1024;

const FILE = Buffer.from(
  scml([...numbers(EVENTS * PICKS).map((i) => pick(`p${i}`)), ...numbers(EVENTS).flatMap(eventOf)]),
);

function eventOf(event: number): readonly string[] {
  const arrivals = numbers(PICKS).map((i) => arrival(`p${event * PICKS + i}`));
  return plainEvent(`e${event}`, ...arrivals);
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

test("a large file in SCML gives its events in steps at its end, each whole", () => {
  let bytes = 0;
  let picks = 0;
  const ids: unknown[] = [];
  const reader = createFileReader(
    {
      row(row, _line, bulletin) {
        ids.push(row["source_id"]);
        picks += bulletin?.pick?.length ?? 0;
        bytes += JSON.stringify(bulletin).length;
      },
      error: (_, message) => expect.fail(message),
      warning: (_, message) => expect.fail(message),
    },
    { extension: "", delimiter: "auto", bulletins: true },
  );
  for (let at = 0; at < FILE.length; at += PIECE_BYTES) {
    reader.write(FILE.subarray(at, at + PIECE_BYTES));
  }
  expect(ids).toEqual([]);
  const steps: number[] = [];
  const rest = reader.end();
  for (let step = rest.next(); ; step = rest.next()) {
    steps.push(bytes);
    bytes = 0;
    if (step.done) {
      expect(step.value.elements?.["pick"]).toMatchObject({ read: EVENTS * PICKS, dropped: 0 });
      break;
    }
  }
  expect(ids).toEqual(numbers(EVENTS).map((i) => `e${i}`));
  expect(picks).toBe(EVENTS * PICKS);
  expect(steps.length).toBeGreaterThan(10);
  expect(Math.max(...steps)).toBeLessThan(MOST_BYTES);
});

/** What SCML has no place for, as SeisComP's stylesheets list it, and what they give other values. */
const NOT_HELD: { readonly [T in TypeName]?: readonly string[] } = {
  Arrival: ["comment", "horizontalSlownessWeight", "backazimuthWeight"],
  Amplitude: ["category", "evaluationStatus"],
  Magnitude: ["evaluationMode"],
  FocalMechanism: ["waveformID"],
  Origin: ["region"],
  DataUsed: ["longestPeriod"],
  MomentTensor: ["inversionType"],
};

type Arrival = QuakemlObject<"Arrival">;
type Json = { [member: string]: unknown };

/** The part of an object that SCML has a place for. */
function held(type: TypeName, object: Json): Json {
  const result: Json = {};
  for (const [member, field] of Object.entries<Field>(QUAKEML_TYPES[type])) {
    const value = object[member];
    if (value === undefined || NOT_HELD[type]?.includes(member) || field.xml === "own") continue;
    if (field.kind !== "object") result[member] = value;
    else if (!Array.isArray(value)) result[member] = held(field.type as TypeName, value as Json);
    else result[member] = value.map((item) => held(field.type as TypeName, item));
  }
  if (type === "Origin" && Array.isArray(result["originUncertainty"])) {
    result["originUncertainty"] = result["originUncertainty"].slice(0, 1);
  }
  if (type === "Arrival" && result["takeoffAngle"] !== undefined) {
    result["takeoffAngle"] = { value: (result["takeoffAngle"] as Json)["value"] };
  }
  if (type === "DataUsed") {
    result["stationCount"] ??= 0;
    result["componentCount"] ??= 0;
    if (result["waveType"] === "combined") result["waveType"] = "unknown";
  }
  if (type === "EventDescription") result["type"] ??= "region name";
  if (result["depthType"] === "constrained by depth and direct phases")
    result["depthType"] = "other";
  return result;
}

/** A bulletin in which every object has an id of its own, and all belongs to its first origin. */
function connected(bulletin: Bulletin): Bulletin {
  // SCML's times have a clock.
  const event: Bulletin = JSON.parse(
    JSON.stringify(bulletin).replaceAll('"2024-05-07"', '"2024-05-07T00:00:00Z"'),
  );
  const named = <O extends { readonly publicID: string }>(kind: string, list: readonly O[] = []) =>
    list.map((object, i) => ({ ...object, publicID: `${kind}/${i}` }));
  const origins = named("origin", event.origin);
  const [first, ...others] = origins;
  const arrival = first?.arrival?.[0];
  const picks = arrival === undefined ? [] : named("pick", event.pick);
  const arrivals = picks.map(({ publicID }) => ({ ...arrival, pickID: publicID }) as Arrival);
  const originID = first?.publicID ?? "";
  const stationMagnitudes = named("stationMagnitude", event.stationMagnitude);
  const amplitudes = named("amplitude", event.amplitude).slice(0, stationMagnitudes.length);
  const lists = {
    pick: picks,
    amplitude: amplitudes.map(({ pickID: _, ...rest }) => rest),
    origin: first === undefined ? [] : [{ ...first, arrival: arrivals }, ...others],
    magnitude: named("magnitude", event.magnitude).map((one) => ({ ...one, originID })),
    stationMagnitude: stationMagnitudes.map((one, i) => ({
      ...one,
      originID,
      amplitudeID: amplitudes[i]?.publicID ?? "none",
    })),
    focalMechanism: named("focalMechanism", event.focalMechanism),
  };
  return JSON.parse(JSON.stringify({ ...event, ...lists }, withoutEmptyLists));
}

function withoutEmptyLists(_key: string, value: unknown): unknown {
  return Array.isArray(value) && value.length === 0 ? undefined : value;
}

function lossesIn(xml: string): readonly string[] {
  return /<!-- not held by SC3ML 0\.13: (.*) -->/.exec(xml)?.[1]?.split(", ") ?? [];
}

/** A bulletin as it compares: without foreign elements, ids of arrivals and empty lists. */
function compared(bulletin: Bulletin): unknown {
  return JSON.parse(
    JSON.stringify(held("Event", bulletin as Json), (key, value) => {
      if (key === "arrival") return value.map((one: Json) => ({ ...one, publicID: undefined }));
      return withoutEmptyLists(key, value);
    }),
  );
}

describe("a bulletin that goes through SCML", () => {
  it("comes back with the values that SCML has a place for, and with as many elements", () => {
    fc.assert(
      fc.property(anyBulletin.map(connected), (bulletin) => {
        const { bulletins, errors } = readScml(write(bulletin));
        const [back] = bulletins;
        if (back === undefined) return void expect(errors).toHaveLength(1);
        expect(compared(back)).toEqual(compared(bulletin));
      }),
      { numRuns: runs(200, 1 / 10) },
    );
  });

  it("is told as lost element by element", () => {
    const arrivals = (bulletin: Bulletin) =>
      bulletin.origin?.flatMap(({ arrival = [] }) => arrival);
    fc.assert(
      fc.property(anyBulletin.map(connected), (bulletin) => {
        const losses = lossesIn(write(bulletin));
        const comments = arrivals(bulletin)?.reduce(
          (sum, one) => sum + (one.comment?.length ?? 0),
          0,
        );
        expect(losses.find((loss) => loss.endsWith(" arrival.comment"))).toBe(
          comments ? `${comments} arrival.comment` : undefined,
        );
        const ids = arrivals(bulletin)?.length;
        expect(losses.find((loss) => loss.endsWith(" arrival.publicID"))).toBe(
          ids ? `${ids} arrival.publicID` : undefined,
        );
      }),
      { numRuns: runs(50) },
    );
  });

  it("is the same after another time, with what SCML has alone", () => {
    const [first] = readScml(scml(ONE_EVENT)).bulletins as [Bulletin];
    const xml = write(first);
    expect(lossesIn(xml)).toEqual([]);
    const [second] = readScml(xml).bulletins as [Bulletin];
    expect(second).toEqual(first);
    expect(countElements(second)).toEqual(countElements(first));
  });

  it("gives two events that share an object its only copy", () => {
    const [first] = readScml(scml(ONE_EVENT)).bulletins as [Bulletin];
    const other = { ...first, publicID: "e2" };
    const xml = write(first, other);
    expect(lossesIn(xml)).toEqual([]);
    expect(xml.match(/<pick /g)).toHaveLength(7);
    const { bulletins } = readScml(xml);
    expect(bulletins.map((one) => countElements(one))).toEqual([
      countElements(first),
      countElements(first),
    ]);
  });
});

describe.skipIf(!hasSchema)("SC3ML 0.13 against its schema (skipped without it)", () => {
  it("is valid for any bulletins", () => {
    const bulletins = fc.sample(anyBulletin, { numRuns: runs(500, 1 / 10), seed: 1 });
    expect(schemaFaults(write(...bulletins))).toBe("");
  });

  it("is valid for bulletins with any texts and foreign elements", () => {
    const bulletins = fc.sample(hostileBulletin, { numRuns: runs(200, 1 / 10), seed: 2 });
    expect(schemaFaults(write(...bulletins))).toBe("");
  });

  it("is valid without events", () => {
    expect(schemaFaults(write())).toBe("");
  });
});

describe("what is written of an event", () => {
  it("puts magnitudes into their origins and refers to the origins", () => {
    const xml = write(smallBulletin());
    expect(xml).toMatch(
      /<origin publicID="[^"]*origin\/1">.*<magnitude publicID="[^"]*magnitude\/1">/,
    );
    expect(xml.match(/<originReference>/g)).toHaveLength(2);
  });
});
