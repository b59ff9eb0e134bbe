import { t } from '@lingui/core/macro';
import { Pending } from '#web/ui/Pending.tsx';
import { Skeleton } from '#web/ui/Skeleton.tsx';
import classes from './QuestionSkeleton.module.css';

const lines = ['96%', '88%', '92%', '54%'];

/** A question on its way. */
export function QuestionSkeleton() {
  return (
    <Pending label={t`Loading question`}>
      <span className={classes.lines}>
        <Skeleton width="82%" height="2.25rem" />
        <Skeleton width="14rem" height="1.5rem" />
        {lines.map((width) => (
          <Skeleton key={width} width={width} height="1.1rem" />
        ))}
        <Skeleton width="18rem" height="2rem" />
        <Skeleton width="8rem" height="1.75rem" />
        {lines.map((width) => (
          <Skeleton key={`answer ${width}`} width={width} height="1.1rem" />
        ))}
      </span>
    </Pending>
  );
}
