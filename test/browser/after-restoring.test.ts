import { Client } from "pg";
import { beforeAll, expect, test } from "vitest";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { describeConsole, ownConsole } from "./support/console.ts";

const service = await useReachableService();

// What a restored backup leaves: entity tags have an epoch behind the version.
beforeAll(async () => {
  const client = new Client({ connectionString: service.databaseUrl });
  await client.connect();
  const { rowCount } = await client.query("update event_log.known_log set epoch = '1f3a'");
  await client.end();
  expect(rowCount).toBe(1);
});
const { service: restored, open } = await ownConsole({}, { copyOf: service });

describeConsole("an installation whose backup was restored", () => {
  test("has its events edited and removed, and its versions restored, in the console too", async () => {
    const editor = await restored.loginAs("editor");
    const { id } = await createCatalogue(editor, { events: [seismicEvent(), seismicEvent()] });
    const { body, headers } = await editor.get<{ events: { id: string }[] }>(
      `/api/catalogues/${id}/events`,
    );
    expect(headers.get("etag")).toBe('"1-1f3a"');
    const { page } = await open("editor", `/catalogues/${id}/events/${body.events[0]?.id}`);
    await page.getByRole("button", { name: "Edit…" }).click();
    await page.getByLabel("Region").fill("Kawerau");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved: version 2").waitFor();
    await page.getByRole("button", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("The event is removed: version 3").waitFor();
    await page.goto(`/catalogues/${id}/versions`);
    await page.getByRole("button", { name: /^Restore… version 2/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
    await page.getByText("Restored as version 4").waitFor();
  });
});
