import { useEffect, useRef } from "preact/hooks";
import { Link, useLocation, useSearch } from "wouter-preact";
import { mayUse } from "../../api/session.ts";
import { searchOf, workStateOf } from "../../model/work-state.ts";
import { GROUPS } from "./tabs.ts";

/** Everything that can be analysed, in groups. */
export function AnalyticsNav({ chosen }: { readonly chosen: string }) {
  const [path] = useLocation();
  // Kept for the way back, but for the work page's own tab, which is called alike; parameters of one
  // analysis mean nothing to another.
  const work = searchOf({ ...workStateOf(useSearch()), tab: "table" });
  // Where there is no room for a list it is a row that is moved sideways.
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    const current = nav.current?.querySelector("[aria-current]");
    current?.scrollIntoView({ block: "nearest", inline: "center" });
  }, [chosen]);
  return (
    <nav ref={nav} class="analytics-nav" aria-label="Analyses">
      {GROUPS.map(({ name, tabs }) => (
        <section key={name} aria-label={name}>
          <h2>{name}</h2>
          <ul>
            {tabs
              .filter(({ role }) => mayUse(role))
              .map(({ tab, title }) => (
                <li key={tab}>
                  <Link
                    href={`${path}${work === "" ? "?" : `${work}&`}tab=${tab}`}
                    aria-current={tab === chosen ? "page" : undefined}
                  >
                    {title}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}
