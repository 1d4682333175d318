import { useSignal } from "@preact/signals";
import type { Scope } from "#contracts/access-scopes.ts";
import { DAY_MS } from "#contracts/units.ts";
import { call } from "../../api/call.ts";
import { CallError } from "../../api/call-error.ts";
import { mayUse } from "../../api/session.ts";
import { ErrorNotice } from "../../ui/call/error-notice.tsx";
import { Waiting } from "../../ui/call/waiting.tsx";
import { bound } from "../../ui/form/bound.ts";
import { CatalogueSearchField, useCatalogueSearch } from "../../ui/form/catalogue-choice.tsx";
import { Checkbox } from "../../ui/form/checkbox.tsx";
import { Dialog } from "../../ui/form/dialog.tsx";
import { Field } from "../../ui/form/field.tsx";
import { Select } from "../../ui/form/select.tsx";
import { SubmitRow } from "../../ui/form/submit-row.tsx";
import { useAttempts } from "../../ui/form/use-attempts.ts";
import { useSubmit } from "../../ui/form/use-submit.ts";
import { day } from "../../ui/text/format.ts";
import type { Made } from "./made-token.tsx";
import { SCOPES_IN_WORDS } from "./scopes.ts";

type NewTokenProps = {
  readonly onMade: (made: Made) => void;
  /** After a token was made whose secret is lost. */
  readonly reload: () => void;
  readonly onClose: () => void;
};

const FIELDS = ["name", "expiresInDays", "catalogues"] as const;

/** Asks what a token is for, and makes it. */
export function NewToken(props: NewTokenProps) {
  const { name, scope, isLimited, chosen, days, submit, error, isBusy, problemOf } =
    useNewToken(props);
  const offered = SCOPES_IN_WORDS.filter(({ role }) => mayUse(role));
  const isTold = FIELDS.some((field) => problemOf(field) !== undefined);
  return (
    <Dialog title="New access token" onClose={props.onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          placeholder="The program it is for"
          autocomplete="off"
          required
          {...bound(name)}
          problem={problemOf("name")}
        />
        <Select
          label="What it may do"
          {...bound(scope)}
          options={offered.map(({ scope, name }) => ({ value: scope, text: name }))}
          hint={`A program with it ${offered.find((one) => one.scope === scope.value)?.does}.`}
        />
        <Field
          label="Ends after"
          unit="days"
          inputMode="numeric"
          required
          {...bound(days)}
          problem={problemOf("expiresInDays")}
          hint={endOf(days.value)}
        />
        <Checkbox checked={isLimited.value} onChecked={(is) => (isLimited.value = is)}>
          Only for certain catalogues
        </Checkbox>
        {isLimited.value && (
          <CataloguesPart
            chosen={chosen.value}
            problem={problemOf("catalogues")}
            onChosen={(ids) => (chosen.value = ids)}
          />
        )}
        <ErrorNotice error={isTold ? null : error.value} />
        <SubmitRow
          text="Make the token"
          isDisabled={isBusy.value || (isLimited.value && chosen.value.length === 0)}
          onCancel={props.onClose}
        />
      </form>
    </Dialog>
  );
}

function useNewToken({ onMade, reload, onClose }: NewTokenProps) {
  const name = useSignal("");
  const scope = useSignal<Scope>("read");
  const isLimited = useSignal(false);
  const chosen = useSignal<readonly string[]>([]);
  const days = useSignal("90");
  const attempt = useAttempts();
  const submission = useSubmit(async () => {
    const body = {
      name: name.value.trim(),
      scopes: [scope.value],
      expiresInDays: Number(days.value),
      ...(isLimited.value && { catalogues: [...chosen.value] }),
    };
    const made = await attempt(body, (idempotencyKey) =>
      call("POST /api/tokens", { body }, { idempotencyKey }),
    ).catch(explainLost(reload));
    onMade(made);
    onClose();
  });
  return { name, scope, isLimited, chosen, days, ...submission };
}

/** The last day of a token that is made now; nothing where so many days cannot be. */
function endOf(days: string): string | undefined {
  const number = Number(days);
  const ends = new Date(Date.now() + number * DAY_MS);
  if (!Number.isInteger(number) || number < 1 || Number.isNaN(ends.getTime())) {
    return "A whole number of days, up to 366.";
  }
  return `On ${day(ends.toISOString())}. A year and a day (366) at most.`;
}

/**
 * A secret is in one answer alone: where that was lost, the next attempt finds the token made, and its
 * secret gone.
 */
function explainLost(reload: () => void): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof CallError) || !wasCarriedOut(error)) throw error;
    reload();
    throw new Error(
      "The token was made, but the answer with its secret was lost. End it in the list, and make another.",
      { cause: error },
    );
  };
}

/** Whether an earlier attempt succeeded, of which the answer is not kept: its details say with what status. */
function wasCarriedOut({ status, body }: CallError): boolean {
  return status === 409 && typeof body === "object" && body !== null && "details" in body;
}

type CataloguesPartProps = {
  /** Ids. */
  readonly chosen: readonly string[];
  readonly problem: string | undefined;
  readonly onChosen: (chosen: readonly string[]) => void;
};

/** The only catalogues that a token has. */
function CataloguesPart({ chosen, problem, onChosen }: CataloguesPartProps) {
  const search = useCatalogueSearch();
  const toggle = (id: string) =>
    onChosen(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset class="stack">
      <legend class="visually-hidden">Its catalogues</legend>
      <CatalogueSearchField search={search} />
      {search.list === null && search.error === null && <Waiting />}
      <div class="choice-list">
        {search.list?.catalogues.map(({ id, name }) => (
          <Checkbox key={id} checked={chosen.includes(id)} onChecked={() => toggle(id)}>
            {name}
          </Checkbox>
        ))}
      </div>
      {problem !== undefined && <p class="problem">{problem}</p>}
    </fieldset>
  );
}
