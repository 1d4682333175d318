import { describe, expect, test, vi } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { sharedService } from "../../support/service.ts";
import { createCatalogue } from "../support/catalogue.ts";
import { whileProcessing } from "../support/open-revision.ts";
import { expectRefusal } from "../support/refusal.ts";

const service = sharedService();
const editor = () => service.loginAs("editor");

describe("GET /api/catalogues", () => {
  type List = { catalogues: Catalogue[]; total: number; page: number; pageSize: number };
  const list = async (query: string) =>
    (await (await service.loginAs("guest")).get<List>(`/api/catalogues?${query}`)).body;

  test("GET /api/catalogues pages through the matching names, newest first", async () => {
    const names = ["one", "two", "three"].map((name) => `paging ${name}`);
    for (const name of names) await createCatalogue(await editor(), { name });
    const first = await list("search=paging&pageSize=2");
    expect(first).toMatchObject({ total: 3, page: 1, pageSize: 2 });
    expect(first.catalogues.map(({ name }) => name)).toEqual(["paging three", "paging two"]);
    const second = await list("search=paging&pageSize=2&page=2");
    expect(second).toMatchObject({ total: 3, page: 2, catalogues: [{ name: "paging one" }] });
    expect(await list("search=paging&page=1000000000")).toMatchObject({ total: 3, catalogues: [] });
  });

  test("GET /api/catalogues shows the first 10 by default", async () => {
    for (let i = 0; i < 11; i += 1) await createCatalogue(await editor(), { events: [] });
    const { catalogues, page, pageSize } = await list("");
    expect({ shown: catalogues.length, page, pageSize }).toEqual({
      shown: 10,
      page: 1,
      pageSize: 10,
    });
  });

  test.each([
    ["100%", ["sought: 100% sure"]],
    ["t: a_b", ["sought: a_b"]],
    ["back\\slash", ["sought: back\\slash"]],
    ["SOUGHT: ŌTAUTAHI", ["sought: ōtautahi"]],
    ["t: otautahi", ["sought: ōtautahi"]],
    ["t: kaikoura", ["sought: Kaiko\u0304ura", "sought: Kaik\u014dura"]],
    ["t: 地震", ["sought: 地震"]],
    ["t: Kaiko\u0304ura", ["sought: Kaiko\u0304ura", "sought: Kaik\u014dura"]],
    ["t: kaik\u014dura", ["sought: Kaiko\u0304ura", "sought: Kaik\u014dura"]],
    ["'; drop", []],
  ])(
    "GET /api/catalogues searches %j as it stands, without regard to case and accents",
    async (search, found) => {
      const client = await editor();
      const names = [
        "100% sure",
        "100 sure",
        "a_b",
        "axb",
        "back\\slash",
        "ōtautahi",
        "地震",
        "Kaiko\u0304ura",
        "Kaik\u014dura",
      ];
      const created = names.map((name) => createCatalogue(client, { name: `sought: ${name}` }));
      const ids = (await Promise.all(created)).map(({ id }) => id);
      const { catalogues } = await list(`search=${encodeURIComponent(search)}`);
      expect(catalogues.map(({ name }) => name).toSorted()).toEqual(found);
      for (const id of ids) await client.send("DELETE", `/api/catalogues/${id}`);
    },
  );

  test("GET /api/catalogues takes a list of statuses", async () => {
    const active = await createCatalogue(await editor(), { name: "by status" });
    await whileProcessing(service, async (processing) => {
      const idsOf = async (status: string) =>
        (await list(`pageSize=100&status=${status}`)).catalogues.map(({ id }) => id);
      await vi.waitFor(async () => expect(await idsOf("processing")).toContain(processing));
      expect(await idsOf("processing")).not.toContain(active.id);
      expect(await idsOf("active,error")).toContain(active.id);
      expect(await idsOf("active,error")).not.toContain(processing);
      expect(await idsOf("Active,%20PROCESSING")).toEqual(
        expect.arrayContaining([active.id, processing]),
      );
      expect(await list("search=by%20status&status=deleting")).toMatchObject({
        total: 0,
        catalogues: [],
      });
    });
  });

  test.each([
    "page=0",
    "page=-1",
    "page=1.5",
    "page=12abc",
    "page=",
    "page=1&page=2",
    "page=1000000001",
    "pageSize=0",
    "pageSize=101",
    "pageSize=NaN",
    "search=a&search=b",
    "search=%00",
    "status=gone",
    "status=",
    "status=active,",
  ])("GET /api/catalogues refuses %s and names the parameter", async (query) => {
    const guest = await service.loginAs("guest");
    const [name] = query.split("=");
    expectRefusal(await guest.get(`/api/catalogues?${query}`), "VALIDATION_ERROR", name);
  });
});
