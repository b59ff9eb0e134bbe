import { useEffect, useRef, useState } from 'react';
import { isSamePage, useRouter } from './router.ts';

/** Long enough that the address gets whole words and not single letters. */
const debounceMs = 250;

/**
 * Syncs a search field with the address: typed text enters the address after a pause, and a link or Back updates the
 * field.
 * @param go navigates to the text and calls `sends`.
 */
export function useSearchParamText(words: string, go: (text: string) => void) {
  const [text, setText] = useState(words);
  const [followed, setFollowed] = useState(words);
  const [sent, setSent] = useState(words);
  const timer = useRef<number | undefined>(undefined);
  if (words !== followed) {
    setFollowed(words);
    // The address changes shortly after it was set from here, when more may have been typed.
    if (words !== sent) {
      setSent(words);
      setText(words);
    }
  }
  const router = useRouter();
  // Text that was not sent yet does not replace another page that is being opened.
  useEffect(() => {
    const cancel = () => window.clearTimeout(timer.current);
    const unsubscribe = router.onNavigated(({ from, to }) => !isSamePage(from, to) && cancel());
    return () => {
      unsubscribe();
      cancel();
    };
  }, [router]);
  return {
    text,
    type: (typed: string) => {
      setText(typed);
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => go(typed), debounceMs);
    },
    sends: (text: string) => {
      window.clearTimeout(timer.current);
      setSent(text.trim());
    },
  };
}
