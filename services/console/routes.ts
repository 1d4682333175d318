import type { ComponentType } from "preact";
import type { Role } from "./api/session.ts";

/** Parameters of a page's address, by their names in its path. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

export type PageRoute = {
  readonly path: string;
  /** Stands in the window's title, and in menus. */
  readonly title: string;
  /** Who may see the page; absent, everybody. */
  readonly role?: Role;
  /** Where the header leads to it: by an entry of its own, or in the menu of that name. */
  readonly entry?: "own" | "New" | "Administration";
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
};

/** Every page, by its address; each is a file of its own, loaded when it is opened. */
export const routes: readonly PageRoute[] = [
  { path: "/", title: "Catalogues", load: () => import("./pages/catalogues.tsx") },
  {
    path: "/catalogues",
    title: "Catalogues",
    entry: "own",
    load: () => import("./pages/catalogues.tsx"),
  },
  {
    path: "/catalogues/:id",
    title: "Catalogue",
    load: () => import("./pages/catalogue/page.tsx"),
  },
  {
    path: "/catalogues/:id/events/:eventId",
    title: "Event",
    load: () => import("./pages/event/page.tsx"),
  },
  {
    path: "/catalogues/:id/versions",
    title: "Versions",
    load: () => import("./pages/versions/page.tsx"),
  },
  {
    path: "/catalogues/:id/analytics",
    title: "Analytics",
    load: () => import("./pages/analytics/page.tsx"),
  },
  {
    path: "/catalogues/:id/shares",
    title: "Shares",
    role: "editor",
    load: () => import("./pages/shares.tsx"),
  },
  {
    path: "/catalogues/:id/imports",
    title: "Imports",
    role: "viewer",
    load: () => import("./pages/imports.tsx"),
  },
  {
    path: "/upload",
    title: "Upload",
    role: "editor",
    entry: "New",
    load: () => import("./pages/upload/page.tsx"),
  },
  {
    path: "/import",
    title: "Import",
    role: "editor",
    entry: "New",
    load: () => import("./pages/import/page.tsx"),
  },
  {
    path: "/merge",
    title: "Merge",
    role: "editor",
    entry: "New",
    load: () => import("./pages/merge/page.tsx"),
  },
  { path: "/compare", title: "Compare catalogues", load: () => import("./pages/compare/page.tsx") },
  {
    path: "/operations",
    title: "Operations",
    role: "viewer",
    entry: "own",
    load: () => import("./pages/operations/list.tsx"),
  },
  {
    path: "/operations/:id",
    title: "Operation",
    role: "viewer",
    load: () => import("./pages/operations/page.tsx"),
  },
  { path: "/status", title: "Status", entry: "own", load: () => import("./pages/status.tsx") },
  {
    path: "/admin/users",
    title: "Users",
    role: "admin",
    entry: "Administration",
    load: () => import("./pages/admin/users.tsx"),
  },
  {
    path: "/role-requests",
    title: "Role requests",
    role: "admin",
    entry: "Administration",
    load: () => import("./pages/admin/role-requests.tsx"),
  },
  {
    path: "/audit",
    title: "Audit",
    role: "admin",
    entry: "Administration",
    load: () => import("./pages/admin/audit.tsx"),
  },
  {
    path: "/notifications",
    title: "Notifications",
    role: "admin",
    entry: "Administration",
    load: () => import("./pages/admin/notifications.tsx"),
  },
  {
    path: "/parked",
    title: "Parked events",
    role: "admin",
    entry: "Administration",
    load: () => import("./pages/admin/parked.tsx"),
  },
  { path: "/setup", title: "Set-up", load: () => import("./pages/setup.tsx") },
  { path: "/login", title: "Sign in", load: () => import("./pages/account/login.tsx") },
  { path: "/register", title: "Register", load: () => import("./pages/account/register.tsx") },
  {
    path: "/forgot-password",
    title: "Password forgotten",
    load: () => import("./pages/account/forgot-password.tsx"),
  },
  {
    path: "/reset-password",
    title: "New password",
    load: () => import("./pages/account/reset-password.tsx"),
  },
  {
    path: "/profile",
    title: "Profile",
    role: "viewer",
    load: () => import("./pages/account/profile.tsx"),
  },
  {
    path: "/change-password",
    title: "Change password",
    role: "viewer",
    load: () => import("./pages/account/change-password.tsx"),
  },
];
