import { Link } from "wouter-preact";
import { has } from "../../api/session.ts";
import type { CatalogueVersion } from "../../model/catalogue.ts";
import { Actor } from "../../ui/person.tsx";

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
          {" by "}
          <Actor id={actor} />
        </>
      )}
    </>
  );
}
