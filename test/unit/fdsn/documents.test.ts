import { spawnSync } from "node:child_process";
import fc from "fast-check";
import { SaxesParser } from "saxes";
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

/** An element with what clients look at. */
type XmlElement = {
  /** Without its prefix. */
  readonly name: string;
  readonly prefix: string;
  readonly uri: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: XmlElement[];
  text: string;
};

/** The root of a whole, well-formed document. */
function readXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const open: XmlElement[] = [];
  let root: XmlElement | undefined;
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, prefix, uri, attributes }) => {
    const named = Object.values(attributes).map(({ name, value }) => [name, value] as const);
    const element = {
      name: local,
      prefix,
      uri,
      attributes: new Map(named),
      children: [],
      text: "",
    };
    open.at(-1)?.children.push(element);
    root ??= element;
    open.push(element);
  });
  parser.on("text", (piece) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += piece;
  });
  parser.on("closetag", () => {
    open.pop();
  });
  parser.write(text).close();
  if (root === undefined) throw new Error("there is no element");
  return root;
}

/** The elements below one, of a name, in the order of the document. */
function descendants(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => [
    ...(child.name === name ? [child] : []),
    ...descendants(child, name),
  ]);
}

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

  /** The parameters of a query as ObsPy finds them: in the document's own namespace, without a prefix. */
  function paramsOfQuery(): Map<string, XmlElement> {
    const below = (element: XmlElement, name: string) =>
      descendants(element, name).filter(({ prefix, uri }) => prefix === "" && uri === root.uri);
    const [query] = below(root, "method").filter(
      ({ attributes }) => attributes.get("id") === "query",
    );
    const params = below(query ?? root, "param");
    return new Map(params.map((param) => [param.attributes.get("name") ?? "", param]));
  }
  const valuesOf = (param: XmlElement | undefined) =>
    param?.children.flatMap(({ attributes }) => attributes.get("value") ?? []);

  test("the WADL names every parameter of a query once, none of them required, each of a type that ObsPy has", () => {
    const params = paramsOfQuery();
    expect([root.name, root.prefix]).toEqual(["application", ""]);
    expect([...params.keys()].sort()).toEqual([...PARAMETER_NAMES].sort());
    for (const name of OBSPY_ARGUMENTS) expect([...params.keys()]).toContain(name);
    for (const [name, { attributes }] of params) {
      expect(attributes.get("style"), name).toBe("query");
      expect(attributes.get("required") ?? "false", name).toBe("false");
      expect(attributes.get("type"), name).toMatch(/^xs:(dateTime|string|double|integer|boolean)$/);
    }
    const typeOf = (name: string) => params.get(name)?.attributes.get("type")?.slice(3);
    expect("starttime limit minradius includearrivals asof".split(" ").map(typeOf)).toEqual(
      "dateTime integer double boolean string".split(" "),
    );
    expect(valuesOf(params.get("orderby"))).toEqual(
      "time time-asc magnitude magnitude-asc".split(" "),
    );
  });

  test("the WADL tells QQuake where the query is, the whole Earth, and the formats", () => {
    const [resources, ...others] = descendants(root, "resources");
    expect([resources?.attributes.get("base"), others]).toEqual([`${BASE}/`, []]);
    const params = paramsOfQuery();
    const bounds = "minlongitude minlatitude maxlongitude maxlatitude".split(" ");
    expect(bounds.map((name) => Number(params.get(name)?.attributes.get("default")))).toEqual([
      -180, -90, 180, 90,
    ]);
    const formats = ["text", "json", "geojson", "kml"];
    expect(valuesOf(params.get("format"))).toEqual(expect.arrayContaining(formats));
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
