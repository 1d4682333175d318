import { useLocation, useSearch } from "wouter-preact";
import type { ChangeKind, Diff } from "../../api/diff.ts";
import { KindMark } from "../../map/changes/kind-mark.tsx";
import { KINDS } from "../../map/changes/kinds.ts";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { count } from "../../ui/text/format.ts";

/** The kinds of changes that the address names; all where it names none. */
export function useShownKinds(): readonly ChangeKind[] {
  const chosen = new URLSearchParams(useSearch()).get("changes")?.split(",");
  return KINDS.filter((kind) => chosen === undefined || chosen.includes(kind));
}

type KindFilterProps = { readonly diff: Diff; readonly chosen: readonly ChangeKind[] };

/** Switches for added, updated and removed events, with how many there are of each. */
export function KindFilter({ diff, chosen }: KindFilterProps) {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const turn = (kind: ChangeKind, isOn: boolean) => {
    const kinds = KINDS.filter((one) => (one === kind ? isOn : chosen.includes(one)));
    const query = new URLSearchParams(search);
    if (kinds.length === KINDS.length) query.delete("changes");
    else query.set("changes", kinds.join());
    navigate(`${path}?${query}`.replaceAll("%2C", ","));
  };
  return (
    <fieldset class="kinds">
      <legend class="visually-hidden">Changes that are shown</legend>
      <div class="row">
        {KINDS.map((kind) => (
          <Checkbox
            key={kind}
            checked={chosen.includes(kind)}
            onChecked={(isOn) => turn(kind, isOn)}
          >
            <KindMark kind={kind} />
            {count(diff[kind])} {kind}
          </Checkbox>
        ))}
      </div>
    </fieldset>
  );
}
