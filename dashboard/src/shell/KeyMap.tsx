import { Button } from "../parts/Button";
import { Dialog } from "../parts/Dialog";
import { Check } from "../parts/Field";
import { change, useSettings } from "../settings";
import { KEYS } from "./keys";
import css from "./shell.module.css";

export function KeyMap({ onClose }: { onClose: () => void }) {
  const { keys } = useSettings();
  return (
    <Dialog title="Keys" onClose={onClose} onSubmit={onClose} footer={<Button type="submit" look="solid">Close</Button>}>
      <dl className={css.keymap}>
        {KEYS.map(([key, does]) => (
          <div key={key}>
            <dt>{key.split(" ").map((one) => (one === "then" ? " then " : <kbd key={one}>{one}</kbd>))}</dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Check label="Single keys act" checked={keys} onChange={(event) => change({ keys: event.target.checked })} />
    </Dialog>
  );
}
