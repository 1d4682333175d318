import { type Signal, useSignal } from "@preact/signals";
import { type ComponentChildren, Fragment } from "preact";
import type { CallOptions } from "../../api/call.ts";
import { ErrorNotice, notice } from "../call.tsx";
import { useAttempts } from "./attempts.ts";
import { type Codec, optional, text } from "./codecs.ts";
import { Checkbox, Field, Select, TextArea } from "./fields.tsx";
import { problemOf, SubmitRow, useSubmit } from "./submit.tsx";

/** What a field is drawn with. */
export type Shown<Typed> = {
  readonly value: Typed;
  onValue(typed: Typed): void;
  readonly problem: string | undefined;
};

/** A field of a form as data: what is in it at first, what is sent of it, and how it looks. */
export type FormField<Typed, Value> = {
  readonly start: Typed;
  /** What is sent of it; undefined is left out. */
  valueOf(typed: Typed): Value;
  /** @param all what is typed in all fields */
  show(shown: Shown<Typed>, all: Readonly<Record<string, unknown>>): ComponentChildren;
  /** What a refusal says of it, where that is not under its own name. */
  readonly problemIn?: (error: unknown) => string | undefined;
};

/** Fields by the names that they have in what is sent, in the order in which they are shown. */
export type Fields = Readonly<Record<string, FormField<unknown, unknown>>>;
export type TypedIn<F extends Fields> = { readonly [K in keyof F]: F[K]["start"] };
export type ValuesOf<F extends Fields> = { readonly [K in keyof F]: ReturnType<F[K]["valueOf"]> };

type Hint = (typed: string, all: Readonly<Record<string, unknown>>) => ComponentChildren;
type Look<P> = Omit<P, "value" | "onValue" | "problem" | "hint"> & {
  readonly start?: string;
  readonly hint?: ComponentChildren | Hint;
  readonly problemIn?: (error: unknown) => string | undefined;
};
type FieldProps = Parameters<typeof Field>[0];
type AreaProps = Parameters<typeof TextArea>[0];

/** A line of text. */
export function input(look: Look<FieldProps>): FormField<string, string>;
export function input<V>(look: Look<FieldProps>, codec: Codec<V>): FormField<string, V>;
export function input(
  { start = "", hint, problemIn, ...look }: Look<FieldProps>,
  codec: Codec<unknown> = text,
): FormField<string, unknown> {
  const show: FormField<string, unknown>["show"] = (shown, all) => (
    <Field {...look} {...shown} hint={typeof hint === "function" ? hint(shown.value, all) : hint} />
  );
  return { start, valueOf: codec, show, ...(problemIn && { problemIn }) };
}

/** A text of several lines. */
export function area(look: Omit<Look<AreaProps>, "hint">): FormField<string, string>;
export function area<V>(look: Omit<Look<AreaProps>, "hint">, codec: Codec<V>): FormField<string, V>;
export function area(
  { start = "", problemIn, ...look }: Omit<Look<AreaProps>, "hint">,
  codec: Codec<unknown> = text,
): FormField<string, unknown> {
  const show = (shown: Shown<string>) => <TextArea {...look} {...shown} />;
  return { start, valueOf: codec, show, ...(problemIn && { problemIn }) };
}

type Option<T> = { readonly value: T; readonly text: string };

/** One of a few values; the first at first. */
export function choice<T extends string>(
  label: string,
  options: readonly Option<T>[],
  further: { readonly start?: T; readonly hint?: (value: T) => string } = {},
): FormField<T, T> {
  const [first] = options;
  const start = further.start ?? first?.value;
  if (start === undefined) throw new Error(`${label} has no options`);
  return custom(start, (shown) => (
    <Select
      label={label}
      options={options}
      {...shown}
      {...(further.hint && { hint: further.hint(shown.value) })}
    />
  ));
}

/** Options whose texts are those of a table. */
export function optionsOf<T extends string>(texts: Readonly<Record<T, string>>): Option<T>[] {
  return (Object.keys(texts) as T[]).map((value) => ({ value, text: texts[value] }));
}

/** What is so or not. */
export function check(words: ComponentChildren, start = false): FormField<boolean, boolean> {
  return custom(start, ({ value, onValue }) => (
    <Checkbox checked={value} onChecked={onValue}>
      {words}
    </Checkbox>
  ));
}

/** A field of its own kind, sent as it is. */
export function custom<T>(start: T, show: (shown: Shown<T>) => ComponentChildren): FormField<T, T> {
  return { start, valueOf: (typed) => typed, show };
}

