import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue, CatalogueVersion } from "#contracts/http/catalogues.ts";
import type { EventChange } from "#contracts/http/events.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { keyed } from "../../support/api/keyed.ts";
import { listEvents, oneEvent } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { runs } from "../../support/runs.ts";
import { sharedService } from "../../support/service.ts";

const service = sharedService();
const editor = service.client("editor");
const eventsOf = (id: string, query = "") => listEvents(editor, id, query);
const versionsOf = async (id: string) =>
  (await editor.get<{ versions: CatalogueVersion[] }>(`/api/catalogues/${id}/versions`)).body
    .versions;
const restore = (id: string, version: number | string, headers?: Record<string, string>) =>
  editor.send<{ version: number }>(
    "POST",
    `/api/catalogues/${id}/versions/${version}/restore`,
    undefined,
    headers,
  );

const arbitraryMagnitude = fc.double({ min: -1, max: 9, noNaN: true });
const arbitraryStep = fc.oneof(
  fc.record({ kind: fc.constant("add" as const), magnitude: arbitraryMagnitude }),
  fc.record({
    kind: fc.constant("change" as const),
    which: fc.nat(),
    magnitude: arbitraryMagnitude,
    extra: fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 3,
    }),
  }),
  fc.record({ kind: fc.constant("remove" as const), which: fc.nat() }),
  fc.record({ kind: fc.constant("restore" as const), which: fc.nat() }),
);
type Step = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

let added = 0;

