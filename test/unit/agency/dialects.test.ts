import { describe, expect, test } from "vitest";
import { SERVICE_DIALECTS, type ServiceDialect } from "#contracts/events/imports.ts";
import { descriptionUrl, readDescription } from "#infra/agency/agency-client.ts";
import { answerForm, dialectOf, takesUpdatedAfter } from "#infra/agency/query.ts";
import { wadl } from "#infra/formats/facade/fdsn-documents.ts";
import { testRows } from "../../support/test-rows.ts";

testRows(
  "the dialect of a service is told by its host",
  [
    ["https://service.geonet.org.nz/fdsnws/event/1", "geonet"],
    ["https://earthquake.usgs.gov/fdsnws/event/1/", "comcat"],
    ["http://www.isc.ac.uk/fdsnws/event/1", "isc"],
    ["https://WWW.SeismicPortal.eu/fdsnws/event/1", "emsc"],
    ["https://geofon.gfz.de/fdsnws/event/1", "seiscomp"],
    ["https://webservices.ingv.it/fdsnws/event/1", "fdsn"],
    ["https://geonet.org.nz.example/fdsnws/event/1", "fdsn"],
    ["https://notusgs.gov/fdsnws/event/1", "fdsn"],
    ["http://127.0.0.1:8080/fdsnws/event/1", "fdsn"],
  ] as const,
  (url, dialect) => {
    expect(dialectOf(url)).toBe(dialect);
  },
);

const ORIGINS_AND_MAGNITUDES = ["includeallorigins", "includeallmagnitudes"];
const STANDARD = [...ORIGINS_AND_MAGNITUDES, "includearrivals"];

describe("events in full", () => {
  const formOf = (dialect: ServiceDialect, ...described: readonly string[]) =>
    answerForm(dialect, "full", async () => new Set(described));

  testRows(
    "events in full of a known dialect come in its format, with what it includes",
    [
      ["geonet", "xml", []],
      ["comcat", "xml", ORIGINS_AND_MAGNITUDES],
      ["isc", "isf", STANDARD],
      ["emsc", "xml", STANDARD],
    ] as const,
    async (dialect, format, includes) => {
      const undescribed = () => Promise.reject(new Error("the description is not asked for"));
      const form = await answerForm(dialect, "full", undescribed);
      expect([form.format, form.includes[0]]).toEqual([format, includes]);
    },
  );

  test("events in full of any other service come with what its description names of it", async () => {
    const names = ["starttime", "includearrivals", "includepicks", "includedeleted"];
    expect(await formOf("fdsn", ...names)).toEqual({
      format: "xml",
      includes: [["includearrivals", "includepicks"], ["includearrivals"], []],
    });
    expect(await formOf("seiscomp")).toEqual({ format: "xml", includes: [[]] });
  });

  test("events in full are asked for with ever less", async () => {
    const { includes } = await formOf("seiscomp", ...STANDARD, "includecomments");
    expect(includes).toEqual([[...STANDARD, "includecomments"], STANDARD, ["includearrivals"], []]);
  });
});

describe("a description", () => {
  async function read(text: string, status = 200): Promise<string[]> {
    async function* body() {
      for (let at = 0; at < text.length; at += 1000) yield Buffer.from(text.slice(at, at + 1000));
    }
    return [...(await readDescription({ status, headers: {}, body: body() }))];
  }

  test("a description of this service names all that it knows", async () => {
    const names = await read(wadl("http://localhost/fdsnws/event/1"));
    expect(names).toEqual(expect.arrayContaining(["starttime", ...STANDARD, "includepicks"]));
  });

  test("a description is read with prefixes, in any case, without what stands in comments", async () => {
    const text =
      '<w:application xmlns:w="u"><w:param name="IncludeArrivals"/><!-- <param name="includepicks"/> -->' +
      '<doc name="includecomments"/><w:param name="尺度"/></w:application>';
    expect(await read(text)).toEqual(["includearrivals", "尺度"]);
  });

  testRows(
    "a description that is broken has what was read of it",
    [
      ['<application><param name="includearrivals"/><par', ["includearrivals"]],
      ['<application><param name="includearrivals"></q><param name="x"/>', ["includearrivals"]],
      ["<html><body>no such page", []],
      ["", []],
      ["{}", []],
    ],
    async (text, names) => {
      expect(await read(text)).toEqual(names);
    },
  );

  test("a description that is refused names nothing", async () => {
    expect(await read('<application><param name="includearrivals"/></application>', 404)).toEqual(
      [],
    );
  });

  test("a description lies beside the queries", () => {
    expect(descriptionUrl("http://a/fdsnws/event/1/").href).toBe(
      "http://a/fdsnws/event/1/application.wadl",
    );
  });
});

test("a summary is text, QuakeML where there is no text, and nothing more is asked for in any dialect", async () => {
  const undescribed = () => Promise.reject(new Error("the description was asked for"));
  for (const dialect of SERVICE_DIALECTS) {
    const format = dialect === "isc" ? "xml" : "text";
    expect(await answerForm(dialect, "summary", undescribed)).toEqual({ format, includes: [[]] });
  }
});

test("what changed since a time is asked where the dialect or its description can tell", async () => {
  const asked: string[] = [];
  for (const dialect of SERVICE_DIALECTS) {
    const described = async () => {
      asked.push(dialect);
      return new Set(["updatedafter"]);
    };
    expect(await takesUpdatedAfter(dialect, described)).toBe(!/seiscomp|isc/.test(dialect));
  }
  expect(asked).toEqual(["fdsn"]);
  expect(await takesUpdatedAfter("fdsn", async () => new Set(["limit"]))).toBe(false);
});
