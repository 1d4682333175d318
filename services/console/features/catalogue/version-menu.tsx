import { Link } from "wouter-preact";
import { call } from "../../api/call.ts";
import { share } from "../../api/share.ts";
import type { Catalogue, CatalogueVersion } from "../../model/catalogue.ts";
import { searchOf, type WorkState } from "../../model/work-state.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { VersionField } from "../../ui/form/version-field.tsx";
import { count } from "../../ui/text/format.ts";
import { Moment } from "../../ui/text/moment.tsx";
import { toldChanges } from "../../ui/text/told-changes.ts";

/** The others are reached by their number, or on the page of versions. */
const SHOWN = 50;

type VersionMenuProps = {
  readonly catalogue: Catalogue;
  readonly state: WorkState;
  readonly at: number | null;
  readonly onVersion: (version: number) => void;
};

/** The last versions, a field for the number of any, and the way to a comparison. */
export function VersionMenu({ catalogue, state, at, onVersion }: VersionMenuProps) {
  const { id, version: latest } = catalogue;
  const read = useCall(`${id} ${latest}`, (signal) =>
    call("GET /api/catalogues/:id/versions", { params: { id } }, { signal }),
  );
  // What has come since the page was loaded is offered, and not listed before it is taken.
  const versions = read.last?.versions.filter(({ version }) => version <= latest) ?? [];
  // What an old version has been changed to since; what the latest changed.
  const [from, to] = at !== null && at < latest ? [at, latest] : [latest - 1, latest];
  return (
    <>
      <li>
        <Answered call={read} answer={read.last}>
          {() => (
            <ol class="version-items">
              {versions.slice(0, SHOWN).map((one) => (
                <li key={one.version}>
                  <Item
                    version={one}
                    isLatest={one.version === latest}
                    isShown={one.version === at}
                    href={`/catalogues/${id}${searchOf({
                      ...state,
                      asOf: one.version === latest ? null : String(one.version),
                    })}`}
                  />
                </li>
              ))}
            </ol>
          )}
        </Answered>
      </li>
      {versions.length > SHOWN && (
        <li class="version-item-field">
          <VersionField label="Version" action="Show" latest={latest} onVersion={onVersion} />
        </li>
      )}
      {share === null && latest > 1 && (
        <li>
          <Link href={`/catalogues/${id}/versions?from=${from}&to=${to}`}>Compare…</Link>
        </li>
      )}
    </>
  );
}

type ItemProps = {
  readonly version: CatalogueVersion;
  readonly isLatest: boolean;
  readonly isShown: boolean;
  readonly href: string;
};

function Item({ version: one, isLatest, isShown, href }: ItemProps) {
  return (
    <Link href={href} aria-current={isShown ? "page" : undefined}>
      <span class="version-number">{count(one.version)}</span>{" "}
      <span class="muted small">
        {isLatest && "latest, "}
        <Moment at={one.created_at} />, {one.cause}: {toldChanges(one)}
      </span>
    </Link>
  );
}
