import type { Signal } from "@preact/signals";
import { type ComponentChildren, type ComponentProps, type ComponentType, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Role } from "#contracts/rights.ts";
import { share, statusOf } from "../api/call.ts";
import { ErrorNotice, sentenceOf, Waiting } from "./call.tsx";
import { count } from "./text/format.ts";

/** Parameters of a page's address, by their names in its path. */
export type PageProps = { readonly params: Readonly<Record<string, string>> };

export type PageRoute = {
  readonly path: string;
  /** Stands in the window's title, and in menus. */
  readonly title: string;
  /** Who may see the page; absent, everybody. */
  readonly role?: Role;
  /** Where the header leads to it: by an entry of its own, or in the menu of that name. */
  readonly entry?: "own" | "New" | "Administration";
  /** Whether it is a page of shared catalogues too. */
  readonly isShared?: true;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
};

/** What the browser calls the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Earthquake catalogues`;
  }, [title]);
}

type ButtonProps = Omit<ComponentProps<"button">, "type" | "children"> & {
  /** What it says. */
  readonly text: ComponentChildren;
  /** A key that clicks it (shell/shortcuts.ts). */
  readonly "data-shortcut"?: string;
};

/** A button that does something by itself; what sends a form is `SubmitRow`. Its look: `class`. */
export function Button({ text, ...attributes }: ButtonProps) {
  return (
    <button type="button" {...attributes}>
      {text}
    </button>
  );
}

type ButtonLinkProps = {
  readonly href: string;
  readonly text: ComponentChildren;
  /** Its look, beside that of a button. */
  readonly class?: string;
  readonly "aria-label"?: string;
};

/** A link that looks as a button does. */
export function ButtonLink({ text, class: look = "", ...attributes }: ButtonLinkProps) {
  return (
    <Link class={`button ${look}`.trim()} {...attributes}>
      {text}
    </Link>
  );
}

