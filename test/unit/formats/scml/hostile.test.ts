import { describe, expect, it } from "vitest";
import type { Bulletin } from "#contracts/bulletin/bulletin.ts";
import { countElements } from "#contracts/bulletin/element-counts.ts";
import { readScml } from "../../../support/formats/read-scml.ts";
import { ONE_EVENT, pick, plainEvent, scml } from "./documents.ts";

const arrival = (pickId: string): string =>
  `<arrival><pickID>${pickId}</pickID><phase>P</phase></arrival>`;

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

  it("keeps objects that share an id in their order, many of them within a second", () => {
    const many = Array.from({ length: 20_000 }, (_, i) => pick("p", `S${i}`));
    const { bulletins } = readScml(scml([...many, ...plainEvent("e", arrival("p"))]));
    const stations = bulletins[0]?.pick?.map(({ waveformID }) => waveformID.stationCode);
    expect(stations).toEqual(Array.from({ length: 20_000 }, (_, i) => `S${i}`));
  });

  it("does not let events make a large file of a small one by sharing an origin", () => {
    const arrivals = Array.from({ length: 10_000 }, (_, i) => arrival(`p${i}`));
    const [origin = ""] = plainEvent("e", ...arrivals);
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
    const events = Array.from({ length: 3000 }, (_, i) => plainEvent(`e${i}`, arrival(`p${i}`)));
    const picks = Array.from({ length: 9000 }, (_, i) => pick(`p${i}`, `S${i}`));
    const { bulletins, elements } = readScml(scml([...picks, ...events.flat()]), 65_536);
    expect(bulletins.map(({ pick: picks }) => picks?.[0]?.waveformID.stationCode)).toEqual(
      Array.from({ length: 3000 }, (_, i) => `S${i}`),
    );
    expect(elements?.pick).toEqual({ read: 9000, kept: 3000, dropped: 6000 });
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
