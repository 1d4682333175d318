import type { ComponentType } from "preact";
import type { Role } from "./api/session.ts";

/** Parameters of a page's address, by their names in its path. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

export type PageRoute = {
  readonly path: string;
  /** Stands in the window's title. */
  readonly title: string;
  /** Who may see the page; absent, everybody. */
  readonly role?: Role;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
};

/** Every page, by its address; each is a file of its own, loaded when it is opened. */
export const routes: readonly PageRoute[] = [
  { path: "/", title: "Catalogues", load: () => import("./pages/catalogues.tsx") },
  { path: "/catalogues", title: "Catalogues", load: () => import("./pages/catalogues.tsx") },
  { path: "/login", title: "Sign in", load: () => import("./pages/account/login.tsx") },
  { path: "/register", title: "Register", load: () => import("./pages/account/register.tsx") },
];
