import { beforeAll, describe, expect, test } from "vitest";
import type { Catalogue } from "#contracts/http/catalogue.ts";
import { createCatalogue, seismicEvent } from "../api/support/catalogue.ts";
import type { ApiClient } from "../support/api-client.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("the citation details of a catalogue", () => {
  let editor: ApiClient;
  beforeAll(async () => {
    editor = await service.loginAs("editor");
  });

  const metadataOf = async (id: string) =>
    (await editor.get<Catalogue>(`/api/catalogues/${id}`)).body.metadata;

  async function opened() {
    const { id } = await createCatalogue(editor, { name: "Cited", events: [seismicEvent()] });
    const { page, allow } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}`);
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("link", { name: "Citation details…" }).click();
    await page.getByRole("heading", { level: 1, name: "Citation details of Cited" }).waitFor();
    await page.getByText(/^Cited \(\d{4}\)\. Version 1\. Dataset\./).waitFor();
    return { id, page, allow };
  }

  test("are entered, kept whole, and told by citations; what is empty is left out", async () => {
    const { id, page } = await opened();
    const save = page.getByRole("button", { name: "Save" });
    expect(await save.isDisabled()).toBe(true);
    await page.getByLabel("Title").fill("Aftershocks");
    await page.getByLabel("Description").fill("Relocated.\n\nIn two parts.");
    for (let i = 0; i < 3; i += 1)
      await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByLabel("Name of creator 1").fill("Institute of the Earth");
    await page.getByLabel("ROR of creator 1").fill("https://ror.org/03vaqfv64");
    await page.getByLabel("Name of creator 3").fill(" Example, Ann ");
    await page.getByLabel("ORCID of creator 3").fill("0000-0002-1825-0097");
    await page.getByRole("button", { name: "Move creator 3 up" }).click();
    await page.getByRole("button", { name: "Move creator 2 up" }).click();
    await page.getByLabel("Licence").selectOption("another, by its SPDX id");
    await page.getByLabel("SPDX id").fill("CC-BY-3.0-AU");
    await page.getByLabel("DOI").fill("10.1234/abc");
    await page.getByLabel("References").fill("https://example.org/a\n\n https://example.org/b ");
    expect(await violationsOf(page)).toEqual([]);
    await save.click();
    await page.getByText("Saved.").waitFor();
    await page.waitForURL(`**/catalogues/${id}`);
    expect(await metadataOf(id)).toEqual({
      title: "Aftershocks",
      description: "Relocated.\n\nIn two parts.",
      creators: [
        { name: "Example, Ann", orcid: "0000-0002-1825-0097" },
        { name: "Institute of the Earth", ror: "https://ror.org/03vaqfv64" },
      ],
      license: "CC-BY-3.0-AU",
      doi: "10.1234/abc",
      references: ["https://example.org/a", "https://example.org/b"],
    });
    await page.getByRole("button", { name: "Cite", exact: true }).click();
    const cited = page.getByRole("dialog").locator("pre");
    await expect
      .poll(() => cited.textContent())
      .toMatch(/^Example, Ann; Institute of the Earth \(\d{4}\): Aftershocks\. Version 1\./);
  });

  test("that the service refuses are told at their fields, by the line or the creator", async () => {
    const { id, page, allow } = await opened();
    allow(/status of 400/);
    await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByRole("button", { name: "Add a creator" }).click();
    await page.getByLabel("Name of creator 2").fill("Example, Ann");
    await page.getByLabel("ORCID of creator 2").fill("0000-0002-1825-0098");
    await page.getByLabel("DOI").fill("abc");
    await page.getByLabel("References").fill("https://example.org/a\nexample");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("is no ORCID iD: its last digit does not fit").first().waitFor();
    const problemAt = (label: string) =>
      page
        .locator(".field")
        .filter({ has: page.getByLabel(label) })
        .locator(".problem");
    expect(await problemAt("ORCID of creator 2").textContent()).toMatch(/last digit/);
    expect(await problemAt("DOI").textContent()).toBe("is no DOI");
    expect(await problemAt("References").textContent()).toMatch(/^Line 2 is no address of the web/);
    expect(await metadataOf(id)).toBeNull();
  });

  test("stay entered after a reload, are given up on demand, and are not saved over another’s", async () => {
    const { id, page, allow } = await opened();
    allow(/status of 412/);
    page.on("dialog", (dialog) => dialog.accept());
    await page.getByLabel("Publisher").fill("Ours");
    await page.reload();
    await expect.poll(() => page.getByLabel("Publisher").inputValue()).toBe("Ours");
    await editor.send("PATCH", `/api/catalogues/${id}`, { metadata: { publisher: "Theirs" } });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    expect(await metadataOf(id)).toEqual({ publisher: "Theirs" });
    await page.getByRole("button", { name: "Undo changes" }).click();
    await expect.poll(() => page.getByLabel("Publisher").inputValue()).toBe("Theirs");
  });

  test("are followed by filters where what is looked at is filtered, if one wants that", async () => {
    const { id } = await createCatalogue(editor, { name: "Filtered", events: [seismicEvent()] });
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${id}?minMagnitude=2&maxDepth=40`);
    await page.getByRole("button", { name: "Cite", exact: true }).click();
    const cited = page.getByRole("dialog").locator("pre");
    await cited.getByText("Selection: M ≥ 2, depth ≤ 40 km.").waitFor();
    const save = page.getByRole("link", { name: "Save as a file" });
    expect(await save.getAttribute("href")).toMatch(
      /citation\?format=text&minMagnitude=2&maxDepth=40$/,
    );
    await page.getByLabel(/only these events were used: M\s≥\s2, depth\s≤\s40\skm/).uncheck();
    await expect.poll(() => cited.textContent()).toMatch(/Dataset\. http/);
    const pre = await cited.evaluate((one) => one.scrollWidth - one.clientWidth);
    expect(pre).toBe(0);
  });
});
