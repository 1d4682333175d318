import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { MergedCatalogue } from "#contracts/http/merges.ts";
import { createFromFile } from "../support/api/whole-documents.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasRealData, REAL_DATA_DIR } from "../support/real-data.ts";
import { describeConsole, sharedConsole, violationsOf } from "./support/console.ts";

const { service, open } = sharedConsole();
const FIXTURES = new URL("../fixtures/merge/", import.meta.url);
const SETTINGS = { timeThreshold: 10, distanceThreshold: 50, mergeStrategy: "quality" };

let editor: ApiClient;

type Event = { readonly id: string; readonly source_id: string };

/** A catalogue of a file. */
async function catalogueOf(path: URL | string, name: string): Promise<string> {
  const content = new Uint8Array(await readFile(path));
  return (await createFromFile(editor, content, name)).id;
}

async function merged(sources: readonly string[], config: object = SETTINGS): Promise<string> {
  const body = { name: "Both", sourceCatalogues: sources.map((id) => ({ id })), config };
  const answer = await editor.send<{ catalogueId: string }>("POST", "/api/merge", body);
  expect(answer.status).toBe(200);
  return answer.body.catalogueId;
}

/** The merged events by the ids of their members at their agencies: "2024p100001+us7000aa01". */
async function membersIn(id: string): Promise<readonly string[]> {
  const { body } = await editor.get<{ events: readonly Event[] }>(
    `/api/catalogues/${id}/events/filtered?limit=1000`,
  );
  const groups = body.events.map(async (event) => {
    const { body: whole } = await editor.get<{
      event: { source_events: readonly { source_id: string }[] };
    }>(`/api/catalogues/${id}/events/${event.id}`);
    const members = whole.event.source_events.map(({ source_id }) => source_id);
    return members.toSorted().join("+");
  });
  return Promise.all(groups);
}

const decisionsOf = async (id: string) =>
  (await editor.get<MergedCatalogue>(`/api/catalogues/${id}/merge`)).body.decisions;

/** Opens the desk and waits for its first pair. */
async function openDesk(id: string, allow = /^$/): Promise<Page> {
  const { page } = await open("editor", `/catalogues/${id}/merge/review`, { allow });
  await page.getByRole("toolbar").waitFor();
  return page;
}

const shownPair = (page: Page) => page.locator("table.pair").textContent();

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 60; n++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent?.trim() ?? "");
    if (focused === name) return;
  }
  throw new Error(`"${name}" cannot be reached by Tab`);
}

