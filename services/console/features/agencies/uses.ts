import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";

type Schedule = AnswerOf<"GET /api/schedules">["schedules"][number];

/** How an agency is used by the schedules that the caller sees. */
export type AgencyUse = {
  readonly schedules: number;
  /** When the last of their runs began; null where none has. */
  readonly lastAsked: string | null;
};

export type AgencyUses = ReadonlyMap<string, AgencyUse>;

/** The uses of agencies by their ids. */
export async function readUses(signal: AbortSignal): Promise<AgencyUses> {
  return usesOf((await call("GET /api/schedules", {}, { signal })).schedules);
}

function usesOf(schedules: readonly Pick<Schedule, "agency" | "last_run">[]): AgencyUses {
  const uses = new Map<string, AgencyUse>();
  for (const { agency, last_run: last } of schedules) {
    const { schedules: before, lastAsked } = uses.get(agency) ?? { schedules: 0, lastAsked: null };
    const isLater = last !== null && (lastAsked === null || last > lastAsked);
    uses.set(agency, { schedules: before + 1, lastAsked: isLater ? last : lastAsked });
  }
  return uses;
}
