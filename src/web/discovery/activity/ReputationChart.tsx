import { t } from '@lingui/core/macro';
import type { MemberReputation } from '#shared/discovery/activity.ts';
import { formatCount } from '#web/core/format.ts';
import { Chart, ChartTable, MonthLabels } from './Chart.tsx';
import { formatDay, reputationText, summarizeReputation } from './activity-messages.ts';
import { useChartCursor } from './useChartCursor.ts';
import { listDailyReputation, toLinePath } from './chart-data.ts';
import classes from './ReputationChart.module.css';

/** A member's reputation over a year, scaled between its lowest and highest value. */
export function ReputationChart({ reputation }: { reputation: MemberReputation }) {
  const days = listDailyReputation(reputation);
  const values = days.map((each) => each.reputation);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const last = days.length - 1;
  const { current, handlers } = useChartCursor({
    count: days.length,
    across: 1,
    indexAt: (x) => Math.max(0, Math.min(last, Math.round(x * last))),
  });
  const selected = current === null ? undefined : days[current];
  const summary = summarizeReputation(reputation.start, values.at(-1) ?? reputation.start);
  const line = toLinePath(values);
  const firstDay = formatDay(reputation.from);
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
              .map((each): [string, string] => [formatDay(each.day), formatCount(each.reputation)]),
            [t`Before ${firstDay}`, formatCount(reputation.start)],
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
            <path d={`${line}V104H0Z`} className={classes.area} />
            <path d={line} className={classes.line} vectorEffect="non-scaling-stroke" />
          </svg>
          {selected !== undefined && current !== null && (
            <span
              className={classes.dot}
              style={{
                insetInlineStart: `${(current / Math.max(1, last)) * 100}%`,
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
