// Sixty minutes in a line, or in bars for what is rare. Its own scale from 0.
import { memo } from "react";

const W = 120;
const H = 24;

export const Spark = memo(function Spark({ values, fill }: { values: readonly number[]; fill?: string }) {
  const most = Math.max(1, ...values);
  const y = (value: number) => H - 1.5 - (value / most) * (H - 4);
  return (
    <svg viewBox={`0 0 ${W} ${H}`} width="100%" height={H} preserveAspectRatio="none" aria-hidden="true">
      {fill ? (
        <>
          <path d={`M0 ${H - 0.5}H${W}`} stroke="var(--line-2)" vectorEffect="non-scaling-stroke" />
          {values.map((value, i) => value > 0 && (
            <rect key={i} x={(i * W) / values.length} y={y(value)} width={(W / values.length) * 0.7} height={H - 0.5 - y(value)} fill={fill} />
          ))}
        </>
      ) : (
        <path
          d={values.map((value, i) => `${i ? "L" : "M"}${((i * W) / Math.max(1, values.length - 1)).toFixed(1)} ${y(value).toFixed(1)}`).join("")}
          fill="none" stroke="var(--ink-3)" strokeWidth={1.25} vectorEffect="non-scaling-stroke" strokeLinejoin="round"
        />
      )}
    </svg>
  );
});
