import type { Page } from "playwright-core";
import type { Login } from "../support/server.ts";

/** Logs in, and waits for the first view. */
export async function logIn(page: Page, { login, password }: Login): Promise<void> {
  await page.locator("[name=login]").fill(login);
  await page.locator("[name=password]").fill(password);
  await page.locator("form.login button").click();
  await page.locator(".session-left").waitFor();
}

/** Opens a section by its link in the bar. */
export async function openSection(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name, exact: true }).click();
}
