import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { makersOf } from "./texts.ts";

/** A comment and what it is about. */
export type PlacedComment = {
  readonly text: string;
  /** "Origin 2"; empty where it is the event's own. */
  readonly of: string;
  /** Empty where it is not known. */
  readonly author: string;
  /** ISO 8601 in UTC; null where it is not known. */
  readonly time: string | null;
};

/** The comments on an event, then those on its origins, magnitudes and mechanisms. */
export function commentsOf(bulletin: Bulletin): readonly PlacedComment[] {
  const { comment, origin = [], magnitude = [], focalMechanism = [] } = bulletin;
  return [
    ...placed(comment, ""),
    ...origin.flatMap((one, i) => placed(one.comment, `Origin ${i + 1}`)),
    ...magnitude.flatMap((one, i) => placed(one.comment, `Magnitude ${i + 1}, ${one.type ?? "M"}`)),
    ...focalMechanism.flatMap((one, i) => placed(one.comment, `Mechanism ${i + 1}`)),
  ];
}

function placed(
  comments: readonly QuakemlObject<"Comment">[] = [],
  of: string,
): readonly PlacedComment[] {
  return comments.map(({ text, creationInfo }) => ({
    text,
    of,
    author: creationInfo ? makersOf({ creationInfo }) : "",
    time: creationInfo?.creationTime ? parseTime(creationInfo.creationTime) : null,
  }));
}