/** What a form sends, and what follows. */
export type FormPlan<F extends Fields, Answer> = {
  readonly fields: F;
  /** What is in the fields at first, where that is not what it mostly is. */
  readonly start?: Partial<TypedIn<F>>;
  /** Sends it, with the key of the attempt. */
  readonly run: (options: CallOptions, values: ValuesOf<F>) => Promise<Answer>;
  /** What else is sent, where it can change: another attempt of the same has the same key. */
  readonly of?: () => unknown;
  /** What is told once it is done. */
  readonly done?: string | ((answer: Answer, values: ValuesOf<F>) => string);
  readonly after?: (answer: Answer) => void;
};

/** A form of fields that are data: what is typed, and its submission. */
export function useForm<F extends Fields, Answer>(
  plan: FormPlan<F, Answer>,
  kept?: Signal<TypedIn<F>>,
) {
  const { fields, of, done } = plan;
  const own = useSignal(typedAtFirst(fields, plan.start));
  const typed = kept ?? own;
  const attempt = useAttempts();
  const submission = useSubmit(async () => {
    const values = valuesIn(fields, typed.value);
    const answer = await attempt({ values, of: of?.() }, (idempotencyKey) =>
      plan.run({ idempotencyKey }, values),
    );
    if (done !== undefined) {
      notice.done(typeof done === "string" ? done : done(answer, values));
    }
    plan.after?.(answer);
  });
  const set = (change: Partial<TypedIn<F>>) => {
    typed.value = { ...typed.value, ...change };
  };
  const problemOfField = (name: keyof F & string) =>
    fields[name]?.problemIn?.(submission.error.value) ?? problemOf(submission.error.value, name);
  const field = (name: keyof F & string) => (
    <Fragment key={name}>
      {fields[name]?.show(
        {
          value: typed.value[name],
          onValue: (value) => set({ [name]: value } as Partial<TypedIn<F>>),
          problem: problemOfField(name),
        },
        typed.value,
      )}
    </Fragment>
  );
  const names = Object.keys(fields) as (keyof F & string)[];
  return {
    ...submission,
    typed,
    set,
    names,
    field,
    /** Why it failed; null where a field tells it. */
    failure: names.some((name) => problemOfField(name)) ? null : submission.error.value,
  };
}

export function typedAtFirst<F extends Fields>(fields: F, start?: Partial<TypedIn<F>>): TypedIn<F> {
  const usual = Object.entries(fields).map(([name, field]) => [name, field.start] as const);
  return { ...(Object.fromEntries(usual) as TypedIn<F>), ...start };
}

export function valuesIn<F extends Fields>(fields: F, typed: TypedIn<F>): ValuesOf<F> {
  const values = Object.entries(fields).map(([name, field]) => [name, field.valueOf(typed[name])]);
  return Object.fromEntries(values) as ValuesOf<F>;
}

export type FormProps<F extends Fields, Answer> = FormPlan<F, Answer> & {
  /** What the button says, and while it is sent. */
  readonly action: string;
  readonly busy?: string;
  /** Nothing brings back what it does. */
  readonly isDanger?: boolean;
  /** False while it cannot be sent. */
  readonly isReady?: (typed: TypedIn<F>) => boolean;
  readonly class?: string;
  readonly onCancel?: () => void;
  /** Above the fields. */
  readonly above?: ComponentChildren;
  /** Below them, where why it failed changes what is said. */
  readonly below?: (failure: unknown) => ComponentChildren;
  /** Beside the button. */
  readonly children?: ComponentChildren;
};

/** A form that shows its fields one below the other. */
export function Form<F extends Fields, Answer>(props: FormProps<F, Answer>) {
  const { action, busy = action, isDanger = false, isReady, onCancel, above, below } = props;
  const { typed, names, field, failure, submit, isBusy } = useForm(props);
  return (
    <form class={props.class} onSubmit={submit}>
      {above}
      {names.map(field)}
      <ErrorNotice error={failure} />
      {below?.(failure)}
      <SubmitRow
        text={isBusy.value ? busy : action}
        class={isDanger ? "danger" : "primary"}
        isDisabled={isBusy.value || isReady?.(typed.value) === false}
        {...(onCancel && { onCancel })}
      >
        {props.children}
      </SubmitRow>
    </form>
  );
}

/** Characters of a reason, at most (contracts/query/parameters.ts). */
const MOST_OF_REASON = 500;

/** Why something is changed, for the history and the audit; it may be left out. */
export const REASON = area(
  { label: "Reason, for the history (optional)", max: MOST_OF_REASON, rows: 2 },
  optional(text),
);
