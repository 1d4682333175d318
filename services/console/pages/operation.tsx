import { Link } from "wouter-preact";
import { OperationView } from "../jobs/operation-view.tsx";
import type { PageProps } from "../model/page-route.ts";

export function Page({ params: { id = "" } }: PageProps) {
  return (
    <section class="page middle">
      <div class="page-head">
        <h1>Operation</h1>
        <Link class="button quiet end" href="/operations">
          All operations
        </Link>
      </div>
      <OperationView key={id} id={id} />
    </section>
  );
}
