import type { ComponentChildren } from "preact";

type AccountPageProps = { readonly title: string; readonly children: ComponentChildren };

/** A page about an account: what is filled in, and beside it what the service is. */
export function AccountPage({ title, children }: AccountPageProps) {
  return (
    <section class="page">
      <h1>{title}</h1>
      <div class="columns">
        <div class="panel">{children}</div>
        <aside class="panel" aria-label="About this service">
          <h2>Catalogues of earthquakes, with every version kept</h2>
          <ul class="checked">
            {ABOUT.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </aside>
      </div>
    </section>
  );
}

/** What the service is, for those who come to it for the first time. */
const ABOUT = [
  "Public catalogues are open to everybody, without an account: map, table, plots and analyses.",
  "Every change makes a new version. Earlier ones stay, can be compared, restored and cited.",
  "Files of many formats can be read, agencies asked, catalogues compared and merged.",
  "With an account you read and export what is not restricted to others; editors also make and change catalogues.",
] as const;
