import { afterAll, expect, test } from "vitest";
import { freePort } from "#infra/postgres/embedded/embedded.ts";
import { newAccount, newEmail, PASSWORD } from "../support/api/accounts.ts";
import { startInstitute } from "../support/openid/start-institute.ts";
import { useService } from "../support/service.ts";
import {
  accountMenu,
  describeConsole,
  openBrowser,
  signInAs,
  signOut,
  violationsOf,
} from "./support/console.ts";

const [port, otherPort] = [await freePort(), await freePort()];
const addressOf = (at: number) => `http://127.0.0.1:${at}`;
const institute = await startInstitute(
  [port, otherPort].map((at) => `${addressOf(at)}/api/auth/oidc/callback`),
);
const variablesOf = (at: number) => ({
  ...institute.variables,
  PORT: String(at),
  PUBLIC_BASE_URL: addressOf(at),
});
const service = useService(variablesOf(port));
const only = useService({ ...variablesOf(otherPort), OIDC_ONLY: "true" }, { copyOf: service });
afterAll(institute.close);

const BUTTON = "Sign in with your institute's account";
const person = (claims: object) => ({
  sub: newEmail(),
  email_verified: true,
  name: "Ana",
  ...claims,
});

/** The institute is another host, which may be asked here. */
async function openAt(url: string) {
  const opened = await openBrowser(url);
  opened.allow(new RegExp(`^asked another host: ${institute.issuer}/`));
  return opened;
}

describeConsole("signing in with the institute's account", () => {
  test("leads to the institute and back to the page that was wanted; signing out ends the session here", async () => {
    const { page } = await openAt(service.url);
    institute.attend(person({ email: newEmail() }));
    await page.goto("/login?next=%2Fprofile");
    await page.getByRole("link", { name: BUTTON }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole("link", { name: BUTTON }).click();
    await page.getByRole("heading", { name: "Profile" }).waitFor();
    expect(new URL(page.url()).origin).toBe(service.url);
    await signOut(page);
    await page.getByRole("link", { name: "Sign in" }).first().waitFor();
    expect(await accountMenu(page).count()).toBe(0);
  });

  test("says why it failed, and the page that was wanted is kept", async () => {
    const { page } = await openAt(service.url);
    institute.attend(null);
    await page.goto("/login?next=%2Fprofile");
    await page.getByRole("link", { name: BUTTON }).click();
    await page.getByText("The sign-in at your institute was cancelled.").waitFor();
    institute.attend(person({ email: newEmail() }));
    await page.getByRole("link", { name: BUTTON }).click();
    await page.getByRole("heading", { name: "Profile" }).waitFor();
  });

  test("asks once for the password of an account that has the address", async () => {
    const { email } = await newAccount(service, "viewer");
    const { page, allow } = await openAt(service.url);
    allow(/status of 401/);
    institute.attend(person({ email }));
    await page.goto("/login?next=%2Fprofile");
    await page.getByRole("link", { name: BUTTON }).click();
    await page.getByRole("heading", { name: "Join your account" }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    const password = page.getByLabel("Password of your account here");
    await password.fill("a wrong password");
    await page.getByRole("button", { name: "Join and sign in" }).click();
    await page.getByText("The password is wrong").waitFor();
    await password.fill(PASSWORD);
    await page.getByRole("button", { name: "Join and sign in" }).click();
    await page.getByText(email, { exact: true }).waitFor();
  });

  test("is the only way with OIDC_ONLY, but for the first administrator", async () => {
    const { page } = await openAt(only.url);
    await page.goto("/register");
    await page.getByText("Nobody registers here").waitFor();
    await page.goto("/login");
    await page.getByRole("link", { name: BUTTON }).waitFor();
    expect(await page.getByLabel("Password").isVisible()).toBe(false);
    await page.getByText("Sign in as this service's first administrator").click();
    await page.getByLabel("Password").waitFor();
    expect(await page.getByRole("link", { name: "Password forgotten" }).count()).toBe(0);
    await signInAs(page, only, "admin");
    await page.goto("/admin/users");
    await page.getByRole("button", { name: "Add a user" }).click();
    await page.getByText("signs in with the institute's account that has this address").waitFor();
    const email = newEmail();
    await page.getByLabel("Name", { exact: true }).fill("Bea Invited");
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Add the user" }).click();
    await page.getByRole("cell", { name: email }).waitFor();
  });
});
