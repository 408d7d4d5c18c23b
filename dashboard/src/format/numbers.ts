// Numbers as the page shows them. Pure.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

/** 12,240 */
export function count(n: number): string {
  return whole.format(Math.round(n));
}

/** 9.2k, 41k, 1.5M: for cells with little room. */
export function short(n: number): string {
  if (n >= 999_500) return trim(n / 1e6, n >= 9_950_000 ? 0 : 1) + "M";
  if (n >= 1000) return trim(n / 1000, n >= 9950 ? 0 : 1) + "k";
  return whole.format(n);
}

/** A count that was cut off at `cap`: 10k+ */
export function capped(n: number, cap = 10_000): string {
  return n >= cap ? short(cap) + "+" : count(n);
}

/** 41 %: a share between 0 and 1. */
export function percent(share: number): string {
  return `${whole.format(share * 100)} %`;
}

/** 214 bytes, 61 KB, 41 GB. */
export function bytes(n: number): string {
  if (n < 1000) return `${n} ${n === 1 ? "byte" : "bytes"}`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = n / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${trim(value, value < 9.95 ? 1 : 0)} ${units[unit]}`;
}

/** "1 job", "12 jobs". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

function trim(value: number, digits: number): string {
  return value.toFixed(digits).replace(/\.0$/, "");
}
