// What a rule would send, for one event of each kind.
import { useQuery } from "@tanstack/react-query";
import { notificationPreview } from "../../api/queries";
import type { NotificationRule } from "../../api/types";
import { Button } from "../../parts/Button";
import { Dialog } from "../../parts/Dialog";
import { Bones, Trouble } from "../../parts/Feedback";
import { Code, Facts } from "../../parts/Sheet";

export function Preview({ rule, onClose }: { rule: NotificationRule; onClose: () => void }) {
  const { data, error } = useQuery(notificationPreview(rule.id));
  return (
    <Dialog wide title={`What ${rule.name} would send`} onClose={onClose} footer={<Button look="solid" onClick={onClose}>Close</Button>}>
      {!data ? (error ? <Trouble error={error} /> : <Bones rows={3} />) : (
        <>
          <Facts rows={[["Subject", data.subject]]} />
          <Code label="Text">{data.text}</Code>
          <Code label="Webhook">{JSON.stringify(data.webhook, null, 2)}</Code>
        </>
      )}
    </Dialog>
  );
}
