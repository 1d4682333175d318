import { useSignal } from "@preact/signals";
import { Link } from "wouter-preact";
import { DAY_MS } from "#contracts/units.ts";
import { call } from "../../api/call.ts";
import type { AnswerOf } from "../../model/operation-types.ts";
import { notice } from "../../ui/call/notices.tsx";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment, UtcDay } from "../../ui/text/moment.tsx";
import { scopesInWords } from "./scopes.ts";

export type Token = AnswerOf<"GET /api/tokens">["tokens"][number];

type TokensTableProps = {
  readonly tokens: readonly Token[];
  /** Of catalogues, by their ids; of some that are not new it is not known. */
  readonly names: ReadonlyMap<string, string>;
  readonly reload: () => void;
};

/** Access tokens, each with the way to end it. */
export function TokensTable({ tokens, names, reload }: TokensTableProps) {
  const leaving = useSignal<Token | null>(null);
  return (
    <>
      <Table
        label="Access tokens"
        kind="log folds"
        columns={[
          "Name",
          "May",
          "Catalogues",
          "Made",
          "Ends, UTC",
          "Last used",
          { hidden: "Actions" },
        ]}
      >
        {tokens.map((token) => (
          <tr key={token.id}>
            <td class="words">{token.name}</td>
            <td>{scopesInWords(token.scopes)}</td>
            <td>
              <Catalogues ids={token.catalogues} names={names} />
            </td>
            <td>
              <Moment at={token.created_at} />
            </td>
            <td>
              <End at={token.expires_at} />
            </td>
            <td>
              <Moment at={token.last_used} unknown="never" />
            </td>
            <td class="number">
              <button
                type="button"
                aria-label={`End ${token.name}…`}
                onClick={() => (leaving.value = token)}
              >
                End…
              </button>
            </td>
          </tr>
        ))}
      </Table>
      {leaving.value && (
        <EndToken token={leaving.value} reload={reload} onClose={() => (leaving.value = null)} />
      )}
    </>
  );
}

/** As many as are named. */
const NAMED = 3;

type CataloguesProps = {
  readonly ids: Token["catalogues"];
  readonly names: TokensTableProps["names"];
};

function Catalogues({ ids, names }: CataloguesProps) {
  if (ids === null) return <>all</>;
  return (
    <>
      {ids.slice(0, NAMED).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Link href={`/catalogues/${id}`}>{names.get(id) ?? id.slice(0, 8)}</Link>
        </span>
      ))}
      {ids.length > NAMED && ` and ${count(ids.length - NAMED)} more`}
    </>
  );
}

/** From so many days before its end on a token is marked. */
const SOON_DAYS = 7;

function End({ at }: { readonly at: string }) {
  const days = Math.floor((Date.parse(at) - Date.now()) / DAY_MS);
  return (
    <>
      <UtcDay at={at} />{" "}
      {days < 0 ? (
        <span class="badge bad">expired</span>
      ) : (
        <span class={days < SOON_DAYS ? "badge warning" : "muted nowrap"}>
          {days === 0 ? "within a day" : `in ${counted(days, "day")}`}
        </span>
      )}
    </>
  );
}

type EndTokenProps = {
  readonly token: Token;
  readonly reload: () => void;
  readonly onClose: () => void;
};

function EndToken({ token: { id, name }, reload, onClose }: EndTokenProps) {
  const end = async (idempotencyKey: string) => {
    await call("DELETE /api/tokens/:id", { params: { id } }, { idempotencyKey });
    notice.done(`The token “${name}” has ended.`);
    reload();
  };
  return (
    <ConfirmDialog title="End the token" action="End it" isDanger run={end} onClose={onClose}>
      <p>Programs that use “{name}” are refused from now on. Nothing brings it back.</p>
    </ConfirmDialog>
  );
}
