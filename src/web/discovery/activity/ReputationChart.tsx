import { t } from '@lingui/core/macro';
import { addDays, countDays, type MemberReputation } from '#shared/discovery/activity.ts';
import { formatCount } from '#web/core/format.ts';
import { Chart, ChartTable, MonthLabels } from './Chart.tsx';
import { formatDay, reputationText, summarizeReputation } from './activity-messages.ts';
import { useChartCursor } from './useChartCursor.ts';
import { listDailyReputation, toLinePath } from './chart-data.ts';
import classes from './ReputationChart.module.css';

/**
 * A member's reputation over a year, scaled between its lowest and highest value. The line begins when the member joined.
 * @param joined the day on which the member joined
 */
export function ReputationChart({ reputation, joined }: { reputation: MemberReputation; joined: string }) {
  const days = listDailyReputation(reputation, joined);
  /** The number of days of the year before the first one. */
  const skipped = countDays(reputation.from, reputation.to) - days.length;
  const values = days.map((each) => each.reputation);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const last = days.length - 1;
  const toX = (index: number) => (skipped + index) / Math.max(1, skipped + last);
  const { current, handlers } = useChartCursor({
    count: days.length,
    across: 1,
    indexAt: (x) => Math.max(0, Math.min(last, Math.round(x * (skipped + last)) - skipped)),
  });
  const selected = current === null ? undefined : days[current];
  const summary = summarizeReputation(reputation.start, values.at(-1) ?? reputation.start);
  const line = toLinePath(values, skipped);
  const firstDay = formatDay(addDays(days[0]?.day ?? reputation.from, skipped > 0 ? 1 : 0));
  return (
    <Chart
      title={t`Reputation`}
      summary={summary}
      reading={selected === undefined ? null : reputationText(selected)}
      note={t`Based on current votes`}
      table={
        <ChartTable
          heads={[t`Day (UTC)`, t`Reputation`]}
          rows={[
            ...reputation.days
              .toReversed()
              .map((each) => [formatDay(each.day), formatCount(each.reputation)] as const),
            ...(skipped > 0 && reputation.start === 0
              ? []
              : [[t`Before ${firstDay}`, formatCount(reputation.start)] as const]),
          ]}
        />
      }
    >
      <div className={classes.frame}>
        <div className={classes.scale} aria-hidden>
          <span>{formatCount(most)}</span>
          {least !== most && <span>{formatCount(least)}</span>}
        </div>
        <div
          {...handlers}
          className={classes.plot}
          aria-label={t`Reputation by day. ${summary}.`}
          aria-valuetext={reputationText(
            selected ?? days[last] ?? { day: reputation.to, reputation: reputation.start },
          )}
        >
          <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden>
            <path d={`${line}V104H${toX(0) * 1000}Z`} className={classes.area} />
            <path d={line} className={classes.line} vectorEffect="non-scaling-stroke" />
          </svg>
          {selected !== undefined && current !== null && (
            <span
              className={classes.dot}
              style={{
                insetInlineStart: `${toX(current) * 100}%`,
                insetBlockStart: `${most === least ? 50 : ((most - selected.reputation) / (most - least)) * 100}%`,
              }}
            />
          )}
        </div>
        <div className={classes.months}>
          <MonthLabels from={reputation.from} />
        </div>
      </div>
    </Chart>
  );
}
