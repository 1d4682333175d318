import type { Page } from "playwright-core";
import { signInOf, type TestRole, type TestService } from "../../support/service.ts";

/** Signs in by the page of the console, as a person does. */
export async function signInAs(page: Page, service: TestService, role: TestRole): Promise<void> {
  await service.loginAs(role);
  await signInWith(page, signInOf(role));
}

type Credentials = { readonly email: string; readonly password: string };

/** The same, of any account. */
export async function signInWith(page: Page, { email, password }: Credentials): Promise<void> {
  await page.goto("/login");
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  // A narrow window has it folded away.
  await page.locator("header").getByText("Sign out").waitFor({ state: "attached" });
}
