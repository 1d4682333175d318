import { describe, expect, it } from "vitest";
import { BulletinBody } from "#contracts/bulletin/bulletin-schema.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createQuakemlWriter } from "#infra/formats/quakeml/quakeml-writer.ts";
import { rowOfBulletin } from "#infra/formats/quakeml/row-of-bulletin.ts";
import { exportRowOf } from "../../../support/export-row.ts";
import {
  ALL_MEMBERS,
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../../support/formats/quakeml-documents.ts";
import { exportedCatalogue } from "./exported-catalogue.ts";
import { bulletinOf, readWhole, rowOf } from "./read-pieces.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";
const OWN = 'xmlns:ec="urn:earthquake-catalogue:1.0"';

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

  it("has its row for a view, and passes its own schema", () => {
    const { bulletins, rows } = readWhole(ALL_MEMBERS);
    for (const [i, bulletin] of bulletins.entries()) {
      expect(BulletinBody.safeParse(bulletin).error).toBeUndefined();
      if (bulletin !== undefined) expect(rowOfBulletin(bulletin, () => {})).toEqual(rows[i]);
    }
    expect(bulletins.length).toBeGreaterThan(0);
  });

  it.each([
    ["an unknown value", "<evaluationMode>a</evaluationMode>", "evaluationMode", "a"],
    ["INF", "<methodID/><earthModelID/><depth><value>INF</value></depth>", "depth", undefined],
    ["a text that is too long", `<region>${"x".repeat(129)}</region>`, "region", "x".repeat(129)],
    ["a number that is none", "<timeFixed>perhaps</timeFixed>", "timeFixed", "perhaps"],
    ["an element of no type", "<color>red</color>", "color", "red"],
  ])("keeps %s as foreign, with a warning", (_, content, name, text) => {
    const told = readWhole(documentOf(eventOf(originOf(content))));
    const [origin] = told.bulletins[0]?.origin ?? [];
    expect(origin).not.toHaveProperty(name);
    expect(origin?.foreign).toMatchObject([{ ns: BED, name, ...(text && { text }) }]);
    expect(told.warnings.at(-1)?.message).toContain("kept as foreign (1)");
    const row = rowOf(originOf(content));
    expect(told.rows[0]).toEqual(row);
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
    expect(told.warnings.map(({ message }) => message)).toContain(
      "not kept: event 1, magnitude 1; the errors say why",
    );
  });

  it("counts references that lead nowhere and repeated ids once a file for each kind", () => {
    const arrival = '<arrival publicID="smi:x.y/a1"><pickID>smi:x.y/no</pickID></arrival>';
    const event = eventOf(originOf(arrival.repeat(3)));
    const { warnings, bulletins } = readWhole(documentOf(event, event));
    expect(bulletins[1]?.origin?.[0]?.arrival).toHaveLength(3);
    const messages = warnings.map(({ message }) => message);
    expect(messages.filter((message) => message.includes("pick"))).toEqual([
      "references to an element pick that is not in the event, kept (6)",
    ]);
    expect(messages.filter((message) => message.includes("arrival"))).toEqual([
      "publicIDs that an element arrival before has, kept: references mean the first (4)",
    ]);
  });
});
