import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PARAMETER_NAMES } from "#contracts/fdsn/parameters.ts";
import {
  applicationJson,
  catalogsXml,
  contributorsXml,
  errorJson,
  errorText,
  wadl,
} from "#infra/formats/facade/fdsn-documents.ts";
import { testRows } from "../../support/test-rows.ts";
import { faultOf, queryOf } from "./parsed.ts";
import { readAsObspy, readAsQquake } from "./wadl-clients.ts";
import { descendants, readXml } from "./xml-document.ts";

const BASE =
  "https://example.org/api/catalogues/7f3e1b52-9c4d-4a86-b000-000100000001/fdsnws/event/1";
const hasXmllint = spawnSync("xmllint", ["--version"]).status === 0;

/** All parameters that ObsPy's get_events has of its own. */
const OBSPY_ARGUMENTS = [
  ..."starttime endtime minlatitude maxlatitude minlongitude maxlongitude latitude".split(" "),
  ..."longitude minradius maxradius mindepth maxdepth minmagnitude maxmagnitude".split(" "),
  ..."magnitudetype eventtype includeallorigins includeallmagnitudes includearrivals".split(" "),
  ..."eventid limit offset orderby catalog contributor updatedafter".split(" "),
];

describe("the WADL", () => {
  const text = wadl(BASE);
  const root = readXml(text);

  test("ObsPy's rules read all parameters from the WADL, each with a type", () => {
    const parameters = readAsObspy(text);
    const { starttime, limit, minradius, includearrivals, asof, orderby } =
      Object.fromEntries(parameters);
    expect([...parameters.keys(), "nodata"].sort()).toEqual([...PARAMETER_NAMES].sort());
    for (const name of OBSPY_ARGUMENTS) expect([...parameters.keys()]).toContain(name);
    expect(starttime?.type).toBe("time");
    expect(limit?.type).toBe("int");
    expect(minradius?.type).toBe("float");
    expect(includearrivals?.type).toBe("bool");
    expect(asof?.type).toBe("string");
    expect(orderby?.options).toEqual(["time", "time-asc", "magnitude", "magnitude-asc"]);
  });

  test("QQuake's rules find the query, the whole Earth and what it asks for in the WADL", () => {
    const { endpoint, boundingBox, knows } = readAsQquake(text);
    expect(endpoint).toBe(`${BASE}/query?`);
    expect(boundingBox).toEqual([-180, -90, 180, 90]);
    expect([...knows]).toEqual(
      expect.arrayContaining([
        ..."eventid mindepth includeallorigins includeallmagnitudes updatedafter catalog".split(
          " ",
        ),
        ..."eventtype includearrivals maxradius maxradiuskm text json geojson kml".split(" "),
      ]),
    );
  });

  test("the WADL has a resource for each method, all of them GET and with an id of their own", () => {
    const paths = descendants(root, "resource").map(({ attributes }) => attributes.get("path"));
    const methods = descendants(root, "method");
    expect(paths).toEqual(
      "query count catalogs contributors version application.wadl application.json".split(" "),
    );
    expect(methods.map(({ attributes }) => attributes.get("id"))).toEqual(paths);
    expect(methods.every(({ attributes }) => attributes.get("name") === "GET")).toBe(true);
  });

  test("every parameter of the WADL says what it means", () => {
    for (const param of descendants(root, "param")) {
      const [doc] = descendants(param, "doc");
      expect(doc?.text.length, param.attributes.get("name")).toBeGreaterThan(10);
    }
  });

  testRows(
    "each option and default of a method is accepted",
    ["query", "count"] as const,
    (method) => {
      const [resource] = descendants(root, "resource").filter(
        ({ attributes }) => attributes.get("path") === method,
      );
      if (resource === undefined) throw new Error(`there is no ${method}`);
      for (const param of descendants(resource, "param")) {
        const name = param.attributes.get("name") ?? "";
        const options = descendants(param, "option").map(({ attributes }) =>
          attributes.get("value"),
        );
        const byDefault = param.attributes.get("default");
        const centre = name.includes("radius") ? "&latitude=0&longitude=0" : "";
        for (const value of byDefault === undefined ? options : [...options, byDefault]) {
          queryOf(`${name}=${value}${centre}`, { method });
        }
        if (byDefault !== undefined) {
          expect(queryOf(`${name}=${byDefault}${centre}`, { method })).toEqual(
            queryOf(centre, { method }),
          );
        }
        if (options.length > 0) expect(faultOf(`${name}=none`, { method }).parameter).toBe(name);
      }
    },
  );

  test("an address is escaped, and a slash at its end is not doubled", () => {
    const base = readXml(wadl('https://example.org/a&b"<c>/event/1/')).children[0];
    expect(base?.attributes.get("base")).toBe('https://example.org/a&b"<c>/event/1/');
  });

  test.skipIf(!hasXmllint)("xmllint finds the WADL well-formed", () => {
    const run = spawnSync("xmllint", ["--noout", "--nonet", "-"], {
      input: text,
      encoding: "utf8",
    });
    expect(run.stderr).toBe("");
  });
});

