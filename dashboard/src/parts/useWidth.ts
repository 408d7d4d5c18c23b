// The width of an element, for drawings that keep their text at one size.
import { useLayoutEffect, useRef, useState } from "react";

export function useWidth<T extends HTMLElement>(first = 0) {
  const ref = useRef<T>(null);
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    const host = ref.current!;
    setWidth(Math.floor(host.clientWidth));
    const watcher = new ResizeObserver(() => setWidth(Math.floor(host.clientWidth)));
    watcher.observe(host);
    return () => watcher.disconnect();
  }, []);
  return [ref, width] as const;
}