describeConsole("the review desk", () => {
  let sources: readonly string[] = [];

  beforeAll(async () => {
    editor = await service.loginAs("editor");
    sources = [
      await catalogueOf(new URL("quakesearch.csv", FIXTURES), "quakesearch.csv"),
      await catalogueOf(new URL("comcat.csv", FIXTURES), "comcat.csv"),
    ];
  });

  test("is worked through by keys alone, and what is decided survives a refresh", async () => {
    const id = await merged(sources);
    const page = await openDesk(id);
    // 12.4 s apart, beyond the threshold of 10 s.
    expect(await shownPair(page)).toMatch(/us7000aa02/);
    await page.getByText("The second is 12.44 s later.").waitFor();
    await page.getByText("Their error ellipses overlap.").waitFor();
    const effect = page.getByRole("region", { name: "What a decision would change" });
    await effect.getByText("removed").waitFor();
    await effect.getByText("Nothing changes.").waitFor();
    await page.keyboard.press("n");
    await page.getByRole("dialog", { name: "Note on the pair" }).waitFor();
    await page.keyboard.type("One aftershock, late at the far stations");
    await tabTo(page, "Keep the note");
    await page.keyboard.press("Enter");
    await page.getByText("Note: One aftershock").waitFor();
    await page.keyboard.press("s");
    // Magnitudes of 4.0 and 5.4: the wrong one of two shocks.
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa04/);
    await page.getByText("Their error ellipses").waitFor();
    await page.keyboard.press("d");
    await page.getByText("2 pairs decided, the last as different.").waitFor();
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa06/);
    await page.keyboard.press("l");
    await page.getByText("No pair waits for a decision").waitFor();
    await expect.poll(async () => (await decisionsOf(id)).length).toBe(2);
    await tabTo(page, "Left for later");
    await page.keyboard.press("Enter");
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa06/);
    await tabTo(page, "Back to the merge");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Merge of Both" }).waitFor();
    await tabTo(page, "See what a refresh changes");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "What a refresh changes" }).waitFor();
    await tabTo(page, "Refresh");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Result" }).waitFor();
    const members = await membersIn(id);
    expect(members).toContain("2024p100002+us7000aa02");
    expect(members).toContain("2024p100004");
    expect(members).toContain("us7000aa04");
    await relocate(sources[1] ?? "");
    const refreshed = await editor.send("POST", `/api/catalogues/${id}/merge/refresh`, {});
    expect(refreshed.status).toBe(200);
    expect(await membersIn(id)).toEqual(expect.arrayContaining([...members]));
    await page.goto(`/catalogues/${id}/merge?tab=decisions`);
    const rows = page.getByRole("region", { name: "Decisions" }).last().getByRole("row");
    await expect.poll(() => rows.count()).toBe(3);
    await page.getByText("One aftershock, late at the far stations").waitFor();
    expect(await page.getByText("idle", { exact: true }).count()).toBe(0);
  });

  test("undoes the last decision, and goes back and forth by arrows", async () => {
    const id = await merged(sources);
    const page = await openDesk(id);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => shownPair(page)).toMatch(/2024p100004/);
    await page.keyboard.press("d");
    await expect.poll(() => shownPair(page)).toMatch(/2024p100006/);
    await page.keyboard.press("u");
    await expect.poll(() => shownPair(page)).toMatch(/2024p100004/);
    await expect.poll(async () => (await decisionsOf(id)).length).toBe(0);
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => shownPair(page)).toMatch(/2024p100002/);
    await page.getByText("Pair 1 of 3").waitFor();
  });

  const REVIEW = /\/merge\/review\/[^?]/;

  test("keeps a note that was refused or lost, and hands nothing over that was not", async () => {
    const id = await merged(sources);
    const { page } = await open("admin", `/catalogues/${id}/merge/review`, {
      allow: /status of (?:409|503)|ERR_FAILED/,
    });
    await page.getByText("Pair 1 of 3").waitFor();
    expect(await shownPair(page)).toMatch(/us7000aa02/);
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog");
    const note = dialog.getByLabel("Note");
    await note.fill("Two shocks");
    const keep = dialog.getByRole("button", { name: "Keep the note" });
    for (const fault of [503, null]) {
      await page.route(REVIEW, (route) =>
        fault === null
          ? route.abort()
          : route.fulfill({ status: fault, json: { error: "It is full", code: "UNAVAILABLE" } }),
      );
      await keep.click();
      await dialog.getByRole("alert").waitFor();
      expect(await note.inputValue()).toBe("Two shocks");
      await page.unroute(REVIEW);
    }
    // Somebody else has decided the pair: the next one is there, and what was typed.
    const refused = { status: 409, json: { error: "Somebody else has it", code: "CONFLICT" } };
    await page.route(REVIEW, (route) => route.fulfill(refused), { times: 1 });
    const none = { json: { pairs: [] } };
    await page.route(/state=claimed/, (route) => route.fulfill(none), { times: 1 });
    await keep.click();
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa04/);
    expect(await note.inputValue()).toBe("Two shocks");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });

    await page.keyboard.press("h");
    await dialog.getByLabel("To").selectOption({ index: 1 });
    await page.route(REVIEW, (route) => route.abort());
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await dialog.getByRole("alert").waitFor();
    await page.unroute(REVIEW);
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa06/);
  });

  test("an undo that fails can be tried again, and a pair that cannot be put off comes back", async () => {
    const id = await merged(sources);
    const page = await openDesk(id, /ERR_FAILED/);
    expect(await shownPair(page)).toMatch(/us7000aa02/);
    await page.getByText("Nothing changes.").waitFor();
    await page.keyboard.press("s");
    await page.getByText("1 pair decided").waitFor();
    await expect.poll(async () => (await decisionsOf(id)).length).toBe(1);
    const lost = page.getByText("The service cannot be reached.", { exact: true });
    const decisions = /\/merge\/decisions\//;
    await page.route(decisions, (route) => route.abort());
    await page.keyboard.press("u");
    await lost.waitFor();
    await page.getByText("1 pair decided").waitFor();
    await page.unroute(decisions);
    await page.keyboard.press("u");
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa02/);
    expect(await decisionsOf(id)).toEqual([]);
    await page.route(REVIEW, (route) => route.abort());
    await page.keyboard.press("l");
    await expect.poll(() => lost.count()).toBeGreaterThan(1);
    await expect.poll(() => shownPair(page)).toMatch(/us7000aa02/);
    await page.getByText("Pair 1 of 3").waitFor();
  });

  test("tells in a notice that a claim and what it asks of it have failed", async () => {
    const id = await merged(sources);
    const page = await openDesk(id, /status of 409|ERR_FAILED/);
    const refused = { status: 409, json: { error: "Somebody else looks at it", code: "CONFLICT" } };
    await page.route(REVIEW, (route) => route.fulfill(refused));
    await page.route(/state=claimed/, (route) => route.abort());
    await page.keyboard.press("ArrowRight");
    await page.getByText("The service cannot be reached.", { exact: true }).first().waitFor();
  });

  test("keeps a pair for whoever opened it, until its page is left, without a word", async () => {
    const id = await merged(sources);
    const page = await openDesk(id);
    const claimed = async () =>
      (
        await editor.get<{ pairs: readonly { claim: unknown }[] }>(
          `/api/catalogues/${id}/merge/review?state=claimed`,
        )
      ).body.pairs.length;
    await expect.poll(claimed).toBe(1);
    const other = await open("admin", `/catalogues/${id}/merge/review`, {
      allow: /status of 409/,
    });
    await other.page.getByText("Pair 1 of 2").waitFor();
    expect(await shownPair(other.page)).toMatch(/2024p100004/);
    await page.getByRole("link", { name: "Back to the merge" }).click();
    await expect.poll(claimed).toBe(1);
    await other.page.goto("about:blank");
    await expect.poll(claimed).toBe(0);
  });

  test("axe objects to nothing on the pages of a merge, in light and dark, wide and narrow", async () => {
    const id = await merged(sources);
    const page = await openDesk(id);
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press("s");
    await page.getByText("1 pair decided").waitFor();
    await page.goto(`/catalogues/${id}/merge`);
    await page.getByRole("button", { name: "See what a refresh changes" }).click();
    await page.locator('[data-drawn="discs"]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/catalogues/${id}/merge?tab=decisions`);
    await page.getByRole("button", { name: "Withdraw…" }).click();
    await page.getByRole("dialog").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("button", { name: "Withdraw", exact: true }).click();
    await page.getByText("Nothing is decided by hand").waitFor();
  });

  test.skipIf(!hasRealData)("takes two real files by keys alone", async () => {
    const real = (name: string) => catalogueOf(join(REAL_DATA_DIR, "csv", name), name);
    const both = [await real("merge3_comcat.csv"), await real("merge3_isc.csv")];
    const id = await merged(both, { ...SETTINGS, timeThreshold: 2, distanceThreshold: 20 });
    const { page } = await open("editor", `/catalogues/${id}/merge/review`);
    const { body } = await editor.get<{ pairs: readonly unknown[] }>(
      `/api/catalogues/${id}/merge/review`,
    );
    for (const [index] of body.pairs.entries()) {
      await page.getByText(`Pair 1 of ${body.pairs.length - index}`).waitFor();
      await page.keyboard.press(index % 2 === 0 ? "s" : "d");
    }
    await page.getByText("No pair waits for a decision").waitFor();
    await expect.poll(async () => (await decisionsOf(id)).length).toBe(body.pairs.length);
  });
});

/** Another solution of every earthquake of a source, as an agency sends it later. */
async function relocate(id: string): Promise<void> {
  const { body } = await editor.get<{ events: readonly (Event & { latitude: number })[] }>(
    `/api/catalogues/${id}/events/filtered?limit=1000`,
  );
  for (const { id: event, latitude } of body.events) {
    const path = `/api/catalogues/${id}/events/${event}`;
    const { status } = await editor.send("PATCH", path, { latitude: latitude + 0.001, depth: 12 });
    expect(status).toBe(200);
  }
}
