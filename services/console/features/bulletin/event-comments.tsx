import { call } from "../../api/call.ts";
import { notice } from "../../ui/call/notices.tsx";
import { count } from "../../ui/text/format.ts";
import { commentsOf } from "./comments.ts";
import { CommentsPart } from "./comments-part.tsx";
import type { BulletinProps } from "./read-bulletin.ts";

/** The comments on an event, to which editors add. */
export function EventComments({ catalogueId, event, canEdit, read, reload }: BulletinProps) {
  const bulletin = read.last?.bulletin ?? null;
  const add = async (text: string, idempotencyKey: string) => {
    const { version } = await call(
      "POST /api/catalogues/:id/events/:eventId/comments",
      { params: { id: catalogueId, eventId: event.id }, body: { text } },
      { idempotencyKey },
    );
    notice.done(`The comment is added: version ${count(version)}`);
    reload();
  };
  return (
    <CommentsPart
      comments={bulletin === null ? [] : commentsOf(bulletin)}
      add={canEdit ? add : null}
    />
  );
}
