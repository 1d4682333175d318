import { Link } from "wouter-preact";
import { has } from "../../../api/session.ts";
import { Empty } from "../../../ui/empty.tsx";

/** Stands where a catalogue was made in another way than by a merge. */
export function NoMerge() {
  return (
    <Empty
      title="This catalogue was not made by a merge."
      text="A merge takes two or more catalogues and makes a new one, with each earthquake once. Its page shows what it was made of, and takes in what its sources have since."
    >
      {has("editor") && (
        <Link class="button" href="/merge">
          Merge catalogues
        </Link>
      )}
    </Empty>
  );
}
