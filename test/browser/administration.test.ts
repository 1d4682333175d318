import { expect, test } from "vitest";
import { ADMINISTRATORS_LOCK } from "#services/accounts/registration.ts";
import { newAccount, PASSWORD } from "../support/api/accounts.ts";
import { createCatalogue, seismicEvent } from "../support/api/catalogue.ts";
import { parkedNotification } from "../support/api/notifications.ts";
import { createApiClient } from "../support/api-client.ts";
import { withClient } from "../support/database-template.ts";
import {
  describeConsole,
  openBrowser,
  sharedConsole,
  signInAs,
  signInWith,
  violationsOf,
} from "./support/console.ts";

const { service, open } = sharedConsole();

async function requestsInFlight(): Promise<number> {
  const { body } = await createApiClient(service.url).get<string>("/metrics");
  return Number(/^http_requests_in_flight (\d+)$/m.exec(body)?.[1]);
}

const execute = (statement: string) =>
  withClient(service.databaseUrl, (client) => client.query(statement));

describeConsole("administration", () => {
  test("changes a role, ends and deletes an account; one's own stays as it is", async () => {
    const { id, email } = await newAccount(service, "viewer");
    const { page } = await open("admin", `/admin/users?search=${email}`);
    await page.getByText(/^1 of /).waitFor();
    const role = page.getByRole("combobox", { name: "Role of viewer" });
    await role.focus();
    await role.selectOption("admin");
    const asking = page.getByRole("dialog", { name: "Make viewer an administrator" });
    await asking.getByRole("button", { name: "Cancel" }).click();
    expect(await role.inputValue()).toBe("viewer");
    await role.and(page.locator(":focus")).waitFor();
    await role.selectOption("editor");
    await page.getByRole("button", { name: "Change the role" }).click();
    await page.getByText("viewer is now an editor.").waitFor();
    // The list is read anew meanwhile: the box shows what the service has, not what was clicked.
    const maySignIn = page.getByLabel("viewer may sign in");
    await maySignIn.click();
    await page.getByText("viewer is signed out and cannot sign in.").waitFor();
    await expect.poll(() => maySignIn.isChecked()).toBe(false);
    const admin = await service.loginAs("admin");
    expect((await admin.get(`/api/users/${id}`)).body).toMatchObject({
      user: { role: "editor", is_active: false },
    });
    await page.getByRole("button", { name: "Delete viewer…" }).click();
    const dialog = page.getByRole("dialog");
    const remove = dialog.getByRole("button", { name: "Delete the account" });
    expect(await remove.isDisabled()).toBe(true);
    await dialog.getByRole("textbox").fill(email);
    await remove.click();
    await page.getByText(/^0 of /).waitFor();
    expect((await admin.get(`/api/users/${id}`)).status).toBe(404);
    await page.getByRole("searchbox").fill("admin@example.org");
    await page.getByText("you", { exact: true }).waitFor();
    expect(await page.getByRole("combobox", { name: /^Role/ }).isDisabled()).toBe(true);
    expect(await page.getByRole("button", { name: /^Delete/ }).count()).toBe(0);
  });

  test("explains to one of two administrators who demote each other at once that one has to stay", async () => {
    const other = await newAccount(service, "admin");
    const [first, second] = [await openBrowser(service.url), await openBrowser(service.url)];
    for (const { allow } of [first, second]) allow(/status of 40[39]/);
    await signInAs(first.page, service, "admin");
    await signInWith(second.page, { email: other.email, password: PASSWORD });
    await first.page.goto(`/admin/users?search=${other.email}`);
    await second.page.goto("/admin/users?search=admin@example.org");
    await withClient(service.databaseUrl, async (client) => {
      await client.query("select pg_advisory_lock($1)", [ADMINISTRATORS_LOCK]);
      // The question itself is one of them.
      let running = 1;
      for (const { page } of [first, second]) {
        await page.getByRole("combobox", { name: /^Role/ }).selectOption("viewer");
        await expect.poll(requestsInFlight, { timeout: 10_000 }).toBe(running);
        await page.getByRole("button", { name: "Change the role" }).click();
        running += 1;
        await expect.poll(requestsInFlight, { timeout: 10_000 }).toBe(running);
        // The change has come, and what is asked later has been answered: it waits for its turn.
        expect((await page.request.get("/api/users")).status()).toBe(200);
      }
      await client.query("select pg_advisory_unlock($1)", [ADMINISTRATORS_LOCK]);
    });
    const refused = /last active administrator.*make another person administrator first/;
    await Promise.any(
      [first, second].map(({ page }) => page.getByText(refused).waitFor({ timeout: 20_000 })),
    );
    await Promise.any(
      [first, second].map(({ page }) =>
        page.getByRole("heading", { name: "Not for your role" }).waitFor({ timeout: 20_000 }),
      ),
    );
    // Either may have been first; the tests that follow need the one whom all know.
    const { client } = await other.signIn();
    const admin = await service.loginAs("admin");
    const session = await admin.get<{ user: { id: string } }>("/api/auth/session");
    await client.send("PATCH", `/api/users/${session.body.user.id}`, { role: "admin" });
    expect((await admin.get("/api/users")).status).toBe(200);
  });

  test("applies parked events again, all or none", async () => {
    const editor = await service.loginAs("editor");
    const { id } = await createCatalogue(editor, { name: "Standing still" });
    await execute(`alter table read_model.seismic_events
      add constraint no_poison check (source_id <> 'poison') not valid`);
    const events = [seismicEvent({ source_id: "poison" })];
    await editor.send("POST", `/api/catalogues/${id}/events`, { events });
    const { page } = await open("admin", "/parked", { allow: /status of 409/ });
    const row = page.getByRole("row").filter({ hasText: "no_poison" });
    await row.getByRole("button", { name: "Apply again…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("the 1 change waiting behind it").waitFor();
    await dialog.getByRole("button", { name: "Apply" }).click();
    await dialog.getByText("still cannot be brought up to date").waitFor();
    await execute("alter table read_model.seismic_events drop constraint no_poison");
    await dialog.getByRole("button", { name: "Apply" }).click();
    await page.getByText("2 changes are applied.").waitFor();
    await page.getByText("Nothing stands still").waitFor();
  });

  test("finds in the audit what was done, by whom, to what and why, newest first", async () => {
    const editor = await service.loginAs("editor");
    const events = [seismicEvent({ magnitude: 2 })];
    const { id } = await createCatalogue(editor, { name: "Audited", events });
    const { body } = await editor.get<{ events: { id: string }[] }>(`/api/catalogues/${id}/events`);
    const event = `/catalogues/${id}/events/${body.events[0]?.id}`;
    await editor.send("PATCH", `/api${event}?reason=relocated`, { magnitude: 2.6 });
    const { page } = await open("admin", "/audit");
    const row = page.getByRole("row").filter({ hasText: "M 2.0 → 2.6" });
    await row.getByText("“relocated”").waitFor();
    await row.getByRole("link", { name: "editor", exact: true }).waitFor();
    const addressOf = (name: string | RegExp) =>
      row.getByRole("link", { name, exact: true }).getAttribute("href");
    expect(await addressOf("Audited")).toBe(`/catalogues/${id}`);
    expect(await addressOf("version 2")).toBe(`/catalogues/${id}/versions?from=1&to=2`);
    expect(await addressOf("2016-11-13 11:02")).toBe(`${event}?asOf=2`);
    await row.getByRole("button", { name: "Details" }).click();
    await page.getByText("Version 2 begun (edit): relocated").waitFor();
    await page.getByText(/^Version 2 committed \(edit\): 0 added, 1 updated/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole("link", { name: "Only what concerns Audited" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(3);
    expect(new URL(page.url()).searchParams.get("subject")).toBe(`catalogue-${id}`);
    expect(await page.getByRole("row").nth(2).textContent()).toContain("created with 1 event");
  });

  test("filters the audit by who, what and when, which the way back undoes", async () => {
    const { id } = await createCatalogue(await service.loginAs("editor"), { name: "Filtered" });
    const { page } = await open("admin", `/audit?subject=catalogue-${id}`);
    await page.getByLabel("What", { exact: true }).selectOption("events or a catalogue changed");
    const row = page.getByRole("row").filter({ hasText: "Catalogue created with 1 event" });
    await row.waitFor();
    await page.getByLabel("From").fill("2020-01-01");
    await page.getByLabel(/^To/).fill("2020-02-01");
    await page.getByLabel(/^To/).press("Enter");
    await page.getByText("Nothing like that was done.").waitFor();
    await page.goBack();
    await page.goBack();
    await row.waitFor();
    expect(await page.getByLabel("From").inputValue()).toBe("");
    await page.getByLabel("Who").selectOption("guests");
    await page.getByText("Nothing like that was done.").waitFor();
    await page.goBack();
    await row.waitFor();
    await page.getByRole("link", { name: "Everything" }).click();
    expect(new URL(page.url()).search).toBe("?type=RevisionCommitted");
  });

  test("sends a parked notification again", async () => {
    await parkedNotification(service.databaseUrl);
    const { page } = await open("admin", "/notifications?status=parked");
    await page.getByText("the webhook answered 500").waitFor();
    await page.getByRole("button", { name: "Send again" }).click();
    await page.getByText("There is no such mail: not delivered.").waitFor();
  });

  test("tells others which role its pages need, and guests to sign in", async () => {
    const { page } = await open("guest", "/admin/users");
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await signInAs(page, service, "editor");
    expect(await page.getByRole("button", { name: "Administration" }).count()).toBe(0);
    await page.goto("/parked");
    await page.getByText("This page is for administrators; you are signed in as editor").waitFor();
  });
});
