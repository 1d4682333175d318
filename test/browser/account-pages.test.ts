import { afterAll, expect, test } from "vitest";
import { newAccount, PASSWORD } from "../support/api/accounts.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import { accountMenu, describeConsole, ownConsole, signInWith } from "./support/console.ts";

const mails = await startWebhookReceiver();
const { service, open } = await ownConsole({ EMAIL_WEBHOOK_URL: mails.url });
afterAll(mails.close);
const NEW = "a wholly new password";

describeConsole("pages of an account", () => {
  test("a reset link of a mail sets a password, once, and ends every session", async () => {
    const { email } = await newAccount(service, "viewer");
    const { page } = await open("guest", "/login", { allow: /status of 400/ });
    await page.getByRole("link", { name: "Password forgotten" }).click();
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send the link" }).click();
    await page.getByRole("status").filter({ hasText: /\S/ }).waitFor();
    await signInWith(page, { email, password: PASSWORD });
    const message = () => mails.taken.find(({ to }) => to === email)?.message;
    await expect.poll(message).toContain(`${service.url}/reset-password?token=`);
    const [link = ""] = /http\S+token=\S+/.exec(message() ?? "") ?? [];
    await page.goto(link);
    await page.getByLabel("New password").fill(NEW);
    await page.getByLabel("The same again").fill(PASSWORD);
    await page.getByText("The two passwords are not the same").waitFor();
    await page.getByLabel("The same again").fill(NEW);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("Your password is changed. Sign in with it.").waitFor();
    expect(new URL(page.url()).pathname).toBe("/login");
    await page.getByRole("link", { name: "Sign in" }).waitFor();
    await signInWith(page, { email, password: NEW });
    await page.goto(link);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByLabel("The same again").fill(PASSWORD);
    await page.getByRole("button", { name: "Change the password" }).click();
    await page.getByText("The reset token is invalid or has expired").waitFor();
    await page.getByRole("link", { name: "Ask for another" }).waitFor();
  });

  test("a password is changed by whoever knows the old one; the session stays", async () => {
    const { email } = await newAccount(service, "viewer");
    const { page } = await open("guest", "/change-password", { allow: /status of 401/ });
    await signInWith(page, { email, password: PASSWORD });
    await page.goto("/profile");
    await page.getByRole("link", { name: "Change the password" }).click();
    const change = async (current: string) => {
      await page.getByLabel("Current password").fill(current);
      await page.getByLabel("New password").fill(NEW);
      await page.getByLabel("The same again").fill(NEW);
      await page.getByRole("button", { name: "Change the password" }).click();
    };
    await change("wrong");
    await page.getByText("The current password is wrong").waitFor();
    await change(PASSWORD);
    await page.getByRole("heading", { name: "Profile" }).waitFor();
    expect(await accountMenu(page).count()).toBe(1);
  });

  test("a request for a role is sent, approved in another window, and gives the rights at once", async () => {
    const { email } = await newAccount(service, "viewer");
    const { page: viewer } = await open("guest");
    await signInWith(viewer, { email, password: PASSWORD });
    await viewer.goto("/profile");
    await viewer.getByLabel("What you need it for").fill("I keep the catalogue\nof the swarm.");
    await viewer.getByRole("button", { name: "Send the request" }).click();
    await viewer.getByRole("heading", { name: "My requests" }).waitFor();
    expect(await viewer.getByRole("button", { name: "Send the request" }).count()).toBe(0);

    const { page: admin } = await open("admin", "/");
    await admin.getByRole("button", { name: "Administration" }).click();
    await admin.getByRole("link", { name: "Role requests" }).click();
    const request = admin.getByRole("article").filter({ hasText: email });
    await request.getByLabel("Note to the requester").fill("Welcome");
    await request.getByRole("button", { name: "Approve" }).click();
    await request.getByText("approved", { exact: true }).waitFor();

    await viewer.getByRole("link", { name: "Earthquake catalogues" }).click();
    await accountMenu(viewer).click();
    await viewer.getByRole("link", { name: "Profile", exact: true }).click();
    const own = viewer.locator('[aria-current="true"]');
    await own.getByText("editor: makes, imports, merges and edits catalogues").waitFor();
    await viewer.getByText("Welcome").waitFor();
    await viewer.getByRole("button", { name: "New" }).click();
    await viewer.getByRole("link", { name: "Upload" }).click();
    await viewer.getByRole("heading", { name: "Upload" }).waitFor();
    await viewer.locator('input[type="file"]').waitFor({ state: "attached" });
  });
});
