import { useSignal } from "@preact/signals";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { TextArea } from "../../ui/form/text-area.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { count } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import { commentsOf, type PlacedComment } from "./comments.ts";
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

/** Characters of a comment, at most. */
const MOST = 10_000;

type CommentsPartProps = {
  readonly comments: readonly PlacedComment[];
  /** Adds one; null for those who may not. */
  readonly add: ((text: string, idempotencyKey: string) => Promise<void>) | null;
};

/** What people have written of an event and its solutions, and a form to add to it. */
function CommentsPart({ comments, add }: CommentsPartProps) {
  if (comments.length === 0 && add === null) return null;
  return (
    <section id="comments" class="stack">
      <h2>Comments</h2>
      {comments.length > 0 && (
        <ul class="comments">
          {comments.map(({ text, of, author, time }, i) => (
            <li key={i}>
              <p class="comment-text">{text}</p>
              <p class="muted small">
                {[of, author].filter(Boolean).join(" · ")}
                {time !== null && (
                  <>
                    {" · "}
                    <When at={time} length={16} />
                  </>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      {add && <CommentForm add={add} />}
    </section>
  );
}

type CommentFormProps = { readonly add: NonNullable<CommentsPartProps["add"]> };

function CommentForm({ add }: CommentFormProps) {
  const text = useSignal("");
  const attempt = useAttempts();
  const { submit, isBusy, error, problemOf } = useSubmit(async () => {
    const body = text.value.trim();
    await attempt({ body }, (idempotencyKey) => add(body, idempotencyKey));
    text.value = "";
  });
  return (
    <form class="comment-form" onSubmit={submit}>
      <TextArea
        label="Add a comment"
        value={text.value}
        onValue={(typed) => {
          text.value = typed;
        }}
        required
        max={MOST}
        rows={2}
        problem={problemOf("text")}
      />
      <ErrorNotice error={error.value} />
      <SubmitRow text="Add" isDisabled={isBusy.value || text.value.trim() === ""} />
    </form>
  );
}
