import type { ComponentChildren } from "preact";
import { ABOUT } from "./about.ts";

type AccountPageProps = {
  readonly title: string;
  /** What stands beside it; without, what the service is. */
  readonly beside?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** A page about an account: what is filled in, and beside it what helps with it. */
export function AccountPage({ title, beside, children }: AccountPageProps) {
  return (
    <section class="page">
      <h1>{title}</h1>
      <div class="columns">
        <div class="stack">{children}</div>
        {beside ?? <About />}
      </div>
    </section>
  );
}

function About() {
  return (
    <aside class="panel" aria-label="About this service">
      <h2>Catalogues of earthquakes, with every version kept</h2>
      <ul class="checked">
        {ABOUT.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </aside>
  );
}
