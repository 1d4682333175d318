import { describe, expect, test } from "vitest";
import { changesOf, textsOf } from "#services/console/features/event/event-changes.ts";

const EVENT = {
  time: "2016-11-13T11:02:56.346094Z",
  latitude: -42.69,
  longitude: 173.02,
  depth: 15.1,
  magnitude: 7.8,
  magnitude_type: "Mw",
  region: null,
};

describe("an edited event", () => {
  test("sends nothing where nothing was typed", () => {
    expect(changesOf(EVENT, textsOf(EVENT))).toEqual({});
  });

  test("sends numbers as numbers, emptied fields as null, and nonsense as it is", () => {
    const typed = {
      ...textsOf(EVENT),
      magnitude: " 7.9 ",
      depth: "",
      region: "Kaikōura",
      latitude: "south",
    };
    expect(changesOf(EVENT, typed)).toEqual({
      magnitude: 7.9,
      depth: null,
      region: "Kaikōura",
      latitude: "south",
    });
  });
});
