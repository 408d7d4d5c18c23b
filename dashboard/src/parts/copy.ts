// Copying text, also where the page is served over plain HTTP and the clipboard is closed to it.
import { done, failed } from "./Toasts";

export async function copy(text: string, said: string): Promise<void> {
  try {
    if (navigator.clipboard && window.isSecureContext) await navigator.clipboard.writeText(text);
    else copyBySelection(text);
    done(said);
  } catch (error) {
    failed(error);
  }
}

function copyBySelection(text: string): void {
  const area = document.createElement("textarea");
  area.value = text;
  area.readOnly = true;
  area.className = "sr";
  (document.querySelector("dialog[open]") ?? document.body).append(area);
  area.select();
  const copied = document.execCommand("copy");
  area.remove();
  if (!copied) throw new Error("not copied");
}
