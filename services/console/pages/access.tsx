import { Link } from "wouter-preact";
import { call, callWithTag, type Tagged } from "../api/call.ts";
import { AccessForm, changersOf, MembersPart } from "../features/access/access.tsx";
import type { AnswerOf, Catalogue } from "../model/operation-types.ts";
import type { PageProps } from "../model/page-route.ts";
import { READERS } from "../ui/access.tsx";
import { ErrorNotice } from "../ui/call/notices.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { FailedPage, isGone, Waiting } from "../ui/states.tsx";

type Members = AnswerOf<"GET /api/catalogues/:id/members">["members"];

type Found = {
  readonly catalogue: Tagged<Catalogue>;
  /** Null: for owners and administrators alone. */
  readonly members: Members | null;
};

/** Who reads a catalogue, who changes it, and who its members are. */
export function Page({ params: { id = "" } }: PageProps) {
  const { answer, error, reload } = useCall(id, (signal) => readAccess(id, signal));
  if (answer === null || isGone(error)) {
    if (error === null) return <Waiting />;
    return <FailedPage title="Access and members" error={error} retry={reload} />;
  }
  const { catalogue, members } = answer;
  return (
    <section class="page">
      <div class="page-head">
        <h1>Access to {catalogue.answer.name}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <ErrorNotice error={error} retry={reload} />
      {members === null ? (
        <Told catalogue={catalogue.answer} />
      ) : (
        <div class="sheets">
          <AccessForm key={catalogue.tag} catalogue={catalogue} reload={reload} />
          <MembersPart catalogue={id} members={members} reload={reload} />
        </div>
      )}
    </section>
  );
}

async function readAccess(id: string, signal: AbortSignal): Promise<Found> {
  const input = { params: { id } };
  const [catalogue, { right }] = await Promise.all([
    callWithTag("GET /api/catalogues/:id", input, { signal }),
    call("GET /api/catalogues/:id/right", input, { signal }),
  ]);
  if (right !== "own") return { catalogue, members: null };
  const { members } = await call("GET /api/catalogues/:id/members", input, { signal });
  return { catalogue, members };
}

/** What everybody who reads it may know. */
function Told({ catalogue: { access, editing } }: { readonly catalogue: Catalogue }) {
  return (
    <section class="panel">
      <dl class="facts">
        <dt>Who reads it</dt>
        <dd>{READERS[access]}</dd>
        <dt>Who changes it</dt>
        <dd>{changersOf(access, editing)}</dd>
      </dl>
      <p class="muted">Its owners and administrators decide this, and see its members.</p>
    </section>
  );
}
