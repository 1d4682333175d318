import type { ComponentChildren } from "preact";
import { type Catalogue, call } from "../api/call.ts";
import { changesOfAccount, has } from "../api/session.ts";
import { Answered, useAnswer, useCall } from "./call.tsx";
import { ButtonLink, FailedPage, Frame } from "./page.tsx";
import { useRepeated } from "./timers.ts";

type CataloguePageProps<T> = {
  /** Of the catalogue. */
  readonly id: string;
  readonly title: string;
  /** Between the title and the catalogue's name. */
  readonly joint?: string;
  readonly class?: string;
  /** What the page shows beside the catalogue. */
  readonly read?: (signal: AbortSignal) => Promise<T>;
  /** What is asked for anew where this changes. */
  readonly of?: string | undefined;
  /** Asks for all of it again so often. */
  readonly everyMs?: number;
  /** Beside the way back. */
  readonly links?: (catalogue: Catalogue) => ComponentChildren;
  readonly intro?: ComponentChildren;
  readonly children: (
    catalogue: Catalogue,
    read: T | undefined,
    reload: () => void,
  ) => ComponentChildren;
};

/** A page of one catalogue, with the way back to it. */
export function CataloguePage<T = undefined>(props: CataloguePageProps<T>) {
  const { id, title, joint = " of ", class: kind = "page", read, of = "", links, intro } = props;
  const loaded = useCall(`${id} ${of}`, async (signal) => {
    const [catalogue, found] = await Promise.all([
      call("GET /api/catalogues/:id", { params: { id } }, { signal }),
      read?.(signal),
    ]);
    return { catalogue, found };
  });
  const { answer, error, reload } = loaded;
  useRepeated(props.everyMs ?? null, reload);
  if (answer === null && error !== null) {
    return <FailedPage title={title} error={error} retry={reload} />;
  }
  return (
    <Frame
      class={kind}
      title={answer ? `${title}${joint}${answer.catalogue.name}` : title}
      head={
        <nav class="row end" aria-label="This catalogue">
          <ButtonLink class="quiet" href={`/catalogues/${id}`} text="Back to the catalogue" />
          {answer && links?.(answer.catalogue)}
        </nav>
      }
      intro={intro}
    >
      <Answered call={loaded}>
        {({ catalogue, found }) => props.children(catalogue, found, reload)}
      </Answered>
    </Frame>
  );
}

type ForChangersProps = { readonly catalogue: Catalogue; readonly children: ComponentChildren };

/** What those see who may change a catalogue. */
export function ForChangers({ catalogue, children }: ForChangersProps) {
  return useMayChange(catalogue) ? children : null;
}

type Changed = Pick<Catalogue, "id" | "access" | "editing">;

/**
 * Whether the caller may change a catalogue. Where only members may, the service is asked: until it has
 * answered, nobody may.
 */
export function useMayChange({ id, access, editing }: Changed): boolean {
  const isOfMembers = editing === "members" || access === "restricted";
  const isAsked = isOfMembers && has("editor") && !has("admin");
  const asked = isAsked ? { params: { id } } : null;
  const { answer } = useAnswer("GET /api/catalogues/:id/right", asked, changesOfAccount.value);
  return isAsked ? answer?.right === "edit" || answer?.right === "own" : has("editor");
}
