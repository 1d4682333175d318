import type { ComponentChildren } from "preact";
import { ABOUT } from "./about.ts";

type AccountPageProps = {
  readonly title: string;
  readonly children: ComponentChildren;
};

/** A page about an account: what is filled in, and beside it what the service is. */
export function AccountPage({ title, children }: AccountPageProps) {
  return (
    <section class="page">
      <h1>{title}</h1>
      <div class="columns">
        <div class="panel">{children}</div>
        <About />
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
