import { describe, expect, test } from "vitest";
import { digitsOfPlace, placeMargin } from "#services/console/features/event/uncertainty.ts";
import { labelOf, ROWS, toldMargin, toldValue } from "#services/console/ui/text/attribute-names.ts";

describe("an uncertainty", () => {
  test("of a place is a distance, else its latitude's and longitude's", () => {
    const degrees = { latitude_uncertainty: 0.0123456, longitude_uncertainty: 0.02 };
    expect(placeMargin({ horizontal_uncertainty: 1.2, ...degrees })).toBe("± 1.2 km");
    expect(placeMargin({ horizontal_uncertainty: null, ...degrees })).toBe(
      "± 0.012° N–S, ± 0.02° E–W",
    );
    expect(placeMargin({ latitude_uncertainty: 0.01 })).toBe("");
  });

  test("of a place decides how many decimals its degrees have", () => {
    expect(digitsOfPlace({})).toBe(4);
    expect(digitsOfPlace({ horizontal_uncertainty: 8 })).toBe(2);
    expect(digitsOfPlace({ horizontal_uncertainty: 1.5 })).toBe(3);
    expect(digitsOfPlace({ horizontal_uncertainty: 0.001 })).toBe(4);
    expect(digitsOfPlace({ latitude_uncertainty: 3 })).toBe(0);
  });

  test("stands beside its value, whose digits it decides", () => {
    const event = {
      depth: 5.123456789,
      depth_uncertainty: 1.2345678,
      latitude: -38.712345678,
      time_uncertainty: 0.4,
      azimuthal_gap: 44.2,
      magnitude_type: "M",
      used_phase_count: 87,
    };
    expect([toldValue("depth", event), toldMargin("depth", event)]).toEqual(["5.1 km", "± 1.2 km"]);
    expect([toldValue("latitude", event), toldMargin("latitude", event)]).toEqual([
      "−38.7123°",
      "",
    ]);
    expect(toldMargin("time", event)).toBe("± 0.4 s");
    expect(toldValue("azimuthal_gap", event)).toBe("44°");
    expect(toldValue("magnitude_type", event)).toBe("M");
    expect(toldValue("used_phase_count", event)).toBe("87");
    expect(toldValue("magnitude", event)).toBe("–");
  });

  test("has no row of its own among the attributes", () => {
    const rows = ROWS.flatMap((group) => group.rows);
    expect(rows.find(({ name }) => name === "depth")?.sigma).toBe("depth_uncertainty");
    expect(rows.some(({ name }) => name === "depth_uncertainty")).toBe(false);
    expect(rows.some(({ name }) => name === "horizontal_uncertainty")).toBe(true);
    expect(labelOf("standard_error")).toBe("RMS of the residuals");
  });
});
