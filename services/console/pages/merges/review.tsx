import { Link, useLocation, useSearch } from "wouter-preact";
import { user } from "../../api/session.ts";
import {
  type MergedCatalogue,
  NoMerge,
  nameOf,
  sourcesOf,
  useMerged,
} from "../../features/merge/merged/merged.tsx";
import { DeskPart } from "../../features/merge/review/desk.tsx";
import { type DeskState, readPairs } from "../../features/merge/review/use-desk.ts";
import { Answered, useCall } from "../../ui/call.tsx";
import { FailedPage, Frame, type PageProps, useTitle } from "../../ui/page.tsx";

/** The review desk of a merge: its doubtful pairs, one after the other, shared by all who decide. */
export function Page({ params: { id = "" } }: PageProps) {
  const state: DeskState = new URLSearchParams(useSearch()).has("later") ? "later" : "open";
  const made = useMerged(id);
  const catalogue = made.answer?.catalogue;
  useTitle("Review desk");
  if (made.answer === null && made.error !== null) {
    return <FailedPage title="Review desk" error={made.error} retry={made.reload} />;
  }
  return (
    <Frame
      title={`Review desk${catalogue ? ` of ${catalogue.name}` : ""}`}
      back={[`/catalogues/${id}/merge`, "Back to the merge"]}
    >
      <Answered call={made}>
        {({ catalogue: of, merged }) =>
          merged === null ? (
            <NoMerge />
          ) : (
            <Desk key={`${id} ${state}`} made={{ catalogue: of, merged }} state={state} />
          )
        }
      </Answered>
    </Frame>
  );
}

function Desk({ made, state }: { readonly made: MergedCatalogue; readonly state: DeskState }) {
  const { id } = made.catalogue;
  const [path] = useLocation();
  const first = useCall(`${id} ${state}`, (signal) => readFirst(id, state, signal));
  const sources = sourcesOf(made);
  return (
    <>
      <nav class="tabs" aria-label="Which pairs">
        <Link href={path} aria-current={state === "open" ? "page" : undefined}>
          Open
        </Link>
        <Link href={`${path}?later`} aria-current={state === "later" ? "page" : undefined}>
          Left for later
        </Link>
      </nav>
      <Answered call={first} waiting="Looking for doubtful pairs…">
        {(answer) => (
          <DeskPart
            catalogue={id}
            first={answer}
            state={state}
            nameOf={(source) => {
              const found = sources.find((one) => one.id === source);
              return found ? nameOf(found) : "";
            }}
          />
        )}
      </Answered>
    </>
  );
}

/** The first page of a queue; of the open ones, what the caller has claimed before comes first. */
async function readFirst(id: string, state: DeskState, signal: AbortSignal) {
  const [page, { pairs: claimed }] = await Promise.all([
    readPairs(id, state, undefined, signal),
    readPairs(id, "claimed", undefined, signal),
  ]);
  if (state === "later") return page;
  const own = claimed.filter(({ claim }) => claim?.user === user.value?.id);
  const others = page.pairs.filter((pair) => !own.some((one) => one.id === pair.id));
  return { ...page, pairs: [...own, ...others] };
}
