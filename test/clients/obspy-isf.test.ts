import { expect, test } from "vitest";
import { createIsfWriter } from "#infra/formats/isf/isf-writer.ts";
import { smallBulletin } from "../support/bulletins/small-bulletin.ts";
import { readFixture } from "../unit/formats/isf/isf-fixture.ts";
import { hasPython, runPython } from "./support/python.ts";

test.skipIf(!hasPython)(
  "ObsPy reads the origins, magnitudes and picks of written ISF",
  async () => {
    const writer = createIsfWriter("a test");
    const { description: _, ...small } = smallBulletin();
    const events = [...readFixture("first").bulletins, { ...small, description: REGION }];
    const file = writer.begin() + events.map(writer.event).join("") + writer.end();
    expect(await runPython("obspy_isf.py", { input: file })).toEqual([
      {
        type: "mining explosion",
        region: "SOUTHERN ALPS",
        origins: [
          ["1999-12-31T23:59:59.900000Z", 46.1, 8.2, 10_000, 0],
          ["2000-01-01T00:01:00.000000Z", 46.2, 8.3, null, 1],
        ],
        preferred: "2000-01-01T00:01:00.000000Z",
        magnitudes: [
          ["ML", 2.1],
          ["mb", 3.4],
        ],
        picks: [
          ["DAVOX", "S", "2000-01-01T00:01:30.250000Z"],
          ["DAVOX", "", null],
        ],
      },
      {
        type: null,
        region: "SOUTHERN ALPS",
        origins: [["2000-01-02T01:02:03.000000Z", 46.3, 8.4, null, 0]],
        preferred: "2000-01-02T01:02:03.000000Z",
        magnitudes: [],
        picks: [],
      },
      {
        type: "earthquake",
        region: "Cook Strait",
        origins: [
          ["2024-05-06T07:08:01.500000Z", -41.5, 174.5, 12_300, 1],
          ["2024-05-06T07:08:02.500000Z", -41.75, 174.5, 12_300, 1],
        ],
        preferred: "2024-05-06T07:08:01.500000Z",
        magnitudes: [
          ["Mw", 4.5],
          ["ML", 4.7],
        ],
        picks: [
          ["WEL", "P", "2024-05-06T07:08:11.250000Z"],
          ["WEL", "S", "2024-05-06T07:08:12.250000Z"],
        ],
      },
    ]);
  },
);

const REGION = [{ text: "Cook Strait", type: "region name" }] as const;
