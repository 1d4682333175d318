import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import type { SeismicEvent } from "#contracts/seismic-event/seismic-event.ts";
import { createCatalogue } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";
import { choose, read, report } from "./support/upload-page.ts";

const service = await useReachableService();
let editor: ApiClient;

const named = async (name: string): Promise<readonly Catalogue[]> => {
  const { body } = await editor.get<{ catalogues: Catalogue[] }>(`/api/catalogues?search=${name}`);
  return body.catalogues;
};

const eventsOf = async (name: string): Promise<readonly SeismicEvent[]> => {
  const [catalogue] = await named(name);
  const address = `/api/catalogues/${catalogue?.id}/events`;
  return (await editor.get<{ events: SeismicEvent[] }>(address)).body.events;
};

describe.skipIf(!hasChromium)("what an upload makes", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  test("makes a catalogue of its columns as chosen, and tells which rows were refused", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page);
    await page.getByText("No column is read as latitude").waitFor();
    const create = page.getByRole("button", { name: "Create it from 4 rows" });
    expect(await create.isDisabled()).toBe(true);
    await page.getByText("Choose the column of latitude first.").waitFor();
    expect(await page.locator(".first-places").count()).toBe(0);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByText("3 of the first 4 rows on the map").waitFor();
    await page.getByLabel("Name").fill("Partly");
    await page.getByLabel("Access").selectOption("restricted");
    await page.getByText("Only its members and administrators see that it exists").waitFor();
    await create.click();
    await page.getByText("3 of 4 rows became events of the new catalogue").waitFor();
    const refused = page.getByRole("region", { name: "Refused rows" }).getByRole("row");
    expect(await refused.nth(1).textContent()).toMatch(/^3.*latitude.*-137\.512/);
    expect(await named("Partly")).toMatchObject([{ event_count: 3, access: "restricted" }]);
    await page.getByRole("link", { name: "Open the catalogue" }).click();
    await page.getByRole("heading", { name: "Partly" }).waitFor();
  });

  test("tells how many of its events are made, also after a reload", async () => {
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 503/);
    await signInAs(page, service, "editor");
    let isHeld = true;
    await page.route("**/stream", (route) => route.fulfill({ status: 503 }));
    await page.route(/\/api\/operations\/[0-9a-f-]+$/, async (route) => {
      const response = await route.fetch();
      const { operation } = (await response.json()) as { operation: object };
      const progress = { done: 1, total: 4, unit: "events" };
      const held = { ...operation, status: "running", progress, result: undefined };
      await route.fulfill({ json: { operation: isHeld ? held : operation } });
    });
    await read(page);
    await page.getByLabel("breite is read as").selectOption("latitude");
    await page.getByLabel("Name").fill("Followed");
    await page.getByRole("button", { name: "Create it from 4 rows" }).click();
    await page.getByText("1 of 4 events").waitFor();
    await page.reload();
    const bar = page.getByRole("progressbar", { name: "Done" });
    await bar.waitFor();
    expect([await bar.getAttribute("value"), await bar.getAttribute("max")]).toEqual(["1", "4"]);
    isHeld = false;
    await page.getByText("3 of 4 rows became events of the new catalogue").waitFor();
  });

  test("makes events of all rows, and knows of all whether they have a magnitude", async () => {
    const rows = Array.from(
      { length: 150 },
      (_, i) =>
        `2021-03-04T13:00:${10 + (i % 50)}.${i}Z,1,2,${i < 120 ? "" : 4},${i < 10 ? "" : 3}`,
    );
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page, `time,latitude,longitude,magnitude,other\n${rows.join("\n")}\n`);
    await page.getByText("120 rows have no magnitude").waitFor();
    await page.getByLabel("magnitude is read as").selectOption("left out");
    await page.getByText("No row has a magnitude").waitFor();
    await page.getByLabel("other is read as").selectOption("magnitude");
    await page.getByText("10 rows have no magnitude").waitFor();
    await page.getByLabel("Name").fill("Long");
    await page.getByRole("button", { name: "Create it from 150 rows" }).click();
    await page.getByText("150 of 150 rows became events of the new catalogue").waitFor();
  });

  test("is read by the order of its dates and by its letters as chosen", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto("/upload");
    await page.getByText("How it is read").click();
    await page.getByLabel("Dates are written").selectOption("day, month, year");
    await page.getByLabel("Letters are encoded as").selectOption("Western European (Windows-1252)");
    const row = "03/04/2021 13:27:34,1,2,3,Ca\u00f1ete";
    await choose(page, Buffer.from(`time,latitude,longitude,magnitude,region\n${row}\n`, "latin1"));
    await page.getByText("1 row of CSV, 0 unreadable").waitFor();
    await page.getByLabel("Name").fill("Order");
    await page.getByRole("button", { name: "Create it from 1 row" }).click();
    await page.getByText("1 of 1 rows became events of the new catalogue").waitFor();
    expect(await eventsOf("Order")).toMatchObject([
      { time: expect.stringMatching(/^2021-04-03T13:27:34/), region: "Ca\u00f1ete" },
    ]);
  });

  test("takes the parts of a time from columns that are chosen for them", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await read(page, "jahr,monat,tag,stunde,latitude,longitude\n2021,3,4,13,1,2\n");
    for (const [column, part] of Object.entries({
      jahr: "year",
      monat: "month",
      tag: "day",
      stunde: "hour",
    })) {
      await page.getByText("No column is read as time").waitFor({
        state: part === "hour" ? "hidden" : "visible",
      });
      await page.getByLabel(`${column} is read as`).selectOption(part);
    }
    await page.getByLabel("Name").fill("Parts");
    await page.getByRole("button", { name: "Create it from 1 row" }).click();
    await page.getByText("1 of 1 rows became events of the new catalogue").waitFor();
    expect(await eventsOf("Parts")).toMatchObject([
      { time: expect.stringMatching(/^2021-03-04T13:00:00/) },
    ]);
  });

  test("adds to a catalogue that is there, without what is there already", async () => {
    const id = (await createCatalogue(editor, { name: "There already", events: [] })).id;
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    const row = "b1,2021-03-04T13:27:34Z,-37.4,179.5,4.2";
    for (const outcome of [
      "1 new, 0 updated, 0 there already",
      "0 new, 0 updated, 1 there already",
    ]) {
      await read(page, `id,time,latitude,longitude,magnitude\n${row}\n`);
      await page.getByLabel("an existing catalogue").check();
      await page.getByRole("combobox", { name: "Catalogue" }).selectOption(id);
      await page.getByRole("button", { name: "Add 1 row" }).click();
      await page.getByText(`1 of 1 rows became events: ${outcome}`).waitFor();
    }
  });

  test("goes into the empty catalogue from whose page one came, also after a reload", async () => {
    const { id } = await createCatalogue(editor, { name: "Empty yet", events: [] });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    const agency = page.getByRole("main").getByRole("link", { name: "Import from an agency" });
    expect(await agency.getAttribute("href")).toBe(`/import?catalogueId=${id}`);
    await page.getByRole("link", { name: "Upload a file" }).click();
    await choose(page, "time,latitude,longitude,magnitude\n2021-03-04T13:27:34Z,1,2,3\n");
    await report(page).waitFor();
    await page.reload();
    expect(await page.getByRole("combobox", { name: "Catalogue" }).inputValue()).toBe(id);
    await page.getByRole("button", { name: "Add 1 row" }).click();
    await page.getByText("1 of 1 rows became events: 1 new").waitFor();
    expect(await named("Empty yet")).toMatchObject([{ event_count: 1 }]);
  });
});
