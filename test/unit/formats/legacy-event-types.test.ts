import { describe, expect, it } from "vitest";
import { QUAKEML_EVENT_TYPES } from "#contracts/seismic-event/enumerations.ts";
import { mapEventType } from "#infra/formats/legacy-event-types.ts";

describe("mapping of event types", () => {
  it.each(QUAKEML_EVENT_TYPES)("keeps %s in any case, with underscores for spaces", (type) => {
    expect(mapEventType(type)).toBe(type);
    expect(mapEventType(` ${type.toUpperCase().replaceAll(" ", "_")} `)).toBe(type);
  });

  it.each([
    ["quarry", "quarry blast"],
    ["nuke", "nuclear explosion"],
    ["shot", "mining explosion"],
    ["rockfall", "landslide"],
    ["rockburst", "rock burst"],
    ["sonicboom", "sonic boom"],
    ["induced earthquake", "induced or triggered event"],
    ["not locatable", "other event"],
    ["duplicate", "other event"],
    ["outside of network interest", "other event"],
    ["other", "other event"],
    ["volcanic tremor", "other event"],
    ["volcanic_long-period", "other event"],
    ["eq", "earthquake"],
    ["ke", "earthquake"],
    ["se", "earthquake"],
    ["kh", "chemical explosion"],
    ["sh", "chemical explosion"],
    ["km", "mining explosion"],
    ["sm", "mining explosion"],
    ["kx", "experimental explosion"],
    ["sx", "experimental explosion"],
    ["kn", "nuclear explosion"],
    ["sn", "nuclear explosion"],
    ["ki", "induced or triggered event"],
    ["sr", "rock burst"],
    ["LS", "landslide"],
  ])("maps %s to %s", (name, type) => {
    expect(mapEventType(name)).toBe(type);
  });

  it.each(["uk", "unknown", "", "   ", "earthquakes", "constructor", "__proto__"])(
    "knows no type called %j",
    (name) => {
      expect(mapEventType(name)).toBeNull();
    },
  );

  it("answers only types that QuakeML has", () => {
    const types = ["lahar", "meteor impact", "calving", "blast", "eruption"].map(mapEventType);
    expect(
      types.every((type) => (QUAKEML_EVENT_TYPES as readonly (string | null)[]).includes(type)),
    ).toBe(true);
  });
});
