import type { Area } from "../geometry/shape.ts";

/** What a saved region is when a request or a run begins. */
export type RegionArea = {
  /** Of its geometry: the same one has the same revision. */
  readonly revision: string;
  readonly area: Area;
};
