import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLocation } from "wouter-preact";
import { has } from "../api/session.ts";
import { droppedFile, listen } from "../ui/listen.ts";

const UPLOAD = "/upload";
/** Pages that read a dropped file themselves. */
const READERS = /^\/(?:upload|regions\/new|regions\/[^/]+\/change)$/;

/** A file dropped on any other page is read on the page of uploads, by those who may create catalogues. */
export function DropAnywhere() {
  const isOver = useSignal(false);
  const [path, navigate] = useLocation();
  const mayUpload = has("editor");
  useEffect(() => {
    if (!mayUpload) return;
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      // Out of the window, and not only from one element to another.
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      const file = event.dataTransfer?.files[0];
      isOver.value = false;
      if (file === undefined) return;
      event.preventDefault();
      droppedFile.value = file;
      if (!READERS.test(path)) navigate(UPLOAD);
    };
    return listen({ dragover: over, dragleave: leave, drop });
  }, [mayUpload, path]);
  return isOver.value ? <p class="drop-anywhere">Drop the file to have it read</p> : null;
}
