import { Fragment } from 'react';
import classes from './Marked.module.css';

/** A text with the parts that were searched for marked in it. */
export function HighlightedText({ parts }: { parts: readonly { text: string; highlighted: boolean }[] }) {
  return withOffsets(parts).map(({ at, text, highlighted }) =>
    highlighted ? (
      <mark key={at} className={classes.hit}>
        {text}
      </mark>
    ) : (
      <Fragment key={at}>{text}</Fragment>
    ),
  );
}

function withOffsets(parts: readonly { text: string; highlighted: boolean }[]) {
  let end = 0;
  return parts.map((part) => {
    const at = end;
    end += part.text.length;
    return { ...part, at };
  });
}
