import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { type Loaded, useCall } from "./use-call.ts";

export type Agency = AnswerOf<"GET /api/agencies">["agencies"][number];

/** The agencies of this installation: that of the configuration, then the others by name. */
export function useAgencies(): Loaded<readonly Agency[]> {
  return useCall(
    "agencies",
    async (signal) => (await call("GET /api/agencies", {}, { signal })).agencies,
  );
}

/** Whether events can be imported from it. */
export function isAsked({ enabled, dialect }: Agency): boolean {
  return enabled && dialect !== "table";
}

/** An agency's name; the id of one that is not there, or not known yet. */
export function agencyName(agencies: readonly Agency[] | null, id: string): string {
  return agencies?.find((agency) => agency.id === id)?.name ?? id;
}
