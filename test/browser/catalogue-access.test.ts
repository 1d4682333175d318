import { beforeAll, describe, expect, test } from "vitest";
import { newAccount, PASSWORD } from "../api/support/accounts.ts";
import { createCatalogue } from "../api/support/catalogue.ts";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { violationsOf } from "./support/axe.ts";
import { openBrowser } from "./support/browser.ts";
import { signInAs, signInWith } from "./support/sign-in.ts";

const service = await useReachableService();
let id = "";

describe.skipIf(!hasChromium)("who may read and change a catalogue", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { name: "Embargoed", events: [] }));
  });

  test("is decided by its owner, who names members by their ids", async () => {
    const { email } = await newAccount(service, "editor");
    const { page: other, allow } = await openBrowser(service.url);
    allow(/status of 404/);
    await signInWith(other, { email, password: PASSWORD });
    await other.goto(`/catalogues/${id}`);
    await other.getByRole("heading", { name: "Embargoed" }).waitFor();

    const { page: owner, allow: allowOwner } = await openBrowser(service.url);
    allowOwner(/status of 404/);
    await signInAs(owner, service, "editor");
    await owner.goto(`/catalogues/${id}`);
    await owner.getByRole("button", { name: "Edit", exact: true }).click();
    await owner.getByRole("link", { name: "Access and members…" }).click();
    await owner.getByLabel("Access").selectOption("restricted");
    await owner.getByLabel("Changed by").selectOption("members");
    await owner.getByRole("button", { name: "Save" }).click();
    await owner.getByText("The new access is in effect.").waitFor();
    await other.goto(`/catalogues/${id}`);
    for (const page of ["", "/shares", "/imports", "/versions", "/metadata", "/add-event"]) {
      await other.goto(`/catalogues/${id}${page}`);
      await other.getByRole("heading", { name: "There is no such catalogue" }).waitFor();
    }

    await other.goto("/profile");
    const memberId = await other.getByText(/^user_/).innerText();
    await owner.getByRole("button", { name: "Add a member" }).click();
    await owner.getByLabel("Id of the person or group").fill(memberId);
    expect(await violationsOf(owner)).toEqual([]);
    await owner.getByRole("button", { name: "Add the member" }).click();
    await owner.getByText("is a member.").waitFor();
    await other.goto("/catalogues");
    const row = other.getByRole("row").filter({ hasText: "Embargoed" });
    await row.getByText("restricted").waitFor();
    await row.getByRole("link", { name: "Embargoed", exact: true }).click();
    await other.getByRole("heading", { name: "Embargoed" }).waitFor();
    await other.getByText("As soon as an editor has added some").waitFor();
    expect(await other.getByRole("button", { name: "Edit", exact: true }).count()).toBe(0);
    await other.goto(`/catalogues/${id}/access`);
    await other.getByText("Its owners and administrators decide this").waitFor();

    const member = owner.getByRole("row").filter({ has: owner.getByRole("combobox") });
    await member.filter({ hasNotText: "you" }).getByRole("combobox").selectOption("own");
    await owner.getByText("may own it now.").waitFor();
    await other.goto(`/catalogues/${id}`);
    await other.getByRole("button", { name: "Edit", exact: true }).waitFor();
    await member
      .filter({ hasText: "you" })
      .getByRole("button", { name: /^Remove/ })
      .click();
    await owner.getByRole("button", { name: "Remove yourself" }).click();
    await owner.getByRole("heading", { name: "There is no such catalogue" }).waitFor();
  });

  test("tells an owner why the last owner stays", async () => {
    const made = await createCatalogue(await service.loginAs("editor"), { name: "Mine" });
    const { page, allow } = await openBrowser(service.url);
    allow(/status of 409/);
    await signInAs(page, service, "editor");
    await page.goto(`/catalogues/${made.id}/access`);
    const right = page.getByRole("combobox", { name: /^What .* may$/ });
    await right.selectOption("read");
    await page.locator(".notices .error").waitFor();
    await expect.poll(() => right.inputValue()).toBe("own");
  });

  test("is given to groups, which administrators keep", async () => {
    await newAccount(service, "viewer");
    const { page } = await openBrowser(service.url);
    await signInAs(page, service, "admin");
    await page.goto("/admin/groups");
    await page.getByRole("button", { name: "New group" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Night shift");
    await dialog.getByLabel("Part of the name or address").fill("viewer");
    await dialog.getByRole("checkbox").first().check();
    await dialog.getByText("People (1 member)").waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Make the group" }).click();
    const row = page.getByRole("row").filter({ hasText: "Night shift" });
    await row.getByRole("link", { name: "viewer" }).waitFor();

    await page.goto(`/catalogues/${id}/access`);
    await page.getByRole("button", { name: "Add a member" }).click();
    await dialog.getByLabel("Part of the name or address").fill("night");
    await dialog.getByLabel("Person or group").selectOption({ label: "Night shift (group)" });
    await dialog.getByLabel("May").selectOption("edit");
    await dialog.getByRole("button", { name: "Add the member" }).click();
    await row.getByText("group", { exact: true }).waitFor();
    expect(await row.getByRole("combobox").inputValue()).toBe("edit");

    await page.goto("/admin/groups");
    await page.getByRole("button", { name: "Delete Night shift…" }).click();
    await dialog.getByRole("button", { name: "Delete the group" }).click();
    await page.getByText("There are no groups yet.").waitFor();
  });
});
