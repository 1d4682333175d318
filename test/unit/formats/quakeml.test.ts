import { describe, expect, test } from "vitest";
import type { Bulletin } from "#contracts/bulletin/quakeml.ts";
import { BulletinBody } from "#contracts/bulletin/schema.ts";
import { serviceId } from "#infra/formats/bulletin/members.ts";
import { rowOfBulletin } from "#infra/formats/bulletin/row.ts";
import {
  ALL_MEMBERS,
  documentOf,
  eventOf,
  magnitudeOf,
  originOf,
} from "../../support/formats/quakeml-documents.ts";
import { cutAt, readQuakeml } from "../../support/formats/readers.ts";

const BED = "http://quakeml.org/xmlns/bed/1.2";

/** What is read of events with these contents, each on its line. */
const read = (...contents: readonly string[]) =>
  readQuakeml(documentOf(...contents.map((content) => `\n${eventOf(content)}`)));

/** The row of the only event, with this content. */
function rowOf(content: string, attributes?: string): Record<string, unknown> {
  const { rows, errors } = readQuakeml(documentOf(eventOf(content, attributes)));
  expect(errors).toEqual([]);
  return rows[0] ?? {};
}

test("a row of QuakeML has depth and magnitude whatever the event has", () => {
  expect(rowOf(originOf())).toEqual({
    ...{ time: "2024-01-01T00:00:00Z", latitude: 1.5, longitude: 2.5 },
    ...{ depth: null, magnitude: null, source_id: "ev1", extra: { public_id: "smi:x.y/ev1" } },
  });
});

test("QuakeML is read without bulletins as the rows of its bulletins", () => {
  const whole = readQuakeml(ALL_MEMBERS, { bulletins: true });
  const plain = readQuakeml(ALL_MEMBERS);
  expect(plain.rows).toEqual(whole.rows);
  expect([plain.lines, plain.errors, plain.warnings]).toEqual([[6], [], []]);
  const [bulletin] = whole.bulletins as [Bulletin];
  expect(rowOfBulletin(bulletin, () => {})).toEqual(plain.rows[0]);
  expect(plain.headers.slice(0, 4)).toEqual(["time", "latitude", "longitude", "depth"]);
  expect(plain.headers.slice(-2)).toEqual(["focal_mechanisms", "extra"]);
});

test("QuakeML is read in any version, namespace and prefix, and without a root", () => {
  const namespaces = (name: string, bed: string) =>
    `xmlns:q="http://quakeml.org/xmlns/${name}" xmlns${bed}`;
  for (const [declarations, q, bed] of [
    [namespaces("quakeml/1.2", `="${BED}"`), "q:", ""],
    [namespaces("quakeml/1.1", '="http://quakeml.org/xmlns/bed/1.1"'), "q:", ""],
    ['xmlns="http://quakeml.org/xmlns/quakeml/1.0"', "", ""],
    [namespaces("quakeml-rt/1.2", '="http://quakeml.org/xmlns/bed-rt/1.2"'), "q:", ""],
    ["", "", ""],
    ['xmlns="http://example.com/mine"', "", ""],
    [namespaces("quakeml/1.2", `:bed="${BED}"`), "q:", "bed:"],
    ["", "q:", "bed:"],
  ] as const) {
    const content = eventOf(originOf()).replace(/<(\/?)/g, `<$1${bed}`);
    const text = `<${q}quakeml ${declarations}><${bed}eventParameters>${content}</${bed}eventParameters></${q}quakeml>`;
    expect(readQuakeml(text).rows, text).toMatchObject([{ latitude: 1.5, source_id: "ev1" }]);
  }
  const bare = `<eventParameters>${eventOf(originOf())}</eventParameters>`;
  expect(readQuakeml(bare).rows).toHaveLength(1);
});

test("QuakeML is read after blanks, whose lines count", () => {
  for (const [blanks, line] of [
    ["\n", 2],
    ["\r\n\r\n ", 3],
    [" \ufeff\n", 2],
    ["\ufeff\t", 1],
    ["\r\r\n", 3],
  ] as const) {
    const text = `${blanks}<?xml version="1.0"?>${documentOf(eventOf(originOf()))}`;
    for (const cuts of [[], Array.from(text, (_, index) => index)]) {
      const { lines, errors } = readQuakeml(cutAt(text, cuts));
      expect([lines, errors], JSON.stringify(blanks)).toEqual([[line], []]);
    }
  }
});

