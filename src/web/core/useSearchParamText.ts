import { useEffect, useRef, useState } from 'react';

/** Long enough that words go into the address, and not letters. */
const debounceMs = 250;

/**
 * The text of a field whose words are in the address: what is typed goes there after a pause, and where the address
 * changes by a link or by Back, the text follows.
 * @param go takes a text to the address, and says so by `sends`.
 */
export function useSearchParamText(words: string, go: (text: string) => void) {
  const [text, setText] = useState(words);
  const [followed, setFollowed] = useState(words);
  const [sent, setSent] = useState(words);
  const timer = useRef<number | undefined>(undefined);
  if (words !== followed) {
    setFollowed(words);
    // What went there from here comes back a moment later, when more may have been typed.
    if (words !== sent) {
      setSent(words);
      setText(words);
    }
  }
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return {
    text,
    type: (typed: string) => {
      setText(typed);
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => go(typed), debounceMs);
    },
    sends: (going: string) => {
      window.clearTimeout(timer.current);
      setSent(going.trim());
    },
  };
}
