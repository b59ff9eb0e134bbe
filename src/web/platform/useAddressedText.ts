import { useEffect, useRef, useState } from 'react';

/** Long enough that words go into the address, and not letters. */
const pauseMs = 250;

/**
 * The text of a field whose words are in the address: what is typed goes there after a pause, and where the address
 * changes by a link or by Back, the text follows.
 * @param go takes the text to the address.
 */
export function useAddressedText(words: string, go: (text: string) => void) {
  const [text, setText] = useState(words);
  const [followed, setFollowed] = useState(words);
  const timer = useRef<number | undefined>(undefined);
  if (words !== followed) {
    setFollowed(words);
    if (text.trim() !== words) setText(words);
  }
  const stopWaiting = () => window.clearTimeout(timer.current);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  return {
    text,
    type: (typed: string) => {
      setText(typed);
      stopWaiting();
      timer.current = window.setTimeout(() => go(typed), pauseMs);
    },
    /** Nothing more of what was typed goes to the address by itself. */
    stopWaiting,
  };
}
