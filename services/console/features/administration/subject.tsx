import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { Person } from "../../ui/person.tsx";

const CATALOGUE = /^(?:catalogue-)?([0-9a-f]{8}-[0-9a-f-]{27})$/;
const USER = /^user-(.+)$/;

/** The subject of what concerns the log itself. */
const LOG = "event-log";

type SubjectProps = {
  readonly subject: string;
  /** Whether a catalogue is asked for its name; not in long lists. */
  readonly isNamed?: boolean;
};

/** What an event of the log is about, with the way to it. */
export function Subject({ subject, isNamed = false }: SubjectProps) {
  const [, user] = USER.exec(subject) ?? [];
  if (user) return <Person id={user} />;
  const [, catalogue] = CATALOGUE.exec(subject) ?? [];
  if (!catalogue) return <>{subject === LOG ? "the service" : subject}</>;
  return isNamed ? <Named id={catalogue} /> : <CatalogueLink id={catalogue} name={null} />;
}

function Named({ id }: { readonly id: string }) {
  const { answer } = useCall(id, (signal) =>
    call("GET /api/catalogues/:id", { params: { id } }, { signal }),
  );
  return <CatalogueLink id={id} name={answer?.name ?? null} />;
}

type CatalogueLinkProps = { readonly id: string; readonly name: string | null };

function CatalogueLink({ id, name }: CatalogueLinkProps) {
  return (
    <Link href={`/catalogues/${id}`} title={id} class={name === null ? "nowrap" : undefined}>
      {name ?? `catalogue ${id.slice(0, 8)}`}
    </Link>
  );
}
