/** Keeps a scrolled list at its end while it grows, unless somebody has scrolled up to read. */
import { useCallback, useLayoutEffect, useRef, useState } from "preact/hooks";

/** Pixels from the end that still count as the end. */
const near = 60;

export function useStick(resetOn: unknown) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isStuck = useRef(true);
  const [isAway, setAway] = useState(false);

  const jump = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    isStuck.current = true;
    setAway(false);
    element.scrollTop = element.scrollHeight;
  }, []);

  useLayoutEffect(() => {
    const [outer, inner] = [scroller.current, content.current];
    if (!outer || !inner) return;
    let lastTop = 0;
    const onScroll = () => {
      const rest = outer.scrollHeight - outer.scrollTop - outer.clientHeight;
      // Content that grows moves the end away without anybody scrolling: only going up lets go.
      if (outer.scrollTop < lastTop - 2 && rest > near) isStuck.current = false;
      else if (rest <= near) isStuck.current = true;
      lastTop = outer.scrollTop;
      setAway(!isStuck.current);
    };
    const observer = new ResizeObserver(() => {
      if (isStuck.current) outer.scrollTop = outer.scrollHeight;
    });
    observer.observe(inner);
    observer.observe(outer);
    outer.addEventListener("scroll", onScroll, { passive: true });
    return () => {
      observer.disconnect();
      outer.removeEventListener("scroll", onScroll);
    };
  }, []);

  // Another conversation is read from its end.
  useLayoutEffect(jump, [resetOn, jump]);

  return { scroller, content, isAway, jump };
}
