import type { FdsnQuery } from "#contracts/fdsn/parse-query.ts";
import type { FacadeAnswer } from "#infra/formats/facade-row.ts";
import { withoutRights } from "#projections/read/catalogues.ts";
import type { FacadeTarget } from "./facade-target.ts";

type Query = Pick<FdsnQuery, "limit" | "offset" | "inclusion">;

const EVERYTHING: Query = { limit: null, offset: 0, inclusion: null };

type AnswerTo = {
  /** The whole address that was asked for. */
  readonly request: string;
  readonly at: Date;
  /** The catalogue's name where absent. */
  readonly title?: string;
};

/** An answer of the event service, but for the number of its events. */
export function facadeAnswer(
  { catalogue, version, service, address }: FacadeTarget,
  { request, at, title = catalogue.name }: AnswerTo,
  { limit, offset, inclusion }: Query = EVERYTHING,
): Omit<FacadeAnswer, "count"> {
  return {
    catalogue: withoutRights(catalogue),
    version: version.version,
    exportedAt: at.toISOString(),
    service,
    address,
    request,
    title,
    limit,
    offset: offset + 1,
    allOrigins: inclusion !== null && (inclusion.allOrigins || inclusion.everything),
    allMagnitudes: inclusion !== null && (inclusion.allMagnitudes || inclusion.everything),
    inclusion,
  };
}

/** The headers of answers about a target, and who may keep them. */
export function headOf({ tag, version: shown, isPublic, isVersioned }: FacadeTarget) {
  return { headers: { etag: tag }, shown, isPublic, isVersioned };
}

/**
 * Which members there are also depends on the caller, and on catalogues that are published or deleted
 * without a version of this one; so it does which earlier versions tell of events: such an answer has no tag, and no
 * shared cache keeps it.
 */
export const HEAD_FOR_CALLER = { isPublic: false, isVersioned: false } as const;
