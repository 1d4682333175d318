import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readMessage } from "#infra/agency/push.ts";
import { emscMessage } from "../../support/agency/life/push-server.ts";
import { runs } from "../../support/runs.ts";
import { testRows } from "../../support/test-rows.ts";

const ID = "20261126_0000123";
const ROW = {
  source_id: ID,
  time: "2026-11-26T10:11:12.3Z",
  latitude: -41.5,
  longitude: 173.25,
  depth: 12.5,
  magnitude: 4.25,
  magnitude_type: "mb",
  event_type: "earthquake",
  region: "COOK STRAIT, NEW ZEALAND",
};
const message = emscMessage({ before: null, after: { row: ROW, updatedMs: 1_700_000_000_000 } });
const data = message?.data;
const read = (value: unknown) => readMessage(Buffer.from(JSON.stringify(value)));

function eventOf(value: unknown) {
  const message = read(value);
  return message.outcome === "event" ? message.pushed : null;
}

const withProperties = (properties: Record<string, unknown>) => ({ ...data, properties });

describe("a message of EMSC", () => {
  test("gives the event under our names, deep below ground, with the time of its last change", () => {
    const pushed = eventOf(message);
    const { event_type: _, region, ...row } = ROW;
    expect(pushed?.id).toBe(ID);
    expect(pushed?.event).toMatchObject({ ...row, region, event_type: "earthquake" });
    expect(pushed?.event["extra"]).toMatchObject({ lastupdate: "2023-11-14T22:13:20.000000Z" });
    expect(eventOf({ ...message, action: "update" })).toEqual(pushed);
  });

  test("is placed by its geometry, whose third coordinate is an altitude, where the properties say nothing", () => {
    const { time } = ROW;
    expect(eventOf({ action: "create", data: withProperties({ time }) })).toEqual({
      id: ID,
      event: {
        ...{ time, latitude: ROW.latitude, longitude: ROW.longitude, depth: ROW.depth },
        ...{ magnitude: null, source_id: ID, event_type: null },
      },
    });
    const geometry = { type: "Point", coordinates: [173.25, -41.5, 1.2] };
    const above = { action: "create", data: { ...withProperties({ time }), geometry } };
    expect(eventOf(above)?.event["depth"]).toBe(-1.2);
    const flat = { ...withProperties({ time }), geometry: { coordinates: [1, 2] } };
    expect(eventOf({ action: "create", data: flat })?.event).toMatchObject({
      ...{ longitude: 1, latitude: 2, depth: null },
    });
  });

  test("has none but EMSC's members, of plain values", () => {
    const more = { extra: { public_id: "smi:other" }, event_id: "x", bulletin: {}, auth: ["x"] };
    const properties = { ...data?.properties, ...more, flynn_region: "x".repeat(501) };
    const pushed = eventOf({ action: "create", data: withProperties(properties) });
    const names = Object.keys({ ...pushed?.event, ...(pushed?.event["extra"] as object) });
    expect(names).not.toContain("public_id");
    expect(names).not.toContain("event_id");
    expect(names).not.toContain("bulletin");
    expect(pushed?.event["author"] ?? null).toBeNull();
    expect(pushed?.event["region"] ?? null).toBeNull();
  });

  testRows(
    "is ignored where it is no event",
    [
      ["a deletion", { action: "delete", data }],
      ["another action", { action: "version", data: { version: 3 } }],
      ["no action", { data }],
      ["nothing", {}],
    ],
    (_, value) => {
      expect(read(value)).toEqual({ outcome: "ignored" });
    },
  );

  test.each([
    ["no object", "create"],
    ["a list", [message]],
    ["null", null],
    ["without data", { action: "create" }],
    ["a list of data", { action: "create", data: [data] }],
    [
      "without properties, so without a time",
      { action: "create", data: { ...data, properties: undefined } },
    ],
    [
      "without an id",
      { action: "create", data: { ...data, id: undefined, properties: { time: ROW.time } } },
    ],
    [
      "of no time",
      { action: "create", data: withProperties({ ...data?.properties, time: "soon" }) },
    ],
  ])("is malformed where it is %s", (_, value) => {
    expect(read(value)).toEqual({ outcome: "malformed" });
  });

  test.each([
    ["no JSON", "{"],
    ["no UTF-8", Buffer.from([0x7b, 0xff, 0x7d])],
    ["deep", `{"action":"create","data":${"[".repeat(1_000)}${"]".repeat(1_000)}}`],
    ["of a prototype", '{"action":"create","data":{},"__proto__":{"action":"create"}}'],
    ["empty", ""],
  ])("is malformed where it is %s", (_, text) => {
    expect(readMessage(Buffer.from(text))).toEqual({ outcome: "malformed" });
  });

  test("is left where it has a megabyte", () => {
    const text = JSON.stringify({ ...message, filler: "x".repeat(1024 * 1024) });
    expect(readMessage(Buffer.from(text))).toEqual({ outcome: "oversize" });
  });

  test("never fails, whatever it holds", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.json(), (inner, outer) => {
        const texts = [outer, `{"action":"create","data":${inner}}`];
        texts.push(
          `{"action":"update","data":{"id":"a","properties":${inner},"geometry":${outer}}}`,
        );
        for (const text of texts) expect(readMessage(Buffer.from(text))).toHaveProperty("outcome");
      }),
      { numRuns: runs(200) },
    );
  });
});