async function take(id: string, step: Step): Promise<void> {
  const path = `/api/catalogues/${id}/events`;
  if (step.kind === "add") {
    added += 1;
    const event = seismicEvent({
      id: `e${added}`,
      magnitude: step.magnitude,
      latitude: added % 90,
    });
    await editor.send("POST", path, { events: [event] });
    return;
  }
  if (step.kind === "restore") {
    const { version } = (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;
    await restore(id, (step.which % version) + 1);
    return;
  }
  const events = await eventsOf(id);
  const event = events[step.which % events.length];
  if (event === undefined) return;
  if (step.kind === "remove") await editor.send("DELETE", `${path}/${event.id}`);
  else {
    const { magnitude, extra } = step;
    await editor.send("PATCH", `${path}/${event.id}`, { magnitude, extra });
  }
}

describe("restoring a version", () => {
  test("whatever was done, a restored version differs in nothing from the one that it repeats", async () => {
    const steps = fc.array(arbitraryStep, { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(steps, fc.nat(), async (given, which) => {
        const { id } = await createCatalogue(editor);
        for (const step of given) await take(id, step);
        const versions = await versionsOf(id);
        const wanted = versions[which % versions.length]?.version ?? 1;
        const { version } = (await restore(id, wanted)).body;
        const { body } = await editor.get<{ changes: unknown[] }>(
          `/api/catalogues/${id}/versions/${version}/diff?from=${wanted}`,
        );
        expect(body).toMatchObject({ added: 0, updated: 0, removed: 0, changes: [] });
        expect(await eventsOf(id)).toEqual(await eventsOf(id, `asOf=${wanted}`));
        const now = (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body;
        expect(now.event_count).toBe((await eventsOf(id)).length);
        const latitudes = (await eventsOf(id)).map(({ latitude }) => latitude);
        expect(now.min_latitude).toBe(latitudes.length > 0 ? Math.min(...latitudes) : null);
      }),
      { numRuns: runs(12) },
    );
  });

  test("a restore is a version of its own, with cause and counts, and events keep their ids", async () => {
    const { id } = await createCatalogue(editor, {
      events: [seismicEvent({ id: "a" }), seismicEvent({ id: "b" })],
    });
    const before = await eventsOf(id);
    const [gone] = before;
    await editor.send("DELETE", `/api/catalogues/${id}/events/${gone?.id}`);
    const answer = await restore(id, 1);
    expect(answer).toMatchObject({ status: 200, body: { version: 3 } });
    expect(answer.headers.get("etag")).toBe('"3"');
    expect(await eventsOf(id)).toEqual(before);
    expect((await versionsOf(id))[0]).toMatchObject({
      cause: "restore",
      added: 1,
      updated: 0,
      removed: 0,
    });
    const history = `/api/catalogues/${id}/events/${gone?.id}/history`;
    const { body } = await editor.get<{ history: EventChange[] }>(history);
    expect(body.history).toMatchObject([
      { version: 3, change: "added", cause: "restore", restores: 1, actor: expect.any(String) },
      { version: 2, change: "removed", cause: "edit", restores: null },
      { version: 1, change: "added", cause: "created", import: null, sources: null },
    ]);
  });

  test("restoring what is already so makes no version, and what is not there is not found", async () => {
    const { id, change } = await oneEvent(editor);
    await change({ magnitude: 1 });
    await change({ magnitude: 7.8 });
    expect((await restore(id, 3)).body).toEqual({ version: 3 });
    expect((await restore(id, 1)).body).toEqual({ version: 3 });
    for (const version of ["0", "9", "x", "1.5"]) {
      expectRefusal(await restore(id, version), "NOT_FOUND");
    }
  });

  test("two at once make the version once; a condition that no longer holds is refused, a key answers as the first time", async () => {
    const { id, catalogue, send } = await oneEvent(editor);
    await send("DELETE", "");
    expectRefusal(await restore(id, 1, { "if-match": '"1"' }), "PRECONDITION_FAILED");
    const answers = await Promise.all([restore(id, 1), restore(id, 1), restore(id, 1)]);
    for (const { status } of answers) expect([200, 409]).toContain(status);
    expect((await editor.get<Catalogue>(catalogue)).body.version).toBe(3);
    const other = await oneEvent(editor);
    await other.send("DELETE", "");
    const key = keyed();
    const first = await restore(other.id, 1, key);
    expect(first.body).toEqual({ version: 3 });
    await other.send("DELETE", "");
    expect((await restore(other.id, 1, key)).body).toEqual(first.body);
    expect(await eventsOf(other.id)).toEqual([]);
  });
});

type Diff = {
  from: number;
  to: number;
  added: number;
  updated: number;
  removed: number;
  changes: { change: string; event: SeismicEvent; before?: SeismicEvent }[];
  nextCursor: string | null;
};
const guest = service.client("guest");
let versions: string;

/** Version 1 has a, b and c; 2 changes a; 3 removes b; 4 adds d. */
beforeAll(async () => {
  const events = ["a", "b", "c"].map((id, i) =>
    seismicEvent({ id, magnitude: i, region: "Ōtaki" }),
  );
  const { id } = await createCatalogue(editor, { is_public: true, events });
  versions = `/api/catalogues/${id}/versions`;
  const path = `/api/catalogues/${id}/events`;
  const all = await listEvents(editor, id);
  const idOf = (name: string) => all.find((event) => event.source_id === name)?.id;
  await editor.send("PATCH", `${path}/${idOf("a")}`, { magnitude: 6, extra: { by: "hand" } });
  await editor.send("DELETE", `${path}/${idOf("b")}`);
  await editor.send("POST", path, { events: [seismicEvent({ id: "d", magnitude: 4 })] });
});

const diff = async (query: string) => (await guest.get<Diff>(`${versions}/${query}`)).body;
const told = ({ changes }: Diff) =>
  changes.map(({ change, event, before }) => [
    change,
    event.source_id,
    ...(before ? [before.magnitude, event.magnitude] : []),
  ]);

describe("the difference between versions", () => {
  test("the difference from the version before is what the version changed, with its counts", async () => {
    const answer = await guest.get<Diff>(`${versions}/2/diff`);
    expect(answer.body).toMatchObject({ from: 1, to: 2, added: 0, updated: 1, removed: 0 });
    expect(answer.body.changes[0]).toMatchObject({
      change: "updated",
      event: { magnitude: 6, extra: { by: "hand" }, region: "Ōtaki" },
      before: { magnitude: 0, extra: null },
    });
    expect(answer.body.nextCursor).toBeNull();
    expect(answer.headers.get("etag")).toBe('"2"');
    expect(answer.headers.get("cache-control")).toBe("public, max-age=3600");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  test("the difference of versions far apart, of later from earlier, and of the empty catalogue", async () => {
    expect(told(await diff("4/diff?from=1"))).toEqual([
      ["updated", "a", 0, 6],
      ["removed", "b"],
      ["added", "d"],
    ]);
    expect(told(await diff("1/diff?from=4"))).toEqual([
      ["updated", "a", 6, 0],
      ["added", "b"],
      ["removed", "d"],
    ]);
    expect(told(await diff("4/diff?from=0")).map(([change]) => change)).toEqual(
      Array(3).fill("added"),
    );
    expect(await diff("3/diff?from=3")).toMatchObject({ added: 0, updated: 0, removed: 0 });
  });

  test("a change counts where its event satisfies the filters before or after", async () => {
    expect(told(await diff("4/diff?from=1&maxMagnitude=0"))).toEqual([["updated", "a", 0, 6]]);
    const strong = await diff("4/diff?from=1&minMagnitude=4");
    expect(told(strong)).toEqual([
      ["updated", "a", 0, 6],
      ["added", "d"],
    ]);
    expect(strong).toMatchObject({ added: 1, updated: 1, removed: 0 });
  });

  test("pages by cursor join to the whole, and each has the counts of all", async () => {
    const first = await diff("4/diff?from=1&limit=2&maxDepth=100");
    expect(first).toMatchObject({ added: 1, updated: 1, removed: 1 });
    expect(first.changes).toHaveLength(2);
    const second = await diff(`4/diff?cursor=${first.nextCursor}`);
    expect(second).toMatchObject({ from: 1, added: 1, updated: 1, removed: 1, nextCursor: null });
    expect([...told(first), ...told(second)]).toEqual(told(await diff("4/diff?from=1")));
    for (const query of ["from=2&", "minMagnitude=1&", "maxDepth=99&"]) {
      const answer = await guest.get(`${versions}/4/diff?${query}cursor=${first.nextCursor}`);
      expectRefusal(answer, "INVALID_CURSOR");
    }
    const elsewhere = await guest.get(`${versions}/3/diff?cursor=${first.nextCursor}`);
    expectRefusal(elsewhere, "INVALID_CURSOR");
  });

  test("as GeoJSON the change is a property, and as CSV a column, with a link to the next page", async () => {
    const features = await guest.get<{ features: { properties: Record<string, unknown> }[] }>(
      `${versions}/4/diff?from=1&format=geojson`,
    );
    expect(features.headers.get("content-type")).toContain("application/geo+json");
    expect(features.body).toMatchObject({ type: "FeatureCollection", from: 1, to: 4, removed: 1 });
    expect(features.body.features.map(({ properties }) => properties["change"])).toEqual([
      "updated",
      "removed",
      "added",
    ]);
    const table = await guest.get<string>(`${versions}/4/diff?from=1&format=csv&limit=2`);
    const [head, ...records] = table.body.trimEnd().split("\r\n");
    expect(head).toMatch(/^change,id,time,latitude/);
    expect(records.map((record) => record.split(",")[0])).toEqual(["updated", "removed"]);
    const next = /<([^>]+)>; rel="next"/.exec(table.headers.get("link") ?? "")?.[1];
    const last = await guest.get<string>(new URL(next ?? "").pathname + new URL(next ?? "").search);
    expect(last.body.split("\r\n")[1]).toMatch(/^added,/);
  });

  test("the difference is refused of what is no version, and with what is no query", async () => {
    for (const [query, code] of [
      ["5/diff", "NOT_FOUND"],
      ["4/diff?from=9", "NOT_FOUND"],
      ["0/diff", "NOT_FOUND"],
      ["x/diff", "NOT_FOUND"],
      ["4/diff?from=-1", "VALIDATION_ERROR"],
      ["4/diff?limit=0", "VALIDATION_ERROR"],
      ["4/diff?limit=1001", "VALIDATION_ERROR"],
      ["4/diff?format=xml", "VALIDATION_ERROR"],
      ["4/diff?asOf=1", "VALIDATION_ERROR"],
      ["4/diff?cursor=AAAA", "INVALID_CURSOR"],
    ] as const) {
      expectRefusal(await guest.get(`${versions}/${query}`), code);
    }
  });
});

const BASE = "http://catalogues.example.org";
let path: string;
let committed: CatalogueVersion[];

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
  committed = answer.body.versions.toReversed();
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
      expect(headers.get("memento-datetime")).toBe(rfc1123(committed[1]?.created_at ?? ""));
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
    for (const [i, { version, created_at: time }] of committed.entries()) {
      const end = rfc1123(time);
      const next = committed[i + 1];
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
      committed.map(({ version, created_at: time }, i) => {
        const rel = ["first memento", "memento", "last memento"][i];
        return `<${BASE}${path}/versions/${version}>; rel="${rel}"; datetime="${rfc1123(time)}"`;
      }),
    );
    expect((await guest.get(`${path}/versions`)).body).toHaveProperty("versions");
  });
});