test("members of an event in QuakeML are its attributes", () => {
  const described = (content: string) => `<description>${content}</description>${originOf()}`;
  const info = "<creationInfo><agencyID>EV</agencyID><author>someone</author></creationInfo>";
  const agency = "<creationInfo><agencyID>OR</agencyID></creationInfo>";
  const uncertain = (content: string) =>
    originOf(`<originUncertainty>${content}</originUncertainty>`);
  const kept = (origin_uncertainty?: object) => ({
    extra: { public_id: "smi:x.y/ev1", ...(origin_uncertainty && { origin_uncertainty }) },
  });
  const five = "<horizontalUncertainty>5</horizontalUncertainty>";
  for (const [content, expected] of [
    // Foreign elements are skipped.
    [
      `<x:type xmlns:x="urn:x">explosion</x:type><type>earthquake</type>${originOf()}`,
      { event_type: "earthquake" },
    ],
    [
      `<type xmlns="urn:x">explosion</type><type>earthquake</type>${originOf()}`,
      { event_type: "earthquake" },
    ],
    [
      `<x:origin xmlns:x="urn:x"><type>explosion</type></x:origin><type>earthquake</type>${originOf()}`,
      { event_type: "earthquake" },
    ],
    [described("<text>A</text><type>region name</type>"), { region: "A" }],
    [described("<type>Flinn-Engdahl region</type><text>\n  B\n</text>"), { region: "B" }],
    [described("<text>C</text><type>earthquake name</type>"), { region: "C" }],
    [described("<text><![CDATA[D & <E>]]></text><type>region name</type>"), { region: "D & <E>" }],
    [
      described("<text>F&amp;&lt;&gt;&quot;&apos;&#71;&#x48;</text><type>region name</type>"),
      { region: "F&<>\"'GH" },
    ],
    [described("<text>none</text><type>felt report</type>"), { region: undefined }],
    [described("<text> </text><type>region name</type>"), { region: undefined }],
    [originOf("<region>R</region>"), { region: "R" }],
    [info + originOf(), { agency_id: "EV", author: "someone" }],
    [info + originOf(agency), { agency_id: "OR", author: "someone" }],
    [
      originOf("<timeFixed>yes</timeFixed><epicenterFixed> 0 </epicenterFixed>"),
      { extra: { public_id: "smi:x.y/ev1", time_fixed: "yes", epicenter_fixed: false } },
    ],
    [
      uncertain(
        "<minHorizontalUncertainty>1</minHorizontalUncertainty><maxHorizontalUncertainty>4573.66</maxHorizontalUncertainty>",
      ),
      { horizontal_uncertainty: 4.57366 },
    ],
    // What the attribute does not say of the uncertainty is kept.
    [uncertain(five), kept()],
    [
      uncertain(`${five}<preferredDescription>horizontal uncertainty</preferredDescription>`),
      kept(),
    ],
    [uncertain(""), kept()],
    [
      uncertain("<preferredDescription>circle</preferredDescription>"),
      kept({ preferredDescription: "circle" }),
    ],
    [
      uncertain(`${five}<confidenceLevel>68</confidenceLevel>`),
      kept({ horizontalUncertainty: 5, confidenceLevel: 68 }),
    ],
    [
      uncertain("<minHorizontalUncertainty>NaN</minHorizontalUncertainty><confidenceEllipsoid/>"),
      kept({ minHorizontalUncertainty: "NaN", confidenceEllipsoid: {} }),
    ],
  ] as const) {
    const row = rowOf(content);
    for (const [name, value] of Object.entries(expected)) expect(row[name], content).toEqual(value);
  }
});

test("the identifier of an event is what its public id says of it", () => {
  for (const [attributes, sourceId] of [
    ['publicID="smi:nz.org.geonet/2024p344188"', "2024p344188"],
    [
      'publicID="quakeml:earthquake.usgs.gov/fdsnws/event/1/query?eventid=us123&amp;format=quakeml"',
      "us123",
    ],
    ['publicID="smi:webservices.ingv.it/fdsnws/event/1/query?eventId=7789491"', "7789491"],
    ['publicID="smi:ISC/evid=7453151"', "7453151"],
    [
      'publicID="quakeml:us.anss.org/event/6000kawn" xmlns:c="urn:c" c:eventsource="us" c:eventid="6000kawn"',
      "us6000kawn",
    ],
    ['publicID="quakeml:x/y" c:eventsource="ci" c:eventid="ci15481673"', "ci15481673"],
    ['publicID="smi:local/cmtsolution/B071791B/event"', "B071791B"],
    ['publicID="smi:local/ndk/B071791B/event#"', "B071791B"],
    ['publicID="2024p344188"', "2024p344188"],
    ['publicID="smi:a.b/c/"', "c"],
    ['publicID=""', undefined],
    ["", undefined],
  ] as const) {
    expect(rowOf(originOf(), attributes)["source_id"], attributes).toBe(sourceId);
  }
  expect(rowOf(originOf(), 'publicID="2024p344188"')["extra"]).toBeUndefined();
});

