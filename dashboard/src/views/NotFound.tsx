import { LinkButton } from "../parts/Button";
import { Empty } from "../parts/Feedback";
import { useCrumbs } from "../shell/crumbs";

export function NotFound() {
  useCrumbs(["Not found"]);
  return (
    <Empty title="There is no such page" actions={<LinkButton to="/">Overview</LinkButton>}>
      The address may have been cut, or it is of another version.
    </Empty>
  );
}
