import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, test } from "vitest";
import type { MergedCatalogue } from "#contracts/http/merges/merged-catalogue.ts";
import { createFromFile } from "../api/support/whole-documents.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();
const FIXTURES = new URL("../fixtures/merge/", import.meta.url);
const SETTINGS = { timeThreshold: 10, distanceThreshold: 50, mergeStrategy: "quality" };

let editor: ApiClient;
let sources: readonly string[] = [];

type Listed = { readonly id: string; readonly source_id: string };

async function catalogueOf(file: string): Promise<string> {
  const content = new Uint8Array(await readFile(new URL(file, FIXTURES)));
  return (await createFromFile(editor, content, file)).id;
}

async function merged(): Promise<string> {
  const sourceCatalogues = sources.map((id, index) => ({
    id,
    source: ["GeoNet", "ComCat"][index],
  }));
  const body = { name: "Both", sourceCatalogues, config: SETTINGS };
  const answer = await editor.send<{ catalogueId: string }>("POST", "/api/merge", body);
  expect(answer.status).toBe(200);
  return answer.body.catalogueId;
}

/** An event of a source by its id at the agency. */
async function eventIn(id: string, name: string): Promise<string> {
  const { body } = await editor.get<{ events: readonly Listed[] }>(
    `/api/catalogues/${id}/events/filtered?limit=1000`,
  );
  const found = body.events.find(({ source_id }) => source_id === name);
  if (!found) throw new Error(`there is no ${name}`);
  return found.id;
}

/** Decides by the API on two events of the sources. */
async function decide(id: string, type: string, names: readonly [string, string]): Promise<void> {
  const events = await Promise.all(
    names.map(async (name, index) => {
      const catalogue = sources[index] ?? "";
      return { catalogue_id: catalogue, event_id: await eventIn(catalogue, name) };
    }),
  );
  const path = `/api/catalogues/${id}/merge/decisions`;
  const answer = await editor.send("POST", path, { type, events, note: "Late at far stations" });
  expect(answer.status).toBe(201);
}

const readMerge = async (id: string) =>
  (await editor.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body;

describe.skipIf(!hasChromium)("the page of a merge", () => {
  beforeAll(async () => {
    editor = await service.loginAs("editor");
    sources = [await catalogueOf("quakesearch.csv"), await catalogueOf("comcat.csv")];
  });

  test("is led to from the catalogue, and takes in what the sources have since", async () => {
    const id = await merged();
    const event = await eventIn(sources[1] ?? "", "us7000aa08");
    const path = `/api/catalogues/${sources[1]}/events/${event}`;
    expect((await editor.send("PATCH", path, { depth: 41 })).status).toBe(200);
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    await page.getByText("its sources have changed").waitFor();
    await page.getByRole("link", { name: "Merge", exact: true }).click();
    await page.getByText("newer version").waitFor();
    await page.getByRole("button", { name: "See what a refresh changes" }).click();
    const changes = page.getByRole("region", { name: "What a refresh changes" });
    await changes.getByText("1 updated", { exact: true }).waitFor();
    await changes.getByText(/Depth .* → 41 km/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await changes.getByRole("button", { name: "Refresh" }).click();
    const result = page.getByRole("region", { name: "Result" });
    await result.getByText("Version 2").waitFor();
    await result.getByRole("link", { name: "Back to the merge" }).click();
    await page.getByText("This catalogue has what its sources have.").waitFor();
    expect((await readMerge(id)).behind).toBe(false);
  });

  test("refreshes with other settings, after showing what they change", async () => {
    const id = await merged();
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/merge`);
    await page.getByRole("button", { name: "Change…" }).click();
    await page.getByLabel("Time").fill("15");
    await page.getByRole("button", { name: "See what a refresh changes" }).click();
    await page.getByText("1 updated, 1 removed").waitFor();
    await page.getByRole("button", { name: "Refresh", exact: true }).click();
    await page.getByRole("region", { name: "Result" }).getByText("Version 2").waitFor();
    expect((await readMerge(id)).config.timeThreshold).toBe(15);
  });

  test("lists decisions, which hold after refreshes until they are withdrawn", async () => {
    const id = await merged();
    await decide(id, "same", ["2024p100002", "us7000aa02"]);
    await decide(id, "different", ["2024p100004", "us7000aa04"]);
    for (const depth of [12, 13]) {
      const event = await eventIn(sources[1] ?? "", "us7000aa02");
      await editor.send("PATCH", `/api/catalogues/${sources[1]}/events/${event}`, { depth });
      const path = `/api/catalogues/${id}/merge/refresh`;
      expect((await editor.send("POST", path, {})).status).toBe(200);
    }
    const { page } = await openBrowser(service.url, { width: 390, height: 844 });
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}/merge?tab=decisions`);
    const rows = page.getByRole("row").filter({ hasText: "Late at far stations" });
    await expect.poll(() => rows.count()).toBe(2);
    await rows.first().getByText("you", { exact: true }).waitFor();
    await page.getByText("2024-02-03 09:41:05").waitFor();
    expect(await page.getByText("idle", { exact: true }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText("different (1)").click();
    await page.getByRole("button", { name: "Withdraw…" }).click();
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.getByText("Decisions (1)").waitFor();
    const [left, ...others] = (await readMerge(id)).decisions;
    expect(left).toMatchObject({ type: "same", idle: false });
    expect(others).toEqual([]);
  });

  test("of a catalogue that is no merge says what a merge is", async () => {
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${sources[0]}/merge`);
    await page.getByText("This catalogue was not made by a merge.").waitFor();
    await page.getByRole("link", { name: "Merge catalogues" }).click();
    await page.getByRole("heading", { name: "Merge catalogues" }).waitFor();
  });

  test("is steered from the page of an event, of which a solution is split off", async () => {
    const id = await merged();
    const { body } = await editor.get<{ events: readonly { id: string }[] }>(
      `/api/catalogues/${id}/events/filtered?limit=1000`,
    );
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    const sourcesOf = async (event: string) => {
      const path = `/api/catalogues/${id}/events/${event}`;
      const answer = await editor.get<{ event: { source_events?: readonly unknown[] } }>(path);
      return answer.body.event.source_events?.length ?? 0;
    };
    const counts = await Promise.all(body.events.map((event) => sourcesOf(event.id)));
    const joined = body.events[counts.indexOf(2)]?.id ?? "";
    await page.goto(`/catalogues/${id}/events/${joined}`);
    const table = page.getByRole("region", { name: "Sources of the event" });
    await table
      .getByRole("button", { name: /^Split off/ })
      .last()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Note (optional)").fill("Another depth");
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Split it off" }).click();
    await page.getByText("It becomes an event of its own with the next refresh").waitFor();
    const { decisions } = await readMerge(id);
    expect(decisions).toMatchObject([{ type: "different", note: "Another depth", idle: false }]);
    const path = `/api/catalogues/${id}/merge/refresh`;
    expect((await editor.send("POST", path, {})).body).toMatchObject({ added: 1 });
  });
});