describe("what is doubtful in QuakeML", () => {
  test("what is doubtful in QuakeML is kept under extra, with a warning", () => {
    const doubtful = [
      "<type>quarry</type>",
      originOf("<depthType>randomized</depthType><evaluationMode>robot</evaluationMode>"),
      magnitudeOf("-9.9", "ML", "<stationCount>many</stationCount>"),
    ].join("");
    const { rows, warnings } = read(doubtful);
    expect(rows).toMatchObject([
      {
        event_type: "quarry blast",
        ...{ depth_type: null, evaluation_mode: null },
        ...{ magnitude: null, magnitude_station_count: null },
        extra: {
          ...{ event_type: "quarry", depth_type: "randomized", evaluation_mode: "robot" },
          ...{ magnitude: "-9.9", magnitude_station_count: "many" },
        },
      },
    ]);
    expect(warnings).toEqual(Array(5).fill(expect.stringMatching(/^2: /)));
    const far = read(originOf().replace("1.5", "999"));
    expect(far.rows).toMatchObject([{ latitude: 999 }]);
    expect(far.warnings).toEqual(["2: latitude 999 is outside -90 to 90"]);
  });

  test("what CSS 3.0 says of the unknown is read so, in uncertainties, counts and where it can be nothing", () => {
    for (const text of ["-1", "-1.0", "-999.0"]) {
      const counts = ["usedStationCount", "usedPhaseCount", "standardError", "minimumDistance"];
      const quality = counts.map((name) => `<${name}>${text}</${name}>`).join("");
      const depth = `<depth><value>-999000.0</value><uncertainty>${text}</uncertainty></depth>`;
      const { rows } = read(
        originOf(`${depth}<quality>${quality}</quality>`) +
          magnitudeOf("-999.0", "ML", `<stationCount>${text}</stationCount>`),
      );
      expect(rows, text).toMatchObject([
        {
          ...{ depth: null, depth_uncertainty: null, used_station_count: null },
          ...{ used_phase_count: null, standard_error: null, minimum_distance: null },
          ...{ magnitude: null, magnitude_station_count: null },
          extra: {
            ...{ depth: "-999000.0", depth_uncertainty: text, used_station_count: text },
            ...{ magnitude: "-999.0", magnitude_station_count: text },
          },
        },
      ]);
    }
  });

  test("zeros of uncertainties, RMS and gap are unknown in NERIES's documents alone, which is told once", () => {
    const zeros =
      "<depth><value>1000</value><uncertainty>0</uncertainty></depth>" +
      "<quality><usedStationCount>0</usedStationCount><standardError>0</standardError>" +
      "<azimuthalGap>0</azimuthalGap><minimumDistance>0</minimumDistance></quality>" +
      "<originUncertainty><maxHorizontalUncertainty>0.0</maxHorizontalUncertainty></originUncertainty>";
    const document = (publicId: string, namespace: string) =>
      `<quakeml xmlns="${namespace}">\n<eventParameters publicID="${publicId}">` +
      `${eventOf(originOf(zeros))}\n${eventOf(originOf(zeros), 'publicID="smi:x.y/ev2"')}` +
      "</eventParameters></quakeml>";
    const unsure = [
      "depth_uncertainty",
      "horizontal_uncertainty",
      "standard_error",
      "azimuthal_gap",
    ];
    const all = (value: unknown) => Object.fromEntries(unsure.map((name) => [name, value]));
    const unknown = { ...all(null), used_station_count: 0, minimum_distance: 0, extra: all(0) };
    const text = document("smi:eu.emsc/unid", "http://quakeml.org/xmlns/quakeml/1.0");
    for (const cuts of [[], Array.from(text, (_, i) => i)]) {
      const { rows, warnings } = readQuakeml(cutAt(text, cuts));
      expect(rows).toMatchObject([unknown, unknown]);
      expect(warnings).toHaveLength(4);
      expect(warnings).toContain(
        '2: standard_error: 0 stands for "not known" in files like this; it is kept under extra',
      );
    }
    for (const [publicId, namespace] of [
      ["smi:eu.emsc/unid", BED],
      ["smi:x.y/z", "http://quakeml.org/xmlns/quakeml/1.0"],
    ] as const) {
      const { rows, warnings } = readQuakeml(document(publicId, namespace));
      expect(rows).toMatchObject([
        { standard_error: 0, azimuthal_gap: 0 },
        { depth_uncertainty: 0 },
      ]);
      expect(warnings).toEqual([]);
    }
  });

  test("an event of QuakeML without a place or a time is refused, and reading goes on", () => {
    for (const [content, message] of [
      ["", "the event has no origin"],
      ["<origin/>", "the event's origin has no time"],
      [originOf().replace("<value>1.5</value>", ""), "the event's origin has no latitude"],
      [originOf().replace("<value>2.5</value>", "<value/>"), "the event's origin has no longitude"],
      [originOf().replace("1.5", "north"), 'the event\'s latitude "north" is not a number'],
      [originOf().replace("1.5", "NaN"), 'the event\'s latitude "NaN" is not a number'],
    ] as const) {
      const { errors, lines } = read(content, originOf());
      expect({ errors, lines }).toEqual({ errors: [`2: ${message}`], lines: [3] });
    }
  });

  test("public ids that are missing or were there before are warned of", () => {
    const text = documentOf(eventOf(originOf()), eventOf(originOf()), eventOf(originOf(), ""));
    expect(readQuakeml(text).warnings).toEqual([
      "1: publicID smi:x.y/ev1 was there before",
      "1: the event has no publicID",
    ]);
  });
});

