import { beforeAll, describe, expect, test } from "vitest";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue, seismicEvent } from "../../support/api/catalogue.ts";
import { clientOf } from "../../support/api/client-of.ts";
import { listEvents } from "../../support/api/one-event.ts";
import { expectRefusal } from "../../support/api/refusal.ts";
import { sharedService } from "../../support/service.ts";

type Diff = {
  from: number;
  to: number;
  added: number;
  updated: number;
  removed: number;
  changes: { change: string; event: SeismicEvent; before?: SeismicEvent }[];
  nextCursor: string | null;
};

const service = sharedService();
const editor = clientOf(service, "editor");
const guest = clientOf(service, "guest");
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
