import { useSignal } from "@preact/signals";
import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { call } from "../../api/call.ts";
import { ErrorNotice, notice } from "../../ui/call/notices.tsx";
import { useAttempts } from "../../ui/form/attempts.ts";
import { TextArea } from "../../ui/form/inputs.tsx";
import { SubmitRow, useSubmit } from "../../ui/form/submit.tsx";
import { count } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import type { BulletinProps } from "./read-bulletin.ts";
import { makersOf } from "./solution-lines.ts";

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

/** A comment and what it is about. */
type PlacedComment = {
  readonly text: string;
  /** "Origin 2"; empty where it is the event's own. */
  readonly of: string;
  /** Empty where it is not known. */
  readonly author: string;
  /** ISO 8601 in UTC; null where it is not known. */
  readonly time: string | null;
};

/** The comments on an event, then those on its origins, magnitudes and mechanisms. */
function commentsOf(bulletin: Bulletin): readonly PlacedComment[] {
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
