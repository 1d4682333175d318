import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogue.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

const BASE = "http://catalogues.example.org";
const service = sharedService();
const editor = clientOf(service, "editor");
const guest = clientOf(service, "guest");
let path: string;
let versions: CatalogueVersion[];

const METADATA = {
  title: "Aftershocks of Kaikōura",
  creators: [{ name: "Example, Ann" }],
  license: "CC-BY-4.0",
  doi: "https://doi.org/10.1234/abc",
};

/** Public, of three versions. */
beforeAll(async () => {
  const { id } = await createCatalogue(editor, { is_public: true });
  path = `/api/catalogues/${id}`;
  await editor.send("PATCH", path, { metadata: METADATA });
  for (const name of ["b", "c"]) {
    await editor.send("POST", `${path}/events`, { events: [seismicEvent({ id: name })] });
  }
  const answer = await guest.get<{ versions: CatalogueVersion[] }>(`${path}/versions`);
  versions = answer.body.versions.toReversed();
});

const linksOf = (headers: Headers) =>
  Object.fromEntries(
    (headers.get("link") ?? "").split(/, (?=<)/).map((link) => {
      const [, href, rel] = /^<([^>]*)>; rel="([^"]*)"/.exec(link) ?? [];
      return [rel, href];
    }),
  );
const rfc1123 = (time: string | number) => new Date(time).toUTCString();

