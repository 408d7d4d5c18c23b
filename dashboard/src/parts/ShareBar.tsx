// What a user got, as a bar; its weight as a tick.
export function ShareBar({ part, weight }: { part: number; weight: number }) {
  const at = (share: number) => `${(Math.min(1, share) * 100).toFixed(2)}%`;
  return (
    <svg width="100%" height={12} aria-hidden="true">
      <rect y={3} width="100%" height={6} fill="var(--sunken)" />
      <rect y={3} width={at(part)} height={6} fill="var(--bar)" />
      <rect x={at(weight)} y={0} width={2} height={12} fill="var(--ink)" />
    </svg>
  );
}
