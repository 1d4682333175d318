import { describe, expect, test } from "vitest";
import { margin, placeMargin } from "#services/console/features/event/uncertainty.ts";

describe("an uncertainty", () => {
  test("stands with its unit, and not at all where it is not known", () => {
    expect(margin(0.25, "s")).toBe(" ± 0.25 s");
    expect(margin(0)).toBe(" ± 0");
    expect(margin(null, "km")).toBe("");
    expect(margin(undefined)).toBe("");
  });

  test("of a place is a distance, else its latitude's and longitude's", () => {
    const degrees = { latitude_uncertainty: 0.01, longitude_uncertainty: 0.02 };
    expect(placeMargin({ horizontal_uncertainty: 1.2, ...degrees })).toBe(" ± 1.2 km");
    expect(placeMargin({ horizontal_uncertainty: null, ...degrees })).toBe(
      " ± 0.01° N–S, ± 0.02° E–W",
    );
    expect(placeMargin({ latitude_uncertainty: 0.01 })).toBe("");
  });
});
