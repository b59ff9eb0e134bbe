import { t } from '@lingui/core/macro';
import type { MemberActivity, MemberReputation } from '#shared/activity.ts';
import { HeatMap } from './HeatMap.tsx';
import { ReputationCurve } from './ReputationCurve.tsx';
import { reputationSummary } from './texts.ts';
import classes from './MemberPictures.module.css';

/** A member's year. Where nothing happened in it, or reputation never moved, a line says so. */
export function MemberPictures({
  activity,
  reputation,
}: {
  activity: MemberActivity | undefined;
  reputation: MemberReputation | undefined;
}) {
  if (activity === undefined && reputation === undefined) return null;
  const wrote = activity !== undefined && activity.days.length > 0;
  const moved = reputation !== undefined && reputation.days.length > 0;
  return (
    <div className={classes.pictures}>
      {wrote ? (
        <HeatMap activity={activity} />
      ) : (
        activity !== undefined && <p className={classes.quiet}>{t`No activity in the last year.`}</p>
      )}
      {moved ? (
        <ReputationCurve reputation={reputation} />
      ) : (
        reputation !== undefined &&
        reputation.start > 0 && (
          <p className={classes.quiet}>{reputationSummary(reputation.start, reputation.start)}.</p>
        )
      )}
    </div>
  );
}
