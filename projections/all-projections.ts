import { cataloguesProjection } from "./catalogues/projection.ts";
import type { Projection } from "./engine/projection.ts";
import { usersProjection } from "./users/projection.ts";

/** All read models, for running, rebuilding and verifying. */
export const ALL_PROJECTIONS: readonly Projection[] = [cataloguesProjection, usersProjection];
