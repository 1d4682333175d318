import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createWholeQuakemlWriter } from "#infra/formats/quakeml/writing/bulletin-writer.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/writing/row-writer.ts";
import { exportRowOf } from "../../support/export-row.ts";
import { exportedCatalogue } from "../../support/formats/exported.ts";
import {
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../support/formats/quakeml-documents.ts";
import {
  hasQuakemlFiles,
  hasQuakemlSchema,
  QUAKEML_FILES,
  quakemlFaults,
} from "../../support/formats/quakeml-schema.ts";
import { cutAt, readQuakeml } from "../../support/formats/readers.ts";
import { anyBulletin } from "../../support/quakeml/any-bulletin.ts";
import { everyMember } from "../../support/quakeml/every-member.ts";
import { leavesOf } from "../../support/quakeml/leaves.ts";
import { runs } from "../../support/runs.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";
const OWN = 'xmlns:ec="urn:earthquake-catalogue:1.0"';

const readWhole = (text: Iterable<string>) => readQuakeml(text, { bulletins: true });

/** The bulletin of the first event. */
function bulletinOf(text: string): Bulletin {
  const { bulletins, errors } = readWhole(text);
  expect(errors).toEqual([]);
  return bulletins[0] as Bulletin;
}

const whole = (content: string, attributes?: string) =>
  bulletinOf(documentOf(eventOf(content, attributes)));

describe("the whole event", () => {
  it("has picks, arrivals and comments, with numbers as numbers and times as given", () => {
    const arrival =
      '<arrival publicID="smi:x.y/a1"><pickID> smi:x.y/p1 </pickID><phase> Pn</phase>' +
      "<timeResidual>1.0E3</timeResidual><timeWeight>-0.0</timeWeight></arrival>";
    const pick =
      '<pick publicID="smi:x.y/p1"><comment id="smi:x.y/c1"><text> a\nb </text></comment>' +
      "<time><value>2024-01-01T00:00:01.120</value><uncertainty>0.10</uncertainty></time>" +
      '<waveformID networkCode="NZ" stationCode="WEL" channelCode="HHZ"> smi:x.y/s </waveformID>' +
      "<onset>impulsive</onset></pick>";
    expect(whole(pick + originOf(arrival))).toMatchObject({
      publicID: "smi:x.y/ev1",
      pick: [
        {
          comment: [{ id: "smi:x.y/c1", text: " a\nb " }],
          time: { value: "2024-01-01T00:00:01.120", uncertainty: 0.1 },
          waveformID: {
            networkCode: "NZ",
            stationCode: "WEL",
            channelCode: "HHZ",
            resourceURI: "smi:x.y/s",
          },
          onset: "impulsive",
        },
      ],
      origin: [
        {
          arrival: [{ pickID: "smi:x.y/p1", phase: " Pn", timeResidual: 1000, timeWeight: 0 }],
        },
      ],
    });
  });

  it("keeps what has no place or no value as foreign, with a warning", () => {
    for (const [content, name, text] of [
      ["<evaluationMode>a</evaluationMode>", "evaluationMode", "a"],
      ["<methodID/><earthModelID/><depth><value>INF</value></depth>", "depth", undefined],
      [`<region>${"x".repeat(129)}</region>`, "region", "x".repeat(129)],
      ["<timeFixed>perhaps</timeFixed>", "timeFixed", "perhaps"],
      ["<color>red</color>", "color", "red"],
    ] as const) {
      const document = documentOf(eventOf(originOf(content)));
      const told = readWhole(document);
      const [origin] = told.bulletins[0]?.origin ?? [];
      expect(origin).not.toHaveProperty(name);
      expect(origin?.foreign, content).toMatchObject([{ ns: BED, name, ...(text && { text }) }]);
      expect(told.warnings.at(-1)).toContain("kept as foreign (1)");
      expect(told.rows).toEqual(readQuakeml(document).rows);
    }
  });

  it("keeps the first of two preferred ids, and the second as foreign", () => {
    const ids = ["or1", "or2"].map((id) => `<preferredOriginID>smi:x.y/${id}</preferredOriginID>`);
    expect(whole(ids.join("") + originOf())).toMatchObject({
      preferredOriginID: "smi:x.y/or1",
      foreign: [{ ns: BED, name: "preferredOriginID", text: "smi:x.y/or2" }],
    });
  });

  it("keeps an object that lacks a required number as foreign, as a whole", () => {
    const magnitude = magnitudeOf("INF", "ML");
    const bulletin = whole(originOf() + magnitude);
    expect(bulletin.magnitude).toBeUndefined();
    expect(bulletin.foreign).toEqual([
      {
        ns: BED,
        name: "magnitude",
        attributes: [{ name: "publicID", text: "smi:x.y/ma1" }],
        children: [
          { ns: BED, name: "type", text: "ML" },
          { ns: BED, name: "mag", children: [{ ns: BED, name: "value", text: "INF" }] },
        ],
      },
    ]);
  });

  it("gives ids to objects without one, the same each time", () => {
    const text = documentOf(
      eventOf("<pick><time><value>2024-01-01T00:00:00Z</value></time></pick>".repeat(2), ""),
    ).replace("</event>", `${originOf()}</event>`);
    const bulletin = bulletinOf(text);
    expect(bulletin.pick).toMatchObject([
      { waveformID: { networkCode: "", stationCode: "" } },
      { waveformID: { networkCode: "", stationCode: "" } },
    ]);
    const ids = [bulletin, ...(bulletin.pick ?? [])].map(({ publicID }) => publicID);
    expect(new Set(ids).size).toBe(3);
    expect(bulletinOf(text)).toEqual(bulletin);
    expect(readWhole(text).rows[0]).not.toHaveProperty("source_id");
  });

  it("keeps foreign elements and attributes by their namespaces, wherever these are declared", () => {
    const foreign =
      '<a:one xmlns:a="urn:a" k="1" a:l="2"><two xmlns="urn:b">t<a:three/></two> <a:four>4</a:four></a:one>';
    const bulletin = whole(
      originOf(`<region c:code="7" xmlns:c="urn:c">R</region>${foreign}`),
      'publicID="smi:x.y/ev1" xmlns:c="urn:cat" c:eventid="9" plain="p"',
    );
    expect(bulletin.foreign).toEqual([
      { ns: "urn:cat", name: "eventid", attribute: true, text: "9" },
      { ns: "", name: "plain", attribute: true, text: "p" },
    ]);
    expect(bulletin.origin?.[0]?.foreign).toEqual([
      { ns: "urn:c", name: "code", attribute: true, at: "region", text: "7" },
      {
        ns: "urn:a",
        name: "one",
        attributes: [
          { name: "k", text: "1" },
          { ns: "urn:a", name: "l", text: "2" },
        ],
        children: [
          { ns: "urn:b", name: "two", text: "t", children: [{ ns: "urn:a", name: "three" }] },
          { ns: "urn:a", name: "four", text: "4" },
        ],
      },
    ]);
  });

  it("takes back what our own forms say", () => {
    const standIn = "smi:local.catalogue/of/0123456789abcdef/pick/given/0";
    const bulletin = whole(
      `<pick publicID="${standIn}" ec:givenID=">" ec:member="0 2"><time><value>2024-01-01T00:00:00Z</value></time>` +
        '<waveformID networkCode="" stationCode="WEL" ec:given="{&quot;networkCode&quot;:&quot;\\u0001&quot;}"/>' +
        '<ec:given name="onset">sharp</ec:given><ec:given member="methodID">bad id</ec:given></pick>' +
        originOf(
          `<arrival publicID="smi:x.y/a1"><pickID>${standIn}</pickID><phase>P</phase></arrival>`,
        ),
      `publicID="smi:x.y/ev1" ${OWN}`,
    );
    expect(bulletin.origin?.[0]?.arrival?.[0]?.pickID).toBe(">");
    expect(bulletin.pick).toEqual([
      {
        publicID: ">",
        member: [0, 2],
        time: { value: "2024-01-01T00:00:00Z" },
        waveformID: { networkCode: "\u0001", stationCode: "WEL" },
        methodID: "bad id",
        foreign: [{ ns: BED, name: "onset", text: "sharp" }],
      },
    ]);
  });

  it("does not exist where our own writer made the event of a row alone", () => {
    const writer = createQuakemlWriter(exportedCatalogue("c"));
    const [row] = readWhole(documentOf(eventOf(originOf() + magnitudeOf("5", "Mw")))).rows;
    const event = { ...row, id: "00000000-0000-8000-8000-000000000001", extra: null };
    const own =
      writer.begin() + writer.row(exportRowOf(event as unknown as SeismicEvent)) + writer.end();
    expect(readWhole(own).bulletins).toEqual([undefined]);
    expect(readWhole(own).elements).toMatchObject({ origin: { read: 1, kept: 1, dropped: 0 } });
    const more = own.replace("</origin>", "<comment><text>t</text></comment></origin>");
    expect(readWhole(more).bulletins).toMatchObject([{ origin: [{ comment: [{ text: "t" }] }] }]);
  });

  it("counts the elements of events that are not kept as dropped", () => {
    const told = readWhole(documentOf(eventOf(magnitudeOf("5", "Mw")), eventOf(originOf())));
    expect(told.elements).toEqual({
      event: { read: 2, kept: 1, dropped: 1 },
      origin: { read: 1, kept: 1, dropped: 0 },
      magnitude: { read: 1, kept: 0, dropped: 1 },
    });
    expect(told.warnings).toContainEqual(
      expect.stringContaining("not kept: event 1, magnitude 1; the errors say why"),
    );
  });

  it("counts references that lead nowhere and repeated ids once a file for each kind", () => {
    const arrival = '<arrival publicID="smi:x.y/a1"><pickID>smi:x.y/no</pickID></arrival>';
    const event = eventOf(originOf(arrival.repeat(3)));
    const { warnings, bulletins } = readWhole(documentOf(event, event));
    expect(bulletins[1]?.origin?.[0]?.arrival).toHaveLength(3);
    for (const [kind, message] of [
      ["pick", "references to an element pick that is not in the event, kept (6)"],
      [
        "arrival",
        "publicIDs that an element arrival before has, kept: references mean the first (4)",
      ],
    ] as const) {
      const told = warnings.filter((warning) => warning.includes(kind));
      expect(told).toEqual([expect.stringContaining(message)]);
    }
  });
});

const FORMS = ["valid", "given"] as const;
const ROW = ["00000000-0000-8000-8000-000000000001"];

function written(bulletins: readonly Bulletin[], form: (typeof FORMS)[number]): string {
  const writer = createWholeQuakemlWriter(exportedCatalogue("c"), form);
  return writer.begin() + bulletins.map((b) => writer.row(ROW, b)).join("") + writer.end();
}

/** What XML gives back in another order: foreign parts. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === "foreign"
        ? (item as object[]).map((one) => JSON.stringify(one, Object.keys(one).sort())).sort()
        : sorted(item),
    ]),
  );
}

const FOREIGN = ["urn:a", "urn:b"].map((ns) => ({ ns, name: "mark", attribute: true, text: ns }));
const DEEP = [1, 2, 3, 4].reduce<object>(
  (child, level) => ({ ns: `urn:level:${level % 3}`, name: "level", children: [child] }),
  { ns: "http://quakeml.org/xmlns/quakeml/1.2", name: "core", text: "5" },
);

describe("QuakeML of whole events", () => {
  it.each(FORMS)("has every member of the table, in the form %s", (form) => {
    const bulletin = BulletinBody.parse(everyMember());
    const xml = written([bulletin], form);
    const { bulletins, warnings, errors } = readWhole(xml);
    expect([...warnings, ...errors]).toEqual([]);
    expect(bulletins).toEqual([bulletin]);
    expect(written(bulletins as Bulletin[], form)).toBe(xml);
  });

  it.each(FORMS)("has foreign elements and attributes on every type, in the form %s", (form) => {
    const bulletin = everyMember((type) =>
      type === "WaveformStreamID" ? FOREIGN : [...FOREIGN, DEEP],
    );
    expect(readWhole(written([bulletin], form)).bulletins).toEqual([bulletin]);
  });

  it.each(FORMS)("is read again as any bulletin, wherever it is cut, in the form %s", (form) => {
    fc.assert(
      fc.property(anyBulletin, fc.array(fc.nat(5000), { maxLength: 3 }), (bulletin, cuts) => {
        const located = { ...bulletin, origin: everyMember().origin ?? [] };
        const { bulletins, errors } = readWhole(cutAt(written([located], form), cuts));
        expect(errors).toEqual([]);
        expect(sorted(bulletins[0])).toEqual(sorted(located));
      }),
      { numRuns: runs(500, 1 / 10) },
    );
  });

  it.skipIf(!hasQuakemlSchema)(
    "is valid by the schema, whatever the bulletin (skipped without it)",
    () => {
      const bulletins = fc.sample(anyBulletin, { numRuns: runs(500, 1 / 10), seed: 8 });
      expect(quakemlFaults(written([everyMember(() => [...FOREIGN]), ...bulletins], "valid"))).toBe(
        "",
      );
    },
  );

  it("names objects with refused ids by ids of the service, and references follow", () => {
    const bulletin = everyMember();
    const pick = { ...bulletin.pick?.[0], publicID: ">" };
    const origin = bulletin.origin?.[0];
    const arrival = { publicID: "smi:x.y/a", pickID: ">", phase: "P" };
    const origins = [{ ...origin, arrival: [arrival] }];
    const located = { ...bulletin, pick: [pick], origin: origins } as Bulletin;
    const xml = written([located], "valid");
    const [, id] =
      /<pick publicID="(smi:local\.catalogue\/[^"]+)" ec:givenID="&gt;"/.exec(xml) ?? [];
    expect(xml).toContain(`<pickID>${id}</pickID>`);
    expect(written([located], "given")).toContain("<pickID>&gt;</pickID>");
  });
});

describe.skipIf(!hasQuakemlFiles)("agencies' files as whole events (skipped without them)", () => {
  const files = globSync("**/*.{xml,qml}", { cwd: QUAKEML_FILES });

  it("give back 48,032 of 48,032 leaves of located events", () => {
    let leaves = 0;
    for (const file of files) {
      const text = readFileSync(join(QUAKEML_FILES, file), "utf8");
      const bulletins = readWhole(text).bulletins as Bulletin[];
      if (bulletins.length === 0) continue;
      const before = leavesOf(text);
      expect(leavesOf(written(bulletins, "given")), file).toEqual(before);
      leaves += before.length;
    }
    expect(leaves).toBe(48_032);
  });

  it.each(FORMS)("are read again as they were, in the form %s", (form) => {
    for (const file of files) {
      const { bulletins } = readWhole(readFileSync(join(QUAKEML_FILES, file), "utf8"));
      const xml = written(bulletins as Bulletin[], form);
      expect(readWhole(xml).bulletins, file).toEqual(bulletins);
      if (hasQuakemlSchema && form === "valid") expect(quakemlFaults(xml), file).toBe("");
    }
  });
});
