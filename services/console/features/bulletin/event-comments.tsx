import type { BulletinProps } from "./bulletin-parts.tsx";
import { commentsOf } from "./comments.ts";
import { CommentsPart } from "./comments-part.tsx";

/** The comments on an event. */
export function EventComments({ read }: BulletinProps) {
  const bulletin = read.last?.bulletin ?? null;
  return <CommentsPart comments={bulletin === null ? [] : commentsOf(bulletin)} add={null} />;
}
