import { useSignal } from "@preact/signals";
import { Link, useSearchParams } from "wouter-preact";
import { call } from "../../api/call.ts";
import { type Made, MadeToken } from "../../features/tokens/made-token.tsx";
import { NewToken } from "../../features/tokens/new-token.tsx";
import { type Token, TokensTable } from "../../features/tokens/tokens-table.tsx";
import { Answered } from "../../ui/call/answered.tsx";
import { useCall } from "../../ui/call/use-call.ts";
import { Empty } from "../../ui/empty.tsx";
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
