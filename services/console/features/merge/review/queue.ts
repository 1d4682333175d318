import type { AnswerOf } from "../../../model/operation-types.ts";

/** A pair that is not decided yet, with who looks at it and what was noted. */
export type ReviewPair = AnswerOf<"GET /api/catalogues/:id/merge/review">["pairs"][number];

/** The pairs of a queue, and which of them is looked at. */
export type Queue = {
  readonly pairs: readonly ReviewPair[];
  /** Past the last where there is none any more. */
  readonly at: number;
};

/** The pair that is looked at; null at the end. */
export function shownOf({ pairs, at }: Queue): ReviewPair | null {
  return pairs[at] ?? null;
}

/** The queue a pair further or back, within its ends. */
export function moved({ pairs, at }: Queue, by: 1 | -1): Queue {
  return { pairs, at: Math.max(0, Math.min(pairs.length - 1, at + by)) };
}

/** The queue without a pair: what followed it is looked at, or what is looked at stays. */
export function without({ pairs, at }: Queue, id: string): Queue {
  const index = pairs.findIndex((pair) => pair.id === id);
  if (index < 0) return { pairs, at };
  return { pairs: pairs.filter((pair) => pair.id !== id), at: index < at ? at - 1 : at };
}

/** The queue with a pair that comes back, which is looked at again. */
export function withBack({ pairs, at }: Queue, pair: ReviewPair): Queue {
  const others = pairs.filter(({ id }) => id !== pair.id);
  const place = Math.min(at, others.length);
  return { pairs: [...others.slice(0, place), pair, ...others.slice(place)], at: place };
}

/** The queue with what the service says of a pair now. */
export function updated({ pairs, at }: Queue, pair: ReviewPair): Queue {
  return { pairs: pairs.map((one) => (one.id === pair.id ? pair : one)), at };
}

/** The queue with the pairs that follow; none twice. */
export function extended({ pairs, at }: Queue, further: readonly ReviewPair[]): Queue {
  const known = new Set(pairs.map(({ id }) => id));
  return { pairs: [...pairs, ...further.filter(({ id }) => !known.has(id))], at };
}

/** Whether somebody else looks at it. */
export function isTaken({ claim }: ReviewPair, me: string | undefined): boolean {
  return claim !== null && claim.user !== me;
}
