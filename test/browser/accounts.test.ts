import { describe, expect, test } from "vitest";
import { hasChromium } from "../support/chromium.ts";
import { useReachableService } from "../support/reachable-service.ts";
import { openBrowser } from "./support/browser.ts";
import { signOut } from "./support/sign-in.ts";

const service = await useReachableService();

describe.skipIf(!hasChromium)("an account", () => {
  test("is registered, left and entered again; its cookie is not for scripts", async () => {
    const { page, context, allow } = await openBrowser(service.url);
    allow(/status of 401/);
    await page.goto("/register?next=%2Fcatalogues%3Fsearch%3Da");
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
