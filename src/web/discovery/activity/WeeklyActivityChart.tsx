import { t } from '@lingui/core/macro';
import { type TagActivity, weeksShown } from '#shared/discovery/activity.ts';
import { Chart, ChartTable, MonthLabels } from './Chart.tsx';
import { describeWeek, formatDay, summarizeTagActivity } from './activity-messages.ts';
import { useChartCursor } from './useChartCursor.ts';
import { listActivityWeeks } from './chart-data.ts';
import classes from './WeeklyActivityChart.module.css';

/** Half the height of the chart: questions are above the line, answers below it. */
const halfHeight = 50;

/** The weekly activity of a tag over a year. */
export function WeeklyActivityChart({ activity }: { activity: TagActivity }) {
  const weeks = listActivityWeeks(activity);
  const most = Math.max(1, ...weeks.flatMap(({ questions, answers }) => [questions, answers]));
  const { current, handlers } = useChartCursor({
    count: weeks.length,
    indexAt: (x) => Math.max(0, Math.min(weeks.length - 1, Math.floor(x * weeks.length))),
  });
  const selected = current === null ? undefined : weeks[current];
  const summary = summarizeTagActivity(weeks);
  const height = (count: number) => (count === 0 ? 0 : Math.max(2, (count / most) * halfHeight));

  return (
    <Chart
      title={t`Activity`}
      summary={summary}
      reading={selected === undefined ? null : describeWeek(selected)}
      note={t`Questions above the line, answers below, by week`}
      table={
        <ChartTable
          heads={[t`Week of`, t`Questions`, t`Answers`]}
          rows={weeks
            .filter(({ questions, answers }) => questions + answers > 0)
            .toReversed()
            .map(({ week, questions, answers }) => [formatDay(week), questions, answers])}
        />
      }
    >
      <div
        {...handlers}
        className={classes.plot}
        aria-label={t`Activity by week. ${summary}.`}
        aria-valuetext={describeWeek(
          selected ?? weeks.at(-1) ?? { week: activity.to, questions: 0, answers: 0 },
        )}
      >
        <svg viewBox={`0 0 ${weeksShown * 10} ${halfHeight * 2}`} preserveAspectRatio="none" aria-hidden>
          {weeks.map(({ week, questions, answers }, index) => (
            <g key={week} data-hovered={index === current || undefined}>
              {index === current && (
                <rect x={index * 10} y={0} width={10} height={halfHeight * 2} className={classes.selected} />
              )}
              <rect
                x={index * 10 + 1.5}
                y={halfHeight - height(questions)}
                width={7}
                height={height(questions)}
                className={classes.questions}
              />
              <rect
                x={index * 10 + 1.5}
                y={halfHeight + 1}
                width={7}
                height={height(answers)}
                className={classes.answers}
              />
            </g>
          ))}
          <line
            x1={0}
            x2={weeksShown * 10}
            y1={halfHeight}
            y2={halfHeight}
            className={classes.axis}
            vectorEffect="non-scaling-stroke"
          />
        </svg>
      </div>
      <MonthLabels from={activity.from} />
    </Chart>
  );
}
