import { useEffect, useId } from "preact/hooks";
import { Icon } from "./icon.tsx";
import { droppedFile } from "./listen.ts";

type FileDropProps = {
  /** The file that is there already; null for none. */
  readonly chosen: { readonly name: string; readonly size: string } | null;
  readonly hint: string;
  readonly problem?: string | undefined;
  readonly onFile: (file: File) => void;
};

/** Takes a file that is chosen, or dropped anywhere on the page. */
export function FileDrop({ chosen, hint, problem, onFile }: FileDropProps) {
  const id = useId();
  useEffect(() => {
    if (droppedFile.value === null) return;
    onFile(droppedFile.value);
    droppedFile.value = null;
  }, [droppedFile.value]);
  return (
    <div class="field">
      <div class={chosen === null ? "file-drop" : "file-drop chosen"}>
        <Icon name={chosen === null ? "upload" : "file"} />
        {chosen !== null && (
          <p>
            <strong>{chosen.name}</strong> <span class="muted">{chosen.size}</span>
          </p>
        )}
        <label for={id}>
          {chosen === null ? "Drop a file anywhere on the page, or choose one" : "Another file"}
        </label>
        <input
          id={id}
          type="file"
          aria-invalid={problem ? "true" : undefined}
          aria-describedby={`${id}-below`}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) onFile(file);
            // The same file can be chosen again, changed meanwhile.
            currentTarget.value = "";
          }}
        />
      </div>
      <p id={`${id}-below`} class={problem ? "problem" : "hint"}>
        {problem ?? hint}
      </p>
    </div>
  );
}
