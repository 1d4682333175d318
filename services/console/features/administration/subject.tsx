import { Link } from "wouter-preact";
import { Person } from "../../ui/person.tsx";

const CATALOGUE = /^(?:catalogue-)?([0-9a-f]{8}-[0-9a-f-]{27})$/;
const USER = /^user-(.+)$/;

/** The subject of what concerns the log itself. */
const LOG = "event-log";

/** What an event of the log is about, with the way to it. */
export function Subject({ subject }: { readonly subject: string }) {
  const [, user] = USER.exec(subject) ?? [];
  if (user) return <Person id={user} />;
  const [, catalogue] = CATALOGUE.exec(subject) ?? [];
  if (!catalogue) return <>{subject === LOG ? "the service" : subject}</>;
  return (
    <Link href={`/catalogues/${catalogue}`} title={catalogue} class="nowrap">
      catalogue {catalogue.slice(0, 8)}
    </Link>
  );
}
