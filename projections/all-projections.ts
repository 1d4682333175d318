import { cataloguesProjection } from "./catalogues/catalogues-projection.ts";
import type { Projection } from "./projection.ts";
import { usersProjection } from "./users/users-projection.ts";

/** Every read model: what a projector runs, and what can be rebuilt and verified. */
export const ALL_PROJECTIONS: readonly Projection[] = [cataloguesProjection, usersProjection];
