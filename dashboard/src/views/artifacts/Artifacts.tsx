// Artifacts: what was pushed, its versions, and removing them. Pushing is for the command line.
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAction } from "../../api/actions";
import { MOUNT, send } from "../../api/client";
import { artifacts, artifactVersions } from "../../api/queries";
import type { Artifact, ArtifactVersion } from "../../api/types";
import { bytes, count } from "../../format/numbers";
import { Button } from "../../parts/Button";
import { copy } from "../../parts/copy";
import { Confirm } from "../../parts/Dialog";
import { Bones, Empty, Trouble } from "../../parts/Feedback";
import { Band, Code } from "../../parts/Sheet";
import table from "../../parts/table.module.css";
import { Ago, At } from "../../parts/Time";
import { useCrumbs } from "../../shell/crumbs";

const START = `duetime login --server ${MOUNT.href.replace(/\/$/, "")}
duetime artifacts push ./job.tar.gz --name nightly
duetime jobs create "" --artifact nightly@latest --run './run --all'`;

export function Artifacts() {
  useCrumbs(["Artifacts"]);
  const { name: chosen } = useSearch({ from: "/artifacts" });
  const list = useQuery(artifacts());
  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones />;
  if (list.data.length === 0) {
    return (
      <>
        <h2 className="sr">Artifacts</h2>
        <Empty title="No artifacts" actions={<Code label="How to push an artifact">{START}</Code>}>
          An artifact is a program or an archive that you upload once, and that jobs run on every executor that allows it.
        </Empty>
      </>
    );
  }
  return (
    <>
      <div className={table.scroll} tabIndex={0} role="region" aria-label="Artifacts">
        <table className={table.table}>
          <thead><tr><th>Artifact</th><th className="num">Versions</th><th className="num">Size</th><th>Latest</th><th>Pushed</th><th><span className="sr">From now</span></th></tr></thead>
          <tbody>{list.data.map((one) => <Row key={one.name} one={one} chosen={one.name === chosen} />)}</tbody>
        </table>
      </div>
      {chosen && <Versions name={chosen} />}
    </>
  );
}

function Row({ one, chosen }: { one: Artifact; chosen: boolean }) {
  const navigate = useNavigate();
  const show = () => void navigate({ to: "/artifacts", search: { name: chosen ? undefined : one.name }, replace: true });
  return (
    <tr className={chosen ? table.cursor : ""} aria-selected={chosen}>
      <td><button type="button" className={table.pick} aria-expanded={chosen} onClick={show}><b>{one.name}</b><span className="sr">: show its versions</span></button></td>
      <td className="num">{count(one.versions)}</td>
      <td className="num">{bytes(one.bytes)}</td>
      <td className="mono q">{short(one.latest.digest)}</td>
      <td className="q"><At at={one.latest.pushed_at} /></td>
      <td className="q"><Ago at={one.latest.pushed_at} /></td>
    </tr>
  );
}

function Versions({ name }: { name: string }) {
  const list = useQuery(artifactVersions(name));
  if (!list.data) return list.error ? <Trouble error={list.error} retry={list.refetch} /> : <Bones rows={3} />;
  return (
    <Band pad={false}>
      <div className={table.pager}><b>{name}</b> the latest version first</div>
      <div className={table.scroll} tabIndex={0} role="region" aria-label={`Versions of ${name}`}>
        <table className={table.table}>
          <thead><tr><th>Version</th><th className="num">Size</th><th>File</th><th>Pushed</th><th><span className="sr">Actions</span></th></tr></thead>
          <tbody>{list.data.map((one) => <Version key={one.digest} one={one} />)}</tbody>
        </table>
      </div>
    </Band>
  );
}

function Version({ one }: { one: ArtifactVersion }) {
  const [asks, ask] = useState(false);
  const remove = useAction(() => send("DELETE", `me/artifacts/${encodeURIComponent(one.reference)}`), {
    say: () => `${short(one.digest)} of ${one.name} is removed.`,
    onDone: () => ask(false),
    inPlace: true,
  });
  return (
    <tr>
      <td className="mono">{short(one.digest)} <Button look="plain" onClick={() => void copy(one.reference, "Reference copied.")}>Copy</Button></td>
      <td className="num">{bytes(one.size)}</td>
      <td className="q">{one.filename}{one.unpack ? ", unpacked" : ""}</td>
      <td className="q"><At at={one.pushed_at} /></td>
      <td className="num">
        <Button look="risk" onClick={() => ask(true)}>Remove…</Button>
        {asks && (
          <Confirm title={`Remove this version of ${one.name}?`} verb="Remove the version" risk busy={remove.isPending} error={remove.error?.message ?? null} onConfirm={() => remove.mutate(undefined)} onClose={() => ask(false)}>
            <p className="small q">{one.reference}, {bytes(one.size)}. A version that jobs or schedules name is not removed here.</p>
          </Confirm>
        )}
      </td>
    </tr>
  );
}

const short = (digest: string) => digest.slice(0, "sha256:".length + 12);
