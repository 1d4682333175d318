import fc from "fast-check";
import { expect, test } from "vitest";
import { listedCounts } from "#services/console/features/merge/clusters/listed-counts.ts";
import { azimuth, offsetText } from "#services/console/features/merge/clusters/offset.ts";
import type { Preview } from "#services/console/features/merge/config/merge-body.ts";

const at = (latitude: number, longitude: number) => ({ latitude, longitude });

test.each([
  [at(-42, 173), at(-41.97, 173), "3.3 km N"],
  [at(-42, 173), at(-42, 173.04), "3.3 km E"],
  [at(-42, 173), at(-42.02, 173.03), "3.3 km SE"],
  [at(-42, 173), at(-42.02, 172.97), "3.3 km SW"],
  [at(0, 179.99), at(0.01, -179.99), "2.5 km NE"],
])("the second event of a pair lies so from the first: %j, %j", (first, second, text) => {
  const { 0: km = "" } = text.split(" ");
  expect(offsetText(first, second, Number(km))).toBe(text);
});

test("events at one place, or nearly, have no direction between them", () => {
  expect(offsetText(at(1, 2), at(1, 2), 0)).toBe("0.0 km");
  expect(offsetText(at(1, 2), at(1.000_001, 2), 0.000_1)).toBe("0.0 km");
});

/** The oracle goes the way on the sphere: from the first so far in the direction, and is at the second. */
test("who goes in the direction of the shift comes to the second event", () => {
  const place = fc.record({
    latitude: fc.double({ min: -80, max: 80, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  });
  fc.assert(
    fc.property(place, fc.double({ min: 0, max: 359, noNaN: true }), (from, direction) => {
      const far = 0.01;
      const [phi, lambda, theta] = [from.latitude, from.longitude, direction].map(
        (degrees) => (degrees * Math.PI) / 180,
      ) as [number, number, number];
      const phi2 = Math.asin(
        Math.sin(phi) * Math.cos(far) + Math.cos(phi) * Math.sin(far) * Math.cos(theta),
      );
      const lambda2 =
        lambda +
        Math.atan2(
          Math.sin(theta) * Math.sin(far) * Math.cos(phi),
          Math.cos(far) - Math.sin(phi) * Math.sin(phi2),
        );
      const to = at((phi2 * 180) / Math.PI, (lambda2 * 180) / Math.PI);
      const off = Math.abs(azimuth(from, to) - direction);
      expect(Math.min(off, 360 - off)).toBeLessThan(1e-6);
    }),
  );
});

const preview = (groups: number, pairs: number, duplicateGroups: number, truncated: boolean) =>
  listedCounts({
    groups: Array(groups).fill(null) as Preview["groups"],
    ambiguous: Array(pairs).fill(null) as Preview["ambiguous"],
    duplicateGroups,
    truncated,
  });

test("the lists of a preview say how many they leave out, as far as it is known", () => {
  expect(preview(3, 2, 3, false)).toEqual({ groups: "3", ambiguous: "2" });
  expect(preview(1_000, 5, 10_960, true)).toEqual({ groups: "1,000 of 10,960", ambiguous: "5" });
  expect(preview(7, 1_000, 7, true)).toEqual({ groups: "7", ambiguous: "more than 1,000" });
  expect(preview(1_000, 1_000, 2_000, true)).toEqual({
    groups: "1,000 of 2,000",
    ambiguous: "1,000 or more",
  });
});
