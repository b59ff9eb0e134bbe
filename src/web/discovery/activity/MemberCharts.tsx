import { t } from '@lingui/core/macro';
import type { MemberActivity, MemberReputation } from '#shared/discovery/activity.ts';
import { ActivityHeatMap } from './ActivityHeatMap.tsx';
import { ReputationChart } from './ReputationChart.tsx';
import { summarizeReputation } from './activity-messages.ts';
import classes from './Chart.module.css';

/** A member's year. A message replaces a chart without data. */
export function MemberCharts({
  activity,
  reputation,
}: {
  activity: MemberActivity | undefined;
  reputation: MemberReputation | undefined;
}) {
  if (activity === undefined && reputation === undefined) return null;
  const hasActivity = activity !== undefined && activity.days.length > 0;
  const hasReputationChanges = reputation !== undefined && reputation.days.length > 0;
  return (
    <div className={classes.memberCharts}>
      {hasActivity ? (
        <ActivityHeatMap activity={activity} />
      ) : (
        activity !== undefined && <p className={classes.noActivity}>{t`No activity in the last year.`}</p>
      )}
      {hasReputationChanges ? (
        <ReputationChart reputation={reputation} />
      ) : (
        reputation !== undefined &&
        reputation.start > 0 && (
          <p className={classes.noActivity}>{summarizeReputation(reputation.start, reputation.start)}.</p>
        )
      )}
    </div>
  );
}
