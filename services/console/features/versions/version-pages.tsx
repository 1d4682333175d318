import type { CatalogueVersion } from "../../model/catalogue.ts";
import { VersionField } from "../../ui/form/version-field.tsx";
import { count } from "../../ui/text/format.ts";

type VersionPagesProps = {
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The index of the first that is shown, and how many are shown. */
  readonly start: number;
  readonly size: number;
  /** Null for the latest. */
  readonly onNewest: (version: number | null) => void;
};

/** Leads through a long list of versions, and to one of them. */
export function VersionPages({ versions, start, size, onNewest }: VersionPagesProps) {
  const at = (index: number) => onNewest(index <= 0 ? null : (versions[index]?.version ?? null));
  const last = Math.min(start + size, versions.length) - 1;
  return (
    <nav class="version-pages" aria-label="Pages of the list">
      <div class="row">
        <button type="button" disabled={start === 0} onClick={() => at(start - size)}>
          Newer
        </button>
        <span class="muted">
          Versions {count(versions[start]?.version ?? 0)} to {count(versions[last]?.version ?? 0)}{" "}
          of {count(versions[0]?.version ?? 0)}
        </span>
        <button
          type="button"
          disabled={last >= versions.length - 1}
          onClick={() => at(start + size)}
        >
          Older
        </button>
      </div>
      <VersionField
        label="Version"
        action="Go to it"
        latest={versions[0]?.version ?? 0}
        onVersion={onNewest}
      />
    </nav>
  );
}
