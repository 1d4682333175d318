import { useSignal } from "@preact/signals";
import { Link, useLocation, useSearch } from "wouter-preact";
import { call } from "../api/call.ts";
import { callForAll } from "../api/call-for-all.ts";
import { changesOfAccount } from "../api/session.ts";
import { DiffPart } from "../features/versions/diff-part.tsx";
import { Restore } from "../features/versions/restore.tsx";
import { VersionList } from "../features/versions/version-list.tsx";
import type { Catalogue, CatalogueVersion } from "../model/catalogue.ts";
import type { PageProps } from "../model/page-route.ts";
import { Answered } from "../ui/call/answered.tsx";
import { useCall } from "../ui/call/use-call.ts";
import { Cite } from "../ui/cite.tsx";
import { FailedPage } from "../ui/failed-page.tsx";
import { useTitle } from "../ui/use-title.ts";

type LoadedVersions = {
  readonly catalogue: Catalogue;
  /** Newest first. */
  readonly versions: readonly CatalogueVersion[];
  /** The entity tag of the latest. */
  readonly tag: string;
};

/** The versions of a catalogue: what each changed, two of them compared, citations, going back. */
export function Page({ params: { id = "" } }: PageProps) {
  const listed = useCall<LoadedVersions>(`${id} ${changesOfAccount.value}`, async (signal) => {
    const [catalogue, { answer, tag }] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      callForAll("GET /api/catalogues/:id/versions", { params: { id } }, { signal }),
    ]);
    return { catalogue, versions: answer.versions, tag };
  });
  const loaded = listed.last?.catalogue.id === id ? listed.last : null;
  if (loaded === null && listed.error !== null) {
    return <FailedPage title="Versions" error={listed.error} retry={listed.reload} />;
  }
  return (
    <section class="page">
      <div class="page-head">
        <h1>{loaded ? `Versions of ${loaded.catalogue.name}` : "Versions"}</h1>
        <Link class="button quiet end" href={`/catalogues/${id}`}>
          Back to the catalogue
        </Link>
      </div>
      <Answered call={listed} answer={loaded}>
        {(answer) => <Versions key={id} loaded={answer} reload={listed.reload} />}
      </Answered>
    </section>
  );
}

type VersionsProps = { readonly loaded: LoadedVersions; readonly reload: () => void };

function Versions({ loaded: { catalogue, versions, tag }, reload }: VersionsProps) {
  const { id, name } = catalogue;
  const query = new URLSearchParams(useSearch());
  const [path, navigate] = useLocation();
  const from = numberOf(query.get("from"));
  const to = numberOf(query.get("to"));
  const cited = useSignal<number | null>(null);
  const restored = useSignal<number | null>(null);
  useTitle(`Versions of ${name}`);
  const listFrom = (version: number | null) => {
    if (version === null) query.delete("newest");
    else query.set("newest", String(version));
    navigate(query.size === 0 ? path : `${path}?${query}`);
  };
  return (
    <>
      {from !== null && to !== null && (
        <DiffPart key={`${from} ${to}`} catalogue={catalogue} from={from} to={to} />
      )}
      <VersionList
        catalogue={catalogue}
        versions={versions}
        from={from}
        to={to}
        newest={numberOf(query.get("newest"))}
        onCompare={(one, other) => navigate(`${path}?from=${one}&to=${other}`)}
        onNewest={listFrom}
        onCite={(version) => (cited.value = version)}
        onRestore={(version) => (restored.value = version)}
      />
      {cited.value !== null && (
        <Cite catalogue={id} version={cited.value} onClose={() => (cited.value = null)} />
      )}
      {restored.value !== null && (
        <Restore
          catalogue={id}
          latest={versions[0]?.version ?? 0}
          tag={tag}
          version={restored.value}
          onDone={reload}
          onConflict={reload}
          onClose={() => (restored.value = null)}
        />
      )}
    </>
  );
}

function numberOf(text: string | null): number | null {
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null;
}
