import type { PageRoute } from "./model/page-route.ts";

/** Pages for those who build the console; where the service is not in development, they are not there. */
export const developmentRoutes: readonly PageRoute[] = [
  {
    path: "/styleguide",
    title: "Style guide",
    load: () => import("./pages/development/styleguide.tsx"),
  },
];
