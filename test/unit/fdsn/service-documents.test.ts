import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applicationJson,
  catalogsXml,
  contributorsXml,
} from "#infra/formats/fdsn/service-documents.ts";
import { queryOf } from "./parsed.ts";
import { readXml } from "./xml-document.ts";

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