const first = originOf("", "smi:x.y/or1", "2001-01-01T00:00:00Z");
const second = originOf("", "smi:x.y/or2", "2002-01-01T00:00:00Z");

test("the preferred origin is the one named, else the latest reviewed, else the first that is no centroid", () => {
  const named = (id: string) => `<preferredOriginID>${id}</preferredOriginID>`;
  const reviewed = (id: string, year: number, created: number) =>
    originOf(
      `<evaluationStatus>reviewed</evaluationStatus><creationInfo><creationTime>${created}-01-01T00:00:00Z</creationTime></creationInfo>`,
      `smi:x.y/or${id}`,
      `${year}-01-01T00:00:00Z`,
    );
  const mechanism =
    "<focalMechanism><momentTensor><derivedOriginID>smi:x.y/or1</derivedOriginID></momentTensor></focalMechanism>";
  for (const [content, year] of [
    [first + second + named(" smi:x.y/or2\n"), 2002],
    [named("smi:x.y/elsewhere") + first + second, 2001],
    [first + reviewed("4", 2004, 2011) + reviewed("3", 2003, 2010), 2004],
    [mechanism + first + second, 2002],
    [mechanism + first, 2001],
  ] as const) {
    expect(rowOf(content)["time"], content).toBe(`${year}-01-01T00:00:00Z`);
  }
});

describe("the preferred magnitude", () => {
  const of = (origin: number, stations = 0) =>
    `<originID>smi:x.y/or${origin}</originID><stationCount>${stations}</stationCount>`;
  const named = (id: string) => `<preferredMagnitudeID>${id}</preferredMagnitudeID>`;

  test("the preferred magnitude is the one named, else the best of the preferred origin's that has a number", () => {
    for (const [content, expected] of [
      [
        first + magnitudeOf("1", "Mww", "", "a") + magnitudeOf("2", "M", "", "b") + named("b"),
        { magnitude: 2, magnitude_type: "M" },
      ],
      [first + magnitudeOf("NaN", "Mww") + magnitudeOf("1.5", "Md"), { magnitude: 1.5 }],
      [first + magnitudeOf("NaN", "Mww") + magnitudeOf("nan", "Md"), { magnitude: null }],
      [
        first + second + magnitudeOf("1", "Mww", of(2)) + magnitudeOf("2", "Md", of(1)),
        { magnitude: 2 },
      ],
      [first + magnitudeOf("1", "ML") + magnitudeOf("2", "Mw", of(7)), { magnitude: 2 }],
      [
        first + magnitudeOf("1", "ML", of(1, 5)) + magnitudeOf("2", "ML", of(1, 6)),
        { magnitude: 2 },
      ],
    ] as const) {
      expect(rowOf(content), content).toMatchObject(expected);
    }
  });

  test("the preferred magnitude is another where the one named is no number, which is told", () => {
    for (const unknown of ["nan", "NaN", "-", "INF"]) {
      const others = magnitudeOf("2.4", "Md", "", "b") + magnitudeOf("3.5", "ML", "", "c");
      const { rows, warnings } = read(
        named("a") + first + magnitudeOf(unknown, "Mw", "", "a") + others,
      );
      expect(rows, unknown).toMatchObject([{ magnitude: 3.5, magnitude_type: "ML" }]);
      expect(warnings).toEqual([
        "2: the preferred magnitude is not a number; another of the event's is taken",
      ]);
    }
  });

  test("the preferred magnitude has the best type, whatever its case, before the most stations", () => {
    const order = "Mww Mwc MWB Mwr Mw Mwp MS mB mb MLv mb_Lg Md M".split(" ");
    for (const [i, worse] of order.slice(1).entries()) {
      const better = order[i] ?? "";
      const both = magnitudeOf("1", worse, of(1, 50)) + magnitudeOf("2", better, of(1, 1));
      expect(rowOf(first + both)["magnitude_type"]).toBe(better);
    }
  });
});

