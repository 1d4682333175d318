import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { PARAMETER_NAMES } from "#contracts/fdsn/parameters.ts";
import { wadl } from "#infra/formats/fdsn/wadl.ts";
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
