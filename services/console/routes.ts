import type { PageRoute } from "./model/page-route.ts";

const SHARED = { isShared: true } as const;
const VIEWER = { role: "viewer" } as const;
const EDITOR = { role: "editor" } as const;
const NEW = { role: "editor", entry: "New" } as const;
const ADMIN = { role: "admin", entry: "Administration" } as const;

/** Every page, by its address; each is a file of its own, loaded when it is opened. */
export const routes: readonly PageRoute[] = [
  page("/", "Catalogues", () => import("./pages/catalogues.tsx")),
  page("/catalogues", "Catalogues", () => import("./pages/catalogues.tsx"), { entry: "own" }),
  page("/catalogues/:id", "Catalogue", () => import("./pages/catalogue.tsx"), SHARED),
  page("/catalogues/:id/events/:eventId", "Event", () => import("./pages/event.tsx"), SHARED),
  page("/catalogues/:id/add-event", "Add an event", () => import("./pages/add-event.tsx"), EDITOR),
  page("/catalogues/:id/versions", "Versions", () => import("./pages/versions.tsx")),
  page("/catalogues/:id/analytics", "Analytics", () => import("./pages/analytics.tsx"), SHARED),
  page("/catalogues/:id/merge", "Merge", () => import("./pages/merges/merged.tsx")),
  page(
    "/catalogues/:id/merge/review",
    "Review desk",
    () => import("./pages/merges/review.tsx"),
    EDITOR,
  ),
  page("/catalogues/:id/duplicates", "Duplicates", () => import("./pages/duplicates.tsx"), EDITOR),
  page(
    "/catalogues/:id/conversions",
    "Convert magnitudes",
    () => import("./pages/conversions.tsx"),
    EDITOR,
  ),
  page(
    "/catalogues/:id/metadata",
    "Citation details",
    () => import("./pages/metadata.tsx"),
    EDITOR,
  ),
  page("/catalogues/:id/shares", "Shares", () => import("./pages/shares.tsx"), EDITOR),
  page("/catalogues/:id/access", "Access and members", () => import("./pages/access.tsx"), EDITOR),
  page("/catalogues/:id/imports", "Imports", () => import("./pages/imports.tsx"), VIEWER),
  page("/catalogues/:id/schedules", "Kept current", () => import("./pages/schedules.tsx"), EDITOR),
  page(
    "/catalogues/:id/schedules/new",
    "New schedule",
    () => import("./pages/schedule.tsx"),
    EDITOR,
  ),
  page(
    "/catalogues/:id/schedules/:scheduleId",
    "Change the schedule",
    () => import("./pages/schedule.tsx"),
    EDITOR,
  ),
  page("/upload", "Upload", () => import("./pages/upload.tsx"), NEW),
  page("/import", "Import", () => import("./pages/import.tsx"), NEW),
  page("/merge", "Merge", () => import("./pages/merges/merge.tsx"), NEW),
  page(
    "/merge/evaluate",
    "Evaluate thresholds",
    () => import("./pages/merges/evaluate.tsx"),
    EDITOR,
  ),
  page("/compare", "Compare catalogues", () => import("./pages/compare.tsx")),
  page("/operations", "Operations", () => import("./pages/operations.tsx"), {
    role: "viewer",
    entry: "own",
  }),
  page("/operations/:id", "Operation", () => import("./pages/operation.tsx"), VIEWER),
  page("/agencies", "Agencies", () => import("./pages/agencies.tsx"), {
    role: "viewer",
    entry: "own",
  }),
  page("/regions", "Regions", () => import("./pages/regions/regions.tsx"), {
    role: "viewer",
    entry: "own",
  }),
  page("/regions/new", "New region", () => import("./pages/regions/change-region.tsx"), EDITOR),
  page("/regions/:id", "Region", () => import("./pages/regions/region.tsx"), VIEWER),
  page(
    "/regions/:id/change",
    "Change the region",
    () => import("./pages/regions/change-region.tsx"),
    EDITOR,
  ),
  page("/status", "Status", () => import("./pages/status.tsx"), { entry: "own" }),
  page("/admin/users", "Users", () => import("./pages/administration/users.tsx"), ADMIN),
  page("/admin/groups", "Groups", () => import("./pages/administration/groups.tsx"), ADMIN),
  page(
    "/role-requests",
    "Role requests",
    () => import("./pages/administration/role-requests.tsx"),
    ADMIN,
  ),
  page("/audit", "Audit", () => import("./pages/administration/audit.tsx"), ADMIN),
  page("/notifications", "Mails", () => import("./pages/administration/notifications.tsx"), ADMIN),
  page("/parked", "Changes that failed", () => import("./pages/administration/parked.tsx"), ADMIN),
  page("/setup", "Set-up", () => import("./pages/setup.tsx")),
  page("/login", "Sign in", () => import("./pages/account/login.tsx")),
  page("/join", "Join your account", () => import("./pages/account/join.tsx")),
  page("/register", "Register", () => import("./pages/account/register.tsx")),
  page(
    "/forgot-password",
    "Password forgotten",
    () => import("./pages/account/forgot-password.tsx"),
  ),
  page("/reset-password", "New password", () => import("./pages/account/reset-password.tsx")),
  page("/profile", "Profile", () => import("./pages/account/profile.tsx"), VIEWER),
  page("/tokens", "Access tokens", () => import("./pages/account/tokens.tsx"), VIEWER),
  page(
    "/change-password",
    "Change password",
    () => import("./pages/account/change-password.tsx"),
    VIEWER,
  ),
];

function page(
  path: string,
  title: string,
  load: PageRoute["load"],
  further: Pick<PageRoute, "role" | "entry" | "isShared"> = {},
): PageRoute {
  return { path, title, load, ...further };
}
