import { Link } from "wouter-preact";
import { Table } from "../../../ui/table.tsx";
import { count } from "../../../ui/text/format.ts";
import { type MergedFrom, nameOf } from "./merged.ts";

/** The sources of a merge, and whether each has moved on since. */
export function SourcesTable({ sources }: { readonly sources: readonly MergedFrom[] }) {
  return (
    <Table
      label="Sources and their versions"
      columns={["Source", { number: "In this merge" }, { number: "Latest" }, "State"]}
    >
      {sources.map((source, index) => (
        <tr key={source.id ?? index}>
          <td>
            {source.id === null ? (
              <span class="muted">{nameOf(source)}</span>
            ) : (
              <Link href={`/catalogues/${source.id}`}>{nameOf(source)}</Link>
            )}
            {source.label !== null && source.name !== null && source.name !== source.label && (
              <span class="muted small"> {source.name}</span>
            )}
          </td>
          <td class="number">version {count(source.version)}</td>
          <td class="number">{source.latest === null ? "–" : `version ${count(source.latest)}`}</td>
          <td>
            <State source={source} />
          </td>
        </tr>
      ))}
    </Table>
  );
}

function State({ source: { id, version, latest } }: { readonly source: MergedFrom }) {
  if (latest === null) {
    return id === null ? null : <span class="badge bad">deleted</span>;
  }
  if (latest === version) return <span class="badge good">up to date</span>;
  return (
    <span class="row">
      <span class="badge warning">newer version</span>
      {id !== null && (
        <Link href={`/catalogues/${id}/versions?from=${version}&to=${latest}`}>what changed</Link>
      )}
    </span>
  );
}