test("an event with a public id of the service has what it names alone where it was a row", () => {
  const region =
    "<description><text>TEST SEA</text><type>Flinn-Engdahl region</type></description>";
  const magnitude = magnitudeOf("4.4", "MLv", "<originID>smi:x.y/or1</originID>");
  const rowOfOwn = (...origins: readonly string[]) =>
    rowOf(origins.join("") + magnitude + region, 'publicID="smi:local.catalogue/event/ev1"');
  const own = (id: string) =>
    originOf("", `smi:local.catalogue/origin/${id}`, "2001-01-01T00:00:00Z");
  const shown = { source_id: "ev1", magnitude: 4.4, magnitude_type: "MLv", region: "TEST SEA" };
  expect(rowOfOwn(first, second)).toMatchObject(shown);
  expect(rowOfOwn(first, own("00ab/2"))).toMatchObject(shown);
  const row = rowOfOwn(own("00ab"), first);
  expect(row).toMatchObject({ source_id: "ev1", magnitude: null });
  expect(row).not.toHaveProperty("region");
});

test("real-time documents have origins and magnitudes beside the event, by its ids, or are refused", () => {
  const beside = (event: string) =>
    readQuakeml(
      documentOf(
        eventOf(event),
        first,
        second,
        magnitudeOf("4", "Mw", "<originID>smi:x.y/or2</originID>"),
        '<focalMechanism publicID="fm1"><misfit>1</misfit></focalMechanism>',
        eventOf(originOf(), 'publicID="smi:x.y/ev2"'),
      ),
    );
  const joined = beside(
    "<preferredOriginID>smi:x.y/or2</preferredOriginID><preferredFocalMechanismID>fm1</preferredFocalMechanismID>",
  );
  expect(joined.lines).toEqual([1, 1]);
  expect(joined.rows).toMatchObject([
    { source_id: "ev2" },
    {
      ...{ source_id: "ev1", time: "2002-01-01T00:00:00Z", magnitude: 4 },
      focal_mechanisms: [{ misfit: 1 }],
    },
  ]);
  const reference = "<originReference><originID>smi:x.y/or9</originID></originReference>";
  const inside = originOf(magnitudeOf("5", "ML"), "smi:x.y/or9");
  const referred = readQuakeml(documentOf(inside, eventOf(reference)));
  expect(referred.rows).toMatchObject([{ magnitude: 5, latitude: 1.5 }]);
  const nowhere = beside("<preferredOriginID>smi:x.y/nowhere</preferredOriginID>");
  expect(nowhere.errors).toEqual(["1: the event has no origin"]);
});

