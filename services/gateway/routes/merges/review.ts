import { invalid, Refusal } from "#contracts/errors.ts";
import type { ReviewChange } from "#contracts/http/merges/review.ts";
import type { MergeRow } from "#projections/queries/merges/read-merge.ts";
import {
  changePair,
  findPair,
  listPairs,
  type PairChange,
  type PairsOf,
} from "#projections/queries/merges/review-queries.ts";
import { whyMakerMayNot } from "#services/commands/schedules/maker-rights.ts";
import { following } from "../../http/answer-body.ts";
import type { HandlerDeps, MakeHandler } from "../make-handler.ts";
import { mergeOf } from "./read-merge.ts";
import { pairOfText, shownPairs } from "./shown-pairs.ts";

export const listReviewPairsHandler: MakeHandler<"listReviewPairs", "pool" | "pairFinder" | "now"> =
  (deps) =>
  async ({ params, query: { state, ...request }, reader, asker }) => {
    const { pool } = deps;
    const merge = await mergeOf(pool, params.id, reader);
    await deps.pairFinder.keepPairs(merge, asker);
    const { rows, nextCursor } = await listPairs(pool, pairsOf(deps, merge), state, request);
    return { body: { pairs: await shownPairs(pool, merge, rows), ...following(nextCursor) } };
  };

export const reviewPairHandler: MakeHandler<
  "reviewPair",
  "pool" | "pairFinder" | "now" | "lookups"
> =
  (deps) =>
  async ({ params, body, actor, reader, asker }) => {
    const { pool } = deps;
    const merge = await mergeOf(pool, params.id, reader);
    await deps.pairFinder.keepPairs(merge, asker);
    const of = pairsOf(deps, merge);
    const pair = pairOfText(params.pair);
    if ((await findPair(pool, of, pair)) === null) throw unknownPair();
    const change = await changeOf(deps, merge.id, actor.userId, body);
    if (!(await changePair(pool, of, pair, { actor: actor.userId, change }))) {
      throw new Refusal("CONFLICT", "Somebody else looks at this pair");
    }
    const changed = await findPair(pool, of, pair);
    const [shown] = await shownPairs(pool, merge, changed === null ? [] : [changed]);
    if (shown === undefined) throw unknownPair();
    return { body: { pair: shown } };
  };

const unknownPair = () => new Refusal("NOT_FOUND", "There is no such pair to decide on");

function pairsOf({ now }: Pick<HandlerDeps, "now">, { id, hidden }: MergeRow): PairsOf {
  return { catalogueId: id, hidden, now: now() };
}

/**
 * Whoever claims a pair takes it up again; what is put aside is nobody's.
 * @throws Refusal VALIDATION_ERROR for somebody who may not decide
 */
async function changeOf(
  { lookups }: Pick<HandlerDeps, "lookups">,
  catalogueId: string,
  actor: string,
  { claim, later, note }: ReviewChange,
): Promise<PairChange> {
  const said = { ...(later !== undefined && { later }), ...(note !== undefined && { note }) };
  if (claim === undefined) return later === true ? { ...said, claimedBy: null } : said;
  if (claim === false) return { ...said, claimedBy: null };
  if (claim === true) return { later: false, ...said, claimedBy: actor };
  if ((await whyMakerMayNot(lookups, { maker: claim, catalogueId })) !== null) {
    throw invalid("claim", "names nobody who may change this catalogue");
  }
  return { ...said, claimedBy: claim };
}
