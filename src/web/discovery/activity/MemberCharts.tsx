import { t } from '@lingui/core/macro';
import type { MemberActivity, MemberReputation } from '#shared/discovery/activity.ts';
import { formatCount } from '#web/core/format.ts';
import { ActivityHeatMap } from './ActivityHeatMap.tsx';
import { ReputationChart } from './ReputationChart.tsx';
import classes from './Chart.module.css';

/**
 * A member's year. A message replaces a chart without data.
 * @param joinedAt when the member joined, in ISO 8601
 */
export function MemberCharts({
  joinedAt,
  activity,
  reputation,
}: {
  joinedAt: string;
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
        <ReputationChart reputation={reputation} joined={joinedAt.slice(0, 10)} />
      ) : (
        reputation !== undefined && reputation.start > 0 && <UnchangedReputation start={reputation.start} />
      )}
    </div>
  );
}

function UnchangedReputation({ start }: { start: number }) {
  const reputation = formatCount(start);
  return <p className={classes.noActivity}>{t`Reputation: ${reputation}`}</p>;
}
