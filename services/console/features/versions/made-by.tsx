import { Link } from "wouter-preact";
import { has, user } from "../../api/session.ts";
import type { CatalogueVersion } from "../../model/catalogue.ts";
import { Person } from "../../ui/person.tsx";

type MadeByProps = { readonly catalogue: string; readonly version: CatalogueVersion };

/** What made a version, and who, where the service tells it. */
export function MadeBy({ catalogue, version: { cause, actor } }: MadeByProps) {
  return (
    <>
      {cause === "import" && has("viewer") ? (
        <Link href={`/catalogues/${catalogue}/imports`}>{cause}</Link>
      ) : (
        cause
      )}
      {actor !== null && (
        <>
          {", "}
          <Actor id={actor} />
        </>
      )}
    </>
  );
}

/** By name for administrators, who alone may read it. */
function Actor({ id }: { readonly id: string }) {
  if (id === user.value?.id) return <>you</>;
  return has("admin") ? <Person id={id} /> : <span class="muted small">{id}</span>;
}
