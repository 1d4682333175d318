import type { PageRoute } from "./model/page-route.ts";

/** Pages for those who build the console; where the service is not in development, their files are not made. */
export const developmentRoutes: readonly PageRoute[] = DEVELOPMENT
  ? [
      {
        path: "/styleguide",
        title: "Style guide",
        load: () => import("./pages/development/styleguide.tsx"),
      },
    ]
  : [];
