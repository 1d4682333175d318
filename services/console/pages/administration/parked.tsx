import { type AnswerOf, call } from "../../api/call.ts";
import { eventName, Subject } from "../../features/deeds.tsx";
import { Answered, useAnswer } from "../../ui/call.tsx";
import { ask } from "../../ui/form/ask.ts";
import { Button, Frame } from "../../ui/page.tsx";
import { useNames } from "../../ui/person.tsx";
import { Table } from "../../ui/table.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";

type Parked = AnswerOf<"GET /api/parked-events">["parked"][number];

export function Page() {
  const listed = useAnswer("GET /api/parked-events", {});
  useNames();
  const retry = ({ id, type, waiting }: Parked) =>
    ask({
      title: "Apply them again",
      action: "Apply",
      text: `This change (${eventName(type)}) and the ${count(waiting)} ${
        waiting === 1 ? "change" : "changes"
      } waiting behind it are applied, all of them or none. If the cause is still there, everything stays as it is.`,
      run: (options) => call("POST /api/parked-events/:id/retry", { params: { id } }, options),
      done: ({ applied }) =>
        `${count(applied)} ${applied === 1 ? "change is" : "changes are"} applied.`,
      after: listed.reload,
    });
  return (
    <Frame
      title="Changes that failed"
      intro="When a change cannot be applied to the lists that people see, its catalogue or account stands still there, and every later change waits behind it. Nothing is lost: once the cause is mended, apply them again."
    >
      <Answered call={listed}>
        {({ parked }) => (
          <Table
            label="Changes that failed"
            kind="log"
            rows={parked}
            empty={{ title: "Nothing stands still: every change is applied." }}
            columns={[
              ["What stands still", ({ subject }) => <Subject subject={subject} isNamed />],
              [
                "Change",
                ({ type, projection, stream, revision }) => (
                  <>
                    {eventName(type)}
                    <div class="muted small">
                      {projection}, {stream} at {revision}
                    </div>
                  </>
                ),
              ],
              ["What went wrong", ({ error }) => error, "words"],
              ["Waiting", ({ waiting }) => count(waiting), "number"],
              ["Since", ({ parked_at: at }) => <Moment at={at} />],
              [
                "Actions",
                (one) => <Button onClick={() => retry(one)} text="Apply again…" />,
                "number nowrap",
                "hidden",
              ],
            ]}
          />
        )}
      </Answered>
    </Frame>
  );
}
