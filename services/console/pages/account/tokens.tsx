import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { DAY_MS } from "#contracts/units.ts";
import { call } from "../../api/call.ts";
import { type Made, MadeToken, NewToken, scopesInWords } from "../../features/new-token.tsx";
import type { AnswerOf } from "../../model/operation-types.ts";
import { Answered } from "../../ui/call/answered.tsx";
import { notice } from "../../ui/call/notices.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { ConfirmDialog } from "../../ui/form/confirm-dialog.tsx";
import { Empty } from "../../ui/states.tsx";
import { Table } from "../../ui/table.tsx";
import { count, counted } from "../../ui/text/format.ts";
import { Moment, UtcDay } from "../../ui/text/moment.tsx";
import { useTitle } from "../../ui/use-title.ts";

type Found = {
  readonly tokens: readonly Token[];
  readonly names: ReadonlyMap<string, string>;
  /** Whose they are; null: one's own. */
  readonly owner: string | null;
};

/** One's own access tokens; for administrators, by the address, those of another user. */
export function Page() {
  const [query] = useSearchParams();
  const user = query.get("user");
  const found = useCall(`tokens ${user}`, (signal) => readTokens(user, signal));
  const isAdding = useSignal(false);
  const made = useSignal<Made | null>(null);
  const owner = found.answer?.owner;
  const title = owner ? `Access tokens of ${owner}` : "Access tokens";
  useTitle(title);
  const add = () => {
    isAdding.value = true;
  };
  const onMade = (token: Made) => {
    made.value = token;
    found.reload();
  };
  return (
    <section class="page">
      <div class="page-head">
        <h1>{title}</h1>
        {user === null && (
          <button type="button" class="primary" onClick={add}>
            New token
          </button>
        )}
        <Link class="button quiet end" href={user === null ? "/profile" : "/admin/users"}>
          {user === null ? "Back to the profile" : "Back to the users"}
        </Link>
      </div>
      <p class="muted">
        Programs sign in by a token instead of a password. A token can never do more than its owner,
        and it ends by itself.
      </p>
      {made.value && (
        <MadeToken key={made.value.token.id} made={made.value} onDone={() => (made.value = null)} />
      )}
      <Answered call={found}>
        {({ tokens, names }) =>
          tokens.length > 0 ? (
            <TokensTable tokens={tokens} names={names} reload={found.reload} />
          ) : (
            <Empty
              title={owner ? `${owner} has no access tokens.` : "You have no access tokens yet."}
              {...(!owner && {
                text: "Make one for a script, for ObsPy, pandas, GDAL or QGIS: it reads what you may read, and nobody has to write your password into a file.",
              })}
            />
          )
        }
      </Answered>
      {isAdding.value && (
        <NewToken onMade={onMade} reload={found.reload} onClose={() => (isAdding.value = false)} />
      )}
    </section>
  );
}

/** As many catalogues as one answer names. */
const NAMED = 100;

async function readTokens(user: string | null, signal: AbortSignal): Promise<Found> {
  const [{ tokens }, owner] = await Promise.all([
    call("GET /api/tokens", { query: user === null ? {} : { user } }, { signal }),
    user && call("GET /api/users/:id", { params: { id: user } }, { signal }),
  ]);
  const isLimited = tokens.some(({ catalogues }) => catalogues !== null);
  const listed = isLimited
    ? (await call("GET /api/catalogues", { query: { pageSize: NAMED } }, { signal })).catalogues
    : [];
  return {
    tokens,
    names: new Map(listed.map(({ id, name }) => [id, name])),
    owner: owner ? owner.user.name : null,
  };
}

type Token = AnswerOf<"GET /api/tokens">["tokens"][number];

type TokensTableProps = {
  readonly tokens: readonly Token[];
  /** Of catalogues, by their ids; of some that are not new it is not known. */
  readonly names: ReadonlyMap<string, string>;
  readonly reload: () => void;
};

/** Access tokens, each with the way to end it. */
function TokensTable({ tokens, names, reload }: TokensTableProps) {
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
const NAMED_TOKENS = 3;

type CataloguesProps = {
  readonly ids: Token["catalogues"];
  readonly names: TokensTableProps["names"];
};

function Catalogues({ ids, names }: CataloguesProps) {
  if (ids === null) return <>all</>;
  return (
    <>
      {ids.slice(0, NAMED_TOKENS).map((id, index) => (
        <span key={id}>
          {index > 0 && ", "}
          <Link href={`/catalogues/${id}`}>{names.get(id) ?? id.slice(0, 8)}</Link>
        </span>
      ))}
      {ids.length > NAMED_TOKENS && ` and ${count(ids.length - NAMED_TOKENS)} more`}
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