type FrameProps = {
  readonly title: ComponentChildren;
  readonly class?: string | undefined;
  /** Beside the title. */
  readonly head?: ComponentChildren;
  /** The way back, at the end of the head: where it leads, and what it says. */
  readonly back?: readonly [href: string, text: string] | false;
  /** What the page is about. */
  readonly intro?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A page under its title. */
export function Frame({ title, class: kind = "page", head, back, intro, children }: FrameProps) {
  return (
    <section class={kind}>
      {head !== undefined || back !== undefined ? (
        <div class="page-head">
          <h1>{title}</h1>
          {head}
          {back && <ButtonLink class="quiet end" href={back[0]} text={back[1]} />}
        </div>
      ) : (
        <h1>{title}</h1>
      )}
      {intro && <p class="muted">{intro}</p>}
      {children}
    </section>
  );
}

type PanelProps = Omit<ComponentProps<"section">, "title"> & { readonly title: ComponentChildren };

/** A part of a page under its heading. Its look: `class`. */
export function Panel({ title, class: look = "panel", children, ...attributes }: PanelProps) {
  return (
    <section class={look} {...attributes}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

type EmptyProps = {
  /** What is not there. */
  readonly title: ComponentChildren;
  /** What would be there, or why nothing is. */
  readonly text?: ComponentChildren;
  /** The next step: links and buttons. */
  readonly children?: ComponentChildren;
};

/** Stands in the place of a list that has nothing. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {text && <p>{text}</p>}
      {children && <div class="row">{children}</div>}
    </div>
  );
}

/** Whether what was asked for is not there, or no longer, for whoever asks. */
export function isGone(error: unknown): boolean {
  return statusOf(error) === 404;
}

type FailedPageProps = {
  readonly title: string;
  readonly error: unknown;
  readonly retry: () => void;
};

/** Stands where a page of a catalogue could not be read: why, and the way on. */
export function FailedPage({ title, error, retry }: FailedPageProps) {
  const isMissing = isGone(error);
  useTitle(isMissing ? "Not found" : title);
  if (isMissing && share !== null) {
    return (
      <Frame title={sentenceOf(error).replace(/\.$/, "")}>
        <Empty
          title="Nothing is shared at this address, or no longer."
          text="The share may have been ended, or its time is over. Whoever gave you the address can make another."
        />
      </Frame>
    );
  }
  return (
    <Frame title={isMissing ? "There is no such catalogue" : title}>
      {!isMissing && <ErrorNotice error={error} retry={retry} />}
      <Empty
        title={isMissing ? "Nothing stands at this address." : "What this page shows is not there."}
        text={
          isMissing
            ? "The catalogue may have been deleted, it may be for its members alone, or the address is mistyped. Catalogues that are not public are seen after signing in."
            : "Try again, or go on with another catalogue."
        }
      >
        {share === null && <ButtonLink href="/catalogues" text="All catalogues" />}
      </Empty>
    </Frame>
  );
}

/** Stands where a page of a catalogue is not read yet, or could not be. @param error null while it is waited for */
export function Unread({ error, ...failed }: FailedPageProps) {
  return error === null ? <Waiting /> : <FailedPage error={error} {...failed} />;
}

/** Whether something works, by a sign and in words. */
export function State(props: { readonly isGood: boolean; readonly children: ComponentChildren }) {
  const { isGood, children } = props;
  return (
    <span class={isGood ? "state good" : "state bad"}>
      <span aria-hidden="true">{isGood ? "●" : "▲"}</span>
      <span>{children}</span>
    </span>
  );
}

export type Fact = {
  readonly name: ComponentChildren;
  readonly text: ComponentChildren;
  /** On hovering. */
  readonly title?: string | undefined;
};

type ShortFact = readonly [name: ComponentChildren, text: ComponentChildren];
type FactsProps = {
  /** False ones are left out. */
  readonly facts: readonly (Fact | ShortFact | false)[];
  readonly class?: string;
};

/** Names and what is told of them. */
export function Facts({ facts, class: further = "" }: FactsProps) {
  const shown = facts.filter((fact) => fact !== false);
  return (
    <dl class={`facts ${further}`}>
      {shown.map((fact, i) => {
        const { name, text, title } =
          "name" in fact ? fact : { name: fact[0], text: fact[1], title: undefined };
        return (
          <Fragment key={i}>
            <dt>{name}</dt>
            <dd title={title}>{text}</dd>
          </Fragment>
        );
      })}
    </dl>
  );
}

type PagingProps = {
  readonly label: string;
  /** Where the first page is; null on it. */
  readonly newest: string | null;
  /** Where the next page is; null on the last. */
  readonly older: string | null;
};

/** The ways through a list that begins with the newest. */
export function Paging({ label, newest, older }: PagingProps) {
  if (newest === null && older === null) return null;
  return (
    <nav class="row" aria-label={label}>
      {newest !== null && <Link href={newest}>Newest</Link>}
      {older !== null && <Link href={older}>Older</Link>}
    </nav>
  );
}

type TurningProps = {
  readonly label: string;
  /** Which page of the list is shown, from 0. */
  readonly page: Signal<number>;
  readonly size: number;
  readonly total: number;
  readonly words?: readonly [back: string, on: string];
};

/** The ways through a list that is here whole; nothing where one page has all of it. */
export function Turning(props: TurningProps) {
  const { label, page, size, total, words = ["Previous", "Next"] } = props;
  const from = page.value * size;
  if (total <= size) return null;
  return (
    <nav class="row" aria-label={label}>
      <Button disabled={from === 0} onClick={() => page.value--} text={words[0]} />
      <Button disabled={from + size >= total} onClick={() => page.value++} text={words[1]} />
      <span class="muted">
        {count(from + 1)} to {count(Math.min(total, from + size))} of {count(total)}
      </span>
    </nav>
  );
}

type StatusTabsProps = {
  readonly label: string;
  /** The page's address without a query. */
  readonly path: string;
  readonly statuses: readonly string[];
  /** What they are called, where that is not their name. */
  readonly words?: Readonly<Record<string, string>>;
  /** Undefined: all. */
  readonly chosen: string | undefined;
};

/** Narrows a list to one status, by the address. */
export function StatusTabs({ label, path, statuses, words = {}, chosen }: StatusTabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {[undefined, ...statuses].map((one) => (
        <Link
          key={one ?? ""}
          href={one ? `${path}?status=${one}` : path}
          aria-current={one === chosen ? "page" : undefined}
        >
          {one === undefined ? "all" : (words[one] ?? one)}
        </Link>
      ))}
    </nav>
  );
}

/** Where one is on a way of several steps; `at` counts from 0. */
export function Steps({ names, at }: { readonly names: readonly string[]; readonly at: number }) {
  return (
    <ol class="steps" aria-label="Steps">
      {names.map((name, index) => (
        <li
          key={name}
          class={index < at ? "done" : undefined}
          aria-current={index === at ? "step" : undefined}
        >
          {name}
        </li>
      ))}
    </ol>
  );
}
