import type { Bulletin, QuakemlObject } from "#contracts/bulletin/quakeml.ts";
import { parseTime } from "#contracts/seismic-event/time.ts";
import { call } from "../../api/call.ts";
import { ErrorNotice } from "../../ui/call.tsx";
import { area, useForm } from "../../ui/form/form.tsx";
import { SubmitRow } from "../../ui/form/submit.tsx";
import { count } from "../../ui/text/format.ts";
import { When } from "../../ui/text/moment.tsx";
import type { BulletinProps } from "./read-bulletin.ts";
import { makersOf } from "./solution-lines.ts";

/** Characters of a comment, at most. */
const MOST = 10_000;

/** What people have written of an event and its solutions, and a form to add to it for editors. */
export function EventComments(props: BulletinProps) {
  const { canEdit, read } = props;
  const bulletin = read.last?.bulletin ?? null;
  const comments = bulletin === null ? [] : commentsOf(bulletin);
  if (comments.length === 0 && !canEdit) return null;
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
      {canEdit && <CommentForm {...props} />}
    </section>
  );
}

function CommentForm({ catalogueId, event, reload }: BulletinProps) {
  const { typed, set, field, failure, submit, isBusy } = useForm({
    fields: { text: area({ label: "Add a comment", required: true, max: MOST, rows: 2 }) },
    run: (options, body) =>
      call(
        "POST /api/catalogues/:id/events/:eventId/comments",
        { params: { id: catalogueId, eventId: event.id }, body },
        options,
      ),
    done: ({ version }) => `The comment is added: version ${count(version)}`,
    after: () => {
      set({ text: "" });
      reload();
    },
  });
  return (
    <form class="comment-form" onSubmit={submit}>
      {field("text")}
      <ErrorNotice error={failure} />
      <SubmitRow text="Add" isDisabled={isBusy.value || typed.value.text.trim() === ""} />
    </form>
  );
}

/** The comments on an event, then those on its origins, magnitudes and mechanisms. */
function commentsOf(bulletin: Bulletin) {
  const { comment, origin = [], magnitude = [], focalMechanism = [] } = bulletin;
  return [
    ...placed(comment, ""),
    ...origin.flatMap((one, i) => placed(one.comment, `Origin ${i + 1}`)),
    ...magnitude.flatMap((one, i) => placed(one.comment, `Magnitude ${i + 1}, ${one.type ?? "M"}`)),
    ...focalMechanism.flatMap((one, i) => placed(one.comment, `Mechanism ${i + 1}`)),
  ];
}

/** @param of what they are about, "Origin 2"; empty for the event itself */
function placed(comments: readonly QuakemlObject<"Comment">[] = [], of: string) {
  return comments.map(({ text, creationInfo }) => ({
    text,
    of,
    /** Empty where it is not known. */
    author: creationInfo ? makersOf({ creationInfo }) : "",
    /** ISO 8601 in UTC; null where it is not known. */
    time: creationInfo?.creationTime ? parseTime(creationInfo.creationTime) : null,
  }));
}
