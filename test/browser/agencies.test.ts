import type { Page } from "playwright-core";
import { afterEach, beforeAll, expect, onTestFinished, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogues.ts";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { servedEvents } from "../support/agency/generated-events.ts";
import { startTestAgency } from "../support/agency/test-agency.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import { importEvents, useImports } from "../support/api/imports.ts";
import { newSchedule } from "../support/api/schedules.ts";
import type { ApiClient } from "../support/api-client.ts";
import { consoleOf, describeConsole, violationsOf } from "./support/console.ts";

const port = await freePort();
const scene = useImports(
  { events: servedEvents(3, 200) },
  {
    PORT: String(port),
    PUBLIC_BASE_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_WRITE: "0",
    AGENCY_ALLOW_PRIVATE: "true",
  },
);
const { open } = consoleOf(scene.service);
/** Failures after which an agency is not asked for a while. */
const FAILURES = 5;
let admin: ApiClient;

const enabled = (page: Page) => page.getByRole("region", { name: "Enabled agencies" });
const others = (page: Page) => page.getByRole("region", { name: "Agencies that are not enabled" });
const confirm = (page: Page, button: string) =>
  page.getByRole("dialog").getByRole("button", { name: button }).click();

async function openPage(role: "viewer" | "admin"): Promise<Page> {
  const { page } = await open(role, "/agencies", { allow: /status of (?:400|409|503)/ });
  await others(page).waitFor();
  return page;
}

/** An agency beside that of the configuration, known to the service. */
async function addAgency(id: string, count: number): Promise<void> {
  const agency = await startTestAgency({ events: servedEvents(4, count), dialect: "fdsn" });
  onTestFinished(() => agency.close());
  const { status } = await admin.send("POST", "/api/agencies", {
    ...{ id, name: `Agency ${id}`, url: agency.url, dialect: "fdsn" },
  });
  expect(status).toBe(201);
}

describeConsole("the page of agencies", () => {
  beforeAll(async () => {
    admin = await scene.service.loginAs("admin");
  });

  afterEach(() => {
    scene.agency.fail();
  });

  test("tells viewers how agencies fare and answer, and lets them change nothing", async () => {
    const page = await openPage("viewer");
    const first = enabled(page).getByRole("row").filter({ hasText: "Test agency" });
    await first.getByText("working", { exact: true }).waitFor();
    const usgs = others(page).getByRole("row").filter({ hasText: "USGS ComCat" });
    await usgs.getByText("20,000 events an answer, 2 requests at a time").waitFor();
    expect(await page.getByRole("main").getByRole("button").count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });

  test("enables an agency that is known, and turns it off again", async () => {
    const page = await openPage("admin");
    await others(page).getByRole("button", { name: "Enable INGV…" }).click();
    expect(await violationsOf(page)).toEqual([]);
    await confirm(page, "Enable it");
    await page.getByText("Events can be imported from INGV now.").waitFor();
    const row = enabled(page).getByRole("row").filter({ hasText: "INGV" });
    await row.getByText("working", { exact: true }).waitFor();
    await page.goto("/import");
    await page.getByLabel("Agency", { exact: true }).selectOption("INGV");
    await page.goto("/agencies");
    await row.getByRole("button", { name: "Turn off INGV…" }).click();
    await confirm(page, "Turn it off");
    await others(page).getByRole("button", { name: "Enable INGV…" }).waitFor();
  });

  test("adds an agency, says at the field what is wrong with it, changes and removes it", async () => {
    const page = await openPage("admin");
    await page.getByRole("button", { name: "Add an agency" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Institut de l’île");
    await dialog.getByLabel("Address", { exact: true }).fill("ftp://seismology.invalid");
    const refused = page.waitForResponse((answer) => answer.url().endsWith("/api/agencies"));
    await dialog.getByRole("button", { name: "Add the agency" }).click();
    expect((await refused).status()).toBe(400);
    await dialog.locator("[aria-invalid=true]").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog
      .getByLabel("Address", { exact: true })
      .fill("https://seismology.invalid/fdsnws/event/1");
    await dialog.getByRole("button", { name: "Add the agency" }).click();
    const row = enabled(page).getByRole("row").filter({ hasText: "Institut de l’île" });
    await row.getByRole("button", { name: /^Change/ }).click();
    await dialog.getByLabel("Most events an answer").fill("500");
    await dialog.getByRole("button", { name: "Save" }).click();
    await row.getByText("500 events an answer, 2 requests at a time").waitFor();
    await row.getByRole("button", { name: /^Remove/ }).click();
    await confirm(page, "Remove it");
    await row.waitFor({ state: "detached" });
  });

  test("tells which agencies schedules ask, and why such a one stays", async () => {
    await addAgency("asked", 20);
    const { id } = await createCatalogue(admin);
    await newSchedule(admin, id, { agency: "asked" });
    const page = await openPage("admin");
    const row = enabled(page).getByRole("row").filter({ hasText: "Agency asked" });
    await row.getByText("1 schedule, not asked yet").waitFor();
    await row.getByRole("button", { name: /^Remove/ }).click();
    await confirm(page, "Remove it");
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await page.keyboard.press("Escape");
    await row.waitFor();
  });

  test("says that an agency is not asked for a while after several failures", async () => {
    scene.agency.fail(() => ({ kind: "status", status: 503 }));
    const { id } = await createCatalogue(admin);
    for (let failure = 0; failure < FAILURES; failure++) {
      await importEvents(admin, { catalogueId: id, hours: 1 + failure });
    }
    const page = await openPage("viewer");
    const first = enabled(page).getByRole("row").filter({ hasText: "Test agency" });
    await first.getByText("failed several times; it is not asked for a minute").waitFor();
  });

  test("is chosen for an import, whose settings a schedule takes on", async () => {
    await addAgency("beside", 60);
    const { page } = await open("editor", "/import");
    await page.getByLabel("Agency", { exact: true }).selectOption("Agency beside");
    await page.getByRole("spinbutton", { name: "Last hours" }).fill("200000");
    await page.getByLabel("Magnitude from").fill("1");
    await page.getByLabel("Name").fill("From beside");
    await page.getByRole("button", { name: "Start the import" }).click();
    await page.getByRole("region", { name: "Result" }).waitFor();
    await page.reload();
    await page.getByRole("link", { name: "Keep this current…" }).click();
    await page.getByRole("heading", { name: "New schedule for From beside" }).waitFor();
    expect(await page.getByLabel("Agency", { exact: true }).inputValue()).toBe("beside");
    expect(await page.getByLabel("Magnitude from").inputValue()).toBe("1");
    expect(await page.getByLabel("For the events of the last").inputValue()).toBe("87600");
    await page.getByRole("button", { name: "Keep it current" }).click();
    await page.getByRole("region", { name: "Agency beside, every hour", exact: true }).waitFor();
    const { body } = await admin.get<{ catalogues: Catalogue[] }>(
      "/api/catalogues?search=From%20beside",
    );
    const [catalogue] = body.catalogues;
    await page.goto(`/import?catalogueId=${catalogue?.id}`);
    const keep = page.getByRole("link", { name: "Keep this current…" });
    expect(await keep.getAttribute("href")).toContain(`/catalogues/${catalogue?.id}/schedules/new`);
  });
});
