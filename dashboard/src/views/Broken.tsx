import { Button } from "../parts/Button";
import { Empty } from "../parts/Feedback";

/** A view failed: a part could not be loaded after an upgrade, or there is a mistake in the page. */
export function Broken({ error }: { error: unknown }) {
  return (
    <Empty title="This view could not be shown" actions={<Button look="solid" onClick={() => location.reload()}>Reload</Button>}>
      The server may have been upgraded since the page was opened: reload it. The message was: {String(error)}
    </Empty>
  );
}