describe("the re-expressed rules of clients", () => {
  const text = wadl(BASE);

  testRows(
    "ObsPy's reader refuses what ObsPy refuses",
    [
      ["a prefix", text.replaceAll(/<(\/?)(?=[a-z])/g, "<$1w:").replace("xmlns=", "xmlns:w=")],
      ["an address of stations", text.replaceAll("example.org", "station.example.org")],
      ["a decimal type", text.replace("xs:double", "xs:decimal")],
      [
        "a default that is no date",
        text.replace('type="xs:dateTime"', 'type="xs:dateTime" default="NOW"'),
      ],
      ["a required parameter", text.replace('style="query"', 'style="query" required="true"')],
      ["a missing parameter", text.replaceAll("mindepth", "leastdepth")],
      ["another style", text.replace('style="query"', 'style="plain"')],
    ],
    (_, faulty) => {
      expect(faulty).not.toBe(text);
      expect(() => readAsObspy(faulty)).toThrow();
    },
  );
});

describe("the lists of catalogues and contributors", () => {
  test("a list of names is XML without a namespace", () => {
    expect(catalogsXml(["Kaikōura & <more>"])).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n' +
        "<Catalogs><Catalog>Kaikōura &amp; &lt;more&gt;</Catalog></Catalogs>\n",
    );
    expect(contributorsXml([])).toBe(
      '<?xml version="1.0" encoding="UTF-8"?>\n<Contributors></Contributors>\n',
    );
  });

  test("names come back as the text format has them, whatever they hold", () => {
    expect(readXml(catalogsXml(["a|b"])).children[0]?.text).toBe("a b");
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
        const { name, uri, children } = readXml(contributorsXml(names));
        expect([name, uri, children.length]).toEqual(["Contributors", "", names.length]);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[!-{}~À-ž]{1,40}$/), (name) => {
        expect(readXml(contributorsXml([name])).children[0]?.text).toBe(name);
      }),
    );
  });
});

test("application.json has ComCat's lists, and event types that a query may name", () => {
  const lists = JSON.parse(
    applicationJson({ catalogs: ["GeoNet"], contributors: ["WEL"], magnitudeTypes: ["ML", "Mw"] }),
  );
  expect(Object.keys(lists)).toEqual([
    "catalogs",
    "contributors",
    "producttypes",
    "eventtypes",
    "magnitudetypes",
  ]);
  expect(lists).toMatchObject({ catalogs: ["GeoNet"], contributors: ["WEL"], producttypes: [] });
  expect(lists.magnitudetypes).toEqual(["ML", "Mw"]);
  for (const type of lists.eventtypes) {
    expect(queryOf(`eventtype=${encodeURIComponent(type)}`).eventTypes).not.toBeNull();
  }
});

const ERROR = {
  status: 400,
  detail: "minlatitude: expected degrees from pole to pole",
  usage: "https://example.org/api/docs",
  request: "https://example.org/api/catalogues/7f3e/fdsnws/event/1/query?minlat=100",
  submitted: "2024-05-05T10:11:12Z",
};

describe("the text of an error", () => {
  test("the text of an error has the blocks of the standard", () => {
    expect(errorText(ERROR)).toBe(
      [
        "Error 400: Bad Request",
        "",
        "minlatitude: expected degrees from pole to pole",
        "",
        "Usage details are available from https://example.org/api/docs",
        "",
        "Request:",
        "https://example.org/api/catalogues/7f3e/fdsnws/event/1/query?minlat=100",
        "",
        "Request Submitted:",
        "2024-05-05T10:11:12Z",
        "",
        "Service version:",
        "1.2.0",
        "",
      ].join("\n"),
    );
  });

  testRows(
    "a status is called by its name",
    [
      [401, "Unauthorized"],
      [404, "Not Found"],
      [413, "Payload Too Large"],
      [429, "Too Many Requests"],
      [503, "Service Unavailable"],
    ],
    (status, name) => {
      expect(errorText({ ...ERROR, status })).toMatch(new RegExp(`^Error ${status}: ${name}\n\n`));
    },
  );

  test("the status is the only number of several digits in front of the request", () => {
    const anyDetail = fc.string({ unit: fc.constantFrom(..."0123456789., -x\r\n\u2028\0") });
    fc.assert(
      fc.property(anyDetail, (detail) => {
        const [head = ""] = errorText({ ...ERROR, detail }).split("\n\nRequest:\n");
        expect(head.match(/\d\d+/g)).toEqual(["400"]);
        expect(head.split("\n\n")).toHaveLength(3);
      }),
    );
  });

  test("people are told the whole address where they sign in; a time is left out as one number", () => {
    const detail = "The access token expired on 2026-11-26T20:15:00.000Z";
    const text = errorText({ ...ERROR, detail, signIn: "http://127.0.0.1:3000/login" });
    const sentence = "The access token expired on .... Sign in at http://127.0.0.1:3000/login";
    expect(text).toContain(`\n\n${sentence}\n\n`);
  });

  test("the documentation is named by its whole address, on a numbered port too", () => {
    const text = errorText({ ...ERROR, usage: "http://127.0.0.1:3000/api/docs" });
    expect(text).toContain("\nUsage details are available from http://127.0.0.1:3000/api/docs\n");
  });
});

test("an error as JSON is a collection without features, as ComCat's", () => {
  expect(JSON.parse(errorJson(ERROR))).toEqual({
    type: "FeatureCollection",
    metadata: {
      status: 400,
      generated: 1_714_903_872_000,
      url: ERROR.request,
      title: "Search Error",
      api: "1.2.0",
      count: 0,
      error: ERROR.detail,
    },
    features: [],
  });
});
