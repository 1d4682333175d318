import { readFileSync, writeFileSync } from "node:fs";
import pixelmatch from "pixelmatch";
import { PNG } from "pngjs";
import { describe, expect } from "vitest";
import { ballPixels, type Mechanism } from "#services/console/plots/beach-ball.ts";
import { testRows } from "../../support/test-rows.ts";

/** Each picture was looked at, then kept by KEEP_PICTURES=true. */
const BALLS: Readonly<Record<string, Mechanism>> = {
  "strike-slip": { plane: { strike: 0, dip: 90, rake: 0 } },
  normal: { plane: { strike: 30, dip: 45, rake: -90 } },
  "oblique-reverse": { plane: { strike: 219, dip: 38, rake: 128 } },
  "linear-dipole": { tensor: { Mrr: 2, Mtt: -1, Mpp: -1, Mrt: 0, Mrp: 0, Mtp: 0 } },
};
const SIDE = 96;
/** The part of the pixels that may differ: lines meet the pixels a little otherwise elsewhere. */
const TOLERANCE = 0.005;

describe("a beach ball", () => {
  testRows("a beach ball is drawn as it is kept", Object.keys(BALLS), (name) => {
    const mechanism = BALLS[name];
    if (!mechanism) throw new Error(`There is no ball ${name}`);
    const file = new URL(`../../fixtures/plots/beach-ball-${name}.png`, import.meta.url);
    const drawn = Buffer.from(ballPixels(mechanism, SIDE));
    if (process.env["KEEP_PICTURES"] === "true") {
      const png = new PNG({ width: SIDE, height: SIDE });
      png.data = drawn;
      writeFileSync(file, PNG.sync.write(png));
    }
    const kept = PNG.sync.read(readFileSync(file));
    expect([kept.width, kept.height]).toEqual([SIDE, SIDE]);
    const differing = pixelmatch(drawn, kept.data, undefined, SIDE, SIDE);
    expect(differing / SIDE ** 2).toBeLessThan(TOLERANCE);
  });
});
