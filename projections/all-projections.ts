import { cataloguesProjection } from "./catalogues/catalogues-projection.ts";
import type { Projection } from "./engine/projection.ts";
import { usersProjection } from "./users/users-projection.ts";

/** All read models, for running, rebuilding and verifying. */
export const ALL_PROJECTIONS: readonly Projection[] = [cataloguesProjection, usersProjection];
