/** The head of a column that needs no words for those who see it. */
export function HiddenHead({ text }: { readonly text: string }) {
  return (
    <th scope="col">
      <span class="visually-hidden">{text}</span>
    </th>
  );
}
