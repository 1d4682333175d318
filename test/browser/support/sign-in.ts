import type { Locator, Page } from "playwright-core";
import { signInOf, type TestRole, type TestService } from "../../support/service.ts";

/** Gives the page's window a new session of the role's account; the next page that it opens has it. */
export async function signInAs(page: Page, service: TestService, role: TestRole): Promise<void> {
  await service.loginAs(role);
  const answer = await page.request.post("/api/auth/login", { data: signInOf(role) });
  if (!answer.ok()) throw new Error(`signing in answered ${answer.status()}`);
}

type Credentials = { readonly email: string; readonly password: string };

/** Signs in by the page of the console, as a person does. */
export async function signInWith(page: Page, { email, password }: Credentials): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  // A narrow window has it folded away.
  await page.locator("header").getByText("Sign out").waitFor({ state: "attached" });
}

/** The button that tells who is signed in. */
export function accountMenu(page: Page): Locator {
  return page.getByRole("button", { name: /^Account of/ });
}

export async function signOut(page: Page): Promise<void> {
  await accountMenu(page).click();
  await page.getByRole("button", { name: "Sign out" }).click();
}
