import type { Role } from "#contracts/rights.ts";
import type { PageRoute } from "./ui/page.tsx";

const page = of(undefined);
const open = of(undefined, { entry: "own" });
const shared = of(undefined, { isShared: true });
const viewer = of("viewer");
const own = of("viewer", { entry: "own" });
const editor = of("editor");
const fresh = of("editor", { entry: "New" });
const admin = of("admin", { entry: "Administration" });

/** Every page, by its address; each is a file of its own, loaded when it is opened. */
export const routes: readonly PageRoute[] = [
  page("/", "Catalogues", () => import("./pages/catalogues.tsx")),
  open("/catalogues", "Catalogues", () => import("./pages/catalogues.tsx")),
  shared("/catalogues/:id", "Catalogue", () => import("./pages/catalogue.tsx")),
  shared("/catalogues/:id/events/:eventId", "Event", () => import("./pages/event.tsx")),
  editor("/catalogues/:id/add-event", "Add an event", () => import("./pages/add-event.tsx")),
  page("/catalogues/:id/versions", "Versions", () => import("./pages/versions.tsx")),
  shared("/catalogues/:id/analytics", "Analytics", () => import("./pages/analytics.tsx")),
  page("/catalogues/:id/merge", "Merge", () => import("./pages/merges/merged.tsx")),
  editor("/catalogues/:id/merge/review", "Review desk", () => import("./pages/merges/review.tsx")),
  editor("/catalogues/:id/duplicates", "Duplicates", () => import("./pages/duplicates.tsx")),
  editor(
    "/catalogues/:id/conversions",
    "Convert magnitudes",
    () => import("./pages/conversions.tsx"),
  ),
  editor("/catalogues/:id/metadata", "Citation details", () => import("./pages/metadata.tsx")),
  editor("/catalogues/:id/shares", "Shares", () => import("./pages/shares.tsx")),
  editor("/catalogues/:id/access", "Access and members", () => import("./pages/access.tsx")),
  viewer("/catalogues/:id/imports", "Imports", () => import("./pages/imports.tsx")),
  editor("/catalogues/:id/schedules", "Kept current", () => import("./pages/schedules.tsx")),
  editor("/catalogues/:id/schedules/new", "New schedule", () => import("./pages/schedule.tsx")),
  editor(
    "/catalogues/:id/schedules/:scheduleId",
    "Change the schedule",
    () => import("./pages/schedule.tsx"),
  ),
  fresh("/upload", "Upload", () => import("./pages/upload.tsx")),
  fresh("/import", "Import", () => import("./pages/import.tsx")),
  fresh("/merge", "Merge", () => import("./pages/merges/merge.tsx")),
  editor("/merge/evaluate", "Evaluate thresholds", () => import("./pages/merges/evaluate.tsx")),
  page("/compare", "Compare catalogues", () => import("./pages/compare.tsx")),
  own("/operations", "Operations", () => import("./pages/operations.tsx")),
  viewer("/operations/:id", "Operation", () => import("./pages/operation.tsx")),
  own("/agencies", "Agencies", () => import("./pages/agencies.tsx")),
  own("/regions", "Regions", () => import("./pages/regions/regions.tsx")),
  editor("/regions/new", "New region", () => import("./pages/regions/change-region.tsx")),
  viewer("/regions/:id", "Region", () => import("./pages/regions/region.tsx")),
  editor(
    "/regions/:id/change",
    "Change the region",
    () => import("./pages/regions/change-region.tsx"),
  ),
  open("/status", "Status", () => import("./pages/status.tsx")),
  admin("/admin/users", "Users", () => import("./pages/administration/users.tsx")),
  admin("/admin/groups", "Groups", () => import("./pages/administration/groups.tsx")),
  admin(
    "/role-requests",
    "Role requests",
    () => import("./pages/administration/role-requests.tsx"),
  ),
  admin("/audit", "Audit", () => import("./pages/administration/audit.tsx")),
  admin("/notifications", "Mails", () => import("./pages/administration/notifications.tsx")),
  admin("/parked", "Changes that failed", () => import("./pages/administration/parked.tsx")),
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
  viewer("/profile", "Profile", () => import("./pages/account/profile.tsx")),
  viewer("/tokens", "Access tokens", () => import("./pages/account/tokens.tsx")),
  viewer(
    "/change-password",
    "Change password",
    () => import("./pages/account/change-password.tsx"),
  ),
];

/** Pages of those who have a role, or of everybody. */
function of(role: Role | undefined, further: Pick<PageRoute, "entry" | "isShared"> = {}) {
  return (path: string, title: string, load: PageRoute["load"]): PageRoute => ({
    ...{ path, title, load, ...further },
    ...(role && { role }),
  });
}
