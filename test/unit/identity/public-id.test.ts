import { describe, expect, test } from "vitest";
import { bareId, bareIdOf, idsIn, idsOf } from "#contracts/seismic-event/public-ids.ts";

describe("the bare id", () => {
  test.each([
    ["smi:nz.org.geonet/2024p344188", "2024p344188"],
    ["smi:org.gfz-potsdam.de/geofon/gfz2024abcd", "gfz2024abcd"],
    ["smi:ch.ethz.sed/sc20a/Event/2024abcd", "2024abcd"],
    ["quakeml:us.anss.org/event/us7000abcd", "us7000abcd"],
    ["quakeml:us.anss.org/event/20240101?eventid=us7000", "us7000"],
    [
      "quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=ci15481673&format=quakeml",
      "ci15481673",
    ],
    ["smi:webservices.ingv.it/fdsnws/event/1/query?eventId=123", "123"],
    ["smi:service.scedc.caltech.edu/fdsnws/event/1/query?format=xml&eventid=37300872", "37300872"],
    ["smi:ISC/evid=600516598", "600516598"],
    ["smi:de.bgr/out.scb/20150304062151/event/1", "1"],
    ["smi:local/event/230826094944/-32.73/116.39/", "116.39"],
    ["smi:local/2024abcd/event#", "2024abcd"],
    ["smi:local/2024abcd/#", "2024abcd"],
    ["smi:ch.ethz.sed/sc20a/Event/2024abcd#3", "2024abcd#3"],
    ["smi:scs/0.7/event/query?id=5#detail", "5"],
    ["smi:local", "smi:local"],
    ["smi:local/event/", "smi:local"],
    ["2024p344188", "2024p344188"],
    ["event", "event"],
    ["/", "/"],
  ])("the bare id in %s is %s", (publicId, bare) => {
    expect(bareId(publicId)).toBe(bare);
    expect(idsIn(publicId)).toEqual({
      sourceId: bare,
      publicId: bare === publicId ? null : publicId,
    });
  });

  test("the bare id of an event is its source_id, and is in it where that is the public id", () => {
    const publicId = "smi:de.bgr/20150304/event/1";
    expect(bareIdOf({ sourceId: "one", publicId })).toBe("one");
    expect(bareIdOf({ sourceId: publicId, publicId })).toBe("1");
    expect(bareIdOf({ sourceId: "a/1", publicId: null })).toBe("a/1");
    expect(bareIdOf({ sourceId: null, publicId })).toBeNull();
  });
});

describe("the ids of an event", () => {
  test.each([
    [
      { source_id: "1", extra: null },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: "smi:a/1" } },
      { sourceId: "1", publicId: "smi:a/1" },
    ],
    [{ extra: { public_id: "smi:a/1" } }, { sourceId: null, publicId: "smi:a/1" }],
    // A resource identifier of QuakeML is public wherever it stands; other ids are the submitter's own.
    [{ source_id: "smi:a/1" }, { sourceId: "smi:a/1", publicId: "smi:a/1" }],
    [{ source_id: "2024/1" }, { sourceId: "2024/1", publicId: null }],
    [
      { source_id: "smi:a/1", extra: { public_id: "smi:b/1" } },
      { sourceId: "smi:a/1", publicId: "smi:b/1" },
    ],
    [
      { source_id: "", extra: { public_id: " " } },
      { sourceId: null, publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: 7 } },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: "1", extra: { public_id: "x".repeat(256) } },
      { sourceId: "1", publicId: null },
    ],
    [
      { source_id: null, extra: ["public_id"] },
      { sourceId: null, publicId: null },
    ],
  ])("%j are %j", (record, ids) => {
    expect(idsOf(record)).toEqual(ids);
  });
});
