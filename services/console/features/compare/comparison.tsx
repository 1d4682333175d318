import type { ComparisonAnswer } from "#contracts/http/analytics/comparison.ts";
import { call, send } from "../../api/call.ts";
import { has } from "../../api/session.ts";
import { OperationView } from "../../jobs/operation-view.tsx";
import { useOperation } from "../../jobs/use-operation.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { type Loaded, useCall } from "../../ui/call/use-call.ts";
import { Waiting } from "../../ui/call/waiting.tsx";
import type { MagnitudePair } from "./comparison-charts.ts";
import type { ComparisonBody } from "./comparison-form.ts";
import { ComparisonResult } from "./comparison-result.tsx";

type Names = { readonly a: string; readonly b: string };
type Started = { readonly answer: ComparisonAnswer } | { readonly operationId: string };

/** What was started, and the names of what is compared. */
type NamedComparison = { readonly started: Started; readonly names: Names };

/** Compares, at once or, with many events, as an operation; nothing without a body. */
export function useComparison(body: ComparisonBody | null): Loaded<NamedComparison | null> {
  return useCall(JSON.stringify(body), async (signal) => {
    if (body === null) return null;
    const [started, names] = await Promise.all([start(body, signal), namesOf(body, signal)]);
    return { started, names };
  });
}

type ComparisonProps = { readonly body: ComparisonBody };
type LoadedProps = ComparisonProps & { readonly comparison: Loaded<NamedComparison | null> };

/** What the comparison finds, or how far it is. */
export function Comparison({ body, comparison }: LoadedProps) {
  return (
    <Answered call={comparison} waiting="The catalogues are compared…">
      {({ started, names }) =>
        "operationId" in started ? (
          <Followed id={started.operationId} body={body} names={names} />
        ) : (
          <WithPairs answer={started.answer} body={body} names={names} />
        )
      }
    </Answered>
  );
}

async function start(body: ComparisonBody, signal: AbortSignal): Promise<Started> {
  const response = await send("POST /api/compare", { body }, { signal });
  const answer = await response.json();
  return response.status === 202 ? { operationId: answer.operationId } : { answer };
}

async function namesOf({ a, b }: ComparisonBody, signal: AbortSignal): Promise<Names> {
  const nameOf = async (id: string) =>
    (await call("GET /api/catalogues/:id", { params: { id } }, { signal })).name;
  const [nameOfA, nameOfB] = await Promise.all([nameOf(a), nameOf(b)]);
  return { a: nameOfA, b: nameOfB };
}

type FollowedProps = ComparisonProps & { readonly id: string; readonly names: Names };

function Followed({ id, body, names }: FollowedProps) {
  const { operation } = useOperation(id);
  if (operation?.status !== "succeeded") return <OperationView id={id} />;
  const answer = operation.result as unknown as ComparisonAnswer;
  return <WithPairs answer={answer} body={body} names={names} />;
}

type WithPairsProps = ComparisonProps & {
  readonly answer: ComparisonAnswer;
  readonly names: Names;
};

/** The pairs themselves are only in a merge's preview: for editors, of the latest versions. */
function WithPairs({ answer, body, names }: WithPairsProps) {
  const isKnown = has("editor") && !body.asOfA && !body.asOfB && answer.estimate.matched > 0;
  const pairs = useCall(JSON.stringify([isKnown, body]), (signal) =>
    isKnown ? readPairs(body, signal) : Promise.resolve([]),
  );
  if (pairs.answer === null && pairs.error === null) return <Waiting />;
  return <ComparisonResult answer={answer} names={names} pairs={pairs.answer ?? []} />;
}

type Preview = AnswerOf<"POST /api/merge/preview">;

/** The first pairs of events by time that have a magnitude in both catalogues. */
async function readPairs(
  { a, b, timeThreshold, distanceThreshold }: ComparisonBody,
  signal: AbortSignal,
): Promise<readonly MagnitudePair[]> {
  const preview = await call(
    "POST /api/merge/preview",
    {
      body: {
        sourceCatalogues: [{ id: a }, { id: b }],
        config: { timeThreshold, distanceThreshold, mergeStrategy: "quality" },
      },
    },
    { signal },
  );
  return preview.groups.flatMap(({ members }) => pairOf(members, a, b));
}

function pairOf(
  members: Preview["groups"][number]["members"],
  a: string,
  b: string,
): readonly MagnitudePair[] {
  const magnitudeIn = (id: string) => members.find((one) => one.catalogue_id === id);
  const [first, second] = [magnitudeIn(a), magnitudeIn(b)];
  if (!first || !second || first.magnitude === null || second.magnitude === null) return [];
  return [{ idA: first.event_id, idB: second.event_id, x: first.magnitude, y: second.magnitude }];
}