describe("the row of a bulletin", () => {
  const ORIGIN = {
    publicID: "smi:x.y/or1",
    time: { value: "2024-01-01T00:00:00Z", uncertainty: 0.5 },
    latitude: { value: 1.5 },
    longitude: { value: 2.5 },
    depth: { value: 5116.2109375, uncertainty: 1000 },
  } as const;
  const BULLETIN: Bulletin = { publicID: "smi:x.y/event/ev1", origin: [ORIGIN] };

  function told(bulletin: Bulletin) {
    const warnings: string[] = [];
    const row = rowOfBulletin(BulletinBody.parse(bulletin), (message) => warnings.push(message));
    return { row, warnings };
  }

  test("the row of a bulletin has kilometres, seconds and degrees of the preferred origin and magnitude", () => {
    const tensor = { publicID: "smi:x.y/mt1", derivedOriginID: "smi:x.y/or2" };
    const { row, warnings } = told({
      ...BULLETIN,
      preferredOriginID: "smi:x.y/or1",
      type: "earthquake",
      description: [{ text: "Taupo", type: "region name" }],
      origin: [
        { ...ORIGIN, publicID: "smi:x.y/or2", depth: { value: 0 } },
        {
          ...ORIGIN,
          quality: { usedPhaseCount: 12, azimuthalGap: 90.5 },
          originUncertainty: [{ horizontalUncertainty: 2500 }],
          timeFixed: true,
          evaluationMode: "manual",
        },
      ],
      magnitude: [
        { publicID: "smi:x.y/m1", mag: { value: 5 }, type: "ML", originID: "smi:x.y/or1" },
        { publicID: "smi:x.y/m2", mag: { value: 5.2, uncertainty: 0.1 }, type: "Mw" },
      ],
      focalMechanism: [
        {
          publicID: "smi:x.y/fm1",
          momentTensor: [{ ...tensor, scalarMoment: { value: 1e17, uncertainty: 1e16 } }],
        },
      ],
    });
    expect(warnings).toEqual([]);
    expect(row).toEqual({
      ...{ time: "2024-01-01T00:00:00Z", latitude: 1.5, longitude: 2.5, depth: 5.1162109375 },
      ...{ magnitude: 5, magnitude_type: "ML", depth_uncertainty: 1, region: "Taupo" },
      ...{ source_id: "ev1", event_type: "earthquake", evaluation_mode: "manual" },
      ...{ used_phase_count: 12, azimuthal_gap: 90.5 },
      ...{ horizontal_uncertainty: 2.5, time_uncertainty: 0.5 },
      focal_mechanisms: [
        { publicID: "smi:x.y/fm1", momentTensor: { ...tensor, scalarMoment: 1e17 } },
      ],
      extra: { time_fixed: true, public_id: "smi:x.y/event/ev1" },
    });
  });

  test("the row of a bulletin has what QuakeML does not allow in extra, as if it stood in its place", () => {
    const infinite = [
      { ns: BED, name: "mag", children: [{ ns: BED, name: "value", text: "INF" }] },
      { ns: BED, name: "type", text: "ML" },
    ];
    const { row, warnings } = told({
      ...BULLETIN,
      origin: [{ ...ORIGIN, foreign: [{ ns: BED, name: "evaluationMode", text: "robot" }] }],
      foreign: [
        { ns: BED, name: "type", text: "quarry" },
        { ns: "urn:other", name: "typeCertainty", text: "known" },
        { ns: "urn:anss", name: "eventsource", attribute: true, text: "us" },
        { ns: "urn:anss", name: "eventid", attribute: true, text: "7" },
        {
          ns: BED,
          name: "magnitude",
          attributes: [{ name: "publicID", text: "smi:x.y/m1" }],
          children: infinite,
        },
      ],
    });
    expect(row).toMatchObject({
      ...{ source_id: "us7", magnitude: null, magnitude_type: "ML", evaluation_mode: null },
      extra: { event_type: "quarry", evaluation_mode: "robot", magnitude: "INF" },
    });
    expect(row).not.toHaveProperty("event_type_certainty");
    expect(warnings).toHaveLength(3);
  });

  test("the row of a bulletin does not exist without an origin, and has no source_id of the service's", () => {
    expect(told({ publicID: "smi:x.y/ev1" }).row).toBe("the event has no origin");
    const publicID = serviceId("", "event", 3);
    expect(told({ ...BULLETIN, publicID }).row).not.toHaveProperty("source_id");
  });
});

test("ids of the service depend on the event, the kind and the place, and are what the schema takes", () => {
  const parts = [
    ["a", "pick", 0],
    ["a", "pick", 1],
    ["a", "arrival", 0],
    ["b", "pick", 0],
    ["a", "pick", "> é"],
  ] as const;
  const ids = parts.map(([event, kind, place]) => serviceId(event, kind, place));
  expect(new Set(ids).size).toBe(ids.length);
  expect(serviceId("a", "pick", 0)).toBe(ids[0]);
  for (const id of ids) expect(id).toMatch(/^smi:local\.catalogue\/[\w/]+$/);
});
