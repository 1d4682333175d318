import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/bulletin.ts";
import { countElements } from "#contracts/bulletin/element-counts.ts";
import type { Field } from "#contracts/bulletin/field.ts";
import { QUAKEML_TYPES, type TypeName } from "#contracts/bulletin/quakeml-types.ts";
import { createScmlWriter } from "#infra/formats/scml/scml-writer.ts";
import { anyBulletin } from "../../../support/bulletins/likely-bulletin.ts";
import { readScml } from "../../../support/formats/read-scml.ts";
import { runs } from "../../../support/runs.ts";
import { ONE_EVENT, scml } from "./documents.ts";

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

function write(...bulletins: readonly Bulletin[]): string {
  const writer = createScmlWriter();
  return writer.begin() + bulletins.map((one) => writer.event(one)).join("") + writer.end();
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
      { numRuns: runs(200) },
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
