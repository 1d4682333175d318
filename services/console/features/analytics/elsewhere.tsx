import { Link, useSearch } from "wouter-preact";
import { addressOf, share } from "../../api/call.ts";
import { workStateOf } from "../../model/work-state.ts";
import { CopyField, CopyText } from "../../ui/form/copy.tsx";
import { type Answered, curlLine, obspyLines } from "./elsewhere-lines.ts";
import type { PartProps } from "./parameters.tsx";

type ElsewhereProps = Pick<PartProps, "catalogue" | "filters"> & {
  /** What the service answers what is shown; absent where the page makes it of the events. */
  readonly answer?: Answered;
};

/** How to have the same again: an address that stays, and lines for a terminal and for ObsPy. */
export function Elsewhere({ catalogue, filters, answer }: ElsewhereProps) {
  const search = useSearch();
  const { id, version, is_public } = catalogue;
  const { asOf, filters: conditions } = workStateOf(search);
  const at = Number(asOf ?? version);
  const query = new URLSearchParams(search);
  query.set("asOf", String(asOf ?? version));
  // The address of a share needs no token.
  const isPublic = is_public || share !== null;
  const shown = {
    origin: location.origin,
    catalogue: addressOf("GET /api/catalogues/:id", { params: { id } }),
    version: Number.isInteger(at) ? at : version,
    isPublic,
    filters: conditions,
  };
  const address = addressOf("GET /api/catalogues/:id/events/filtered", {
    params: { id },
    query: { ...filters, asOf: asOf ?? version },
  });
  return (
    <details class="elsewhere">
      <summary>Link, curl, ObsPy</summary>
      <CopyField
        label="Permanent address"
        value={`${location.origin}${location.pathname}?${query}`}
      />
      <CopyText label="curl" text={curlLine(answer ?? { address }, shown)} />
      <CopyText label="ObsPy" text={obspyLines(shown)} />
      {!isPublic && (
        <p class="hint">
          This catalogue is not public: TOKEN stands for the secret of an{" "}
          <Link href="/tokens">access token</Link>, TOKEN_ID for its id.
        </p>
      )}
    </details>
  );
}
