import { call } from "../../api/call.ts";
import type { Catalogue } from "../../model/catalogue.ts";
import { useCall } from "../../ui/call/use-call.ts";
import { count } from "../../ui/text/format.ts";
import { UtcTime } from "../../ui/text/moment.tsx";
import type { Change } from "../../ui/use-work-state.ts";

type VersionBarProps = {
  readonly catalogue: Catalogue;
  readonly version: number;
  readonly change: Change;
};

/** Tells that an earlier version is shown, and leads back. */
export function VersionBar({ catalogue, version, change }: VersionBarProps) {
  const { id } = catalogue;
  const { answer } = useCall(`${id} ${version}`, (signal) =>
    call("GET /api/catalogues/:id/versions/:version", { params: { id, version } }, { signal }),
  );
  const record = answer?.version;
  return (
    <div class="bar warning row" role="status">
      <span>
        Version {count(version)} of {count(catalogue.version)}
        {record && (
          <>
            , <UtcTime at={record.created_at} length={16} /> UTC
          </>
        )}
      </span>
      <button type="button" onClick={() => change({ asOf: null })}>
        To the latest
      </button>
    </div>
  );
}
