import { t } from '@lingui/core/macro';
import { LoadingRegion } from '#web/ui/LoadingRegion.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './QuestionSkeleton.module.css';

const lines = ['96%', '88%', '92%', '54%'];

/** The placeholder of a question. */
export function QuestionSkeleton() {
  return (
    <LoadingRegion label={t`Loading question`}>
      <span className={classes.post}>
        <Skeleton width="82%" height="2.25rem" />
        <AuthorSkeleton />
        <TextSkeleton />
        <Skeleton width="18rem" height="2.125rem" />
      </span>
      <span className={classes.post}>
        <AuthorSkeleton />
        <TextSkeleton />
        <Skeleton width="14rem" height="2.125rem" />
      </span>
    </LoadingRegion>
  );
}

function AuthorSkeleton() {
  return (
    <span className={classes.author}>
      <Skeleton width="1.75rem" height="1.75rem" round />
      <Skeleton width="11rem" height="1rem" />
    </span>
  );
}

function TextSkeleton() {
  return (
    <span className={classes.lines}>
      {lines.map((width) => (
        <Skeleton key={width} width={width} height="1.1rem" />
      ))}
    </span>
  );
}
