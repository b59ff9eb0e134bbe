import { Fragment } from 'react';
import classes from './Marked.module.css';

/** A text with the parts that were searched for marked in it. */
export function Marked({ parts }: { parts: readonly { text: string; hit: boolean }[] }) {
  return withPlaces(parts).map(({ at, text, hit }) =>
    hit ? (
      <mark key={at} className={classes.hit}>
        {text}
      </mark>
    ) : (
      <Fragment key={at}>{text}</Fragment>
    ),
  );
}

function withPlaces(parts: readonly { text: string; hit: boolean }[]) {
  let end = 0;
  return parts.map((part) => {
    const at = end;
    end += part.text.length;
    return { ...part, at };
  });
}
