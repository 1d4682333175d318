import { beforeAll, expect, test } from "vitest";
import { newAccount, PASSWORD } from "../support/api/accounts.ts";
import { createCatalogue } from "../support/api/catalogue.ts";
import {
  describeConsole,
  sharedConsole,
  signInWith,
  signOut,
  violationsOf,
} from "./support/console.ts";

const { service, open } = sharedConsole();

describeConsole("an account", () => {
  test("is registered, left and entered again; its cookie is not for scripts", async () => {
    const { page, context } = await open("guest", "/register?next=%2Fcatalogues%3Fsearch%3Da", {
      allow: /status of 401/,
    });
    await page.getByLabel("Name").fill("Hōne");
    await page.getByLabel("Email").fill("hone@example.org");
    await page.getByLabel("Password").fill("a long user password");
    await page.getByLabel("The same again").fill("a long user password");
    await page.getByRole("button", { name: "Register" }).click();
    await page.getByText("Hōne").waitFor();
    expect(new URL(page.url()).search).toBe("?search=a");
    expect((await context.cookies()).map(({ httpOnly }) => httpOnly)).toEqual([true]);
    await signOut(page);
    await page.locator("#header-parts").getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("Email").fill("hone@example.org");
    await page.getByLabel("Password").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Password").fill("a long user password");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("Hōne").waitFor();
  });
});

let id = "";

describeConsole("access tokens", () => {
  beforeAll(async () => {
    ({ id } = await createCatalogue(await service.loginAs("editor"), { name: "Swarm" }));
  });

  test("are made with lines that work, shown once, and ended", async () => {
    const { page } = await open("editor", "/profile");
    await page.getByRole("link", { name: "Access tokens" }).click();
    await page.getByText("You have no access tokens yet.").waitFor();
    await page.getByRole("button", { name: "New token" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Nightly plots");
    expect(await dialog.getByLabel("What it may do").locator("option").allInnerTexts()).toEqual([
      "read",
      "read and change",
    ]);
    expect(await violationsOf(page)).toEqual([]);
    await dialog.getByLabel("Only for certain catalogues").check();
    await dialog.getByLabel("Swarm", { exact: true }).check();
    await dialog.getByRole("button", { name: "Make the token" }).click();
    const made = page.getByRole("region", { name: "Nightly plots" });
    const secret = await made.getByLabel("Secret").inputValue();
    expect(secret).toMatch(/^eqc_/);
    const base = `${service.url}/api/catalogues/${id}`;
    const linesFor = async (program: string) => {
      await made.getByLabel("Program").selectOption(program);
      return made.locator("pre").innerText();
    };
    for (const program of ["GDAL", "pandas", "ObsPy", "curl"]) {
      const lines = await linesFor(program);
      expect(lines).toContain(secret);
      expect(lines).toContain(base);
    }
    const curl = await linesFor("curl");
    const [, header = "", address = ""] = /-H "Authorization: (.+?)" "(.+)"/.exec(curl) ?? [];
    const read = () => fetch(address, { headers: { authorization: header } });
    expect((await read()).status).toBe(200);
    expect(await violationsOf(page)).toEqual([]);
    await made.getByRole("button", { name: "I have copied the secret" }).click();
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    const row = page.getByRole("row").filter({ hasText: "Nightly plots" });
    await row.getByRole("link", { name: "Swarm" }).waitFor();
    await row.getByText("in 89 days").waitFor();
    await row.getByText("just now").last().waitFor();
    await row.getByRole("button", { name: "End Nightly plots…" }).click();
    await dialog.getByRole("button", { name: "End it" }).click();
    await page.getByText("You have no access tokens yet.").waitFor();
    expect((await read()).status).toBe(401);
  });

  test("say at the field what is wrong with it, and are made once where the answer is lost", async () => {
    const { page } = await open("viewer", "/tokens", { allow: /status of 4|ERR_/ });
    await page.getByRole("button", { name: "New token" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Lost");
    const days = page.getByLabel("Ends after");
    await days.fill("4000");
    const make = page.getByRole("button", { name: "Make the token" });
    await make.click();
    await expect.poll(() => days.getAttribute("aria-invalid")).toBe("true");
    await days.fill("5");
    await page.route(
      "**/api/tokens",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await make.click();
    await page.getByText("The service cannot be reached.", { exact: true }).waitFor();
    await make.click();
    await page.getByText("the answer with its secret was lost").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.getByRole("row").filter({ hasText: "Lost" }).count()).toBe(1);
  });

  test("of others are seen and ended by administrators", async () => {
    const editor = await service.loginAs("editor");
    await editor.send("POST", "/api/tokens", { name: "Of the editor", scopes: ["write"] });
    const { page } = await open("admin", `/admin/users?search=${service.signInOf("editor").email}`);
    await page.getByRole("link", { name: "Access tokens of editor" }).click();
    await page.getByRole("heading", { name: "Access tokens of editor" }).waitFor();
    await page.getByText("read and change").waitFor();
    await page.getByRole("button", { name: "End Of the editor…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "End it" }).click();
    await page.getByText("editor has no access tokens.").waitFor();
  });
});

describeConsole("who may read and change a catalogue", () => {
  beforeAll(async () => {
    const editor = await service.loginAs("editor");
    ({ id } = await createCatalogue(editor, { name: "Embargoed", events: [] }));
  });

  test("is decided by its owner, who names members by their ids", async () => {
    const { email } = await newAccount(service, "editor");
    const { page: other } = await open("guest", null, { allow: /status of 404/ });
    await signInWith(other, { email, password: PASSWORD });
    await other.goto(`/catalogues/${id}`);
    await other.getByRole("heading", { name: "Embargoed" }).waitFor();

    const { page: owner } = await open("editor", `/catalogues/${id}`, { allow: /status of 404/ });
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
    const { page } = await open("editor", `/catalogues/${made.id}/access`, {
      allow: /status of 409/,
    });
    const right = page.getByRole("combobox", { name: /^What .* may$/ });
    await right.selectOption("read");
    await page.locator(".notices .error").waitFor();
    await expect.poll(() => right.inputValue()).toBe("own");
  });

  test("is given to groups, which administrators keep", async () => {
    await newAccount(service, "viewer");
    const { page } = await open("admin", "/admin/groups");
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