describe("how a version is cited", () => {
  const citation = async (query: string) => {
    const { body } = await guest.get(`${path}/versions/2/citation?${query}`);
    return typeof body === "string" ? body : JSON.stringify(body, null, 2);
  };

  test("is told in every format, as text by default", async () => {
    for (const [format, type, text] of [
      [
        "text",
        "text/plain",
        /^Example, Ann \(\d{4}\): Aftershocks of Kaikōura\. Version 2\. Dataset\. https:\/\/doi\.org\/10\.1234\/abc\. sha256:[0-9a-f]{64}\n$/,
      ],
      ["bibtex", "application/x-bibtex", /^@misc\{[\s\S]*author = \{Example, Ann\}/],
      ["ris", "application/x-research-info-systems", /^TY {2}- DATA\r\nAU {2}- Example, Ann\r\n/],
      ["datacite", "application/vnd.datacite.datacite+json", /"doi": "10\.1234\/abc"/],
      ["cff", "application/yaml", /^cff-version: 1\.2\.0\n/],
    ] as const) {
      const { headers } = await guest.head(`${path}/versions/2/citation?format=${format}`);
      expect(headers.get("content-type")).toContain(type);
      expect(await citation(`format=${format}`)).toMatch(text);
    }
    expect(await citation("")).toBe(await citation("format=text"));
    for (const [query, name] of [
      ["minMagnitude=a", "minMagnitude"],
      ["minMagnitude=3&maxMagnitude=2", "minMagnitude"],
      ["latitude=1", "longitude"],
      ["asOf=1", "asOf"],
      ["limit=1", "limit"],
      ["format=apa", "format"],
    ] as const) {
      const answer = await guest.get(`${path}/versions/2/citation?${query}`);
      expectRefusal(answer, "VALIDATION_ERROR", name);
    }
    expectRefusal(await guest.get(`${path}/versions/9/citation`), "NOT_FOUND");
  });

  test("with filters it tells what was used of it, in every format, and nothing else changes", async () => {
    const filters = "minMagnitude=2&maxDepth=40&latitude=-38.8&longitude=175.9&maxRadiusKm=30";
    const told = "Selection: M ≥ 2, depth ≤ 40 km, within 30 km of 38.8° S 175.9° E";
    expect(await citation(filters)).toBe(
      (await citation("")).replace("Dataset. ", `Dataset. ${told}. `),
    );
    expect(await citation(`format=ris&${filters}`)).toContain(`\r\nN1  - ${told}\r\n`);
    expect(await citation(`format=bibtex&${filters}`)).toContain(
      "Selection: M $\\geq$ 2, depth $\\leq$ 40 km, within 30 km of",
    );
    expect(await citation(`format=cff&${filters}`)).toContain(`version of it. ${told}."`);
    expect(JSON.parse(await citation(`format=datacite&${filters}`)).descriptions).toEqual([
      { description: told, descriptionType: "Methods" },
    ]);
    for (const format of ["ris", "bibtex", "cff", "datacite"]) {
      expect(await citation(`format=${format}`)).not.toContain("Selection");
    }
  });

  test("DataCite's box is the version's smallest, also across the antimeridian", async () => {
    const at = (longitude: number) => seismicEvent({ id: `at${longitude}`, longitude });
    const { id } = await createCatalogue(editor, { is_public: true, events: [at(178), at(-179)] });
    await editor.send("POST", `/api/catalogues/${id}/events`, { events: [at(-90), at(90)] });
    const boxOf = async (version: number) => {
      const address = `/api/catalogues/${id}/versions/${version}/citation?format=datacite`;
      const { body } = await guest.get<{ geoLocations: { geoLocationBox: object }[] }>(address);
      return body.geoLocations[0]?.geoLocationBox;
    };
    expect(await boxOf(1)).toMatchObject({ westBoundLongitude: 178, eastBoundLongitude: -179 });
    expect(await boxOf(2)).toMatchObject({ westBoundLongitude: 90, eastBoundLongitude: -90 });
  });

  test("the headers of a version, its citation and its files say what it is cited as and where it is described", async () => {
    const own = `${BASE}${path}/versions/2`;
    for (const at of [
      `${path}/versions/2`,
      `${path}/versions/2/citation`,
      `${path}/export?asOf=2`,
    ]) {
      const { headers } = await editor.get(at);
      expect(linksOf(headers)).toMatchObject({
        "cite-as": "https://doi.org/10.1234/abc",
        describedby: `${own}/citation?format=datacite`,
        license: "https://spdx.org/licenses/CC-BY-4.0.html",
        collection: BASE + path,
        item: `${own}/fdsnws/event/1/query`,
        timemap: `${BASE}${path}/versions`,
        memento: own,
      });
      expect(headers.get("memento-datetime")).toBe(rfc1123(versions[1]?.created_at ?? ""));
    }
  });

  test("without a DOI it is cited as its address, without a title by the catalogue's name", async () => {
    const { id } = await createCatalogue(editor, { is_public: true, name: "Plain" });
    const answer = await guest.get(`/api/catalogues/${id}/versions/1/citation`);
    const own = `${BASE}/api/catalogues/${id}/versions/1`;
    expect(answer.body).toMatch(/^Plain \(\d{4}\)\. Version 1\. Dataset\. /);
    expect(answer.body).toContain(`Dataset. ${own}. sha256:`);
    expect(linksOf(answer.headers)["cite-as"]).toBe(own);
  });

  test("whoever asks for HTML is sent to the console's page of the version", async () => {
    const response = await fetch(new URL(`${path}/versions/2`, service.url), {
      headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" },
      redirect: "manual",
    });
    expect(response.status).toBe(303);
    expect(response.headers.get("location")).toBe(`/catalogues/${path.split("/").at(-1)}?asOf=2`);
  });
});

describe("versions by time", () => {
  const at = (time: string) => ({ "accept-datetime": time });

  test("a read at a time is of the version of that time, and says so", async () => {
    for (const [i, { version, created_at: time }] of versions.entries()) {
      const end = rfc1123(time);
      const next = versions[i + 1];
      // Of several versions in one second the last is meant.
      if (next && rfc1123(next.created_at) === end) continue;
      for (const read of [
        "/events?limit=10",
        "/events/filtered",
        "/fdsnws/event/1/query?format=text",
      ]) {
        const answer = await guest.get(path + read, at(end));
        expect(answer.headers.get("etag")).toMatch(new RegExp(`^"${version}["-]`));
        expect(answer.headers.get("memento-datetime")).toBe(end);
        expect(answer.headers.get("vary")).toContain("accept-datetime");
        expect(answer.headers.get("content-location")).toMatch(new RegExp(`as[oO]f=${version}$`));
        expect(linksOf(answer.headers)["timemap"]).toBe(`${BASE}${path}/versions`);
      }
    }
  });

  test("a time before the first version is not found, a malformed one is refused, and an address of a version is what it is", async () => {
    const early = at("Tue, 15 Nov 1994 12:45:26 GMT");
    expectRefusal(await guest.get(`${path}/events`, early), "NOT_FOUND");
    for (const text of ["yesterday", "2026-01-01T00:00:00Z", "Wed, 15 Nov 1994 12:45:26 GMT", ""]) {
      expectRefusal(
        await guest.get(`${path}/events`, at(text)),
        "VALIDATION_ERROR",
        "Accept-Datetime",
      );
    }
    const pinned = await guest.get(`${path}/events?asOf=2`, early);
    expect([pinned.status, pinned.headers.get("etag")]).toEqual([200, '"2"']);
    expect((await guest.get(`${path}/versions/2/fdsnws/event/1/query`, early)).status).toBe(200);
    expect((await guest.get<Catalogue>(path, early)).status).toBe(200);
  });

  test("the versions are also a time map", async () => {
    const answer = await guest.get<string>(`${path}/versions`, {
      accept: "application/link-format",
    });
    expect(answer.headers.get("content-type")).toContain("application/link-format");
    const lines = answer.body.trimEnd().split(",\n");
    expect(lines[0]).toBe(`<${BASE}${path}>; rel="original"`);
    expect(lines.slice(3)).toEqual(
      versions.map(({ version, created_at: time }, i) => {
        const rel = ["first memento", "memento", "last memento"][i];
        return `<${BASE}${path}/versions/${version}>; rel="${rel}"; datetime="${rfc1123(time)}"`;
      }),
    );
    expect((await guest.get(`${path}/versions`)).body).toHaveProperty("versions");
  });
});
