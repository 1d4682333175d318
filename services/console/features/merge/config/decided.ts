import type { AnswerOf, InputOf } from "../../../model/operation-types.ts";

type Pair = AnswerOf<"POST /api/merge/preview">["ambiguous"][number];
type Events = Pick<Pair, "first" | "second">;
type Decision = NonNullable<InputOf<"POST /api/merge">["body"]["config"]["decisions"]>[number];

/** What a person says of two events: one earthquake, or two. */
export type Verdict = Decision["type"];

/** A doubtful pair that a person has decided before a merge. */
export type Decided = { readonly type: Verdict; readonly pair: Pair };

/** The events of a pair as a decision names them. */
export function eventsOf({ first, second }: Events): Decision["events"] {
  return [first, second].map(({ catalogue_id, event_id }) => ({ catalogue_id, event_id }));
}

/** A decision as the API takes it. */
export function decisionOf({ type, pair }: Decided): Decision {
  return { type, events: eventsOf(pair) };
}

/** What has been decided of a pair; null for nothing. */
export function verdictOf(decided: readonly Decided[], pair: Events): Verdict | null {
  return decided.find((one) => keyOf(one.pair) === keyOf(pair))?.type ?? null;
}

/** The decisions with that of a pair; without it where it is null. */
export function withVerdict(
  decided: readonly Decided[],
  pair: Pair,
  type: Verdict | null,
): readonly Decided[] {
  const others = decided.filter((one) => keyOf(one.pair) !== keyOf(pair));
  return type === null ? others : [...others, { type, pair }];
}

/** The same whichever of its events comes first. */
function keyOf(pair: Events): string {
  return eventsOf(pair)
    .map(({ catalogue_id, event_id }) => `${catalogue_id} ${event_id}`)
    .toSorted()
    .join();
}
