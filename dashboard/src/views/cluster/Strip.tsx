// Shards as a strip: a row for each node, and one for those without an owner, which is always shown.
import type { Node } from "../../api/types";
import { count } from "../../format/numbers";
import { useWidth } from "../../parts/useWidth";
import css from "./cluster.module.css";

export function Strip({ nodes, orphaned }: { nodes: Node[]; orphaned: number }) {
  const [host, width] = useWidth<HTMLDivElement>();
  const total = Math.max(1, nodes.reduce((sum, node) => sum + node.shards, 0) + orphaned);
  const rows = [...nodes.map((node) => ({ name: node.name, shards: node.shards, bad: false })), { name: "no owner", shards: orphaned, bad: true }];
  const [L, R, H] = [width < 560 ? 84 : 150, 56, 30];
  const size = (width - L - R) / total;
  let from = 0;
  return (
    <div ref={host}>
      {width > 100 && (
        <svg width={width} height={rows.length * H + 18} role="img" aria-label={rows.map((row) => `${row.name} ${row.shards}`).join(", ")}>
          {rows.map((row, i) => {
            const at = from;
            from += row.shards;
            // One path a row: a tick for each shard, as far as there is room for ticks.
            const step = Math.max(size, 2);
            const ticks = Math.min(row.shards, Math.floor((row.shards * size) / step));
            const path = Array.from({ length: ticks }, (_, k) => `M${(L + at * size + k * step).toFixed(2)} ${i * H + 4}v22`).join("");
            return (
              <g key={i}>
                <text className={row.bad && row.shards ? css.bad : row.shards ? css.name : undefined} x={0} y={i * H + 20}>{row.name}</text>
                <rect x={L} y={i * H + 4} width={Math.max(0, width - L - R)} height={22} fill="var(--sunken)" />
                <path d={path} stroke={row.bad ? "var(--dead-fill)" : "var(--bar)"} strokeWidth={Math.max(0.6, step * 0.66)} />
                <text className={row.bad && row.shards ? css.bad : css.name} x={width} y={i * H + 20} textAnchor="end">{count(row.shards)}</text>
              </g>
            );
          })}
          <text x={L} y={rows.length * H + 14}>0</text>
          <text x={width - R} y={rows.length * H + 14} textAnchor="end">{count(total)}</text>
        </svg>
      )}
    </div>
  );
}
